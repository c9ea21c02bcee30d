"""Surface distances beside mikan-rs, where it agrees with MedPy, and where it does not."""

from __future__ import annotations

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.compat import medpy_binary

mikan = pytest.importorskip("mikan")

SHAPES = ((7, 9, 11), (3, 12, 5), (1, 14, 10), (6, 6, 6))


def pair(seed: int) -> tuple[np.ndarray, np.ndarray, tuple[float, ...]]:
    """Two masks that do not touch the border, and a spacing."""
    rng = np.random.default_rng(seed)
    first, second = rng.random((2, *SHAPES[seed % 4])) < rng.choice([0.03, 0.3, 0.6])
    first[0, 1, 1] = second[-1, 2, 1] = True
    spacing = (1.0, 1.0, 1.0) if seed % 3 == 0 else tuple(rng.uniform(0.3, 4, 3))
    return np.pad(first, 1), np.pad(second, 1), spacing


def theirs(pred: np.ndarray, gt: np.ndarray, spacing: tuple[float, ...]) -> dict[str, float]:
    # Its spacing is in the order of SimpleITK: columns first.
    found = mikan.ArrayEvaluator(gt.astype(np.uint8), pred.astype(np.uint8), spacing[::-1])
    scores: dict[str, float] = found.labels(1).metrics("all")
    return scores


@pytest.mark.parametrize("seed", range(40))
def test_mikan(seed) -> None:
    pred, gt, spacing = pair(seed)
    expected = theirs(pred, gt, spacing)
    found = fsm.surface_distances(pred, gt, spacing=spacing)
    assert found.hd == pytest.approx(expected["hausdorff_distance"], rel=1e-12)
    assert found.assd == pytest.approx(expected["assd"], rel=1e-12)
    assert found.masd == pytest.approx(expected["masd"], rel=1e-12)
    assert medpy_binary.assd(pred, gt, spacing) == pytest.approx(expected["assd"], rel=1e-12)
    assert medpy_binary.hd(pred, gt, spacing) == pytest.approx(
        expected["hausdorff_distance"], rel=1e-12
    )
    overlap = fsm.overlap(pred, gt)
    for name, peer in (("dice", "dice"), ("iou", "jaccard_score"), ("precision", "precision"),
                       ("recall", "senstivity"), ("specificity", "specificity")):  # fmt: skip
        assert getattr(overlap, name) == pytest.approx(expected[peer], rel=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_its_percentile_is_a_rounded_rank_and_none_of_ours(seed) -> None:
    pred, gt, spacing = pair(seed)
    found = fsm.surface_distances(pred, gt, spacing=spacing)
    # The larger of both directions' distances of rank 0.95·n, rounded half up.
    ranks = [
        max(int(0.95 * side.size + 0.5) - 1, 0) for side in (found.pred_to_gt, found.gt_to_pred)
    ]
    expected = max(found.pred_to_gt[ranks[0]], found.gt_to_pred[ranks[1]])
    assert theirs(pred, gt, spacing)["hausdorff_distance_95"] == pytest.approx(expected, rel=1e-12)


def test_its_surface_leaves_out_the_border_of_the_array() -> None:
    gt = np.zeros((5, 6, 7), bool)
    gt[:3] = True
    pred = np.roll(gt, 1, 0)
    pred[0] = True
    # MedPy's surface has the voxels at the border, as ours; mikan's has the inner face alone.
    assert theirs(pred, gt, (1.0, 1.0, 1.0))["assd"] == 1.0
    found = fsm.surface_distances(pred, gt)
    assert found.assd == pytest.approx(medpy_binary.assd(pred, gt), rel=1e-15)
    assert found.assd < 1.0
