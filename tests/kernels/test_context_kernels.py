"""The kernels of the context measures against their twins, OpenCV, SciPy and published pairs."""

from __future__ import annotations

import inspect

import cv2
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import ndimage

from fastsegmetrics.kernels import borders, colour, gaussian, patches, tiles
from fastsegmetrics.reference import (
    borders as border_twins,
    colour as colour_twins,
    gaussian as gaussian_twins,
    patches as patch_twins,
    tiles as tile_twins,
)
from tests import scenes

TWINS = {
    gaussian: gaussian_twins,
    tiles: tile_twins,
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


@pytest.mark.parametrize("folds", range(1, tiles.MOST_FOLDS + 1))
@pytest.mark.parametrize("half", [(0, 0), (13, 13), (24, 24), (3, 18), (18, 3)])
def test_spectrum_is_the_transform_down_the_columns(half, folds) -> None:
    weights = gaussian.gaussian_box(*half, 0.05, 0.01, 0.03)
    found = tiles.kernel_spectrum(weights, folds)
    expected = tile_twins.kernel_spectrum(weights, folds)
    np.testing.assert_allclose(found, expected, rtol=0, atol=5e-17)
    # At frequency 0 it is the sum, over the points of a tile.
    assert found[0, 0, 0].sum() * 64 * folds == pytest.approx(1, rel=1e-14)


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
    st.tuples(st.integers(0, 20), st.integers(0, 20)),
    st.tuples(st.integers(1, 30), st.integers(1, 30)),
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
        assert module.reflected_sum(mask * 1.0, one, (values * 2).astype(np.uint8), weights) == -0.25
        assert module.reflected_sum(values[::-1, ::-1].copy(), one, mask, weights) == 0


def colours(step: int) -> np.ndarray:
    """All 8-bit colours on a grid, with the extremes: (n, n, n, 3) as an image (n, n², 3)."""
    levels = np.unique(np.append(np.arange(0, 256, step), 255)).astype(np.uint8)
    grid = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), -1)
    return np.ascontiguousarray(grid.reshape(len(levels), -1, 3))


def test_lab_bytes_is_opencvs() -> None:
    # All 2^24 colours were compared once, with OpenCV 4.11 and 5.0; these include all that a
    # cube root one off changes most: dark colours, and grey ones.
    dark = np.stack(np.meshgrid(*[np.arange(56, dtype=np.uint8)] * 3), -1).reshape(56, -1, 3)
    grey = np.repeat(np.arange(256, dtype=np.uint8), 3).reshape(1, 256, 3)
    random = np.random.default_rng(1).integers(0, 256, (500, 600, 3), dtype=np.uint8)
    for image in (colours(5), dark, grey, random):
        image = np.ascontiguousarray(image)
        expected = cv2.cvtColor(image, cv2.COLOR_RGB2Lab)
        np.testing.assert_array_equal(colour.lab_bytes(image), expected)
        np.testing.assert_array_equal(colour_twins.lab_bytes(image), expected)


def test_lab_of_known_colours() -> None:
    image = np.array([[[255, 255, 255], [0, 0, 0], [255, 0, 0], [0, 0, 255]]], np.uint8)
    found = colour.lab(image)[0]
    np.testing.assert_allclose(found[0], [100, -0.00245, 0.00465], atol=1e-5)
    np.testing.assert_allclose(found[1], 0, atol=1e-14)
    np.testing.assert_allclose(found[2], [53.24058794, 80.09230823, 67.20275104], atol=1e-7)
    np.testing.assert_allclose(found[3], [32.29567257, 79.18559091, -107.85730021], atol=1e-7)


def test_lab_and_difference_twins() -> None:
    image = colours(17)
    other = image[::-1, ::-1]
    other = np.ascontiguousarray(other)
    first, second = colour.lab(image), colour.lab(other)
    np.testing.assert_allclose(first, colour_twins.lab(image), rtol=0, atol=1e-12)
    expected = colour_twins.delta_e_2000(first, second)
    np.testing.assert_allclose(colour.delta_e_2000(first, second), expected, rtol=0, atol=1e-10)
    mask = (np.indices(image.shape[:2]).sum(0) % 3 == 0).astype(np.uint8)
    found = colour.delta_e_on(mask, image, other)
    expected = colour_twins.delta_e_on(mask, image, other)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)
    assert not found[mask == 0].any()
    assert not colour.delta_e_on(mask, image, image).any()


