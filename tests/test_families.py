"""Every metric of the catalogue: both backends, stored measurements, merges, degenerate pairs."""

from __future__ import annotations

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.plan import Plan

EVERYTHING = "all,photo"
SHAPE = (23, 31)


def pairs() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(7)
    rows, columns = np.indices(SHAPE)
    blob = (rows - 10) ** 2 + (columns - 12) ** 2 < 50
    blob[2:4, 24:30] = True
    pred = np.clip(np.roll(blob, 2, 1) * 180 + rng.integers(0, 60, SHAPE), 0, 255).astype(np.uint8)
    nothing, full = np.zeros(SHAPE, bool), np.ones(SHAPE, bool)
    return {
        "blob": (pred, blob),
        "floats": (pred / 255.0, blob),
        "single": ((pred / 255.0).astype(np.float32), blob),
        "truth empty": (pred, nothing),
        "truth full": (pred, full),
        "prediction empty": (np.zeros(SHAPE, np.uint8), blob),
        "both empty": (np.zeros(SHAPE, np.uint8), nothing),
        "line": (pred[:1, :9], blob[10:11, 8:17]),
        "one pixel": (np.array([[200]], np.uint8), np.array([[True]])),
    }


PAIRS = pairs()


def photograph(shape: tuple[int, int]) -> np.ndarray:
    rows, columns = np.indices(shape)
    return np.dstack([rows * 9 % 256, columns * 7 % 256, (rows + columns) * 5 % 256]).astype(
        np.uint8
    )


@pytest.mark.parametrize("policy", ["published", "strict"])
@pytest.mark.parametrize("kind", PAIRS)
def test_backends_agree_on_every_metric(kind, policy) -> None:
    pred, gt = PAIRS[kind]
    plan = Plan(EVERYTHING, Conventions(policy=policy))
    image = photograph(gt.shape)
    compiled = plan.measure(pred, gt, image=image)
    reference = plan.measure(pred, gt, image=image, backend="reference")
    # Spatial sums of float32 maps and windowed sums are taken in other orders: 1e-9 there.
    np.testing.assert_allclose(compiled.values, reference.values, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("kind", ["blob", "truth empty"])
def test_stored_measurements_of_every_metric(kind) -> None:
    pred, gt = PAIRS[kind]
    plan = Plan(EVERYTHING)
    measured = plan.measure(pred, gt, image=photograph(gt.shape))
    restored = plan.measurement_from_bytes(measured.to_bytes())
    assert restored.values.tobytes() == measured.values.tobytes()
    assert restored.to_bytes() == measured.to_bytes()
    ours, theirs = fsm.Evaluator(EVERYTHING), fsm.Evaluator(EVERYTHING)
    ours.add(measured)
    theirs.add(restored)
    assert ours.result().to_json() == theirs.result().to_json()


def test_every_metric_merges_to_the_same_bits() -> None:
    kinds = ["blob", "floats", "truth empty", "prediction empty"]

    def evaluated(names: list[str]) -> fsm.Evaluator:
        evaluator = fsm.Evaluator(EVERYTHING)
        for name in names:
            pred, gt = PAIRS[name]
            evaluator.update(pred, gt, image=photograph(gt.shape), sample_id=name)
        return evaluator

    whole = evaluated(kinds)
    first, second = evaluated(kinds[3:1:-1]), evaluated(kinds[1::-1])
    first.merge(second)
    assert first.result().to_json() == whole.result().to_json()
    result = whole.result()
    for name, row in result.items():
        n_other_half = result["difficulty.easy"].n_used if name == "difficulty.hard" else 0
        n_other_half += result["difficulty.hard"].n_used if name == "difficulty.easy" else 0
        assert row.n_used + n_other_half + row.n_undefined + row.n_infinite == 4, name
    # One side is empty in two of them.
    assert (result["hd"].n_used, result["hd"].n_infinite) == (2, 2)
    assert (result["nsd"].n_used, result["nsd"].n_infinite) == (4, 0)
    # One truth for all: no image is harder than the middle one, and that without it has no level.
    assert (result["difficulty.hard"].n_used, result["difficulty.easy"].n_used) == (0, 3)


def test_functions_of_the_spatial_scores() -> None:
    pred, gt = PAIRS["blob"]
    image = photograph(SHAPE)
    values = fsm.measure(pred, gt, EVERYTHING, image=image)
    weighted = fsm.weighted_f(pred, gt)
    assert (weighted, weighted.precision, weighted.recall) == (
        values["weighted_f"], values["weighted_precision"], values["weighted_recall"],
    )  # fmt: skip
    effort = fsm.hce(pred, gt)
    assert effort == values["hce"]
    assert effort.fp_points == values["hce_fp_points"]
    assert effort.fn_regions == values["hce_fn_regions"]
    assert fsm.c_beta(pred, gt) == values["c_beta"]
    assert fsm.c_beta_w(pred, gt, image=image) == values["c_beta_w"]
    hard = fsm.difficulty(pred, gt, image=image)
    assert (hard, hard.region) == (values["difficulty"], values["difficulty_region"])
    assert fsm.si_mae(pred, gt) == values["si_mae"]
    coverage = fsm.ms_iou(pred, gt)
    assert (coverage.bin, coverage.max) == (values["ms_iou.bin"], values["ms_iou.max_of_image"])
    assert coverage.curve.shape == (257,)
    for backend in ("compiled", "reference"):
        found = fsm.size_invariant(pred, gt, "iou", backend=backend)
        assert found.adp == pytest.approx(values["si_iou.adp"], rel=1e-12)
        assert found.curve.max() <= found.max
    with pytest.raises(fsm.InputError, match="score must be one of f_beta"):
        fsm.size_invariant(pred, gt, "e_measure")
