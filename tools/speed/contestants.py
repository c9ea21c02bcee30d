"""The peer's classes, ours and our functions, bound to one pair and timed in turn."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

import fastsegmetrics as fsm
from speed.rows import Row
from speed.timing import beside

Score = Callable[[Any, Any], object]
LEAST = 10.0

#: Ways to the same numbers: our functions and our compatible classes on a truth that was not seen
#: before, and our functions on a `Target` that another method was scored on.
WAYS = ("native", "compat", "warm")


class Ways(NamedTuple):
    """Calls of (prediction, truth) that give the same numbers; `native` takes a `Target` too."""

    peer: Score
    native: Score
    compat: Score


def class_step(module: Any, *names: str, **more: Any) -> Score:
    """Return a call that makes the classes of a module and gives each the pair."""

    def step(pred: np.ndarray, gt: np.ndarray) -> object:
        metrics = [getattr(module, name)() for name in names]
        for metric in metrics:
            metric.step(pred, gt, **more)
        return metrics

    return step


def handlers_step(module: Any, name: str, handlers: list[tuple[str, dict[str, float]]]) -> Score:
    """Return a call that makes a class with all reports of the handlers and gives it the pair."""
    flags = {"with_dynamic": True, "with_adaptive": True, "with_binary": True}

    def step(pred: np.ndarray, gt: np.ndarray) -> object:
        made = {f"{i}": getattr(module, cls)(**flags, **kw) for i, (cls, kw) in enumerate(handlers)}
        metric = getattr(module, name)(made)
        metric.step(pred, gt)
        return metric

    return step


def compared(
    table: Mapping[str, Ways],
    arrays: tuple[np.ndarray, np.ndarray],
    *,
    size: str,
    content: str,
    seconds: float,
    image: np.ndarray | None = None,
) -> Iterator[Row]:
    """Yield a row of each way for every entry of the table.

    A prepared truth has been through every call once before it is timed.
    """
    pred, gt = arrays
    for name, ways in table.items():
        calls = {
            "peer": functools.partial(ways.peer, pred, gt),
            "native": functools.partial(ways.native, pred, gt),
            "compat": functools.partial(ways.compat, pred, gt),
            "warm": functools.partial(ways.native, pred, fsm.Target(gt, image=image)),
        }
        times = beside("peer", calls, seconds=seconds)
        for way in WAYS:
            goal = () if way == "warm" else ("at least", LEAST)
            taken = {w: 1e3 * times.median(w) for w in ("peer", way)}
            ratio = times.ratio("peer", way)
            yield Row(
                way, name, ratio, "x", *goal, size=size, content=content, times_ms=taken
            )  # fmt: skip


def chosen(table: Mapping[str, Ways], words: Iterable[str]) -> dict[str, Ways]:
    """Return the entries whose names hold one of the words; all if there are none."""
    words = list(words)
    return {
        name: ways
        for name, ways in table.items()
        if not words or any(word.lower() in name.lower() for word in words)
    }


def by_sides(size: tuple[int, ...]) -> str:
    """Return a size as tables show it."""
    return "×".join(map(str, size))