#: Pairs and differences of Sharma, Wu and Dalal, "The CIEDE2000 color-difference formula", 2005.
SHARMA = (
    ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
    ((50.0, 3.1571, -77.2803), (50.0, 0.0, -82.7485), 2.8615),
    ((50.0, 2.8361, -74.0200), (50.0, 0.0, -82.7485), 3.4412),
    ((50.0, -1.3802, -84.2814), (50.0, 0.0, -82.7485), 1.0000),
    ((50.0, 0.0, 0.0), (50.0, -1.0, 2.0), 2.3669),
    ((50.0, -1.0, 2.0), (50.0, 0.0, 0.0), 2.3669),
    ((50.0, 2.4900, -0.0010), (50.0, -2.4900, 0.0009), 7.1792),
    ((50.0, 2.4900, -0.0010), (50.0, -2.4900, 0.0011), 7.2195),
    ((50.0, -0.0010, 2.4900), (50.0, 0.0009, -2.4900), 4.8045),
    ((50.0, -0.0010, 2.4900), (50.0, 0.0011, -2.4900), 4.7461),
    ((50.0, 2.5, 0.0), (50.0, 0.0, -2.5), 4.3065),
    ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
    ((50.0, 2.5, 0.0), (58.0, 24.0, 15.0), 19.4535),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
    ((90.8027, -2.0831, 1.4410), (91.1528, -1.6435, 0.0447), 1.4441),
    ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
)


def test_published_differences() -> None:
    first = np.array([[pair[0] for pair in SHARMA]])
    second = np.array([[pair[1] for pair in SHARMA]])
    expected = [pair[2] for pair in SHARMA]
    for module in (colour, colour_twins):
        for found in (module.delta_e_2000(first, second), module.delta_e_2000(second, first)):
            np.testing.assert_allclose(found[0], expected, rtol=0, atol=5.1e-5)


def patch_sets(rng, n: int, m: int, levels: int) -> tuple:
    shape = 160
    ours, others = np.zeros((n, shape), np.uint8), np.zeros((m, shape), np.uint8)
    ours[:, :147] = rng.integers(0, levels, (n, 147))
    others[:, :147] = rng.integers(0, levels, (m, 147))
    # Copies far and near, and places on a grid, so that there are ties.
    others[rng.integers(0, m, m // 2)] = others[0]
    ours[rng.integers(0, n, n // 2)] = others[0]
    places = rng.integers(-2, 3, (n, 2)).astype(np.float32)
    return ours, others, places, rng.integers(-2, 3, (m, 2)).astype(np.float32)


@given(st.integers(1, 40), st.integers(1, 90), st.sampled_from([1, 2, 256]), seeds)
def test_nearest_patches(n, m, levels, seed) -> None:
    ours, others, places, other_places = patch_sets(np.random.default_rng(seed), n, m, levels)
    expected, found = np.empty(n, np.int64), np.empty(n, np.int64)
    wide, other_wide = ours.astype(np.float32), others.astype(np.float32)
    squares, other_squares = ((w.astype(np.int64) ** 2).sum(1) for w in (wide, other_wide))
    products = wide @ other_wide.T

    patch_twins.nearest_by_bounds(products, 0.0, ours, others, places, other_places, expected)
    arguments = products, squares, other_squares, places, other_places
    patches.nearest_by_products(*arguments, found)
    np.testing.assert_array_equal(found, expected)
    patch_twins.nearest_by_products(*arguments, found)
    np.testing.assert_array_equal(found, expected)

    # Any bounds within the slack leave the choice as it is, and good ones save comparisons.
    distances = squares[:, None] + other_squares - 2.0 * products.astype(np.float64)
    away = places[:, None] - other_places
    distances += (away * away).sum(2)
    for share in (0.0, 0.9, 1.0):
        bounds = (share * distances).astype(np.float32)
        compared = patches.nearest_by_bounds(
            bounds, 16.0, ours, others, places, other_places, found
        )
        np.testing.assert_array_equal(found, expected)
        assert n <= compared <= n * (m + 1)


def test_patch_bytes_and_rebuilding() -> None:
    rng = np.random.default_rng(5)
    image = rng.integers(0, 256, (20, 33, 3), dtype=np.uint8)
    origins = np.array([[0, 0], [3, 3], [3, 6], [13, 26], [6, 9]])
    sources = np.array([[12, 1], [0, 20], [7, 7]])
    nearest = np.array([2, 0, 1, 1, 0])
    for side in (1, 4, 7):
        found = patches.patch_bytes(image, origins, side)
        np.testing.assert_array_equal(found, patch_twins.patch_bytes(image, origins, side))
        assert found.shape[1] % 32 == 0
        arguments = image, origins, sources, nearest, side
        np.testing.assert_array_equal(
            patches.rebuilt_image(*arguments), patch_twins.rebuilt_image(*arguments)
        )


def test_means_of_patches_round_half_to_even() -> None:
    image = np.zeros((2, 2, 3), np.uint8)
    image[0] = [[0, 1, 2], [1, 2, 3]]
    origins, sources = np.array([[1, 1], [1, 1]]), np.array([[0, 0], [0, 1]])
    for module in (patches, patch_twins):
        found = module.rebuilt_image(image, origins, sources, np.array([0, 1]), 1)
        assert found[1, 1].tolist() == [0, 2, 2]
        assert found.sum() == 4


def test_kernels_take_read_only_arrays_in_one_specialisation() -> None:
    mask = np.ones((9, 9), np.uint8)
    mask.flags.writeable = False
    image = np.zeros((9, 9, 3), np.uint8)
    image.flags.writeable = False
    assert gaussian.mask_moments(mask)[0][0] == 81
    assert len(patches.fitting_origins(mask, 7, 3)) == 1
    assert colour.lab_bytes(image).max() == 128
