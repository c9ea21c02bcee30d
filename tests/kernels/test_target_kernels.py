"""Kernels of the size-invariant scores against their twins."""

import inspect
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fastsegmetrics.kernels import size_invariant as kernels, target_sweep as sweep_kernels
from fastsegmetrics.reference import size_invariant as twins, target_sweep as sweep_twins
from fastsegmetrics.scores.confusion import ScoreRule
from fastsegmetrics.statistics.rule import ALL_SCORES
from tests.strategies import eight_bit_pairs, float_pairs

TWINS = {
    kernels: twins,
    sweep_kernels: sweep_twins,
}
RULES = (
    ScoreRule(False, 0.0, 0.3, False),
    ScoreRule(True, 1.0, 0.3, False),
    ScoreRule(True, math.nan, 1.0, True),
)


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
def test_every_public_kernel_has_its_twin(module):
    names = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]
    assert len(names) >= 1
    for name in names:
        kernel = getattr(module, name)
        parameters = inspect.signature(getattr(kernel, "py_func", kernel)).parameters
        assert list(inspect.signature(getattr(TWINS[module], name)).parameters) == list(parameters)
        assert len(parameters) <= 8


def boxes_in(shape, seed, count):
    rng = np.random.default_rng(seed)
    ends = [np.sort(rng.integers(0, side + 1, (count, 2)), axis=1) for side in shape]
    for end, side in zip(ends, shape):
        end[:, 0] = np.minimum(end[:, 0], side - 1)
        end[:, 1] = np.maximum(end[:, 1], end[:, 0] + 1)
    (tops, bottoms), (lefts, rights) = ends[0].T, ends[1].T
    return np.column_stack((tops, lefts, bottoms, rights)).astype(np.int64)


seeds = st.integers(0, 2**32 - 1)
numbers_of_boxes = st.integers(1, 5)


def flat(pred, truth):
    p, g = pred.reshape(-1), truth.view(np.uint8).reshape(-1)
    return p, g, pred.shape[1]


@given(eight_bit_pairs(), seeds, numbers_of_boxes)
def test_rectangles_outside(pair, seed, count):
    shape = pair[0].shape
    boxes = boxes_in(shape, seed, count)
    found = kernels.rectangles_outside(boxes, *shape)
    covered = np.zeros(shape, int)
    for top, left, bottom, right in [*boxes, *found]:
        covered[top:bottom, left:right] += 1
    assert (covered > 0).all()
    for top, left, bottom, right in found:
        assert (covered[top:bottom, left:right] == 1).all()
    np.testing.assert_array_equal(found, twins.rectangles_outside(boxes, *shape))


def test_rectangles_around_one_box_and_around_a_thousand():
    found = kernels.rectangles_outside(np.array([[2, 3, 5, 7]]), 6, 9)
    assert found.tolist() == [[0, 0, 2, 9], [2, 0, 5, 3], [2, 7, 5, 9], [5, 0, 6, 9]]
    whole = np.array([[0, 0, 6, 9]])
    assert kernels.rectangles_outside(whole, 6, 9).shape == (0, 4)
    rows, columns = np.divmod(np.arange(1000), 40)
    dots = np.column_stack((rows * 2, columns * 2, rows * 2 + 1, columns * 2 + 1))
    found = kernels.rectangles_outside(dots, 50, 80)
    assert ((found[:, 2] - found[:, 0]) * (found[:, 3] - found[:, 1])).sum() == 50 * 80 - 1000
    assert len(found) == 25 * (40 + 1)


def compare(found, expected):
    for ours, twin in zip(found, expected, strict=True):
        assert ours.dtype == twin.dtype
        np.testing.assert_array_equal(ours, twin)


