"""Twin of ``kernels.spaced_distance``: every set voxel is tried for every voxel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.surface import unpacked


def squared_distances(
    sites: NDArray[np.uint64], box: NDArray[np.int64], spacing: tuple[float, float, float]
) -> NDArray[np.float64]:
    """Return the squared distance of each voxel of a box to the nearest set voxel of that box."""
    inside = tuple(slice(first, end) for first, end in box.tolist())
    voxels = unpacked(sites)[inside]
    field = np.full(voxels.shape, np.inf)
    places = np.indices(voxels.shape)
    for site in np.argwhere(voxels):
        z, y, x = ((places[axis] - site[axis]) * spacing[axis] for axis in range(3))
        field = np.minimum(field, (x * x + y * y) + z * z)
    return field
