"""Scores of boundaries and centre lines: are the contours where they should be?"""

from __future__ import annotations

import math
from typing import Any, Literal

from fastsegmetrics import backend as backends, represent
from fastsegmetrics.arguments import number, one_of
from fastsegmetrics.conventions import CHOICES, BothEmpty
from fastsegmetrics.errors import InputError
from fastsegmetrics.scores import boundary as scores
from fastsegmetrics.statistics import boundary as statistics
from fastsegmetrics.statistics.boundary import Boundary, MatchedPoints, Matching

Unit = Literal["pixel", "spacing", "diagonal"]


class BoundaryScore(float):
    """A boundary F-score: a float with what it is made of.

    Attributes
    ----------
    precision, recall : float
        Share of the prediction's boundary that is found in the truth's, and the reverse; NaN for a
        mask without boundary.
    tolerance : float
        The largest distance of a match that was used, in pixels or in the unit of the spacing.
    """

    precision: float
    recall: float
    tolerance: float

    def __new__(
        cls, value: float, precision: float, recall: float, tolerance: float
    ) -> BoundaryScore:
        """Make the float and attach its parts."""
        score = super().__new__(cls, value)
        score.precision, score.recall, score.tolerance = precision, recall, tolerance
        return score

    def __reduce__(self) -> tuple[Any, ...]:
        return BoundaryScore, (float(self), self.precision, self.recall, self.tolerance)


class BandScore(float):
    """A boundary IoU: a float that also carries the width of its bands in pixels.

    Attributes
    ----------
    distance : int
        Pixels from the border that belong to the band.
    """

    distance: int

    def __new__(cls, value: float, distance: int) -> BandScore:
        """Make the float and attach the width."""
        score = super().__new__(cls, value)
        score.distance = distance
        return score

    def __reduce__(self) -> tuple[Any, ...]:
        return BandScore, (float(self), self.distance)


class CentreLineScore(float):
    """A centre-line Dice: a float that also carries its two shares.

    Attributes
    ----------
    precision, sensitivity : float
        Share of the prediction's skeleton that lies in the truth, and the reverse; NaN for a mask
        without skeleton.
    """

    precision: float
    sensitivity: float

    def __new__(cls, value: float, precision: float, sensitivity: float) -> CentreLineScore:
        """Make the float and attach its parts."""
        score = super().__new__(cls, value)
        score.precision, score.sensitivity = precision, sensitivity
        return score

    def __reduce__(self) -> tuple[Any, ...]:
        return CentreLineScore, (float(self), self.precision, self.sensitivity)


def boundary_f(
    pred: Any,
    gt: Any,
    tolerance: float,
    *,
    unit: Unit = "pixel",
    spacing: Any = None,
    matching: Matching = "nearest",
    boundary: Boundary = "surface",
    both_empty: BothEmpty = "perfect",
    backend: backends.Backend | None = None,
) -> BoundaryScore:
    """Boundary F-score: how much of each boundary lies within a tolerance of the other.

    Parameters
    ----------
    pred, gt : array_like, shape (H, W) or (D, H, W)
        Binary masks: booleans, all 0 or 1, or uint8 all 0 or 255.
    tolerance : float
        Largest Euclidean distance of a match, in `unit`.
    unit : {"pixel", "spacing", "diagonal"}
        ``"pixel"``; that of the `spacing`; or a share of the array's diagonal, rounded up to
        pixels (DAVIS: 0.008).
    spacing : float or sequence of float, optional
        Distance between neighbours along each axis; with ``unit="spacing"`` only.
    matching : {"nearest", "one_to_one"}
        ``"nearest"``: found is what has any boundary point of the other near it.  ``"one_to_one"``:
        found is what a largest set of pairs holds in which no point is twice, so that thick or
        doubled contours gain nothing.
    boundary : {"surface", "davis"}
        Foreground with a 4- (6-) neighbour outside it; or the DAVIS benchmark's map (2-D).
    both_empty : {"perfect", "undefined"}
        1 or NaN when neither mask has a boundary.
    backend : {"compiled", "reference"}, optional
        Which implementation computes.

    Returns
    -------
    BoundaryScore
        In [0, 1]; higher is better.  0 if one mask alone is empty.

    Raises
    ------
    InputError
        When an array is not a binary mask, the shapes differ, or another argument is refused.

    Notes
    -----
    2·p·r/(p + r) with p and r the shares found.  Source: Csurka et al., "What is a good evaluation
    measure for semantic segmentation?", BMVC 2013; Perazzi et al., CVPR 2016 (DAVIS).

    Examples
    --------
    >>> import numpy as np
    >>> gt = np.zeros((12, 12), bool)
    >>> gt[3:9, 3:9] = True
    >>> score = boundary_f(np.roll(gt, 2, axis=1), gt, tolerance=1)
    >>> round(score, 4), score.precision, score.tolerance
    (0.6, 0.6, 1.0)
    """
    one_of("unit", unit, ("pixel", "spacing", "diagonal"))
    one_of("matching", matching, ("nearest", "one_to_one"))
    one_of("boundary", boundary, ("surface", "davis"))
    one_of("both_empty", both_empty, CHOICES["both_empty"])
    tolerance = number("tolerance", tolerance, 0.0)
    if (spacing is None) == (unit == "spacing"):
        raise InputError(
            f"spacing must be given with unit='spacing' and with no other; received "
            f"spacing={spacing!r} and unit={unit!r}"
        )
    axes = (2, 3) if boundary == "surface" else (2,)
    pair = represent.mask_pair(pred, gt, 1.0 if spacing is None else spacing, n_axes=axes)
    if unit == "diagonal":
        tolerance = float(math.ceil(tolerance * math.hypot(*pair.gt.shape)))
    with backends.chosen(backend):
        found = statistics.boundary_points(pair, tolerance, matching=matching, boundary=boundary)
    return BoundaryScore(*_f_score(found, both_empty), tolerance)


