"""The peer's ``ContextMeasure`` and ``CamouflageContextMeasure``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastsegmetrics import represent
from fastsegmetrics.compat.py_sod_metrics.means import mean_of
from fastsegmetrics.compat.py_sod_metrics.pairs import Pair
from fastsegmetrics.errors import InputError
from fastsegmetrics.statistics.context import ContextStatistics, context_statistics
from fastsegmetrics.target import Target


class ContextMeasure:
    """Context measure (Wang et al., 2025).

    Parameters
    ----------
    beta2 : float
        β², the weight of the reverse term's recall.
    alpha : float
        Spread of the context kernel in pixels.

    Attributes
    ----------
    scores : list of float
        One entry per image.

    Examples
    --------
    >>> import numpy as np
    >>> metric = ContextMeasure()
    >>> gt = np.full((6, 7), 255, np.uint8)
    >>> metric.step(pred=gt, gt=gt)
    >>> round(float(metric.get_results()["cm"]), 6)
    1.0
    """

    def __init__(self, beta2: float = 1.0, alpha: float = 6.0) -> None:
        self.beta2 = beta2
        self.alpha = alpha
        self._exp_factor = math.e / (math.e - 1)
        self.scores: list[np.float64] = []

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
        found = _statistics(Pair(pred, gt, normalize), None, alpha=self.alpha)
        self.scores.append(np.float64(found.c_beta(beta2=self.beta2)))

    def compute(self, pred: NDArray[Any], gt: NDArray[Any], cd: ArrayLike) -> np.float64:
        """Return the score of a prepared pair with the weights ``gt + cd`` in its reverse term.

        `pred` holds floats in [0, 1], `gt` booleans or 0 and 1; `cd` is a map or a number.
        """
        pair = Pair(pred, np.asarray(gt) > 0, normalize=False)
        degree = np.broadcast_to(np.asarray(cd, np.float64), pair.pred.shape)
        found = _statistics(pair, None, alpha=self.alpha, degree=degree)
        return np.float64(found.c_beta_w(beta2=self.beta2))

    def get_results(self) -> dict[str, Any]:
        """Return ``{"cm": mean over images}``."""
        return {"cm": mean_of(self.scores)}


class CamouflageContextMeasure(ContextMeasure):
    """Camouflage-aware context measure (Wang et al., 2025).

    Parameters
    ----------
    beta2, alpha : float
        See `ContextMeasure`.
    gamma : int
        How steeply the camouflage degree rises with likeness.
    lambda_spatial : float
        Weight of the patches' places beside their colours.

    Attributes
    ----------
    scores : list of float
        One entry per image.
    """

    def __init__(
        self,
        beta2: float = 1.2,
        alpha: float = 6.0,
        gamma: int = 8,
        lambda_spatial: float = 20,
    ) -> None:
        super().__init__(beta2=beta2, alpha=alpha)
        self.gamma = gamma
        self.lambda_spatial = lambda_spatial

    def step(  # type: ignore[override]
        self, pred: ArrayLike, gt: ArrayLike, *, img: ArrayLike, normalize: bool = True
    ) -> None:
        """Score one image with its photograph.

        Parameters
        ----------
        pred, gt : array_like, shape (H, W)
            See `ContextMeasure.step`.
        img : array_like of uint8, shape (H, W, 3)
            The photograph, RGB.
        normalize : bool
            See `ContextMeasure.step`.

        Raises
        ------
        InputError
            Also when `img` is not such an array, or of another size.
        """
        found = _statistics(
            Pair(pred, gt, normalize),
            img,
            alpha=self.alpha,
            degree=True,
            gamma=self.gamma,
            spatial_weight=self.lambda_spatial,
        )
        self.scores.append(np.float64(found.c_beta_w(beta2=self.beta2)))

    def get_results(self) -> dict[str, Any]:
        """Return ``{"ccm": mean over images}``."""
        return {"ccm": mean_of(self.scores)}


def _statistics(pair: Pair, image: ArrayLike | None, **choices: Any) -> ContextStatistics:
    if pair.pred.ndim != 2:
        raise InputError(
            f"pred must be 2-D (H, W) for the context measure; received shape {pair.pred.shape}"
        )
    values, target, conventions = pair._read(Target)
    pair._warn_of_a_mask_of_ones(target)
    if image is not None:
        target = Target(target.mask.view(np.bool_), image=image)
    canonical = represent.prediction(values, conventions, target.shape)
    return context_statistics(canonical, target, conventions, **choices)
