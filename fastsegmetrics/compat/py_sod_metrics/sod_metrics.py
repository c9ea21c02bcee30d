"""MAE, S-measure, E-measure and F-measure with the peer's interface."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastsegmetrics.compat.py_sod_metrics.counts import (
    ADAPTIVE,
    DYNAMIC,
    alignment,
    confusion_counts,
)
from fastsegmetrics.compat.py_sod_metrics.handlers import FmeasureHandler
from fastsegmetrics.compat.py_sod_metrics.human_correction_effort import (
    HumanCorrectionEffortMeasure,
)
from fastsegmetrics.compat.py_sod_metrics.means import mean_of
from fastsegmetrics.compat.py_sod_metrics.pairs import Pair
from fastsegmetrics.compat.py_sod_metrics.weighted_fmeasure import WeightedFmeasure
from fastsegmetrics.errors import InputError
from fastsegmetrics.scores import structure
from fastsegmetrics.statistics.pair import PairStatistics

# The peer's module of this name has them all.
__all__ = [
    "MAE",
    "Emeasure",
    "Fmeasure",
    "HumanCorrectionEffortMeasure",
    "Smeasure",
    "WeightedFmeasure",
]


def _scalar(value: float) -> np.float64:
    number: np.float64 = np.float64(value)
    return number


class MAE:
    """Mean absolute error.

    Attributes
    ----------
    maes : list of float
        One entry per image.

    Examples
    --------
    >>> import numpy as np
    >>> metric = MAE()
    >>> metric.step(np.array([[255, 51, 0]], np.uint8), np.array([[255, 0, 0]], np.uint8))
    >>> round(float(metric.get_results()["mae"]), 6)
    0.066667
    """

    def __init__(self) -> None:
        self.maes: list[np.float64] = []

    def step(self, pred: ArrayLike, gt: ArrayLike, normalize: bool = True) -> None:
        """Score one image.

        Parameters
        ----------
        pred, gt : array_like, same shape
            With `normalize`: ``pred / 255`` stretched to [0, 1], ``gt > 128``.  Without: floats in
            [0, 1] and booleans.

        Raises
        ------
        InputError
            When the shapes differ, are empty, or a value is refused.
        """
        self.maes.append(np.float64(Pair(pred, gt, normalize).absolute_error()))

    def cal_mae(self, pred: NDArray[Any], gt: NDArray[Any]) -> Any:
        """Return the mean of ``|pred - gt|`` of a prepared pair."""
        return np.mean(np.abs(pred - gt))

    def get_results(self) -> dict[str, Any]:
        """Return ``{"mae": mean over images}``."""
        return {"mae": mean_of(self.maes)}


class Smeasure:
    """Structure measure (Fan et al., ICCV 2017).

    Parameters
    ----------
    alpha : float
        Weight of the object term.

    Attributes
    ----------
    sms : list of float
        One entry per image.
    """

    def __init__(self, alpha: float = 0.5) -> None:
        self.sms: list[np.float64] = []
        self.alpha = alpha

    def step(self, pred: ArrayLike, gt: ArrayLike, normalize: bool = True) -> None:
        """Score one image, see `MAE.step`; only (H, W) arrays have quadrants."""
        self.sms.append(self._score(Pair(pred, gt, normalize)))

    def cal_sm(self, pred: NDArray[Any], gt: NDArray[Any]) -> np.float64:
        """Return the score of a prepared pair: floats in [0, 1], booleans."""
        return self._score(Pair(pred, gt, normalize=False))

    def object(self, pred: NDArray[Any], gt: NDArray[Any]) -> np.float64:
        """Return the object term of a prepared pair."""
        found = _quadrants(Pair(pred, gt, normalize=False))
        return _scalar(_structure(found, 1.0)[1])

    def s_object(self, x: NDArray[Any]) -> np.float64:
        """Return how bright and how uniform the values of one side of the truth are."""
        n, mean, squares = _moments(x)
        return _scalar(structure.object_similarity(n, mean, squares))

    def region(self, pred: NDArray[Any], gt: NDArray[Any]) -> np.float64:
        """Return the region term of a prepared pair."""
        pair = Pair(pred, gt, normalize=False)
        found = _quadrants(pair)
        return _scalar(_structure(found, 0.0)[2] - _lost_to_rounding(pair, found))

    def ssim(self, pred: NDArray[Any], gt: NDArray[Any]) -> np.float64:
        """Return the similarity of one block of a prepared pair."""
        gt = np.asarray(gt, bool)
        sides = _moments(pred[~gt]), _moments(pred[gt])
        if _mean_misses_constant(pred, gt):
            return _scalar(0.0)
        return _scalar(structure.block_similarity(*sides))

    def get_results(self) -> dict[str, Any]:
        """Return ``{"sm": mean over images}``."""
        return {"sm": mean_of(self.sms)}

    def _score(self, pair: Pair) -> np.float64:
        found = _quadrants(pair)
        score, by_object, by_region = _structure(found, self.alpha)
        lost = 0.0 if np.isnan(by_region) else _lost_to_rounding(pair, found)
        if lost:
            score = max(0.0, self.alpha * by_object + (1 - self.alpha) * (by_region - lost))
        return _scalar(score)


def _quadrants(pair: Pair) -> PairStatistics:
    if pair.pred.ndim != 2:
        raise InputError(
            f"pred must be 2-D (H, W) for the S-measure; received shape {pair.pred.shape}"
        )
    return pair.statistics(by_quadrant=True)


def _structure(found: PairStatistics, alpha: float) -> tuple[float, float, float]:
    from fastsegmetrics.kernels.curves import structure_scores

    terms: tuple[float, float, float] = structure_scores(  # type: ignore[no-untyped-call]
        found.moments,
        found.split_row,
        found.split_column,
        found.height,
        found.width,
        float(alpha),
    )
    return terms


def _moments(x: NDArray[Any]) -> structure.Moments:
    if x.size == 0:
        return 0.0, 0.0, 0.0
    mean = float(x.mean(dtype=np.float64))
    return float(x.size), mean, float(np.square(x - mean, dtype=np.float64).sum())


def _mean_misses_constant(pred: NDArray[Any], gt: NDArray[Any]) -> bool:
    """Whether np.mean of a block, constant in both, is not that constant."""
    if pred.size == 0 or gt.any() != gt.all() or pred.min() != pred.max():
        return False
    return bool(pred.mean() != pred.flat[0])


def _lost_to_rounding(pair: Pair, found: PairStatistics) -> float:
    """Return the weight of constant blocks that the peer scores 0 instead of 1.

    It takes deviations from np.mean, and where that misses the constant by an ulp it finds a
    spread of 1e-33 that the truth does not share.  Sums of 0 and of 1 are exact, so the blocks of
    real maps, which are black or white, are not concerned.
    """
    lost = 0.0
    row, column = found.split_row, found.split_column
    values: NDArray[Any] | None = None
    for q, cells in enumerate(found.moments.tolist()):
        (n0, mean0, squares0), (n1, mean1, squares1) = cells
        constant = mean0 if n1 == 0 else mean1
        if (n0 == 0) == (n1 == 0) or squares0 + squares1 != 0 or constant in (0.0, 1.0):
            continue
        if values is None:
            values = pair.values()
        block = values[
            slice(row) if q < 2 else slice(row, None),
            slice(column) if q % 2 == 0 else slice(column, None),
        ]
        if block.mean() != block[0, 0]:
            lost += block.size / values.size
    return lost


class Emeasure:
    """Enhanced-alignment measure (Fan et al., IJCAI 2018), divided by N - 1.

    Attributes
    ----------
    adaptive_ems, changeable_ems : list
        Per image: the score at twice the map's mean, and the curve over thresholds 255, 254, … 0.
    gt_fg_numel, gt_size : int
        Foreground pixels and pixels of the last image.
    """

    def __init__(self) -> None:
        self.adaptive_ems: list[np.float64] = []
        self.changeable_ems: list[NDArray[np.float64]] = []
        self.gt_fg_numel = 0
        self.gt_size = 0

    def step(self, pred: ArrayLike, gt: ArrayLike, normalize: bool = True) -> None:
        """Score one image, see `MAE.step`."""
        found = self._statistics(Pair(pred, gt, normalize))
        self.gt_fg_numel = found.counts.n_foreground
        self.gt_size = found.height * found.width
        adaptive, curve = _alignment(found)
        self.adaptive_ems.append(adaptive)
        self.changeable_ems.append(curve)

    def cal_adaptive_em(self, pred: NDArray[Any], gt: NDArray[Any]) -> np.float64:
        """Return the score at twice the mean of a prepared pair: floats in [0, 1], booleans."""
        return _alignment(self._statistics(Pair(pred, gt, normalize=False)))[0]

    def cal_changeable_em(self, pred: NDArray[Any], gt: NDArray[Any]) -> NDArray[np.float64]:
        """Return the curve of a prepared pair, threshold 255 first."""
        return _alignment(self._statistics(Pair(pred, gt, normalize=False)))[1]

    def cal_em_with_cumsumhistogram(
        self, pred: NDArray[Any], gt: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Return what `cal_changeable_em` does."""
        return self.cal_changeable_em(pred, gt)

    def cal_em_with_threshold(
        self, pred: NDArray[Any], gt: NDArray[Any], threshold: float
    ) -> np.float64:
        """Return the score of ``pred >= threshold``."""
        gt = np.asarray(gt, bool)
        kept = np.asarray(pred) >= threshold
        tp, fp = np.count_nonzero(kept & gt), np.count_nonzero(kept & ~gt)
        fn = np.count_nonzero(gt) - tp
        return _scalar(alignment(tp, fp, gt.size - tp - fp - fn, fn))

    def get_results(self) -> dict[str, Any]:
        """Return ``{"em": {"adp": mean, "curve": mean curve}}``."""
        return {"em": {"adp": mean_of(self.adaptive_ems), "curve": mean_of(self.changeable_ems)}}

    def _statistics(self, pair: Pair) -> PairStatistics:
        shape = pair.pred.shape
        if len(shape) > 2 and pair.pred.size != shape[0] * shape[1]:
            raise InputError(f"pred must be 2-D (H, W) for the E-measure; received shape {shape}")
        return pair.statistics()


