"""Twins of ``kernels.label``: runs by comparing neighbours, components by filling them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def label(mask: NDArray[np.bool_], connectivity: int) -> tuple[NDArray[np.int32], int]:
    """Return the label image of a mask, components numbered by first pixel, and their number."""
    steps = [(-1, 0), (0, -1), (0, 1), (1, 0)]
    if connectivity == 8:
        steps += [(-1, -1), (-1, 1), (1, -1), (1, 1)]
    height, width = mask.shape
    labels = np.zeros(mask.shape, np.int32)
    count = 0
    for row, column in np.argwhere(mask):
        if labels[row, column]:
            continue
        count += 1
        labels[row, column] = count
        waiting = [(int(row), int(column))]
        while waiting:
            r, c = waiting.pop()
            for dr, dc in steps:
                y, x = r + dr, c + dc
                inside = 0 <= y < height and 0 <= x < width
                if inside and mask[y, x] and not labels[y, x]:
                    labels[y, x] = count
                    waiting.append((y, x))
    return labels, count


def find_runs(mask: NDArray[np.uint8], words: NDArray[np.uint64], width: int) -> NDArray[np.int32]:
    """Return the runs of foreground of each row; the words are not needed here."""
    plane = mask.reshape(-1, width).astype(np.int8)
    steps = np.diff(plane, axis=1, prepend=0, append=0)
    rows, starts = np.nonzero(steps == 1)
    _, stops = np.nonzero(steps == -1)
    return np.column_stack((rows, starts, stops)).astype(np.int32)


def runs_above(values: NDArray[Any], limit: Any, width: int) -> tuple[NDArray[np.int32], Any]:
    """Return the runs of the values above a limit in each row, and the highest value."""
    return find_runs((values > limit).astype(np.uint8), values, width), values.max()


def label_runs(runs: NDArray[np.int32], connectivity: int) -> tuple[NDArray[np.int32], int]:
    """Return the component, from 1, of each run, and how many there are."""
    if len(runs) == 0:
        return np.zeros(0, np.int32), 0
    mask = np.zeros((runs[:, 0].max() + 1, runs[:, 2].max()), bool)
    for row, start, stop in runs:
        mask[row, start:stop] = True
    labels, count = label(mask, connectivity)
    return labels[runs[:, 0], runs[:, 1]], count


def paint_runs(
    runs: NDArray[np.int32], labels: NDArray[np.int32], height: int, width: int
) -> NDArray[np.int32]:
    """Return the label image of labelled runs."""
    image = np.zeros((height, width), np.int32)
    for (row, start, stop), value in zip(runs, labels, strict=True):
        image[row, start:stop] = value
    return image


def component_table(
    runs: NDArray[np.int32], labels: NDArray[np.int32], count: int
) -> NDArray[np.int64]:
    """Return each component's area, box and sums of rows and columns, from its pixels."""
    table = np.zeros((count, 7), np.int64)
    for k in range(count):
        pixels = np.array(
            [
                (row, column)
                for row, start, stop in runs[labels == k + 1]
                for column in range(start, stop)
            ]
        )
        box = (*pixels.min(axis=0), *(pixels.max(axis=0) + 1))
        table[k] = (len(pixels), *box, *pixels.sum(axis=0))
    return table
