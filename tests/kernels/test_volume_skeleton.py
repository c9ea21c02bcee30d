"""Thinning of volumes: the twin, drawn masks, and that the topology stays."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import ndimage

from fastsegmetrics.kernels import surface, volume_skeleton
from fastsegmetrics.reference import surface as surface_twins, volume_skeleton as twins

BOX = np.ones((3, 3, 3), bool)


def thinned(mask: np.ndarray) -> np.ndarray:
    bits = surface.pack_volume(np.ascontiguousarray(mask).view(np.uint8), 0, False)
    return surface_twins.unpacked(volume_skeleton.thin_volume(bits))[:, :, : mask.shape[2]]


@st.composite
def volumes(draw: st.DrawFn, longest: int = 5) -> np.ndarray:
    shape = draw(st.tuples(*[st.integers(1, longest)] * 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return rng.random(shape) < draw(st.sampled_from([0.1, 0.3, 0.5, 0.8, 0.95, 1.0]))


@given(volumes(), st.sampled_from([0, 57, 61, 62, 63, 121]))
def test_thin_volume(mask, start) -> None:
    """Wherever the words of a row end, and whatever stands where it begins."""
    placed = np.zeros((*mask.shape[:2], start + mask.shape[2]), bool)
    placed[0, 0, 0] = True
    placed[:, :, start:] |= mask
    bits = surface.pack_volume(placed.view(np.uint8), 0, False)
    bits.setflags(write=False)
    found = volume_skeleton.thin_volume(bits)
    np.testing.assert_array_equal(found, twins.thin_volume(bits))
    assert found.shape == bits.shape


def euler_number(mask: np.ndarray) -> int:
    """Corners - edges + faces - cubes: cells of a kind are places that some voxel of a few has."""
    padded, total = np.pad(mask, 1), 0
    for shared in itertools.product((False, True), repeat=3):
        cells = padded
        for axis in np.flatnonzero(shared):
            first, last = np.arange(cells.shape[axis] - 1), np.arange(1, cells.shape[axis])
            cells = cells.take(first, axis) | cells.take(last, axis)
        total += (-1) ** (3 - sum(shared)) * int(cells.sum())
    return total


@pytest.mark.parametrize(
    ("mask", "expected"),
    [
        (np.ones((1, 1, 1), bool), 1),
        (np.ones((2, 3, 4), bool), 1),
        (np.eye(3, dtype=bool)[None], 1),
        (BOX & ~np.pad(np.ones((1, 1, 1), bool), 1), 2),
        (BOX[:1] & ~np.pad(np.ones((1, 1, 1), bool), ((0, 0), (1, 1), (1, 1))), 0),
    ],
    ids=["voxel", "block", "diagonal", "hollow", "ring"],
)
def test_euler_numbers(mask, expected) -> None:
    assert euler_number(mask) == twins.euler_characteristic(mask) == expected


@given(volumes(12))
def test_topology_stays_but_for_what_vanishes(mask) -> None:
    found = thinned(mask)
    assert not (found & ~mask).any()
    np.testing.assert_array_equal(thinned(found), found)
    labels, n_objects = ndimage.label(mask, BOX)
    n_vanished = n_objects - len(np.unique(labels[found]))
    assert ndimage.label(found, BOX)[1] == n_objects - n_vanished
    assert euler_number(mask) - euler_number(found) == n_vanished


def test_a_hollow_ball_and_a_ring_stay_what_they_are() -> None:
    z, y, x = np.indices((13, 13, 13)) - 6
    radius = np.sqrt(z * z + y * y + x * x)
    hollow = (radius < 6) & (radius > 3)
    ring = (np.hypot(np.hypot(y, x) - 4, z)) < 2
    for mask, euler in ((hollow, 2), (ring, 0)):
        found = thinned(mask)
        assert ndimage.label(found, BOX)[1] == 1
        assert euler_number(found) == euler_number(mask) == euler
        assert found.sum() < mask.sum() / 2
    # A closed curve: each voxel has two neighbours.
    curve = thinned(ring)
    near = ndimage.convolve(curve.astype(int), BOX.astype(int), mode="constant")
    assert set(near[curve]) == {3}


@pytest.mark.parametrize(
    ("shape", "places"),
    [
        ((1, 1, 1), [(0, 0, 0)]),
        ((1, 1, 4), [(0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 0, 3)]),
        ((1, 3, 5), [(0, 1, 0), (0, 1, 1), (0, 1, 2), (0, 1, 3), (0, 1, 4)]),
        ((3, 3, 3), [(0, 1, 1), (1, 1, 1), (2, 1, 1)]),
        ((2, 2, 2), []),
        ((2, 2, 8), []),
        ((4, 3, 8), []),
    ],
)
def test_blocks_as_scikit_image_thins_them(shape, places) -> None:
    assert [tuple(place) for place in np.argwhere(thinned(np.ones(shape, bool))).tolist()] == places


def test_one_slice_is_thinned_from_the_sides_in_it() -> None:
    """Along another axis the free faces of a slice are two more sides, with another outcome."""
    rng = np.random.default_rng(7)
    plane = rng.random((12, 11)) < 0.9
    on_edge = thinned(plane[:, None])
    assert (thinned(plane[None])[0] != on_edge[:, 0]).any()
    np.testing.assert_array_equal(on_edge, twins.skeletonize(plane[:, None]))


def test_an_empty_volume_has_no_skeleton() -> None:
    assert not thinned(np.zeros((2, 3, 70), bool)).any()
