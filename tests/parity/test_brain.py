"""Two levels of the grey matter of a brain, 197 x 233 x 189, where tools/peers/brain.txt is."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

import fastsegmetrics as fsm

pytestmark = pytest.mark.filterwarnings("ignore:Please import:DeprecationWarning")
TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.fixture(scope="module")
def brain() -> tuple[np.ndarray, np.ndarray]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TOOLS))
        pair = importlib.import_module("speed.volumes").brain_pair()
    if pair is None:
        pytest.skip("nilearn's map of a brain is not installed (tools/peers/brain.txt)")
    return pair


@pytest.fixture(scope="module")
def found(brain) -> fsm.SurfaceDistances:
    return fsm.surface_distances(*brain)


def test_of_two_levels(brain, found) -> None:
    lower, higher = brain
    assert lower.shape == higher.shape == (197, 233, 189)
    assert not (higher & ~lower).any()
    assert found.pred_to_gt.size > found.gt_to_pred.size / 2 > 100_000


def test_medpy(brain, found) -> None:
    medpy = pytest.importorskip("medpy.metric.binary")
    assert found.hd_percentile(95, "pooled") == pytest.approx(medpy.hd95(*brain), rel=1e-12)
    assert found.assd == pytest.approx(medpy.assd(*brain), rel=1e-12)


def test_mikan(brain, found) -> None:
    mikan = pytest.importorskip("mikan")
    pred, gt = (mask.astype(np.uint8) for mask in brain)
    scores = mikan.ArrayEvaluator(gt, pred, (1.0, 1.0, 1.0)).labels(1).metrics(["hd", "assd"])
    assert scores == pytest.approx([found.hd, found.assd], rel=1e-12)


def test_deepmind(brain) -> None:
    for name, value in {"bool": np.bool_, "Inf": np.inf, "NaN": np.nan}.items():
        if name not in vars(np):
            setattr(np, name, value)
    peer = pytest.importorskip("surface_distance")
    pred, gt = brain
    theirs = peer.compute_surface_distances(gt, pred, (1.0, 1.0, 1.0))
    ours = fsm.surface_distances(pred, gt, surface="elements")
    assert ours.hd95 == pytest.approx(peer.compute_robust_hausdorff(theirs, 95), rel=1e-12)
    assert ours.nsd(1.0) == pytest.approx(
        peer.compute_surface_dice_at_tolerance(theirs, 1.0), rel=1e-12
    )
