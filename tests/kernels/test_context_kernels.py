"""The kernels of the context measures against their twins, OpenCV, SciPy and published pairs."""

from __future__ import annotations

import inspect

import cv2
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import ndimage

from fastsegmetrics.kernels import borders, colour, gaussian, patches, tiles, windows
from fastsegmetrics.kernels._jit import fused, kernel
from fastsegmetrics.reference import (
    borders as border_twins,
    colour as colour_twins,
    gaussian as gaussian_twins,
    patches as patch_twins,
    tiles as tile_twins,
    windows as window_twins,
)
from tests import scenes

TWINS = {
    gaussian: gaussian_twins,
    tiles: tile_twins,
    windows: window_twins,
    borders: border_twins,
    colour: colour_twins,
    patches: patch_twins,
}
seeds = st.integers(0, 2**32 - 1)
shapes = st.tuples(st.integers(1, 12), st.integers(1, 19))


@pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
def test_every_kernel_has_a_twin(module) -> None:
    kernels = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and callable(value)
        and getattr(value, "__module__", None) == module.__name__
    ]
    assert kernels
    for name in kernels:
        kernel = getattr(module, name)
        parameters = list(inspect.signature(getattr(kernel, "py_func", kernel)).parameters)
        assert list(inspect.signature(getattr(TWINS[module], name)).parameters) == parameters
        assert len(parameters) <= 8


def masks(shape: tuple[int, int]) -> dict[str, np.ndarray]:
    """Masks of every awkward kind that fits a shape."""
    rows, columns = np.indices(shape)
    kinds = {
        "empty": rows < 0,
        "full": rows >= 0,
        "corner": (rows == 0) & (columns == 0),
        "last": (rows == shape[0] - 1) & (columns == shape[1] - 1),
        "diagonal": rows == columns,
        "checkerboard": (rows + columns) % 2 == 0,
        "comb": (columns % 3 == 0) | (rows == 0),
        "many": (rows % 4 == 1) & (columns % 5 == 2),
        "border": (rows == 0) | (columns == 0) | (rows == shape[0] - 1) | (columns == shape[1] - 1),
    }
    return {name: kind.astype(np.uint8) for name, kind in kinds.items()}


SHAPES = ((1, 1), (1, 9), (9, 1), (7, 7), (23, 31))
CASES = [(shape, kind) for shape in SHAPES for kind in masks((1, 1))]


@pytest.mark.parametrize(("shape", "kind"), CASES)
def test_moments_and_regions_of_awkward_masks(shape, kind) -> None:
    mask = masks(shape)[kind]
    assert gaussian.mask_moments(mask) == gaussian_twins.mask_moments(mask)
    band = patches.surrounding_band(mask, 2, 4)
    np.testing.assert_array_equal(band, patch_twins.surrounding_band(mask, 2, 4))
    for region in (mask, band):
        for side, step in ((1, 1), (2, 3), (7, 3)):
            np.testing.assert_array_equal(
                patches.fitting_origins(region, side, step),
                patch_twins.fitting_origins(region, side, step),
            )


@given(shapes, seeds, st.integers(0, 9), st.integers(0, 12))
def test_band_of_any_mask(shape, seed, before, after) -> None:
    mask = (np.random.default_rng(seed).random(shape) < 0.05).astype(np.uint8)
    found = patches.surrounding_band(mask, before, after)
    np.testing.assert_array_equal(found, patch_twins.surrounding_band(mask, before, after))


def test_band_is_opencvs_dilation_by_an_even_box() -> None:
    mask = np.zeros((40, 50), np.uint8)
    mask[20, 25] = 1
    band = patches.surrounding_band(mask, 9, 10)
    dilated = cv2.dilate(mask, np.ones((20, 20), np.uint8))
    np.testing.assert_array_equal(band, dilated - mask)
    assert np.argwhere(band).min(0).tolist() == [11, 16]
    assert np.argwhere(band).max(0).tolist() == [30, 35]


def test_moments_do_not_overflow() -> None:
    mask = np.zeros((3, 70_000), np.uint8)
    mask[2] = 1
    moments, box = gaussian.mask_moments(mask)
    n = 70_000
    assert moments == (
        n, 2 * n, n * (n - 1) // 2, 4 * n, n * (n - 1), (n - 1) * n * (2 * n - 1) // 6,
    )  # fmt: skip
    assert box == (2, 0, 3, 70_000)


@given(st.integers(1, 30), st.integers(1, 70), st.sampled_from([0.01, 0.3, 1.0]), seeds)
def test_moments_of_any_mask(height, width, density, seed) -> None:
    mask = (np.random.default_rng(seed).random((height, width)) < density).astype(np.uint8)
    assert gaussian.mask_moments(mask) == gaussian_twins.mask_moments(mask)


