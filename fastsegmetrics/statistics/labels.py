"""The contingency table of label images: the one statistic of all scores of classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import represent_labels
from fastsegmetrics.errors import InputError
from fastsegmetrics.represent import words
from fastsegmetrics.represent_labels import LabelSet
from fastsegmetrics.statistics.overlap import mask_counts


class LabelCounts(NamedTuple):
    """How many pixels of each true label were given each label; exact in any order of merges.

    Attributes
    ----------
    table : ndarray of int64, shape (n, n)
        Truth by row, prediction by column, in the order of `labels`.
    n_ignored : int
        Pixels left out because their truth is the ignored label.
    labels : tuple of int
    """

    table: NDArray[np.int64]
    n_ignored: int
    labels: tuple[int, ...]

    def merged(self, other: LabelCounts) -> LabelCounts:
        """Return the counts of both sets of pixels together."""
        if self.labels != other.labels:
            raise InputError(
                f"merged counts must have the same labels; received {self.labels} and "
                f"{other.labels}"
            )
        return LabelCounts(self.table + other.table, self.n_ignored + other.n_ignored, self.labels)


class ClassCounts(NamedTuple):
    """The four counts of each class against the rest; int64, shape (n,)."""

    tp: NDArray[np.int64]
    fp: NDArray[np.int64]
    fn: NDArray[np.int64]
    tn: NDArray[np.int64]

    @classmethod
    def of(cls, table: NDArray[np.int64]) -> ClassCounts:
        """Return the counts that a contingency table holds."""
        tp = np.diagonal(table).copy()
        fp, fn = table.sum(axis=0) - tp, table.sum(axis=1) - tp
        return cls(tp, fp, fn, table.sum() - tp - fp - fn)

    def merged(self, other: ClassCounts) -> ClassCounts:
        """Return the counts of both sets of pixels together."""
        return ClassCounts(*(mine + its for mine, its in zip(self, other, strict=True)))


def label_counts(pred: Any, gt: Any, labels: LabelSet) -> LabelCounts:
    """Return the contingency table of two label images.

    Parameters
    ----------
    pred, gt : array_like of integers, one shape with any number of axes
    labels : LabelSet
        What `represent_labels.label_set` returns.

    Raises
    ------
    InputError
        When `represent_labels.label_pair` refuses them.
    """
    table = _table(pred, gt, labels)
    if labels.ignored in labels.values:
        # Its truth is left out; where it is predicted for another, that counts.
        table[labels.values.index(labels.ignored)] = 0
    return LabelCounts(table, int(np.size(gt) - table.sum()), labels.values)


def _table(pred: Any, gt: Any, labels: LabelSet) -> NDArray[np.int64]:
    rooms = represent_labels.contingency()
    n = len(labels.values)
    wide = represent_labels.wide_pair(pred, gt, labels)
    if wide is not None:
        full, outside = rooms.checked_table(*wide)
        if not outside:
            return _of_codes(full, np.array(labels.values))
    pair = represent_labels.label_pair(pred, gt, labels)
    if pair.pred.dtype == np.uint8:
        full = rooms.label_table(pair.pred, pair.gt, words(pair.pred), words(pair.gt), pair.bits)
        return _of_codes(full, pair.codes)
    table: NDArray[np.int64] = rooms.wide_label_table(pair.pred, pair.gt, n + 1, n)[:n]
    return table


def _of_codes(full: NDArray[np.int64], codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows and columns of the labels with these codes."""
    places = codes & (full.shape[0] - 1)
    return full[np.ix_(places, places)]


def channel_counts(pred: NDArray[np.uint8], gt: NDArray[np.uint8]) -> ClassCounts:
    """Return the four counts of each channel of two stacks of masks of 0 and 1.

    Parameters
    ----------
    pred, gt : ndarray of uint8, shape (C, …)
    """
    found = [mask_counts(p, g) for p, g in zip(pred, gt, strict=True)]
    return ClassCounts(*(np.array(column, np.int64) for column in zip(*found, strict=True)))
