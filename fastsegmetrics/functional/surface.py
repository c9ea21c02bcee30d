"""Scores of how far two masks' surfaces are apart, in two and three dimensions."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend as backends, represent
from fastsegmetrics.arguments import number, one_of
from fastsegmetrics.conventions import CHOICES, BothEmpty, OneEmpty
from fastsegmetrics.errors import InputError
from fastsegmetrics.scores import surface as scores
from fastsegmetrics.statistics import surface_distances as statistics
from fastsegmetrics.statistics.surface_distances import DirectedDistances, Surface

Percentile = Literal["max", "pooled", "mean", "inverse_cdf"]


@dataclasses.dataclass(frozen=True, eq=False)
class SurfaceDistances:
    """The surface distances of a pair, from which every surface score follows.

    Lengths are in the unit of the spacing.  Lower is better, but for `nsd`.

    Attributes
    ----------
    pred_to_gt, gt_to_pred : ndarray of float64, shape (N,), (M,)
        Distance of each surface point of the one to the other surface, ascending and read-only;
        inf where the other mask is empty, no values where the mask itself is.
    pred_areas, gt_areas : ndarray of float64, shape (N,), (M,), or None
        What each surface element weighs; None for voxels.
    surface : {"voxels", "elements"}
        What the points are.
    diagonal : float
        Length of the grid's diagonal.
    both_empty : {"perfect", "undefined"}
        Distances 0 and NSD 1, or NaN, when neither mask has foreground.
    one_empty : {"infinite", "diagonal"}
        The distances when one mask has none; NSD is 0.

    Examples
    --------
    >>> import numpy as np
    >>> gt = np.zeros((12, 12), bool)
    >>> gt[1:4, 1:4] = True
    >>> pred = gt.copy()
    >>> pred[10, 10] = True
    >>> found = surface_distances(pred, gt)
    >>> round(found.hd, 4), round(found.hd95, 4), round(found.hd_percentile(95, "pooled"), 4)
    (9.8995, 5.9397, 1.9799)
    """

    pred_to_gt: NDArray[np.float64]
    gt_to_pred: NDArray[np.float64]
    pred_areas: NDArray[np.float64] | None
    gt_areas: NDArray[np.float64] | None
    surface: Surface
    diagonal: float
    both_empty: BothEmpty = "perfect"
    one_empty: OneEmpty = "infinite"

    @property
    def hd(self) -> float:
        """Hausdorff distance: the largest distance of either direction."""
        return self._distance(scores.largest)

    @property
    def hd95(self) -> float:
        """`hd_percentile` at 95 in its default convention."""
        return self.hd_percentile(95)

    def hd_percentile(self, q: float, convention: Percentile | None = None) -> float:
        """Return a percentile of the distances.

        Parameters
        ----------
        q : float
            In [0, 100].
        convention : {"max", "pooled", "mean", "inverse_cdf"}, optional
            ``"max"``, the default for voxels: the larger of the two directions' linear
            percentiles.  ``"pooled"``: of all distances in one list (MedPy).  ``"mean"`` of the
            two directions' percentiles.  ``"inverse_cdf"``: the larger of the two without
            interpolation; elements, by area, have this one only.

        Raises
        ------
        InputError
            On another `q` or convention.
        """
        q = number("q", q, 0.0, 100.0)
        rule = convention
        if rule is None:
            rule = "inverse_cdf" if self.surface == "elements" else "max"
        one_of("convention", rule, tuple(_PERCENTILES))
        if self.surface == "elements":
            if rule != "inverse_cdf":
                raise InputError(
                    f"convention must be 'inverse_cdf' for surface elements; received {rule!r}"
                )
            areas = self.pred_areas, self.gt_areas
            return self._distance(
                lambda *sides: max(
                    scores.weighted_rank_percentile(side, area, q)
                    for side, area in zip(sides, areas)
                )
            )
        percentile = _PERCENTILES[rule]
        return self._distance(lambda forth, back: percentile(forth, back, q))

    @property
    def assd(self) -> float:
        """Average symmetric surface distance: the mean of all distances of both directions."""
        return self._distance(lambda forth, back: scores.pooled_mean(forth, back, self._areas))

    @property
    def masd(self) -> float:
        """Mean average surface distance: the mean of the two directions' means."""
        return self._distance(lambda forth, back: scores.mean_of_means(forth, back, self._areas))

    def nsd(self, tolerance: float) -> float:
        """Return the normalised surface distance (surface Dice) at a tolerance.

        The share of both surfaces that is within `tolerance`, in the unit of the spacing, of the
        other: in [0, 1], higher is better.

        Raises
        ------
        InputError
            When the tolerance is not a finite number of at least 0.
        """
        return scores.near_share(
            self.pred_to_gt, self.gt_to_pred, number("tolerance", tolerance, 0.0), self._areas,
            perfect=self.both_empty == "perfect",
        )  # fmt: skip

    @property
    def _areas(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        if self.pred_areas is None or self.gt_areas is None:
            return None
        return self.pred_areas, self.gt_areas

    def _distance(self, score: Callable[[Any, Any], float]) -> float:
        """Return a score of both directions, or what the policies say if there are not two."""
        return scores.distance(
            score, self.pred_to_gt, self.gt_to_pred, perfect=self.both_empty == "perfect",
            one_empty=math.inf if self.one_empty == "infinite" else self.diagonal,
        )  # fmt: skip


_PERCENTILES: dict[str, Callable[..., float]] = {
    "max": scores.larger_percentile,
    "pooled": scores.pooled_percentile,
    "mean": scores.mean_percentile,
    "inverse_cdf": scores.larger_rank_percentile,
}


def surface_distances(
    pred: Any,
    gt: Any,
    *,
    spacing: Any = 1.0,
    surface: Surface = "voxels",
    both_empty: BothEmpty = "perfect",
    one_empty: OneEmpty = "infinite",
    backend: backends.Backend | None = None,
) -> SurfaceDistances:
    """Measure how far two masks' surfaces are apart, once for all surface scores.

    Parameters
    ----------
    pred, gt : array_like, shape (H, W) or (D, H, W)
        Binary masks: booleans, all 0 or 1, or uint8 all 0 or 255.
    spacing : float or sequence of float
        Distance between neighbours along each axis, in the order of the arrays' axes.
    surface : {"voxels", "elements"}
        ``"voxels"``: foreground with a neighbour (4, in volumes 6) that is not, what is outside
        the array being background; each counts alike.  ``"elements"``: the cells of 2 x 2 (x 2)
        voxels that the surface passes, each with the length or area that it has there.
    both_empty : {"perfect", "undefined"}
        Distances 0 and NSD 1, or NaN, when neither mask has foreground.
    one_empty : {"infinite", "diagonal"}
        Infinite distances, or the length of the grid's diagonal, when one mask has none.
    backend : {"compiled", "reference"}, optional
        Which implementation computes.

    Returns
    -------
    SurfaceDistances
        The sorted distances of both directions, with `hd`, `hd95`, `hd_percentile`, `assd`, `masd`
        and `nsd`.

    Raises
    ------
    InputError
        When an array is not a binary mask of two or three axes, the shapes differ, or another
        argument is none of its choices.

    Notes
    -----
    Elements are those of Nikolov et al., "Clinically applicable segmentation of head and neck
    anatomy for radiotherapy", 2021, and of their surface-distance package.

    Examples
    --------
    >>> import numpy as np
    >>> pred, gt = np.zeros((2, 5, 5, 5), bool)
    >>> pred[1, 1, 1] = gt[3, 1, 1] = True
    >>> surface_distances(pred, gt, spacing=(2.5, 0.5, 0.5)).hd
    5.0
    """
    one_of("surface", surface, ("voxels", "elements"))
    one_of("both_empty", both_empty, CHOICES["both_empty"])
    one_of("one_empty", one_empty, CHOICES["one_empty"])
    pair = represent.mask_pair(pred, gt, spacing, n_axes=(2, 3))
    with backends.chosen(backend):
        found: DirectedDistances = statistics.surface_distances(pair, surface=surface)
    diagonal = math.hypot(*(n * step for n, step in zip(pair.gt.shape, pair.spacing)))
    return SurfaceDistances(*found, surface, diagonal, both_empty, one_empty)


def hd(pred: Any, gt: Any, **choices: Any) -> float:
    """Hausdorff distance; arguments and errors as for `surface_distances`.

    Examples
    --------
    >>> import numpy as np
    >>> hd(np.array([[1, 0, 0]]), np.array([[0, 0, 1]]), spacing=(1, 0.5))
    1.0
    """
    return surface_distances(pred, gt, **choices).hd


def hd95(pred: Any, gt: Any, *, convention: Percentile | None = None, **choices: Any) -> float:
    """95th percentile of the surface distances; see `SurfaceDistances.hd_percentile`.

    Other arguments and errors as for `surface_distances`.

    Examples
    --------
    >>> import numpy as np
    >>> hd95(np.array([[1, 1, 1, 0]]), np.array([[1, 0, 0, 0]]), convention="inverse_cdf")
    2.0
    """
    return surface_distances(pred, gt, **choices).hd_percentile(95, convention)


def assd(pred: Any, gt: Any, **choices: Any) -> float:
    """Average symmetric surface distance, over the distances of both directions together.

    Arguments and errors as for `surface_distances`.

    Examples
    --------
    >>> import numpy as np
    >>> assd(np.ones((1, 9)), np.eye(1, 9))
    3.6
    """
    return surface_distances(pred, gt, **choices).assd


def masd(pred: Any, gt: Any, **choices: Any) -> float:
    """Mean of the two directions' average surface distances.

    Arguments and errors as for `surface_distances`.

    Examples
    --------
    >>> import numpy as np
    >>> masd(np.ones((1, 9)), np.eye(1, 9))
    2.0
    """
    return surface_distances(pred, gt, **choices).masd


def nsd(pred: Any, gt: Any, tolerance: float, **choices: Any) -> float:
    """Normalised surface distance (surface Dice) at a tolerance in the unit of the spacing.

    Other arguments and errors as for `surface_distances`.

    Examples
    --------
    >>> import numpy as np
    >>> nsd(np.ones((1, 9)), np.eye(1, 9), tolerance=1)
    0.3
    """
    return surface_distances(pred, gt, **choices).nsd(tolerance)
