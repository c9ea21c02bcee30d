"""Overlap of label images, every class from one table; and of stacks of binary masks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend as backends, represent, represent_labels
from fastsegmetrics.errors import InputError
from fastsegmetrics.scores import confusion, labels as formulas
from fastsegmetrics.scores.confusion import ScoreRule
from fastsegmetrics.statistics import labels as statistics
from fastsegmetrics.statistics.labels import ClassCounts, LabelCounts

Values = NDArray[np.float64]

#: A class that occurs nowhere is undefined; specificity without a background too.
_RULE = ScoreRule(True, math.nan, 1.0, False)


@dataclass(frozen=True, eq=False)
class ClassOverlap:
    """Overlap of each class against the rest, and its means over classes.

    Attributes
    ----------
    counts : ClassCounts
        ``tp``, ``fp``, ``fn``, ``tn`` of each class; they add up exactly.
    labels : tuple of int
        The classes, in the order of every array here.
    background : int or None
        The class that means over classes leave out.  Its own entries stand, and its pixels are
        errors of the others as any class's are.

    Notes
    -----
    A class that neither truth nor prediction holds is NaN and in no mean.  One that only the other
    of them holds scores 0 and is in every mean.
    """

    counts: ClassCounts
    labels: tuple[int, ...]
    background: int | None = None

    def _scores(self, name: str) -> Values:
        score = getattr(confusion, name)
        columns = (column.tolist() for column in self.counts)
        return np.array([score(*four, _RULE) for four in zip(*columns, strict=True)])

    def _in_mean(self, values: NDArray[Any]) -> list[Any]:
        kept = zip(self.labels, values.tolist(), strict=True)
        return [value for label, value in kept if label != self.background]

    @property
    def support(self) -> NDArray[np.int64]:
        """Pixels of the truth in each class."""
        return self.counts.tp + self.counts.fn

    @property
    def predicted(self) -> NDArray[np.int64]:
        """Pixels of the prediction in each class."""
        return self.counts.tp + self.counts.fp

    @property
    def iou(self) -> Values:
        """Intersection over union of each class."""
        return self._scores("iou")

    @property
    def dice(self) -> Values:
        """Dice similarity (F₁) of each class."""
        return self._scores("dice")

    @property
    def precision(self) -> Values:
        """Share of the pixels predicted as each class that are."""
        return self._scores("precision")

    @property
    def recall(self) -> Values:
        """Share of each class's pixels that are predicted as such."""
        return self._scores("recall")

    @property
    def specificity(self) -> Values:
        """Share of the pixels of other classes that are predicted as one of those."""
        return self._scores("specificity")

    @property
    def n_present(self) -> int:
        """Number of classes that the means are made of."""
        return sum(not math.isnan(value) for value in self._in_mean(self.iou))

    @property
    def mean_iou(self) -> float:
        """Mean over classes of IoU (macro, over classes)."""
        return formulas.mean_of_present(self._in_mean(self.iou))

    @property
    def mean_dice(self) -> float:
        """Mean over classes of Dice (macro, over classes)."""
        return formulas.mean_of_present(self._in_mean(self.dice))

    @property
    def mean_precision(self) -> float:
        """Mean over classes of precision (macro, over classes)."""
        return formulas.mean_of_present(self._in_mean(self.precision))

    @property
    def mean_recall(self) -> float:
        """Mean over classes of recall; 0 for a class that is only predicted."""
        return formulas.mean_of_present(self._in_mean(self.recall))

    @property
    def mean_accuracy(self) -> float:
        """Mean over the classes that the truth holds of recall."""
        return formulas.mean_accuracy(self._in_mean(self.counts.tp), self._in_mean(self.support))

    @property
    def frequency_weighted_iou(self) -> float:
        """Mean over classes of IoU, weighted by each class's pixels in the truth."""
        return formulas.frequency_weighted(self._in_mean(self.iou), self._in_mean(self.support))

    @property
    def micro_iou(self) -> float:
        """IoU of the counts summed over classes (micro, over classes)."""
        return confusion.iou(*self._summed(), _RULE)

    @property
    def micro_dice(self) -> float:
        """Dice of the counts summed over classes (micro, over classes)."""
        return confusion.dice(*self._summed(), _RULE)

    def _summed(self) -> tuple[int, int, int, int]:
        tp, fp, fn, tn = (sum(self._in_mean(column)) for column in self.counts)
        return tp, fp, fn, tn

    def merged(self, other: ClassOverlap) -> ClassOverlap:
        """Return the overlap of both sets of pixels pooled (micro, over pixels)."""
        _check_alike(self, other)
        return replace(self, counts=self.counts.merged(other.counts))


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelOverlap(ClassOverlap):
    """Overlap of two label images: what `ClassOverlap` has, and what needs the whole table.

    Attributes
    ----------
    table : ndarray of int64, shape (n, n)
        Contingency table: truth by row, prediction by column, in the order of `labels`.
    n_ignored : int
        Pixels left out because their truth is the ignored label.
    ignored : int or None
        The ignored label where it is one of `labels`.  It takes no part: its scores are NaN and in
        no mean.  Its row of the table is 0; where it is predicted for another class, that one
        misses the pixel.
    """

    table: NDArray[np.int64]
    n_ignored: int
    ignored: int | None = None

    def _scores(self, name: str) -> Values:
        values = super()._scores(name)
        if self.ignored is not None:
            values[self.labels.index(self.ignored)] = math.nan
        return values

    def _in_mean(self, values: NDArray[Any]) -> list[Any]:
        left_out = (self.background, self.ignored)
        kept = zip(self.labels, values.tolist(), strict=True)
        return [value for label, value in kept if label not in left_out]

    @property
    def pixel_accuracy(self) -> float:
        """Share of pixels that have their true label, whatever the background."""
        return formulas.pixel_accuracy(self.counts.tp.tolist(), int(self.table.sum()))

    @property
    def kappa(self) -> float:
        """Cohen's kappa over all labels; NaN where one label is all there is."""
        columns = self.counts.tp, self.support, self.predicted
        return formulas.kappa(*(column.tolist() for column in columns))

    def merged(self, other: ClassOverlap) -> LabelOverlap:
        """Return the overlap of both sets of pixels pooled (micro, over pixels)."""
        _check_alike(self, other)
        assert isinstance(other, LabelOverlap)
        mine, its = (LabelCounts(o.table, o.n_ignored, o.labels) for o in (self, other))
        return overlap_of_counts(mine.merged(its), self.background, self.ignored)


