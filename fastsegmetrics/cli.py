"""The command line: argument parsing over the library, and what is printed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from fastsegmetrics import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from fastsegmetrics.bulk.run import Run
    from fastsegmetrics.results import Aggregate

DONE, DONE_WITH_SKIPPED, BAD_INPUT, OWN_FAULT, INTERRUPTED = 0, 1, 2, 70, 130

_format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "markdown", "latex", "csv", "json"]),
    default="table",
    show_default=True,
    help="What is printed on standard output.",
)
_digits_option = click.option(
    "--digits",
    type=click.IntRange(1, 17),
    default=3,
    show_default=True,
    help="Digits of the values in tables.",
)


class _NamedFolder(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    name = "NAME=DIR"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, str]:
        name, sign, folder = str(value).partition("=")
        if not (name and sign and folder):
            self.fail(f"{value!r} is not of the form NAME=DIR", param, ctx)
        return name, folder


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Without the program's name; `sys.argv` if None.

    Returns
    -------
    int
        0 done, 1 done with skipped samples, 2 bad input, 70 a fault of this program (with the
        traceback on standard error), 130 interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal of another encoding shows "?" for an arrow rather than a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    if sys.stderr is None:
        # Closed by `2>&-`; print would take standard output instead.
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        _say_error("standard output is closed")
        return BAD_INPUT
    from fastsegmetrics.errors import FastSegMetricsError

    try:
        code = cli.main(arguments, prog_name="fastsegmetrics", standalone_mode=False)
        sys.stdout.flush()
        return int(code or DONE)
    except click.ClickException as error:
        _say_error(error.format_message())
    except FastSegMetricsError as error:
        from fastsegmetrics.bulk.console import as_options

        _say_error(as_options(str(error)))
    except BrokenPipeError:
        # The reader of a pipe (head, less) has seen enough; nothing more can be written to it.
        sys.stdout = None  # type: ignore[assignment]
        return DONE
    except (KeyboardInterrupt, click.Abort) as error:
        # click turns the interruption into its own, with ours as the cause.
        _say(_how_to_continue(error.__cause__ or error))
        return INTERRUPTED
    except OSError as error:
        name = error.filename or _unwritable_stream()
        _say_error(f"{name}: {error.strerror}" if name else error.strerror or str(error))
    except Exception as error:
        if isinstance(error, SystemError) and isinstance(error.__cause__, KeyboardInterrupt):
            # What becomes of an interrupt inside a compiled kernel.
            _say("interrupted")
            return INTERRUPTED
        # Python's own exit code of a traceback is 1, which means "done" here.
        import traceback

        _say(traceback.format_exc().rstrip())
        _say_error("this is a fault of fastsegmetrics, not of its input: please report the above")
        return OWN_FAULT
    return BAD_INPUT


def _say_error(message: str) -> None:
    _say(f"error: {' '.join(message.split())}")


def _say(text: str) -> None:
    try:
        click.echo(text, err=True)
    except OSError:
        # A full disk, say: the exit code alone must tell, so Python may not try again at its end.
        sys.stderr = None  # type: ignore[assignment]


def _unwritable_stream() -> str:
    """Find the standard stream that takes nothing more, and give it up: Python would try again at
    the end, and exit with a code of its own."""
    for name, called in (("stdout", "standard output"), ("stderr", "standard error")):
        try:
            getattr(sys, name).flush()
        except OSError:
            setattr(sys, name, None)
            return called
    return ""


def _check_names(context: Any, parameter: Any, value: str) -> str:
    if not all(name.strip() for name in value.split(",")):
        raise click.BadParameter(f"a name is empty in {value!r}", context, parameter)
    return value


def _check_out(context: Any, parameter: Any, value: str | None) -> str | None:
    if value == "":
        raise click.BadParameter("a folder must be named", context, parameter)
    return value


def _how_to_continue(error: BaseException) -> str:
    done, total = getattr(error, "done", None), getattr(error, "total", None)
    if done is None:
        return "interrupted"
    where = getattr(error, "directory", None)
    rest = (
        f"all kept in {where}; the same command continues from there"
        if where is not None
        else "nothing is kept without --out RUN_DIR"
    )
    return f"interrupted after {done:,} of {total:,} samples, {rest}"


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    no_args_is_help=False,
    invoke_without_command=True,
)
@click.version_option(__version__, prog_name="fastsegmetrics")
@click.pass_context
def cli(context: click.Context) -> None:
    """Evaluate segmentation maps: many metrics, many images, fast and by the book."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@cli.command()
