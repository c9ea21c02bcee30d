"""Scores of matched targets, against the classes of pyirstdmetrics."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

import fastsegmetrics as fsm
from fastsegmetrics.compat import py_irstd_metrics as compat
from speed.contestants import Score, Ways, by_sides, compared
from speed.rows import Row

#: Sizes with how many targets; those of the last are what the target of one threshold names.
SCENES = {(256, 256): (0, 5, 100), (512, 512): (0, 5, 100), (1024, 1024): (200,)}
#: The peer takes a quarter of a minute for all bins of larger images.
_MOST_BINNED = 512 * 512
_WORDS = {"native": "our functions", "warm": "truth prepared", "compat": "import changed"}
#: Times faster that each should be with nothing prepared.
TARGETS = {"hIoU, P > 0.5": 20, "hIoU, 256 bins": 50}


def scene(size: tuple[int, int], n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a map of floats and a boolean truth of targets of 2 to 5 pixels a side.

    Most are predicted a pixel off their place, brighter or darker; and there is clutter.
    """
    rng = np.random.default_rng(n)
    truth, pred = np.zeros(size, bool), np.zeros(size)
    for _ in range(n):
        row, column = (int(rng.integers(2, side - 8)) for side in size)
        tall, wide = rng.integers(2, 6, 2)
        truth[row : row + tall, column : column + wide] = True
        if rng.random() < 0.8:
            down, across = rng.integers(-1, 2, 2)
            place = np.s_[row + down : row + down + tall, column + across : column + across + wide]
            pred[place] = 0.4 + 0.6 * rng.random()
    for row, column in rng.integers(0, min(size), (5 + n // 5, 2)):
        pred[row, column] = rng.random()
    return pred, truth


def _step(module: ModuleType, name: str, *arguments: int) -> Score:
    """Return a call that makes a class of a module, gives it the pair and asks for the result."""

    def step(pred: np.ndarray, gt: np.ndarray) -> object:
        metric = getattr(module, name)(*arguments)
        metric.update(pred, gt)
        return metric.get()

    return step


def _detection(matching: str) -> Score:
    return lambda pred, gt: fsm.detection(pred, gt, matching)  # type: ignore[arg-type]


def _curve(bins: int) -> Callable[[Any, Any], object]:
    return fsm.Plan("hiou.pooled_curve", fsm.Conventions(bins=bins)).measure


def contestants(peer: ModuleType, *, bins: tuple[int, ...]) -> dict[str, Ways]:
    """Return, by what is asked, the peer's, the native and the compatible way to the numbers."""
    matching = "MatchingBasedMetrics"
    shooting = "ShootingRuleBasedProbabilityDetectionAndFalseAlarmRate"
    asked: dict[str, tuple[str, tuple[int, ...], Score]] = {
        "hIoU, P > 0.5": (matching, (), fsm.Plan("hiou.bin").measure),
        **{f"hIoU, {n} bins": (matching, (n,), _curve(n)) for n in bins},
        "error analysis of hIoU": ("HierarchicalIoUBasedErrorAnalysis", (), fsm.hiou),
        "Pd, Fa by distance": (
            "ProbabilityDetectionAndFalseAlarmRate", (), _detection("distance"),
        ),
        "Pd, Fa by OPDC": (matching, (), _detection("opdc")),
        "Pd, Fa by shooting": (shooting, (), _detection("shooting")),
    }  # fmt: skip
    return {
        words: Ways(_step(peer, name, *arguments), native, _step(compat, name, *arguments))
        for words, (name, arguments, native) in asked.items()
    }


def run(
    seconds: float, scenes: dict[tuple[int, int], tuple[int, ...]] | None = None
) -> Iterator[Row]:
    """Yield the speed-up of every score by each way, on every scene."""
    import py_irstd_metrics as peer

    with warnings.catch_warnings():
        # Of the peer's quotients of nothing.
        warnings.simplefilter("ignore")
        for size, numbers in (scenes or SCENES).items():
            bins = (10, 256) if size[0] * size[1] <= _MOST_BINNED else (10,)
            for n in numbers:
                content = f"{n} targets"
                for row in compared(
                    contestants(peer, bins=bins), scene(size, n),
                    size=by_sides(size), content=content, seconds=seconds,
                ):  # fmt: skip
                    yield _renamed(row)


def _renamed(row: Row) -> Row:
    """Return a row of `compared` as one of this section."""
    # Where there is nothing to match, what a call costs is compared.
    held = row.section == "native" and row.content != "0 targets"
    target = TARGETS.get(row.name) if held else None
    return dataclasses.replace(
        row,
        section="targets",
        name=f"{row.name}: {_WORDS[row.section]}",
        goal="at least" if target else "",
        target=target,
    )
