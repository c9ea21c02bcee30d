"""The unit of work of a folder run: one ground truth and the predictions of all methods for it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import io
from fastsegmetrics.bulk.store import StoredPair
from fastsegmetrics.errors import FastSegMetricsError, FormatError, InputError
from fastsegmetrics.io import WholeFile, printable
from fastsegmetrics.target import Target

if TYPE_CHECKING:
    from fastsegmetrics.bulk.heat_maps import HeatMaps
    from fastsegmetrics.bulk.sums import Sums
    from fastsegmetrics.conventions import Conventions

#: Identity of a prediction that is missing and scored as an all-zero map.
ZERO_MAP = "zero"


class Sample(NamedTuple):
    """What is to be measured: a ground truth, the photograph if the metrics need it, and the
    (method, prediction) pairs; a prediction of None is an all-zero map.

    Those in `kept` are measured already, and those of them in `undrawn` lack their heat maps.
    """

    name: str
    truth: Path
    image: Path | None
    predictions: Sequence[tuple[str, Path | None]]
    kept: Sequence[StoredPair] = ()
    undrawn: Sequence[tuple[str, Path | None]] = ()


class Outcome(NamedTuple):
    """A row for the store, and the error behind its `reason` if that ends the run.

    The measurement is added already; the row has it as bytes if there is a store.
    """

    row: StoredPair
    error: Exception | None


class Measurer:
    """Reads and measures samples, and adds up what it measures; called from any thread.

    Parameters
    ----------
    sums : Sums
        What to measure, and where to add it.
    stored : bool
        Give measurements as bytes too.
    keep_errors : bool
        Fill `Outcome.error`, whose traceback holds on to the pixels.
    maps : HeatMaps, optional
        Who draws the heat maps of every pair; what cannot be drawn always has an error.
    """

    def __init__(
        self,
        sums: Sums,
        *,
        stored: bool,
        keep_errors: bool,
        maps: HeatMaps | None = None,
    ) -> None:
        self._sums = sums
        self._plan = sums.plan
        self._maps = maps
        self._conventions = sums.plan.conventions
        self._stored = stored
        self._keep_errors = keep_errors

    def __call__(self, sample: Sample) -> list[Outcome]:
        """Measure every prediction of `sample`; what cannot be read or measured has a reason."""
        for row in sample.kept:
            self._sums.add_stored(row)
        return self._measure(sample) if sample.predictions or sample.undrawn else []

    def _measure(self, sample: Sample) -> list[Outcome]:
        truth: Path | WholeFile = sample.truth
        image: Path | WholeFile | None = sample.image
        try:
            truth = WholeFile(sample.truth)
            image = None if sample.image is None else WholeFile(sample.image)
            target, faint = self._target(truth, image)
        except (FastSegMetricsError, OSError) as error:
            told = self._told(truth, image)
            return [
                self._skipped(
                    _unmeasured(sample, method, told)._replace(prediction=self._told(path)),
                    error,
                    sample.truth,
                )
                for method, path in sample.predictions
            ] + [
                _ending(_unmeasured(sample, method, told), error, sample.truth)
                for method, _ in sample.undrawn
            ]
        told = self._told(truth, image)
        # The bytes of an array file are its pixels, which are not needed any more.
        del truth, image
        outcomes = [
            self._pair(_unmeasured(sample, method, told, faint), path, sample.truth, target)
            for method, path in sample.predictions
        ]
        for method, path in sample.undrawn:
            row = _unmeasured(sample, method, told, faint)
            outcomes += self._drawn(row, path, sample.truth, target)
        return outcomes

    def _told(self, path: Path | WholeFile | None, image: Path | WholeFile | None = None) -> str:
        """What the store keeps of a file; "" of one that is gone, and where there is no store."""
        if not self._stored:
            return ""
        if path is None:
            return ZERO_MAP
        try:
            return identity(path, image)
        except OSError:
            return ""

    def _target(self, truth: WholeFile, image: WholeFile | None) -> tuple[Target, bool]:
        """The prepared truth, and whether it is empty only because no value is above 128."""
        mask = io.read_mask(truth)
        photograph = None
        if image is not None:
            photograph = io.read_image(image)
            if photograph.shape[:2] != mask.shape:
                raise InputError(_mismatch(image, photograph.shape, truth, mask.shape))
        threshold = self._conventions.gt_threshold
        target = Target(mask, threshold, photograph)
        return target, threshold is None and target.n_foreground == 0 and bool(mask.any())

    def _skipped(self, row: StoredPair, error: Exception, path: Path) -> Outcome:
        row = row._replace(reason=one_line(error, path))
        return Outcome(row, error if self._keep_errors else None)

    def _pair(self, row: StoredPair, path: Path | None, truth: Path, target: Target) -> Outcome:
        file: Path | WholeFile | None = path
        try:
            file = None if path is None else WholeFile(path)
            values, resized = read_prediction(file, truth, target.shape, self._conventions)
            measured = self._plan.measure(values, target)
        except (FastSegMetricsError, OSError) as error:
            return self._skipped(row._replace(prediction=self._told(file)), error, path or truth)
        self._sums.add(row.method, row.sample, measured)
        if self._maps is not None:
            try:
                self._maps.draw(row.method, row.sample, values, target)
            except InputError as error:
                return _ending(row, error, path or truth)
        if self._stored:
            row = row._replace(prediction=self._told(file), measurement=measured.to_bytes())
        return Outcome(row._replace(resized=True) if resized else row, None)

    def _drawn(
        self, row: StoredPair, path: Path | None, truth: Path, target: Target
    ) -> list[Outcome]:
        """Draw a pair that is measured; nothing is to be told of it but an error."""
        try:
            values, _ = read_prediction(path, truth, target.shape, self._conventions)
            if self._maps is not None:
                self._maps.draw(row.method, row.sample, values, target)
        except (FastSegMetricsError, OSError) as error:
            return [_ending(row, error, path or truth)]
        return []


def read_prediction(
    path: Path | WholeFile | None, truth: Path, shape: tuple[int, int], conventions: Conventions
) -> tuple[NDArray[Any], bool]:
    """Read a prediction in the size of its truth; an all-zero map for None.

    Returns
    -------
    tuple
        The values, and whether they were resized.

    Raises
    ------
    InputError
        The sizes differ and are not to be made one.
    FormatError
        The file cannot be read.
    """
    if path is None:
        return np.zeros(shape, np.uint8), False
    values = io.read_map(path)
    if values.shape == shape:
        return values, False
    if conventions.resize == "bilinear":
        from fastsegmetrics.io.resize import resize_bilinear

        return resize_bilinear(values, shape, conventions.pred_scale), True
    remedy = "resize='bilinear' resizes the prediction"
    raise InputError(_mismatch(path, values.shape, truth, shape, remedy))


def _mismatch(
    path: Path | WholeFile,
    shape: tuple[int, ...],
    truth: Path | WholeFile,
    expected: tuple[int, ...],
    remedy: str = "",
) -> str:
    height, width = shape[0], shape[1]
    transposed = (width, height) == expected
    hints = [*(["height and width are exchanged: transposed?"] * transposed), remedy]
    hint = " or ".join(filter(None, hints))
    return (
        f"{printable(path)}: {height}×{width} (height×width) where the ground truth "
        f"{printable(truth)} is {expected[0]}×{expected[1]}{f' ({hint})' if hint else ''}"
    )


def identity(path: Path | WholeFile, image: Path | WholeFile | None = None) -> str:
    """What tells a file from a changed one: its name, size and time of change.

    Of a file that is read, as it was then.  The folder is not part of it, so that a benchmark may
    be moved between two parts of a run. That of a ground truth with a photograph is both of theirs,
    with a "/" between.
    """
    status = path.status if isinstance(path, WholeFile) else os.stat(path)
    own = f"{printable(path.name)}:{status.st_size}:{status.st_mtime_ns}"
    return own if image is None else f"{own}/{identity(image)}"


def _unmeasured(sample: Sample, method: str, truth: str, faint: bool = False) -> StoredPair:
    return StoredPair(sample.name, method, truth, "", False, None, None, faint=faint)


def _ending(row: StoredPair, error: Exception, path: Path) -> Outcome:
    """The outcome of what cannot be left out: no file to be measured is at fault."""
    return Outcome(row._replace(reason=one_line(error, path)), error)


def one_line(error: Exception, path: Path) -> str:
    """The message of an error as one line that names the file."""
    if isinstance(error, OSError) and not isinstance(error, FastSegMetricsError):
        name = printable(path if error.filename is None else error.filename)
        return f"{name}: cannot be read ({error.strerror or error})"
    text = " ".join(str(error).split())
    # The reading side names its file itself, which may be the photograph.
    if isinstance(error, FormatError) or printable(path) in text:
        return text
    return f"{printable(path)}: {text}"


def named(error: Exception, reason: str) -> Exception:
    """An error of the same class, for an unreadable file a `FormatError`, that says `reason`."""
    kind = type(error) if type(error) in (InputError, FormatError) else FastSegMetricsError
    return (FormatError if isinstance(error, OSError) else kind)(reason)
