"""The kernels of the difficulty-weighted context score against their twins and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import ndimage

from fastsegmetrics.kernels import difficulty as kernels, difficulty_parts
from fastsegmetrics.reference import (
    capped_distance,
    difficulty as twins,
    difficulty_parts as twins_of_parts,
    distance as distances,
)

FACTORS = np.array([0.4, 0.35, 0.25, 0.2])
NOWHERE = np.empty((3, 0, 0))
SHAPES = ((1, 1), (1, 9), (9, 1), (2, 2), (7, 7), (13, 21))
seeds = st.integers(0, 2**32 - 1)
shapes = st.tuples(st.integers(1, 12), st.integers(1, 19))


def masks(shape: tuple[int, int]) -> dict[str, np.ndarray]:
    """Masks of every awkward kind that fits a shape."""
    rows, columns = np.indices(shape)
    kinds = {
        "empty": rows < 0,
        "full": rows >= 0,
        "corner": (rows == 0) & (columns == 0),
        "last": (rows == shape[0] - 1) & (columns == shape[1] - 1),
        "hole": (rows != shape[0] // 2) | (columns != shape[1] // 2),
        "diagonal": rows == columns,
        "checkerboard": (rows + columns) % 2 == 0,
        "comb": (columns % 3 == 0) | (rows == 0),
        "many": (rows % 4 == 1) & (columns % 5 == 2),
        "border": (rows == 0) | (columns == 0) | (rows == shape[0] - 1) | (columns == shape[1] - 1),
        "half": columns >= shape[1] // 2,
    }
    return {name: kind.astype(np.uint8) for name, kind in kinds.items()}


CASES = [
    pytest.param(mask, id=f"{shape[0]}x{shape[1]}-{kind}")
    for shape in SHAPES
    for kind, mask in masks(shape).items()
]


def scene(shape, seed) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A map, a truth and a photograph; all may be flat, noisy or smooth."""
    rng = np.random.default_rng(seed)
    values = rng.choice([rng.random(shape), rng.random(shape).round(), np.full(shape, 0.3)])
    mask = rng.random(shape) < rng.choice([0.0, 0.05, 0.4, 0.9, 1.0])
    if rng.random() < 0.4:
        mask = ndimage.gaussian_filter(rng.random(shape), 2) > 0.5
    image = rng.integers(0, 256, (*shape, 3))
    if rng.random() < 0.4:
        image[:] = rng.integers(0, 256, 3)
        image[mask] = rng.integers(0, 256, 3)
    return values, mask.astype(np.uint8), image.astype(np.uint8)


@pytest.mark.parametrize("mask", CASES)
def test_truth_kernels_on_awkward_masks(mask) -> None:
    assert tuple(kernels.foreground_box(mask)) == twins.foreground_box(mask)
    np.testing.assert_array_equal(kernels.edge_mask(mask), twins.edge_mask(mask))
    np.testing.assert_array_equal(kernels.side_distances(mask), twins.side_distances(mask))


@pytest.mark.parametrize("mask", CASES)
def test_side_distances_are_scipys(mask) -> None:
    if mask.all() or not mask.any():
        expected = np.where(mask == 1, -1, 1) * sum(mask.shape)
    else:
        inside, outside = (
            ndimage.distance_transform_cdt(side, metric="taxicab") for side in (mask, 1 - mask)
        )
        expected = outside - inside
    np.testing.assert_array_equal(kernels.side_distances(mask), expected)


@pytest.mark.parametrize("mask", CASES)
def test_contour_and_parts_on_awkward_masks(mask) -> None:
    rng = np.random.default_rng(mask.size)
    grey = kernels.grey_thousandths(rng.integers(0, 256, (*mask.shape, 3)).astype(np.uint8))
    check_contour(grey, mask, 3, FACTORS)
    weight = 0.5 + rng.random(mask.shape)
    far = np.where(twins.edge_mask(mask) == 1, 0.0, rng.random(mask.shape) + 1e-3)
    check_parts(rng.random(mask.shape), mask, weight, far)


