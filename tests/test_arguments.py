"""Arguments that are no arrays: what is taken, as what, and the sentence for what is not."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from fastsegmetrics.arguments import integer, number, one_of
from fastsegmetrics.errors import InputError


@pytest.mark.parametrize(
    ("value", "choices", "found"),
    [
        ("b", ("a", "b"), "b"),
        (np.str_("a"), ("a", "b"), "a"),
        (255.0, (None, 1, 255), 255),
        (np.uint8(1), (None, 1, 255), 1),
        (None, (None, 1, 255), None),
    ],
)
def test_the_choice_itself_and_not_its_equal(value, choices, found) -> None:
    taken = one_of("choice", value, choices)
    assert (taken, type(taken)) == (found, type(found))


@pytest.mark.parametrize("value", [True, "A", "", ["a"], np.array(["a", "b"]), math.nan, b"a"])
def test_no_choice(value) -> None:
    with pytest.raises(InputError, match=r"^rule must be 'a' or 1; received "):
        one_of("rule", value, ("a", 1))
    with pytest.raises(InputError, match=r"^rule must be one of 'a', 1, None; received "):
        one_of("rule", value, ("a", 1, None))


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.5), np.int64(1), Fraction(1, 2)])
def test_numbers_are_floats(value) -> None:
    found = number("alpha", value, 0.0, 1.0)
    assert (found, type(found)) == (float(value), float)


@pytest.mark.parametrize("value", [math.nan, math.inf, True, np.True_, "1", None, 1j, [1.0]])
def test_no_finite_number(value) -> None:
    for bounds, words in (((), ""), ((0.0,), " of at least 0"), ((0.0, 2.5), r" in \[0, 2.5\]")):
        with pytest.raises(InputError, match=f"^x must be a finite number{words}; received "):
            number("x", value, *bounds)


def test_numbers_out_of_bounds() -> None:
    assert number("x", -3) == -3.0
    for value in (-1e-300, 1.0000001):
        with pytest.raises(InputError, match=r"^x must be a finite number in \[0, 1\]; received "):
            number("x", value, 0.0, 1.0)


def test_integers() -> None:
    for value in (1, np.int8(1), np.uint64(1)):
        found = integer("bins", value, 1)
        assert (found, type(found)) == (1, int)
    for wrong in (0, 1.0, True, "1", None, np.float64(2)):
        with pytest.raises(InputError, match=r"^bins must be an integer of at least 1; received "):
            integer("bins", wrong, 1)
