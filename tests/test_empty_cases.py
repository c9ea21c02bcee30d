"""Every cell of the empty-case table, for the sweep family, under both policies.

The image is 8 x 9 with N = 72; "some" is a map of 200 on a block of 12 pixels.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import fastsegmetrics as fsm

SHAPE = (8, 9)
N = 72
NAN = math.nan
OVERLAP = ("f_beta", "f1", "precision", "recall", "iou", "dice")

EMPTY = np.zeros(SHAPE, bool)
FULL = np.ones(SHAPE, bool)
BLOCK = EMPTY.copy()
BLOCK[2:5, 3:7] = True
NOTHING = np.zeros(SHAPE, np.uint8)
EVERYTHING = np.full(SHAPE, 255, np.uint8)
SOME = np.where(BLOCK, 200, 0).astype(np.uint8)

PUBLISHED = {"policy": "published"}
PERFECT = {"policy": "strict", "both_empty": "perfect"}
UNDEFINED = {"policy": "strict", "both_empty": "undefined"}

pytestmark = pytest.mark.parametrize("backend", ["compiled", "reference"])


def sweep(score: str, pred, gt, backend: str, conventions: dict) -> fsm.SweepScore:
    return getattr(fsm, score)(pred, gt, backend=backend, stretch=False, **conventions)


def check(found: fsm.SweepScore, *, bin: float, adp: float, upper: float, at_zero: float) -> None:
    """`upper` is the value at every threshold above 0, where an empty prediction stays empty."""
    assert found.bin == pytest.approx(bin, rel=1e-12, nan_ok=True)
    assert found.adp == pytest.approx(adp, rel=1e-12, nan_ok=True)
    np.testing.assert_allclose(found.curve[1:], upper, rtol=1e-12)
    assert found.curve[0] == pytest.approx(at_zero, rel=1e-12, nan_ok=True)
    assert found.mean == pytest.approx((255 * upper + at_zero) / 256, rel=1e-12, nan_ok=True)
    largest = NAN if math.isnan(upper + at_zero) else max(upper, at_zero)
    assert found.max == pytest.approx(largest, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("score", OVERLAP)
@pytest.mark.parametrize(
    ("conventions", "value", "adaptive"),
    [(PUBLISHED, 0.0, 0.0), (PERFECT, 1.0, 1.0), (UNDEFINED, NAN, NAN)],
)
def test_overlap_both_empty(backend, score, conventions, value, adaptive) -> None:
    found = sweep(score, NOTHING, EMPTY, backend, conventions)
    check(found, bin=value, adp=adaptive, upper=value, at_zero=0.0)


@pytest.mark.parametrize("score", OVERLAP)
@pytest.mark.parametrize("conventions", [PUBLISHED, PERFECT, UNDEFINED])
def test_overlap_truth_empty(backend, score, conventions) -> None:
    found = sweep(score, SOME, EMPTY, backend, conventions)
    assert found.bin == 0.0
    assert found.adp == 0.0
    assert not found.curve[:201].any()


@pytest.mark.parametrize("score", OVERLAP)
@pytest.mark.parametrize("conventions", [PUBLISHED, PERFECT, UNDEFINED])
def test_overlap_prediction_empty(backend, score, conventions) -> None:
    found = sweep(score, NOTHING, BLOCK, backend, conventions)
    everything = sweep(score, EVERYTHING, BLOCK, backend, conventions).bin
    published = conventions is PUBLISHED
    adaptive = everything if published else 0.0
    check(found, bin=0.0, adp=adaptive, upper=0.0, at_zero=everything)


def test_published_adaptive_f_of_an_empty_prediction(backend) -> None:
    gt = np.zeros((8, 8), bool)
    gt[:2, :4] = True
    nothing = np.zeros((8, 8), np.uint8)
    assert fsm.f_beta(nothing, gt, backend=backend).adp == pytest.approx(0.157, abs=5e-4)
    assert fsm.f_beta(nothing, gt, backend=backend, policy="strict").adp == 0.0


def test_published_adaptive_f_of_an_empty_prediction_of_a_full_truth(backend) -> None:
    assert fsm.f_beta(NOTHING, FULL, backend=backend).adp == 1.0
    assert fsm.f_beta(NOTHING, FULL, backend=backend, policy="strict").adp == 0.0


@pytest.mark.parametrize("score", OVERLAP)
@pytest.mark.parametrize("conventions", [PUBLISHED, PERFECT])
def test_overlap_truth_full(backend, score, conventions) -> None:
    found = sweep(score, EVERYTHING, FULL, backend, conventions)
    check(found, bin=1.0, adp=1.0, upper=1.0, at_zero=1.0)


@pytest.mark.parametrize(("score", "kept", "dropped"), [("specificity", 0, 1), ("fpr", 1, 0)])
def test_background_rates(backend, score, kept, dropped) -> None:
    both = sweep(score, NOTHING, EMPTY, backend, PUBLISHED)
    check(both, bin=dropped, adp=kept, upper=dropped, at_zero=kept)
    strict = sweep(score, NOTHING, EMPTY, backend, PERFECT)
    check(strict, bin=dropped, adp=dropped, upper=dropped, at_zero=kept)
    for pred in (NOTHING, SOME, EVERYTHING):
        full = sweep(score, pred, FULL, backend, PUBLISHED)
        check(full, bin=0.0, adp=0.0, upper=0.0, at_zero=0.0)
        undefined = sweep(score, pred, FULL, backend, PERFECT)
        check(undefined, bin=NAN, adp=NAN, upper=NAN, at_zero=NAN)


def test_accuracy(backend) -> None:
    for conventions in (PUBLISHED, PERFECT):
        strict = conventions is PERFECT
        found = sweep("accuracy", NOTHING, EMPTY, backend, conventions)
        check(found, bin=1.0, adp=float(strict), upper=1.0, at_zero=0.0)
        found = sweep("accuracy", NOTHING, FULL, backend, conventions)
        check(found, bin=0.0, adp=float(not strict), upper=0.0, at_zero=1.0)


def test_balanced_error_rate(backend) -> None:
    found = sweep("ber", NOTHING, EMPTY, backend, PUBLISHED)
    check(found, bin=0.5, adp=1.0, upper=0.5, at_zero=1.0)
    found = sweep("ber", NOTHING, EMPTY, backend, PERFECT)
    check(found, bin=0.0, adp=0.0, upper=0.0, at_zero=1.0)
    assert sweep("ber", SOME, EMPTY, backend, PUBLISHED).bin == pytest.approx(1 - 60 / 72 / 2)
    assert sweep("ber", SOME, EMPTY, backend, PERFECT).bin == pytest.approx(12 / 72)
    assert sweep("ber", SOME, FULL, backend, PUBLISHED).bin == pytest.approx(1 - 12 / 72 / 2)
    assert sweep("ber", SOME, FULL, backend, PERFECT).bin == pytest.approx(1 - 12 / 72)


@pytest.mark.parametrize("score", ["kappa", "cohen_kappa"])
def test_kappas(backend, score) -> None:
    check(sweep(score, NOTHING, EMPTY, backend, PUBLISHED), bin=0, adp=0, upper=0, at_zero=0)
    undefined = sweep(score, NOTHING, EMPTY, backend, PERFECT)
    check(undefined, bin=NAN, adp=NAN, upper=NAN, at_zero=0.0)
    for conventions in (PUBLISHED, PERFECT):
        assert sweep(score, NOTHING, BLOCK, backend, conventions).bin == pytest.approx(0, abs=1e-15)
        assert sweep(score, NOTHING, FULL, backend, conventions).bin == 0.0
    full = sweep(score, EVERYTHING, FULL, backend, PUBLISHED)
    check(full, bin=0, adp=0, upper=0, at_zero=0)
    full = sweep(score, EVERYTHING, FULL, backend, PERFECT)
    check(full, bin=NAN, adp=NAN, upper=NAN, at_zero=NAN)


@pytest.mark.parametrize("conventions", [PUBLISHED, PERFECT])
def test_structure(backend, conventions) -> None:
    def s(pred, gt):
        return fsm.s_measure(pred, gt, backend=backend, stretch=False, **conventions)

    mean = 12 * 200 / 255 / N
    assert s(NOTHING, EMPTY) == 1.0
    assert s(SOME, EMPTY) == pytest.approx(1 - mean, rel=1e-12)
    assert s(SOME, FULL) == pytest.approx(mean, rel=1e-12)
    assert math.isnan(s(SOME, FULL).object_term)
    assert math.isnan(s(SOME, EMPTY).region_term)
    # Only the empty background is right: its object term is 1 with weight 60/72.
    assert s(NOTHING, BLOCK).object_term == pytest.approx(60 / 72, rel=1e-12)


def test_alignment(backend) -> None:
    n1 = N / (N - 1)
    found = sweep("e_measure", NOTHING, EMPTY, backend, PUBLISHED)
    check(found, bin=n1, adp=0.0, upper=n1, at_zero=0.0)
    found = sweep("e_measure", NOTHING, EMPTY, backend, PERFECT)
    check(found, bin=1.0, adp=1.0, upper=1.0, at_zero=0.0)
    for conventions in (PUBLISHED, PERFECT):
        assert sweep("e_measure", SOME, EMPTY, backend, conventions).bin == pytest.approx(60 / 71)
        assert sweep("e_measure", SOME, FULL, backend, conventions).bin == pytest.approx(12 / 71)
    as_if_all = sweep("e_measure", EVERYTHING, BLOCK, backend, PUBLISHED).bin
    assert sweep("e_measure", NOTHING, BLOCK, backend, PUBLISHED).adp == as_if_all
    none = sweep("e_measure", NOTHING, BLOCK, backend, PUBLISHED).bin
    assert sweep("e_measure", NOTHING, BLOCK, backend, PERFECT).adp == none


@pytest.mark.parametrize("conventions", [PUBLISHED, PERFECT])
def test_error(backend, conventions) -> None:
    def mae(pred, gt):
        return fsm.mae(pred, gt, backend=backend, stretch=False, **conventions)

    assert mae(NOTHING, EMPTY) == 0.0
    assert mae(NOTHING, FULL) == 1.0
    assert mae(SOME, EMPTY) == pytest.approx(12 * 200 / 255 / N, rel=1e-13)


def test_areas(backend) -> None:
    for pred in (SOME, NOTHING):
        for gt in (EMPTY, FULL):
            for rule in ("trapezoid", "anchored"):
                auc = functools.partial(fsm.auc, pred, gt, rule=rule, backend=backend)
                assert auc() == 0.0
                assert math.isnan(auc(policy="strict"))
        for rule in ("trapezoid", "step"):
            ap = functools.partial(fsm.ap, pred, EMPTY, rule=rule, backend=backend)
            assert ap() == 0.0
            assert math.isnan(ap(policy="strict"))
    assert fsm.ap(SOME, EMPTY, backend=backend, rule="step") == 0.0
    assert math.isnan(fsm.ap(SOME, EMPTY, backend=backend, rule="step", policy="strict"))
    assert fsm.ap(SOME, FULL, backend=backend, rule="step", policy="strict") == 1.0


def test_one_pixel(backend) -> None:
    on, off = np.array([[True]]), np.array([[False]])
    assert fsm.e_measure(on, on, backend=backend).bin == 1.0
    assert fsm.e_measure(off, on, backend=backend).bin == 0.0
    assert fsm.s_measure(on, on, backend=backend) == 1.0
    assert fsm.s_measure(off, off, backend=backend) == 1.0
    assert fsm.mae(on, off, backend=backend) == 1.0
    assert fsm.f_beta(on, on, backend=backend).bin == 1.0


def test_undefined_samples_are_counted_and_left_out(backend) -> None:
    evaluator = fsm.Evaluator(
        "f_beta,specificity,kappa.bin,auc", stretch=False, backend=backend, **UNDEFINED
    )
    evaluator.update(SOME, BLOCK, sample_id="ordinary")
    evaluator.update(NOTHING, EMPTY, sample_id="both empty")
    evaluator.update(EVERYTHING, FULL, sample_id="both full")
    result = evaluator.result(n_expected=5)
    for name, used, undefined in (
        ("f_beta.bin", 2, 1),
        ("f_beta.mean", 2, 1),
        ("f_beta.max", 2, 1),
        ("f_beta.mean_of_max", 2, 1),
        ("specificity.bin", 2, 1),
        ("kappa.bin", 1, 2),
        ("auc.trapezoid", 1, 2),
        ("auc.anchored_of_image", 1, 2),
        ("f_beta.pooled_bin", 3, 0),
    ):
        row = result[name]
        assert (row.n_expected, row.n_used, row.n_undefined) == (5, used, undefined), name
        assert row.n_infinite == 0
        assert not math.isnan(row.value)
    assert result["auc.anchored_of_image"].value == 1.0
    assert math.isnan(result.per_image["f_beta.bin"][result.sample_ids.index("both empty")])
