"""How the peer reads a pair; the module has the name under which its users import that."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastsegmetrics.compat.py_sod_metrics.pairs import Pair
from fastsegmetrics.errors import InputError
from fastsegmetrics.scores.confusion import EPS

__all__ = [
    "EPS",
    "TYPE",
    "get_adaptive_threshold",
    "prepare_data",
    "validate_and_normalize_input",
]

#: The type in which scores are kept.
TYPE = np.float64


def get_adaptive_threshold(matrix: ArrayLike, max_value: float = 1) -> float:
    """Return twice the mean of an array, at most `max_value`.

    Examples
    --------
    >>> float(get_adaptive_threshold([0.0, 0.5])), get_adaptive_threshold([0.6, 1.0])
    (0.5, 1)
    """
    return min(2 * np.asarray(matrix).mean(), max_value)


def prepare_data(pred: ArrayLike, gt: ArrayLike) -> tuple[NDArray[np.floating], NDArray[np.bool_]]:
    """Return a map of 0…255 divided by 255 and stretched to [0, 1], and where a truth is > 128.

    Parameters
    ----------
    pred, gt : array_like, same shape
        Any numbers; a constant map is only divided.

    Raises
    ------
    InputError
        When shapes differ, an array is empty, or the map is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> pred, gt = prepare_data(np.array([[0, 51, 255]], np.uint8), np.array([[0, 128, 129]]))
    >>> pred.tolist(), gt.tolist()
    ([[0.0, 0.2, 1.0]], [[False, False, True]])
    """
    return validate_and_normalize_input(pred, gt, normalize=True)


def validate_and_normalize_input(
    pred: ArrayLike, gt: ArrayLike, normalize: bool = True
) -> tuple[NDArray[np.floating], NDArray[np.bool_]]:
    """Return a pair as every ``step`` reads it.

    Parameters
    ----------
    pred, gt : array_like, same shape
        With `normalize` as for `prepare_data`; without it floats in [0, 1] and booleans, which come
        back as they are.
    normalize : bool
        See above.

    Raises
    ------
    InputError
        When shapes differ, an array is empty, or values are off their scale; a TypeError too where
        a dtype is refused.
    """
    pair = Pair(pred, gt, normalize)
    values = pair.values()
    if not normalize and not (values.min() >= 0 and values.max() <= 1):
        raise InputError(
            f"pred must lie in [0, 1] with normalize=False; received {values.min().item()!r} to "
            f"{values.max().item()!r}"
        )
    return values, pair.truth()
