"""DeepMind's functions: its numbers, taken with the package of 2021."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fastsegmetrics import InputError
from fastsegmetrics.compat import surface_distance as compat

GT = np.zeros((4, 5), bool)
PRED = GT.copy()
GT[1:3, 1:4] = True
PRED[0:2, 0:3] = True
EMPTY = np.zeros((4, 5), bool)
DIAGONAL, ROOT = math.sqrt(5), math.sqrt(1.25)


def test_published_values() -> None:
    gt, pred = np.zeros((2, 5, 5, 5), bool)
    gt[1, 1, 1] = pred[3, 1, 1] = True
    found = compat.compute_surface_distances(gt, pred, (2.5, 0.5, 0.5))
    assert compat.compute_robust_hausdorff(found, 100) == 5.0


def test_distances_and_areas_of_the_peer() -> None:
    found = compat.compute_surface_distances(GT, PRED, (1, 2))
    distances = [0, 0, 1, 1, 1, 1, 1, 2, 2, DIAGONAL]
    areas = [1, 2, ROOT, ROOT, 2, 2, 2, 1, ROOT, ROOT]
    for side in ("gt", "pred"):
        other = "pred" if side == "gt" else "gt"
        np.testing.assert_allclose(found[f"distances_{side}_to_{other}"], distances, rtol=1e-15)
        np.testing.assert_allclose(found[f"surfel_areas_{side}"], areas, rtol=1e-15)
        found[f"surfel_areas_{side}"][0] = 1.0  # the caller's own
    mean = 1.0345491502812527
    assert compat.compute_average_surface_distance(found) == pytest.approx((mean, mean), rel=1e-15)
    assert compat.compute_robust_hausdorff(found, 95) == DIAGONAL
    assert compat.compute_robust_hausdorff(found, 0) == 0.0
    share = 0.7763932022500211
    overlap = compat.compute_surface_overlap_at_tolerance(found, 1)
    assert overlap == pytest.approx((share, share), rel=1e-15)
    assert compat.compute_surface_dice_at_tolerance(found, 1) == pytest.approx(share, rel=1e-15)
    assert compat.compute_dice_coefficient(GT, PRED) == 1 / 3


def test_directions_are_not_exchanged() -> None:
    found = compat.compute_surface_distances(np.ones((4, 5), bool), GT, (1.0, 2.0))
    mean = compat.compute_average_surface_distance(found)
    assert mean == pytest.approx((1.4354716243750345, 1.1381966011250104), rel=1e-14)
    overlap = compat.compute_surface_overlap_at_tolerance(found, 1)
    assert overlap == pytest.approx((0.6044091050000145, 0.8618033988749895), rel=1e-14)
    dice = compat.compute_surface_dice_at_tolerance(found, 1)
    assert dice == pytest.approx(0.6953875261864478, rel=1e-14)


def test_empty_masks() -> None:
    both = compat.compute_surface_distances(EMPTY, EMPTY, (1, 1))
    assert compat.compute_robust_hausdorff(both, 95) == math.inf
    assert all(map(math.isnan, compat.compute_average_surface_distance(both)))
    assert all(map(math.isnan, compat.compute_surface_overlap_at_tolerance(both, 1)))
    assert math.isnan(compat.compute_surface_dice_at_tolerance(both, 1))
    assert math.isnan(compat.compute_dice_coefficient(EMPTY, EMPTY))
    one = compat.compute_surface_distances(EMPTY, PRED, (1, 1))
    assert compat.compute_robust_hausdorff(one, 95) == math.inf
    forth, back = compat.compute_average_surface_distance(one)
    assert math.isnan(forth)
    assert back == math.inf
    assert compat.compute_surface_dice_at_tolerance(one, 1) == 0.0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((GT.astype(int), PRED, (1, 1)), "mask_gt must be an array of booleans; received int64"),
        ((GT, PRED.tolist(), (1, 1)), "mask_pred must be an array of booleans; received list"),
        ((GT, PRED, (1, 1, 1)), "spacing must be one number or one for each of the 2 axes"),
        ((GT, PRED[:3], (1, 1)), "one shape"),
        ((GT[0], PRED[0], (1,)), "2 or 3 axes"),
    ],
)
def test_refusals(arguments, sentence) -> None:
    with pytest.raises(InputError, match=sentence):
        compat.compute_surface_distances(*arguments)