def _check_alike(one: ClassOverlap, other: ClassOverlap) -> None:
    mine, its = ((type(o).__name__, o.labels, o.background) for o in (one, other))
    if mine != its:
        raise InputError(
            f"pooled overlaps must be of one kind, labels and background; received {mine} and {its}"
        )
    ignored = [getattr(o, "ignored", None) for o in (one, other)]
    if ignored[0] != ignored[1]:
        raise InputError(
            f"pooled overlaps must ignore the same of their labels; received {ignored[0]} and "
            f"{ignored[1]}"
        )


def overlap_of_counts(
    counts: LabelCounts, background: int | None, ignored: int | None
) -> LabelOverlap:
    """Return the overlap that a contingency table stands for."""
    table, n_ignored, labels = counts
    return LabelOverlap(
        ClassCounts.of(table), labels, background, table=table, n_ignored=n_ignored,
        ignored=ignored if ignored in labels else None,
    )  # fmt: skip


def label_overlap(
    pred: Any,
    gt: Any,
    *,
    labels: int | Iterable[int],
    ignore_label: int | None = None,
    background: int | None = None,
    backend: backends.Backend | None = None,
) -> LabelOverlap:
    """Overlap of all classes of two label images, from one contingency table.

    Parameters
    ----------
    pred, gt : array_like of integers, one shape with any number of axes
        Label images of any integer type.  Every value must be one of `labels`.
    labels : int or iterable of int
        A number n of classes, meaning 0…n − 1, or the label values.
    ignore_label : int, optional
        Pixels whose *truth* is this label are left out, whatever is predicted there.  As one of
        `labels` it takes no part itself, see `LabelOverlap.ignored`.
    background : int, optional
        A label that means over classes leave out; none by default.
    backend : {"compiled", "reference"}, optional
        Which implementation computes.

    Returns
    -------
    LabelOverlap
        Scores of each class as arrays, their means, pixel accuracy, kappa and the table.

    Raises
    ------
    InputError
        When shapes differ, an array is empty or of floats, or a value is no label.

    Notes
    -----
    A class that neither image holds is NaN and left out of means, with a support of 0.  Source:
    Long, Shelhamer and Darrell, CVPR 2015, section 5.

    Examples
    --------
    >>> gt = [[0, 0, 1, 1], [0, 0, 1, 255]]
    >>> pred = [[0, 0, 1, 0], [0, 1, 1, 1]]
    >>> found = label_overlap(pred, gt, labels=3, ignore_label=255)
    >>> found.iou
    array([0.6, 0.5, nan])
    >>> found.mean_iou, found.support.tolist(), found.n_ignored
    (0.55, [4, 3, 0], 1)
    """
    chosen = represent_labels.label_set(labels, ignore_label)
    represent_labels.check_background(background, chosen)
    with backends.chosen(backend):
        counts = statistics.label_counts(pred, gt, chosen)
        return overlap_of_counts(counts, background, chosen.ignored)


def multilabel_overlap(
    pred: Any,
    gt: Any,
    *,
    channel_axis: int = 0,
    backend: backends.Backend | None = None,
) -> ClassOverlap:
    """Overlap of each channel of two stacks of binary masks, where a pixel may be in several.

    Parameters
    ----------
    pred, gt : array_like, one shape with at least two axes
        Booleans, numbers that are all 0 or 1, or uint8 that are all 0 or 255.
    channel_axis : int
        The axis of the channels; the others are pixels.
    backend : {"compiled", "reference"}, optional
        Which implementation computes.

    Returns
    -------
    ClassOverlap
        With the channels' numbers as its labels.  An empty channel of both stacks is NaN.

    Raises
    ------
    InputError
        When shapes differ, an array is empty, has one axis or is not binary.

    Examples
    --------
    >>> gt = [[1, 1, 0, 0], [0, 1, 1, 1]]
    >>> pred = [[1, 1, 0, 0], [0, 0, 0, 1]]
    >>> multilabel_overlap(pred, gt).dice
    array([1. , 0.5])
    """
    with backends.chosen(backend):
        pair = represent.mask_pair(pred, gt)
        n_axes = pair.gt.ndim
        if n_axes < 2 or not -n_axes <= channel_axis < n_axes:
            raise InputError(
                f"pred and gt must have an axis of channels (channel_axis={channel_axis}) and one "
                f"of pixels; received shape {pair.gt.shape}"
            )
        counts = statistics.channel_counts(*(np.moveaxis(m, channel_axis, 0) for m in pair[:2]))
    return ClassOverlap(counts, tuple(range(counts.tp.size)))
