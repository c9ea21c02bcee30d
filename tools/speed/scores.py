"""Each score alone, and the sweep scores together, against the peer's class for it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import py_sod_metrics as peer

import fastsegmetrics as fsm
from fastsegmetrics.compat import py_sod_metrics as compat
from speed.contents import pair
from speed.rows import Row, geometric_mean
from speed.timing import in_turn

Score = Callable[[Any, Any], object]
LEAST = 10.0

_CLASSES = {"mae": "MAE", "s_measure": "Smeasure", "e_measure": "Emeasure", "f_beta": "Fmeasure"}
_HANDLERS = {
    "f_beta": ("FmeasureHandler", {"beta": 0.3}),
    "f1": ("FmeasureHandler", {"beta": 1.0}),
    "precision": ("PrecisionHandler", {}),
    "recall": ("RecallHandler", {}),
    "specificity": ("SpecificityHandler", {}),
    "fpr": ("FPRHandler", {}),
    "iou": ("IOUHandler", {}),
    "dice": ("DICEHandler", {}),
    "ber": ("BERHandler", {}),
    "kappa": ("KappaHandler", {}),
    "accuracy": ("OverallAccuracyHandler", {}),
}
#: The thirteen handlers of the peer's own example; three are other names of two scores.
_ALIASED = ("SensitivityHandler", "TPRHandler", "TNRHandler")
_FLAGS = {"with_dynamic": True, "with_adaptive": True, "with_binary": True}


def _class_step(module: Any, *names: str, normalize: bool = True) -> Score:
    def step(pred: np.ndarray, gt: np.ndarray) -> object:
        metrics = [getattr(module, name)() for name in names]
        for metric in metrics:
            metric.step(pred, gt, normalize)
        return metrics

    return step


def _handlers_step(module: Any, names: list[tuple[str, dict[str, float]]]) -> Score:
    def step(pred: np.ndarray, gt: np.ndarray) -> object:
        handlers = {
            f"{i}": getattr(module, name)(**_FLAGS, **extra)
            for i, (name, extra) in enumerate(names)
        }
        metric = module.FmeasureV2(handlers)
        metric.step(pred, gt)
        return metric

    return step


def _together() -> tuple[Score, list[tuple[str, dict[str, float]]]]:
    reports = ("bin", "adp", "curve")
    scores = [name for name in _HANDLERS if name != "f1"]
    plan = fsm.Plan([f"{score}.{report}" for score in scores for report in reports])
    handlers = [_HANDLERS[name] for name in scores] + [(name, {}) for name in _ALIASED]
    return plan.measure, handlers


def contestants() -> dict[str, dict[str, Score]]:
    """Return, by row name, the peer's, the native and the compatible way to the same numbers."""
    table = {}
    for score, name in _CLASSES.items():
        table[f"{score} ({name})"] = {
            "peer": _class_step(peer, name),
            "native": getattr(fsm, score),
            "compat": _class_step(compat, name),
        }
    for score, handler in _HANDLERS.items():
        label = "f1 (FmeasureHandler, beta=1)" if score == "f1" else f"{score} ({handler[0]})"
        table[label] = {
            "peer": _handlers_step(peer, [handler]),
            "native": getattr(fsm, score),
            "compat": _handlers_step(compat, [handler]),
        }
    paper = (*_CLASSES.values(), "WeightedFmeasure")
    table["weighted_f (WeightedFmeasure)"] = {
        "peer": _class_step(peer, "WeightedFmeasure"),
        "native": fsm.weighted_f,
        "compat": _class_step(compat, "WeightedFmeasure"),
    }
    table["paper table (MAE, S, E, F, weighted F)"] = {
        "peer": _class_step(peer, *paper),
        "native": fsm.Plan("sod").measure,
        "compat": _class_step(compat, *paper),
    }
    plan, thirteen = _together()
    table["13 handlers together"] = {
        "peer": _handlers_step(peer, thirteen),
        "native": plan,
        "compat": _handlers_step(compat, thirteen),
    }
    return table


def float_contestants() -> dict[str, dict[str, Score]]:
    """Return what `contestants` does, for float64 maps in [0, 1] and boolean truths."""
    return {
        f"{score} ({name}), float64 map": {
            "peer": _class_step(peer, name, normalize=False),
            "native": functools.partial(getattr(fsm, score), stretch=False),
            "compat": _class_step(compat, name, normalize=False),
        }
        for score, name in _CLASSES.items()
    }


def run(sizes: list[tuple[int, int]], contents: list[str], seconds: float) -> Iterator[Row]:
    """Yield the speed-up of every score, by our two interfaces, on every size and content.

    The geometric mean is of the 8-bit rows.
    """
    for size in sizes:
        rows: list[Row] = []
        for content in contents:
            pred, gt = pair(content, size)
            rows += _compared(contestants(), (pred, gt), size, content, seconds)
        yield from rows
        for way in ("native", "compat"):
            mean = geometric_mean(row.figure for row in rows if row.section == way)
            yield Row(way, "geometric mean", mean, "x", size=_words(size), content="sweep")
        for content in contents:
            pred, gt = pair(content, size)
            floats = pred / 255.0, gt > 128
            for row in _compared(float_contestants(), floats, size, content, seconds):
                # Eight times the bytes to read: the target is for the files that benchmarks hold.
                yield replace(row, goal="", target=None)


def _compared(
    table: dict[str, dict[str, Score]],
    arrays: tuple[np.ndarray, np.ndarray],
    size: tuple[int, int],
    content: str,
    seconds: float,
) -> Iterator[Row]:
    for name, ways in table.items():
        calls = {way: _bound(call, *arrays) for way, call in ways.items()}
        times = in_turn(calls, seconds=seconds)
        for way in ("native", "compat"):
            taken = {w: 1e3 * times.median(w) for w in ("peer", way)}
            ratio = times.ratio("peer", way)
            yield Row(
                way, name, ratio, "x", "at least", LEAST, _words(size), content, taken
            )  # fmt: skip


def _words(size: tuple[int, int]) -> str:
    return f"{size[0]}×{size[1]}"


def _bound(call: Score, pred: np.ndarray, gt: np.ndarray) -> Callable[[], object]:
    return lambda: call(pred, gt)
