"""Stage 1: any array becomes a canonical map or mask, or one sentence says why it cannot.

All validation of arrays lives here; nothing downstream asks again what an array is.
"""

from __future__ import annotations

import math
import numbers
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend as backends
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError

#: A value this near (relatively) to the adaptive threshold is kept or not by how np.mean rounds.
# np.mean sums pairwise: its relative error stays below log2(pixels) + 8 roundings, so that 256 of
# them hold for every image.
NEAR_THRESHOLD = 2.0**-44


class MapInput(NamedTuple):
    """A prediction, C-contiguous and read-only: uint8 of 0…255, or floats in [0, 1]."""

    values: NDArray[Any]
    #: Whether 8-bit values are still to be stretched by their minimum and maximum.
    stretch: bool


class MaskPair(NamedTuple):
    """Two binary masks of one shape, C-contiguous and read-only uint8 of 0 and 1."""

    pred: NDArray[np.uint8]
    gt: NDArray[np.uint8]
    #: Distance between neighbours along each axis of the arrays.
    spacing: tuple[float, ...]


def mask(
    gt: Any, gt_threshold: float | None = None, pred_shape: tuple[int, ...] | None = None
) -> NDArray[np.uint8]:
    """Return a binary mask as C-contiguous uint8 of 0 and 1.

    Parameters
    ----------
    gt : array_like, shape (H, W)
        Booleans as they are; integers in 0…255 with foreground iff > 128; floats that are all 0
        or 1.  Three equal channels (H, W, 3) are one plane.
    gt_threshold : float, optional
        Foreground iff the value is greater than this, for numbers of any range; of integers it
        must tell some that their type can hold from others, of 8 bits 0 ≤ t < 255.
    pred_shape : tuple of int, optional
        The prediction's shape, for the message.

    Raises
    ------
    InputError
        When the shape is not 2-D or is empty, or the values do not say what is foreground, or
        `gt_threshold` is one that all numbers of the type are above, or none.
    """
    array = _plane(gt, "gt", "pred", pred_shape)
    kind = array.dtype.kind
    if kind == "b":
        if gt_threshold is not None:
            raise InputError(
                f"gt_threshold must be None for a boolean gt; received {gt_threshold!r}"
            )
        return np.ascontiguousarray(array).view(np.uint8)
    if gt_threshold is not None:
        if kind == "f" and np.isnan(array).any():
            raise InputError(f"gt must not contain NaN; {first_bad(np.isnan(array))}")
        if kind != "f":
            _check_threshold(gt_threshold, array.dtype)
        numbers = array.astype(np.float32) if array.dtype == np.float16 else array
        return np.ascontiguousarray(numbers > gt_threshold).view(np.uint8)
    if kind == "f":
        bad = (array != 0) & (array != 1)
        if bad.any():
            raise InputError(
                f"gt as floats must be all 0 or 1, or gt_threshold must say what is "
                f"foreground; {first_bad(bad, array)}"
            )
        return np.ascontiguousarray(array != 0).view(np.uint8)
    if array.dtype != np.uint8 and (array.max() > 255 or array.min() < 0):
        bad = (array < 0) | (array > 255)
        raise InputError(
            f"gt as integers must lie in 0..255, or gt_threshold must say what is "
            f"foreground; {first_bad(bad, array)}"
        )
    foreground = array > 128
    if not foreground.any() and array.max() == 1:
        raise InputError(
            "gt must be boolean or 0..255 (foreground > 128), its maximum is 1: pass "
            "gt_threshold=0 if it holds 0 and 1, gt_threshold=128 if it is an empty 8-bit mask"
        )
    return np.ascontiguousarray(foreground).view(np.uint8)


