"""``fastsegmetrics intervals``: means of a finished run with their bootstrap intervals."""

from __future__ import annotations

import click

from fastsegmetrics.cli import options
from fastsegmetrics.cli.endings import DONE


@click.command()
@click.argument("run_dir", metavar="RUN_DIR")
@click.option(
    "--metric",
    "metrics",
    required=True,
    callback=options.no_empty_name,
    metavar="NAMES",
    help="Metrics with a value for each image or case, with commas between.",
)
@click.option(
    "--method", "methods", multiple=True, metavar="NAME", help="This method alone; may be repeated."
)
@click.option("--label", type=int, help="Of a run of volumes: whose values.")
@click.option(
    "--unit-of",
    type=options.ColumnOfFile(),
    help="The column that names what each case is resampled with, its patient [default: itself].",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Nominal coverage of the intervals.",
)
@click.option(
    "--bca", is_flag=True, help="Limits corrected for bias and skewness (BCa), not percentiles."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "markdown", "latex", "csv", "json"]),
    default="table",
    show_default=True,
)
@click.option("--digits", type=click.IntRange(1, 17), default=3, show_default=True)
def intervals(
    run_dir: str,
    metrics: str,
    methods: tuple[str, ...],
    label: int | None,
    unit_of: tuple[str, str] | None,
    level: float,
    bca: bool,
    seed: int,
    form: str,
    digits: int,
) -> int:
    """Print means over the cases of a run with their bootstrap intervals.

    Cases of one unit, as the frames of one video, are resampled together.
    """
    import json

    from fastsegmetrics.bulk.run_intervals import run_intervals
    from fastsegmetrics.reporting import interval_table
    from fastsegmetrics.strata import Strata

    found = run_intervals(
        run_dir, [name.strip() for name in metrics.split(",")], methods=methods or None,
        label=label, units=None if unit_of is None else Strata.column(*unit_of).of_sample,
        unit="case" if unit_of is None else unit_of[1], level=level,
        method="bca" if bca else "percentile", seed=seed,
    )  # fmt: skip
    if form == "json":
        told = interval_table.to_json_ready(found)
        click.echo(json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False))
    elif form == "csv":
        click.echo(interval_table.to_csv(found), nl=False)
    else:
        printed = {
            "table": interval_table.to_text, "markdown": interval_table.to_markdown,
            "latex": interval_table.to_latex,
        }[form]  # fmt: skip
        click.echo(printed(found, digits), nl=False)
    return DONE
