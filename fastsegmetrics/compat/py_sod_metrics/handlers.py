"""Scores of confusion counts, each with the lists its results are gathered in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


class _BaseHandler:
    """What a handler is: four counts in, one score out, and room for the results.

    Derive from it and define ``__call__(self, tp, fp, tn, fn)``, which is called with keyword
    arguments: int64 arrays of 256 for the curve, integers for one binary map.

    Parameters
    ----------
    with_dynamic : bool
        Gather the curve over thresholds 255, 254, … 0 of each image.
    with_adaptive : bool
        Gather the score at twice the mean of each map.
    with_binary : bool
        Gather the score of ``pred > 0.5``.
    sample_based : bool
        Whether ``with_binary`` averages the images' scores or scores the summed counts.

    Attributes
    ----------
    dynamic_results, adaptive_results : list or None
        One entry per image; None where not asked for.
    binary_results : list, dict or None
        One entry per image, or with ``sample_based=False`` the summed counts by name.
    """

    def __init__(
        self,
        with_dynamic: bool,
        with_adaptive: bool,
        *,
        with_binary: bool = False,
        sample_based: bool = True,
    ) -> None:
        self.dynamic_results: list[Any] | None = [] if with_dynamic else None
        self.adaptive_results: list[Any] | None = [] if with_adaptive else None
        self.sample_based = sample_based
        self.binary_results: list[Any] | dict[str, int] | None = None
        if with_binary:
            self.binary_results = [] if sample_based else {"tp": 0, "fp": 0, "tn": 0, "fn": 0}

    def __call__(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        """Return the score of the counts, element by element."""
        raise NotImplementedError(
            f"{type(self).__name__} must define __call__(tp, fp, tn, fn) to be used as a handler"
        )

    @staticmethod
    def divide(numerator: ArrayLike, denominator: ArrayLike) -> NDArray[np.float64]:
        """Return the quotient in float64, 0 where the denominator is 0."""
        top = np.asarray(numerator, np.float64)
        bottom = np.asarray(denominator, np.float64)
        same = top.shape == bottom.shape
        shape = bottom.shape if same else np.broadcast_shapes(top.shape, bottom.shape)
        return np.divide(top, bottom, out=np.zeros(shape), where=bottom != 0)


class Elementwise(_BaseHandler):
    """A handler whose formula holds element by element: all binary maps of a pair take one call."""

    def __call__(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        """Return the score of the counts, element by element, 0 where it is 0/0."""
        return self._score(tp, fp, tn, fn)

    def _score(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        raise NotImplementedError


#: Below what ratios of counts weigh together if they are not 0.
_LEAST_RATIO = 1e-200


def _share(part: Any, whole: Any, least: float = 1) -> Any:
    """Return the quotient of counts, part of each other: 0 where the whole is 0.

    A third of what `divide` takes for 258 values, which has to look where it may divide.  No whole
    but 0 is below `least`.
    """
    return part / np.maximum(whole, least)


class IOUHandler(Elementwise):
    """Intersection over union: tp / (tp + fp + fn)."""

    def _score(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        return _share(tp, tp + fp + fn)


class DICEHandler(Elementwise):
    """Dice coefficient: 2 tp / (2 tp + fp + fn)."""

    def _score(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        return _share(2 * tp, 2 * tp + fp + fn)


class PrecisionHandler(Elementwise):
    """Share of the predicted foreground that is right: tp / (tp + fp)."""

    def _score(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        return _share(tp, tp + fp)


class RecallHandler(Elementwise):
    """Share of the foreground that is found: tp / (tp + fn)."""

    def _score(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        return _share(tp, tp + fn)


class SpecificityHandler(Elementwise):
    """Share of the background that is predicted as such: tn / (tn + fp)."""

    def _score(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        return _share(tn, tn + fp)


class FPRHandler(Elementwise):
    """Share of the background that is predicted as foreground: fp / (tn + fp)."""

    def _score(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        return _share(fp, tn + fp)


class OverallAccuracyHandler(Elementwise):
    """Share of the pixels that are right: (tp + tn) / N."""

    def _score(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        return _share(tp + tn, tp + fp + tn + fn)


class BERHandler(Elementwise):
    """Balanced error rate: 1 - (TPR + TNR) / 2."""

    def _score(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        return 1 - 0.5 * (_share(tp, tp + fn) + _share(tn, tn + fp))


class KappaHandler(Elementwise):
    """Cohen's kappa as the literature computes it: (OA - pe) / (1 - pe).

    The second product of pe = ((tp + fp)(tp + fn) + (tn + fn)(tn + tp)) / N² has tp where the
    textbook has fp.
    """

    def _score(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        # Products of int64 counts overflow from 3e9 pixels on.
        tp, fp, tn, fn = (np.asarray(count, np.float64) for count in (tp, fp, tn, fn))
        total = tp + fp + tn + fn
        accuracy = _share(tp + tn, total)
        chance = (tp + fp) * (tp + fn) + (tn + fn) * (tn + tp)
        expected = _share(chance, total * total)
        return self.divide(accuracy - expected, 1 - expected)


class FmeasureHandler(Elementwise):
    """F-measure: (1 + beta) P R / (beta P + R).

    Parameters
    ----------
    beta : float
        The weight β² itself, not β.
    """

    def __init__(
        self,
        with_dynamic: bool,
        with_adaptive: bool,
        *,
        with_binary: bool = False,
        sample_based: bool = True,
        beta: float = 0.3,
    ) -> None:
        super().__init__(
            with_dynamic, with_adaptive, with_binary=with_binary, sample_based=sample_based
        )
        self.beta = beta

    def _score(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        return self.parts(tp, fp, tn, fn)[2]

    def parts(self, tp: Any, fp: Any, tn: Any, fn: Any) -> tuple[Any, Any, Any]:
        """Return precision, recall and the F-measure made from them."""
        precision = _share(tp, tp + fp)
        recall = _share(tp, tp + fn)
        weighted = (1 + self.beta) * precision * recall
        both = self.beta * precision + recall
        if self.beta >= 0:
            return precision, recall, _share(weighted, both, _LEAST_RATIO)
        return precision, recall, self.divide(weighted, both)


SensitivityHandler = RecallHandler
TPRHandler = RecallHandler
TNRHandler = SpecificityHandler

#: Handlers of one of these classes give the same scores of the same counts.
STATELESS = frozenset(
    (
        IOUHandler, DICEHandler, PrecisionHandler, RecallHandler, SpecificityHandler, FPRHandler,
        OverallAccuracyHandler, BERHandler, KappaHandler,
    )
)  # fmt: skip