def plain_mask(
    gt: Any, gt_threshold: float | None, *, summed: bool
) -> tuple[NDArray[np.uint8], tuple[int, int, int]] | None:
    """Return the `mask` of plain 8-bit levels, or None for what `mask` has to read or refuse.

    With it come its area and its sums of rows and of columns where they are asked for, else
    zeros: made together they take one call of a kernel.
    """
    plain = type(gt) is np.ndarray and gt.dtype.char == "B" and gt.ndim == 2 and gt.size > 0
    if not plain or gt_threshold is not None or backends.resolve() == "reference":
        return None
    from fastsegmetrics.kernels import masks

    found, (area, rows, columns), highest = masks.foreground(sealed(gt), 128, summed)
    # With the JIT off the kernel's numbers are NumPy's.
    return None if highest == 1 else (found, (int(area), int(rows), int(columns)))


def _check_threshold(gt_threshold: float, dtype: np.dtype[Any]) -> None:
    """Refuse a threshold that would make every truth of a type of integers empty, or full."""
    lowest, highest = np.iinfo(dtype).min, np.iinfo(dtype).max
    if not lowest <= gt_threshold < highest:
        raise InputError(
            f"gt_threshold must be at least {lowest} and below {highest} for a gt of {dtype}; "
            f"received {gt_threshold:g}"
        )


def prediction(pred: Any, conventions: Conventions, shape: tuple[int, int]) -> MapInput:
    """Return a prediction as a canonical map of the truth's shape.

    Parameters
    ----------
    pred : array_like, shape (H, W)
        Integers in 0…255 or booleans, or floats in [0, 1] (`pred_scale=255`: in [0, 255]).
    conventions : Conventions
        `stretch`, `pred_scale` and `clip` are read.
    shape : tuple of int
        The truth's (H, W).

    Raises
    ------
    InputError
        On another shape, NaN, infinities, or values off the scale.
    """
    if type(pred) is np.ndarray and pred.dtype.char == "B" and pred.shape == shape:
        # What most calls bring: the questions below take longer than a small image.
        return _integer_map(pred, conventions)
    array = _plane(pred, "pred", "gt", shape)
    if array.shape != shape:
        hint = " (the one is the other's transpose)" if array.shape == shape[::-1] else ""
        if conventions.resize != "error":
            hint += f"; resize={conventions.resize!r} is for folder runs, arrays stay as they are"
        raise InputError(
            f"pred and gt must have one shape; received {array.shape} and {shape}{hint}"
        )
    kind = array.dtype.kind
    if kind == "b":
        return MapInput(sealed(array.view(np.uint8) * np.uint8(255)), False)
    if kind == "f":
        return _float_map(array, conventions)
    return _integer_map(array, conventions)


def unread_floats(
    pred: Any, conventions: Conventions, shape: tuple[int, int]
) -> NDArray[Any] | None:
    """Return a prediction as it is if `prediction` would only check its range, else None.

    For who checks that while looking at the values anyway; a pass over a small image takes as long
    as everything else.  What is not in range goes to `prediction`, which says what is wrong.
    """
    if (
        type(pred) is np.ndarray
        and pred.dtype.char in "fd"
        and pred.dtype.isnative
        and pred.shape == shape
        and pred.flags.c_contiguous
        and pred.flags.aligned
        and conventions.pred_scale in (None, 1)
        and not conventions.stretch
    ):
        return pred
    return None


def mask_pair(
    pred: Any, gt: Any, spacing: Any = 1.0, n_axes: tuple[int, ...] | None = None
) -> MaskPair:
    """Return two binary masks of any number of axes, with the spacing of their grid.

    Parameters
    ----------
    pred, gt : array_like, shape (…)
        Booleans as they are; integers or floats that are all 0 or 1; uint8 that are all 0 or 255.
        Anything else is a map or labels, and refused: compare it with a threshold or a label.
    spacing : float or sequence of float
        Distance between neighbours along each axis, in the order of the arrays' axes; one number
        for all.
    n_axes : tuple of int, optional
        The numbers of axes that are allowed; any by default.

    Raises
    ------
    InputError
        When the shapes differ, an array is empty, has another number of axes, or holds other
        values; when a spacing is missing, not a number, not finite or not positive.
    """
    masks = binary(pred, "pred", n_axes), binary(gt, "gt", n_axes)
    shape, other = masks[0].shape, masks[1].shape
    if shape != other:
        transposed = shape == other[::-1]
        hint = " (the one is the other's transpose)" if transposed else ""
        raise InputError(f"pred and gt must have one shape; received {shape} and {other}{hint}")
    return MaskPair(*masks, grid_spacing(spacing, len(shape)))