@kernel
def _compiled_fused(a: float, b: float, c: float) -> float:
    return fused(a, b, c)


def test_fused_rounds_once_where_it_is_compiled() -> None:
    # (1 + 2⁻¹²)² = 1 + 2⁻¹¹ + 2⁻²⁴, half a unit in the last place of single precision too much.
    a, c = np.float32(1 + 2.0**-12), np.float32(-1 - 2.0**-11)
    assert fused(a, a, c) == 0.0
    compiled = hasattr(_compiled_fused, "py_func")
    assert _compiled_fused(a, a, c) == (2.0**-24 if compiled else 0.0)


@given(st.integers(0, 9), st.integers(0, 9), st.floats(-0.9, 0.9))
def test_gaussian_box(half_rows, half_columns, correlation) -> None:
    arguments = half_rows, half_columns, 0.3, 0.2 * correlation, 0.2
    found = gaussian.gaussian_box(*arguments)
    np.testing.assert_allclose(found, gaussian_twins.gaussian_box(*arguments), rtol=1e-13)
    assert found.sum() == pytest.approx(1, rel=1e-14)


@pytest.mark.parametrize("steps", [(1, 1), (-1, 1), (1, -2), (3, 7), (30, 1)])
def test_gaussian_line(steps) -> None:
    arguments = 9, 13, *steps, 6.0
    found = gaussian.gaussian_line(*arguments)
    np.testing.assert_allclose(found, gaussian_twins.gaussian_line(*arguments), rtol=1e-14)
    np.testing.assert_array_equal(found, found[::-1, ::-1])


def test_line_longer_than_its_box_is_one_point() -> None:
    assert gaussian.gaussian_line(2, 18, 1, 30, 6.0).sum() == 1
    assert gaussian.gaussian_line(2, 18, 1, 30, 6.0)[2, 18] == 1


NOTHING = np.zeros((0, 0))


def sums_of(module, values, mask, degree, weights, *, folds=1, precision=np.float64):
    """The sums of a map that is larger than the mask by the kernel's halves."""
    weights = weights.astype(precision)
    spectrum = tiles.kernel_spectrum(weights.astype(np.float64), folds).astype(precision)
    around = np.arange(values.shape[0]), np.arange(values.shape[1])
    scale = np.array([0, 1], precision)
    return module.context_sums(
        values.astype(precision), scale, around, mask, degree, weights, spectrum
    )


