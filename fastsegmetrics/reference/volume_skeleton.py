"""Thinning of volumes by the definition, every voxel in every pass."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.surface import BitVolume, pack_rows, unpacked

# In this order; the first four lie in a plane.
_SIDES = ((0, -1, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1), (1, 0, 0), (-1, 0, 0))


def skeletonize(g: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the skeleton of a volume (Z, Y, X): what is left when no side loses a voxel."""
    voxels = np.pad(g.astype(bool), 1)
    while True:
        before = voxels.copy()
        for step in _SIDES[:4] if len(g) == 1 else _SIDES:
            _thin_from(voxels, step)
        if (voxels == before).all():
            return voxels[1:-1, 1:-1, 1:-1]


def _thin_from(voxels: NDArray[np.bool_], step: tuple[int, ...]) -> None:
    beside = np.roll(voxels, [-n for n in step], (0, 1, 2))
    border = [tuple(place) for place in np.argwhere(voxels & ~beside)]
    for place in [place for place in border if _is_deletable(_around(voxels, place))]:
        if _is_connected(_without_centre(_around(voxels, place))):
            voxels[place] = False


def _around(voxels: NDArray[np.bool_], place: tuple[int, ...]) -> NDArray[np.bool_]:
    return voxels[tuple(slice(at - 1, at + 2) for at in place)]


def _without_centre(around: NDArray[np.bool_]) -> NDArray[np.bool_]:
    others = around.copy()
    others[1, 1, 1] = False
    return others


def _is_deletable(around: NDArray[np.bool_]) -> bool:
    others = _without_centre(around)
    return (
        others.sum() != 1
        and _is_connected(others)
        and euler_characteristic(others) == euler_characteristic(around)
    )


def euler_characteristic(voxels: NDArray[np.bool_]) -> int:
    """Return corners - edges + faces - cubes of a volume whose voxels are closed cubes."""
    # Along an axis, odd places are insides of voxels, even ones what lies between two.
    cells = np.zeros([2 * n + 1 for n in voxels.shape], bool)
    cells[1::2, 1::2, 1::2] = voxels
    for axis in range(3):
        inside = cells.copy()
        for way in (-1, 1):
            cells |= np.roll(inside, way, axis)
    counts = [
        (-1) ** sum(odd) * int(cells[tuple(slice(n, None, 2) for n in odd)].sum())
        for odd in itertools.product((0, 1), repeat=3)
    ]
    return sum(counts)


def _is_connected(voxels: NDArray[np.bool_]) -> bool:
    """Whether voxels are one 26-component, or none: each is reached from each in a few steps."""
    places = np.argwhere(voxels)
    near = np.abs(places[:, None] - places).max(axis=2) <= 1
    return bool((np.linalg.matrix_power(near.astype(float), 32) > 0).all())


def thin_volume(bits: BitVolume) -> BitVolume:
    """Return the skeleton of a bit volume."""
    return pack_rows(skeletonize(unpacked(bits)))
