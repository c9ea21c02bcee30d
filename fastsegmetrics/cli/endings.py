"""How a command ends: exit codes, and the lines on standard error that go with them."""

from __future__ import annotations

import sys

import click

DONE, DONE_WITH_SKIPPED, BAD_INPUT, OWN_FAULT, INTERRUPTED = 0, 1, 2, 70, 130


def say_error(message: str) -> None:
    """Say on one line what is wrong."""
    say(f"error: {' '.join(message.split())}")


def say(text: str) -> None:
    """Write to standard error, or give it up if that takes nothing more."""
    if sys.stderr is None:
        # Given up before; click 8.1.3 would take this for a stream.
        return
    try:
        click.echo(text, err=True)
    except OSError:
        # A full disk, say: the exit code alone must tell, so Python may not try again at its end.
        sys.stderr = None  # type: ignore[assignment]


def unwritable_stream() -> str:
    """Find the standard stream that takes nothing more, and give it up: Python would try again at
    the end, and exit with a code of its own."""
    for name, called in (("stdout", "standard output"), ("stderr", "standard error")):
        try:
            getattr(sys, name).flush()
        except OSError:
            setattr(sys, name, None)
            return called
    return ""


def how_to_continue(error: BaseException) -> str:
    """Say how far an interrupted command came, and whether it goes on from there."""
    done, total = getattr(error, "done", None), getattr(error, "total", None)
    if done is None:
        return "interrupted"
    where = getattr(error, "directory", None)
    rest = (
        f"all kept in {where}; the same command continues from there"
        if where is not None
        else "nothing is kept without --out RUN_DIR"
    )
    return f"interrupted after {done:,} of {total:,} samples, {rest}"
