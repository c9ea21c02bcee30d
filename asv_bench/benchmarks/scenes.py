"""Pairs of realistic sizes, from NumPy alone: blank, comb, smooth and noise."""

from __future__ import annotations

import numpy as np

SIZES = (512, 1024)
CONTENTS = ("blank", "comb", "smooth", "noise")


def pair(content: str, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (prediction, ground truth), uint8 (side, 3/4 side); the truth holds 0 and 255."""
    height, width = side, 3 * side // 4
    rows, columns = np.ogrid[:height, :width]
    random = np.random.default_rng(side)
    if content == "blank":
        return np.zeros((height, width), np.uint8), np.zeros((height, width), np.uint8)
    if content == "comb":
        truth = np.broadcast_to(columns % 8 < 3, (height, width))
        return _grey(255 * (columns % 8 < 4) * (rows % 64 < 60)), _grey(255 * truth)
    distance = ((rows - height / 2) / height) ** 2 + ((columns - width / 2) / width) ** 2
    if content == "smooth":
        return _grey(255 * np.exp(-8 * distance)), _grey(255 * (distance < 0.06))
    levels = random.integers(0, 256, (height, width), dtype=np.uint8)
    return levels, _grey(255 * (random.random((height, width)) < 0.3))


def _grey(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values).astype(np.uint8)


def photograph(pred: np.ndarray, gt: np.ndarray) -> np.ndarray:
    """Return an RGB image of a pair's size, for the metrics that look at one."""
    return np.dstack([pred, gt, pred // 2 + gt // 2])


def as_float(pred: np.ndarray, dtype: str) -> np.ndarray:
    """Return the map in [0, 1]."""
    return (pred / 255.0).astype(dtype)
