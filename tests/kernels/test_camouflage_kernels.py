"""The kernels of the camouflage degree against their twins, OpenCV and published pairs."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, strategies as st

from fastsegmetrics.kernels import colour, patches
from fastsegmetrics.reference import colour as colour_twins, patches as patch_twins

seeds = st.integers(0, 2**32 - 1)


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
    np.testing.assert_allclose(colour.delta_e_2000(first, second), expected, rtol=0, atol=1e-11)
    mask = (np.indices(image.shape[:2]).sum(0) % 3 == 0).astype(np.uint8)
    found = colour.delta_e_on(mask, image, other)
    np.testing.assert_allclose(found, expected[mask == 1], rtol=0, atol=1e-11)
    twin = colour_twins.delta_e_on(mask, image, other)
    np.testing.assert_allclose(twin, expected[mask == 1], rtol=0, atol=1e-11)
    assert not colour.delta_e_on(mask, image, image).any()


@pytest.mark.parametrize("n", [0, 1, 255, 256, 257, 700])
def test_differences_come_in_raster_order_whatever_their_number(n) -> None:
    image = np.random.default_rng(n).integers(0, 256, (23, 41, 3), dtype=np.uint8)
    other = image[::-1].copy()
    mask = np.zeros((23, 41), np.uint8)
    mask.reshape(-1)[np.random.default_rng(n).permutation(mask.size)[:n]] = 1
    found = colour.delta_e_on(mask, image, other)
    assert found.shape == (n,)
    expected = colour_twins.delta_e_on(mask, image, other)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


def test_difference_from_black_and_between_greys() -> None:
    # What no patch covers is rebuilt black, which has no hue.
    image = colours(51)
    black = np.zeros_like(image)
    grey = np.repeat(image[..., :1], 3, axis=2)
    mask = np.ones(image.shape[:2], np.uint8)
    for first, second in ((image, black), (black, image), (image, grey), (grey, grey[:, ::-1])):
        first, second = np.ascontiguousarray(first), np.ascontiguousarray(second)
        found = colour.delta_e_on(mask, first, second)
        expected = colour_twins.delta_e_on(mask, first, second)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


def hues(chroma: float, degrees: np.ndarray) -> np.ndarray:
    hue = np.radians(degrees)
    return np.stack([np.full(hue.shape, 40.0), chroma * np.cos(hue), chroma * np.sin(hue)], -1)


@pytest.mark.parametrize("chroma", [1e-3, 2.0, 30.0, 120.0])
@pytest.mark.parametrize("turn", [0.5, 20, 91, 150, 178, 179.9, 180.1, 182, 270, 359])
def test_hues_all_round(chroma, turn) -> None:
    degrees = np.arange(0.25, 360, 1.5)[None]
    first, second = hues(chroma, degrees), hues(0.8 * chroma, degrees + turn)
    expected = colour_twins.delta_e_2000(first, second)
    np.testing.assert_allclose(colour.delta_e_2000(first, second), expected, rtol=0, atol=1e-11)
    found = colour.delta_e_2000(second, first)
    np.testing.assert_allclose(found, colour_twins.delta_e_2000(second, first), rtol=0, atol=1e-11)


def test_blue_axes_turn_most_and_end_at_red() -> None:
    # 5 apart in chroma and a few degrees in hue, near 275°, and on both sides of 0°.
    degrees = np.array([[275.0, 250.0, 300.0, 359.999, 0.001, 90.0, 133.0, 133.5]])
    first, second = hues(60.0, degrees - 1e-4), hues(65.0, degrees + 1e-4)
    found = colour.delta_e_2000(first, second)
    expected = colour_twins.delta_e_2000(first, second)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("first", "second"),
    [((3.0, 0.0), (-2.0, 0.0)), ((0.0, 4.0), (0.0, -4.0)), ((0.0, -1.0), (0.0, 7.0))],
)
def test_exactly_opposed_hues_have_the_mean_of_their_angles(first, second) -> None:
    pair = np.array([[(50.0, *first)]]), np.array([[(60.0, *second)]])
    for one, other in (pair, pair[::-1]):
        expected = colour_twins.delta_e_2000(one, other)
        np.testing.assert_allclose(colour.delta_e_2000(one, other), expected, rtol=1e-13)


def test_colours_without_chroma() -> None:
    grey, red = np.array([[(30.0, 0.0, 0.0)]]), np.array([[(30.0, 20.0, 5.0)]])
    light = np.array([[(80.0, 0.0, 0.0)]])
    for one, other in ((grey, red), (red, grey), (grey, light), (grey, grey)):
        expected = colour_twins.delta_e_2000(one, other)
        np.testing.assert_allclose(colour.delta_e_2000(one, other), expected, rtol=1e-13)


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


def in_runs(bounds: np.ndarray) -> np.ndarray:
    """Return the bits of bounds in the order of `nearest_by_bounds`, filled up."""
    n, m = bounds.shape
    length = -(-m // patches.RUNS)
    out = np.full((n, patches.RUNS * length), 1e30, np.float32)
    out[:, :m] = bounds
    out = out.reshape(n, patches.RUNS, length).swapaxes(1, 2)
    return np.ascontiguousarray(out).view(np.int32)


@given(st.integers(1, 40), st.integers(1, 170), st.sampled_from([1, 2, 256]), seeds)
def test_nearest_patches(n, m, levels, seed) -> None:
    ours, others, places, other_places = patch_sets(np.random.default_rng(seed), n, m, levels)
    expected, found = np.empty(n, np.int64), np.empty(n, np.int64)
    wide, other_wide = ours.astype(np.float32), others.astype(np.float32)
    squares, other_squares = ((w.astype(np.int64) ** 2).sum(1) for w in (wide, other_wide))
    products = wide @ other_wide.T

    nothing = np.zeros((n, 1, patches.RUNS), np.int32)
    patch_twins.nearest_by_bounds(nothing, 0.0, ours, others, places, other_places, expected)
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
        bounds = in_runs((share * distances).astype(np.float32) + np.float32(1))
        compared = patches.nearest_by_bounds(
            bounds, 16.0, ours, others, places, other_places, found
        )
        np.testing.assert_array_equal(found, expected)
        assert n <= compared <= n * m


def test_patch_bytes_and_rebuilding() -> None:
    rng = np.random.default_rng(5)
    image = rng.integers(0, 256, (20, 33, 3), dtype=np.uint8)
    origins = np.array([[0, 0], [3, 3], [3, 6], [13, 26], [6, 9]])
    sources = np.array([[12, 1], [0, 20], [7, 7]])
    nearest = np.array([2, 0, 1, 1, 0])
    for side in (1, 4, 7):
        found = patches.patch_bytes(image, origins, side)
        np.testing.assert_array_equal(found, patch_twins.patch_bytes(image, origins, side))
        assert found.shape == (5, patches.PATCH_BYTES)
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


def test_means_of_many_patches() -> None:
    # Up to 49 patches over a pixel, whose sum needs 14 bits.
    rng = np.random.default_rng(2)
    image = rng.integers(200, 256, (19, 26, 3), dtype=np.uint8)
    origins = np.argwhere(np.ones((13, 20), bool))
    nearest = rng.integers(0, len(origins), len(origins))
    arguments = image, origins, origins, nearest, 7
    found = patches.rebuilt_image(*arguments)
    np.testing.assert_array_equal(found, patch_twins.rebuilt_image(*arguments))
    assert found.min() >= 200


def test_floats_about() -> None:
    image = np.random.default_rng(8).integers(0, 256, (15, 11, 3), dtype=np.uint8)
    bytes_ = patches.patch_bytes(image, np.array([[0, 0], [8, 4], [3, 1]]), 7)
    middle = np.linspace(0, 255, patches.PATCH_BYTES, dtype=np.float32)
    found = patches.floats_about(bytes_, middle)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, patch_twins.floats_about(bytes_, middle))
