"""Every kernel alone: one row of `KERNELS` each, a function that makes the call to be timed."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fastsegmetrics import represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.families.sweep import score_levels
from fastsegmetrics.io import png_chunks, png_rows
from fastsegmetrics.io.byte_words import byte_words
from fastsegmetrics.kernels import (
    chunks,
    contingency,
    curves,
    float_levels,
    levels,
    masks,
    unfilter,
)
from fastsegmetrics.represent_labels import words
from fastsegmetrics.scores import SWEEP_SCORES
from fastsegmetrics.statistics.rule import ALL_SCORES, score_rule
from fastsegmetrics.statistics.sweep import pair_statistics
from fastsegmetrics.target import Target

from .scenes import CONTENTS, SIZES, as_float, pair


class Prepared(NamedTuple):
    """What kernels are given, made once per content and size."""

    pred: np.ndarray
    target: Target

    @property
    def flat(self) -> tuple[np.ndarray, np.ndarray]:
        """Map and mask as one row of pixels."""
        return self.pred.reshape(-1), self.target.mask.reshape(-1)

    def table(self) -> np.ndarray:
        """Return the table of levels."""
        return levels.level_table(*self.table_arguments())

    def table_arguments(self) -> tuple:
        """Return what `level_table` is given."""
        pred, mask = self.flat
        return (pred, mask, self.target.shape[1], *self.target.split)


Call = Callable[[], object]


def _describe(prepared: Prepared) -> Call:
    table = prepared.table()
    return lambda: levels.describe_table(table, True, True, 2.0**-44)


def _level_table(prepared: Prepared) -> Call:
    arguments = prepared.table_arguments()
    return lambda: levels.level_table(*arguments)


def _absolute_error(prepared: Prepared) -> Call:
    pred, mask = as_float(prepared.pred, "f8").reshape(-1), prepared.flat[1]
    return lambda: float_levels.absolute_error(pred, mask)


def _float_counts(dtype: str) -> Callable[[Prepared], Call]:
    def make(prepared: Prepared) -> Call:
        pred, mask = as_float(prepared.pred, dtype).reshape(-1), prepared.flat[1]
        top, threshold = pred.dtype.type(255), pred.dtype.type(0.4)
        return lambda: float_levels.float_counts(pred, mask, top, threshold, True)

    return make


def _float_moments(prepared: Prepared) -> Call:
    pred, target = as_float(prepared.pred, "f8"), prepared.target
    return lambda: float_levels.float_moments(pred, target.mask, *target.split)


def _statistics(prepared: Prepared):
    conventions = Conventions(pred_scale=255)
    return pair_statistics(
        represent.prediction(prepared.pred, conventions, prepared.target.shape),
        prepared.target,
        conventions,
    )


def _sweep_scores(prepared: Prepared) -> Call:
    counts, rule = _statistics(prepared).counts, score_rule(Conventions())
    return lambda: curves.sweep_scores(*counts, rule, ALL_SCORES)


def _image_data(prepared: Prepared) -> Call:
    """Time the walk through chunks of 8 KB, as many as encoders write for so many bytes."""
    data, step = prepared.pred.tobytes(), 8192
    pieces = [b"IDAT" + data[i : i + step] for i in range(0, len(data), step)]
    file = b"".join(
        struct.pack(">I", len(piece) - 4) + piece + struct.pack(">I", zlib.crc32(piece))
        for piece in pieces
    )
    source = np.frombuffer(file, np.uint8)
    arguments = source, byte_words(source), 0, png_chunks.crc_tables()
    return lambda: chunks.image_data(*arguments)


def _curve_areas(prepared: Prepared) -> Call:
    rows = score_levels(_statistics(prepared).counts, score_rule(Conventions()))[0]
    return lambda: curves.curve_areas(rows, False)


def _add_exactly(prepared: Prepared) -> Call:
    rows = score_levels(_statistics(prepared).counts, score_rule(Conventions()))[0]
    sums, counts = np.zeros((len(SWEEP_SCORES), 4, 256)), np.zeros(len(SWEEP_SCORES), np.int64)
    return lambda: curves.add_exactly(rows, sums, counts)


def _structure_scores(prepared: Prepared) -> Call:
    found = _statistics(prepared)
    where = found.split_row, found.split_column, found.height, found.width
    return lambda: curves.structure_scores(found.moments, *where, 0.5)


def _unfilter(kind: int) -> Callable[[Prepared], Call]:
    """Time one of PNG's five row filters; what the bytes mean does not matter to it."""

    def make(prepared: Prepared) -> Call:
        height, width = prepared.pred.shape
        rows = np.empty((height, width + 1), np.uint8)
        rows[:, 0] = kind
        rows[:, 1:] = prepared.pred
        data = rows.tobytes()
        return lambda: png_rows.unfiltered(data, height, width, unfilter.unfilter)

    return make


