"""Twins of ``kernels.nearest``: all distances, of which those that the kernel gives up are -1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.surface import unpacked


def near_squares(
    source: NDArray[np.uint64],
    target: NDArray[np.uint64],
    backward: NDArray[np.uint64],
    rows: Any,
    across: NDArray[np.float64],
    out: NDArray[np.float64],
    patience: int,
) -> int:
    """Write squared distances to the nearest target point; -1 where it may lie beyond the rows."""
    listed = {tuple(step): squares for step, squares in zip(rows.steps.tolist(), rows.squares)}
    targets = np.argwhere(unpacked(target))
    vain = left = 0
    for n, point in enumerate(np.argwhere(unpacked(source))):
        best = np.inf
        for z, y, x in (targets - point).tolist() if vain < patience else ():
            if (z, y) in listed and abs(x) < 64:
                down, forth = listed[z, y]
                best = min(best, (across[abs(x)] + forth) + down)
        if best > min(rows.horizon, across[64]):
            vain += len(listed)
            left += 1
            best = -1.0
        out[n] = best
    return left


def points_left(
    source: NDArray[np.uint64], squares: NDArray[np.float64], count: int
) -> NDArray[np.int64]:
    """Return plane, row and column of the set bits whose value is negative: (count, 3)."""
    places = np.argwhere(unpacked(source))[squares < 0]
    assert len(places) == count
    return places


def tried_squares(
    points: NDArray[np.int64], targets: NDArray[np.int64], spacing: tuple[float, float, float]
) -> NDArray[np.float64]:
    """Return the squared distance of each point to the nearest of the targets."""
    out = np.full(len(points), np.inf)
    for n, point in enumerate(points):
        z, y, x = ((targets - point) * np.array(spacing)).T
        out[n] = ((x * x + y * y) + z * z).min()
    return out
