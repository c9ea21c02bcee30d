"""Distances and nearest pixels against the twins and against SciPy, ties included."""

from __future__ import annotations

import inspect
import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import ndimage

from fastsegmetrics.kernels import capped_distance, distance
from fastsegmetrics.reference import capped_distance as capped_twins, distance as twins


def mask_of(rows) -> np.ndarray:
    return np.ascontiguousarray(rows, np.uint8)


@st.composite
def masks(draw: st.DrawFn) -> np.ndarray:
    """Sparse, dense, regular: full of ties."""
    shape = draw(st.tuples(st.integers(1, 17), st.integers(1, 70)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["random", "symmetric", "few", "lattice"]))
    if kind == "random":
        return mask_of(rng.random(shape) < draw(st.sampled_from([0.0, 0.02, 0.1, 0.5, 0.95, 1.0])))
    mask = np.zeros(shape, np.uint8)
    if kind == "lattice":
        mask[:: draw(st.integers(1, 6)), :: draw(st.integers(1, 9))] = 1
        return mask
    for _ in range(draw(st.integers(1, 4))):
        mask[rng.integers(shape[0]), rng.integers(shape[1])] = 1
    if kind == "symmetric":
        mask |= mask[::-1] | mask[:, ::-1]
    return mask


SPECIAL = {
    "one": np.ones((1, 1)),
    "none": np.zeros((1, 1)),
    "empty": np.zeros((5, 40)),
    "full": np.ones((7, 33)),
    "row": np.arange(70)[None] % 23 == 0,
    "column": np.arange(70)[:, None] % 23 == 0,
    "diagonal": np.eye(41, 67),
    "checkerboard": np.indices((19, 37)).sum(0) % 2,
    "comb": np.broadcast_to(np.arange(65) % 4 == 1, (9, 65)),
    "frame": np.pad(np.zeros((13, 64)), 1, constant_values=1),
    "corner": np.pad(np.ones((1, 1)), ((0, 30), (0, 99))),
    "last": np.pad(np.ones((1, 1)), ((30, 0), (96, 0))),
    "two_columns": np.isin(np.arange(129), (0, 128))[None] & np.ones((3, 1), bool),
    "ring": (np.hypot(*(np.indices((61, 61)) - 30)).round() == 25),
}


PAIRS = (
    (distance.nearest_foreground, twins.nearest_foreground),
    (capped_distance.capped_squares, capped_twins.capped_squares),
)


@pytest.mark.parametrize("pair", PAIRS, ids=("nearest_foreground", "capped_squares"))
def test_twins_have_the_same_parameters(pair) -> None:
    ours, twin = (inspect.signature(getattr(f, "py_func", f)).parameters for f in pair)
    assert list(ours) == list(twin)
    assert capped_distance.CAP == capped_twins.CAP == 49729
    assert capped_distance.HERE == capped_twins.HERE == 40


def check_nearest(mask: np.ndarray) -> None:
    rows, columns = distance.nearest_foreground(mask)
    assert rows.dtype == columns.dtype == np.int32
    if mask.any():
        expected = ndimage.distance_transform_edt(
            mask == 0, return_distances=False, return_indices=True
        )
    else:
        expected = np.full((2, *mask.shape), -1)
    np.testing.assert_array_equal(rows, expected[0])
    np.testing.assert_array_equal(columns, expected[1])


def check_squares(mask: np.ndarray) -> None:
    squares, toward = capped_distance.capped_squares(mask)
    expected = np.full(mask.shape, capped_twins.CAP)
    direction = np.full(mask.shape, capped_twins.HERE)
    if mask.any():
        found, at = ndimage.distance_transform_edt(mask == 0, return_indices=True)
        expected = np.minimum(np.rint(found**2), capped_twins.CAP)
        down, right = at - np.indices(mask.shape)
        direction = np.where(expected <= 18, 9 * down + right, 0) + 40
    np.testing.assert_array_equal(squares, expected)
    np.testing.assert_array_equal(toward, direction)


@given(masks())
def test_nearest_is_scipys(mask) -> None:
    check_nearest(mask)


@given(masks())
def test_squares_are_scipys(mask) -> None:
    check_squares(mask)


