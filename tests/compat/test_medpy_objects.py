"""MedPy's rates and distances of objects: worked by hand, as MedPy 0.5.2 gives them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fastsegmetrics import InputError
from fastsegmetrics.compat.medpy_binary import obj_asd, obj_assd, obj_fpr, obj_tpr

EMPTY = np.zeros((3, 4), bool)
FULL = ~EMPTY
CORNER = EMPTY.copy()
CORNER[0, 0] = True


def line(text: str) -> np.ndarray:
    return np.array([character == "#" for character in text])


@pytest.mark.parametrize(
    ("result", "reference", "tpr", "fpr"),
    [
        # Two of three are found; all of the other two are.
        ("#.#.#", "#.#..", 2 / 3, 0.0),
        # The result's first takes one of the two that it meets; its other two share the third.
        ("###.#.#", "#.#.###", 2 / 3, 1 / 3),
        # The second meets the first only, and takes it: for the first, which comes first, the
        # other is left.
        ("###.#.#", "#.#####", 2 / 3, 0.0),
        # One of two objects within a single one is found.
        ("#.###", "#####", 1 / 2, 0.0),
        ("#####", "#.###", 1.0, 1 / 2),
        ("##...", "...##", 0.0, 1.0),
    ],
)
def test_rates_by_hand(result, reference, tpr, fpr) -> None:
    masks = line(result), line(reference)
    assert (obj_tpr(*masks), obj_fpr(*masks)) == (tpr, fpr)
    # Of other numbers and of more axes the same.
    raised = masks[0][:, None] * 0.5, masks[1][:, None] * -3
    assert (obj_tpr(*raised), obj_fpr(*raised)) == (tpr, fpr)


def test_an_object_that_meets_one_alone_comes_first() -> None:
    # The first object meets both of the reference, the second the reference's first.
    result = [[1, 1, 1, 1, 1], [1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0]]
    reference = [[0, 0, 0, 0, 1], [0, 0, 0, 0, 0], [0, 1, 1, 0, 0], [1, 1, 0, 0, 0]]
    reference[1][0] = reference[2][0] = 1
    assert obj_tpr(result, reference) == 1.0
    assert obj_fpr(result, reference) == 0.0


def test_connectivity_joins_objects() -> None:
    result = [[1, 0, 0], [0, 1, 1], [0, 1, 1]]
    reference = [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert [obj_tpr(result, reference, c) for c in (1, 2, 3)] == [1 / 2, 1.0, 1.0]
    assert obj_asd(result, reference) == obj_assd(result, reference) == 0.0
    # The reference's one voxel lies in the result; of the result's five, four lie √2, √5, √5, √8
    # away.
    assert obj_asd(result, reference, connectivity=2) == 0.0
    lengths = 0 + math.sqrt(2) + 2 * math.sqrt(5) + math.sqrt(8)
    assert obj_asd(reference, result, connectivity=2) == pytest.approx(lengths / 5, rel=1e-15)
    assert obj_assd(result, reference, connectivity=2) == pytest.approx(lengths / 6, rel=1e-15)


def test_distances_are_the_references_and_between_partners_only() -> None:
    result, reference = line("###..#..##"), line("#.....##..")
    # The first of each correspond, whose surfaces are 0 and 2, and 0.  All others meet none.
    assert obj_asd(result, reference) == 0.0
    assert obj_asd(reference, result) == 1.0
    assert obj_assd(result, reference) == obj_assd(reference, result) == 2 / 3
    assert obj_asd(np.ones((3, 3)), [[0, 1, 0]] * 3, voxelspacing=(3, 1)) == pytest.approx(1 / 3)
    assert obj_asd([[0, 1, 0]] * 3, np.ones((3, 3)), voxelspacing=(1, 2)) == 1.5


def test_no_pair_of_objects() -> None:
    apart = CORNER, np.roll(CORNER, 2)
    assert (obj_tpr(*apart), obj_fpr(*apart)) == (0.0, 1.0)
    for pair in (apart, (EMPTY, FULL), (FULL, EMPTY), (EMPTY, EMPTY)):
        assert math.isnan(obj_asd(*pair))
        assert math.isnan(obj_assd(*pair))
    assert obj_tpr(FULL, EMPTY) == 0.0
    assert obj_fpr(EMPTY, FULL) == 1.0


@pytest.mark.parametrize("kind", [ZeroDivisionError, RuntimeError, InputError])
def test_nothing_to_count(kind) -> None:
    with pytest.raises(kind, match="result must contain an object"):
        obj_tpr(EMPTY, FULL)
    with pytest.raises(kind, match="reference must contain an object"):
        obj_fpr(FULL, EMPTY)


@pytest.mark.parametrize("function", [obj_tpr, obj_fpr, obj_asd, obj_assd])
def test_refusals(function) -> None:
    with pytest.raises(InputError, match=r"^result and reference must have one shape; received"):
        function(FULL, FULL[:2])
    with pytest.raises(InputError, match="connectivity must be an integer of at least 1"):
        function(FULL, FULL, connectivity=0)


def test_refused_spacings() -> None:
    with pytest.raises(InputError, match="spacing must be one number"):
        obj_asd(FULL, FULL, (1, 2, 3))
    with pytest.raises(InputError, match="spacing must be finite and above 0"):
        obj_assd(EMPTY, FULL, 0.0)
