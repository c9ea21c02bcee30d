"""Scores of pixel counts at one threshold and at n - 1 levels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastsegmetrics.compat.py_irstd_metrics.pairs import checked, quotient
from fastsegmetrics.errors import InputError


class _BaseHandler:
    """What a handler is: four counts in, one score out, and room for the results.

    Derive from it and define ``__call__(self, tp, fp, tn, fn)``, which is called with keyword
    arguments: int64 arrays for the curve, integers for one binary map.

    Parameters
    ----------
    with_dynamic : bool
        Gather each image's curve, highest level first.
    with_binary : bool
        Gather the score of the map above the threshold.
    sample_based : bool
        Whether ``with_binary`` averages the images' scores or scores the summed counts.

    Attributes
    ----------
    dynamic_results : list or None
        One curve per image; None where not asked for.
    binary_results : list, dict or None
        One entry per image, or with ``sample_based=False`` the summed counts by name.
    """

    def __init__(
        self, *, with_dynamic: bool = False, with_binary: bool = True, sample_based: bool = True
    ) -> None:
        self.dynamic_results: list[Any] | None = [] if with_dynamic else None
        self.sample_based = sample_based
        self.binary_results: list[Any] | dict[str, int] | None = None
        if with_binary:
            self.binary_results = [] if sample_based else {"tp": 0, "fp": 0, "tn": 0, "fn": 0}

    def __call__(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        """Return the score of the counts, element by element."""
        raise NotImplementedError(
            f"{type(self).__name__} must define __call__(tp, fp, tn, fn) to be used as a handler"
        )


class IoUHandler(_BaseHandler):
    """Intersection over union: tp / (tp + fp + fn)."""

    def __call__(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        """Return the score of the counts, element by element, 0 where it is 0/0."""
        return quotient(tp, tp + fp + fn)


class PrecisionHandler(_BaseHandler):
    """Share of the predicted foreground that is right: tp / (tp + fp)."""

    def __call__(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        """Return the score of the counts, element by element, 0 where it is 0/0."""
        return quotient(tp, tp + fp)


class RecallHandler(_BaseHandler):
    """Share of the foreground that is found: tp / (tp + fn)."""

    def __call__(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        """Return the score of the counts, element by element, 0 where it is 0/0."""
        return quotient(tp, tp + fn)


class FPRHandler(_BaseHandler):
    """Share of the background that is predicted as foreground: fp / (tn + fp)."""

    def __call__(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        """Return the score of the counts, element by element, 0 where it is 0/0."""
        return quotient(fp, tn + fp)


TPRHandler = RecallHandler


class FmeasureHandler(_BaseHandler):
    """F-measure: (1 + beta) P R / (beta P + R).

    Parameters
    ----------
    beta : float
        The weight β² itself, not β.
    """

    def __init__(
        self,
        *,
        with_dynamic: bool,
        with_binary: bool = False,
        sample_based: bool = True,
        beta: float = 0.3,
    ) -> None:
        super().__init__(
            with_dynamic=with_dynamic, with_binary=with_binary, sample_based=sample_based
        )
        self.beta = beta
        self.precision = PrecisionHandler(with_binary=False)
        self.recall = RecallHandler(with_binary=False)

    def __call__(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        """Return the score of the counts, element by element, 0 where it is 0/0."""
        precision = self.precision(tp=tp, fp=fp, tn=tn, fn=fn)
        recall = self.recall(tp=tp, fp=fp, tn=tn, fn=fn)
        weighted = (1 + self.beta) * precision * recall
        return quotient(weighted, self.beta * precision + recall)


class CMMetrics:
    """Scores of pixel counts: of ``prob > threshold``, and of ``prob >= i/(n - 1)``.

    Parameters
    ----------
    num_bins : int
        The curve has the ``num_bins - 1`` levels of ``linspace(0, 1, num_bins)`` without the last,
        highest first.
    threshold : float
        Of the binary map.
    metric_handlers : dict, optional
        Handlers by the name their results get.

    Examples
    --------
    >>> import numpy as np
    >>> from fastsegmetrics.compat import py_irstd_metrics as irstd
    >>> metric = irstd.CMMetrics(metric_handlers={"iou": irstd.IoUHandler()})
    >>> metric.update(np.array([[0.9, 0.6, 0.2]]), np.array([[True, False, False]]))
    >>> float(metric.get()["iou"]["binary"])
    0.5
    """

    def __init__(
        self,
        num_bins: int = 10,
        threshold: float = 0.5,
        metric_handlers: dict[str, Any] | None = None,
    ) -> None:
        self.num_bins = num_bins
        self.threshold = threshold
        self._metric_handlers: dict[str, Any] = metric_handlers if metric_handlers else {}

    def add_handler(self, handler_name: str, metric_handler: Any) -> None:
        """Add a handler, or replace the one of this name."""
        self._metric_handlers[handler_name] = metric_handler

    def update(self, prob: ArrayLike, mask: ArrayLike) -> None:
        """Score one image with every handler.

        Parameters
        ----------
        prob : array_like of float
            In [0, 1].
        mask : array_like of bool, same shape
            The truth.

        Raises
        ------
        InputError
            When there is no handler, the shapes differ, or a dtype or value is refused.
        """
        if not self._metric_handlers:
            raise InputError("metric_handlers must hold at least one handler; received none")
        values, truth = checked(prob, mask)
        foreground = int(np.count_nonzero(truth))
        sizes = foreground, truth.size - foreground
        handlers = self._metric_handlers.values()
        dynamic: dict[str, Any] = {}
        if any(handler.dynamic_results is not None for handler in handlers):
            dynamic = self.dynamically_binarizing(values, truth, *sizes)
        binary = self.get_statistics(values > values.dtype.type(self.threshold), truth, *sizes)
        for handler in handlers:
            if handler.dynamic_results is not None:
                handler.dynamic_results.append(handler(**dynamic))
            if isinstance(handler.binary_results, dict):
                for name, count in binary.items():
                    handler.binary_results[name] += count
            elif handler.binary_results is not None:
                handler.binary_results.append(handler(**binary))

    def get(self) -> dict[str, dict[str, Any]]:
        """Return for each handler the means over images of what it gathers.

        The keys are ``"dynamic"`` (a curve, highest level first) and ``"binary"``.
        """
        results: dict[str, dict[str, Any]] = {}
        for name, handler in self._metric_handlers.items():
            found: dict[str, Any] = {}
            if handler.dynamic_results is not None:
                found["dynamic"] = _mean(handler.dynamic_results)
            if isinstance(handler.binary_results, dict):
                found["binary"] = np.mean(handler(**handler.binary_results))
            elif handler.binary_results is not None:
                found["binary"] = _mean(handler.binary_results)
            results[name] = found
        return results

    @staticmethod
    def get_statistics(
        binary: NDArray[np.bool_], mask: NDArray[np.bool_], FG: int, BG: int
    ) -> dict[str, int]:
        """Return the counts of one binary map; `FG` and `BG` are the sizes of both classes."""
        tp = int(np.count_nonzero(binary & mask))
        fp = int(np.count_nonzero(binary)) - tp
        return {"tp": tp, "fp": fp, "tn": BG - fp, "fn": FG - tp}

    def dynamically_binarizing(
        self, prob: NDArray[Any], mask: NDArray[np.bool_], FG: int, BG: int
    ) -> dict[str, NDArray[np.int64]]:
        """Return the counts at each level, the highest first."""
        edges = np.linspace(0, 1, self.num_bins)[:-1][::-1].astype(prob.dtype)
        on_target = prob[mask]
        tp = np.array([np.count_nonzero(on_target >= edge) for edge in edges], np.int64)
        fp = np.array([np.count_nonzero(prob >= edge) for edge in edges], np.int64) - tp
        return {"tp": tp, "fp": fp, "tn": BG - fp, "fn": FG - tp}


def _mean(results: list[Any]) -> Any:
    """Return the mean over images, NaN before the first one."""
    return np.mean(np.array(results, np.float64), axis=0) if results else np.float64(np.nan)
