"""Target scores: worked by hand, straight from pixels, degenerate, pooled, and never stretched."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from target_scenes import degenerate, scene

import fastsegmetrics as fsm
from fastsegmetrics import catalog, represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.reference import targets as reference
from fastsegmetrics.statistics import targets
from fastsegmetrics.target import Target

BACKENDS = pytest.mark.parametrize("backend", ["compiled", "reference"])
EVERY = tuple(f"{name}.bin" for name in catalog.targets.SCORES)


def worked() -> tuple[np.ndarray, np.ndarray]:
    """Return three truths and three predictions on 8 × 12 pixels.

    A 2 × 2 pair one column apart (IoU 2/6, distance 1), a 2 × 2 truth predicted as 3 × 2 (IoU 4/6,
    distance 0.5), a lone true pixel (6, 5) and a lone predicted one (6, 0), 5 pixels apart.
    """
    truth = np.zeros((8, 12), bool)
    truth[1:3, 1:3] = truth[1:3, 8:10] = truth[6, 5] = True
    pred = np.zeros((8, 12))
    pred[1:3, 2:4] = 0.9
    pred[1:4, 8:10] = 0.8
    pred[6, 0] = 0.7
    return pred, truth


@BACKENDS
def test_a_scene_worked_by_hand(backend) -> None:
    pred, truth = worked()
    found = fsm.hiou(pred, truth, backend=backend)
    assert found == pytest.approx(0.25, rel=1e-12)
    assert found.segmentation == pytest.approx((2 / 6 + 4 / 6) / 2, rel=1e-12)
    assert found.localisation == 2 / 4
    assert found.pair_errors == pytest.approx((0, (2 + 2) / 6 / 2, (2 + 0) / 6 / 2), rel=1e-12)
    assert found.target_errors == (0, 0, 1 / 4, 1 / 4)
    assert fsm.detection(pred, truth, backend=backend) == (2 / 3, 1 / 96)
    assert fsm.detection(pred, truth, "opdc", backend=backend) == (2 / 3, 1 / 96)
    # The lone predicted pixel is 4 rows below a target: no false alarm.
    assert fsm.detection(pred, truth, "shooting", backend=backend) == (2 / 3, 0)
    assert fsm.target_precision(pred, truth, backend=backend) == 2 / 3
    assert fsm.target_recall(pred, truth, backend=backend) == 2 / 3
    assert fsm.target_f1(pred, truth, backend=backend) == pytest.approx(2 / 3, rel=1e-12)


@BACKENDS
def test_merged_and_fragmented_targets(backend) -> None:
    truth = np.zeros((3, 9), bool)
    truth[1, 1:3] = truth[1, 4:6] = True
    pred = np.zeros((3, 9))
    pred[1, 1:6] = 1
    # Both are 1.5 from the one prediction; the first one gets it, the other has a candidate.
    merged = fsm.hiou(pred, truth, backend=backend)
    assert (merged.segmentation, merged.localisation) == (2 / 5, 1 / 2)
    assert merged.pair_errors == (2 / 5, 1 / 5, 0)
    assert merged.target_errors == (0, 1 / 2, 0, 0)
    fragments = fsm.hiou(truth * 1.0, pred == 1, backend=backend)
    assert fragments.pair_errors == (0, 0, 3 / 5)
    assert fragments.target_errors == (1 / 2, 0, 0, 0)


@BACKENDS
def test_distance_only_takes_the_first_and_opdc_the_shortest(backend) -> None:
    truth, pred = np.zeros((5, 7), bool), np.zeros((5, 7))
    truth[0, 2] = truth[3, 4] = True
    pred[1, 3] = pred[2, 1] = 1
    # The first truth takes the first prediction (1.4 away) and leaves the second one 3.2 to go;
    # crossed over, both are 2.2.
    assert fsm.detection(pred, truth, backend=backend) == (1 / 2, 1 / 35)
    assert fsm.detection(pred, truth, "opdc", backend=backend) == (1, 0)


@BACKENDS
def test_three_pixels_are_not_nearer_than_three(backend) -> None:
    truth, pred = np.zeros((5, 7), bool), np.zeros((5, 7))
    truth[2, 1], pred[2, 4] = True, 1
    for matching in ("distance", "opdc"):
        assert fsm.detection(pred, truth, matching, backend=backend) == (0, 1 / 35)
    pred[1, 4] = 1
    # A centroid half a row up is farther, one half a column nearer.
    assert fsm.detection(pred, truth, backend=backend).pd == 0
    pred[1, 4], pred[2, 3] = 0, 1
    assert fsm.detection(pred, truth, backend=backend).pd == 1


@BACKENDS
def test_shots_at_their_limits(backend) -> None:
    truth = np.zeros((12, 13), bool)
    truth[0, 0] = True
    for (row, column), expected in {
        (1, 1): (1, 0), (0, 2): (0, 0), (2, 0): (0, 0), (4, 4): (0, 0),
        (0, 5): (0, 1 / 156), (5, 0): (0, 1 / 156), (11, 12): (0, 1 / 156),
    }.items():  # fmt: skip
        pred = np.zeros((12, 13))
        pred[row, column] = 0.6
        assert fsm.detection(pred, truth, "shooting", backend=backend) == expected


def test_ties_are_decided_as_scipy_decides_them() -> None:
    truth, pred = np.zeros((9, 9), bool), np.zeros((9, 9))
    truth[2, 8] = truth[4, 8] = True
    pred[6, 8] = pred[8, 8] = 1
    assert fsm.detection(pred, truth, "opdc").pd == 0
    assert fsm.detection(truth * 1.0, pred == 1, "opdc").pd == 0.5


@pytest.mark.parametrize("seed", range(24))
def test_against_the_definition(seed) -> None:
    pred, truth = scene(seed)
    pred, truth = pred[:30, :25], truth[:30, :25]
    bins = targets.thresholds_of(5)
    target = Target(truth)
    given = represent.prediction(pred, Conventions(stretch=False), target.shape)
    fixed = targets.fixed_statistics(given, target, Conventions())
    counts, shares = targets.level_statistics(given, target, Conventions(), bins)
    expected = targets.TargetTally(*reference.target_tally(pred, truth, (0.5, *bins)))
    np.testing.assert_array_equal(np.concatenate((fixed.counts, counts)), expected.counts)
    np.testing.assert_allclose(np.concatenate((fixed.shares, shares)), expected.shares, rtol=1e-12)
    np.testing.assert_array_equal(fixed.pixels, expected.pixels)
    np.testing.assert_array_equal(fixed.survival, expected.survival)


@BACKENDS
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
@pytest.mark.parametrize("bins", [1, 17, 51, 85])
def test_levels_on_thresholds(backend, dtype, bins) -> None:
    """i·(1/n) as linspace rounds it lies on either side of v/255, for floats in their precision."""
    levels = np.arange(256, dtype=np.uint8).reshape(4, 64)
    pred = levels if dtype is np.uint8 else (levels / 255.0).astype(dtype)
    values = pred if dtype is not np.uint8 else levels / 255.0
    truth = np.zeros((4, 64), bool)
    truth[1, 5:9] = True
    evaluator = fsm.Evaluator("fa_shooting.pooled_curve", bins=bins, backend=backend)
    evaluator.update(pred, truth)
    far = np.ones((4, 64), bool)
    far[:, 1:13] = False
    thresholds = np.linspace(0, 1, bins, endpoint=False).astype(values.dtype)
    expected = [((values > t) & far).sum() / 256 for t in thresholds]
    found = evaluator.result().curves["fa_shooting.pooled_curve"]
    np.testing.assert_array_equal(found, expected)


def test_survival_of_pairs() -> None:
    evaluator = fsm.Evaluator("hiou")
    evaluator.update(*worked())
    result = evaluator.result()
    curve = result.curves["hiou.survival_curve"]
    # IoUs 1/3 and 2/3 of four: 85/256 < 1/3 < 86/256, 170/256 < 2/3 < 171/256.
    np.testing.assert_array_equal(curve, [0.5] * 86 + [0.25] * 85 + [0.0] * 85)
    assert 0 <= curve.mean() - result["hiou.pooled_bin"].value < 1 / 256
    # An IoU on a level does not survive it.
    on_level = targets.survival_of(np.array([[4, 2, 0, 0, 2], [3, 3, 0, 0, 0], [9, 0, 0, 5, 4]]))
    np.testing.assert_array_equal(on_level, [2] * 128 + [1] * 128)


EMPTY = {
    "both empty": ("hiou hiou_seg hiou_loc pd pd_opdc pd_shooting target_precision target_f1 "
                   "hiou_seg_merge hiou_seg_interference hiou_loc_perception", math.nan),
    "truth empty": ("hiou hiou_seg hiou_loc pd pd_opdc pd_shooting target_precision target_f1 "
                    "hiou_loc_perception", 0.0),
    "prediction empty": ("hiou hiou_seg hiou_loc pd pd_opdc pd_shooting target_precision "
                         "target_f1 hiou_loc_interference fa fa_opdc fa_shooting", 0.0),
}  # fmt: skip


@BACKENDS
@pytest.mark.parametrize("policy", ["published", "strict"])
@pytest.mark.parametrize("kind", EMPTY)
def test_targets_of_empty_sides(kind, policy, backend) -> None:
    pred, truth = degenerate()[kind]
    names, expected = EMPTY[kind]
    values = fsm.measure(pred, truth, EVERY, policy=policy, backend=backend)
    for name in names.split():
        assert values[f"{name}.bin"] == pytest.approx(expected, nan_ok=True), name
    if kind == "both empty":
        assert values["fa.bin"] == values["fa_shooting.bin"] == 0
    else:
        no_pair = math.nan if policy == "strict" else 0.0
        assert values["hiou_seg_merge.bin"] == pytest.approx(no_pair, nan_ok=True)
    if kind == "truth empty":
        assert values["hiou_loc_interference.bin"] == 1
        assert values["fa.bin"] == values["fa_opdc.bin"] == values["fa_shooting.bin"] == 6 / 54
    if kind == "prediction empty":
        assert values["hiou_loc_perception.bin"] == 1


@BACKENDS
def test_targets_of_full_and_of_tiny_images(backend) -> None:
    for kind in ("both full", "perfect", "one pixel each"):
        assert fsm.hiou(*degenerate()[kind], backend=backend) == 1, kind
    pred, truth = degenerate()["truth full"]
    whole = fsm.hiou(pred, truth, backend=backend)
    # 6 of 54 pixels: too little overlap; the centroids are (2.5, 6) and (2.5, 4), 2 apart.
    assert (whole, whole.localisation) == (6 / 54, 1)
    assert fsm.hiou(np.array([[0.7]]), np.array([[True]]), backend=backend) == 1
    assert math.isnan(fsm.hiou(np.array([[0.2]]), np.array([[False]]), backend=backend))
    # No phantom: the compat class matches one here.
    assert fsm.hiou(np.array([[0.2, 0.1]]), np.array([[True, False]]), backend=backend) == 0
    assert fsm.hiou(np.array([[0.9], [0.1]]), np.array([[True], [False]]), backend=backend) == 1


@BACKENDS
def test_pooled_counts_and_undefined_images(backend) -> None:
    pred, truth = worked()
    blank = np.zeros_like(pred)
    evaluator = fsm.Evaluator("hiou,pd,fa.pooled_bin,pixel_iou", backend=backend)
    for pair in ((pred, truth), (blank, truth), (blank, truth & False), (pred, truth & False)):
        evaluator.update(*pair)
    result = evaluator.result()
    # 2 pairs, 1 + 3 spurious, 1 + 3 missed: 1/2 · 2/10.
    assert result["hiou.pooled_bin"].value == pytest.approx(0.1, rel=1e-12)
    assert result["pd.pooled_bin"].value == 2 / 6
    assert result["fa.pooled_bin"].value == (1 + 11) / (4 * 96)
    per_image = result["hiou.bin"]
    assert per_image.value == pytest.approx(0.25 / 3, rel=1e-12)
    assert (per_image.n_used, per_image.n_undefined) == (3, 1)
    assert result["hiou.pooled_bin"].n_used == 4
    # 6 pixels of both, 5 + 11 predicted alone, 3 + 9 true alone.
    assert result["pixel_iou.pooled_bin"].value == 6 / (6 + 16 + 12)
    assert result["pixel_iou.bin"].value == pytest.approx(6 / 14 / 4, rel=1e-12)


def test_a_data_set_without_targets_is_undefined() -> None:
    evaluator = fsm.Evaluator("hiou,fa")
    evaluator.update(np.zeros((3, 4)), np.zeros((3, 4), bool))
    result = evaluator.result()
    for name in ("hiou.pooled_bin", "hiou.pooled_mean", "hiou.pooled_max", "hiou.bin"):
        assert math.isnan(result[name].value)
        assert result[name].n_undefined == 1
    assert result["fa.pooled_mean"].value == 0
    assert np.isnan(result.curves["hiou.survival_curve"]).all()
    assert math.isnan(fsm.Evaluator("hiou.pooled_bin").result()["hiou.pooled_bin"].value)


@BACKENDS
def test_targets_are_never_stretched(backend) -> None:
    """The other scores of the same plan are, and each score's path says which it is."""
    truth = np.zeros((9, 14), bool)
    truth[2:4, 3:6] = True
    faint = np.where(truth, 60, 0).astype(np.uint8)
    names = "hiou.bin,iou.bin,pixel_iou.bin"
    for pred in (faint, faint / 255.0, (faint / 255.0).astype(np.float32)):
        values = fsm.measure(pred, truth, names, backend=backend)
        assert values == {"hiou.bin": 0, "iou.bin": 1, "pixel_iou.bin": 0}
        values = fsm.measure(pred, truth, names, backend=backend, stretch=False)
        assert values == {"hiou.bin": 0, "iou.bin": 0, "pixel_iou.bin": 0}
    for row in catalog.METRICS.values():
        said = "never stretched" in row.path.representation
        assert said is not row.score.stretched


