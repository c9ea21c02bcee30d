"""What results look like on standard output, and the pictures of their curves."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from fastsegmetrics.cli.endings import say

if TYPE_CHECKING:
    from pathlib import Path

    from fastsegmetrics.bulk.files import Stratum
    from fastsegmetrics.bulk.run import Run
    from fastsegmetrics.bulk.stored_volumes import ShownVolumes
    from fastsegmetrics.bulk.volume_methods import VolumeMethods
    from fastsegmetrics.bulk.volume_tables import Report
    from fastsegmetrics.results import Aggregate

    #: Aggregates by method and metric.
    Told: TypeAlias = Mapping[str, Mapping[str, Aggregate]]
    #: Strata by method and name.
    Strata: TypeAlias = Mapping[str, Mapping[str, Stratum]]


def print_run(run: Run, form: str, digits: int) -> None:
    """Print the results of all methods of a run, those of its strata too."""
    from fastsegmetrics.bulk.files import Stratum, summary

    aggregates = {method: result.aggregates for method, result in run.items()}
    strata = {
        method: {
            name: Stratum(len(part.sample_ids), part.aggregates)
            for name, part in result.strata.items()
        }
        for method, result in run.items()
    }
    print_tables(aggregates, strata, summary(run), form, digits)


def print_tables(
    aggregates: Told,
    strata: Strata,
    as_json: Any,
    form: str,
    digits: int,
    *,
    comparable: bool = True,
    contracts: Mapping[str, str] | None = None,
) -> None:
    """Print results and, by method and name, those of their strata.

    Of methods that are not comparable none is marked best; CSV holds the hashes of contracts.
    """
    if form == "csv":
        _print_csv(aggregates, strata, contracts or {})
        return
    print_results(aggregates, as_json, form, digits, comparable=comparable)
    if form in ("table", "markdown", "latex"):
        _print_strata(strata, form, digits, comparable)


def _print_csv(aggregates: Told, strata: Strata, contracts: Mapping[str, str]) -> None:
    """Print one table for programs: the stratum is said beside the method."""
    from fastsegmetrics.reporting.table import to_csv

    told, hashes = dict(aggregates), dict(contracts)
    for method, parts in strata.items():
        own = {f"{method}[{name}]": part.aggregates for name, part in parts.items()}
        told |= own
        hashes |= dict.fromkeys(own, contracts.get(method, ""))
    click.echo(to_csv(told, hashes if contracts else None), nl=False)


def _print_strata(strata: Strata, form: str, digits: int, comparable: bool) -> None:
    """Print a table for each stratum: values of two strata are not to be compared by a mark."""
    for name in dict.fromkeys(name for parts in strata.values() for name in parts):
        parts = {method: parts[name] for method, parts in strata.items() if name in parts}
        n = max(part.n_samples for part in parts.values())
        title = f"{name}: {n:,} sample{'' if n == 1 else 's'}"
        click.echo(f"\n{'% ' if form == 'latex' else ''}{title}\n")
        told = {method: part.aggregates for method, part in parts.items()}
        print_results(told, None, form, digits, comparable=comparable)


def print_volumes(runs: VolumeMethods, form: str, digits: int) -> None:
    """Print the tables of a run of volumes."""
    if form == "csv":
        click.echo(runs.to_csv(), nl=False)
        return
    if form == "json":
        print_results({}, runs.to_dict(), form, digits)
        return
    _print_report(runs.report(), form, digits)


def print_stored_volumes(shown: ShownVolumes, form: str, digits: int) -> None:
    """Print the tables of finished runs of volumes again."""
    if form == "csv":
        click.echo(shown.as_csv, nl=False)
    elif form == "json":
        print_results({}, shown.as_json, form, digits)
    else:
        _print_report(shown.report, form, digits, shown.comparable)


def _print_report(report: Report, form: str, digits: int, comparable: bool = True) -> None:
    for number, (title, rows_are, rows) in enumerate(report.tables):
        blank = "\n" if number else ""
        click.echo(f"{blank}{'% ' if form == 'latex' else ''}{title}\n")
        print_results(rows, None, form, digits, rows_are, comparable=comparable)
    if report.absent:
        n = len(report.absent)
        say(f"label{'s' * (n != 1)} of no case, in no table ({n:,}): {', '.join(report.absent)}")


def print_json(told: Any) -> None:
    """Print what is made of dicts, lists, texts and numbers, NaN and infinity not among them."""
    click.echo(json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False))


def print_results(
    aggregates: Told,
    as_json: Any,
    form: str,
    digits: int,
    rows_are: str = "Method",
    *,
    comparable: bool = True,
) -> None:
    """Print results in a form of `reporting.forms`, fit for the terminal if it is one."""
    from fastsegmetrics.reporting.forms import printed

    shape = {"digits": digits, "rows_are": rows_are, "comparable": comparable, **_terminal()}
    click.echo(printed(aggregates, as_json, form, **shape), nl=False)


def warn(lines: Sequence[str], form: str) -> None:
    """Say why the numbers of a table are not to be compared, after it was printed.

    A table for people says it itself, as it may be kept without what the terminal said (in LaTeX
    before it, as a comment); standard error says it unless both are seen at once.
    """
    if form in ("table", "markdown"):
        click.echo("".join(f"\n{line}\n" for line in lines), nl=False)
    if not (form in ("table", "markdown", "latex") and sys.stdout.isatty()):
        for line in lines:
            say(f"warning: {line}")


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
