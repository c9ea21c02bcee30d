"""Overlap of two masks of any number of axes: areas, volumes, and what they share."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend as backends, represent
from fastsegmetrics.arguments import number, one_of
from fastsegmetrics.conventions import CHOICES, Policy
from fastsegmetrics.errors import InputError
from fastsegmetrics.represent import MaskPair
from fastsegmetrics.scores import confusion, overlap as formulas
from fastsegmetrics.scores.confusion import ScoreRule
from fastsegmetrics.statistics import overlap as statistics
from fastsegmetrics.statistics.overlap import OverlapCounts

BothEmpty = Literal["perfect", "undefined", "zero"]
_BOTH_EMPTY = {"perfect": 1.0, "undefined": math.nan, "zero": 0.0}


def empty_value(both_empty: str) -> float:
    """Return what overlap is when neither mask has a pixel."""
    return _BOTH_EMPTY[one_of("both_empty", both_empty, tuple(_BOTH_EMPTY))]


@dataclass(frozen=True)
class Overlap:
    """What two binary masks share, and every score that follows from it.

    Attributes
    ----------
    counts : OverlapCounts
        ``tp``, ``fp``, ``fn``, ``tn`` in pixels; they add up exactly.
    pixel_size : float
        Volume (2-D: area) of one pixel; NaN where pooled masks had different ones.
    unit : str
        Unit of the spacing; sizes are in its power of `n_axes`.
    n_axes : int
    both_empty : {"perfect", "undefined", "zero"}
        Overlap when neither mask has a pixel: 1, NaN or 0.
    policy : {"published", "strict"}

    Notes
    -----
    IoU tp/(tp+fp+fn), Dice 2tp/(2tp+fp+fn), precision tp/(tp+fp), recall tp/(tp+fn), specificity
    tn/(tn+fp): all in [0, 1], higher is better.  With one mask empty the first four are 0.  With
    both empty they are what `both_empty` says.  Specificity of a full truth is 0 under the policy
    "published", NaN under "strict".
    """

    counts: OverlapCounts
    pixel_size: float = 1.0
    unit: str = "pixel"
    n_axes: int = 2
    both_empty: BothEmpty = "perfect"
    policy: Policy = "published"

    def _score(self, name: str) -> float:
        rule = ScoreRule(self.policy == "strict", empty_value(self.both_empty), 1.0, False)
        return float(getattr(confusion, name)(*self.counts, rule))

    @property
    def iou(self) -> float:
        """Intersection over union (Jaccard index)."""
        return self._score("iou")

    @property
    def dice(self) -> float:
        """Dice similarity, which is also F₁."""
        return self._score("dice")

    @property
    def precision(self) -> float:
        """Share of the predicted pixels that are true."""
        return self._score("precision")

    @property
    def recall(self) -> float:
        """Share of the true pixels that are predicted (sensitivity)."""
        return self._score("recall")

    @property
    def specificity(self) -> float:
        """Share of the background that is predicted as such; without any, 0 or (strict) NaN."""
        return self._score("specificity")

    @property
    def accuracy(self) -> float:
        """Share of all pixels that agree; a large background dominates it."""
        return self._score("accuracy")

    @property
    def predicted_size(self) -> float:
        """Volume (2-D: area) of the prediction."""
        return (self.counts.tp + self.counts.fp) * self.pixel_size

    @property
    def reference_size(self) -> float:
        """Volume (2-D: area) of the truth."""
        return (self.counts.tp + self.counts.fn) * self.pixel_size

    @property
    def size_difference(self) -> float:
        """Signed: prediction minus truth; negative where too little is predicted."""
        return (self.counts.fp - self.counts.fn) * self.pixel_size

    @property
    def absolute_size_difference(self) -> float:
        """Size difference without its sign; lower is better."""
        return abs(self.size_difference)

    @property
    def relative_size_difference(self) -> float:
        """Signed difference over the truth's size: inf if the truth alone is empty.

        Both empty: 0, or NaN where `both_empty` is not "perfect".
        """
        tp, fp, fn, _ = self.counts
        none = 0.0 if self.both_empty == "perfect" else math.nan
        return formulas.relative_volume_difference(tp + fp, tp + fn, none)

    @property
    def truth_is_empty(self) -> bool:
        """Whether the truth has no pixel."""
        return self.counts.tp + self.counts.fn == 0

    @property
    def prediction_is_empty(self) -> bool:
        """Whether the prediction has no pixel."""
        return self.counts.tp + self.counts.fp == 0

    def merged(self, other: Overlap) -> Overlap:
        """Return the overlap of both sets of pixels pooled (micro, over pixels).

        Raises
        ------
        InputError
            When units, numbers of axes or policies differ.
        """
        size = self.pixel_size if self.pixel_size == other.pixel_size else math.nan
        pooled = replace(self, counts=self.counts.merged(other.counts), pixel_size=size)
        if replace(other, counts=pooled.counts, pixel_size=1.0) != replace(pooled, pixel_size=1.0):
            raise InputError(
                f"pooled overlaps must have one unit, n_axes, both_empty and policy; "
                f"received {self} and {other}"
            )
        return pooled


def overlap(
    pred: Any,
    gt: Any,
    *,
    spacing: Any = 1.0,
    unit: str | None = None,
    both_empty: BothEmpty = "perfect",
    policy: Policy = "published",
    backend: backends.Backend | None = None,
) -> Overlap:
    """Overlap of two binary masks of any number of axes, from one pass over them.

    Parameters
    ----------
    pred, gt : array_like, one shape with any number of axes
        Booleans, numbers that are all 0 or 1, or uint8 that are all 0 or 255.
    spacing : float or sequence of float
        Distance between neighbours along each axis, in the order of the arrays' axes.
    unit : str, optional
        Unit of the spacing, for example ``"mm"``.  Default ``"pixel"``, for which the spacing
        must be 1.
    both_empty : {"perfect", "undefined", "zero"}
        IoU, Dice, precision and recall when neither mask has a pixel: 1, NaN or 0.
    policy : {"published", "strict"}
        Specificity of a full truth: 0 or NaN.
    backend : {"compiled", "reference"}, optional
        Which implementation computes.

    Returns
    -------
    Overlap
        The counts, and every score as an attribute.

    Raises
    ------
    InputError
        When shapes differ, an array is empty or no binary mask, a spacing is wrong, or it is not 1
        and has no unit.

    Notes
    -----
    Source: Taha and Hanbury, BMC Medical Imaging 15:29, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> gt = np.zeros((2, 6, 5), bool)
    >>> gt[:, 1:5, 1:4] = True
    >>> pred = np.roll(gt, 1, axis=1)
    >>> found = overlap(pred, gt, spacing=(5, 0.5, 0.5), unit="mm")
    >>> found.dice, found.iou, found.reference_size
    (0.75, 0.6, 30.0)
    """
    if unit is not None and not (isinstance(unit, str) and unit.strip()):
        raise InputError(f"unit must be a text, for example 'mm'; received {unit!r}")
    if unit is None and not np.all(np.asarray(spacing) == 1):
        raise InputError(f"unit must name what spacing={spacing!r} is in, for example unit='mm'")
    empty_value(both_empty)
    one_of("policy", policy, CHOICES["policy"])
    with backends.chosen(backend):
        pair = _pair(pred, gt, spacing)
        counts = statistics.mask_counts(pair.pred, pair.gt)
    size, axes = math.prod(pair.spacing), pair.gt.ndim
    return Overlap(counts, size, unit or "pixel", axes, both_empty, policy)


def _pair(pred: Any, gt: Any, spacing: Any) -> MaskPair:
    """Return both masks; in Fortran's order, as NIfTI has them, turned rather than copied."""
    arrays = isinstance(pred, np.ndarray) and isinstance(gt, np.ndarray)
    if arrays and pred.ndim > 1 and pred.flags.f_contiguous and gt.flags.f_contiguous:
        steps = represent.grid_spacing(spacing, pred.ndim)
        with contextlib.suppress(InputError):
            return represent.mask_pair(pred.T, gt.T, steps[::-1])
    # Also after a refusal, so that it tells places and shapes as they were given.
    return represent.mask_pair(pred, gt, spacing)


