"""Options that several commands have, and groups of options that belong together."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

import click

from fastsegmetrics.cli.values import ColumnOfFile, NamedFolder, no_empty_folder, no_empty_name
from fastsegmetrics.conventions import CHOICES, Conventions

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Any], Any]


class SectionedOption(click.Option):
    """An option that ``--help`` lists under the heading `section`."""

    def __init__(self, *arguments: Any, section: str = "Options", **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.section = section


class SectionedCommand(click.Command):
    """A command of so many options that ``--help`` lists them under headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, those of one section together."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            told = parameter.get_help_record(ctx)
            if told is not None:
                sections.setdefault(getattr(parameter, "section", "Help"), []).append(told)
        for heading, told_of in sections.items():
            with formatter.section(heading):
                formatter.write_dl(told_of)


def option(*names: str, section: str = "Options", **settings: Any) -> Decorator:
    """Return a decorator that adds an option under a heading, of which few commands have any."""
    return click.option(*names, cls=SectionedOption, section=section, **settings)


def _together(*options: Decorator) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for add in reversed(options):
            command = add(command)
        return command

    return decorate


def truths(section: str) -> Decorator:
    """Return the option of what all methods are evaluated against."""
    return option(
        "--gt", section=section, required=True, metavar="DIR", help="Folder of ground truths."
    )


def predictions(section: str) -> Decorator:
    """Return the option of the methods that a command evaluates."""
    return option(
        "--pred",
        "preds",
        section=section,
        required=True,
        multiple=True,
        type=NamedFolder(),
        help="A method's name and its folder of predictions; may be repeated.",
    )


def run_directory(section: str) -> Decorator:
    """Return the option of where a run is kept."""
    return option(
        "--out",
        section=section,
        metavar="RUN_DIR",
        callback=no_empty_folder,
        help="Keep everything here; the same command continues a stopped run.",
    )


def workers(section: str, held: str, default: int | None = None) -> Decorator:
    """Return the option of the threads, each of which holds that much; None is what the machine
    has to give."""
    unsaid = " [default: the usable processors, at most 8]" if default is None else ""
    return option(
        "--workers",
        section=section,
        type=int,
        default=default,
        show_default=default is not None,
        metavar="N",
        help=f"Threads; each holds {held}{unsaid}.",
    )


def label(whose: str) -> Decorator:
    """Return the option of which label of a run of volumes is looked at."""
    return option("--label", type=int, help=f"Of a run of volumes: whose {whose}.")


def unit_of(section: str = "Options") -> Decorator:
    """Return the option of what cases are resampled with; `values.units_by` reads it."""
    return option(
        "--unit-of",
        section=section,
        type=ColumnOfFile(),
        help="The column that names what each case is resampled with, its patient "
        "[default: itself].",
    )


#: Of a finished run; `values.names_in` takes the metrics apart.
metrics_of_cases = option(
    "--metric",
    "metrics",
    required=True,
    callback=no_empty_name,
    metavar="NAMES",
    help="Metrics with a value for each image or case, with commas between.",
)
methods = option(
    "--method", "methods", multiple=True, metavar="NAME", help="This method alone; may be repeated."
)

#: Of the bootstrap.
level = option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Nominal coverage of the intervals.",
)
seed = option("--seed", type=click.IntRange(min=0), default=0, show_default=True)


def form(*forms: str, section: str = "Options") -> Decorator:
    """Return the option of the form of what is printed, the first by default."""
    return option(
        "--format",
        "form",
        section=section,
        type=click.Choice(forms),
        default=forms[0],
        show_default=True,
        help="What is printed on standard output.",
    )


def digits(section: str = "Options") -> Decorator:
    """Return the option of how exact printed values are."""
    return option(
        "--digits",
        section=section,
        type=click.IntRange(1, 17),
        default=3,
        show_default=True,
        help="Digits of the values in tables.",
    )


_PRINTED = "What is printed"
printed_form = _together(
    form("table", "markdown", "latex", "csv", "json", section=_PRINTED), digits(_PRINTED)
)
progress = _together(
    option(
        "--progress",
        "lines",
        section=_PRINTED,
        is_flag=True,
        help="Where standard error is no terminal too: a line every ten seconds.",
    ),
    option(
        "--quiet",
        section=_PRINTED,
        is_flag=True,
        help="No progress; only the table, and what was left out.",
    ),
)

_SIDES = (("gt", "ground truths"), ("pred", "predictions"), ("image", "photographs"))


def _name_parts(sides: tuple[tuple[str, str], ...]) -> Decorator:
    return _together(
        *(
            option(
                f"--{side}-{part}",
                section="File names",
                default="",
                metavar="TEXT",
                help=f"Left off the {place} of the names of {whose} before pairing.",
            )
            for side, whose in sides
            for part, place in (("prefix", "front"), ("suffix", "end"))
        )
    )


file_names = _name_parts(_SIDES)
volume_names = _name_parts(_SIDES[:2])

#: What each convention's option says; the rest follows from `Conventions`.
CONVENTIONS = {
    "policy": "Degenerate cases: the literature's number, or the mathematically right one.",
    "both_empty": "Strict only: truth and prediction empty are 1 or NaN.",
    "one_empty": "Surface distances where one of the two is empty: infinite, counted and in no "
    "mean, or the image's diagonal.",
    "stretch": "Stretch each prediction to [0, 1] by its own minimum and maximum.",
    "pred_scale": "Full scale of the predictions' numbers [default: by their type].",
    "gt_threshold": "Ground truth is foreground where greater than this [default: 128 of 255].",
    "clip": "Clip predictions to their scale.",
    "beta2": "β² of f_beta.",
    "weighted_beta2": "β² of weighted_f.",
    "alpha": "Weight of the object term of the S-measure.",
    "e_denominator": "Divisor of the E-measure.",
    "tolerance": "Distance in pixels that nsd lets pass.",
    "bins": "Thresholds i/n of the target scores' curves.",
    "resize": "A prediction of another size than its ground truth.",
    "missing": "A ground truth without a prediction: stop before anything is computed, leave it "
    "out, or score an all-zero map.",
}


def _convention(name: str, default: Any) -> Decorator:
    words = name.replace("_", "-")
    told = {"section": "Conventions", "default": default, "help": CONVENTIONS[name],
            "show_default": default not in (None, False)}  # fmt: skip
    if isinstance(default, bool):
        switch = f"--{words}/--no-{words}" if default else f"--{words}"
        return option(switch, is_flag=True, **told)
    if name in CHOICES:
        by_text = {str(choice): choice for choice in CHOICES[name] if choice is not None}
        return option(f"--{words}", type=click.Choice(list(by_text)), **told,
                      callback=lambda _context, _option, text: by_text.get(text))  # fmt: skip
    if isinstance(default, int):
        return option(f"--{words}", type=int, metavar="N", **told)
    return option(f"--{words}", type=float, metavar="X", **told)


#: One option per field of `Conventions`, of the same name and default.
conventions = _together(
    *(_convention(field.name, field.default) for field in dataclasses.fields(Conventions))
)
