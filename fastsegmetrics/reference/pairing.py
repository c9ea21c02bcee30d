"""Twins of ``kernels.pairing``: all pairs tried, and SciPy's matching."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def close_pairs(
    points: NDArray[np.int64], index: NDArray[np.int64], steps: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which points of another set lie a listed step from each point, in the steps' order."""
    others = {tuple(place): int(index[tuple(place)]) for place in np.argwhere(index >= 0).tolist()}
    found = [
        [others[place] for place in map(tuple, (point + steps).tolist()) if place in others]
        for point in points
    ]
    starts = np.cumsum([0, *map(len, found)])
    return starts, np.array([other for listed in found for other in listed], np.int64)


def most_pairs(starts: NDArray[np.int64], neighbours: NDArray[np.int64], n_others: int) -> int:
    """Return the largest number of pairs of neighbours in which nobody is twice."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_bipartite_matching

    if len(starts) == 1 or not n_others:
        return 0
    graph = csr_matrix(
        (np.ones(len(neighbours)), neighbours, starts), shape=(len(starts) - 1, n_others)
    )
    return int((maximum_bipartite_matching(graph, perm_type="column") >= 0).sum())
