"""The ground truth of one image and everything that it alone decides, computed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend as backends, represent

Value = TypeVar("Value")


class _Sums(NamedTuple):
    area: int
    rows: int
    columns: int


class Target:
    """A binary ground truth, prepared once and shared by every method scored on it.

    Parameters
    ----------
    gt : array_like, shape (H, W)
        Booleans as they are; integers in 0…255, foreground iff > 128.
    gt_threshold : float, optional
        Foreground iff the value is greater than this.
    image : array_like of uint8, shape (H, W, 3), optional
        The RGB photograph, for the metrics that look at it.

    Attributes
    ----------
    mask : ndarray of uint8, shape (H, W)
        0 and 1, read-only.
    gt_threshold : float or None
        As given.
    image : ndarray of uint8, shape (H, W, 3), or None
        The photograph, read-only.

    Raises
    ------
    InputError
        When `gt` is not 2-D, is empty, or does not say what is foreground; when `image` is not
        RGB uint8 of its size.

    Examples
    --------
    >>> import numpy as np
    >>> Target(np.array([[0, 255, 255]], np.uint8)).n_foreground
    2
    """

    def __init__(
        self, gt: Any, gt_threshold: float | None = None, image: Any | None = None
    ) -> None:
        plain = represent.plain_mask(gt, gt_threshold, summed=True)
        converted = represent.mask(gt, gt_threshold) if plain is None else plain[0]
        if plain is None and np.may_share_memory(converted, np.asarray(gt)):
            # A caller may write into its array afterwards; what is cached here must not follow.
            converted = converted.copy()
        if image is not None:
            image = np.array(image)
        self._hold(converted, gt_threshold, image, None if plain is None else _Sums(*plain[1]))

    @classmethod
    def borrowing(
        cls, gt: Any, gt_threshold: float | None, pred: Any, image: Any | None = None
    ) -> Target:
        """Make a target for one call on `pred`, without copying a boolean array or an image."""
        target = cls.__new__(cls)
        plain = represent.plain_mask(gt, gt_threshold, summed=False)
        if plain is not None:
            converted = plain[0]
        else:
            converted = represent.mask(gt, gt_threshold, getattr(pred, "shape", None))
        target._hold(converted, gt_threshold, image)
        return target

    def _hold(
        self,
        converted: NDArray[np.uint8],
        gt_threshold: float | None,
        image: Any | None,
        sums: _Sums | None = None,
    ) -> None:
        converted.setflags(write=False)
        self.gt_threshold = gt_threshold
        self.mask: NDArray[np.uint8] = converted
        self.image: NDArray[np.uint8] | None = None
        if image is not None:
            self.image = represent.image(image, self.shape)
        self._cache: dict[str, Any] = {}
        self._known_sums = sums

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width in pixels."""
        height, width = self.mask.shape
        return height, width

    @property
    def n_pixels(self) -> int:
        """Number of pixels."""
        return self.mask.size

    @property
    def n_foreground(self) -> int:
        """Number of foreground pixels."""
        return self._sums.area

    @property
    def split(self) -> tuple[int, int]:
        """Row and column that begin the lower and the right quadrants of the S-measure.

        The foreground's centroid, each coordinate rounded half to even, plus 1.  Without
        foreground there is no split: both are the size of the image.
        """
        area, rows, columns = self._sums
        if area == 0:
            return self.shape
        return round_half_even(rows, area) + 1, round_half_even(columns, area) + 1

    def cached(self, name: str, compute: Callable[[], Value]) -> Value:
        """Return what `compute` gave the first time it was asked for under `name`.

        For what the truth and the photograph alone decide.  The value is shared by all methods
        scored on this target, so nobody writes to it.  Two threads may compute it twice, which is
        harmless; no lock is held.
        """
        try:
            return self._cache[name]
        except KeyError:
            value: Value = self._cache.setdefault(name, compute())
            return value

    @property
    def _sums(self) -> _Sums:
        # Not functools.cached_property: until Python 3.12 its lock is shared by all instances, so
        # that threads would wait for each other's kernels.  Computing twice is harmless.
        if self._known_sums is None:
            self._known_sums = self._compute_sums()
        return self._known_sums

    def _compute_sums(self) -> _Sums:
        if backends.resolve() == "reference":
            from fastsegmetrics.reference import levels as reference

            return _Sums(*reference.mask_sums(self.mask))
        from fastsegmetrics.kernels import levels

        # With the JIT off the kernel's numbers are NumPy's.
        return _Sums(*(int(total) for total in levels.mask_sums(self.mask)))


def round_half_even(numerator: int, denominator: int) -> int:
    """Round a quotient of non-negative integers exactly, halves to even."""
    quotient, remainder = divmod(numerator, denominator)
    twice = 2 * remainder
    return quotient + (twice > denominator or (twice == denominator and quotient % 2 == 1))
