"""``fastsegmetrics metrics``: the catalogue."""

from __future__ import annotations

import click

from fastsegmetrics.cli import options
from fastsegmetrics.cli.endings import DONE
from fastsegmetrics.cli.output import print_json


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@options.form("table", "markdown", "json")
def metrics(names: tuple[str, ...], form: str) -> int:
    """List the metrics, or describe those named in full.

    Each is a path through five stages: representation, target, matching, score, report.
    """
    import shutil

    from fastsegmetrics.catalog import METRICS, SUITES, resolve
    from fastsegmetrics.reporting import catalogue

    rows = resolve(names) if names else tuple(METRICS.values())
    width = min(shutil.get_terminal_size((100, 24)).columns, 120)
    if form == "json":
        told = catalogue.to_dicts(rows)
        print_json(told)
    elif form == "markdown":
        click.echo(catalogue.to_markdown(rows), nl=False)
    elif names:
        click.echo(catalogue.full(rows, width), nl=False)
    else:
        click.echo(catalogue.overview(rows, width))
        click.echo(catalogue.suites(SUITES, rows, width), nl=False)
        click.echo("\nIn full: fastsegmetrics metrics f_beta.max")
    return DONE
