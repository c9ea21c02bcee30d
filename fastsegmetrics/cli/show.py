"""``fastsegmetrics show``: the table of finished runs."""

from __future__ import annotations

from collections.abc import Sequence

import click

from fastsegmetrics.cli import options
from fastsegmetrics.cli.endings import DONE, say
from fastsegmetrics.cli.output import print_tables, warn


@click.command()
@click.argument("run_dirs", metavar="RUN_DIR...", nargs=-1, required=True)
@options.printed_form
def show(run_dirs: tuple[str, ...], form: str, digits: int) -> int:
    """Print the table of one or more finished runs, and those of their strata or labels.

    Runs under different contracts are shown together only with a line that says where they differ.
    """
    from fastsegmetrics.bulk.stored_volumes import holds_volumes

    if any(map(holds_volumes, run_dirs)):
        return _show_volumes(run_dirs, form, digits)
    from fastsegmetrics.bulk.stored_runs import combine, load_summary

    shown = combine({run_dir: load_summary(run_dir) for run_dir in run_dirs})
    _comment(shown.warnings, form)
    print_tables(
        shown.aggregates, shown.strata, shown.as_json, form, digits,
        comparable=shown.comparable, contracts=shown.contracts,
    )  # fmt: skip
    for name, text in shown.unnamed.items():
        say(f"{name} is {text}")
    warn(shown.warnings, form)
    return DONE


def _show_volumes(run_dirs: tuple[str, ...], form: str, digits: int) -> int:
    from fastsegmetrics.bulk.stored_volumes import shown_volumes
    from fastsegmetrics.cli.output import print_stored_volumes

    shown = shown_volumes(run_dirs)
    _comment(shown.warnings, form)
    print_stored_volumes(shown, form, digits)
    warn(shown.warnings, form)
    return DONE


def _comment(warnings: Sequence[str], form: str) -> None:
    """Print warnings before a table in LaTeX, whose comments they are."""
    if form == "latex":
        click.echo("".join(f"% {line}\n" for line in warnings), nl=False)