@given(masks())
def test_kernels_and_twins(mask) -> None:
    for ours, slow in PAIRS:
        for found, twin in zip(ours(mask), slow(mask), strict=True):
            np.testing.assert_array_equal(found, twin)
            assert found.dtype == twin.dtype


@pytest.mark.parametrize("name", SPECIAL)
def test_degenerate_masks(name) -> None:
    mask = mask_of(SPECIAL[name])
    for turned in (mask, mask_of(mask.T), mask_of(mask[::-1]), mask_of(mask[:, ::-1])):
        check_nearest(turned)
        check_squares(turned)


def test_every_mask_of_4_by_4() -> None:
    """All 2^16, as slices so far apart that SciPy transforms each alone."""
    bits = (np.arange(2**16)[:, None] >> np.arange(16)) & 1
    own = np.arange(16)
    squares = (own[:, None] // 4 - own // 4) ** 2 + (own[:, None] % 4 - own % 4) ** 2
    # By distance, then column, then row: the order in which a tie is settled.
    rank = squares * 16 + (own % 4 * 4 + own // 4)
    expected = np.empty((2**16, 16), np.int64)
    for pixel in own:
        expected[:, pixel] = np.where(bits == 1, rank[pixel], 10**6).argmin(axis=1)
    slices, *at = ndimage.distance_transform_edt(
        bits[1:].reshape(-1, 4, 4) == 0, (100, 1, 1), return_distances=False, return_indices=True
    )
    assert (slices == np.arange(2**16 - 1)[:, None, None]).all()
    np.testing.assert_array_equal((at[0] * 4 + at[1]).reshape(-1, 16), expected[1:])
    for index in range(1, 2**16):
        mask = bits[index].reshape(4, 4).astype(np.uint8)
        rows, columns = distance.nearest_foreground(mask)
        np.testing.assert_array_equal((rows * 4 + columns).ravel(), expected[index])
    for index in itertools.chain(range(1, 2**16, 61), (2**16 - 1,)):
        check_nearest(bits[index].reshape(4, 4).astype(np.uint8))
        check_squares(bits[index].reshape(4, 4).astype(np.uint8))


def test_a_tie_goes_to_the_smallest_column_then_to_the_smallest_row() -> None:
    mask = np.zeros((5, 5), np.uint8)
    mask[[0, 4, 2, 2], [2, 2, 0, 4]] = 1
    rows, columns = distance.nearest_foreground(mask)
    assert (rows[2, 2], columns[2, 2]) == (2, 0)
    mask[2, 0] = 0
    rows, columns = distance.nearest_foreground(mask)
    assert (rows[2, 2], columns[2, 2]) == (0, 2)


@pytest.mark.parametrize("place", [0, 17, 299, 300, 310, 599])
def test_distances_around_the_cap(place) -> None:
    mask = np.zeros((600, 600), np.uint8)
    mask[place, 300] = 1
    mask[599 - place, place] = 1
    check_squares(mask)
    check_squares(mask_of(mask.T))


def test_many_components_and_a_wide_image() -> None:
    rng = np.random.default_rng(5)
    mask = mask_of(rng.random((97, 1301)) < 0.002)
    assert ndimage.label(mask)[1] > 200
    check_nearest(mask)
    check_squares(mask)
    check_squares(mask_of(rng.random((200, 210)) < 0.3))


def test_inputs_may_be_read_only_and_stay_as_they_are() -> None:
    mask = mask_of(np.eye(9, 14))
    mask.setflags(write=False)
    before = mask.tobytes()
    check_nearest(mask)
    check_squares(mask)
    assert mask.tobytes() == before


def test_far_blocks_of_a_row_between_two_that_are_near() -> None:
    """Every distance up to the cap and beyond, at every place in a block of 64 pixels."""
    mask = np.zeros((7, 1200), np.uint8)
    mask[3, [0, 471, 960]] = 1
    for shift in range(0, 64, 7):
        check_squares(np.roll(mask, shift, axis=1))
    tall = np.zeros((520, 131), np.uint8)
    tall[[0, 260, 519], [0, 130, 64]] = 1
    check_squares(tall)