@settings(max_examples=60)
@given(
    st.tuples(st.integers(1, 90), st.integers(1, 90)),
    st.tuples(st.integers(0, 20), st.integers(0, 20)),
    st.sampled_from([0.0, 0.002, 0.3, 1.0]),
    st.booleans(),
    seeds,
)
def test_context_sums(shape, half, density, weighted, seed) -> None:
    rng = np.random.default_rng(seed)
    values = rng.random((shape[0] + 2 * half[0], shape[1] + 2 * half[1]))
    values[: shape[0] // 2 + half[0]] = rng.choice([0.0, 0.25, 1.0])
    mask = (rng.random(shape) < density).astype(np.uint8)
    degree = rng.random(shape) if weighted else NOTHING
    weights = rng.random((2 * half[0] + 1, 2 * half[1] + 1))
    weights += weights[::-1, ::-1]
    weights /= weights.sum()
    arguments = values, mask, degree, weights
    folds = int(rng.integers(1, tiles.MOST_FOLDS + 1))
    twin = sums_of(tile_twins, *arguments)
    ours = sums_of(tiles, *arguments, folds=folds)
    assert ours == pytest.approx(twin, rel=1e-12, abs=1e-12)
    single = sums_of(tiles, *arguments, folds=folds, precision=np.float32)
    assert single == pytest.approx(twin, rel=1e-6, abs=3e-7)


@pytest.mark.parametrize("crowded", [(), (0,), (0, 3), (0, 1, 2)])
def test_tiles_of_few_pixels_beside_crowded_ones(crowded) -> None:
    # Four tiles; the fullest of those of few pixels is the second of a pair that lacks one.
    rng = np.random.default_rng(1)
    values = rng.random((2 * 54 + 10, 2 * 208 + 12))
    mask = np.zeros((108, 416), np.uint8)
    for tile, n in enumerate((3, 1, 5, 2)):
        part = mask[54 * (tile // 2) :, 208 * (tile % 2) :][:54, :208]
        part[10 : 10 + n, 200] = 1
        if tile in crowded:
            part[::2, ::3] = 1
    weights = gaussian.gaussian_box(5, 6, 0.05, 0.01, 0.03)
    arguments = values, mask, NOTHING, weights
    assert sums_of(tiles, *arguments) == pytest.approx(sums_of(tile_twins, *arguments), rel=1e-12)


@pytest.mark.parametrize("folds", range(1, tiles.MOST_FOLDS + 1))
@pytest.mark.parametrize("half", [(0, 0), (13, 13), (24, 24), (3, 18), (18, 3)])
def test_spectrum_is_the_transform_down_the_columns(half, folds) -> None:
    weights = gaussian.gaussian_box(*half, 0.05, 0.01, 0.03)
    found = tiles.kernel_spectrum(weights, folds)
    expected = tile_twins.kernel_spectrum(weights, folds)
    np.testing.assert_allclose(found, expected, rtol=0, atol=5e-17)
    # At frequency 0 it is the sum, over the points of a tile; the left half is that of the right.
    total = 2 * found[0, 0, 0].sum() - found[0, 0, 0, 0]
    assert total * 64 * folds == pytest.approx(1, rel=1e-14)


def test_indices_beyond_the_border_are_numpys() -> None:
    for size, before, after in ((1, 3, 2), (4, 3, 3), (4, 9, 0), (7, 0, 20), (5, 1, 4)):
        expected = np.pad(np.arange(size), (before, after), mode="reflect")
        for module in (windows, window_twins):
            found = module.reflected(-before, size + after, size)
            np.testing.assert_array_equal(found, expected)
    for module in (windows, window_twins):
        assert module.reflected(-2, 3, 4).tolist() == [2, 1, 0, 1, 2]
        assert module.reflected(2, 6, 4).tolist() == [2, 3, 2, 1]


@pytest.mark.parametrize("precision", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("half", "box", "share", "folds"),
    [
        ((13, 13), (3, 5, 39, 50), 0.5, 1),
        ((11, 14), (0, 0, 300, 400), 0.5, 2),
        ((24, 2), (12, 380, 300, 400), 1.0, 3),
        # One tile of 166 rows and 41 over, which are summed pixel by pixel where they are few.
        ((13, 4), (0, 0, 207, 9), 0.01, 3),
        ((13, 4), (0, 0, 207, 9), 1.0, 1),
    ],
)
def test_what_tiles_are_made_of(half, box, share, folds, precision) -> None:
    weights = gaussian.gaussian_box(*half, 0.05, 0.01, 0.03)
    arguments = weights, box, (300, 400), share, np.zeros((0, 0), precision)
    found = windows.lay_out(*arguments)
    for ours, twin, error in zip(
        found, window_twins.lay_out(*arguments), (0, 5e-17, 0, 0), strict=True
    ):
        assert ours.dtype == twin.dtype
        np.testing.assert_allclose(
            ours, twin, rtol=1e-6 if precision == np.float32 else 0, atol=error
        )
    assert found[1].shape == (folds, 2, 64, half[1] + 1)


def test_levels_and_places_of_a_map() -> None:
    # Levels 50 … 250 stand for 0 … 1; rows and columns may return.
    levels = (scenes.noise((9, 11), 4) % 201 + 50).astype(np.uint8)
    rows = np.array([3, 2, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 7, 6, 5])
    columns = np.array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 9, 8, 7])
    mask = (scenes.noise((11, 9), 5) % 2).astype(np.uint8)
    weights = gaussian.gaussian_box(2, 2, 0.2, 0.05, 0.3)
    window = (levels[np.ix_(rows, columns)] - 50) / 200
    expected = sums_of(tile_twins, window, mask, NOTHING, weights)
    for precision, error in ((np.float64, 1e-13), (np.float32, 1e-6)):
        spectrum = tiles.kernel_spectrum(weights, 1).astype(precision)
        for module in (tiles, tile_twins):
            found = module.context_sums(
                levels, np.array([50, 1 / 200], precision), (rows, columns), mask, NOTHING,
                weights.astype(precision), spectrum,
            )  # fmt: skip
            assert found == pytest.approx(expected, rel=error)


@pytest.mark.parametrize("kind", masks((1, 1)))
@pytest.mark.parametrize("shape", [(1, 1), (1, 80), (80, 1), (70, 90)])
def test_context_sums_of_awkward_masks_are_scipys(shape, kind) -> None:
    half = 13, 18
    mask = masks(shape)[kind]
    image = np.random.default_rng(3).random(shape)
    weights = gaussian.gaussian_box(*half, 0.05, 0.01, 0.03)
    values = np.pad(image, ((half[0],) * 2, (half[1],) * 2), mode="reflect")
    x = ndimage.correlate(image, weights, mode="mirror")[mask == 1]
    expected = x.sum(), (1 - np.exp(-x)).sum(), 0
    arguments = values, mask, NOTHING, weights
    assert sums_of(tiles, *arguments, folds=2) == pytest.approx(expected, rel=1e-12)
    assert sums_of(tile_twins, *arguments) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("level", [0.0, 0.25, 1.0])
def test_constant_maps_have_no_rounding_noise(level) -> None:
    mask = np.ones((100, 100), np.uint8)
    weights = gaussian.gaussian_box(13, 13, 0.1, 0.0, 0.1)
    expected = 1e4 * level, 1e4 * (1 - np.exp(-level)), 0
    arguments = np.full((126, 126), level), mask, NOTHING, weights
    assert sums_of(tiles, *arguments) == pytest.approx(expected, rel=1e-14, abs=0)
    single = sums_of(tiles, *arguments, precision=np.float32)
    assert single == pytest.approx(expected, rel=2e-7, abs=0)


@pytest.mark.parametrize("precision", [np.float64, np.float32])
def test_what_is_far_from_the_map_is_exactly_zero(precision) -> None:
    values = np.zeros((126, 126))
    values[:10, :10] = np.random.default_rng(0).random((10, 10))
    mask = np.zeros((100, 100), np.uint8)
    mask[60:90, 70:90] = 1
    weights = gaussian.gaussian_box(13, 13, 0.1, 0.0, 0.1)
    arguments = values, mask, NOTHING, weights
    assert sums_of(tiles, *arguments, folds=2, precision=precision) == (0, 0, 0)


@given(
    st.tuples(st.integers(0, 7), st.integers(0, 7)),
    st.tuples(st.integers(1, 20), st.integers(1, 20)),
    st.sampled_from([0.01, 0.3, 1.0]),
    seeds,
)
def test_reflected_sum(half, more, density, seed) -> None:
    # From images that both their borders reach across to those with an inside.
    rng = np.random.default_rng(seed)
    shape = half[0] + more[0], half[1] + more[1]
    levels = rng.integers(10, 256, shape, dtype=np.uint8)
    mask = (rng.random(shape) < density).astype(np.uint8)
    weights = rng.random((2 * half[0] + 1, 2 * half[1] + 1))
    weights += weights[::-1, ::-1]
    weights /= weights.sum()
    for precision, error in ((np.float64, 1e-11), (np.float32, 1e-4)):
        arguments = levels, np.array([10, 1 / 245], precision), mask, weights.astype(precision)
        twin = border_twins.reflected_sum(*arguments)
        assert borders.reflected_sum(*arguments) == pytest.approx(twin, rel=1e-11, abs=error)


@pytest.mark.parametrize("turned", [False, True])
def test_reflection_about_one_border_by_hand(turned) -> None:
    # K is ¼, ½, ¼ along the rows' axis. The map's pixel lies on the border and the truth's beside
    # it: the neighbour's weight of the pixel is ¼, the pixel's of its neighbour twice that.
    weights = np.array([[0.25], [0.5], [0.25]])
    values, mask = np.zeros((5, 3)), np.zeros((5, 3), np.uint8)
    values[0, 1], mask[1, 1] = 0.5, 1
    if turned:
        values, mask, weights = (np.ascontiguousarray(a.T) for a in (values, mask, weights))
    one = np.array([0.0, 1.0])
    for module in (borders, border_twins):
        assert module.reflected_sum(values, one, mask, weights) == 0.125
        assert (
            module.reflected_sum(mask * 1.0, one, (values * 2).astype(np.uint8), weights) == -0.25
        )
        assert module.reflected_sum(values[::-1, ::-1].copy(), one, mask, weights) == 0


def test_sums_of_many_levels_at_a_border_do_not_overflow() -> None:
    # 300 levels of 255 are more than 16 bits hold. K is the mean of three rows: along the border
    # the reflected neighbour counts twice, in the sum over the map's row and over the truth's.
    weights = np.full((3, 1), 1 / 3)
    values, mask = np.zeros((4, 300), np.uint8), np.zeros((4, 300), np.uint8)
    values[0], mask[1] = 255, 1
    one = np.array([0.0, 1 / 255])
    for module in (borders, border_twins):
        assert module.reflected_sum(values, one, mask, weights) == pytest.approx(100, rel=1e-13)


def test_kernels_take_read_only_arrays_in_one_specialisation() -> None:
    mask = np.ones((9, 9), np.uint8)
    mask.flags.writeable = False
    image = np.zeros((9, 9, 3), np.uint8)
    image.flags.writeable = False
    assert gaussian.mask_moments(mask)[0][0] == 81
    assert len(patches.fitting_origins(mask, 7, 3)) == 1
    assert colour.lab_bytes(image).max() == 128
