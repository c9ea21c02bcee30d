"""MedPy's distances: its numbers, taken with MedPy 0.5.2."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fastsegmetrics import InputError
from fastsegmetrics.compat.medpy_binary import distances as compat

RESULT = np.zeros((4, 5), bool)
REFERENCE = RESULT.copy()
RESULT[1:3, 1:4] = True
REFERENCE[0:2, 0:3] = True
EMPTY = np.zeros((4, 5), bool)
FUNCTIONS = (compat.hd, compat.hd95, compat.asd, compat.assd)


@pytest.mark.parametrize(
    ("arguments", "numbers"),
    [
        ({}, (math.sqrt(2), math.sqrt(2), 0.7357022603955158, 0.7357022603955158)),
        ({"voxelspacing": 2}, (math.sqrt(8), math.sqrt(8), 1.4714045207910316, 1.4714045207910316)),
        (
            {"voxelspacing": (1, 2), "connectivity": 2},
            (math.sqrt(5), math.sqrt(5), 1.0393446629166316, 1.0393446629166316),
        ),
        ({"connectivity": 5}, (math.sqrt(2), math.sqrt(2), 0.7357022603955158, 0.7357022603955158)),
    ],
)
def test_numbers_of_the_peer(arguments, numbers) -> None:
    for function, number in zip(FUNCTIONS, numbers):
        assert function(RESULT, REFERENCE, **arguments) == pytest.approx(number, rel=1e-15)
        weird = RESULT * 3, REFERENCE * -1.5
        assert function(*weird, **arguments) == pytest.approx(number, rel=1e-15)


def test_percentile_and_mean_are_of_one_list() -> None:
    result, reference = np.ones((1, 9)), np.eye(1, 9)
    assert compat.assd(result, reference) == 3.6
    assert compat.asd(result, reference) == 4.0
    assert compat.asd(reference, result) == 0.0
    assert compat.hd95(result, reference) == pytest.approx(
        np.percentile([0, *range(9)], 95), rel=1e-15
    )


def test_lines_and_more_axes() -> None:
    assert [f(RESULT[1], REFERENCE[1]) for f in FUNCTIONS] == [1.0] * 4
    stacked = (np.stack([[mask, mask]] * 2) for mask in (RESULT, REFERENCE))
    assert compat.hd(*stacked) == pytest.approx(math.sqrt(2), rel=1e-15)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_refusals(function) -> None:
    for kind in (RuntimeError, InputError):
        with pytest.raises(kind, match="the first array must contain an object"):
            function(EMPTY, REFERENCE)
        with pytest.raises(kind, match="the second array must contain an object"):
            function(RESULT, EMPTY)
    with pytest.raises(InputError, match="spacing must be finite and above 0"):
        function(RESULT, REFERENCE, 0.0)
    with pytest.raises(InputError, match="spacing must be one number"):
        function(RESULT, REFERENCE, (1, 2, 3))
    with pytest.raises(InputError, match="connectivity must be an integer of at least 1"):
        function(RESULT, REFERENCE, connectivity=0)
    with pytest.raises(InputError, match=r"^result and reference must have one shape; received"):
        function(RESULT, REFERENCE[:3])
