"""Size-invariant statistics: values worked by hand, degenerate truths, policies, exact sums."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given

import fastsegmetrics as fsm
from fastsegmetrics import represent
from fastsegmetrics.backend import use_backend
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError
from fastsegmetrics.evaluate import Evaluator
from fastsegmetrics.kernels import curves
from fastsegmetrics.reference import metrics, size_invariant as reference
from fastsegmetrics.scores import SWEEP_SCORES
from fastsegmetrics.scores.confusion import ScoreRule
from fastsegmetrics.scores.size_invariant import balanced_error
from fastsegmetrics.statistics.rule import ALL_SCORES
from fastsegmetrics.statistics.size_invariant import (
    TargetCounts,
    separated_targets,
    size_invariant_statistics,
    target_scores,
)
from fastsegmetrics.statistics.sweep import pair_statistics
from fastsegmetrics.target import Target
from tests import scenes
from tests.strategies import eight_bit_pairs, float_pairs

PUBLISHED = ScoreRule(False, 0.0, 0.3, False)
STRICT = ScoreRule(True, 1.0, 0.3, False)
UNDEFINED = ScoreRule(True, math.nan, 0.3, True)
BIN, ADP, MEAN, MAX = range(4)


def row(name):
    return SWEEP_SCORES.index(name)


def statistics(pred, gt, **choices):
    conventions = Conventions(**choices)
    target = gt if isinstance(gt, Target) else Target(gt)
    canonical = represent.prediction(pred, conventions, target.shape)
    return size_invariant_statistics(canonical, target, conventions)


def by_hand():
    gt = np.zeros((12, 30), bool)
    gt[1:11, 2:7] = True
    gt[1:11, 15:25] = True
    gt[0, 29] = True
    pred = np.zeros(gt.shape)
    pred[1:11, 2:7] = 0.9
    pred[1:11, 15:20] = 0.3
    pred[11, 0:10] = 0.2
    return pred, gt


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_error_by_hand(dtype):
    pred, gt = by_hand()
    found = statistics(pred.astype(dtype), gt, stretch=False)
    near = {"rel": 1e-14 if dtype == np.float64 else 1e-6}
    # Boxes of 50 and 100 pixels with mean errors .1 and .85; 210 outside with 10 · .2 and the
    # speck of one pixel, which is no target.
    assert found.areas.tolist() == [50, 100]
    assert found.errors.tolist() == pytest.approx([5.0, 85.0], **near)
    assert (found.outside_error, found.n_outside) == (pytest.approx(3.0, **near), 210)
    assert found.mae == pytest.approx((3 / 150 + 0.95) / (2 + 1.4), **near)
    assert balanced_error(0.95, 2, 3.0, 210, 150) == pytest.approx(0.97 / 3.4, rel=1e-15)


def test_scores_by_hand():
    found = statistics(*by_hand(), stretch=False).counts
    scores = target_scores(found, PUBLISHED)
    iou = row("iou")
    first = np.select([np.arange(256) == 0, np.arange(256) <= 229], [50 / 360, 1.0], 0.0)
    second = np.select([np.arange(256) == 0, np.arange(256) <= 76], [100 / 360, 0.5], 0.0)
    np.testing.assert_allclose(scores.curves[iou], (first + second) / 2, rtol=1e-15)
    assert scores.summaries[iou].tolist() == pytest.approx(
        [0.5, 0.75, (first.mean() + second.mean()) / 2, 0.75], rel=1e-14
    )
    assert scores.summaries[row("precision"), BIN] == 0.5
    assert scores.summaries[row("accuracy"), BIN] == pytest.approx((1 + 260 / 360) / 2, rel=1e-15)
    np.testing.assert_allclose(scores.sums[iou].sum(axis=0), first + second, rtol=1e-15)
    assert scores.used.tolist() == [2] * 13
    pooled = found.pooled()
    assert pooled.levels.sum(axis=1).tolist() == [720 - 150, 150]
    assert pooled.sides.tolist() == [[50, 0], [100, 0]]
    _, summaries = curves.sweep_scores(*pooled, PUBLISHED, ALL_SCORES)
    assert summaries[iou, BIN] == pytest.approx(1 / 3, rel=1e-15)


def test_eight_bit_by_hand():
    gt = by_hand()[1]
    pred = np.zeros(gt.shape, np.uint8)
    pred[1:11, 2:7], pred[1:11, 15:20], pred[11, :10] = 250, 80, 60
    # Stretched by the whole map, of which the boxes are only a part.
    found = statistics(pred + np.uint8(5), gt)
    assert found.errors.tolist() == pytest.approx([0.0, 50 + 50 * (1 - 80 / 250)], rel=1e-15)
    assert found.outside_error == pytest.approx(1 + 10 * 60 / 250, rel=1e-15)
    assert found.counts.target(0).levels[:, 255].tolist() == [0, 50]
    assert found.counts.target(1).levels[:, 81].tolist() == [0, 50]  # ⌊255 · 80/250⌋
    # Without the stretch a local map is 0 outside its box, whatever the map is there.
    plain = statistics(pred + np.uint8(5), gt, stretch=False)
    assert plain.counts.target(0).levels[0].tolist() == [310] + [0] * 255
    assert plain.counts.target(1).levels[1, [5, 85]].tolist() == [50, 50]


def test_each_target_at_its_own_level_or_all_at_one():
    """Two boxes of 56 pixels and a hole of 4: of levels 100 and 60, of levels 250 and 200."""
    gt, pred = np.zeros((24, 20), bool), np.zeros((24, 20), np.uint8)
    for top, level, hole in ((1, 100, 60), (13, 250, 200)):
        gt[top : top + 10, 2:8], pred[top : top + 10, 2:8] = True, level
        gt[top + 3 : top + 5, 4:6], pred[top + 3 : top + 5, 4:6] = False, hole
    score = fsm.size_invariant(pred, gt, "iou", stretch=False)
    assert (score.max, score.curve.max()) == (1.0, pytest.approx((1 + 56 / 60) / 2, rel=1e-15))
    evaluator = fsm.Evaluator("si_iou", stretch=False)
    evaluator.update(pred, gt)
    found = evaluator.result()
    assert found["si_iou.mean_of_max"].value == score.max
    assert found["si_iou.max"].value == found["si_iou.targets_max"].value == score.curve.max()
    assert found["si_iou.max"].value == pytest.approx(29 / 30, rel=1e-15)


def test_overlapping_boxes_see_all_foreground_inside():
    gt = np.zeros((40, 40), bool)
    gt[5, 5:35] = gt[5:35, 5] = True  # an L whose box holds the square
    gt[15:25, 15:25] = True
    gt[30, 30] = True  # a speck in the L's box
    target = Target(gt)
    where = separated_targets(target)
    assert where.boxes.tolist() == [[5, 5, 35, 35], [15, 15, 25, 25]]
    assert where.n_outside == 1600 - 900
    assert separated_targets(target) is where
    counts = statistics(np.where(gt, 1.0, 0.0), target).counts
    assert [counts.target(k).n_foreground for k in range(2)] == [59 + 100 + 1, 100]
    assert [counts.target(k).n_pixels for k in range(2)] == [1600, 1600]
    assert target_scores(counts, PUBLISHED).summaries[row("f_beta"), BIN] == 1.0


@pytest.mark.parametrize(
    ("sides", "kept"),
    [
        ((7, 7), [49, 49]),
        ((7, 7, 8), [64]),
        ((7, 6), [49]),
        ((7, 8, 6), [64]),
        ((1, 1, 1), [1] * 3),
    ],
)
def test_targets_by_area(sides, kept):
    gt = np.zeros((10, 40), bool)
    for i, side in enumerate(sides):
        gt[1 : 1 + side, 1 + 10 * i : 1 + 10 * i + side] = True
    boxes = separated_targets(Target(gt)).boxes
    assert ((boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])).tolist() == kept


def test_boxes_that_cover_the_image():
    frame = np.ones((20, 30), bool)
    frame[1:-1, 1:-1] = False
    pred = np.full(frame.shape, 0.25)
    found = statistics(pred, frame)
    assert (found.n_outside, found.areas.tolist()) == (0, [600])
    assert found.mae == pytest.approx((96 * 0.75 + 504 * 0.25) / 600, rel=1e-14)


def plain(pred, gt, rule, **choices):
    conventions, target = Conventions(**choices), Target(gt)
    canonical = represent.prediction(pred, conventions, target.shape)
    pair = pair_statistics(canonical, target, conventions)
    return curves.sweep_scores(*pair.counts, rule, ALL_SCORES)


SHAPE = (8, 9)
EMPTY, FULL = np.zeros(SHAPE, bool), np.ones(SHAPE, bool)
BLOCK = EMPTY.copy()
BLOCK[2:5, 3:7] = True
RAMP = (np.arange(72) * 3).astype(np.uint8).reshape(SHAPE)
POLICIES = (
    (PUBLISHED, {"policy": "published"}),
    (STRICT, {"policy": "strict"}),
    (UNDEFINED, {"policy": "strict", "both_empty": "undefined"}),
)


@pytest.mark.parametrize(("rule", "choices"), POLICIES)
@pytest.mark.parametrize("gt", [EMPTY, FULL], ids=["gt_empty", "gt_full"])
@pytest.mark.parametrize("pred", [EMPTY, FULL, BLOCK, RAMP, RAMP / 255, (RAMP / 255).astype("f4")])
def test_truths_without_foreground_or_background_have_the_plain_scores(gt, pred, rule, choices):
    found = statistics(pred, gt, **choices)
    scores = target_scores(found.counts, rule)
    expected, summaries = plain(pred, gt, rule, **choices)
    defined = ~np.isnan(expected).any(axis=1)
    np.testing.assert_array_equal(scores.curves[defined], expected[defined])
    assert np.isnan(scores.curves[~defined]).all()
    np.testing.assert_array_equal(scores.summaries[:, [BIN, ADP, MAX]], summaries[:, [0, 1, 3]])
    np.testing.assert_allclose(scores.summaries[:, MEAN], summaries[:, 2], rtol=1e-14, atol=1e-15)
    assert scores.used.tolist() == defined.astype(int).tolist()
    p = represent.unit_values(represent.prediction(pred, Conventions(**choices), SHAPE))
    assert found.mae == pytest.approx(metrics.mae(p, gt), rel=1e-14, abs=1e-16)


def test_empty_cases_worked_by_hand():
    both_empty = {
        "f_beta": ([0, 0, 0, 0], [1, 1, 255 / 256, 1], [math.nan, math.nan, math.nan, math.nan]),
        "iou": ([0, 0, 0, 0], [1, 1, 255 / 256, 1], [math.nan, math.nan, math.nan, math.nan]),
        "recall": ([0, 0, 0, 0], [1, 1, 255 / 256, 1], [math.nan] * 4),
        # Published adaptive keeps all 72 pixels of an all-zero map.
        "specificity": ([1, 0, 255 / 256, 1], [1, 1, 255 / 256, 1], [1, 1, 255 / 256, 1]),
        "accuracy": ([1, 0, 255 / 256, 1], [1, 1, 255 / 256, 1], [1, 1, 255 / 256, 1]),
        "ber": ([0.5, 1, (0.5 * 255 + 1) / 256, 1], [0, 0, 1 / 256, 1], [0, 0, 1 / 256, 1]),
        "kappa": ([0, 0, 0, 0], [math.nan] * 4, [math.nan] * 4),
    }
    for i, (rule, choices) in enumerate(POLICIES):
        scores = target_scores(statistics(EMPTY, EMPTY, **choices).counts, rule)
        for name, expected in both_empty.items():
            found = scores.summaries[row(name)]
            if name == "kappa" and i > 0:
                # Nothing predicted of nothing is chance; at t = 0 it is not.
                assert math.isnan(found[BIN])
                continue
            np.testing.assert_allclose(found, expected[i], rtol=1e-14, atol=1e-16, err_msg=name)
    assert statistics(EMPTY, EMPTY).mae == 0.0
    assert statistics(FULL, EMPTY).mae == 1.0
    assert statistics(EMPTY, FULL).mae == 1.0
    assert statistics(FULL, FULL).mae == 0.0


def two_targets():
    gt = np.zeros((20, 40), bool)
    gt[5:15, 5:15] = gt[5:15, 25:35] = True
    return gt


def test_a_missed_target_is_kept_whole_by_the_published_adaptive_rule():
    gt = two_targets()
    found = np.where(np.arange(40) < 20, gt, 0.0)
    recall, precision = row("recall"), row("precision")
    published = target_scores(statistics(found, gt).counts, PUBLISHED).summaries
    assert published[[recall, precision], ADP].tolist() == [1.0, (1 + 100 / 800) / 2]
    strict = target_scores(statistics(found, gt, policy="strict").counts, STRICT).summaries
    assert strict[[recall, precision], ADP].tolist() == [0.5, 0.5]
    for scores in (published, strict):
        assert scores[[recall, precision], BIN].tolist() == [0.5, 0.5]


def test_an_empty_prediction():
    gt = two_targets()
    for rule, choices, adaptive in zip((PUBLISHED, STRICT), ({}, {"policy": "strict"}), (1.0, 0.0)):
        for nothing in (np.zeros(gt.shape), np.zeros(gt.shape, np.uint8)):
            found = statistics(nothing, gt, **choices)
            # Outside is right, both boxes are wrong: r = 3.
            assert found.mae == pytest.approx(2 / (2 + 3), rel=1e-15)
            scores = target_scores(found.counts, rule)
            assert scores.summaries[row("recall")].tolist() == [0.0, adaptive, 1 / 256, 1.0]


@pytest.mark.parametrize("gt", [True, False])
@pytest.mark.parametrize("p", [0, 128, 255])
def test_one_pixel(p, gt):
    found = statistics(np.array([[p]], np.uint8), np.array([[gt]]))
    assert found.mae == pytest.approx(abs(p / 255 - gt), abs=1e-15)
    assert target_scores(found.counts, PUBLISHED).summaries[row("accuracy"), BIN] == (
        1.0 if (p > 127.5) == gt else 0.0
    )


@given(eight_bit_pairs())
def test_any_eight_bit_map(pair):
    check_against_pixels(*pair)


@given(float_pairs())
def test_any_float_map(pair):
    check_against_pixels(*pair)


def check_against_pixels(pred, gt):
    target = Target(gt)
    for policy, rule in (("published", PUBLISHED), ("strict", UNDEFINED)):
        conventions = Conventions(policy=policy)
        canonical = represent.prediction(pred, conventions, target.shape)
        p = represent.unit_values(canonical)
        found = size_invariant_statistics(canonical, target, conventions)
        near = {"rel": 1e-12, "abs": 1e-14}
        assert found.mae == pytest.approx(reference.size_invariant_mae(p, gt), **near)
        if found.counts.n_targets > 3:
            continue
        values, counts = reference.size_invariant_scores(
            p, gt, keep_at_zero=policy == "published", **rule._asdict()
        )
        assert found.counts.n_targets == len(counts)
        for k, (levels, sides) in enumerate(counts):
            np.testing.assert_array_equal(found.counts.target(k).levels, levels)
            np.testing.assert_array_equal(found.counts.target(k).sides, sides)
        scores = target_scores(found.counts, rule)
        for name, report in itertools.product(
            SWEEP_SCORES, enumerate(("bin", "adp", "mean", "max_of_image"))
        ):
            value = scores.summaries[row(name), report[0]]
            expected = values[f"{name}.{report[1]}"]
            assert value == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize("name", ["two_blobs", "checker", "rows", "noise"])
def test_layouts_and_dtypes_give_the_same_statistics(name):
    scene = scenes.pair((48, 100), name, "noisy")
    expected = statistics(scene.pred, scene.gt)
    forms = (
        np.asfortranarray(scene.pred),
        np.repeat(scene.pred, 2, axis=1)[:, ::2],
        scene.pred[::-1, ::-1].copy()[::-1, ::-1],
        scene.pred.astype(">i4"),
    )
    for pred, gt in itertools.product(forms, (scene.gt, np.asfortranarray(scene.gt))):
        for found, wanted in zip(statistics(pred, gt).counts, expected.counts):
            np.testing.assert_array_equal(found, wanted)
        assert statistics(pred, gt).mae == expected.mae
    frozen = scene.pred.copy()
    frozen.flags.writeable = False
    assert statistics(frozen, scene.gt).mae == expected.mae
    turned = statistics(scene.pred.T, scene.gt.T)
    assert turned.mae == pytest.approx(expected.mae, rel=1e-14)
    for ours, theirs in zip(turned.counts.pooled(), expected.counts.pooled()):
        np.testing.assert_array_equal(ours, theirs)


def test_more_targets_than_bits():
    rows, columns = np.indices((90, 120))
    gt = (rows + columns) % 2 == 0
    pred = np.where(gt, 200, 10).astype(np.uint8)
    found = statistics(pred, gt, stretch=False)
    assert found.counts.n_targets == 5400
    assert found.mae == pytest.approx(
        (5400 * 10 / 255 / 5400 + 5400 * 55 / 255) / (5400 + 1), rel=1e-12
    )
    scores = target_scores(found.counts, PUBLISHED)
    assert scores.summaries[row("iou"), BIN] == 1.0
    assert scores.curves[row("iou"), [0, 1, 200, 201]].tolist() == [1 / 10800, 1.0, 1.0, 0.0]


def test_a_map_of_ones_is_refused():
    gt = two_targets()
    with pytest.raises(InputError, match="its maximum is the integer 1"):
        statistics(gt.astype(np.uint8), gt)
    assert statistics(gt.astype(np.uint8), gt, pred_scale=1).mae == 0.0


def image_counts():
    for scene in scenes.small_scenes()[200:320:7]:
        yield statistics(scene.pred, scene.gt, pred_scale=255).counts


def test_bytes_restore_every_count():
    for counts in image_counts():
        data = counts.to_bytes()
        restored = TargetCounts.from_bytes(data)
        for found, expected in zip(restored, counts):
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)
        for bad in (data[:-1], data + b"x", data[:9], b""):
            with pytest.raises(InputError, match="what to_bytes wrote"):
                TargetCounts.from_bytes(bad)


def test_counts_made_from_each_target():
    for counts in image_counts():
        made = TargetCounts.of([counts.target(k) for k in range(counts.n_targets)])
        for found, expected in zip(made, counts):
            assert found.dtype == expected.dtype
            assert found.flags.c_contiguous
            np.testing.assert_array_equal(found, expected)


def test_scores_by_the_reference():
    counts = statistics(*by_hand(), stretch=False).counts
    compiled = target_scores(counts, PUBLISHED)
    with use_backend("reference"):
        slow = target_scores(counts, PUBLISHED)
    for found, expected in zip(compiled, slow):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_sums_over_images_have_the_same_bits_in_any_order_and_grouping():
    each = [target_scores(counts, PUBLISHED) for counts in image_counts()]
    assert len(each) == 18
    total = sum(scores.sums for scores in each)
    backwards = sum(scores.sums for scores in reversed(each))
    halves = sum(s.sums for s in each[::2]) + sum(s.sums for s in each[1::2])
    np.testing.assert_array_equal(total, backwards)
    np.testing.assert_array_equal(total, halves)
    merged = [counts.target(k) for counts in image_counts() for k in range(counts.n_targets)]
    assert sum(scores.used for scores in each).tolist() == [len(merged)] * 13
    expected = np.mean(
        [curves.sweep_scores(*counts, PUBLISHED, ALL_SCORES)[0] for counts in merged], axis=0
    )
    np.testing.assert_allclose(total.sum(axis=1) / len(merged), expected, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("backend", ["compiled", "reference"])
def test_a_mean_over_targets_counts_the_images_whose_score_is_undefined(backend):
    """The specificity of a truth without background is 0/0 under strict, and in no mean."""
    one, other = (Evaluator("si_specificity", policy="strict", backend=backend) for _ in range(2))
    pred, gt = by_hand()
    one.update(pred, gt, sample_id="a")
    other.update(pred, gt | True, sample_id="b")
    alone = one.result()["si_specificity.targets_mean"]
    one.merge(other)
    for report in ("mean", "max"):
        found = one.result()[f"si_specificity.targets_{report}"]
        assert (found.n_expected, found.n_used, found.n_undefined) == (2, 1, 1)
    assert one.result()["si_specificity.targets_mean"].value == alone.value
    assert one.result().curve_counts["si_specificity.targets_curve"] == 1