@click.option("--gt", required=True, metavar="DIR", help="Folder of ground truths.")
@click.option(
    "--pred",
    "preds",
    required=True,
    multiple=True,
    type=_NamedFolder(),
    help="A method's name and its folder of predictions; may be repeated.",
)
@click.option(
    "--metrics",
    default="sod",
    show_default=True,
    callback=_check_names,
    metavar="SUITE|NAMES",
    help="A suite, or names with commas between (see `fastsegmetrics metrics`).",
)
@click.option(
    "--image",
    metavar="DIR",
    help="Folder of the photographs, for metrics that look at them (suite photo).",
)
@click.option(
    "--out",
    metavar="RUN_DIR",
    callback=_check_out,
    help="Keep everything here; the same command continues a stopped run.",
)
@click.option(
    "--workers", type=int, metavar="N", help="Threads [default: the usable processors, at most 8]."
)
@click.option(
    "--missing",
    type=click.Choice(["error", "skip", "zero"]),
    default="error",
    show_default=True,
    help="A ground truth without a prediction: stop before anything "
    "is computed, leave it out, or score an all-zero map.",
)
@click.option(
    "--on-error",
    type=click.Choice(["stop", "skip"]),
    default="stop",
    show_default=True,
    help="A file that cannot be read or measured: stop, or leave it out.",
)
@click.option(
    "--resize",
    type=click.Choice(["error", "bilinear"]),
    default="error",
    show_default=True,
    help="A prediction of another size than its ground truth.",
)
@click.option(
    "--stretch/--no-stretch",
    default=True,
    show_default=True,
    help="Stretch each prediction to [0, 1] by its own minimum and maximum.",
)
@click.option(
    "--policy",
    type=click.Choice(["published", "strict"]),
    default="published",
    show_default=True,
    help="Degenerate cases: the literature's number, or the mathematically right one.",
)
@click.option(
    "--both-empty",
    type=click.Choice(["perfect", "undefined"]),
    default="perfect",
    show_default=True,
    help="Strict only: truth and prediction empty are 1 or NaN.",
)
@click.option(
    "--gt-threshold",
    type=float,
    metavar="X",
    help="Ground truth is foreground where greater than this [default: 128 of 255].",
)
@click.option(
    "--pred-scale",
    type=click.Choice(["1", "255"]),
    help="Full scale of the predictions' numbers [default: by their type].",
)
@click.option("--clip", is_flag=True, help="Clip predictions to their scale.")
@click.option("--bins", type=int, default=10, show_default=True, help="Thresholds of targets.")
@click.option("--beta2", type=float, default=0.3, show_default=True, help="β² of f_beta.")
@click.option(
    "--weighted-beta2", type=float, default=1.0, show_default=True, help="β² of weighted_f."
)
@click.option(
    "--alpha",
    type=float,
    default=0.5,
    show_default=True,
    help="Weight of the object term of the S-measure.",
)
@click.option(
    "--e-denominator",
    type=click.Choice(["N-1", "N"]),
    default="N-1",
    show_default=True,
    help="Divisor of the E-measure.",
)
@click.option("--gt-prefix", default="", metavar="TEXT", help="Left off before pairing names.")
@click.option("--gt-suffix", default="", metavar="TEXT", help="Likewise, as _gt in a_gt.png.")
@click.option("--pred-prefix", default="", metavar="TEXT", help="Likewise.")
@click.option("--pred-suffix", default="", metavar="TEXT", help="Likewise.")
@click.option("--image-prefix", default="", metavar="TEXT", help="Likewise.")
@click.option("--image-suffix", default="", metavar="TEXT", help="Likewise.")
@_format_option
@_digits_option
@click.option(
    "--plots",
    "draw",
    is_flag=True,
    help="Measure the precision–recall, ROC and F-measure curves too and draw them into RUN_DIR.",
)
@click.option(
    "--progress",
    "lines",
    is_flag=True,
    help="Where standard error is no terminal too: a line every ten seconds.",
)
@click.option("--quiet", is_flag=True, help="No progress; only the table, and what was left out.")
def evaluate(
    gt: str,
    preds: tuple[tuple[str, str], ...],
    form: str,
    digits: int,
    draw: bool,
    quiet: bool,
    lines: bool,
    metrics: str,
    out: str | None,
    pred_scale: str | None,
    **choices: Any,
) -> int:
    """Evaluate folders of predictions against a folder of ground truths.

    Files are paired by name without extension. Exit codes: 0 done, 1 done with skipped samples,
    2 bad input.
    """
    from fastsegmetrics.bulk.console import RunReport
    from fastsegmetrics.bulk.files import summary
    from fastsegmetrics.bulk.run import evaluate_folders
    from fastsegmetrics.catalog import resolve
    from fastsegmetrics.warmup import compiling

    if draw:
        metrics = _with_curves(metrics, out)
    rows = resolve(metrics)
    curves = [row.name for row in rows if row.report.name.endswith("curve")]
    if len(curves) == len(rows) and out is None:
        raise click.UsageError(
            f"--metrics {metrics} asks for curves alone, which are no numbers of a table: "
            f"--out RUN_DIR keeps them in curves.csv"
        )
    report = RunReport(quiet=quiet, lines=lines, compiling=compiling)
    run = evaluate_folders(
        gt,
        _unique(preds),
        metrics=metrics,
        out=out,
        progress=report,
        pred_scale=None if pred_scale is None else int(pred_scale),
        **choices,
    )
    _print_results({m: r.aggregates for m, r in run.items()}, summary(run), form, digits)
    report.left_out(run)
    if curves and not quiet:
        where = f"are in {run.directory}/curves.csv" if out else "are kept with --out RUN_DIR alone"
        report.say(f"curves ({', '.join(curves)}) {where}")
    if draw and run.directory is not None:
        _draw(run, run.directory)
    return DONE if run.complete else DONE_WITH_SKIPPED


