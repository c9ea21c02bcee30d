"""``fastsegmetrics evaluate``: folders of predictions against a folder of ground truths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from fastsegmetrics.cli import options, values
from fastsegmetrics.cli.endings import DONE, DONE_WITH_SKIPPED
from fastsegmetrics.cli.evaluate_volumes import evaluate_volumes
from fastsegmetrics.cli.options import option
from fastsegmetrics.cli.output import draw_curves, print_run

if TYPE_CHECKING:
    from fastsegmetrics.catalog import Metric

_FILES, _MEASURED = "Files", "What is measured"


class MapsOrVolumes(options.SectionedCommand):
    """A command of maps that ``--labels`` makes `evaluate-volumes`, with the options of that."""

    def make_context(self, info_name: str | None, args: list[str], *more: Any, **extra: Any) -> Any:
        """Take the arguments apart as those of maps or of volumes."""
        if any(argument.partition("=")[0] == "--labels" for argument in args):
            return evaluate_volumes.make_context(info_name, args, *more, **extra)
        return super().make_context(info_name, args, *more, **extra)


@click.command(cls=MapsOrVolumes)
@options.truths(_FILES)
@options.predictions(_FILES)
@option(
    "--image",
    section=_FILES,
    metavar="DIR",
    help="Folder of the photographs, for metrics that look at them (suite photo).",
)
@options.run_directory(_FILES)
@option(
    "--metrics",
    section=_MEASURED,
    default="sod",
    show_default=True,
    callback=values.no_empty_name,
    metavar="SUITE|NAMES",
    help="A suite, or names with commas between (see `fastsegmetrics metrics`).",
)
@option(
    "--protocol",
    "protocols",
    section=_MEASURED,
    multiple=True,
    metavar="PROTOCOL",
    help="A path through the five stages: its short text, NAME=TEXT, FILE.toml, or FILE.toml:NAME "
    "(see `fastsegmetrics protocols`); beside --metrics if that is given; may be repeated.",
)
@option(
    "--strata",
    section=_MEASURED,
    metavar="size|FILE.csv:COLUMN",
    help="Tell every metric of each stratum too: by the truth's size (size:LIMIT:LIMIT for other "
    "limits than 1024 and 9216 pixels), or by a column of a table of samples.",
)
@options.workers(_MEASURED, "the maps of a pair")
@option(
    "--on-error",
    section=_MEASURED,
    type=click.Choice(["stop", "skip"]),
    default="stop",
    show_default=True,
    help="A file that cannot be read or measured: stop, or leave it out.",
)
@option(
    "--plots",
    "draw",
    section=_MEASURED,
    is_flag=True,
    help="Measure the precision–recall, ROC and F-measure curves too and draw them into RUN_DIR.",
)
@option(
    "--difficulty-maps",
    section=_MEASURED,
    is_flag=True,
    help="Draw where the difficulty-weighted score is lost, into RUN_DIR/maps: weight, region, "
    "structure and boundary of each pair, black 0, white 2.",
)
@option(
    "--labels",
    section="Label volumes",
    metavar="N|LABEL,LABEL",
    expose_value=False,
    help="The folders hold label volumes (NIfTI, NPY, NPZ) of these labels: every other option is "
    "then one of `evaluate-volumes --help`.",
)
@options.conventions
@options.file_names
@options.printed_form
@options.progress
@click.pass_context
def evaluate(
    context: click.Context,
    /,
    gt: str,
    preds: tuple[tuple[str, str], ...],
    form: str,
    digits: int,
    draw: bool,
    difficulty_maps: bool,
    quiet: bool,
    lines: bool,
    metrics: str,
    protocols: tuple[str, ...],
    strata: str | None,
    out: str | None,
    **choices: Any,
) -> int:
    """Evaluate folders of predictions against a folder of ground truths, maps or label volumes.

    Files are paired by name without extension. Exit codes: 0 done, 1 done with skipped samples,
    2 bad input.
    """
    from fastsegmetrics.bulk.console import RunReport
    from fastsegmetrics.bulk.requests import requested, unnamed
    from fastsegmetrics.bulk.run import evaluate_folders
    from fastsegmetrics.strata import Strata
    from fastsegmetrics.warmup import on_compiling

    by_default = context.get_parameter_source("metrics") == ParameterSource.DEFAULT
    named = None if protocols and by_default else metrics
    if draw:
        named = _with_curves(named, out)
    wanted = requested(named, protocols)
    asked = f"--protocol {protocols[0]}" if named is None else f"--metrics {named}"
    curves = _curves_of(wanted, asked, out)
    report = RunReport(quiet=quiet, lines=lines, on_compiling=on_compiling)
    run = evaluate_folders(
        gt,
        values.unique_folders(preds),
        metrics=wanted,
        strata=None if strata is None else Strata.parse(strata),
        out=out,
        difficulty_maps=difficulty_maps,
        progress=report,
        **choices,
    )
    print_run(run, form, digits)
    if not quiet:
        for name, text in unnamed(wanted).items():
            report.say(f"{name} is {text}")
    report.left_out(run)
    if curves and not quiet:
        where = f"are in {run.directory}/curves.csv" if out else "are kept with --out RUN_DIR alone"
        report.say(f"curves ({', '.join(curves)}) {where}")
    if difficulty_maps and not quiet:
        report.say(f"heat maps of the difficulty are in {run.directory}/maps (black 0, white 2)")
    if draw and run.directory is not None:
        draw_curves(run, run.directory)
    return DONE if run.complete else DONE_WITH_SKIPPED


def _with_curves(metrics: str | None, out: str | None) -> str:
    from fastsegmetrics.reporting import plots

    if out is None:
        raise click.UsageError("--plots draws into the run directory: name it, --out RUN_DIR")
    # Before hours of measuring rather than after them.
    plots.require_matplotlib()
    return plots.METRICS if metrics is None else f"{metrics},{plots.METRICS}"


def _curves_of(rows: Sequence[Metric], asked: str, out: str | None) -> list[str]:
    """Return the curves asked for, which no table shows."""
    curves = [row.name for row in rows if row.tells_curve]
    if len(curves) == len(rows) and out is None:
        raise click.UsageError(
            f"{asked} asks for curves alone, which are no numbers of a table: "
            f"--out RUN_DIR keeps them in curves.csv"
        )
    return curves
