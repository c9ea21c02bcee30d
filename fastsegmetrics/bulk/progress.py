"""What a folder run tells of itself while it runs, and the bar that shows it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastsegmetrics.bulk.pairs import PairList

_REFRESH = 0.1


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
    """A progress bar with rate and remaining time.

    Parameters
    ----------
    console : rich.console.Console, optional
        Where to draw; standard error if None. A console that is no terminal shows nothing.
    """

    def __init__(self, console: Any = None) -> None:
        self._console = console
        self._progress: Any = None
        self._task: Any = None
        self._drawn = 0.0

    def started(self, total: int, kept: int) -> None:
        """Draw the bar for the first time."""
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        console = self._console or Console(stderr=True)
        # Drawn from `advanced` only: rich's own thread would take the interpreter lock from the
        # workers ten times a second, and draw over the messages of an error.
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
            TextColumn("{task.fields[note]}", style="yellow"),
            console=console,
            auto_refresh=False,
            transient=True,
            expand=True,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task(
            "measuring", total=total, completed=kept, rate="", note=""
        )
        self._start, self._kept = time.monotonic(), kept
        self._progress.start()

    def advanced(self, done: int, skipped: int) -> None:
        """Draw the bar again, if the last time is long enough ago."""
        now = time.monotonic()
        if now - self._drawn < _REFRESH:
            return
        self._drawn = now
        rate = (done - self._kept) / max(now - self._start, 1e-9)
        self._progress.update(
            self._task,
            completed=done,
            rate=f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s",
            note=f"{skipped} skipped" if skipped else "",
        )
        self._progress.refresh()

    def ended(self) -> None:
        """Take the bar away."""
        if self._progress is not None:
            self._progress.stop()