def test_bins() -> None:
    pred, truth = worked()
    for bins in (1, 2, 10, 33):
        evaluator = fsm.Evaluator("hiou.pooled_curve,hiou.pooled_mean,hiou.pooled_max", bins=bins)
        evaluator.update(pred, truth)
        result = evaluator.result()
        curve = result.curves["hiou.pooled_curve"]
        expected = []
        for threshold in np.linspace(0, 1, bins, endpoint=False):
            expected.append(float(fsm.hiou((pred > threshold) * 1.0, truth)))
        np.testing.assert_allclose(curve, expected, rtol=1e-12)
        assert result["hiou.pooled_mean"].value == pytest.approx(np.mean(expected), rel=1e-12)
        assert result["hiou.pooled_max"].value == pytest.approx(max(expected), rel=1e-12)
    for bins in (0, 2.5, True, "ten"):
        with pytest.raises(fsm.InputError, match="bins must be an integer of at least 1"):
            Conventions(bins=bins)


def test_masks_of_ones_and_unknown_names_are_refused() -> None:
    ones, truth = np.eye(4, 5).astype(np.uint8), np.eye(4, 5) > 0
    for metrics in ("hiou.bin", "hiou.pooled_curve", "pixel_iou.bin"):
        with pytest.raises(fsm.InputError, match="maximum is the integer 1"):
            fsm.Evaluator(metrics).update(ones, truth)
    assert fsm.hiou(ones, truth, pred_scale=1) == 1
    with pytest.raises(fsm.InputError, match="matching must be one of 'distance', 'opdc'"):
        fsm.detection(ones > 0, truth, "nearest")
    given = represent.prediction(ones > 0, Conventions(), (4, 5))
    with pytest.raises(fsm.InputError, match="rules must be of opdc, distance, shooting"):
        targets.fixed_statistics(given, Target(truth), Conventions(), ("hungarian",))


