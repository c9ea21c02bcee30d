"""Each sweep score alone, and several together, against the peer's class for it."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import replace

import py_sod_metrics as peer

import fastsegmetrics as fsm
from fastsegmetrics.compat import py_sod_metrics as compat
from speed.contents import pair
from speed.contestants import Ways, by_sides, chosen, class_step, compared, handlers_step
from speed.rows import Row

_CLASSES = {"mae": "MAE", "s_measure": "Smeasure", "e_measure": "Emeasure", "f_beta": "Fmeasure"}
_HANDLERS: dict[str, tuple[str, dict[str, float]]] = {
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


def thirteen() -> tuple[list[str], list[tuple[str, dict[str, float]]]]:
    """Return the names of the scores of thirteen handlers, each once, and the handlers."""
    scores = [name for name in _HANDLERS if name != "f1"]
    return scores, [_HANDLERS[name] for name in scores] + [(name, {}) for name in _ALIASED]


def contestants() -> dict[str, Ways]:
    """Return, by row name, the peer's, the native and the compatible way to the same numbers."""
    table = {
        f"{score} ({name})": Ways(
            class_step(peer, name), getattr(fsm, score), class_step(compat, name)
        )
        for score, name in _CLASSES.items()
    }
    for score, handler in _HANDLERS.items():
        label = "f1 (FmeasureHandler, beta=1)" if score == "f1" else f"{score} ({handler[0]})"
        table[label] = Ways(
            handlers_step(peer, "FmeasureV2", [handler]),
            getattr(fsm, score),
            handlers_step(compat, "FmeasureV2", [handler]),
        )
    paper = (*_CLASSES.values(), "WeightedFmeasure")
    table["paper table (MAE, S, E, F, weighted F)"] = Ways(
        class_step(peer, *paper), fsm.Plan("sod").measure, class_step(compat, *paper)
    )
    scores, handlers = thirteen()
    plan = fsm.Plan([f"{name}.{report}" for name in scores for report in ("bin", "adp", "curve")])
    table["13 handlers together"] = Ways(
        handlers_step(peer, "FmeasureV2", handlers),
        plan.measure,
        handlers_step(compat, "FmeasureV2", handlers),
    )
    return table


def float_contestants() -> dict[str, Ways]:
    """Return what `contestants` does, for float64 maps in [0, 1] and boolean truths."""
    return {
        f"{score} ({name}), float64 map": Ways(
            class_step(peer, name, normalize=False),
            functools.partial(getattr(fsm, score), stretch=False),
            class_step(compat, name, normalize=False),
        )
        for score, name in _CLASSES.items()
    }


def run(
    sizes: list[tuple[int, int]], contents: list[str], seconds: float, words: Iterable[str] = ()
) -> Iterator[Row]:
    """Yield the speed-up of every score, by each way, on every size and content."""
    for size in sizes:
        for content in contents:
            pred, gt = pair(content, size)
            where = {"size": by_sides(size), "content": content, "seconds": seconds}
            yield from compared(chosen(contestants(), words), (pred, gt), **where)
            floats = pred / 255.0, gt > 128
            for row in compared(chosen(float_contestants(), words), floats, **where):
                # Eight times the bytes to read: the target is for the files that benchmarks hold.
                yield replace(row, goal="", target=None)
