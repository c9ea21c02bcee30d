"""Bit volumes, surfaces, nearest points and distance fields against their twins and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import ndimage

from fastsegmetrics.kernels import elements, nearest, spaced_distance, surface
from fastsegmetrics.reference import (
    elements as element_twins,
    nearest as nearest_twins,
    spaced_distance as distance_twins,
    surface as surface_twins,
)
from fastsegmetrics.statistics.surface_distances import area_table, near_rows

spacings = st.tuples(*[st.sampled_from([0.3, 0.5, 1.0, 1.7, 4.0])] * 3)


@st.composite
def volumes(draw: st.DrawFn) -> np.ndarray:
    """A mask whose rows begin anywhere in a word and end in the first, second or third."""
    shape = draw(
        st.tuples(st.integers(1, 5), st.integers(1, 6), st.sampled_from([1, 7, 64, 70, 131]))
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return (rng.random(shape) < draw(st.sampled_from([0.0, 0.01, 0.5, 0.95, 1.0]))).astype(np.uint8)


def bits_of(mask: np.ndarray, margin: int = 0, planar: bool = False) -> np.ndarray:
    return surface.pack_volume(mask, margin, planar)


@given(volumes(), st.sampled_from([0, 1]), st.booleans())
def test_pack_volume(mask, margin, planar) -> None:
    planes = mask[:1] if planar else mask
    bits = bits_of(planes, margin, planar)
    np.testing.assert_array_equal(bits, surface_twins.pack_volume(planes, margin, planar))
    depth, height, width = planes.shape
    inside = surface_twins.unpacked(bits)
    np.testing.assert_array_equal(inside[:depth, :height, :width], planes == 1)
    assert inside.sum() == planes.sum()
    assert inside.shape[:2] == (depth + margin * (not planar), height + margin)


@given(volumes())
def test_mirrored_and_count(mask) -> None:
    bits = bits_of(mask)
    np.testing.assert_array_equal(surface.mirrored(bits), surface_twins.mirrored(bits))
    np.testing.assert_array_equal(surface.mirrored(surface.mirrored(bits)), bits)
    assert surface.count_bits(bits) == surface_twins.count_bits(bits) == mask.sum()


@given(volumes(), st.integers(1, 3), st.booleans())
def test_surface(mask, connectivity, planar) -> None:
    bits = bits_of(mask)
    found = surface.surface(bits, connectivity, planar)
    np.testing.assert_array_equal(found, surface_twins.surface(bits, connectivity, planar))
    structure = ndimage.generate_binary_structure(3, connectivity)
    if planar:
        structure[[0, 2]] = False
    eroded = ndimage.binary_erosion(mask, structure)
    width = mask.shape[2]
    np.testing.assert_array_equal(
        surface_twins.unpacked(found)[:, :, :width], (mask == 1) & ~eroded
    )


@given(volumes(), volumes())
def test_extent(mask, other) -> None:
    shape = np.minimum(mask.shape, other.shape)
    first, second = (
        bits_of(np.ascontiguousarray(m[: shape[0], : shape[1], : shape[2]])) for m in (mask, other)
    )
    box = surface.extent(first, second)
    np.testing.assert_array_equal(box, surface_twins.extent(first, second))


def whole(bits: np.ndarray) -> np.ndarray:
    """Return the box of all whole words of a bit volume."""
    return np.array([[0, bits.shape[0]], [0, bits.shape[1]], [0, 64 * (bits.shape[2] - 2)]])


@given(volumes(), spacings)
def test_squared_distances(mask, spacing) -> None:
    bits = bits_of(mask)
    box = whole(bits)
    field = spaced_distance.squared_distances(bits, box, spacing)
    np.testing.assert_allclose(
        field, distance_twins.squared_distances(bits, box, spacing), rtol=1e-14, atol=0
    )


@given(volumes(), spacings)
def test_distances_are_scipys(mask, spacing) -> None:
    if not mask.any():
        return
    box = np.array([[0, n] for n in mask.shape])
    found = np.sqrt(spaced_distance.squared_distances(bits_of(mask), box, spacing))
    expected = ndimage.distance_transform_edt(mask == 0, sampling=spacing)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=0)


@given(volumes())
def test_whole_spacings_are_exact(mask) -> None:
    bits, spacing = bits_of(mask), (3.0, 1.0, 2.0)
    box = whole(bits)
    np.testing.assert_array_equal(
        spaced_distance.squared_distances(bits, box, spacing),
        distance_twins.squared_distances(bits, box, spacing),
    )


def test_a_box_inside_a_volume() -> None:
    rng = np.random.default_rng(3)
    mask = np.zeros((9, 8, 90), np.uint8)
    mask[2:7, 1:6, 66:80] = rng.random((5, 5, 14)) < 0.1
    box = np.array([[2, 7], [1, 6], [66, 80]])
    found = spaced_distance.squared_distances(bits_of(mask), box, (1.0, 1.0, 1.0))
    expected = ndimage.distance_transform_edt(mask[2:7, 1:6, 66:80] == 0) ** 2
    np.testing.assert_array_equal(found, np.rint(expected))


def test_an_empty_volume_is_infinitely_far() -> None:
    bits = bits_of(np.zeros((2, 3, 5), np.uint8))
    assert np.isinf(spaced_distance.squared_distances(bits, whole(bits), (1.0, 2.0, 3.0))).all()


@st.composite
def pairs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    first = draw(volumes())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return first, (rng.random(first.shape) < draw(st.sampled_from([0.01, 0.3]))).astype(np.uint8)


@given(pairs(), spacings, st.sampled_from([0, 30, 10**9]))
def test_near_squares(pair, spacing, patience) -> None:
    first, second = (bits_of(mask) for mask in pair)
    rows = near_rows(spacing, False)._replace(horizon=4.0)
    listed = rows.squares.sum(axis=1) <= 4.0
    rows = rows._replace(steps=rows.steps[listed].copy(), squares=rows.squares[listed].copy())
    across = (np.arange(65) * spacing[2]) ** 2
    ours, twin = (np.empty(int(pair[0].sum())) for _ in range(2))
    arguments = first, second, surface.mirrored(second), rows, across
    left = nearest.near_squares(*arguments, ours, patience)
    assert left == nearest_twins.near_squares(*arguments, twin, patience) == (ours < 0).sum()
    np.testing.assert_array_equal(ours, twin)
    if patience == 10**9 and second.any():
        every = np.argwhere(pair[0])
        expected = nearest_twins.tried_squares(every, np.argwhere(pair[1]), spacing)
        np.testing.assert_array_equal(ours[ours >= 0], expected[ours >= 0])
        assert (expected[ours < 0] > 4.0).all()
    points = nearest.points_left(first, ours, left)
    np.testing.assert_array_equal(points, nearest_twins.points_left(first, ours, left))


@given(pairs(), spacings)
def test_tried_squares(pair, spacing) -> None:
    points, targets = (np.argwhere(mask) for mask in pair)
    if not len(targets):
        return
    found = nearest.tried_squares(points, targets, spacing)
    np.testing.assert_array_equal(found, nearest_twins.tried_squares(points, targets, spacing))


@pytest.mark.parametrize("away", [1, 31, 32, 62, 63, 64, 65])
def test_a_row_is_seen_63_voxels_far(away) -> None:
    mask, other = np.zeros((2, 1, 1, 200), np.uint8)
    mask[0, 0, 100] = 1
    other[0, 0, 100 + away] = 1
    for first, second in ((mask, other), (other, mask)):
        out = np.empty(1)
        target = bits_of(second)
        left = nearest.near_squares(
            bits_of(first), target, surface.mirrored(target), near_rows((1.0, 1.0, 1.0), True),
            np.arange(65.0) ** 2, out, 10**9,
        )  # fmt: skip
        assert (left, out[0]) == ((0, away**2) if away < 64 else (1, -1.0))


@given(volumes(), st.booleans())
def test_elements(mask, planar) -> None:
    planes = mask[:1] if planar else mask
    spacing = (2.0, 0.5) if planar else (1.5, 2.0, 0.5)
    bits = bits_of(planes, 1, planar)
    cells = elements.element_cells(bits, planar)
    np.testing.assert_array_equal(cells, element_twins.element_cells(bits, planar))
    count = surface.count_bits(cells)
    table = area_table(spacing)
    found = elements.element_areas(bits, cells, table, planar, count)
    np.testing.assert_array_equal(
        found, element_twins.element_areas(bits, cells, table, planar, count)
    )
    places, areas = element_twins.elements_of(planes[0] if planar else planes, spacing)
    np.testing.assert_allclose(found, areas, rtol=1e-14)
    assert len(places) == count