def _label_table(prepared: Prepared) -> Call:
    # Sixteen labels, where the map is and where it is shifted by a row.
    pred = prepared.flat[0] >> 4
    gt = np.roll(pred, prepared.target.shape[1])
    return lambda: contingency.label_table(pred, gt, words(pred), words(gt), 4)


def _checked_table(prepared: Prepared) -> Call:
    pred = (prepared.flat[0] >> 4).astype(np.uint64)
    gt = np.roll(pred, prepared.target.shape[1])
    return lambda: contingency.checked_table(pred, gt, 0, 15, 0, 4)


def _narrow(prepared: Prepared) -> Call:
    values = prepared.flat[0].astype(np.uint64)
    out = np.empty(values.size, np.uint8)
    return lambda: contingency.narrow(values, out)


def _wide_label_table(prepared: Prepared) -> Call:
    pred = prepared.flat[0].astype(np.uint16)
    gt = np.roll(pred, prepared.target.shape[1])
    return lambda: contingency.wide_label_table(pred, gt, 256, 256)


def _any_unknown(prepared: Prepared) -> Call:
    flat, allowed = prepared.flat[0], np.ones(256, bool)
    return lambda: contingency.any_unknown(flat, words(flat), allowed)


KERNELS: dict[str, Callable[[Prepared], Call]] = {
    "mask_sums": lambda prepared: lambda: levels.mask_sums(prepared.target.mask),
    "level_table": _level_table,
    "extremes": lambda prepared: lambda: levels.extremes(prepared.flat[0]),
    "foreground": lambda prepared: lambda: masks.foreground(prepared.pred, 128, True),
    "level_range": lambda prepared: lambda: levels.level_range(prepared.flat[0]),
    "error_sums": lambda prepared: lambda: levels.error_sums(*prepared.flat),
    "describe_table": _describe,
    "absolute_error": _absolute_error,
    "float_counts f4": _float_counts("f4"),
    "float_counts f8": _float_counts("f8"),
    "float_moments": _float_moments,
    "sweep_scores": _sweep_scores,
    "curve_areas": _curve_areas,
    "add_exactly": _add_exactly,
    "structure_scores": _structure_scores,
    "label_table": _label_table,
    "checked_table": _checked_table,
    "wide_label_table": _wide_label_table,
    "narrow": _narrow,
    "any_outside": lambda prepared: lambda: contingency.any_outside(prepared.flat[0], 0, 255, 0),
    "any_unknown": _any_unknown,
    "image_data": _image_data,
    "unfilter none": _unfilter(0),
    "unfilter left": _unfilter(1),
    "unfilter up": _unfilter(2),
    "unfilter average": _unfilter(3),
    "unfilter paeth": _unfilter(4),
}


class Kernels:
    params = (tuple(KERNELS), CONTENTS, SIZES)
    param_names = ("kernel", "content", "side")

    def setup(self, kernel: str, content: str, side: int) -> None:
        pred, gt = pair(content, side)
        self.call = KERNELS[kernel](Prepared(pred, Target(gt)))
        self.call()

    def time_call(self, kernel: str, content: str, side: int) -> None:
        self.call()
