"""The largest number of pairs that can be made of points that lie near each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel

_FREE = -1
_UNSEEN = np.int64(2**62)


@kernel
def close_pairs(
    points: NDArray[np.int64], index: NDArray[np.int64], steps: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which points of another set lie a listed step from each point.

    Parameters
    ----------
    points : ndarray of int64, shape (N, 3)
        Plane, row and column.
    index : ndarray of int64, shape (Z, Y, X)
        The number of the other set's point at each place, -1 where there is none.
    steps : ndarray of int64, shape (K, 3)
        Planes, rows and columns away.

    Returns
    -------
    starts : ndarray of int64, shape (N + 1,)
        Where each point's neighbours begin.
    neighbours : ndarray of int64
        Numbers of the other set's points.
    """
    starts = np.zeros(points.shape[0] + 1, np.int64)
    neighbours = np.empty(16, np.int64)
    n = 0
    for i in range(points.shape[0]):
        for k in range(steps.shape[0]):
            z, y, x = (
                points[i, 0] + steps[k, 0],
                points[i, 1] + steps[k, 1],
                points[i, 2] + steps[k, 2],
            )
            if 0 <= z < index.shape[0] and 0 <= y < index.shape[1] and 0 <= x < index.shape[2]:
                other = index[z, y, x]
                if other >= 0:
                    if n == neighbours.size:
                        larger = np.empty(2 * n, np.int64)
                        larger[:n] = neighbours
                        neighbours = larger
                    neighbours[n] = other
                    n += 1
        starts[i + 1] = n
    return starts, neighbours[:n].copy()


@kernel
def _layers(
    starts: NDArray[np.int64],
    neighbours: NDArray[np.int64],
    mate: NDArray[np.int64],
    mate_of_other: NDArray[np.int64],
    depth: NDArray[np.int64],
) -> bool:
    """Number the points by how many exchanges from a free one; tell whether a free other is met."""
    queue = np.empty(mate.size, np.int64)
    head = tail = 0
    for i in range(mate.size):
        depth[i] = _UNSEEN
        if mate[i] == _FREE:
            depth[i] = 0
            queue[tail] = i
            tail += 1
    met = False
    while head < tail:
        i = queue[head]
        head += 1
        for k in range(starts[i], starts[i + 1]):
            following = mate_of_other[neighbours[k]]
            if following == _FREE:
                met = True
            elif depth[following] == _UNSEEN:
                depth[following] = depth[i] + 1
                queue[tail] = following
                tail += 1
    return met


@kernel
def _augment(
    root: int,
    starts: NDArray[np.int64],
    neighbours: NDArray[np.int64],
    mate: NDArray[np.int64],
    mate_of_other: NDArray[np.int64],
    depth: NDArray[np.int64],
    tried: NDArray[np.int64],
    path: NDArray[np.int64],
) -> bool:
    """Follow the layers from a free point to a free other, and exchange the pairs on the way.

    Depth first without recursion; `tried` says which neighbour of each point is next.
    """
    length = 1
    path[0] = root
    while length > 0:
        i = path[length - 1]
        if tried[i] == starts[i + 1]:
            depth[i] = _UNSEEN
            length -= 1
            continue
        other = neighbours[tried[i]]
        tried[i] += 1
        following = mate_of_other[other]
        if following == _FREE:
            # Each point on the path takes the neighbour that led on from it.
            for k in range(length):
                mate[path[k]] = neighbours[tried[path[k]] - 1]
            for k in range(length):
                mate_of_other[mate[path[k]]] = path[k]
            return True
        if depth[following] == depth[i] + 1:
            path[length] = following
            length += 1
    return False


@kernel
def most_pairs(starts: NDArray[np.int64], neighbours: NDArray[np.int64], n_others: int) -> int:
    """Return the largest number of pairs of neighbours in which nobody is twice.

    By shortest exchanges, all of one length at a time (Hopcroft and Karp, 1973).
    """
    n = starts.size - 1
    mate = np.full(n, _FREE)
    mate_of_other = np.full(n_others, _FREE)
    depth, path = np.empty(n, np.int64), np.empty(n, np.int64)
    pairs = 0
    while _layers(starts, neighbours, mate, mate_of_other, depth):
        tried = starts[:-1].copy()
        for i in range(n):
            if mate[i] == _FREE:
                found = _augment(i, starts, neighbours, mate, mate_of_other, depth, tried, path)
                pairs += np.int64(found)
    return pairs
