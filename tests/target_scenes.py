"""Scenes of targets: none to 300, touching, merged, fragmented, nested, on borders; tiny images."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

Pair = tuple[np.ndarray, np.ndarray]


def scene(seed: int) -> Pair:
    """Return a prediction of floats in [0, 1] and a boolean truth, by its number."""
    rng = np.random.default_rng(seed)
    kind = seed % 8
    height, width = (int(n) for n in rng.integers(1, 70, 2))
    if kind == 7:
        height, width = (int(n) for n in rng.integers(1, 5, 2))
    elif kind == 5:
        height, width = (int(n) for n in rng.integers(10, 26, 2))
    truth = np.zeros((height, width), bool)
    pred = np.zeros((height, width))
    for _ in range(int(rng.integers(0, 25))):
        row, column = rng.integers(height), rng.integers(width)
        tall, wide = rng.integers(1, 6, 2)
        truth[row : row + tall, column : column + wide] = True
        if rng.random() < 0.8:
            down, across = rng.integers(-2, 3, 2)
            top, left = max(0, row + down), max(0, column + across)
            pred[top : top + tall, left : left + wide] = rng.random()
    if kind == 1:  # clutter
        pred = np.maximum(pred, rng.random(pred.shape) * (rng.random(pred.shape) < 0.04))
    elif kind == 2:  # levels on the thresholds
        pred = np.round(pred * 4) / 4
    elif kind == 3:  # fragments: every third row is lost
        pred[::3] = 0
    elif kind == 4:  # merged: a bright frame, and targets nested in it
        pred[[0, -1]] = pred[:, [0, -1]] = 0.9
        pred = np.maximum(pred, truth * 0.7)
    elif kind == 5:  # noise
        pred = rng.random(pred.shape)
    elif kind == 6:
        pred = pred.astype(np.float32)
    return pred, truth


def crowd(n: int) -> Pair:
    """Return about `n` targets of few pixels, each predicted a little off its place."""
    rng = np.random.default_rng(n)
    rows, columns = np.indices((25, 24)).reshape(2, -1)[:, rng.permutation(600)[:n]]
    truth, pred = np.zeros((150, 147), bool), np.zeros((150, 147))
    for row, column in zip(6 * rows + 1, 6 * columns + 1, strict=True):
        down, across = rng.integers(0, 3, 2)
        truth[row : row + 2, column : column + 1 + row % 3] = True
        pred[row + down : row + down + 2, column + across : column + across + 2] = (
            0.3 + 0.7 * down / 2
        )
    return pred, truth


def degenerate() -> dict[str, Pair]:
    """Return pairs at the edge of what is defined."""
    blank, full = np.zeros((6, 9)), np.ones((6, 9))
    target = blank > 0
    target[2:4, 5:8] = True
    one = blank > 0
    one[0, 8] = True
    return {
        "both empty": (blank, blank > 0),
        "truth empty": (target * 0.9, blank > 0),
        "prediction empty": (blank, target),
        "both full": (full, full > 0),
        "truth full": (target * 0.9, full > 0),
        "prediction full": (full, target),
        "one pixel each": (one * 0.8, one),
        "one pixel, missed": (np.roll(one, 4, 1) * 0.8, one),
        "perfect": (target * 1.0, target),
        "strided": (np.kron(target * 0.9, np.ones((2, 3)))[::2, ::3], target),
    }


def scenes() -> Iterator[tuple[str, Pair]]:
    """Yield all of them by name: more than 200."""
    for seed in range(208):
        yield f"scene {seed}", scene(seed)
    for n in (100, 300):
        yield f"crowd {n}", crowd(n)
    yield from degenerate().items()
