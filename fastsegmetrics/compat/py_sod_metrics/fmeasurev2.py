"""The peer's ``FmeasureV2``: any number of handlers on one table of counts per pair."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastsegmetrics.compat.py_sod_metrics.counts import (
    ADAPTIVE,
    BINARY,
    DYNAMIC,
    Counts,
    confusion_counts,
)
from fastsegmetrics.compat.py_sod_metrics.handlers import (
    STATELESS,
    BERHandler,
    DICEHandler,
    Elementwise,
    FmeasureHandler,
    FPRHandler,
    IOUHandler,
    KappaHandler,
    OverallAccuracyHandler,
    PrecisionHandler,
    RecallHandler,
    SensitivityHandler,
    SpecificityHandler,
    TNRHandler,
    TPRHandler,
    _BaseHandler,
)
from fastsegmetrics.compat.py_sod_metrics.pairs import Pair
from fastsegmetrics.compat.py_sod_metrics.results import mean_of
from fastsegmetrics.errors import InputError

#: All that the peer's module of this name holds.
__all__ = [
    "BERHandler",
    "DICEHandler",
    "FPRHandler",
    "FmeasureHandler",
    "FmeasureV2",
    "IOUHandler",
    "KappaHandler",
    "OverallAccuracyHandler",
    "PrecisionHandler",
    "RecallHandler",
    "SensitivityHandler",
    "SpecificityHandler",
    "TNRHandler",
    "TPRHandler",
    "_BaseHandler",
]


class FmeasureV2:
    """Scores of confusion counts at every threshold, at the adaptive one and of ``pred > 0.5``.

    Parameters
    ----------
    metric_handlers : dict, optional
        Handlers by the name their results get.  A handler is any object with ``dynamic_results``,
        ``adaptive_results``, ``binary_results`` (None where not wanted), ``sample_based`` and
        ``__call__(tp, fp, tn, fn)``; see `_BaseHandler`.

    Examples
    --------
    >>> import numpy as np
    >>> from fastsegmetrics.compat import py_sod_metrics as sod
    >>> metric = sod.FmeasureV2({"iou": sod.IOUHandler(with_dynamic=True, with_adaptive=True)})
    >>> metric.step(np.array([[200, 90, 0]], np.uint8), np.array([[255, 0, 0]], np.uint8))
    >>> float(metric.get_results()["iou"]["adaptive"])
    1.0
    """

    def __init__(self, metric_handlers: dict[str, Any] | None = None) -> None:
        self._metric_handlers: dict[str, Any] = metric_handlers if metric_handlers else {}

    def add_handler(self, handler_name: str, metric_handler: Any) -> None:
        """Add a handler, or replace the one of this name."""
        self._metric_handlers[handler_name] = metric_handler

    def step(self, pred: ArrayLike, gt: ArrayLike, normalize: bool = True) -> None:
        """Score one image with every handler, see `MAE.step`.

        Raises
        ------
        InputError
            When there is no handler, the shapes differ, are empty, or a value is refused.
        """
        if not self._metric_handlers:
            raise InputError("metric_handlers must hold at least one handler; received none")
        counts = confusion_counts(Pair(pred, gt, normalize).statistics().counts)
        # Division makes floats of them: once, not in each of a dozen formulas.
        as_floats = tuple(column.astype(np.float64) for column in counts)
        # Under three names of one class, as of recall, the scores are computed once.
        known: dict[type, NDArray[np.float64]] = {}
        for handler in self._metric_handlers.values():
            kind = type(handler)
            if kind.__call__ is Elementwise.__call__:
                if kind in known:
                    scores = known[kind].copy()
                else:
                    scores = handler(*as_floats)
                    if kind in STATELESS:
                        known[kind] = scores
                _gather_at_once(handler, scores, counts)
            else:
                _gather(handler, counts)

    def get_results(self) -> dict[str, dict[str, Any]]:
        """Return for each handler the means over images of what it gathers.

        The keys are ``"dynamic"`` (a curve, threshold 255 first), ``"adaptive"`` and ``"binary"``.
        """
        results: dict[str, dict[str, Any]] = {}
        for name, handler in self._metric_handlers.items():
            found: dict[str, Any] = {}
            if handler.dynamic_results is not None:
                found["dynamic"] = mean_of(handler.dynamic_results)
            if handler.adaptive_results is not None:
                found["adaptive"] = mean_of(handler.adaptive_results)
            if handler.binary_results is not None:
                pooled = not handler.sample_based
                found["binary"] = (
                    np.mean(np.array(handler(**handler.binary_results), np.float64))
                    if pooled
                    else mean_of(handler.binary_results)
                )
            results[name] = found
        return results

    @staticmethod
    def get_statistics(
        binary: NDArray[np.bool_], gt: NDArray[np.bool_], FG: int, BG: int
    ) -> dict[str, int]:
        """Return the counts of one binary map; `FG` and `BG` are the sizes of both classes."""
        tp = int(np.count_nonzero(binary & gt))
        fp = int(np.count_nonzero(binary)) - tp
        return {"tp": tp, "fp": fp, "tn": BG - fp, "fn": FG - tp}

    def adaptively_binarizing(
        self, pred: NDArray[Any], gt: NDArray[np.bool_], FG: int, BG: int
    ) -> dict[str, int]:
        """Return the counts at twice the mean of a prepared pair: floats in [0, 1], booleans."""
        return _resized(self._counts(pred, gt).at(ADAPTIVE), FG, BG)

    def dynamically_binarizing(
        self, pred: NDArray[Any], gt: NDArray[np.bool_], FG: int, BG: int
    ) -> dict[str, NDArray[np.int64]]:
        """Return the counts of a prepared pair at thresholds 255, 254, … 0."""
        return _resized(self._counts(pred, gt).at(DYNAMIC), FG, BG)

    @staticmethod
    def _counts(pred: NDArray[Any], gt: NDArray[np.bool_]) -> Counts:
        return confusion_counts(Pair(pred, gt, normalize=False).statistics().counts)


def _resized(counts: dict[str, Any], foreground: int, background: int) -> dict[str, Any]:
    # The class sizes are the caller's, which may have masked the arrays it passes.
    return counts | {"tn": background - counts["fp"], "fn": foreground - counts["tp"]}


def _gather(handler: Any, counts: Counts) -> None:
    if handler.dynamic_results is not None:
        handler.dynamic_results.append(handler(**counts.at(DYNAMIC)))
    if handler.adaptive_results is not None:
        handler.adaptive_results.append(handler(**counts.at(ADAPTIVE)))
    if handler.binary_results is not None:
        if handler.sample_based:
            handler.binary_results.append(handler(**counts.at(BINARY)))
        else:
            _pool(handler, counts)


def _gather_at_once(handler: _BaseHandler, scores: NDArray[np.float64], counts: Counts) -> None:
    """Do what `_gather` does from one call: three cost more than the pass over the pixels."""
    if handler.dynamic_results is not None:
        handler.dynamic_results.append(scores[DYNAMIC])
    if handler.adaptive_results is not None:
        handler.adaptive_results.append(scores[ADAPTIVE])
    if isinstance(handler.binary_results, dict):
        _pool(handler, counts)
    elif handler.binary_results is not None:
        handler.binary_results.append(scores[BINARY])


def _pool(handler: Any, counts: Counts) -> None:
    for name, count in counts.at(BINARY).items():
        handler.binary_results[name] += count