def boundary_iou(
    pred: Any,
    gt: Any,
    *,
    share: float = 0.02,
    both_empty: BothEmpty = "perfect",
    backend: backends.Backend | None = None,
) -> BandScore:
    """Boundary IoU: intersection over union of the two masks' inner bands.

    Parameters
    ----------
    pred, gt, both_empty, backend
        As for `boundary_f`.
    share : float
        Width of the bands as a share of the array's diagonal, rounded to pixels, at least 1.

    Returns
    -------
    BandScore
        In [0, 1]; higher is better.  0 if one mask alone is empty.

    Raises
    ------
    InputError
        As for `boundary_f`.

    Notes
    -----
    A band is what erosion by a box of 3 x 3 (x 3) removes in `BandScore.distance` steps, outside
    being background.  Source: Cheng et al., "Boundary IoU", CVPR 2021.

    Examples
    --------
    >>> import numpy as np
    >>> gt = np.zeros((12, 12), bool)
    >>> gt[3:9, 3:9] = True
    >>> score = boundary_iou(np.roll(gt, 1, axis=1), gt)
    >>> round(score, 4), score.distance
    (0.3333, 1)
    """
    share = number("share", share, 0.0, 1.0)
    one_of("both_empty", both_empty, CHOICES["both_empty"])
    pair = represent.mask_pair(pred, gt, n_axes=(2, 3))
    distance = max(1, round(share * math.hypot(*pair.gt.shape)))
    with backends.chosen(backend):
        found = statistics.shared_band(pair, distance)
    return BandScore(scores.overlap(*found, perfect=both_empty == "perfect"), distance)


def cl_dice(
    pred: Any,
    gt: Any,
    *,
    both_empty: BothEmpty = "perfect",
    backend: backends.Backend | None = None,
) -> CentreLineScore:
    """Centre-line Dice (clDice) of two masks: do the skeletons lie in the other mask?

    Parameters
    ----------
    pred, gt : array_like, shape (H, W) or (D, H, W)
        Binary masks: booleans, all 0 or 1, or uint8 all 0 or 255.
    both_empty, backend
        As for `boundary_f`.

    Returns
    -------
    CentreLineScore
        In [0, 1]; higher is better.  0 if one mask alone is empty; NaN if neither is, but the
        skeleton of one.

    Raises
    ------
    InputError
        As for `boundary_f`.

    Notes
    -----
    Harmonic mean of topology precision |S(P) ∩ G|/|S(P)| and topology sensitivity
    |S(G) ∩ P|/|S(G)|, with S the skeleton of scikit-image's ``skeletonize``: Zhang and Suen's of
    images, Lee, Kashyap and Chu's of volumes, in voxels whatever their spacing.  The latter's
    outcome depends on the order of the axes, and it lets some objects vanish whole: many of an
    even thickness, such as a block of 2 x 2 x 2 or of 2 x 2 x 8.  Source: Shit et al., "clDice",
    CVPR 2021.

    Examples
    --------
    >>> import numpy as np
    >>> gt = np.zeros((7, 12), bool)
    >>> gt[3, 1:11] = True
    >>> pred = gt.copy()
    >>> pred[3, 6:] = False
    >>> score = cl_dice(pred, gt)
    >>> round(score, 4), score.precision, score.sensitivity
    (0.6667, 1.0, 0.5)
    """
    one_of("both_empty", both_empty, CHOICES["both_empty"])
    pair = represent.mask_pair(pred, gt, n_axes=(2, 3))
    with backends.chosen(backend):
        found = statistics.centre_lines(pair)
    value, precision, sensitivity = _f_score(found, both_empty)
    if found.n_pred == 0 or found.n_gt == 0:
        n_empty = sum(not mask.any() for mask in (pair.pred, pair.gt))
        # Not both are empty, but a skeleton is.
        if n_empty < 2:
            value = 0.0 if n_empty else math.nan
    return CentreLineScore(value, precision, sensitivity)


def _f_score(found: MatchedPoints, both_empty: BothEmpty) -> tuple[float, float, float]:
    """Return the F-score with its precision and recall."""
    shares = scores.share(found.pred_found, found.n_pred), scores.share(found.gt_found, found.n_gt)
    return scores.f_of_found(*found, perfect=both_empty == "perfect"), *shares
