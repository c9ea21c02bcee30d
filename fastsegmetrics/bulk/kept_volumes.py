"""Cases of volumes that a stopped run has measured, kept until all are and their files written."""

from __future__ import annotations

import inspect
import json
import zlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fastsegmetrics import __version__, backend
from fastsegmetrics.bulk.resume import check_contract, identity_now, recorded, require_same
from fastsegmetrics.bulk.store import RunStore, StoredPair
from fastsegmetrics.bulk.volume_case import MeasuredCase, surface_rule
from fastsegmetrics.bulk.volume_grids import Grid
from fastsegmetrics.bulk.volume_tables import SUMMARY
from fastsegmetrics.bulk.volumes import evaluate_volumes
from fastsegmetrics.errors import InputError
from fastsegmetrics.functional.labels import overlap_of_counts
from fastsegmetrics.io import printable
from fastsegmetrics.represent_labels import LabelSet, label_set
from fastsegmetrics.statistics.labels import LabelCounts

#: What of `evaluate_volumes` numbers depend on, beside the labels.
_CHOICES = ("surfaces", "background", "tolerance", "surface", "hd95", "one_empty",
            "both_empty", "spacing", "unit")  # fmt: skip
#: The folder within a run directory that holds the store of a run that has not ended.
UNFINISHED = "unfinished"


class UnfinishedRun:
    """The store of a run of volumes, by method; where a run was stopped, with what it measured.

    Parameters
    ----------
    directory : path
        The run directory.
    choices : mapping
        What `evaluate_volumes` was called with, as far as numbers depend on it.

    Raises
    ------
    InputError
        When other choices were made for what is kept, or another process writes there.
    """

    def __init__(self, directory: Path, choices: Mapping[str, Any]) -> None:
        self._labels = label_set(choices["labels"], choices.get("ignore_label"))
        self._background = choices.get("background")
        self._ended = False
        self._store = RunStore(directory / UNFINISHED)
        try:
            if self.n_kept() == 0:
                # What was chosen and then refused at the first case binds nobody.
                self._store.set("contract", None)
            check_contract(self._store, _told(choices), backend.resolve())
        except BaseException:
            self._store.close()
            raise

    def of_method(self, method: str) -> KeptCases:
        """Return the cases of one method."""
        return KeptCases(self._store, method, self._labels, self._background)

    def n_kept(self) -> int:
        """Return how many cases of all methods are kept."""
        return sum(1 for _ in self._store.pairs())

    def finished(self) -> None:
        """Say that all that is kept is in the files of the run; the store goes when it is left."""
        self._ended = True

    def __enter__(self) -> UnfinishedRun:
        return self

    def __exit__(self, *_: object) -> None:
        nothing = self.n_kept() == 0
        self._store.close()
        if self._ended or nothing:
            self._store.path.unlink()
            self._store.directory.rmdir()


class KeptCases(NamedTuple):
    """What is kept of one method's cases; used by the thread that made the store."""

    store: RunStore
    method: str
    labels: LabelSet
    background: int | None

    def standing(self, case: str, gt: Path, pred: Path) -> MeasuredCase | None:
        """Return what was measured of a case, unless a file has changed since."""
        kept = self.store.sample(case).get(self.method)
        now = identity_now(gt), identity_now(pred)
        if kept is None or kept.measurement is None or (kept.truth, kept.prediction) != now:
            return None
        return self._unpacked(kept.measurement)

    def add(self, case: str, one: MeasuredCase) -> None:
        """Keep a case; it is on disk within about half a second."""
        self.store.add(StoredPair(case, self.method, *one.files, False, None, _packed(one)))
        self.store.commit_when_due()

    def _unpacked(self, data: bytes) -> MeasuredCase:
        header, _, table = data.partition(b"\n")
        told = json.loads(header)
        n = len(self.labels.values)
        counts = np.frombuffer(zlib.decompress(table), "<i8").reshape(n, n).astype(np.int64)
        spacing, unit, known = told["grid"]
        table_of = LabelCounts(counts, told["n_ignored"], self.labels.values)
        overlap = overlap_of_counts(table_of, self.background, self.labels.ignored)
        truth, prediction = told["files"]
        grid = Grid(tuple(spacing), unit, known)
        return MeasuredCase(overlap, told["rows"], grid, (truth, prediction))


def _packed(one: MeasuredCase) -> bytes:
    told = {
        "rows": one.rows, "grid": one.grid, "n_ignored": one.overlap.n_ignored, "files": one.files,
    }  # fmt: skip
    # JSON has the shortest digits that read as the same float, and escapes every line's end.
    table = one.overlap.table.astype("<i8").tobytes()
    return json.dumps(told).encode() + b"\n" + zlib.compress(table, 1)


def asked_of(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a run was asked for, ready for JSON, as far as its numbers depend on it."""
    return recorded(_told(choices), backend.resolve())


def check_finished(directory: Path, choices: Mapping[str, Any], methods: Collection[str]) -> bool:
    """Whether a directory holds a finished run; refuse one that other choices were made for.

    Raises
    ------
    InputError
        The run has other labels, tolerance, conventions, spacing, backend or package version, or
        a method that is not among those named, so that its files would be lost.
    """
    path = directory / SUMMARY
    if not path.is_file():
        return False
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        before, finished = dict(told["read"]["asked"]), list(told["methods"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{printable(path)}: does not say what its run was asked for, so a run here might "
            f"replace another; take another run directory"
        ) from error
    require_same(directory, before, asked_of(choices))
    for method in finished:
        if method not in methods:
            raise InputError(
                f"{printable(directory)}: holds a run with the method {method!r}, which is not "
                f"among the predictions now; name it too, or take another run directory"
            )
    return True


def _told(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return what numbers depend on, the choices that nobody made included."""
    labels = label_set(choices["labels"], choices.get("ignore_label"))
    defaults = inspect.signature(evaluate_volumes).parameters
    chosen = {name: choices.get(name, defaults[name].default) for name in _CHOICES}
    spacing, surfaces = chosen["spacing"], chosen.pop("surfaces")
    unnamed = surface_rule(surfaces, chosen["surface"], None, chosen["one_empty"], None)
    if unnamed is not None and chosen["hd95"] == unnamed.hd95:
        # To name the convention that nobody need name is to ask for the same.
        chosen["hd95"] = None
    return {
        "metrics": ["overlap", *(["surfaces"] if surfaces else [])],
        "labels": list(labels.values),
        "ignore_label": labels.ignored,
        **chosen,
        "spacing": None if spacing is None else np.ravel(spacing).tolist(),
        "package version": __version__,
    }