@given(eight_bit_pairs(), seeds, numbers_of_boxes)
def test_box_levels_and_rectangles_table(pair, seed, count):
    boxes = boxes_in(pair[0].shape, seed, count)
    arguments = flat(*pair)
    compare(kernels.box_levels(*arguments, boxes), twins.box_levels(*arguments, boxes))
    outside = kernels.rectangles_outside(boxes, *pair[0].shape)
    np.testing.assert_array_equal(
        kernels.rectangles_table(*arguments, outside), twins.rectangles_table(*arguments, outside)
    )


def test_boxes_large_enough_to_be_counted_by_words():
    rng = np.random.default_rng(1)
    pred = rng.integers(0, 256, (60, 83)).astype(np.uint8)
    pred[20:40, 10:70] = 200
    truth = rng.random(pred.shape) < 0.4
    truth[22:35] = True
    boxes = np.array(
        [[0, 0, 60, 83], [3, 0, 50, 83], [1, 5, 59, 80], [21, 9, 44, 75], [7, 7, 8, 9]]
    )
    arguments = flat(pred, truth)
    compare(kernels.box_levels(*arguments, boxes), twins.box_levels(*arguments, boxes))
    starts, levels, counts = kernels.box_levels(*arguments, boxes)
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    assert [counts[a:b].sum() for a, b in itertools.pairwise(starts)] == areas.tolist()
    assert counts[levels == 200].sum(axis=1)[0] >= 20 * 60


def compare_parts(found, expected):
    starts, levels, counts, sides, errors, near = found
    compare((starts, levels, counts), expected[:3])
    np.testing.assert_array_equal(sides[:, 0], expected[3][:, 0])
    sure = ~near
    np.testing.assert_array_equal(sides[sure, 1], expected[3][sure, 1])
    np.testing.assert_allclose(errors, expected[4], rtol=1e-12, atol=1e-13)


@given(eight_bit_pairs(), seeds, numbers_of_boxes, st.booleans(), st.booleans())
def test_describe_boxes(pair, seed, count, stretch, keep_at_zero):
    pred, _ = pair
    boxes = boxes_in(pred.shape, seed, count)
    raw = kernels.box_levels(*flat(*pair), boxes)
    low, high = int(pred.min()), int(pred.max())
    span = (low, high) if stretch and low < high else (0, 255)
    arguments = (*raw, span, pred.size, keep_at_zero, 2.0**-40)
    found = kernels.describe_boxes(*arguments)
    compare_parts(found, twins.describe_boxes(*arguments))
    np.testing.assert_array_equal(
        np.add.reduceat(found[2].sum(axis=1), found[0][:-1]), np.full(count, pred.size)
    )


@given(float_pairs(), seeds, numbers_of_boxes, st.booleans())
def test_float_boxes_and_rectangles_error(pair, seed, count, keep_at_zero):
    pred, truth = pair[0], pair[1].view(np.uint8)
    boxes = boxes_in(pred.shape, seed, count)
    tolerance = 2.0**-38 if pred.dtype == np.float64 else 2.0**-17
    arguments = (pred, truth, boxes, pred.dtype.type(255), keep_at_zero, tolerance)
    found = kernels.float_boxes(*arguments)
    compare_parts(found, twins.float_boxes(*arguments))
    np.testing.assert_array_equal(
        np.add.reduceat(found[2].sum(axis=1), found[0][:-1]), np.full(count, pred.size)
    )
    outside = kernels.rectangles_outside(boxes, *pred.shape)
    assert kernels.rectangles_error(pred, truth, outside) == pytest.approx(
        twins.rectangles_error(pred, truth, outside), rel=1e-12, abs=1e-13
    )