def test_results_survive_pickling_and_the_suite_resolves() -> None:
    found = fsm.hiou(*worked())
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.pair_errors == found.pair_errors
    assert again.target_errors == found.target_errors
    names = [metric.name for metric in catalog.resolve("irstd")]
    assert {"hiou.pooled_bin", "pd.pooled_bin", "fa.pooled_bin", "pixel_iou.bin"} <= set(names)
    assert [m.name for m in catalog.resolve("niou,target_recall.bin")] == [
        "pixel_iou.bin", "pd_opdc.bin",
    ]  # fmt: skip


@BACKENDS
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_maps_in_any_form_are_read_alike(backend, dtype) -> None:
    """The one pass that checks and thresholds floats is for those that lie as they should."""
    pred, truth = scene(3)
    pred = np.round(pred, 2).astype(dtype)
    expected = fsm.hiou(pred.astype(np.float64), truth, backend=backend)
    minus = np.where(pred == 0, dtype(-0.0), pred)
    assert np.signbit(minus).any()
    forms = pred, minus, np.asfortranarray(pred), np.repeat(pred, 2, axis=1)[:, ::2], pred.tolist()
    for form in (*forms, pred.astype(pred.dtype.newbyteorder())):
        assert fsm.hiou(form, truth, backend=backend) == expected
    clipped = np.where(pred > 0.9, dtype(1.5), pred)
    assert fsm.hiou(clipped, truth, clip=True, backend=backend) == expected


@BACKENDS
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.nan, "pred must be finite; 1 value.s. break this, the first nan at .2, 1."),
        (np.inf, "pred must be finite"),
        (-0.25, r"pred must lie in \[0, 1\] .*the first -0.25 at .2, 1."),
        (1.25, r"pred must lie in \[0, 1\] .*the first 1.25 at .2, 1."),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_off_the_scale_are_refused(backend, dtype, value, message) -> None:
    pred, truth = np.zeros((4, 5), dtype), np.zeros((4, 5), bool)
    pred[2, 1] = value
    for score in (fsm.hiou, fsm.detection):
        with pytest.raises(fsm.InputError, match=message):
            score(pred, truth, backend=backend)
