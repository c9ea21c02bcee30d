"""Bilinear resizing of a prediction to the size of its ground truth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def resize_bilinear(values: NDArray[Any], shape: tuple[int, int]) -> NDArray[Any]:
    """Resize a map by bilinear interpolation, as the field's scripts do with OpenCV.

    Parameters
    ----------
    values : ndarray, shape (H, W)
        Integers in 0…255 become uint8 (interpolated values are rounded); float32 and float64 keep
        their type; any other type becomes float64, booleans 0 and 1 included.
    shape : tuple of int
        Height and width wanted.

    Returns
    -------
    ndarray
        Of `shape`; pixel centres are aligned at half pixels and the border is repeated.

    Examples
    --------
    >>> resize_bilinear(np.array([[0, 100]], np.uint8), (1, 4)).tolist()
    [[0, 25, 75, 100]]
    """
    import cv2

    height, width = shape
    native = np.ascontiguousarray(values, _working_type(values))
    return cv2.resize(native, (width, height), interpolation=cv2.INTER_LINEAR)


def _working_type(values: NDArray[Any]) -> np.dtype[Any]:
    if values.dtype.kind in "iu" and values.min() >= 0 and values.max() <= 255:
        return np.dtype(np.uint8)
    if values.dtype.kind == "f" and values.dtype.itemsize == 4:
        return np.dtype(np.float32)
    return np.dtype(np.float64)
