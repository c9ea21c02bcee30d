"""The statistics of one map against one mask, enough for every score of the sweep family."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.errors import InputError

#: float64[4, 2, 3]: number, mean and squared deviations of P by quadrant and truth.
CellMoments: TypeAlias = NDArray[np.float64]
#: float64[256]: a value at each threshold level, ascending.
Curve: TypeAlias = NDArray[np.float64]


class LevelCounts(NamedTuple):
    """Integer counts of one map, or of a data set; they add up exactly in any order.

    ``levels[g, l]`` pixels of truth ``g`` at level ``l``; ``sides`` holds (tp, fp) of P > 0.5 and
    (tp, fp) of the adaptive threshold.
    """

    levels: NDArray[np.int64]
    sides: NDArray[np.int64]

    @property
    def n_pixels(self) -> int:
        """Number of pixels counted."""
        return int(self.levels.sum())

    @property
    def n_foreground(self) -> int:
        """Number of foreground pixels of the truth."""
        return int(self.levels[1].sum())

    def add(self, other: LevelCounts) -> None:
        """Count the pixels of another set too."""
        np.add(self.levels, other.levels, out=self.levels)
        np.add(self.sides, other.sides, out=self.sides)

    @classmethod
    def none(cls) -> LevelCounts:
        """Return the counts of no pixel."""
        return cls(np.zeros((2, 256), np.int64), np.zeros((2, 2), np.int64))

    def to_bytes(self) -> bytes:
        """Return a compact form: one byte for the width of a count, then the counts that occur."""
        occurring = np.flatnonzero(self.levels[0] | self.levels[1])
        numbers = np.concatenate((self.levels[:, occurring].ravel(), self.sides.ravel()))
        width = 4 if numbers.max() < 2**32 else 8
        return (
            bytes((width, occurring.size - 1))
            + occurring.astype(np.uint8).tobytes()
            + numbers.astype(f"<u{width}").tobytes()
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> LevelCounts:
        """Read what `to_bytes` wrote."""
        width, n = (data[0], data[1] + 1) if len(data) > 1 else (0, 0)
        if width not in (4, 8) or len(data) != 2 + n + width * (2 * n + 4):
            raise InputError(f"data must be what to_bytes wrote; received {len(data)} bytes")
        occurring = np.frombuffer(data, np.uint8, n, 2)
        numbers = np.frombuffer(data, f"<u{width}", offset=2 + n).astype(np.int64)
        counts = cls.none()
        counts.levels[:, occurring] = numbers[: 2 * n].reshape(2, n)
        counts.sides[:] = numbers[2 * n :].reshape(2, 2)
        return counts


class PairStatistics(NamedTuple):
    """Everything the sweep family asks of one pair.

    ``moments`` are by quadrant around (`split_row`, `split_column`), the truth's centroid.
    """

    counts: LevelCounts
    moments: CellMoments
    absolute_error: float
    split_row: int
    split_column: int
    height: int
    width: int

    @property
    def mean(self) -> float:
        """Mean of the prediction."""
        sizes, means = self.moments[..., 0], self.moments[..., 1]
        return float((sizes * means).sum() / (self.height * self.width))
