"""MedPy's overlap functions: its numbers, taken with MedPy 0.5.2 and NumPy 1.26."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fastsegmetrics.compat import medpy_binary
from fastsegmetrics.errors import InputError

EMPTY = np.zeros((3, 4), bool)
FULL = ~EMPTY
TWO = EMPTY.copy()
TWO[1, 1:3] = True

#: (result, reference): dc, jc, precision, recall, specificity, ravd.
CASES = {
    "both empty": (EMPTY, EMPTY, (1.0, 1.0, 0.0, 0.0, 1.0, None)),
    "reference empty": (TWO, EMPTY, (0.0, 0.0, 0.0, 0.0, 0.8333333333333334, None)),
    "result empty": (EMPTY, TWO, (0.0, 0.0, 0.0, 0.0, 1.0, -1.0)),
    "both full": (FULL, FULL, (1.0, 1.0, 1.0, 1.0, 0.0, 0.0)),
    "result full": (FULL, EMPTY, (0.0, 0.0, 0.0, 0.0, 0.0, None)),
    "reference full": (
        TWO, FULL, (0.2857142857142857, 0.16666666666666666, 1.0, 0.16666666666666666, 0.0,
                    -0.8333333333333334),
    ),
    "the same": (TWO, TWO, (1.0, 1.0, 1.0, 1.0, 1.0, 0.0)),
}  # fmt: skip
SAME = {
    "sensitivity": "recall",
    "true_positive_rate": "recall",
    "true_negative_rate": "specificity",
    "positive_predictive_value": "precision",
}


@pytest.mark.parametrize("case", CASES)
def test_numbers_of_the_peer(case) -> None:
    result, reference, expected = CASES[case]
    for name, value in zip(("dc", "jc", "precision", "recall", "specificity", "ravd"), expected):
        function = getattr(medpy_binary, name)
        if value is None:
            with pytest.raises(RuntimeError, match="does not contain any binary object"):
                function(result, reference)
        else:
            assert function(result, reference) == value, name
    for name, other in SAME.items():
        found = getattr(medpy_binary, name)(result, reference)
        assert found == getattr(medpy_binary, other)(result, reference)


def test_what_is_not_zero_is_foreground() -> None:
    assert medpy_binary.dc([0.5, math.nan, 0], [1, 1, 0]) == 1.0
    assert medpy_binary.jc(np.array([[0, 3, -1]]), np.array([[0, 7, 0]])) == 0.5
    assert medpy_binary.dc(1, 1) == 1.0
    assert medpy_binary.dc(np.zeros((2, 0)), np.zeros((2, 0))) == 1.0
    assert medpy_binary.ravd(np.ones((2, 3)), np.ones(5)) == 0.2
    assert medpy_binary.ravd([[0, 1, 0], [1, 1, 1]], [[0, 1, 0], [1, 0, 1]]) == pytest.approx(1 / 3)


def test_shapes_are_not_broadcast() -> None:
    with pytest.raises(InputError, match=r"one shape; received \(2, 3\) and \(3,\)"):
        medpy_binary.precision(np.ones((2, 3)), np.ones(3))


def test_correlations_of_volumes() -> None:
    r, p = medpy_binary.volume_correlation([TWO, FULL, EMPTY], [TWO, TWO, EMPTY])
    assert (r, p) == pytest.approx((0.6286185570937121, 0.5672413826152548), rel=1e-12)
    r, p = medpy_binary.volume_change_correlation([TWO, FULL, EMPTY, TWO], [TWO, TWO, EMPTY, EMPTY])
    assert (r, p) == pytest.approx((0.9332565252573829, 0.23390804928192083), rel=1e-12)
    assert medpy_binary.volume_correlation([TWO, FULL], [TWO, FULL]) == (1.0, 1.0)
    assert all(map(math.isnan, medpy_binary.volume_correlation([TWO, TWO], [TWO, FULL])))
    with pytest.raises(InputError, match="received 1 and 1 numbers"):
        medpy_binary.volume_change_correlation([TWO, FULL], [TWO, FULL])
    with pytest.raises(InputError, match="received 2 and 1 numbers"):
        medpy_binary.volume_correlation([TWO, FULL], [TWO])
