"""``fastsegmetrics demo``: a benchmark from nothing, made and evaluated."""

from __future__ import annotations

import click

from fastsegmetrics.cli import values
from fastsegmetrics.cli.endings import DONE, say
from fastsegmetrics.cli.output import draw_curves, print_run


@click.command()
@click.option(
    "--out",
    default="fastsegmetrics-demo",
    show_default=True,
    callback=values.no_empty_folder,
    metavar="DIR",
)
@click.option(
    "--n", type=click.IntRange(1, 10_000), default=24, show_default=True, help="Number of images."
)
def demo(out: str, n: int) -> int:
    """Make a small benchmark of two methods from nothing and evaluate it, curves included."""
    from pathlib import Path

    from fastsegmetrics.bulk.console import RunReport
    from fastsegmetrics.bulk.demo import METHODS, make_benchmark
    from fastsegmetrics.bulk.run import evaluate_folders
    from fastsegmetrics.errors import InputError, MissingExtraError
    from fastsegmetrics.reporting import plots
    from fastsegmetrics.warmup import on_compiling

    there = len(list((Path(out) / "gt").glob("scene_*.png")))
    if there > n:
        raise InputError(
            f"{out}: holds a benchmark of {there} images already; --n {there} evaluates it, "
            f"--out DIR makes one of {n} elsewhere"
        )
    folders = make_benchmark(out, n)
    run_dir = Path(out) / f"run_{n}"
    report = RunReport(on_compiling=on_compiling)
    metrics = f"sod,{plots.METRICS}"
    report.say_command(folders, metrics, run_dir)
    run = evaluate_folders(
        folders["gt"],
        {method: folders[method] for method in METHODS},
        metrics=metrics,
        out=run_dir,
        progress=report,
    )
    print_run(run, "table", 3)
    report.left_out(run)
    try:
        draw_curves(run, run_dir)
    except MissingExtraError as error:
        say(f"no curves drawn: {error}")
    return DONE
