"""The unit of work of a folder run: one ground truth and the predictions of all methods for it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastsegmetrics.backend import Backend, use_backend
from fastsegmetrics.bulk.store import StoredPair
from fastsegmetrics.errors import FastSegMetricsError, InputError
from fastsegmetrics.target import Target

if TYPE_CHECKING:
    from fastsegmetrics.plan import Measurement, Plan

#: Identity of a prediction that is missing and scored as an all-zero map.
ZERO_MAP = "zero"


class Sample(NamedTuple):
    """What is to be measured: a ground truth and the (method, prediction) pairs; a prediction of
    None is an all-zero map."""

    name: str
    truth: Path
    predictions: Sequence[tuple[str, Path | None]]


class Outcome(NamedTuple):
    """A row for the store, and the measurement itself (None for a skipped pair)."""

    row: StoredPair
    measurement: Measurement | None


class Measurer:
    """Reads and measures samples; called from any thread.

    Parameters
    ----------
    plan : Plan
        What to measure.
    backend : {"compiled", "reference"}
        Who computes; a context manager around the caller does not reach into threads.
    keep_bytes : bool
        Fill `StoredPair.measurement`.
    """

    def __init__(self, plan: Plan, *, backend: Backend, keep_bytes: bool) -> None:
        self._plan = plan
        self._conventions = plan.conventions
        self._backend = backend
        self._keep_bytes = keep_bytes

    def __call__(self, sample: Sample) -> list[Outcome]:
        """Measure every prediction of `sample`; what cannot be read or measured has a reason."""
        if not sample.predictions:
            return []
        with use_backend(self._backend):
            return self._measure(sample)

    def _measure(self, sample: Sample) -> list[Outcome]:
        truth_identity = ""
        try:
            truth_identity = identity(sample.truth)
            target = self._target(sample.truth)
        except (FastSegMetricsError, OSError) as error:
            reason = one_line(error, sample.truth)
            return [
                Outcome(
                    StoredPair(
                        sample.name, method, truth_identity, _identity_or(path), False, reason, None
                    ),
                    None,
                )
                for method, path in sample.predictions
            ]
        return [
            self._pair(sample, method, path, target, truth_identity)
            for method, path in sample.predictions
        ]

    def _target(self, path: Path) -> Target:
        from fastsegmetrics.io import read_mask

        return Target(read_mask(path), self._conventions.gt_threshold)

    def _pair(
        self, sample: Sample, method: str, path: Path | None, target: Target, truth: str
    ) -> Outcome:
        prediction = _identity_or(path)
        resized = False
        try:
            values, resized = self._prediction(path, sample.truth, target)
            measurement = self._plan.measure(values, target)
        except (FastSegMetricsError, OSError) as error:
            reason = one_line(error, path or sample.truth)
            row = StoredPair(sample.name, method, truth, prediction, resized, reason, None)
            return Outcome(row, None)
        data = measurement.to_bytes() if self._keep_bytes else None
        row = StoredPair(sample.name, method, truth, prediction, resized, None, data)
        return Outcome(row, measurement)

    def _prediction(self, path: Path | None, truth: Path, target: Target) -> tuple[Any, bool]:
        if path is None:
            return np.zeros(target.shape, np.uint8), False
        from fastsegmetrics.io import read_map

        values = read_map(path)
        if values.shape == target.shape:
            return values, False
        if self._conventions.resize == "bilinear":
            from fastsegmetrics.io.resize import resize_bilinear

            return resize_bilinear(values, target.shape), True
        raise InputError(_mismatch(path, values.shape, truth, target.shape))


def _mismatch(path: Path, shape: tuple[int, ...], truth: Path, expected: tuple[int, int]) -> str:
    height, width = shape[0], shape[1]
    transposed = (width, height) == expected
    hint = "height and width are exchanged: transposed? or " if transposed else ""
    return (
        f"{shown(path)}: {height}×{width} (height×width) where the ground truth {shown(truth)} is "
        f"{expected[0]}×{expected[1]} ({hint}--resize bilinear resizes the prediction)"
    )


def identity(path: Path) -> str:
    """What tells a file from a changed one without reading it: its name, size and time of change.

    The folder is not part of it, so that a benchmark may be moved between two parts of a run.
    """
    status = os.stat(path)
    return f"{shown(path.name)}:{status.st_size}:{status.st_mtime_ns}"


def _identity_or(path: Path | None) -> str:
    if path is None:
        return ZERO_MAP
    try:
        return identity(path)
    except OSError:
        return ""


def one_line(error: Exception, path: Path) -> str:
    """The message of an error as one line that names the file."""
    name = shown(path)
    if isinstance(error, OSError) and not isinstance(error, FastSegMetricsError):
        return f"{name}: cannot be read ({error.strerror or error})"
    text = " ".join(str(error).split())
    return text if name in text else f"{name}: {text}"


def shown(path: Path | str) -> str:
    """A path as text that can be stored and printed, bytes that are no Unicode as escapes."""
    text = str(path)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
