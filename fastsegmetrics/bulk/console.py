"""What a folder run says on standard error: what is missing, how far it is, what was left out."""

from __future__ import annotations

import ast
import dataclasses
import math
import re
import shlex
import sys
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fastsegmetrics.bulk.pairs import counted_with_first
from fastsegmetrics.bulk.progress import Bar
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.io import printable

if TYPE_CHECKING:
    from fastsegmetrics.bulk.pairs import PairList
    from fastsegmetrics.bulk.run import Run

_WIDTH = 100

_ARGUMENT = re.compile(r"""(?<![^\s(])(\w+)=('[^']*'|"[^"]*"|[\w.+-]+)(?=[\s,;)?]|$)""")
_OPTIONS = {field.name for field in dataclasses.fields(Conventions)} | {
    "image",
    "metrics",
    "out",
    "difficulty_maps",
    "ignore_label",
    "labels",
    "spacing",
    "surface",
    "surfaces",
    "unit",
    "unit_of",
    *(f"{side}_{part}" for side in ("gt", "pred", "image") for part in ("prefix", "suffix")),
}
# What is a word of a sentence too is an option where the sentence says what it must be.
_SUBJECTS = (
    "background", "hd95", "label", "labels", "level", "limit", "metric", "missing", "resize",
    "seed", "spacing", "strata", "surface", "surfaces", "tolerance", "unit", "workers", "zoom",
)  # fmt: skip
_SUBJECT = re.compile(rf"(?:^|(?<=: ))({'|'.join(_SUBJECTS)})(?= must )")
# Where a name stands alone, only one with a "_" is no word of the sentence.
_NAME = re.compile(rf"(?<![^\s(])({'|'.join(n for n in _OPTIONS if '_' in n)})(?=[\s,;)]|$)")


def as_options(text: str) -> str:
    """A sentence of the library with its arguments in the words of the command line.

    Examples
    --------
    >>> as_options("missing='skip' leaves them out (pred_suffix='_a b'), stretch=False keeps them")
    "--missing skip leaves them out (--pred-suffix '_a b'), --no-stretch keeps them"
    >>> as_options("label must be one of the run's (1, 2); received 7")
    "--label must be one of the run's (1, 2); received 7"
    """

    def option(found: re.Match[str]) -> str:
        name, value = found.groups()
        if name not in _OPTIONS:
            return found[0]
        words = name.replace("_", "-")
        if value in ("True", "False"):
            return f"--{'no-' * (value == 'False')}{words}"
        plain = ast.literal_eval(value) if value[0] in "'\"" else value
        return f"--{words} {shlex.quote(plain)}"

    text = _SUBJECT.sub(r"--\1", _ARGUMENT.sub(option, text))
    return _NAME.sub(lambda found: f"--{found[0].replace('_', '-')}", text)


