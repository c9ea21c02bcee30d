"""The peer's ``WeightedFmeasure``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastsegmetrics import represent
from fastsegmetrics.compat.py_sod_metrics.means import mean_of
from fastsegmetrics.compat.py_sod_metrics.pairs import Pair
from fastsegmetrics.errors import InputError
from fastsegmetrics.statistics.weighted import weighted_statistics
from fastsegmetrics.target import Target


class WeightedFmeasure:
    """Weighted F-measure (Margolin et al., CVPR 2014).

    Parameters
    ----------
    beta : float
        The weight β² itself, not β.

    Attributes
    ----------
    weighted_fms : list of float
        One entry per image.

    Examples
    --------
    >>> import numpy as np
    >>> metric = WeightedFmeasure()
    >>> gt = np.zeros((6, 7), np.uint8)
    >>> gt[2:4, 2:5] = 255
    >>> metric.step(pred=gt[:, ::-1], gt=gt)
    >>> round(float(metric.get_results()["wfm"]), 6)
    1.0
    """

    def __init__(self, beta: float = 1) -> None:
        self.beta = beta
        self.weighted_fms: list[np.float64] = []

    def step(self, pred: ArrayLike, gt: ArrayLike, normalize: bool = True) -> None:
        """Score one image.

        Parameters
        ----------
        pred, gt : array_like, shape (H, W)
            With `normalize`: ``pred / 255`` stretched to [0, 1], ``gt > 128``.  Without: floats in
            [0, 1] and booleans.

        Raises
        ------
        InputError
            When the arrays are not 2-D, the shapes differ, are empty, or a value is refused.
        """
        self.weighted_fms.append(self._score(Pair(pred, gt, normalize)))

    def cal_wfm(self, pred: NDArray[Any], gt: NDArray[Any]) -> np.float64:
        """Return the score of a prepared pair: floats in [0, 1], booleans."""
        return self._score(Pair(pred, gt, normalize=False))

    def matlab_style_gauss2D(
        self, shape: tuple[int, int] = (7, 7), sigma: float = 5
    ) -> NDArray[np.float64]:
        """Return a Gaussian window of sum 1, without what is below eps times its peak."""
        rows, columns = (np.arange(side) - (side - 1) / 2 for side in shape)
        window = np.exp(-(rows[:, None] ** 2 + columns**2) / (2.0 * sigma**2))
        window[window < np.finfo(np.float64).eps * window.max()] = 0
        total = window.sum()
        normalised: NDArray[np.float64] = window / total if total != 0 else window
        return normalised

    def get_results(self) -> dict[str, Any]:
        """Return ``{"wfm": mean over images}``."""
        return {"wfm": mean_of(self.weighted_fms)}

    def _score(self, pair: Pair) -> np.float64:
        if pair.pred.ndim != 2:
            raise InputError(
                f"pred must be 2-D (H, W) for the weighted F; received shape {pair.pred.shape}"
            )
        values, target, conventions = pair._read(Target)
        pair._warn_of_a_mask_of_ones(target)
        canonical = represent.prediction(values, conventions, target.shape)
        return np.float64(weighted_statistics(canonical, target, conventions).f(self.beta))
