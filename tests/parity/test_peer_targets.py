"""The target scores beside pyirstdmetrics: the same counts, sums within 1e-12."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from target_metrics import TARGETWISE, assert_same, updated
from target_scenes import scenes

import fastsegmetrics as fsm
from fastsegmetrics.compat import py_irstd_metrics as compat

peer = pytest.importorskip("py_irstd_metrics")

SCENES = dict(scenes())


@pytest.mark.parametrize("bins", [1, 7])
@pytest.mark.parametrize("kind", TARGETWISE)
def test_targets_of_each_scene_and_of_all(kind, bins) -> None:
    every = TARGETWISE[kind](compat, bins), TARGETWISE[kind](peer, bins)
    compared = 0
    for pred, truth in SCENES.values():
        one = TARGETWISE[kind](compat, bins), TARGETWISE[kind](peer, bins)
        if updated(*one, pred, truth):
            assert_same(*one)
            assert updated(*every, pred, truth)
            compared += 1
    assert compared > 200
    assert_same(*every)


@pytest.mark.parametrize("bins", [17, 51, 85])
def test_thresholds_on_8_bit_levels(bins) -> None:
    levels = (np.arange(256).reshape(8, 32) / 255.0)[::-1].copy()
    truth = (np.arange(256).reshape(8, 32) % 5 < 2)[:, ::-1]
    for pred in (levels, levels.astype(np.float32)):
        both = compat.MatchingBasedMetrics(bins), peer.MatchingBasedMetrics(bins)
        assert updated(*both, pred, truth)
        assert_same(*both)
        rates = (
            compat.ProbabilityDetectionAndFalseAlarmRate(bins),
            peer.ProbabilityDetectionAndFalseAlarmRate(bins),
        )
        assert updated(*rates, pred, truth)
        assert_same(*rates)


@pytest.mark.parametrize("bins", [1, 2, 10, 17, 52])
def test_pixels(bins) -> None:
    def metric(of):
        made = of.CMMetrics(num_bins=bins, threshold=0.4)
        for name in ("IoUHandler", "PrecisionHandler", "RecallHandler", "TPRHandler", "FPRHandler"):
            made.add_handler(name, getattr(of, name)(with_dynamic=True))
            made.add_handler(f"{name} pooled", getattr(of, name)(sample_based=False))
        for beta in (0.3, 1):
            handler = of.FmeasureHandler(with_dynamic=True, with_binary=True, beta=beta)
            made.add_handler(f"F {beta}", handler)
        return made

    mine, theirs = metric(compat), metric(peer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for pred, truth in SCENES.values():
            mine.update(pred, truth)
            theirs.update(pred, truth)
        found, expected = mine.get(), theirs.get()
    assert list(found) == list(expected)
    for name, results in expected.items():
        assert list(found[name]) == list(results)
        for key, value in results.items():
            np.testing.assert_allclose(found[name][key], value, rtol=1e-12, err_msg=f"{name} {key}")


def test_matchings_called_by_hand() -> None:
    measure = pytest.importorskip("skimage.measure")
    for name in ("scene 0", "scene 9", "scene 12", "crowd 100", "truth empty", "both empty"):
        pred, truth = SCENES[name]
        maps = measure.label(pred > 0.5, connectivity=2), measure.label(truth, connectivity=2)
        given = (*maps, *(measure.regionprops(image) for image in maps))
        for method in ("OPDCMatching", "DistanceOnlyMatching"):
            status, ious = getattr(compat, method)()(*given)
            their_status, their_ious = getattr(peer, method)()(*given)
            np.testing.assert_array_equal(status, their_status)
            if their_ious is None:
                assert ious is None
            else:
                np.testing.assert_allclose(ious, their_ious, rtol=1e-12)


def test_a_way_to_match_of_ones_own() -> None:
    class Everything:
        """Each true target with each predicted one of its number."""

        def __call__(self, pred_map, mask_map, pred_props, mask_props):
            assert [one.label for one in pred_props] == list(range(1, len(pred_props) + 1))
            return np.eye(len(mask_props), len(pred_props), dtype=bool), None

    pred, truth = SCENES["scene 16"]
    for bins in (1, 4):
        both = [
            of.MatchingBasedMetrics(bins, matching_method=Everything()) for of in (compat, peer)
        ]
        assert updated(*both, pred, truth)
        assert_same(*both)


def test_phantoms_are_counted_by_compat_alone() -> None:
    target = np.zeros((12, 17), bool)
    target[3:5, 6:8] = True
    blank = np.zeros((12, 17))
    for pred, truth, phantoms in (
        (blank, target, (1, 0)),
        (target * 0.9, ~(blank == 0), (0, 1)),
        (blank, ~(blank == 0), (1, 1)),
    ):
        both = compat.MatchingBasedMetrics(), peer.MatchingBasedMetrics()
        assert updated(*both, pred, truth)
        assert_same(*both)
        plan = fsm.Plan("hiou.pooled_bin")
        native = plan.measure(pred, truth).records[0].tally.found("opdc")
        assert (
            both[0].fp_objs[0] - native.spurious,
            both[0].fn_objs[0] - native.missed,
        ) == phantoms


def test_native_is_the_peer_without_phantoms() -> None:
    """Pooled over images that have targets on both sides, native and peer agree."""
    evaluator = fsm.Evaluator(
        "hiou.pooled_bin,pd.pooled_bin,fa.pooled_bin,pd_opdc.pooled_bin,pd_shooting.pooled_bin,"
        "fa_shooting.pooled_bin,hiou.pooled_curve,pixel_iou.pooled_bin,niou,hiou_loc_many_to_one"
    )
    names = ("opdc", "errors", "detection", "shooting")
    theirs = {name: TARGETWISE[name](peer, 1) for name in names}
    curve = TARGETWISE["opdc"](peer, 10)
    pixels = peer.CMMetrics(
        metric_handlers={
            "n": peer.IoUHandler(), "pooled": peer.IoUHandler(sample_based=False),
        }
    )  # fmt: skip
    for pred, truth in SCENES.values():
        # A bin without predictions has a phantom too.
        if truth.any() and pred.max() > 0.9:
            evaluator.update(pred, truth)
            pixels.update(pred, truth)
            curve.update(pred, truth)
            for metric in theirs.values():
                metric.update(pred, truth)
    found = evaluator.result()
    expected = {
        "hiou.pooled_bin": theirs["opdc"].get()["hiou"],
        "pd_opdc.pooled_bin": theirs["opdc"].get()["probability_detection"],
        "pd.pooled_bin": theirs["detection"].get()["probability_detection"],
        "fa.pooled_bin": theirs["detection"].get()["false_alarm"],
        "pd_shooting.pooled_bin": theirs["shooting"].get()["probability_detection"],
        "fa_shooting.pooled_bin": theirs["shooting"].get()["false_alarm"],
        "hiou_loc_many_to_one.pooled_bin": theirs["errors"].get()["loc_m2s_err"],
        "pixel_iou.bin": pixels.get()["n"]["binary"],
        "pixel_iou.pooled_bin": pixels.get()["pooled"]["binary"],
    }
    assert evaluator.n_samples > 60
    for name, value in expected.items():
        assert found[name].value == pytest.approx(float(np.ravel(value)[0]), rel=1e-12), name
    np.testing.assert_allclose(found.curves["hiou.pooled_curve"], curve.get()["hiou"], rtol=1e-12)
