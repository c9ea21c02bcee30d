"""Values of options: how their texts are taken apart, and what is refused before any work."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import click


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


def names_in(text: str) -> list[str]:
    """Return the names between commas."""
    return [name.strip() for name in text.split(",")]


def units_by(column: tuple[str, str] | None) -> tuple[Mapping[str, str] | None, str]:
    """Return what each case is resampled with and what that is called; None is the case itself."""
    if column is None:
        return None, "case"
    from fastsegmetrics.strata import Strata

    return Strata.column(*column).of_sample, column[1]
