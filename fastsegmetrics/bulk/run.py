"""Evaluate folders of predictions against a folder of ground truths, resumably."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from contextvars import copy_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from fastsegmetrics import backend as backends
from fastsegmetrics.bulk.executor import check_workers, in_order
from fastsegmetrics.bulk.files import discard_summary, file_texts, write_texts
from fastsegmetrics.bulk.heat_maps import MAPS, HeatMaps
from fastsegmetrics.bulk.measure import Measurer, Outcome, Sample, named
from fastsegmetrics.bulk.pairs import PairList, pair
from fastsegmetrics.bulk.progress import Bar, Observer
from fastsegmetrics.bulk.resume import Kept, check_contract
from fastsegmetrics.bulk.run_directory import run_directory
from fastsegmetrics.bulk.sources import Sources
from fastsegmetrics.bulk.store import RunStore, StoredPair
from fastsegmetrics.bulk.sums import Sums
from fastsegmetrics.errors import InputError
from fastsegmetrics.evaluate import Evaluator
from fastsegmetrics.io import printable

if TYPE_CHECKING:
    from fastsegmetrics.catalog import Wanted
    from fastsegmetrics.plan import Plan
    from fastsegmetrics.results import Contract, Result
    from fastsegmetrics.strata import Strata


class Skipped(NamedTuple):
    """A pair that could not be read or measured, and the one-line reason."""

    sample: str
    method: str
    reason: str


class MissingPredictionsError(InputError):
    """Ground truths have no prediction; `missing` lists their names by method.

    `directories` are those that have the name of a missing file.
    """

    def __init__(self, missing: Mapping[str, list[str]], directories: Sequence[Path] = ()) -> None:
        self.missing = missing
        count = sum(len(names) for names in missing.values())
        parts = "; ".join(f"{method}: {_first_of(names)}" for method, names in missing.items())
        found = f"; {printable(directories[0])} is a directory" if directories else ""
        super().__init__(
            f"{count} prediction{'s are' if count != 1 else ' is'} missing ({parts}{found}); "
            f"missing='skip' leaves them out, missing='zero' scores an all-zero map"
        )


class MissingPhotographsError(InputError):
    """Ground truths have no photograph, and a metric looks at it; `missing` lists their names."""

    def __init__(self, missing: list[str], folder: str | Path, hint: str = "") -> None:
        self.missing = missing
        count = len(missing)
        super().__init__(
            f"{printable(folder)}: {count} photograph{'s are' if count != 1 else ' is'} missing "
            f"({_first_of(missing)}){'; ' + hint if hint else ''}"
        )


def _first_of(names: Sequence[str]) -> str:
    return f"{names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''}"


class RunInterrupted(KeyboardInterrupt):
    """The run was interrupted; `done` of `total` samples are in the store, if there is one."""

    def __init__(self, done: int, total: int, directory: Path | None) -> None:
        self.done, self.total, self.directory = done, total, directory
        super().__init__(f"interrupted after {done} of {total} samples")

    def __reduce__(self) -> tuple[Any, ...]:
        return RunInterrupted, (self.done, self.total, self.directory)


class Run(Mapping[str, "Result"]):
    """What a folder run gives: a mapping from method to `Result`, and what was left out.

    Attributes
    ----------
    samples : tuple of str
        Names of all ground truths.
    missing, extra : dict of str to list of str
        Names without a prediction, and predictions without a ground truth, by method.
    skipped : tuple of Skipped
        Pairs that could not be read or measured.
    n_resized : dict of str to int
        Predictions resized to their ground truth, by method.
    faint_truths : tuple of str
        Names of the ground truths that count as empty though they hold values, since none is
        above 128; none are if `gt_threshold` was given.
    contract : Contract
        Every choice that shaped the numbers.
    directory : Path or None
        The run directory.
    """

    def __init__(
        self,
        results: Mapping[str, Result],
        pairs: PairList,
        *,
        skipped: tuple[Skipped, ...],
        n_resized: Mapping[str, int],
        faint_truths: tuple[str, ...],
        contract: Contract,
        directory: Path | None,
    ) -> None:
        self._results = dict(results)
        self.samples = tuple(pairs.samples)
        self.missing = {method: list(names) for method, names in pairs.missing.items()}
        self.extra = {method: list(names) for method, names in pairs.extra.items()}
        self.skipped = skipped
        self.n_resized = dict(n_resized)
        self.faint_truths = faint_truths
        self.contract = contract
        self.directory = directory

    def __getitem__(self, method: str) -> Result:
        return self._results[method]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def __repr__(self) -> str:
        left_out = f"; pairs left out: {self.n_left_out}" if self.n_left_out else ""
        return f"Run of {len(self.samples)} samples by {', '.join(self)}{left_out}"

    @property
    def complete(self) -> bool:
        """Whether every ground truth counts for every method."""
        return self.n_left_out == 0

    @property
    def n_left_out(self) -> int:
        """Number of pairs that count for nothing: skipped, or missing and left out."""
        missing = sum(map(len, self.missing.values()))
        return len(self.skipped) + missing * (self.contract.conventions["missing"] == "skip")


def evaluate_folders(
    gt: str | Path,
    preds: Mapping[str, str | Path],
    *,
    metrics: Wanted | Iterable[Wanted] = "sod",
    strata: Strata | None = None,
    image: str | Path | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    on_error: Literal["stop", "skip"] = "stop",
    difficulty_maps: bool = False,
    backend: backends.Backend | None = None,
    progress: bool | Observer = False,
    gt_prefix: str = "",
    gt_suffix: str = "",
    pred_prefix: str = "",
    pred_suffix: str = "",
    image_prefix: str = "",
    image_suffix: str = "",
    **conventions: Any,
) -> Run:
    """Evaluate one or more folders of predictions against a folder of ground truths.

    Files are paired by name without extension; folders may be nested. Each ground truth is read
    and prepared once for all methods. The result does not depend on `workers`, nor on how often
    the run was stopped and continued, to the last bit.

    Parameters
    ----------
    gt : path
        Folder of the ground truths.
    preds : mapping of str to path
        Method name to folder of predictions.
    metrics : str, Protocol, Metric, or iterable of them
        As for `Evaluator`.
    strata : Strata, optional
        As for `Evaluator`; a table must hold every ground truth.
    image : path, optional
        Folder of the RGB photographs, for metrics that look at them (the suite ``"photo"``); for
        others it is not opened.
    out : path, optional
        Run directory, none of the other folders nor within them: has every measured pair
        (``run.sqlite``), so that the same call continues a killed run, and at the end ``summary``,
        ``contract`` and ``evaluation.json``, ``per_image.csv`` and ``curves.csv``.
    workers : int, optional
        Threads; by default the processors this process may use, at most 8.
    on_error : {"stop", "skip"}
        What to do about a file that cannot be read or measured: raise its error, after what is in
        flight is stored, or leave the pair out and list it in `Run.skipped`.
    difficulty_maps : bool
        Draw the heat maps of the difficulty-weighted score, which must be among the metrics:
        ``out/maps/<method>/<kind>/<sample>.png`` with kinds ``weight``, ``region``, ``structure``
        and ``boundary``, grey levels of 8 bits, 0 for 0 and 255 for 2 and more.  Pairs measured
        before get those that they lack.
    backend : {"compiled", "reference"}, optional
        Who computes.
    progress : bool or Observer
        True draws a bar on standard error if that is a terminal.
    gt_prefix, gt_suffix, pred_prefix, pred_suffix, image_prefix, image_suffix : str
        Parts of file names to be left off before pairing.
    **conventions
        As for `Evaluator`, among them ``missing="error"|"skip"|"zero"`` (a ground truth without a
        prediction: raise before anything is computed, leave out, score an all-zero map) and
        ``resize="error"|"bilinear"``.

    Returns
    -------
    Run
        Mapping from method to `Result`.

    Raises
    ------
    InputError
        A folder, name or choice is wrong, predictions or photographs are missing, a run directory
        holds another run, a pair could not be measured, or a map not be drawn.
    FormatError
        A file cannot be read.

    Examples
    --------
    >>> import fastsegmetrics as fsm
    >>> run = fsm.evaluate_folders("gt", {"mine": "maps"}, out="run")      # doctest: +SKIP
    >>> run["mine"]["f_beta.max"].value                                    # doctest: +SKIP
    0.9124
    """
    n_workers = _checked_choices(preds, on_error, workers)
    evaluator = Evaluator(metrics, backend=backend, strata=strata, **conventions)
    plan, contract = evaluator.plan, evaluator.contract
    evaluators = {method: evaluator.new_part() for method in preds}
    observer = progress if isinstance(progress, Observer) else Bar() if progress else Observer()
    if difficulty_maps:
        _require_drawable(plan, out)
    if out is not None:
        out = run_directory(out, _read(gt, preds, image), (MAPS,) if difficulty_maps else ())
    names: dict[str, Any] = {
        "gt_prefix": gt_prefix, "gt_suffix": gt_suffix, "pred_prefix": pred_prefix,
        "pred_suffix": pred_suffix, "image_prefix": image_prefix, "image_suffix": image_suffix,
    }  # fmt: skip
    sources = Sources.named(gt, preds, image, names)
    image = _photographs(plan, image)
    pairs = pair(gt, preds, image_root=image, **names)
    if strata is not None:
        strata.require(pairs.samples)
    observer.paired(pairs)
    _require_files(pairs, plan, image)
    with ExitStack() as stack:
        store = maps = None
        chosen = backends.resolve(backend)
        stack.enter_context(backends.use_backend(chosen))
        if out is not None:
            store = stack.enter_context(RunStore(out))
            check_contract(store, contract.to_dict(), chosen)
            maps = HeatMaps(store.directory, plan.conventions) if difficulty_maps else None
        sums = Sums(evaluators)
        job = _Job(pairs, sums, contract, store, on_error == "stop", observer, maps)
        if store is not None:
            sources.record(store)
        return job.run(n_workers)


def _checked_choices(preds: Mapping[str, str | Path], on_error: str, workers: int | None) -> int:
    """Return the number of threads, after a look at what can be refused at once."""
    if on_error not in ("stop", "skip"):
        raise InputError(f"on_error must be 'stop' or 'skip'; received {on_error!r}")
    if not isinstance(preds, Mapping):
        raise InputError(
            f"preds must be a mapping from a method's name to its folder; received a "
            f"{type(preds).__name__}"
        )
    if not preds:
        raise InputError("preds must name at least one method; received none")
    for name in preds:
        if not isinstance(name, str) or not name:
            raise InputError(
                f"preds must name each method by a string of its own; received {name!r}"
            )
    return check_workers(workers)


def _photographs(plan: Plan, image: str | Path | None) -> str | Path | None:
    """Return the folder of photographs, or None where no metric looks at them."""
    if not plan.needs_image:
        return None
    if image is None:
        name = next(metric.name for metric in plan.metrics if metric.score.needs_image)
        raise InputError(f"{name} looks at the photographs: name their folder, image='DIR'")
    return image


def _read(
    gt: str | Path, preds: Mapping[str, str | Path], image: str | Path | None
) -> dict[str, str | Path]:
    """The folders that a run reads, by what is in them."""
    photographs = {} if image is None else {"the photographs": image}
    predictions = {f"the predictions of {method!r}": folder for method, folder in preds.items()}
    return {"the ground truths": gt, **predictions, **photographs}


def _require_files(pairs: PairList, plan: Plan, image: str | Path | None) -> None:
    missing = {method: names for method, names in pairs.missing.items() if names}
    if missing and plan.conventions.missing == "error":
        raise MissingPredictionsError(missing, [p for ps in pairs.directories.values() for p in ps])
    if image is not None and pairs.missing_images:
        raise MissingPhotographsError(pairs.missing_images, image, pairs.image_hint)


def _require_drawable(plan: Plan, out: str | Path | None) -> None:
    if all(metric.score.family != "difficulty" for metric in plan.metrics):
        names = [metric.name for metric in plan.metrics]
        raise InputError(
            f"difficulty_maps=True draws what metrics='difficulty' measures, which is not among "
            f"the metrics ({_first_of(names)})"
        )
    if out is None:
        raise InputError(
            "difficulty_maps=True draws into the run directory: name it, out='RUN_DIR'"
        )


class _Job:
    """One run: in the caller's thread, in sample order, is all but what kernels compute."""

    def __init__(
        self,
        pairs: PairList,
        sums: Sums,
        contract: Contract,
        store: RunStore | None,
        stop: bool,
        observer: Observer,
        maps: HeatMaps | None,
    ) -> None:
        self._maps = maps
        self._pairs = pairs
        self._sums = sums
        self._contract = contract
        self._store = store
        self._stop = stop
        self._observer = observer
        self._kept = None if store is None else Kept(store, pairs, retry_skipped=stop)
        self._zero = sums.plan.conventions.missing == "zero"
        self._skipped: list[Skipped] = []
        self._n_resized = dict.fromkeys(pairs.predictions, 0)
        self._faint: list[str] = []
        self._stopped_by: tuple[str, Exception] | None = None
        self._measured_anew = False
        self._done = 0

    def run(self, workers: int) -> Run:
        measurer = Measurer(
            self._sums,
            stored=self._store is not None,
            keep_errors=self._stop,
            maps=self._maps,
        )
        total = len(self._pairs.samples)
        self._observer.started(total, 0 if self._kept is None else len(self._kept))
        try:
            try:
                for sample, outcomes in in_order(measurer, self._samples(), workers, total):
                    self._take(sample, outcomes)
            finally:
                self._observer.ended()
            if self._stopped_by is not None:
                reason, error = self._stopped_by
                raise named(error, reason) from error
            return self._finish(total)
        except KeyboardInterrupt:
            directory = None if self._store is None else self._store.directory
            raise RunInterrupted(self._done, total, directory) from None

    def _samples(self) -> Iterator[Sample]:
        for name in self._pairs.samples:
            if self._stopped_by is not None:
                # What is in flight is still taken, so that nothing done is lost.
                return
            rows = {} if self._kept is None else self._kept.rows(name)
            wanted = [
                (method, files.get(name))
                for method, files in self._pairs.predictions.items()
                if method not in rows and (self._zero or name in files)
            ]
            yield Sample(
                name,
                self._pairs.truths[name],
                self._pairs.images.get(name),
                wanted,
                tuple(rows.values()),
                self._undrawn(name, rows),
            )

    def _undrawn(self, name: str, rows: Mapping[str, StoredPair]) -> list[tuple[str, Path | None]]:
        """The pairs of a sample that are measured and lack a map."""
        maps = self._maps
        if maps is None:
            return []
        return [
            (method, self._pairs.predictions[method].get(name))
            for method, row in rows.items()
            if row.reason is None and maps.absent(method, name)
        ]

    def _take(self, sample: Sample, outcomes: list[Outcome]) -> None:
        rows = list(sample.kept)
        for row, error in outcomes:
            if row.reason is not None and error is not None:
                self._stopped_by = self._stopped_by or (row.reason, error)
                continue
            rows.append(row)
            if self._store is not None:
                if not self._measured_anew:
                    discard_summary(self._store.directory)
                    self._measured_anew = True
                self._store.add(row)
        self._count(rows)
        if self._store is not None:
            self._store.commit_when_due()
        self._done += 1
        self._observer.advanced(self._done, len(self._skipped))

    def _count(self, rows: list[StoredPair]) -> None:
        for row in rows:
            if row.reason is not None:
                self._skipped.append(Skipped(row.sample, row.method, row.reason))
            else:
                self._n_resized[row.method] += row.resized
        self._faint += [row.sample for row in rows if row.faint][:1]

    def _finish(self, total: int) -> Run:
        """Bring the store to disk, and make meanwhile what the run gives."""
        with ThreadPoolExecutor(1, thread_name_prefix="fastsegmetrics-sum") as pool:
            made = pool.submit(copy_context().run, self._made, total)
            if self._store is not None:
                self._store.commit()
            run, texts = made.result()
        if self._store is not None:
            write_texts(self._store.directory, texts)
        return run

    def _made(self, total: int) -> tuple[Run, dict[str, str]]:
        run = Run(
            self._sums.results(total),
            self._pairs,
            skipped=tuple(self._skipped),
            n_resized=self._n_resized,
            faint_truths=tuple(self._faint),
            contract=self._contract,
            directory=None if self._store is None else self._store.directory,
        )
        return run, {} if self._store is None else file_texts(run)
