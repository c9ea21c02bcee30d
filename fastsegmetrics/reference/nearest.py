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
    columns: dict[tuple[int, int], list[int]] = {}
    for z, y, x in np.argwhere(unpacked(target)).tolist():
        columns.setdefault((z, y), []).append(x)
    spent = left = 0
    for n, (z, y, x) in enumerate(np.argwhere(unpacked(source)).tolist()):
        best, open_for_trial = np.inf, spent < patience
        for (dz, dy), (down, forth) in zip(rows.steps.tolist(), rows.squares.tolist()):
            if not open_for_trial or down + forth >= best:
                break
            spent += 1
            for column in columns.get((z + dz, y + dy), ()):
                if abs(column - x) < 64:
                    best = min(best, (across[abs(column - x)] + forth) + down)
        if best > min(rows.horizon, across[64]):
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
