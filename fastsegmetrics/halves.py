"""Stage 5: the split of a data set into an easy and a hard half, from a per-image column."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

#: Levels that agree so far are equal. Those of the two backends, and those of an image and of the
#: same upside down, differ by 1e-14: by the order of sums, and no half may follow from that.
DECIMALS = 9


def middle_level(levels: Iterable[float]) -> float:
    """Return the level up to which images are easy.

    Parameters
    ----------
    levels : iterable of float
        One per image of the data set; NaN where an image has none.

    Returns
    -------
    float
        The median of the levels that are defined, for an even number of them the lower of the two
        in the middle; NaN if none is.  Rounded to `DECIMALS`.

    Examples
    --------
    >>> middle_level([1.5, 1.1, 1.4, float("nan"), 1.2])
    1.2
    """
    known = np.sort(_comparable(np.fromiter(levels, np.float64)))
    known = known[~np.isnan(known)]
    return float(known[(known.size - 1) // 2]) if known.size else float("nan")


def in_half(levels: NDArray[np.float64], middle: float, hard: bool) -> NDArray[np.bool_]:
    """Return which images belong to a half.

    Parameters
    ----------
    levels : ndarray of float64, shape (n,)
        One per image; NaN where an image has none, which belongs to neither half.
    middle : float
        From `middle_level`.
    hard : bool
        Whether the hard half is meant (levels above the middle) or the easy one (all others).

    Examples
    --------
    >>> in_half(np.array([1.5, 1.1, 1.4, np.nan, 1.2]), 1.2, hard=True).tolist()
    [True, False, True, False, False]
    """
    comparable = _comparable(levels)
    return comparable > middle if hard else comparable <= middle


def _comparable(levels: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.round(levels, DECIMALS)