def grid_spacing(spacing: Any, n_axes: int) -> tuple[float, ...]:
    """Return the spacing along each of `n_axes` axes; one number stands for all.

    Raises
    ------
    InputError
        When there are not `n_axes` of them, or one is not a finite number above 0.
    """
    listed = [spacing] * n_axes if np.ndim(spacing) == 0 else list(spacing)
    if len(listed) != n_axes:
        raise InputError(
            f"spacing must be one number or one for each of the {n_axes} axes; received {spacing!r}"
        )
    for value in listed:
        real = isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))
        if not real or not math.isfinite(value) or value <= 0:
            raise InputError(f"spacing must be finite and above 0; received {spacing!r}")
    return tuple(float(value) for value in listed)


def binary(array: Any, name: str, n_axes: tuple[int, ...] | None = None) -> NDArray[np.uint8]:
    """Return one of the masks of `mask_pair`; parameters and errors as there."""
    values = numeric(array, name)
    if values.ndim == 0 or (n_axes is not None and values.ndim not in n_axes):
        allowed = "at least 1" if n_axes is None else " or ".join(map(str, n_axes))
        raise InputError(f"{name} must have {allowed} axes; received shape {values.shape}")
    if values.size == 0:
        raise InputError(f"{name} must have at least one pixel; received shape {values.shape}")
    if values.dtype.kind == "b":
        return sealed(values).view(np.uint8)
    foreground = values != 0
    # Two passes that stop at no value are faster than finding out where the first bad one is.
    top = 255 if values.dtype == np.uint8 and values.max() == 255 else 1
    if np.count_nonzero(values == top) != np.count_nonzero(foreground):
        bad = foreground & (values != top)
        raise InputError(
            f"{name} must be a binary mask (boolean, all 0 or 1, or uint8 all 0 or 255; compare a "
            f"map with its threshold and labels with one of them first); {first_bad(bad, values)}"
        )
    return sealed(foreground).view(np.uint8)


def image(image: Any, shape: tuple[int, int]) -> NDArray[np.uint8]:
    """Return a photograph as C-contiguous, read-only RGB uint8 of the truth's size.

    Parameters
    ----------
    image : array_like of uint8, shape (H, W, 3)
        Red, green and blue in 0…255.
    shape : tuple of int
        The truth's (H, W).

    Raises
    ------
    InputError
        On another number of axes or channels, another dtype, or another size.
    """
    colours = np.asarray(image)
    if colours.ndim != 3 or colours.shape[2] != 3:
        raise InputError(f"image must be RGB (H, W, 3); received shape {colours.shape}")
    if colours.dtype != np.uint8:
        raise InputError(f"image must be uint8 (0..255); received dtype {colours.dtype}")
    if colours.shape[:2] != shape:
        size = colours.shape[:2]
        hint = " (the one is the other's transpose)" if size == shape[::-1] else ""
        raise InputError(f"image and gt must have one size; received {size} and {shape}{hint}")
    return sealed(colours)


