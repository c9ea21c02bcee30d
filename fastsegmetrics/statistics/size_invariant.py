"""The statistics of the size-invariant scores: one map in the boxes of its truth's targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend as backends, represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError
from fastsegmetrics.represent import MapInput, words
from fastsegmetrics.scores.confusion import ScoreRule
from fastsegmetrics.scores.size_invariant import balanced_error
from fastsegmetrics.statistics.pair import LevelCounts
from fastsegmetrics.statistics.rule import ALL_SCORES
from fastsegmetrics.target import Target

#: Components of fewer pixels are no targets, unless none is larger (Li et al., ICML 2024).
MIN_AREA = 50

# A value this near (relatively) to the adaptive threshold is kept or not by how np.mean rounds.
# On 8-bit maps other values are at least 1/(255 · pixels) away; on floats the bounds hold the
# error of np.mean, log2(pixels) + 24 roundings, and of the kernel's own sum.
_NEAR = {"uint8": 2.0**-40, "float64": 2.0**-38, "float32": 2.0**-17}


class SeparatedTargets(NamedTuple):
    """Where the targets of a truth are; what the truth alone decides.

    ``boxes`` int64[T, 4] are (top, left, bottom, right), the last two exclusive, in raster order
    of the targets' first pixels; ``outside`` int64[R, 4] are disjoint rectangles that make up all
    outside the boxes, ``n_outside`` their pixels.
    """

    boxes: NDArray[np.int64]
    outside: NDArray[np.int64]
    n_outside: int


class TargetCounts(NamedTuple):
    """Integer counts of the local maps of all targets of one image, zero outside their boxes.

    Target k has the entries ``starts[k]:starts[k + 1]`` of ``levels`` (ascending) and ``counts``
    [background, foreground]; ``sides[k]`` holds (tp, fp) of P > 0.5 and (tp, fp) of the adaptive
    threshold.  Every target's counts add up to the pixels of the image.
    """

    starts: NDArray[np.int64]
    levels: NDArray[np.uint8]
    counts: NDArray[np.int64]
    sides: NDArray[np.int64]

    @classmethod
    def of(cls, targets: Sequence[LevelCounts]) -> TargetCounts:
        """Put the counts of each target's local map together."""
        levels = [np.flatnonzero(counts.levels.any(axis=0)) for counts in targets]
        starts = np.zeros(len(targets) + 1, np.int64)
        np.cumsum([len(found) for found in levels], out=starts[1:])
        entries = [t.levels[:, found].T for t, found in zip(targets, levels, strict=True)]
        return cls(
            starts,
            np.concatenate(levels).astype(np.uint8),
            np.ascontiguousarray(np.concatenate(entries)),
            np.array([counts.sides for counts in targets]),
        )

    @property
    def n_targets(self) -> int:
        """Number of targets, at least 1."""
        return len(self.sides)

    def target(self, k: int) -> LevelCounts:
        """Return the counts of one target's local map."""
        levels = np.zeros((2, 256), np.int64)
        of_target = slice(self.starts[k], self.starts[k + 1])
        levels[:, self.levels[of_target]] = self.counts[of_target].T
        return LevelCounts(levels, self.sides[k].copy())

    def pooled(self) -> LevelCounts:
        """Return the sum of all targets' counts: n_targets times the pixels of the image."""
        # Sums of integers below 2⁵³, exact in the float64 that bincount adds in.
        sums = [np.bincount(self.levels, side, minlength=256) for side in self.counts.T]
        levels = np.array(sums).astype(np.int64)
        return LevelCounts(levels, self.sides.sum(axis=0))

    def to_bytes(self) -> bytes:
        """Return a compact form: sizes, then entries per target, levels, counts and sides."""
        entries = np.diff(self.starts)
        width = 4 if max(self.counts.max(), self.sides.max()) < 2**32 else 8
        head = np.array((self.n_targets, len(self.levels), width), "<u8")
        numbers = np.concatenate((self.counts.ravel(), self.sides.ravel()))
        return b"".join(
            (
                head.tobytes(),
                entries.astype("<u2").tobytes(),
                self.levels.tobytes(),
                numbers.astype(f"<u{width}").tobytes(),
            )
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> TargetCounts:
        """Read what `to_bytes` wrote."""
        n, m, width = (int(v) for v in np.frombuffer(data[:24].ljust(24, b"\0"), "<u8"))
        if width not in (4, 8) or len(data) != 24 + 2 * n + m + width * (2 * m + 4 * n):
            raise InputError(f"data must be what to_bytes wrote; received {len(data)} bytes")
        starts = np.zeros(n + 1, np.int64)
        np.cumsum(np.frombuffer(data, "<u2", n, 24), out=starts[1:])
        levels = np.frombuffer(data, np.uint8, m, 24 + 2 * n).copy()
        numbers = np.frombuffer(data, f"<u{width}", offset=24 + 2 * n + m).astype(np.int64)
        return cls(
            starts, levels, numbers[: 2 * m].reshape(m, 2), numbers[2 * m :].reshape(n, 2, 2)
        )


class SizeInvariantStatistics(NamedTuple):
    """Everything that the size-invariant scores ask of one pair.

    ``errors`` float64[T] are the sums of |P − G| in each box, ``areas`` int64[T] the boxes'
    pixels; ``outside_error`` and ``n_outside`` the same of all outside the boxes.
    """

    counts: TargetCounts
    errors: NDArray[np.float64]
    areas: NDArray[np.int64]
    outside_error: float
    n_outside: int
    n_pixels: int

    @property
    def mae(self) -> float:
        """The size-invariant mean absolute error."""
        return balanced_error(
            float((self.errors / self.areas).sum()),
            len(self.areas),
            self.outside_error,
            self.n_outside,
            self.n_pixels - self.n_outside,
        )


class TargetScores(NamedTuple):
    """The sweep scores of one image's targets; rows follow ``scores.SWEEP_SCORES``.

    ``summaries`` float64[13, 4] are the means over the targets of each target's score of P > 0.5,
    adaptive, mean and maximum of its curve; ``curves`` float64[13, 256] the means over the targets
    at each level, ascending.  ``sums`` float64[13, 4, 256] are exact sums over the targets'
    curves in the four slices of ``kernels.curves.add_exactly``, which add up over images without
    rounding, in any order, and ``used`` int64[13] the number of curves in each (undefined ones
    are left out).
    """

    summaries: NDArray[np.float64]
    curves: NDArray[np.float64]
    sums: NDArray[np.float64]
    used: NDArray[np.int64]


def separated_targets(target: Target) -> SeparatedTargets:
    """Return the boxes of the 4-connected components of a truth, computed once per `target`.

    Components of at least 50 pixels count; if there is none, all of the largest area.  A truth
    without foreground is one target, the whole image, so that its scores are the plain ones.
    """
    return target.cached("separated_targets", lambda: _separate(target))


def size_invariant_statistics(
    pred: MapInput, target: Target, conventions: Conventions
) -> SizeInvariantStatistics:
    """Return the counts and errors of a prediction in the boxes of a truth's targets.

    Parameters
    ----------
    pred : MapInput
        The prediction, see `represent.prediction`.
    target : Target
        The truth.
    conventions : Conventions
        `policy` says whether an adaptive threshold of 0 keeps pixels that are 0.

    Raises
    ------
    InputError
        When an 8-bit prediction's maximum is 1 and `pred_scale` does not say what that is.
    """
    where = separated_targets(target)
    keep_at_zero = conventions.policy == "published"
    if pred.values.dtype == np.uint8:
        parts, outside_error = _eight_bit(pred, target, where, conventions)
    else:
        parts, outside_error = _floating(pred.values, target, where, keep_at_zero)
    starts, levels, counts, sides, errors, near = parts
    if near.any():
        settle_adaptive_sides(
            represent.unit_values(pred), target.mask, where.boxes, near, keep_at_zero, sides
        )
    return SizeInvariantStatistics(
        TargetCounts(starts, levels, counts, sides),
        errors,
        _areas(where.boxes),
        outside_error,
        where.n_outside,
        target.n_pixels,
    )


def target_scores(
    counts: TargetCounts, rule: ScoreRule, wanted: NDArray[np.bool_] = ALL_SCORES
) -> TargetScores:
    """Return the `wanted` sweep scores of an image's targets, NaN for the others.

    A target's score is undefined (NaN) only if the truth is empty or full, and there is one
    target; then it is the plain score.
    """
    summaries, sums, used = _score_targets(counts, rule, wanted)
    # From the finest slice up nothing is rounded for one target: its mean is its own curve, to
    # the last bit.
    curves = np.full((len(sums), 256), np.nan)
    rows = np.flatnonzero(used)
    parts = sums[rows]
    total = parts[:, 0] + (parts[:, 1] + (parts[:, 2] + parts[:, 3]))
    curves[rows] = total / used[rows, None]
    return TargetScores(summaries, curves, sums, used)


def _score_targets(
    counts: TargetCounts, rule: ScoreRule, wanted: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    if backends.resolve() == "reference":
        from fastsegmetrics.reference import target_sweep as reference

        return reference.target_scores(*counts, rule, wanted)
    from fastsegmetrics.kernels import target_sweep as kernels

    return kernels.target_scores(*counts, rule, wanted)


def _separate(target: Target) -> SeparatedTargets:
    from fastsegmetrics.kernels import label, size_invariant as kernels

    height, width = target.shape
    flat = target.mask.reshape(-1)
    runs = label.find_runs(flat, words(flat), width)
    boxes = np.array([[0, 0, height, width]], np.int64)
    if len(runs):
        table = label.component_table(runs, *label.label_runs(runs, 4))
        areas = table[:, 0]
        kept = areas >= min(MIN_AREA, areas.max())
        boxes = np.ascontiguousarray(table[kept, 1:5])
    outside = kernels.rectangles_outside(boxes, height, width)
    for array in (boxes, outside):
        array.flags.writeable = False
    return SeparatedTargets(boxes, outside, int(_areas(outside).sum()))


def _areas(boxes: NDArray[np.int64]) -> NDArray[np.int64]:
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def _eight_bit(
    pred: MapInput, target: Target, where: SeparatedTargets, conventions: Conventions
) -> tuple[Any, float]:
    from fastsegmetrics.kernels import size_invariant as kernels

    flat, truth = pred.values.reshape(-1), target.mask.reshape(-1)
    pixels = (flat, truth, target.shape[1])
    starts, raw, counts = kernels.box_levels(*pixels, where.boxes)
    outside = kernels.rectangles_table(*pixels, where.outside)
    low, high = kernels.span(raw, outside)
    represent.check_scale(high, conventions)
    if not pred.stretch or low == high:
        low, high = 0, 255
    parts = kernels.describe_boxes(
        starts,
        raw,
        counts,
        (low, high),
        target.n_pixels,
        conventions.policy == "published",
        _NEAR["uint8"],
    )
    return parts, float(kernels.error_of_table(outside, low, high) / (high - low))


def _floating(
    pred: NDArray[Any], target: Target, where: SeparatedTargets, keep_at_zero: bool
) -> tuple[Any, float]:
    from fastsegmetrics.kernels import size_invariant as kernels

    parts = kernels.float_boxes(
        pred,
        target.mask,
        where.boxes,
        pred.dtype.type(255),
        keep_at_zero,
        _NEAR[pred.dtype.name],
    )
    return parts, kernels.rectangles_error(pred, target.mask, where.outside)


def settle_adaptive_sides(
    values: NDArray[Any],
    mask: NDArray[np.uint8],
    boxes: NDArray[np.int64],
    near: NDArray[np.bool_],
    keep_at_zero: bool,
    sides: NDArray[np.int64],
) -> None:
    """Recount the adaptive `sides` [T, 2, 2] of targets that are `near` a tie, in place.

    The threshold is twice the mean of the local map as np.mean rounds it: with zeros outside the
    box, in the precision and the memory order of `values`.
    """
    for k in np.flatnonzero(near):
        top, left, bottom, right = boxes[k]
        box = slice(top, bottom), slice(left, right)
        local = np.zeros_like(values)
        local[box] = values[box]
        kept = represent.adaptive_mask(local, keep_at_zero)
        tp = int(np.count_nonzero(kept[box] & (mask[box] != 0)))
        sides[k, 1] = tp, int(np.count_nonzero(kept)) - tp
