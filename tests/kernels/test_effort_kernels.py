"""Bit masks, thinning, contours and corrections against their twins, and against OpenCV."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from fastsegmetrics.kernels import bitmask, contour, effort, skeleton
from fastsegmetrics.reference import (
    bitmask as bitmask_twins,
    contour as contour_twins,
    effort as effort_twins,
    skeleton as skeleton_twins,
)


def square(height: int, width: int) -> np.ndarray:
    mask = np.zeros((height, width), bool)
    mask[height // 4 : -(height // 4) or None, width // 4 : -(width // 4) or None] = True
    return mask


def rings() -> np.ndarray:
    rows, columns = np.indices((31, 67))
    return np.minimum.reduce([rows, columns, 30 - rows, 66 - columns]) % 4 < 2


def dots() -> np.ndarray:
    rows, columns = np.indices((40, 131))
    return (rows % 4 == 1) & (columns % 6 == 2)


DRAWN = {
    "one_set": np.ones((1, 1), bool),
    "one_clear": np.zeros((1, 1), bool),
    "row": np.arange(131)[None] % 7 > 1,
    "column": (np.arange(23) % 5 > 0)[:, None],
    "empty": np.zeros((9, 70), bool),
    "full": np.ones((13, 66), bool),
    "full_62": np.ones((7, 62), bool),
    "full_63": np.ones((6, 63), bool),
    "full_64": np.ones((5, 64), bool),
    "square": square(20, 97),
    "frame": ~square(17, 66),
    "border": np.pad(np.zeros((15, 62), bool), 1, constant_values=True),
    "corner": np.arange(12 * 65).reshape(12, 65) == 12 * 65 - 1,
    "diagonal": np.eye(33, 71, dtype=bool),
    "antidiagonal": np.eye(33, 71, dtype=bool)[:, ::-1],
    "checkerboard": np.indices((14, 67)).sum(0) % 2 == 0,
    "comb": np.indices((11, 130))[1] % 2 == 0,
    "comb_with_back": (np.indices((11, 130))[1] % 3 == 0) | (np.indices((11, 130))[0] == 10),
    "rings": rings(),
    "dots_200": dots(),
    "holes_200": ~dots(),
}


@st.composite
def masks(draw: st.DrawFn) -> np.ndarray:
    """Noise of every density, blobs with holes and hairs, up to three words wide."""
    height, width = draw(st.integers(1, 14)), draw(st.integers(1, 140))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    mask = rng.random((height, width)) < draw(st.sampled_from([0.02, 0.2, 0.5, 0.8, 0.97]))
    if draw(st.booleans()):
        coarse = mask.repeat(4, 0)[:height].repeat(5, 1)[:, :width]
        mask = coarse ^ (rng.random((height, width)) < 0.03)
    return mask


def sealed(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array


def packed(mask: np.ndarray) -> np.ndarray:
    return sealed(bitmask.pack_levels(sealed(mask.astype(np.uint8)), 0))


every_drawing = pytest.mark.parametrize("name", DRAWN)


@given(masks(), st.integers(0, 255), st.integers(0, 9))
def test_packing(mask, level, seed) -> None:
    width = mask.shape[1]
    values = np.random.default_rng(seed).integers(0, 256, mask.shape).astype(np.uint8)
    bits = bitmask.pack_levels(sealed(values), level)
    np.testing.assert_array_equal(bits, bitmask_twins.pack_levels(values, level))
    np.testing.assert_array_equal(bitmask.unpack(bits, width), values > level)
    np.testing.assert_array_equal(bitmask_twins.unpack(bits, width), values > level)
    for dtype in (np.float32, np.float64):
        floats = sealed((values / 254.0).astype(dtype))
        bits = bitmask.pack_values(floats, 0.5)
        np.testing.assert_array_equal(bits, bitmask_twins.pack_values(floats, 0.5))
        np.testing.assert_array_equal(bitmask.unpack(bits, width), values > 127)


@pytest.mark.parametrize("width", [1, 61, 62, 63, 64, 65, 127, 128, 129, 200])
def test_the_frame_is_every_pixel(width) -> None:
    frame = bitmask.frame(3, width)
    np.testing.assert_array_equal(frame, bitmask_twins.frame(3, width))
    np.testing.assert_array_equal(frame, packed(np.ones((3, width), bool)))


@given(st.integers(0, 63), st.integers(0, 2**64 - 1))
def test_lowest_place(place, above) -> None:
    word = np.uint64((above << place | 1 << place) % 2**64)
    assert bitmask.lowest_place(word) == bitmask_twins.lowest_place(word) == place


@given(masks(), st.integers(0, 6), st.integers(0, 9))
def test_dilate_within(mask, times, seed) -> None:
    allowed = np.random.default_rng(seed).random(mask.shape) < 0.8
    bits, within = packed(mask), packed(allowed)
    grown = bitmask.dilate_within(bits, within, times)
    np.testing.assert_array_equal(grown, bitmask_twins.dilate_within(bits, within, times))
    cross = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))
    expected = mask.astype(np.uint8)
    for _ in range(times):
        expected = cv2.dilate(expected, cross) * allowed
    np.testing.assert_array_equal(bitmask.unpack(grown, mask.shape[1]), expected)


def assert_thinned_alike(mask: np.ndarray) -> None:
    bits, width = packed(mask), mask.shape[1]
    np.testing.assert_array_equal(skeleton.thin(bits, width), skeleton_twins.thin(bits, width))


@given(masks())
def test_thin(mask) -> None:
    assert_thinned_alike(mask)


@every_drawing
def test_thin_drawn(name) -> None:
    assert_thinned_alike(DRAWN[name])


def test_thin_all_neighbourhoods() -> None:
    """Each of the 256, apart from the others, in the first pass and, by what is left, later."""
    sheet = np.zeros((16 * 6, 16 * 6), bool)
    for index in range(256):
        block = np.array(
            [index >> k & 1 for k in range(4)] + [1] + [index >> k & 1 for k in range(4, 8)]
        )
        row, column = divmod(index, 16)
        sheet[6 * row + 1 : 6 * row + 4, 6 * column + 1 : 6 * column + 4] = block.reshape(3, 3)
    assert_thinned_alike(sheet)


@pytest.mark.parametrize(
    ("drawing", "thinned"),
    [
        (["##", "##"], ["##", ".."]),
        (["###", "###", "###"], [".#.", "#..", "..."]),
        (["#####", "#####", "#####"], ["...#.", "###..", "....."]),
        (["#.#", ".#.", "#.#"], ["#.#", ".#.", "#.#"]),
        (["..#", ".##", "##."], ["..#", ".#.", "..."]),
        (["#####", "#...#", "#.###", "###.."], [".###.", "#...#", "#.##.", ".#..."]),
    ],
)  # fmt: skip
def test_thin_as_scikit_image_does(drawing, thinned) -> None:
    mask = np.array([[pixel == "#" for pixel in line] for line in drawing])
    width = mask.shape[1]
    found = bitmask.unpack(skeleton.thin(packed(mask), width), width)
    assert ["".join(".#"[pixel] for pixel in line) for line in found] == thinned


def assert_traced_alike(mask: np.ndarray) -> None:
    bits = packed(mask)
    starts, holes, parents = contour.find_borders(bits)
    for ours, twin in zip((starts, holes, parents), contour_twins.find_borders(bits)):
        np.testing.assert_array_equal(ours, twin)
    order = contour.listing_order(parents)
    np.testing.assert_array_equal(order, contour_twins.listing_order(parents))
    contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_TREE, cv2.CHAIN_APPROX_NONE)
    assert len(contours) == order.size
    for i, expected in zip(order, contours):
        points = contour.border_points(bits, starts[i], bool(holes[i]))
        np.testing.assert_array_equal(points[:, ::-1], expected[:, 0])
        np.testing.assert_array_equal(
            points, contour_twins.border_points(bits, int(starts[i]), bool(holes[i]))
        )


@given(masks())
def test_contours(mask) -> None:
    assert_traced_alike(mask)


@every_drawing
def test_contours_drawn(name) -> None:
    assert_traced_alike(DRAWN[name])


def test_contours_inside_each_other() -> None:
    mask = rings()
    _, holes, parents = contour.find_borders(packed(mask))
    assert holes.tolist() == [False, True] * 4
    assert parents.tolist() == [-1, 0, 1, 2, 3, 4, 5, 6]


polylines = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 9)), min_size=1, max_size=30
).filter(lambda points: len(points) == 1 or points[0] != points[-1])


@given(polylines, st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.7]))
@example([(3, 4)], 2.0)
@example([(0, 0), (1, 1)], 2.0)
def test_simplify(points, epsilon) -> None:
    array = np.array(points, np.int32)
    np.testing.assert_array_equal(
        contour.simplify(array, epsilon), contour_twins.simplify(array, epsilon)
    )


@pytest.mark.parametrize(
    ("points", "epsilon", "kept"),
    [
        ([(5, 5)], 2.0, [0]),
        ([(5, 5), (5, 6)], 2.0, [0, 1]),
        ([(0, column) for column in range(20)], 2.0, [0, 19]),
        # 3 pixels off a chord of 10: kept at 2, not at 3, where d² > ε² is false.
        ([(0, 0), (3, 5), (0, 10)], 2.0, [0, 1, 2]),
        ([(0, 0), (3, 5), (0, 10)], 3.0, [0, 2]),
        # Of two points equally far off the first splits, and the other is near the new chord.
        ([(0, 0), (3, 3), (3, 7), (0, 10)], 2.0, [0, 1, 3]),
        # Clean-up: 1 is √1.8 off the line from 0 to 2, and ε²/2 = 2; 2 is then not tested.
        ([(0, 0), (5, 1), (10, 5), (10, 10), (15, 12)], 2.0, [0, 2, 3, 4]),
        # 1 is only 1 off the line from 0 to 2, but that line is level.
        ([(0, 0), (1, 6), (0, 10), (-2, 9)], 2.0, [0, 1, 2, 3]),
    ],
)
def test_simplify_by_hand(points, epsilon, kept) -> None:
    array = np.array(points, np.int32)
    assert contour.simplify(array, epsilon).tolist() == kept
    assert contour_twins.simplify(array, epsilon).tolist() == kept


@given(masks(), st.integers(0, 9), st.sampled_from([0.1, 0.5, 1.0]), st.sampled_from([0.5, 2.0]))
def test_control_points(mask, seed, share, epsilon) -> None:
    near = packed(np.random.default_rng(seed).random(mask.shape) < share)
    bits = packed(mask)
    ours = contour.control_points(bits, near, epsilon)
    assert tuple(ours) == contour_twins.control_points(bits, near, epsilon)


@every_drawing
def test_control_points_drawn(name) -> None:
    mask = DRAWN[name]
    bits = packed(mask)
    near = packed(np.indices(mask.shape).sum(0) % 9 < 6)
    for condition in (near, packed(np.ones_like(mask)), packed(np.zeros_like(mask))):
        ours = contour.control_points(bits, condition, 2.0)
        assert tuple(ours) == contour_twins.control_points(bits, condition, 2.0)
    assert ours[0] == 0
    regions = cv2.connectedComponents(mask.astype(np.uint8), connectivity=8)[0] - 1
    assert ours[1] == regions


@given(masks(), st.integers(0, 9), st.integers(0, 7))
def test_error_masks(mask, seed, relax) -> None:
    rng = np.random.default_rng(seed)
    pred = mask ^ (rng.random(mask.shape) < rng.random())
    width = mask.shape[1]
    gt = packed(mask)
    arguments = (packed(pred), gt, sealed(skeleton.thin(gt, width)), width, relax)
    for ours, twin in zip(effort.error_masks(*arguments), effort_twins.error_masks(*arguments)):
        np.testing.assert_array_equal(ours, twin)
