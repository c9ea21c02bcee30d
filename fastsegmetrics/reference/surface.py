"""Twins of ``kernels.surface``: the same volumes, through arrays of one byte a voxel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.surface_pair import surface_voxels

BitVolume = NDArray[np.uint64]


def pack_rows(voxels: NDArray[np.bool_]) -> BitVolume:
    """Return the bit volume of whole words of voxels: a word of zeros to either side."""
    assert voxels.shape[2] % 64 == 0
    padded = np.pad(voxels, ((0, 0), (0, 0), (64, 64)))
    return np.packbits(padded, axis=2, bitorder="little").view("<u8").astype(np.uint64)


def unpacked(bits: BitVolume) -> NDArray[np.bool_]:
    """Return the voxels of a bit volume, whole words of them to a row."""
    data = np.ascontiguousarray(bits.astype("<u8")).view(np.uint8)
    return np.unpackbits(data, axis=2, bitorder="little")[:, :, 64:-64] == 1


def pack_volume(mask: NDArray[np.uint8], margin: int, planar: bool) -> BitVolume:
    """Return the bit volume of a mask (Z, Y, X), with `margin` empty voxels after each axis."""
    after = margin + -(mask.shape[2] + margin) % 64
    grown = np.pad(mask != 0, ((0, 0 if planar else margin), (0, margin), (0, after)))
    return pack_rows(grown)


def mirrored(bits: BitVolume) -> BitVolume:
    """Return a bit volume whose rows run backwards."""
    return pack_rows(unpacked(bits)[:, :, ::-1])


def surface(bits: BitVolume, connectivity: int, planar: bool) -> BitVolume:
    """Return the voxels of a volume that have a neighbour outside it."""
    voxels = unpacked(bits).astype(np.uint8)
    if planar:
        return pack_rows(np.stack([surface_voxels(plane, connectivity) for plane in voxels]))
    return pack_rows(surface_voxels(voxels, connectivity))


def count_bits(bits: BitVolume) -> int:
    """Return the number of set bits."""
    return int(unpacked(bits).sum())


def extent(bits: BitVolume, other: BitVolume) -> NDArray[np.int64]:
    """Return the box of what either volume holds, in whole words of columns: (3, 2)."""
    places = np.argwhere((bits | other)[:, :, 1:-1])
    if not len(places):
        return np.zeros((3, 2), np.int64)
    box = np.stack([places.min(axis=0), places.max(axis=0) + 1], axis=1)
    box[2] *= 64
    return box
