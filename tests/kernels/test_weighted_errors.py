"""The weighted error sums against their twin and against SciPy's convolution."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import ndimage

from fastsegmetrics.kernels import capped_distance, weighted
from fastsegmetrics.reference import weighted as twins
from fastsegmetrics.statistics.weighted import distance_weights
from tests.strategies import eight_bit_pairs, float_pairs

UNIT = (0.0, 1.0)
LEVELS = (np.uint8(0), np.uint8(255))


def arguments(pred, truth, ends) -> tuple:
    mask = np.ascontiguousarray(truth).view(np.uint8)
    return pred, *ends, mask, *capped_distance.capped_squares(mask), distance_weights()


def check(pred, truth, ends=UNIT) -> None:
    given_ = arguments(pred, truth, ends)
    ours = weighted.weighted_errors(*given_)
    np.testing.assert_allclose(ours, twins.weighted_errors(*given_), rtol=1e-13, atol=1e-13)
    if truth.any():
        low, high = map(float, ends)
        p = (pred - low) / (high - low)
        np.testing.assert_allclose(ours, by_scipy(p, truth), rtol=1e-13, atol=1e-13)


def by_scipy(p, truth) -> tuple[float, float]:
    error = np.abs(p - truth)
    far, at = ndimage.distance_transform_edt(~truth, return_indices=True)
    steps = np.arange(-3, 4)
    window = np.exp(-(steps[:, None] ** 2 + steps**2) / 50.0)
    smooth = ndimage.convolve(error[tuple(at)], window / window.sum(), mode="constant")
    weight = 2 - 0.5 ** (far / 5)
    return np.minimum(error, smooth)[truth].sum(), (error * weight)[~truth].sum()


def test_twin_has_the_same_parameters() -> None:
    ours = inspect.signature(
        getattr(weighted.weighted_errors, "py_func", weighted.weighted_errors)
    ).parameters
    assert list(ours) == list(inspect.signature(twins.weighted_errors).parameters)
    assert len(ours) == 7


@given(eight_bit_pairs())
def test_levels(pair) -> None:
    check(*pair, LEVELS)


@given(eight_bit_pairs())
def test_stretched_levels(pair) -> None:
    pred, truth = pair
    if pred.min() < pred.max():
        check(pred, truth, (pred.min(), pred.max()))


@given(float_pairs())
def test_floats(pair) -> None:
    check(pair[0].astype(np.float64), pair[1])


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(60, 140))
def test_wide_maps_with_sparse_errors(seed, height, width) -> None:
    """Runs of errors that begin, end and meet anywhere in the blocks of a row."""
    rng = np.random.default_rng(seed)
    truth = rng.random((height, width)) < rng.choice([0.03, 0.5, 0.97])
    pred = np.where(rng.random(truth.shape) < 0.02, 0.25, truth)
    check(pred, truth)


@pytest.mark.parametrize("shape", [(1, 1), (1, 100), (100, 1), (2, 3), (31, 33), (40, 64)])
@pytest.mark.parametrize("truth", ["full", "checker", "diagonal", "comb", "frame", "last"])
def test_degenerate_truths(shape, truth) -> None:
    rows, columns = np.indices(shape)
    drawn = {
        "full": rows >= 0,
        "checker": (rows + columns) % 2 == 0,
        "diagonal": rows == columns,
        "comb": columns % 4 == 0,
        "frame": (rows == 0) | (columns == 0) | (rows == shape[0] - 1) | (columns == shape[1] - 1),
        "last": (rows == shape[0] - 1) & (columns == shape[1] - 1),
    }[truth]
    rng = np.random.default_rng(3)
    for pred in (np.zeros(shape), np.ones(shape), drawn.astype(float), rng.random(shape)):
        check(pred, drawn)


def test_levels_and_floats_differ_by_rounding_alone() -> None:
    rng = np.random.default_rng(8)
    pred = rng.integers(0, 256, (37, 101)).astype(np.uint8)
    truth = rng.random(pred.shape) < 0.3
    found = weighted.weighted_errors(*arguments(pred, truth, LEVELS))
    floats = weighted.weighted_errors(*arguments(pred / 255.0, truth, UNIT))
    np.testing.assert_allclose(found, floats, rtol=1e-14)


def test_errors_far_from_the_foreground_weigh_2() -> None:
    truth = np.zeros((3, 900), bool)
    truth[1, 0] = True
    pred = np.zeros(truth.shape)
    pred[1, 0] = 1.0
    pred[1, 600] = 0.5
    assert weighted.weighted_errors(*arguments(pred, truth, UNIT)) == (0.0, 1.0)
    pred[1, 600], pred[1, 10] = 0.0, 1.0
    assert weighted.weighted_errors(*arguments(pred, truth, UNIT)) == (0.0, 1.75)
