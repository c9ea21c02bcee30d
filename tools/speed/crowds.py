"""5,000 targets on each side, against SciPy's assignment of their distances."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

import fastsegmetrics as fsm
from fastsegmetrics.kernels.assign import assign, assign_points
from speed.rows import Row
from speed.timing import in_turn

N = 5000
#: Seconds that anything may take.
MOST = 2.0
_SIDE, _CELL = 2048, 28


def scene(near: bool, n: int = N) -> tuple[np.ndarray, np.ndarray]:
    """Return a map and a truth of `n` targets of 3 × 3 pixels, which do not touch each other.

    Each is predicted a pixel off its place; or the two sides have nothing to do with each other.
    """
    rng = np.random.default_rng(n)
    across = _SIDE // _CELL
    truth, pred = np.zeros((_SIDE, _SIDE), bool), np.zeros((_SIDE, _SIDE))
    places = []
    for _ in range(2):
        cells = np.stack(np.divmod(rng.permutation(across**2)[:n], across), axis=1)
        places.append(_CELL * cells + rng.integers(1, _CELL - 5, (n, 2)))
    for row, column in places[0]:
        truth[row : row + 3, column : column + 3] = True
    for row, column in places[0] + 1 if near else places[1]:
        pred[row : row + 3, column : column + 3] = 0.9
    return pred, truth


def run(n: int = N) -> Iterator[Row]:
    """Yield the seconds of the assignment alone and of hIoU as a whole."""
    rng = np.random.default_rng(1)
    costs, (rows, columns) = rng.random((n, n)), 1000 * rng.random((2, n, 2))
    yield _timed("assignment, a matrix", "random costs", n, lambda: assign(costs), costs)
    yield _timed(
        "assignment, points", "unrelated", n, lambda: assign_points(rows, columns),
        cdist(rows, columns),
    )  # fmt: skip
    for near in (True, False):
        pred, truth = scene(near, n)
        measure = fsm.Plan("hiou.bin").measure
        content = "a pixel off" if near else "unrelated"
        yield _timed("hIoU, P > 0.5", content, n, lambda m=measure, p=pred, g=truth: m(p, g))


def _timed(
    name: str, content: str, n: int, ours: Callable[[], object], costs: np.ndarray | None = None
) -> Row:
    calls = {"native": ours}
    if costs is not None:
        calls["SciPy"] = lambda: linear_sum_assignment(costs)
    times = in_turn(calls, least_rounds=3, seconds=0)
    taken = {who: 1e3 * times.median(who) for who in calls}
    return Row(
        "crowds", name, times.median("native"), "s", "at most", MOST,
        f"{n:,} × {n:,}", content, taken,
    )  # fmt: skip
