"""``fastsegmetrics inspect``: pictures of the worst pairs of a finished run."""

from __future__ import annotations

from typing import Any

import click

from fastsegmetrics.cli import options, values
from fastsegmetrics.cli.endings import DONE, say


@click.command()
@click.argument("run_dir", metavar="RUN_DIR")
@click.option(
    "--metric",
    required=True,
    metavar="NAME",
    help="What ranks the pairs: a metric with a value for each image.",
)
@click.option(
    "--out",
    required=True,
    metavar="DIR",
    callback=values.no_empty_folder,
    help="A new or empty folder for the pictures, their index and the legend.",
)
@click.option(
    "--worst",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="K",
    help="How many pairs of each method.",
)
@options.methods
@options.label("values and masks")
@click.option(
    "--limit",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="X",
    help="The distance at which the boundary's scale of colours ends, in pixels, of volumes in the "
    "unit of their spacing.",
)
@click.option(
    "--zoom",
    type=click.IntRange(3, 32),
    default=3,
    show_default=True,
    metavar="N",
    help="Side of the block that each pixel becomes.",
)
def inspect(
    run_dir: str,
    metric: str,
    out: str,
    worst: int,
    methods: tuple[str, ...],
    label: int | None,
    limit: float,
    zoom: int,
) -> int:
    """Draw the worst pairs of a finished run: what is found, false and missed, and how far off.

    Masks are P > 0.5 of the maps as they were measured, of volumes a label in its worst slice.
    Undefined values are listed apart.
    """
    from fastsegmetrics.bulk.inspection import inspect_run
    from fastsegmetrics.bulk.stored_values import asked_of_volumes
    from fastsegmetrics.bulk.volume_inspection import inspect_volumes
    from fastsegmetrics.bulk.worst import units_of
    from fastsegmetrics.reporting.table import format_value

    how: dict[str, Any] = {"worst": worst, "methods": methods or None, "limit": limit, "zoom": zoom}
    if asked_of_volumes(run_dir, label):
        assert label is not None
        lines = inspect_volumes(run_dir, metric, label, out, **how)
    else:
        lines = inspect_run(run_dir, metric, out, **how)
    drawn = [line for line in lines if line.state == "drawn"]
    for line in drawn:
        click.echo(f"{line.metric} {format_value(line.value, 4)}  {line.picture}")
    undefined: dict[str, list[str]] = {}
    for line in lines:
        if line.state != "drawn":
            undefined.setdefault(line.method, []).append(line.sample)
    for method, samples in undefined.items():
        say(f"undefined in {method}, not drawn ({len(samples):,}): {', '.join(samples)}")
    unit = units_of(lines) or ("px" if label is None else "units")
    say(
        f"{len(drawn):,} picture{'s' * (len(drawn) != 1)}, index.csv and legend.png are in {out} "
        f"(distances from 0 to {limit:g} {unit}, {zoom} × {zoom} for a pixel)"
    )
    return DONE
