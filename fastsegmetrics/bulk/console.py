"""What a folder run says on standard error: what is missing, how far it is, what was left out."""

from __future__ import annotations

import shlex
import sys
import textwrap
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from fastsegmetrics.bulk.progress import Bar

if TYPE_CHECKING:
    from fastsegmetrics.bulk.pairs import PairList
    from fastsegmetrics.bulk.run import Run

_WIDTH = 100


class RunReport(Bar):
    """The observer of the command line.

    Parameters
    ----------
    quiet : bool
        Only what is missing, superfluous or skipped.
    lines : bool
        As for `Bar`.
    """

    def __init__(self, *, quiet: bool = False, lines: bool = False) -> None:
        super().__init__(lines=lines)
        self._quiet = quiet
        self._since = time.monotonic()

    def say(self, text: str) -> None:
        """Print a line on standard error."""
        print(text, file=sys.stderr, flush=True)

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
            pad = max(map(len, names)) + 2
            self.say(
                f"{'ground truth':{pad}}{len(pairs.samples):,} maps{_others(pairs.ignored_truths)}"
            )
            for method, files in pairs.predictions.items():
                others = _others(pairs.ignored[method])
                self.say(f"{method:{pad}}{len(files):,} predictions{others}")
        for method, names in pairs.missing.items():
            self._list(f"missing in {method}", names)
        for method, names in pairs.extra.items():
            self._list(f"without ground truth in {method}, ignored", names)
        for method, hint in pairs.hints.items():
            self.say(f"hint for {method}: {hint}")

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
        super().started(total, kept)

    def advanced(self, done: int, skipped: int) -> None:
        """Move the bar."""
        if not self._quiet:
            super().advanced(done, skipped)

    def left_out(self, run: Run) -> None:
        """Say how long the run took, what was skipped or resized, and where the files are."""
        if run.skipped:
            self.say(f"skipped ({len(run.skipped):,}):")
            for one in run.skipped:
                self.say(f"  {one.method}, {one.sample}: {one.reason}")
        for method, count in run.n_resized.items():
            if count:
                self.say(f"{method}: {count:,} predictions resized to their ground truth")
        if self._quiet:
            return
        seconds = time.monotonic() - self._since
        self.say(
            f"{len(run.samples):,} samples × {len(run)} method{'s' if len(run) > 1 else ''} "
            f"in {seconds:.1f} s"
            + (f"; everything is in {run.directory}" if run.directory is not None else "")
        )


def _others(ignored: int) -> str:
    return f" ({ignored:,} other file{'s' * (ignored > 1)} ignored)" if ignored else ""