class RunReport(Bar):
    """The observer of the command line.

    Parameters
    ----------
    quiet : bool
        Only what is missing, superfluous or skipped.
    lines : bool
        As for `Bar`.
    on_compiling : callable, optional
        Given, before the first sample, what is to be called when a kernel has to be compiled, with
        a clause on where it will be kept; given None at the end.
    """

    def __init__(
        self,
        *,
        quiet: bool = False,
        lines: bool = False,
        on_compiling: Callable[[Callable[[str], None] | None], None] = lambda say: None,
    ) -> None:
        super().__init__(lines=lines)
        self._quiet = quiet
        self._on_compiling = on_compiling
        self._since = time.monotonic()

    def say(self, text: str) -> None:
        """Print a line on standard error."""
        print(printable(text), file=sys.stderr, flush=True)

    def say_command(self, folders: Mapping[str, Path], metrics: str, out: Path) -> None:
        """Print the `evaluate` command that does the same."""
        parts = ["fastsegmetrics", "evaluate", "--gt", str(folders["gt"])]
        for method, folder in folders.items():
            if method != "gt":
                parts += ["--pred", f"{method}={folder}"]
        parts += ["--metrics", metrics, "--out", str(out)]
        self.say(f"$ {shlex.join(parts)}")

    def paired(self, pairs: PairList) -> None:
        """List the folders, then every missing and every superfluous name."""
        if not self._quiet:
            names = ["ground truth", *pairs.predictions]
            names += ["photographs"] if pairs.images or pairs.missing_images else []
            pad = max(map(len, names)) + 2
            others = _others(pairs.ignored_truths)
            self.say(f"{'ground truth':{pad}}{_counted(len(pairs.samples), 'map')}{others}")
            for method, files in pairs.predictions.items():
                others = _others(pairs.ignored[method])
                self.say(f"{method:{pad}}{_counted(len(files), 'prediction')}{others}")
            if pairs.images or pairs.missing_images:
                self.say(f"{'photographs':{pad}}{_counted(len(pairs.images), 'image')}")
        for method, names in pairs.missing.items():
            self._list(f"missing in {method}", names)
            for path in pairs.directories[method]:
                self.say(f"  {path} is a directory, not a file")
        self._list("without photograph", pairs.missing_images)
        for method, names in pairs.extra.items():
            self._list(f"without ground truth in {method}, ignored", names)
        for method, hint in pairs.hints.items():
            self.say(f"hint for {method}: {as_options(hint)}")

    def _list(self, title: str, names: list[str]) -> None:
        if names:
            self.say(f"{title} ({len(names):,}):")
            text = ", ".join(names)
            self.say(
                textwrap.fill(
                    text,
                    _WIDTH,
                    initial_indent="  ",
                    subsequent_indent="  ",
                    break_long_words=False,
                    break_on_hyphens=False,
                )
            )

    def started(self, total: int, kept: int) -> None:
        """Say what is in the store already, and begin the bar."""
        self._since = time.monotonic()
        if self._quiet:
            return
        if kept == total:
            self.say(f"all {total:,} samples are in the store already")
        elif kept:
            self.say(f"continuing: {kept:,} of {total:,} samples are in the store")
        self._on_compiling(
            lambda clause: self.say(f"compiling kernels, once, which takes a while; {clause}")
        )
        super().started(total, kept)

    def advanced(self, done: int, skipped: int) -> None:
        """Move the bar."""
        if not self._quiet:
            super().advanced(done, skipped)

    def ended(self) -> None:
        """Take the bar away, and hear no more of kernels."""
        self._on_compiling(None)
        super().ended()

    def left_out(self, run: Run) -> None:
        """Say how long it took, what was skipped, resized or faint, and where the files are."""
        if run.skipped:
            self.say(f"skipped ({len(run.skipped):,}):")
            for one in run.skipped:
                self.say(f"  {one.method}, {one.sample}: {as_options(one.reason)}")
        for method, count in run.n_resized.items():
            if count:
                self.say(f"{method}: {_counted(count, 'prediction')} resized to the truth's size")
        self._faint(run.faint_truths)
        if self._quiet:
            return
        for column, middle in next(iter(run.values())).middle_levels.items():
            if math.isnan(middle):
                self.say(f"{column}: no image has one, so that none is easy or hard")
            else:
                self.say(f"{column}: up to {middle:.4f} an image is easy, above it hard")
        seconds = time.monotonic() - self._since
        self.say(
            f"{_counted(len(run.samples), 'sample')} × {_counted(len(run), 'method')} "
            + (f"({_counted(run.n_left_out, 'pair')} left out) " if run.n_left_out else "")
            + f"in {seconds:.1f} s"
            + (f"; everything is in {run.directory}" if run.directory is not None else "")
        )

    def _faint(self, names: Sequence[str]) -> None:
        if len(names) == 1:
            first = (
                f"1 ground truth holds values but none above 128 and counts as empty ({names[0]}"
            )
        elif names:
            first = (
                f"{len(names):,} ground truths hold values but none above 128 and count as empty "
                f"(first: {names[0]}"
            )
        if names:
            self.say(f"{first}); --gt-threshold sets another limit")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _others(ignored: list[str]) -> str:
    return f" (ignored: {counted_with_first(ignored, 'other file')})" if ignored else ""