def soft_dice(
    pred: Any,
    gt: Any,
    *,
    smooth: float = 0.0,
    squares: bool = False,
    both_empty: BothEmpty = "perfect",
) -> float:
    """Dice of probabilities against a binary mask, without a threshold.

    Parameters
    ----------
    pred : array_like of float in [0, 1], any number of axes
        Probabilities; booleans and integers of 0 and 1 are hard ones.
    gt : array_like, the same shape
        A binary mask as for `overlap`.
    smooth : float
        ε, added above and below; 0 leaves small objects alone.
    squares : bool
        Divide by Σp² + Σy² (V-Net) instead of Σp + Σy.
    both_empty : {"perfect", "undefined", "zero"}
        The value where all sums and `smooth` are 0: 1, NaN or 0.

    Returns
    -------
    float
        (2·Σpy + ε)/(Σp + Σy + ε) in [0, 1]; higher is better.

    Raises
    ------
    InputError
        When shapes differ, `pred` leaves [0, 1] or is not finite, `gt` is no binary mask, or
        `smooth` is negative or not finite.

    Notes
    -----
    Sums are taken in float64.  Not a training loss, which has reductions of its own.  Source:
    Milletari, Navab and Ahmadi, 3DV 2016.

    Examples
    --------
    >>> soft_dice([1.0, 0.5, 0.5, 0.0], [1, 1, 0, 0])
    0.75
    """
    smooth = number("smooth", smooth, 0.0)
    value = empty_value(both_empty)
    probabilities = _probabilities(pred)
    mask = represent.binary(gt, "gt")
    if probabilities.shape != mask.shape:
        raise InputError(
            f"pred and gt must have one shape; received {probabilities.shape} and {mask.shape}"
        )
    sums = statistics.soft_sums(probabilities, mask)
    total = (sums.predicted_squares if squares else sums.predicted) + sums.truth
    return formulas.soft_dice(sums.shared, total, smooth, value)


def _probabilities(pred: Any) -> NDArray[np.float64]:
    values = represent.numeric(pred, "pred").astype(np.float64)
    bad = ~((values >= 0) & (values <= 1))
    if bad.any():
        raise InputError(f"pred must lie in [0, 1]; {represent.first_bad(bad, values)}")
    return values
