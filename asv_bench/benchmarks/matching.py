"""The kernels that separate targets and match them: one row of `KERNELS` each."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fastsegmetrics.kernels import assign, overlap, proximity, regions

LAYOUTS = ("near", "crowded", "elsewhere")
NUMBERS = (100, 1000, 5000)
LIMIT = 3.0


class Side(NamedTuple):
    """One side's mask, as kernels take it, and its targets."""

    mask: tuple[np.ndarray, np.ndarray, int]
    runs: np.ndarray
    labels: np.ndarray
    table: np.ndarray
    centres: np.ndarray


class Matched(NamedTuple):
    """Ground truth, predictions and the candidates among them."""

    truth: Side
    pred: Side
    pairs: np.ndarray
    costs: np.ndarray

    @property
    def numbers(self) -> tuple[int, int]:
        """How many targets each side has."""
        return len(self.truth.table), len(self.pred.table)


def scene(layout: str, number: int) -> Matched:
    """Return targets of 3 x 4 pixels: predictions beside them, so close that many touch, or
    anywhere."""
    random = np.random.default_rng(number)
    side = int((8 if layout == "crowded" else 40) * np.sqrt(number)) + 16
    at = random.integers(4, side - 8, (number, 2))
    beside = at + random.integers(-1, 2, at.shape)
    if layout == "elsewhere":
        beside = random.integers(4, side - 8, (number, 2))
    truth, pred = _side(at, side), _side(beside, side)
    return Matched(truth, pred, *proximity.near_pairs(truth.centres, pred.centres, LIMIT))


def _side(corners: np.ndarray, side: int) -> Side:
    mask = np.zeros((side, side), np.uint8)
    for row, column in corners:
        mask[row : row + 3, column : column + 4] = 1
    flat = mask.reshape(-1)
    arguments = flat, flat[: flat.size // 8 * 8].view(np.uint64), side
    runs, labels, table = regions.components(*arguments, 8)
    return Side(arguments, runs, labels, table, regions.centroids(table))


def _matrix(of: Matched) -> np.ndarray:
    # Of 1,000 at most: 5,000 would be 200 MB.
    return proximity.distances(of.truth.centres[:1000], of.pred.centres[:1000])


def _assign(of: Matched) -> Callable[[], object]:
    costs = _matrix(of)
    return lambda: assign.assign(costs)


KERNELS: dict[str, Callable[[Matched], Callable[[], object]]] = {
    "components": lambda of: lambda: regions.components(*of.pred.mask, 8),
    "targets": lambda of: lambda: regions.targets(*of.pred.mask),
    "targets_of": lambda of: lambda: regions.targets_of(of.pred.runs),
    "centroids": lambda of: lambda: regions.centroids(of.pred.table),
    "near_pixels": lambda of: (
        lambda: regions.near_pixels(of.pred.runs, of.truth.runs, of.pred.mask[2], 4)
    ),
    "overlaps": lambda of: (
        lambda: overlap.overlaps(
            of.truth.runs, of.truth.labels, of.pred.runs, of.pred.labels, *of.numbers
        )
    ),
    "distances": lambda of: lambda: _matrix(of),
    "near_pairs": lambda of: lambda: proximity.near_pairs(of.truth.centres, of.pred.centres, LIMIT),
    "match_greedily": lambda of: lambda: proximity.match_greedily(of.pairs, *of.numbers),
    "assign": _assign,
    "assign_points": lambda of: lambda: assign.assign_points(of.truth.centres, of.pred.centres),
    "assign_gated": lambda of: lambda: assign.assign_gated(of.pairs, of.costs, LIMIT, *of.numbers),
}


class Matching:
    params = (tuple(KERNELS), LAYOUTS, NUMBERS)
    param_names = ("kernel", "layout", "number")

    def setup(self, kernel: str, layout: str, number: int) -> None:
        self.call = KERNELS[kernel](scene(layout, number))
        self.call()

    def time_call(self, kernel: str, layout: str, number: int) -> None:
        self.call()
