"""``fastsegmetrics intervals``: means of a finished run with their bootstrap intervals."""

from __future__ import annotations

import click

from fastsegmetrics.cli import options, values
from fastsegmetrics.cli.endings import DONE
from fastsegmetrics.cli.output import print_json


@click.command()
@click.argument("run_dir", metavar="RUN_DIR")
@options.metrics_of_cases
@options.methods
@options.label("values")
@options.unit_of()
@options.level
@click.option(
    "--bca", is_flag=True, help="Limits corrected for bias and skewness (BCa), not percentiles."
)
@options.seed
@options.form("table", "markdown", "latex", "csv", "json")
@options.digits()
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
    from fastsegmetrics.bulk.run_intervals import run_intervals
    from fastsegmetrics.reporting import interval_table

    units, unit = values.units_by(unit_of)
    found = run_intervals(
        run_dir, values.names_in(metrics), methods=methods or None, label=label, units=units,
        unit=unit, level=level, method="bca" if bca else "percentile", seed=seed,
    )  # fmt: skip
    if form == "json":
        told = interval_table.to_json_ready(found)
        print_json(told)
    elif form == "csv":
        click.echo(interval_table.to_csv(found), nl=False)
    else:
        printed = {
            "table": interval_table.to_text, "markdown": interval_table.to_markdown,
            "latex": interval_table.to_latex,
        }[form]  # fmt: skip
        click.echo(printed(found, digits), nl=False)
    return DONE
