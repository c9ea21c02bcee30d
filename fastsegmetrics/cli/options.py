"""Options that several commands have, and groups of options that belong together."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

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


def option(*names: str, section: str, **settings: Any) -> Decorator:
    """Return a decorator that adds an option under a heading."""
    return click.option(*names, cls=SectionedOption, section=section, **settings)


def _together(*options: Decorator) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for add in reversed(options):
            command = add(command)
        return command

    return decorate


class NamedFolder(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """``NAME=DIR`` as a pair of strings."""

    name = "NAME=DIR"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, str]:
        """Take the text apart at its first "="."""
        name, sign, folder = str(value).partition("=")
        if not (name and sign and folder):
            self.fail(f"{value!r} is not of the form NAME=DIR", param, ctx)
        # Not every shell expands a "~" that stands after a "=".
        return name, os.path.expanduser(folder)


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


class Numbers(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """One number, or several with commas between as a tuple."""

    def __init__(self, number: type[int] | type[float], name: str) -> None:
        self.number = number
        self.name = name

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Take the text apart at its commas."""
        try:
            found = tuple(self.number(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is not of the form {self.name}", param, ctx)
        return found[0] if len(found) == 1 else found


class ColumnOfFile(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """``FILE.csv:COLUMN`` as a pair of strings."""

    name = "FILE.csv:COLUMN"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, str]:
        """Take the text apart at its last ":"; that of a Windows drive stands before."""
        file, sign, column = str(value).rpartition(":")
        if not (file and sign and column):
            self.fail(f"{value!r} is not of the form FILE.csv:COLUMN", param, ctx)
        return file, column


class StrataOfVolumes(ColumnOfFile):
    """``FILE.csv:COLUMN`` as a pair of strings; not the sizes that strata of maps may be by."""

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, str]:
        """Refuse ``size`` and ``size:LIMIT:LIMIT`` by name."""
        if str(value).split(":")[0] == "size":
            self.fail("strata by the target's size are of maps; take FILE.csv:COLUMN", param, ctx)
        return super().convert(value, param, ctx)


def unique_folders(preds: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return the folders of predictions by method, or refuse a name that is given twice."""
    folders = dict(preds)
    if len(folders) < len(preds):
        names = [name for name, _ in preds]
        twice = next(name for name in names if names.count(name) > 1)
        raise click.UsageError(f"--pred: the name {twice!r} is given twice")
    return folders


def no_empty_name(context: Any, parameter: Any, value: str) -> str:
    """Refuse two commas in a row, and no name at all."""
    if not all(name.strip() for name in value.split(",")):
        raise click.BadParameter(f"a name is empty in {value!r}", context, parameter)
    return value


def no_empty_folder(context: Any, parameter: Any, value: str | None) -> str | None:
    """Refuse the empty string, which would be the current folder."""
    if value == "":
        raise click.BadParameter("a folder must be named", context, parameter)
    return value


_PRINTED = "What is printed"
printed_form = _together(
    option(
        "--format",
        "form",
        section=_PRINTED,
        type=click.Choice(["table", "markdown", "latex", "csv", "json"]),
        default="table",
        show_default=True,
        help="What is printed on standard output.",
    ),
    option(
        "--digits",
        section=_PRINTED,
        type=click.IntRange(1, 17),
        default=3,
        show_default=True,
        help="Digits of the values in tables.",
    ),
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
