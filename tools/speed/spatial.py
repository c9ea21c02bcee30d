"""Each score that looks at where the errors are, against the peer's class; what has no peer."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import py_sod_metrics as peer

import fastsegmetrics as fsm
from fastsegmetrics.compat import py_sod_metrics as compat
from speed.contents import pair, photograph
from speed.contestants import (
    Score,
    Ways,
    by_sides,
    chosen,
    class_step,
    compared,
    handlers_step,
)
from speed.rows import Row
from speed.scores import thirteen
from speed.timing import in_turn

#: Best and worst content for each kernel, and what files hold.
CONTENTS = ("flat", "maps", "noise", "thin")
_SWEEP = "ms_iou, 257 levels too (MSIoU, dynamic)"
#: The peer's 257 passes take minutes on larger images of many levels.
_MOST_SWEPT = 1024 * 1024
_SWEPT_WHEN_LARGE = ("flat", "maps")


def _multiscale_step(module: Any, *, sweep: bool) -> Score:
    def step(pred: np.ndarray, gt: np.ndarray) -> object:
        metric = module.MSIoU(sweep, sweep, with_binary=True)
        metric.step(pred, gt)
        return metric

    return step


def contestants(image: np.ndarray) -> dict[str, Ways]:
    """Return, by row name, the peer's, the native and the compatible way to the same numbers."""
    table = {
        f"{score} ({name})": Ways(
            class_step(peer, name), getattr(fsm, score), class_step(compat, name)
        )
        for score, name in (
            ("weighted_f", "WeightedFmeasure"),
            ("hce", "HumanCorrectionEffortMeasure"),
            ("c_beta", "ContextMeasure"),
            ("si_mae", "SizeInvarianceMAE"),
        )
    }
    table["ms_iou, fixed (MSIoU)"] = Ways(
        _multiscale_step(peer, sweep=False),
        fsm.Plan("ms_iou.bin").measure,
        _multiscale_step(compat, sweep=False),
    )
    table[_SWEEP] = Ways(
        _multiscale_step(peer, sweep=True), fsm.ms_iou, _multiscale_step(compat, sweep=True)
    )
    camouflage = "CamouflageContextMeasure"
    table[f"c_beta_w ({camouflage})"] = Ways(
        class_step(peer, camouflage, img=image),
        functools.partial(_looking_at, fsm.c_beta_w, image),
        class_step(compat, camouflage, img=image),
    )
    sizes = "SizeInvarianceFmeasureV2"
    one = [("FmeasureHandler", {"beta": 0.3})]
    table[f"size_invariant f_beta ({sizes})"] = Ways(
        handlers_step(peer, sizes, one), fsm.size_invariant, handlers_step(compat, sizes, one)
    )
    scores, handlers = thirteen()
    plan = fsm.Plan([f"si_{name}.{report}" for name in scores for report in ("bin", "adp", "mean")])
    table[f"13 handlers together ({sizes})"] = Ways(
        handlers_step(peer, sizes, handlers), plan.measure, handlers_step(compat, sizes, handlers)
    )
    return table


def _looking_at(score: Any, image: np.ndarray, pred: np.ndarray, gt: Any) -> object:
    # A Target brings its own photograph.
    return score(pred, gt) if isinstance(gt, fsm.Target) else score(pred, gt, image=image)


def run(
    sizes: list[tuple[int, int]], contents: list[str], seconds: float, words: Iterable[str] = ()
) -> Iterator[Row]:
    """Yield the speed-up of every score, by each way, on every size and content; then the
    difficulty-weighted score, which has no peer, in milliseconds."""
    words = list(words)
    for size in sizes:
        for content in contents:
            pred, gt = pair(content, size)
            image = photograph(gt, seed=7)
            table = chosen(contestants(image), words)
            if gt.size > _MOST_SWEPT and content not in _SWEPT_WHEN_LARGE:
                table.pop(_SWEEP, None)
            where = {"size": by_sides(size), "content": content}
            yield from compared(table, (pred, gt), **where, seconds=seconds, image=image)
            if not words or any(word in "difficulty" for word in words):
                yield from _difficulty(pred, gt, image, where, seconds)


def _difficulty(
    pred: np.ndarray, gt: np.ndarray, image: np.ndarray, where: dict[str, str], seconds: float
) -> Iterator[Row]:
    prepared = fsm.Target(gt, image=image)
    times = in_turn(
        {
            "cold": lambda: fsm.difficulty(pred, gt, image=image),
            "warm": lambda: fsm.difficulty(pred, prepared),
        },
        seconds=seconds,
    )
    for state, words in (("cold", "nothing prepared"), ("warm", "truth and photograph prepared")):
        yield Row(
            "no peer", f"difficulty, {words}", 1e3 * times.median(state), "ms", **where
        )  # fmt: skip
