"""Bilinear resizing of a prediction to the size of its ground truth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def resize_bilinear(
    values: NDArray[Any], shape: tuple[int, int], pred_scale: int | None = None
) -> NDArray[Any]:
    """Resize a map by bilinear interpolation, as the field's scripts do with OpenCV.

    Parameters
    ----------
    values : ndarray, shape (H, W)
        Integers in 0…255 become uint8 (interpolated values are rounded), other integers int64;
        float32 and float64 keep their type; float16 becomes float64.  Booleans become float64
        shares of the full scale, and so do the integers of a map whose full scale is 1.
    shape : tuple of int
        Height and width wanted.
    pred_scale : {None, 1, 255}
        Full scale of the map's numbers, as in `Conventions`.

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
    native = np.ascontiguousarray(values, _working_type(values, pred_scale))
    resized = cv2.resize(native, (width, height), interpolation=cv2.INTER_LINEAR)
    if values.dtype.kind == "b":
        return resized * (pred_scale or 1)
    if values.dtype.kind in "iu" and native.dtype != np.uint8 and pred_scale != 1:
        # Off the scale: still integers, so that they are refused or clipped as integers.
        return np.rint(resized).astype(np.int64)
    return resized


def _working_type(values: NDArray[Any], pred_scale: int | None) -> np.dtype[Any]:
    whole = values.dtype.kind in "iu" and pred_scale != 1
    if whole and values.min() >= 0 and values.max() <= 255:
        return np.dtype(np.uint8)
    if values.dtype.kind == "f" and values.dtype.itemsize == 4:
        return np.dtype(np.float32)
    return np.dtype(np.float64)
