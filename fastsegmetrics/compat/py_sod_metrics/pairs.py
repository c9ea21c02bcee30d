"""What a ``step`` is given, read as the peer reads it, and its statistics."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError
from fastsegmetrics.statistics.pair import PairStatistics
from fastsegmetrics.statistics.sweep import mean_absolute_error, pair_statistics
from fastsegmetrics.target import Target


class InputTypeError(InputError, TypeError):
    """A dtype is refused: a TypeError, because callers of the peer catch that."""


class _Undivided(Target):
    """A truth that needs no centroid: the whole image is one quadrant."""

    @property
    def split(self) -> tuple[int, int]:
        return self.shape


class Pair:
    """One prediction against one truth.

    Parameters
    ----------
    pred, gt : array_like, same shape
        With `normalize`: any numbers, read as ``pred / 255`` stretched to [0, 1] and ``gt > 128``.
        Without: floats in [0, 1] and booleans.
    normalize : bool
        See above.

    Raises
    ------
    InputError
        When the shapes differ, are empty, or a value is refused.
    """

    def __init__(self, pred: Any, gt: Any, normalize: bool = True) -> None:
        self.pred: NDArray[Any] = np.asarray(pred)
        self.gt: NDArray[Any] = np.asarray(gt)
        self.normalize = normalize
        if self.pred.shape != self.gt.shape:
            raise InputError(
                f"pred and gt must have one shape; received {self.pred.shape} and {self.gt.shape}"
            )
        if self.pred.size == 0:
            raise InputError(f"pred must have at least one pixel; received shape {self.pred.shape}")
        for name, array in (("pred", self.pred), ("gt", self.gt)):
            if array.dtype.kind not in "buif":
                raise InputTypeError(
                    f"{name} must hold booleans, integers or floats; received dtype {array.dtype}"
                )
        if not normalize:
            _require_normalized(self.pred, self.gt)

    def values(self) -> NDArray[Any]:
        """Return the prediction as floats in [0, 1], by the order of roundings of the peer."""
        pred = self.pred
        if not self.normalize:
            return pred
        if pred.dtype == np.float16:
            pred = pred.astype(np.float32)
        values: NDArray[Any] = pred / 255
        low, high = values.min(), values.max()
        if not (np.isfinite(low) and np.isfinite(high)):
            bad = ~np.isfinite(values)
            first = tuple(int(i) for i in np.unravel_index(int(np.argmax(bad)), bad.shape))
            raise InputError(
                f"pred must be finite; {int(bad.sum())} value(s) are not, the first at {first}"
            )
        if low != high:
            values = (values - low) / (high - low)
            return values
        if not 0 <= low <= 1:
            raise InputError(
                f"pred must lie in [0, 255] where it is constant; received {pred.flat[0].item()!r}"
            )
        return values

    def truth(self) -> NDArray[np.bool_]:
        """Return where the truth is foreground."""
        return self.gt > 128 if self.normalize else self.gt

    def absolute_error(self) -> float:
        """Return mean |P - G|."""
        values, target, conventions = self._read(_Undivided)
        self._warn_of_a_mask_of_ones(target)
        canonical = represent.prediction(values, conventions, target.shape)
        return mean_absolute_error(canonical, target, conventions)

    def statistics(self, *, by_quadrant: bool = False) -> PairStatistics:
        """Return counts and moments, by the quadrants of the S-measure or for the whole image."""
        values, target, conventions = self._read(Target if by_quadrant else _Undivided)
        self._warn_of_a_mask_of_ones(target)
        canonical = represent.prediction(values, conventions, target.shape)
        found = pair_statistics(canonical, target, conventions)
        if not by_quadrant and not self.pred.flags.c_contiguous:
            self._settle_adaptive_side(found)
        return found

    def _read(self, target: type[Target]) -> tuple[NDArray[Any], Target, Conventions]:
        values: NDArray[Any] | None = self._levels()
        conventions = _conventions(self.normalize and values is not None)
        if values is None:
            values = self.values()
        gt = self.gt
        threshold: int | None = 128
        if not self.normalize or gt.dtype.kind in "bf":
            gt, threshold = self.truth(), None
        if values.ndim != 2:
            # For scores of the set of pixels, whatever their arrangement.
            values, gt = values.reshape(1, -1), gt.reshape(1, -1)
        return values, target(gt, threshold), conventions

    def _levels(self) -> NDArray[np.uint8] | None:
        """Return the prediction as 8-bit levels where that is what it holds."""
        pred = self.pred
        if pred.dtype == np.uint8:
            return pred
        if pred.dtype.kind == "b":
            return pred.view(np.uint8)
        if pred.dtype.kind in "iu" and pred.min() >= 0 and pred.max() <= 255:
            return pred.astype(np.uint8)
        return None

    def _settle_adaptive_side(self, found: PairStatistics) -> None:
        """Recount at the mean of the array as it lies, on which its rounding depends.

        The kernels read a C-contiguous copy, whose np.mean may differ in the last bit.
        """
        levels = self._levels()
        if levels is not None:
            low, high = int(levels.min()), int(levels.max())
            occurring = np.arange(high - low + 1) / max(1, high - low)
            near = np.abs(occurring - 2.0 * found.mean) <= found.mean * represent.NEAR_THRESHOLD
            if low != high and not near.any():
                return
        kept = represent.adaptive_mask(self.values(), keep_at_zero=True)
        tp = int(np.count_nonzero(kept & self.truth()))
        found.counts.sides[1] = tp, int(np.count_nonzero(kept)) - tp

    def _warn_of_a_mask_of_ones(self, target: Target) -> None:
        if not self.normalize or target.mask.view(np.bool_).any():
            return
        if self.gt.any() and (self.gt.dtype.kind == "b" or self.gt.max() == 1):
            warnings.warn(
                "gt must be 0..255 with normalize=True (foreground > 128), its maximum is 1: all "
                "of it counts as background",
                UserWarning,
                stacklevel=4,
            )


@lru_cache(maxsize=4)
def _conventions(stretch: bool) -> Conventions:
    return Conventions(stretch=stretch, pred_scale=255 if stretch else None)


def _require_normalized(pred: NDArray[Any], gt: NDArray[Any]) -> None:
    if gt.dtype.kind != "b":
        raise InputTypeError(f"gt must be boolean with normalize=False; received dtype {gt.dtype}")
    if pred.dtype.kind != "f":
        raise InputTypeError(
            f"pred must be float32 or float64 with normalize=False; received dtype {pred.dtype}"
        )
