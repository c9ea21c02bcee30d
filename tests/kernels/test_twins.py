"""Every kernel against its reference twin."""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastsegmetrics.kernels
from fastsegmetrics.kernels import curves, float_levels, levels, masks
from fastsegmetrics.kernels._jit import kernel as compiled, word_at
from fastsegmetrics.reference import (
    curves as curve_twins,
    float_levels as float_twins,
    levels as level_twins,
    masks as mask_twins,
)
from fastsegmetrics.scores import SWEEP_SCORES
from fastsegmetrics.scores.confusion import ScoreRule
from fastsegmetrics.statistics.rule import ALL_SCORES
from tests.strategies import eight_bit_pairs, float_pairs

RULES = (
    ScoreRule(False, 0.0, 0.3, False),
    ScoreRule(True, 1.0, 0.3, False),
    ScoreRule(True, math.nan, 1.0, True),
)


#: Every module of kernels; each public kernel in it has a twin of the same name and arguments.
MODULES = [
    module.name
    for module in pkgutil.iter_modules(fastsegmetrics.kernels.__path__)
    if not module.name.startswith("_")
]


@pytest.mark.parametrize("name", MODULES)
def test_every_kernel_has_a_twin(name) -> None:
    module = importlib.import_module(f"fastsegmetrics.kernels.{name}")
    twins = importlib.import_module(f"fastsegmetrics.reference.{name}")
    kernels = {
        key: value
        for key, value in vars(module).items()
        if not key.startswith("_")
        and callable(value)
        and getattr(value, "__module__", None) == module.__name__
        and not isinstance(value, type)
    }
    assert kernels
    for key, kernel in kernels.items():
        parameters = list(inspect.signature(getattr(kernel, "py_func", kernel)).parameters)
        assert list(inspect.signature(getattr(twins, key)).parameters) == parameters, key
        assert len(parameters) <= 8, key


def split(truth: np.ndarray) -> tuple[int, int]:
    return truth.shape[0] // 2, truth.shape[1] // 3


def table_arguments(pred: np.ndarray, truth: np.ndarray) -> tuple:
    flat, mask = pred.reshape(-1), truth.view(np.uint8).reshape(-1)
    return (flat, mask, pred.shape[1], *split(truth))


@given(eight_bit_pairs())
def test_mask_sums(pair) -> None:
    mask = pair[1].view(np.uint8)
    assert tuple(levels.mask_sums(mask)) == level_twins.mask_sums(mask)


@given(eight_bit_pairs())
def test_level_table(pair) -> None:
    arguments = table_arguments(*pair)
    table = levels.level_table(*arguments)
    np.testing.assert_array_equal(table, level_twins.level_table(*arguments))
    assert table.sum() == pair[0].size


def test_level_table_counts_runs_across_words_rows_and_quadrants() -> None:
    pred = np.zeros((7, 83), np.uint8)
    pred[:, 40:] = 200
    pred[3, 5:70] = 17
    truth = np.zeros((7, 83), bool)
    truth[2:5, 30:60] = True
    arguments = table_arguments(pred, truth)
    table = levels.level_table(*arguments)
    np.testing.assert_array_equal(table, level_twins.level_table(*arguments))
    assert table[:, :, 17].sum() == 65


@given(eight_bit_pairs())
def test_error_sums(pair) -> None:
    pred, mask = pair[0].reshape(-1), pair[1].view(np.uint8).reshape(-1)
    assert tuple(levels.error_sums(pred, mask)) == level_twins.error_sums(pred, mask)
    assert tuple(levels.level_range(pred)) == level_twins.level_range(pred)


def test_sums_of_more_than_one_piece() -> None:
    pred = np.full(70_001, 255, np.uint8)
    pred[-1] = 3
    none, everything = np.zeros(70_001, np.uint8), np.ones(70_001, np.uint8)
    assert tuple(levels.error_sums(pred, none)) == (70_000 * 255 + 3, 0, 3, 255)
    assert tuple(levels.error_sums(pred, everything)) == (252, 70_001, 3, 255)
    assert tuple(levels.error_sums(none, everything)) == (70_001 * 255, 70_001, 0, 0)
    assert tuple(levels.level_range(pred)) == (70_000 * 255 + 3, 3, 255)