def check_contour(grey, mask, radius, factors) -> None:
    sides = twins.side_distances(mask)
    raw = kernels.contour_difficulty(grey, sides, radius, factors)
    expected = twins.contour_difficulty(grey, sides, radius, factors)
    np.testing.assert_allclose(raw, expected, rtol=1e-11, atol=0)
    assert ((raw != 0) == (sides == -1)).all()
    nearest = distances.nearest_foreground((sides == -1).view(np.uint8))
    if nearest[0][0, 0] >= 0:
        spread, total, count = kernels.spread_difficulty(raw, *nearest, sides, radius)
        slow_spread, slow_total, slow_count = twins.spread_difficulty(raw, *nearest, sides, radius)
        np.testing.assert_array_equal(spread, slow_spread)
        assert total == pytest.approx(slow_total, rel=1e-13)
        assert count == slow_count
        field = capped_distance.capped_squares((sides == -1).view(np.uint8))
        near = kernels.spread_near(raw, *field, sides, radius)
        slow_near = twins.spread_near(raw, *field, sides, radius)
        far = (field[0][sides <= radius] > 18).any()
        assert near[1:] == pytest.approx(slow_near[1:] if far else (total, count), rel=1e-13)
        assert (near[2] == -1) == far
        if not far:
            np.testing.assert_array_equal(near[0], spread)
            np.testing.assert_array_equal(slow_near[0], spread)


def check_parts(values, mask, weight, far) -> None:
    heat, expected_heat = np.full((2, 3, *mask.shape), np.nan)
    sums = difficulty_parts.part_sums(values, mask, weight, far, heat)
    expected = twins_of_parts.part_sums(values, mask, weight, far, expected_heat)
    np.testing.assert_allclose(sums, expected, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(heat, expected_heat, rtol=1e-10, atol=1e-11)
    np.testing.assert_array_equal(
        difficulty_parts.part_sums(values, mask, weight, far, NOWHERE), sums
    )


@given(shapes, seeds)
def test_grey_thousandths(shape, seed) -> None:
    image = np.random.default_rng(seed).integers(0, 256, (*shape, 3)).astype(np.uint8)
    grey = kernels.grey_thousandths(image)
    np.testing.assert_array_equal(grey, twins.grey_thousandths(image))
    np.testing.assert_allclose(grey / 1000, image @ [0.299, 0.587, 0.114], rtol=1e-13)


@given(shapes, seeds, st.integers(3, 6))
def test_contour_difficulty(shape, seed, radius) -> None:
    _, mask, image = scene(shape, seed)
    np.testing.assert_array_equal(kernels.side_distances(mask), twins.side_distances(mask))
    check_contour(kernels.grey_thousandths(image), mask, radius, FACTORS)


@given(shapes, seeds)
def test_the_floor_holds(shape, seed) -> None:
    _, mask, image = scene(shape, seed)
    check_contour(kernels.grey_thousandths(image), mask, 3, np.array([-0.8, -0.5, -0.1, 0.9]))


@given(shapes, seeds)
def test_part_sums(shape, seed) -> None:
    values, mask, _ = scene(shape, seed)
    rng = np.random.default_rng(seed)
    far = np.where(twins.edge_mask(mask) == 1, 0.0, rng.random(shape) + 1e-3)
    check_parts(values, mask, 0.2 + rng.random(shape), far)


def test_running_sums_begin_anew() -> None:
    # More rows than the running sums keep, and a width that is no multiple of anything.
    rng = np.random.default_rng(5)
    shape = (151, 13)
    mask = (rng.random(shape) < 0.5).astype(np.uint8)
    far = np.where(twins.edge_mask(mask) == 1, 0.0, 1.0)
    check_parts(rng.random(shape), mask, np.ones(shape), far)


def test_bright_flat_windows_deviate_by_nothing() -> None:
    # Squares of 255000 over a large window: in floats their difference would drown.
    mask = np.zeros((60, 61), np.uint8)
    mask[10:50, 10:50] = 1
    grey = kernels.grey_thousandths(np.full((60, 61, 3), 255, np.uint8))
    sides = kernels.side_distances(mask)
    raw = kernels.contour_difficulty(grey, sides, 25, FACTORS)
    np.testing.assert_allclose(raw[sides == -1], 1 + 0.4 + 0.35 + 0.25, rtol=0, atol=0)
    grey[30, 30] -= 1
    check_contour(grey, mask, 25, FACTORS)
