"""The program: its commands, and an exit code for whatever they end with."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from fastsegmetrics import __version__
from fastsegmetrics.cli.compare import compare
from fastsegmetrics.cli.demo import demo
from fastsegmetrics.cli.endings import (
    BAD_INPUT,
    DONE,
    INTERRUPTED,
    OWN_FAULT,
    how_to_continue,
    say,
    say_error,
    unwritable_stream,
)
from fastsegmetrics.cli.evaluate import evaluate
from fastsegmetrics.cli.evaluate_volumes import evaluate_volumes
from fastsegmetrics.cli.inspect import inspect
from fastsegmetrics.cli.intervals import intervals
from fastsegmetrics.cli.metrics import metrics
from fastsegmetrics.cli.protocols import protocols
from fastsegmetrics.cli.show import show
from fastsegmetrics.cli.warmup import warmup

#: In the order of their first use; `--help` sorts them by name.
COMMANDS = (
    evaluate, evaluate_volumes, show, inspect, intervals, compare, demo, metrics, protocols, warmup,
)  # fmt: skip


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


for _command in COMMANDS:
    cli.add_command(_command)


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
    if not _prepare_streams():
        return BAD_INPUT
    from fastsegmetrics.errors import FastSegMetricsError

    try:
        code = cli.main(arguments, prog_name="fastsegmetrics", standalone_mode=False)
        sys.stdout.flush()
        return int(code or DONE)
    except click.ClickException as error:
        say_error(error.format_message())
    except FastSegMetricsError as error:
        from fastsegmetrics.bulk.console import as_options

        say_error(as_options(str(error)))
    except BrokenPipeError:
        # The reader of a pipe (head, less) has seen enough; nothing more can be written to it.
        sys.stdout = None  # type: ignore[assignment]
        return DONE
    except (KeyboardInterrupt, click.Abort) as error:
        # click turns the interruption into its own, with ours as the cause (8.1.3: the context).
        say(how_to_continue(error.__cause__ or error.__context__ or error))
        return INTERRUPTED
    except OSError as error:
        name = error.filename or unwritable_stream()
        say_error(f"{name}: {error.strerror}" if name else error.strerror or str(error))
    except Exception as error:
        return _unforeseen(error)
    return BAD_INPUT


def _prepare_streams() -> bool:
    """Make the standard streams fit for writing; whether there is a standard output at all."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal of another encoding shows "?" for an arrow rather than a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    if sys.stderr is None:
        # Closed by `2>&-`; print would take standard output instead.
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        say_error("standard output is closed")
        return False
    return True


def _unforeseen(error: Exception) -> int:
    if isinstance(error, SystemError) and isinstance(error.__cause__, KeyboardInterrupt):
        # What becomes of an interrupt inside a compiled kernel.
        say("interrupted")
        return INTERRUPTED
    # Python's own exit code of a traceback is 1, which means "done" here.
    import traceback

    say(traceback.format_exc().rstrip())
    say_error("this is a fault of fastsegmetrics, not of its input: please report the above")
    return OWN_FAULT
