"""What a folder run tells of itself while it runs, and the bar that shows it."""

from __future__ import annotations

import datetime
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from fastsegmetrics.bulk.pairs import PairList

_REFRESH = 0.1
_LINE_EVERY = 10.0


class Observer:
    """Told what happens in a run, in the caller's thread; does nothing. Derive from it."""

    def paired(self, pairs: PairList) -> None:
        """The files are paired; nothing is computed yet."""

    def started(self, total: int, kept: int) -> None:
        """`total` samples are due, `kept` of them are in the store already."""

    def advanced(self, done: int, skipped: int) -> None:
        """`done` samples are through, `skipped` pairs were skipped so far."""

    def ended(self) -> None:
        """The last call, also after an error."""


class Bar(Observer):
    """A progress bar with rate and remaining time, on standard error if that is a terminal.

    Parameters
    ----------
    lines : bool
        Where standard error is no terminal, as in the log of a batch job, write a line every ten
        seconds instead of nothing.
    """

    def __init__(self, *, lines: bool = False) -> None:
        self._lines = lines
        self._show: Callable[[int, int], None] | None = None
        self._progress: Any = None
        self._every = _REFRESH

    def started(self, total: int, kept: int) -> None:
        """Draw the bar for the first time."""
        from rich.console import Console

        self._total = total
        self._last = self._drawn = time.monotonic()
        self._last_done = 0
        console = Console(stderr=True)
        if console.is_terminal:
            self._show, self._every = self._bar(console), _REFRESH
        elif self._lines:
            self._show, self._every = self._line, _LINE_EVERY

    def advanced(self, done: int, skipped: int) -> None:
        """Draw the bar again, if the last time is long enough ago."""
        now = time.monotonic()
        if self._show is not None and now - self._drawn >= self._every:
            self._drawn = now
            self._show(done, skipped)

    def ended(self) -> None:
        """Take the bar away."""
        if self._progress is not None:
            self._progress.stop()

    def _bar(self, console: Console) -> Callable[[int, int], None]:
        from rich import progress as rich

        # Drawn from `advanced` only: rich's own thread would take the interpreter lock from the
        # workers ten times a second.
        self._progress = rich.Progress(
            rich.TextColumn("measuring"),
            rich.BarColumn(bar_width=None),
            rich.MofNCompleteColumn(),
            rich.TextColumn("{task.fields[rate]}"),
            rich.TimeRemainingColumn(compact=True),
            rich.TextColumn("left"),
            rich.TextColumn("{task.fields[note]}", style="yellow"),
            console=console,
            auto_refresh=False,
            transient=True,
            expand=True,
        )
        task = self._progress.add_task("", total=self._total, rate="", note="")
        self._progress.start()

        def show(done: int, skipped: int) -> None:
            speed = self._progress.tasks[0].speed
            self._progress.update(
                task,
                completed=done,
                rate="" if speed is None else _rate(speed),
                note=f"{skipped} skipped" if skipped else "",
            )
            self._progress.refresh()

        return show

    def _line(self, done: int, skipped: int) -> None:
        speed = (done - self._last_done) / max(self._drawn - self._last, 1e-9)
        self._last, self._last_done = self._drawn, done
        left = datetime.timedelta(seconds=round((self._total - done) / speed))
        note = f", {skipped} skipped" if skipped else ""
        print(
            f"{done:,} of {self._total:,} samples, {_rate(speed)}, {left} left{note}",
            file=sys.stderr,
            flush=True,
        )


def _rate(speed: float) -> str:
    return f"{speed:,.0f}/s" if speed >= 10 else f"{speed:.1f}/s"