def _with_curves(metrics: str, out: str | None) -> str:
    from fastsegmetrics.reporting import plots

    if out is None:
        raise click.UsageError("--plots draws into the run directory: name it, --out RUN_DIR")
    # Before hours of measuring rather than after them.
    plots.require_matplotlib()
    return f"{metrics},{plots.METRICS}"


def _draw(run: Run, directory: Path) -> None:
    from fastsegmetrics.reporting.plots import save_curves

    files = save_curves(run, directory)
    _say(f"curves: {', '.join(path.name for path in files)} in {directory}")


def _unique(preds: tuple[tuple[str, str], ...]) -> dict[str, str]:
    folders = dict(preds)
    if len(folders) < len(preds):
        names = [name for name, _ in preds]
        twice = next(name for name in names if names.count(name) > 1)
        raise click.UsageError(f"--pred: the name {twice!r} is given twice")
    return folders


def _print_results(
    aggregates: dict[str, dict[str, Aggregate]], as_json: Any, form: str, digits: int
) -> None:
    from fastsegmetrics.reporting.forms import printed

    click.echo(printed(aggregates, as_json, form, digits=digits, **_terminal()), nl=False)


def _terminal() -> dict[str, Any]:
    import os
    import shutil

    if not sys.stdout.isatty():
        return {"width": None, "styled": False}
    styled = os.environ.get("TERM") != "dumb" and "NO_COLOR" not in os.environ
    return {"width": shutil.get_terminal_size().columns, "styled": styled}


@cli.command()
@click.argument("run_dirs", metavar="RUN_DIR...", nargs=-1, required=True)
@_format_option
@_digits_option
def show(run_dirs: tuple[str, ...], form: str, digits: int) -> int:
    """Print the table of one or more finished runs.

    Runs under different contracts are shown together only with a line that says where they differ.
    """
    from fastsegmetrics.bulk.stored_runs import combine, load_summary

    shown = combine({run_dir: load_summary(run_dir) for run_dir in run_dirs})
    _print_results(shown.aggregates, shown.as_json, form, digits)
    for line in shown.warnings:
        click.echo(f"warning: {line}", err=True)
    return DONE


@cli.command()
@click.option(
    "--out",
    default="fastsegmetrics-demo",
    show_default=True,
    callback=_check_out,
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
    from fastsegmetrics.bulk.files import summary
    from fastsegmetrics.bulk.run import evaluate_folders
    from fastsegmetrics.errors import MissingExtraError
    from fastsegmetrics.reporting import plots
    from fastsegmetrics.warmup import compiling

    folders = make_benchmark(out, n)
    run_dir = Path(out) / f"run_{n}"
    report = RunReport(compiling=compiling)
    metrics = f"sod,{plots.METRICS}"
    report.say_command(folders, metrics, run_dir)
    run = evaluate_folders(
        folders["gt"],
        {method: folders[method] for method in METHODS},
        metrics=metrics,
        out=run_dir,
        progress=report,
    )
    _print_results({m: r.aggregates for m, r in run.items()}, summary(run), "table", 3)
    report.left_out(run)
    try:
        _draw(run, run_dir)
    except MissingExtraError as error:
        click.echo(f"no curves drawn: {error}", err=True)
    return DONE


@cli.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "markdown", "json"]),
    default="table",
    show_default=True,
)
def metrics(names: tuple[str, ...], form: str) -> int:
    """List the metrics, or describe those named in full.

    Each is a path through five stages: representation, target, matching, score, report.
    """
    import json
    import shutil

    from fastsegmetrics.catalog import METRICS, SUITES, resolve
    from fastsegmetrics.reporting import catalogue

    rows = resolve(names) if names else tuple(METRICS.values())
    width = min(shutil.get_terminal_size((100, 24)).columns, 120)
    if form == "json":
        told = catalogue.to_dicts(rows)
        click.echo(json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False))
    elif form == "markdown":
        click.echo(catalogue.to_markdown(rows), nl=False)
    elif names:
        click.echo(catalogue.full(rows, width), nl=False)
    else:
        click.echo(catalogue.overview(rows, width))
        click.echo(catalogue.suites(SUITES, rows, width), nl=False)
        click.echo("\nIn full: fastsegmetrics metrics f_beta.max")
    return DONE


@cli.command()
def warmup() -> int:
    """Compile the kernels and keep them, so that later runs start at once."""
    from fastsegmetrics.warmup import kept_in, warm_up

    done = warm_up()
    click.echo(f"kernels ready in {done.seconds:.1f} s; {kept_in(done.cache)}")
    return DONE
