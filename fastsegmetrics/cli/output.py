"""What results look like on standard output, and the pictures of their curves."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

from fastsegmetrics.cli.endings import say

if TYPE_CHECKING:
    from pathlib import Path

    from fastsegmetrics.bulk.run import Run
    from fastsegmetrics.results import Aggregate


def print_run(run: Run, form: str, digits: int) -> None:
    """Print the results of all methods of a run."""
    from fastsegmetrics.bulk.files import summary

    aggregates = {method: result.aggregates for method, result in run.items()}
    print_results(aggregates, summary(run), form, digits)


def print_results(
    aggregates: dict[str, dict[str, Aggregate]], as_json: Any, form: str, digits: int
) -> None:
    """Print results in a form of `reporting.forms`, fit for the terminal if it is one."""
    from fastsegmetrics.reporting.forms import printed

    click.echo(printed(aggregates, as_json, form, digits=digits, **_terminal()), nl=False)


def _terminal() -> dict[str, Any]:
    if not sys.stdout.isatty():
        return {"width": None, "styled": False}
    styled = os.environ.get("TERM") != "dumb" and "NO_COLOR" not in os.environ
    return {"width": shutil.get_terminal_size().columns, "styled": styled}


def draw_curves(run: Run, directory: Path) -> None:
    """Draw the curves of a run and say where they are."""
    from fastsegmetrics.reporting.plots import save_curves

    files = save_curves(run, directory)
    say(f"curves: {', '.join(path.name for path in files)} in {directory}")