@pytest.mark.parametrize("shape", [(254, 3), (255, 3), (256, 3), (511, 2), (2, 2047), (3, 4100)])
def test_mask_sums_of_more_ones_than_a_byte_holds(shape) -> None:
    mask = np.ones(shape, np.uint8)
    rows, columns = (n * (n - 1) // 2 for n in shape)
    expected = (mask.size, rows * shape[1], columns * shape[0])
    assert tuple(levels.mask_sums(mask)) == expected


def test_sums_of_memory_that_begins_anywhere() -> None:
    rng = np.random.default_rng(3)
    pred = rng.integers(0, 256, 1100, dtype=np.uint8)
    mask = (rng.random(1100) < 0.5).astype(np.uint8)
    for start, stop in ((3, 1100), (5, 1031), (1, 8), (7, 14), (2, 3)):
        pair = pred[start:stop], mask[start:stop]
        assert tuple(levels.error_sums(*pair)) == level_twins.error_sums(*pair)
        assert tuple(levels.level_range(pair[0])) == level_twins.level_range(pair[0])


@given(eight_bit_pairs(), st.booleans(), st.booleans())
def test_describe_table(pair, stretch, keep_at_zero) -> None:
    table = levels.level_table(*table_arguments(*pair))
    ours = levels.describe_table(table, stretch, keep_at_zero, 2.0**-44)
    twin = level_twins.describe_table(table, stretch, keep_at_zero, 2.0**-44)
    np.testing.assert_array_equal(ours[0], twin[0])
    if not ours[5]:
        np.testing.assert_array_equal(ours[1], twin[1])
    np.testing.assert_allclose(ours[2], twin[2], rtol=1e-12, atol=1e-15)
    assert ours[3] == pytest.approx(twin[3], rel=1e-13, abs=1e-13)
    assert ours[4:] == twin[4:]


@given(eight_bit_pairs())
def test_extremes(pair) -> None:
    flat = pair[0].reshape(-1)
    expected = level_twins.extremes(flat)
    assert tuple(levels.extremes(flat)) == expected == (flat.min(), flat.max())


@given(eight_bit_pairs(), st.sampled_from([0, 128, 254]), st.booleans())
def test_foreground(pair, threshold, summed) -> None:
    mask, sums, highest = masks.foreground(pair[0], threshold, summed)
    twin = mask_twins.foreground(pair[0], threshold, summed)
    np.testing.assert_array_equal(mask, pair[0] > threshold)
    np.testing.assert_array_equal(mask, twin[0])
    assert (mask.dtype, tuple(sums), highest) == (np.uint8, twin[1], twin[2])
    assert twin[1] == (level_twins.mask_sums(mask) if summed else (0, 0, 0))


@given(eight_bit_pairs())
def test_level_table_of_one_quadrant(pair) -> None:
    flat, mask, *_ = table_arguments(*pair)
    height, width = pair[0].shape
    table = levels.level_table(flat, mask, width, height, width)
    twin = level_twins.level_table(flat, mask, width, height, width)
    np.testing.assert_array_equal(table, twin)
    assert not table[1:].any()


def test_words_are_read_from_any_byte_on() -> None:
    values = np.arange(40, dtype=np.uint8)
    values.flags.writeable = False

    @compiled
    def word_from(values, start):
        return word_at(values, start)

    for begin, start in ((0, 0), (0, 7), (3, 2), (5, 27), (1, 31)):
        expected = int.from_bytes(bytes(range(begin + start, begin + start + 8)), sys.byteorder)
        assert int(word_from(values[begin:], start)) == expected
        assert int(word_at(values[begin:], start)) == expected


@given(float_pairs())
def test_absolute_error(pair) -> None:
    pred, mask = pair[0].reshape(-1), pair[1].view(np.uint8).reshape(-1)
    twin = float_twins.absolute_error(pred, mask)
    assert float_levels.absolute_error(pred, mask) == pytest.approx(twin, rel=1e-13, abs=1e-300)


@pytest.mark.parametrize("size", [4095, 4096, 4105, 120_001])
@pytest.mark.parametrize("value", [0.3, 0.999])
def test_absolute_error_of_constant_maps(size, value) -> None:
    """Every addition rounds to the same side: one sum over all 120,001 would miss by 2e-13."""
    pred, mask = np.full(size, value), np.zeros(size, np.uint8)
    assert float_levels.absolute_error(pred, mask) == pytest.approx(size * value, rel=5e-14, abs=0)


@given(float_pairs(), st.booleans(), st.sampled_from([0.0, 0.2, 1.0]))
def test_float_counts(pair, keep_at_zero, threshold) -> None:
    pred, mask = pair[0].reshape(-1), pair[1].view(np.uint8).reshape(-1)
    assert_float_counts_are_the_twins(pred, mask, threshold, keep_at_zero)


def assert_float_counts_are_the_twins(pred, mask, threshold, keep_at_zero) -> None:
    of_map = pred.dtype.type
    arguments = (pred, mask, of_map(255), of_map(threshold), keep_at_zero)
    ours = float_levels.float_counts(*arguments)
    for mine, twin in zip(ours, float_twins.float_counts(*arguments)):
        np.testing.assert_array_equal(mine, twin)


@pytest.mark.parametrize("size", [4095, 4096, 4103, 8197])
def test_float_counts_of_more_than_one_run(size) -> None:
    rng = np.random.default_rng(size)
    mask = (rng.random(size) < 0.3).astype(np.uint8)
    for dtype in (np.float32, np.float64):
        pred = rng.integers(0, 256, size).astype(dtype) / dtype(255)
        pred[::3] = np.nextafter(pred[::3], dtype(0))
        for threshold, keep_at_zero in ((0.0, False), (0.0, True), (0.4, True)):
            assert_float_counts_are_the_twins(pred, mask, threshold, keep_at_zero)


@given(float_pairs())
def test_float_moments(pair) -> None:
    arguments = (pair[0], pair[1].view(np.uint8), *split(pair[1]))
    ours, error = float_levels.float_moments(*arguments)
    twin, twin_error = float_twins.float_moments(*arguments)
    np.testing.assert_allclose(ours, twin, rtol=1e-12, atol=1e-14)
    assert error == pytest.approx(twin_error, rel=1e-13, abs=1e-300)


@pytest.mark.parametrize("shape", [(1, 1100), (131, 1), (67, 530), (65, 512)])
def test_float_moments_of_more_than_one_band(shape) -> None:
    rng = np.random.default_rng(7)
    mask = (rng.random(shape) < 0.3).astype(np.uint8)
    for dtype in (np.float32, np.float64):
        pred = rng.random(shape).astype(dtype)
        arguments = (pred, mask, shape[0] // 2, shape[1] // 3)
        ours, error = float_levels.float_moments(*arguments)
        twin, twin_error = float_twins.float_moments(*arguments)
        np.testing.assert_allclose(ours, twin, rtol=1e-13, atol=0)
        assert error == pytest.approx(twin_error, rel=1e-14)


def test_float_moments_of_a_constant_cell_are_exact() -> None:
    pred = np.full((31, 17), 0.1)
    mask = np.zeros((31, 17), np.uint8)
    mask[3:9, 4:11] = 1
    moments, _ = float_levels.float_moments(pred, mask, 6, 7)
    assert set(moments[moments[..., 0] > 0][:, 1]) == {0.1}
    assert not moments[..., 2].any()


@given(eight_bit_pairs(), st.sampled_from(RULES), st.integers(0, 13))
def test_sweep_scores(pair, rule, alone) -> None:
    table = levels.level_table(*table_arguments(*pair))
    counts, sides, *_ = levels.describe_table(table, True, not rule.strict, 2.0**-44)
    wanted = ALL_SCORES if alone == 13 else np.arange(13) == alone
    ours = curves.sweep_scores(counts, sides, rule, wanted)
    for mine, twin in zip(ours, curve_twins.sweep_scores(counts, sides, rule, wanted)):
        np.testing.assert_allclose(mine, twin, rtol=1e-12, atol=2e-15)
    for mine, one_of_all in zip(ours, curves.sweep_scores(counts, sides, rule, ALL_SCORES)):
        np.testing.assert_array_equal(mine[wanted], one_of_all[wanted])
        assert np.isnan(mine[~wanted]).all()


@given(eight_bit_pairs(), st.booleans())
def test_curve_areas(pair, strict) -> None:
    table = levels.level_table(*table_arguments(*pair))
    counts, sides, *_ = levels.describe_table(table, True, True, 2.0**-44)
    scored, _ = curves.sweep_scores(counts, sides, RULES[1] if strict else RULES[0], ALL_SCORES)
    np.testing.assert_allclose(
        curves.curve_areas(scored, strict),
        curve_twins.curve_areas(scored, strict),
        rtol=1e-12,
        atol=1e-15,
    )


@given(float_pairs())
def test_structure_scores(pair) -> None:
    pred, truth = pair
    if truth.any() and not truth.all():
        rows, columns = np.nonzero(truth)
        at = round(rows.mean()) + 1, round(columns.mean()) + 1
    else:
        at = truth.shape
    moments, _ = float_levels.float_moments(pred, truth.view(np.uint8), *at)
    arguments = (moments, *at, *truth.shape, 0.5)
    np.testing.assert_allclose(
        curves.structure_scores(*arguments),
        curve_twins.structure_scores(*arguments),
        rtol=1e-9,
        atol=1e-12,
    )


@given(st.lists(st.lists(st.floats(-1, 2), min_size=256, max_size=256), min_size=1, max_size=3))
def test_add_exactly(drawn) -> None:
    table = np.array(drawn)
    ours = np.zeros((len(table), 4, 256)), np.zeros(len(table), np.int64)
    twin = np.zeros((len(table), 4, 256)), np.zeros(len(table), np.int64)
    for _ in range(3):
        curves.add_exactly(table, *ours)
        curve_twins.add_exactly(table, *twin)
    np.testing.assert_array_equal(ours[0], twin[0])
    assert ours[1].tolist() == [3] * len(table)
    np.testing.assert_allclose(ours[0].sum(axis=1), 3 * table, rtol=1e-15, atol=1e-24)


def test_add_exactly_holds_extreme_kappas() -> None:
    """The published kappa of a full truth with one pixel missed is 1 - N."""
    table = np.full((1, 256), 1.0 - 2.0**20)
    table[0, ::2] = 1 / 3
    forth, back = np.zeros((1, 4, 256)), np.zeros((1, 4, 256))
    counts = np.zeros(1, np.int64)
    for scale in range(1, 200):
        curves.add_exactly(table / scale, forth, counts)
    for scale in range(199, 0, -1):
        curves.add_exactly(table / scale, back, counts)
    np.testing.assert_array_equal(forth, back)
    exact = math.fsum((1.0 - 2.0**20) / scale for scale in range(1, 200))
    assert math.fsum(forth[0, :, 1]) == exact


def test_add_exactly_leaves_out_a_curve_with_a_nan() -> None:
    table = np.ones((2, 256))
    table[1, 7] = math.nan
    sums, counts = np.zeros((2, 4, 256)), np.zeros(2, np.int64)
    curves.add_exactly(table, sums, counts)
    assert counts.tolist() == [1, 0]
    assert sums[0, 0].tolist() == [1.0] * 256
    assert not sums[1].any()


def test_rows_follow_the_list_of_scores() -> None:
    rule = ScoreRule(False, 0.0, 0.3, False)
    counts = np.zeros((2, 256), np.int64)
    counts[0, [0, 9]], counts[1, [3, 9]] = (7, 3), (5, 11)
    sides = np.array([[11, 3], [11, 3]])
    _, summaries = curves.sweep_scores(counts, sides, rule, ALL_SCORES)
    expected = curve_twins.partition_scores(11, 3, 5, 7, rule)
    assert summaries[:, 0].tolist() == pytest.approx([expected[name] for name in SWEEP_SCORES])