def _integer_map(array: NDArray[Any], conventions: Conventions) -> MapInput:
    scale = conventions.pred_scale or 255
    if array.dtype != np.uint8 or scale == 1:
        low, high = int(array.min()), int(array.max())
        if low < 0 or high > scale:
            if not conventions.clip:
                bad = (array < 0) | (array > scale)
                advice = "clip=True clips it"
                if scale == 255 and low >= 0 and array.dtype == np.uint16:
                    advice = "divide a 16-bit map by 65535"
                raise InputError(
                    f"pred as integers must lie in 0..{scale} (pred_scale; {advice}); "
                    f"{first_bad(bad, array)}"
                )
            array = np.clip(array, 0, scale)
        array = array.astype(np.uint8)
        if scale == 1:
            array = array * np.uint8(255)
    return MapInput(sealed(array), conventions.stretch)


def check_scale(highest: int, conventions: Conventions) -> None:
    """Refuse an 8-bit map whose maximum is 1: a mask of 0 and 1 would be scored as near-black."""
    if highest == 1 and conventions.pred_scale is None:
        raise InputError(
            "pred must be boolean, 0..255 or floats in [0, 1], its maximum is the integer 1: "
            "pass pred_scale=1 if it holds 0 and 1, pred_scale=255 if it is an 8-bit map"
        )


def check_levels(pred: MapInput, conventions: Conventions) -> None:
    """Refuse a map of 8-bit levels as `check_scale` does; of floats there is nothing to refuse."""
    if pred.values.dtype == np.uint8:
        check_scale(extremes(pred.values)[1], conventions)


def _float_map(array: NDArray[Any], conventions: Conventions) -> MapInput:
    # Half precision and the extended types have no kernel: float64 holds all of the first, and
    # the last digits of the second are not kept.
    single = array.dtype.itemsize <= 4
    values = sealed(array.astype(np.float32 if single else np.float64, copy=False))
    scale = float(conventions.pred_scale or 1)
    if scale == 1 and not conventions.stretch and _within_unit(values):
        return MapInput(values, False)
    low, high = values.min(), values.max()
    # Also false where either is NaN.
    if not (low >= 0 and high <= scale):
        values = _clipped(values, scale, low, high, conventions.clip)
        low, high = values.min(), values.max()
    if scale != 1:
        if 0 < high <= 1:
            raise InputError(
                f"pred as floats with pred_scale=255 must not be probabilities, its maximum is "
                f"{float(high)!r}: pass pred_scale=1 if it lies in [0, 1]"
            )
        values = values / values.dtype.type(scale)
        low, high = values.min(), values.max()
    if conventions.stretch and low < high and not (low == 0 and high == 1):
        values = (values - low) / (high - low)
    return MapInput(sealed(values), False)


def _within_unit(values: NDArray[Any]) -> bool:
    """Tell in one pass, where minimum and maximum take two, whether floats lie in [0, 1].

    Read as unsigned integers these are in order, and negative numbers, infinities and NaN are
    beyond them; so is -0.0, for which the answer is no.
    """
    kind = np.uint32 if values.dtype == np.float32 else np.uint64
    return bool(values.view(kind).max() <= values.dtype.type(1).view(kind))


def _clipped(
    values: NDArray[Any], scale: float, low: float, high: float, clip: bool
) -> NDArray[Any]:
    finite = np.isfinite(values)
    if not finite.all():
        raise InputError(f"pred must be finite; {first_bad(~finite, values)}")
    if clip:
        return sealed(np.clip(values, 0, values.dtype.type(scale)))
    advice = "pass clip=True to clip them"
    if scale == 1 and low >= 0 and 1.5 < high <= 255:
        advice = "pass pred_scale=255 for 8-bit values"
    elif scale == 1 and low < 0 and high > 1:
        advice = "if these are logits, apply a sigmoid first; otherwise clip=True clips them"
    raise InputError(
        f"pred must lie in [0, {scale:g}] ({advice}); "
        f"{first_bad((values < 0) | (values > scale), values)}"
    )


def unit_values(pred: MapInput) -> NDArray[Any]:
    """Return a map as floats in [0, 1], stretched, by the literature's order of roundings."""
    if pred.values.dtype != np.uint8:
        return pred.values
    values = pred.values / 255.0
    if pred.stretch:
        low, high = values.min(), values.max()
        if low != high:
            values = (values - low) / (high - low)
    return values