def _alignment(found: PairStatistics) -> tuple[np.float64, NDArray[np.float64]]:
    scores = alignment(*confusion_counts(found.counts))
    return scores[ADAPTIVE], scores[DYNAMIC].copy()


class Fmeasure:
    """F-measure with precision and recall (the peer's older class; `FmeasureV2` has more).

    Parameters
    ----------
    beta : float
        The weight β² itself, not β.

    Attributes
    ----------
    precisions, recalls, changeable_fms : list of ndarray
        Per image, the curves over thresholds 255, 254, … 0.
    adaptive_fms : list of float
        Per image, the score at twice the map's mean.
    """

    def __init__(self, beta: float = 0.3) -> None:
        self.beta = beta
        self.precisions: list[NDArray[np.float64]] = []
        self.recalls: list[NDArray[np.float64]] = []
        self.adaptive_fms: list[np.float64] = []
        self.changeable_fms: list[NDArray[np.float64]] = []

    def step(self, pred: ArrayLike, gt: ArrayLike, normalize: bool = True) -> None:
        """Score one image, see `MAE.step`."""
        precision, recall, f = self._scores(Pair(pred, gt, normalize))
        self.precisions.append(precision[DYNAMIC].copy())
        self.recalls.append(recall[DYNAMIC].copy())
        self.changeable_fms.append(f[DYNAMIC].copy())
        self.adaptive_fms.append(f[ADAPTIVE])

    def cal_adaptive_fm(self, pred: NDArray[Any], gt: NDArray[Any]) -> np.float64:
        """Return the score at twice the mean of a prepared pair: floats in [0, 1], booleans."""
        score: np.float64 = self._scores(Pair(pred, gt, normalize=False))[2][ADAPTIVE]
        return score

    def cal_pr(
        self, pred: NDArray[Any], gt: NDArray[Any]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the precision, recall and F curves of a prepared pair, threshold 255 first."""
        precision, recall, f = self._scores(Pair(pred, gt, normalize=False))
        return precision[DYNAMIC], recall[DYNAMIC], f[DYNAMIC]

    def get_results(self) -> dict[str, Any]:
        """Return ``{"fm": {"adp", "curve"}, "pr": {"p", "r"}}``, means over images."""
        return {
            "fm": {"adp": mean_of(self.adaptive_fms), "curve": mean_of(self.changeable_fms)},
            "pr": {"p": mean_of(self.precisions), "r": mean_of(self.recalls)},
        }

    def _scores(self, pair: Pair) -> tuple[Any, Any, Any]:
        counts = confusion_counts(pair.statistics().counts)
        return FmeasureHandler(False, False, beta=self.beta).parts(*counts)
