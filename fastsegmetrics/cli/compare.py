"""``fastsegmetrics compare``: two methods of finished runs on the same cases."""

from __future__ import annotations

import click

from fastsegmetrics.cli import options
from fastsegmetrics.cli.endings import DONE, say
from fastsegmetrics.cli.output import warn


@click.command()
@click.argument("run_dir", metavar="RUN_DIR")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option(
    "--metric",
    "metrics",
    required=True,
    callback=options.no_empty_name,
    metavar="NAMES",
    help="Metrics with a value for each image or case, with commas between.",
)
@click.option("--other", metavar="RUN_DIR", help="The run of method B, if it is another.")
@click.option("--label", type=int, help="Of a run of volumes: whose values.")
@click.option(
    "--unit-of",
    type=options.ColumnOfFile(),
    help="The column that names what each case is resampled with, its patient [default: itself].",
)
@click.option(
    "--shared", is_flag=True, help="Compare the cases that both have, and list the others."
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Nominal coverage of the intervals.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "markdown", "csv", "json"]),
    default="table",
    show_default=True,
)
@click.option("--digits", type=click.IntRange(1, 17), default=3, show_default=True)
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
    import json

    from fastsegmetrics.bulk.comparison import compare_runs
    from fastsegmetrics.reporting import comparison
    from fastsegmetrics.strata import Strata

    compared = compare_runs(
        run_dir, a, b, [name.strip() for name in metrics.split(",")],
        other=other, label=label, shared=shared, level=level, seed=seed,
        units=None if unit_of is None else Strata.column(*unit_of).of_sample,
        unit="case" if unit_of is None else unit_of[1],
    )  # fmt: skip
    if form == "json":
        told = comparison.to_json_ready(compared)
        click.echo(json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False))
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