def extremes(levels: NDArray[np.uint8]) -> tuple[int, int]:
    """Return the lowest and the highest value of an 8-bit map."""
    if backends.resolve() == "reference":
        return int(levels.min()), int(levels.max())
    from fastsegmetrics.kernels import levels as kernels

    low, high = kernels.extremes(levels.reshape(-1))
    return int(low), int(high)


def adaptive_threshold(values: NDArray[Any]) -> float:
    """Return min(2 · mean, 1), with the mean as NumPy takes it in the map's own precision."""
    return min(2.0 * float(values.mean()), 1.0)


def adaptive_mask(values: NDArray[Any], keep_at_zero: bool) -> NDArray[np.bool_]:
    """Return the pixels at or above the adaptive threshold.

    An all-zero map has threshold 0, at which the literature keeps everything; the strict policy
    keeps nothing that is 0.
    """
    kept: NDArray[np.bool_] = values >= values.dtype.type(adaptive_threshold(values))
    return kept if keep_at_zero else kept & (values > 0)


def words(row: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return a row of bytes as 64-bit words, without the odd bytes at its end."""
    whole = row[: row.size // 8 * 8].view(np.uint64)
    if whole.flags.aligned:
        return whole
    # Numba would compile a kernel of its own for memory that is not aligned to its items.
    whole = row[: row.size // 8 * 8].copy().view(np.uint64)
    whole.flags.writeable = False
    return whole


def sealed(array: NDArray[Any]) -> NDArray[Any]:
    """Return a C-contiguous read-only view or copy: one array type, so one kernel each."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def _plane(array: Any, name: str, other: str, other_shape: tuple[int, ...] | None) -> NDArray[Any]:
    """Return an array of booleans, integers or floats with two axes and at least one pixel."""
    plane = numeric(array, name)
    if plane.ndim == 3 and plane.shape[2] == 3 and plane.size:
        plane = _grey(plane, name)
    if plane.ndim != 2:
        beside = f" beside {other} of {other_shape}" if other_shape is not None else ""
        hint = ""
        if plane.ndim == 3 and plane.shape[2] <= 4:
            hint = f"; pick one channel, for example {name}[..., 0]"
        raise InputError(f"{name} must be 2-D (H, W); received shape {plane.shape}{beside}{hint}")
    if plane.size == 0:
        raise InputError(f"{name} must have at least one pixel; received shape {plane.shape}")
    return plane


def numeric(array: Any, name: str) -> NDArray[Any]:
    """Return an array of booleans, integers or floats."""
    if isinstance(array, np.ma.MaskedArray):
        raise InputError(f"{name} must not be a masked array (fill it first); received one")
    try:
        values = np.asarray(array)
    except ValueError as error:
        raise InputError(f"{name} must be one array; received rows of different lengths") from error
    if values.dtype.kind not in "buif":
        raise InputError(
            f"{name} must be an array of booleans, integers or floats; "
            f"received dtype {values.dtype}"
        )
    return values


def _grey(colours: NDArray[Any], name: str) -> NDArray[Any]:
    """Return the one plane of a grey image that is stored as three equal channels."""
    first = colours[..., :1]
    differ = ((colours != first) & ((colours == colours) | (first == first))).any(axis=2)
    if differ.any():
        raise InputError(
            f"{name} of shape {colours.shape} must have three equal channels (a grey image) or "
            f"be 2-D; {first_bad(differ)}"
        )
    return colours[..., 0]


def first_bad(bad: NDArray[np.bool_], array: NDArray[Any] | None = None) -> str:
    """Say how many values break a rule, and which and where the first of them is."""
    position = tuple(int(i) for i in np.unravel_index(int(np.argmax(bad)), bad.shape))
    shown = "" if array is None else f"{array[position].item()!r} "
    return f"{int(bad.sum())} value(s) break this, the first {shown}at {position}"
