"""Where a run may be kept: neither among the files that it reads, nor over those of others."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from fastsegmetrics.bulk.files import CONTRACT, CURVES, EVALUATION, PER_IMAGE, SUMMARY
from fastsegmetrics.bulk.store import STORE_NAME
from fastsegmetrics.errors import InputError
from fastsegmetrics.io import printable


def run_directory(
    out: str | os.PathLike[str],
    read: Mapping[str, str | os.PathLike[str]],
    folders: Sequence[str] = (),
    *,
    files: Sequence[str] = (SUMMARY, CONTRACT, EVALUATION, PER_IMAGE, CURVES),
    marker: str = STORE_NAME,
) -> Path:
    """The path of a run directory, after a look at what would suffer from a run there.

    Parameters
    ----------
    out : path-like
        What was asked for; it need not exist.
    read : mapping of str to path-like
        The folders that the run reads, by what is in them ("the ground truths").
    folders : sequence of str
        Names of the folders within that the run writes into.
    files : sequence of str
        Names of the files that the run writes.
    marker : str
        The file by which a directory is known as one of such runs.

    Raises
    ------
    InputError
        When `out` is empty, is or lies in one of the folders read, holds a file or folder that the
        run would write but no `marker`, or one of `folders` is or has a folder read.

    Examples
    --------
    >>> run_directory("runs/first", {"the ground truths": "gt"}).name
    'first'
    """
    if not os.fspath(out):
        raise InputError("the run directory must have a name; received ''")
    directory = Path(out)
    real = os.path.realpath(directory)
    for content, folder in read.items():
        above = os.path.realpath(folder)
        if real == above or real.startswith(os.path.join(above, "")):
            relation = "is" if real == above else "lies in"
            raise InputError(
                f"{printable(directory)}: a run directory must not be among the files read, and "
                f"this {relation} the folder of {content}, {printable(folder)}"
            )
    for name in folders:
        written = os.path.join(real, name)
        for content, folder in read.items():
            if os.path.join(os.path.realpath(folder), "").startswith(os.path.join(written, "")):
                raise InputError(
                    f"{printable(directory)}: the run writes into {name}, where {content} are, "
                    f"{printable(folder)}; take another run directory"
                )
    if not (directory / marker).exists():
        for name in (*files, *folders):
            if (directory / name).is_file() or (name in folders and (directory / name).exists()):
                raise InputError(
                    f"{printable(directory)}: holds {name} but no {marker}, so a run here "
                    f"would replace a file of something else; take another run directory"
                )
    return directory
