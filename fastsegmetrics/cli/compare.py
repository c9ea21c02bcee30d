"""``fastsegmetrics compare``: two methods of finished runs on the same cases."""

from __future__ import annotations

import click

from fastsegmetrics.cli import options, values
from fastsegmetrics.cli.endings import DONE, say
from fastsegmetrics.cli.output import print_json, warn


@click.command()
@click.argument("run_dir", metavar="RUN_DIR")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@options.metrics_of_cases
@click.option("--other", metavar="RUN_DIR", help="The run of method B, if it is another.")
@options.label("values")
@options.unit_of()
@click.option(
    "--shared", is_flag=True, help="Compare the cases that both have, and list the others."
)
@options.level
@options.seed
@options.form("table", "markdown", "csv", "json")
@options.digits()
def compare(
    run_dir: str,
    a: str,
    b: str,
    metrics: str,
    other: str | None,
    label: int | None,
    unit_of: tuple[str, str] | None,
    shared: bool,
    level: float,
    seed: int,
    form: str,
    digits: int,
) -> int:
    """Compare the methods A and B of a run: paired bootstrap and Wilcoxon's test.

    Cases of one unit, as the scans of one patient, are resampled and ranked together.
    """
    from fastsegmetrics.bulk.comparison import compare_runs
    from fastsegmetrics.reporting import comparison

    units, unit = values.units_by(unit_of)
    compared = compare_runs(
        run_dir, a, b, values.names_in(metrics), other=other, label=label, shared=shared,
        level=level, seed=seed, units=units, unit=unit,
    )  # fmt: skip
    if form == "json":
        told = comparison.to_json_ready(compared)
        print_json(told)
    elif form == "csv":
        click.echo(comparison.to_csv(compared), nl=False)
    elif form == "markdown":
        click.echo(comparison.to_markdown(compared, digits), nl=False)
    else:
        click.echo(comparison.to_text(compared, digits), nl=False)
    for name, cases in ((compared.a, compared.only_a), (compared.b, compared.only_b)):
        if cases:
            say(f"left out, in {name} alone ({len(cases):,}): {', '.join(cases)}")
    warn(compared.warnings, form)
    return DONE