def test_a_value_at_the_adaptive_threshold_is_told():
    # One 255 and twenty-one 17 of 72 pixels: 2 * mean is exactly 17/255.
    pred = np.zeros((8, 9), np.uint8)
    pred.reshape(-1)[5] = 255
    pred.reshape(-1)[10:31] = 17
    truth = np.zeros((8, 9), np.uint8)
    boxes = np.array([[0, 0, 8, 9], [0, 0, 1, 9]])
    raw = kernels.box_levels(*flat(pred, truth), boxes)
    near = kernels.describe_boxes(*raw, (0, 255), 72, True, 2.0**-40)[5]
    assert near.tolist() == [True, False]
    near = kernels.float_boxes(pred / 255, truth, boxes, 255.0, True, 2.0**-38)[5]
    assert near.tolist() == [True, False]
    nothing = kernels.float_boxes(np.zeros((8, 9)), truth, boxes, 255.0, True, 2.0**-38)
    assert nothing[5].tolist() == [False, False]
    assert nothing[3][:, 1].tolist() == [[0, 72], [0, 72]]


@given(eight_bit_pairs(), seeds, numbers_of_boxes, st.sampled_from(RULES), st.integers(0, 13))
def test_target_scores(pair, seed, count, rule, alone):
    pred = pair[0]
    wanted = ALL_SCORES if alone == 13 else np.arange(13) == alone
    boxes = boxes_in(pred.shape, seed, count)
    raw = kernels.box_levels(*flat(*pair), boxes)
    span = (int(pred.min()), int(pred.max())) if pred.min() < pred.max() else (0, 255)
    parts = kernels.describe_boxes(*raw, span, pred.size, not rule.strict, 2.0**-40)
    means, sums, used = sweep_kernels.target_scores(*parts[:4], rule, wanted)
    twin_means, twin_sums, twin_used = sweep_twins.target_scores(*parts[:4], rule, wanted)
    np.testing.assert_allclose(means, twin_means, rtol=1e-12, atol=2e-15)
    np.testing.assert_array_equal(used, twin_used)
    np.testing.assert_allclose(sums.sum(axis=1), twin_sums.sum(axis=1), rtol=1e-12, atol=1e-14)
    every = sweep_kernels.target_scores(*parts[:4], rule, ALL_SCORES)
    for found, of_all in zip((means, sums, used), every):
        np.testing.assert_array_equal(found[wanted], of_all[wanted])


@given(eight_bit_pairs(), seeds, numbers_of_boxes)
def test_span_and_error_of_what_is_outside(pair, seed, count):
    boxes = boxes_in(pair[0].shape, seed, count)
    _, raw, _ = kernels.box_levels(*flat(*pair), boxes)
    table = kernels.rectangles_table(*flat(*pair), boxes[:1])
    if raw.size or table.any():
        low, high = (int(level) for level in kernels.span(raw, table))
        assert (low, high) == twins.span(raw, table)
        found = kernels.error_of_table(table, low, high)
        assert found == twins.error_of_table(table, low, high)


def test_sums_have_the_bits_that_adding_each_curve_gives():
    from fastsegmetrics.kernels import curves

    rng = np.random.default_rng(5)
    pred = rng.integers(0, 256, (40, 50)).astype(np.uint8)
    truth = rng.random(pred.shape) < 0.3
    boxes = boxes_in(pred.shape, 8, 30)
    raw = kernels.box_levels(*flat(pred, truth), boxes)
    starts, levels, counts, sides, *_ = kernels.describe_boxes(
        *raw, (0, 255), pred.size, True, 2.0**-40
    )
    _, found, used = sweep_kernels.target_scores(
        starts, levels, counts, sides, RULES[0], ALL_SCORES
    )
    sums, n = np.zeros((13, 4, 256)), np.zeros(13, np.int64)
    for k in range(len(boxes)):
        table = np.zeros((2, 256), np.int64)
        table[:, levels[starts[k] : starts[k + 1]]] = counts[starts[k] : starts[k + 1]].T
        scored, _ = curves.sweep_scores(table, sides[k], RULES[0], ALL_SCORES)
        curves.add_exactly(scored, sums, n)
    np.testing.assert_array_equal(found, sums)
    assert used.tolist() == n.tolist() == [30] * 13
