"""What the lengths of a case are in, and whether all cases' can be averaged."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from fastsegmetrics import represent
from fastsegmetrics.errors import FormatError, InputError
from fastsegmetrics.io import printable, volumes
from fastsegmetrics.io.volumes import Lengths, Volume


class Grid(NamedTuple):
    """What lengths of one case are in."""

    spacing: tuple[float, ...]
    unit: str
    #: Whether a file or an argument named the unit.
    told: bool


def grid_of(truth: Volume, spacing: Any, unit: str | None) -> Grid:
    """Return the grid that a truth tells of, or the one given for files that tell of none."""
    name, told = _unit(truth.lengths, unit)
    if truth.spacing is None:
        given = 1.0 if spacing is None else spacing
        return Grid(represent.grid_spacing(given, truth.values.ndim), name, told)
    return Grid(truth.spacing, name, told)


def require_one_unit(
    truths: Iterable[Path], spacing: Any, unit: str | None, surfaces: bool
) -> None:
    """Refuse, before any voxel is read, what `spacing` and `unit` are wrong for, and unlike units.

    Parameters
    ----------
    truths : iterable of path
        Of all cases.  One that cannot be read is left for when its turn comes.
    spacing, unit : optional
        As for `evaluate_volumes`.
    surfaces : bool
        Whether distances are measured, whose means would mix units.  Overlap counts voxels.

    Raises
    ------
    InputError
    """
    if spacing is not None and unit is None:
        raise InputError(f"unit must name what spacing={spacing!r} is in, for example 'mm'")
    found = [(path, told) for path in truths if (told := _told(path)) is not None]
    spacings = [told.spacing for _, told in found]
    if spacing is not None and spacings and None not in spacings:
        raise InputError(
            f"spacing must be None for files that say theirs ({spacings[0]}); received {spacing!r}"
        )
    # By unit, its first file.
    first: dict[str, tuple[Path, Lengths]] = {}
    for path, told in found:
        first.setdefault(_unit(told, unit)[0], (path, told))
    if surfaces and len(first) > 1:
        (one, (path, told)), (other, (second, also)) = list(first.items())[:2]
        raise InputError(
            f"distances of all cases must be in one unit: {printable(path)} is in {one}, "
            f"{printable(second)} in {other}; {_way_out({one: told, other: also})}, and "
            f"surfaces=False measures overlap alone"
        )


def _told(path: Path) -> Lengths | None:
    try:
        return volumes.read_lengths(path)
    except FormatError:
        return None


def _unit(told: Lengths, unit: str | None) -> tuple[str, bool]:
    """Return what lengths are in, and whether a file or an argument says so."""
    if told.spacing is None:
        return unit or "voxel", True
    if unit is not None and told.unit is not None and unit != told.unit:
        raise InputError(f"unit must be that of the files ({told.unit}); received {unit!r}")
    named = told.unit or unit
    return named or "mm", named is not None


def _way_out(units: dict[str, Lengths]) -> str:
    said = [unit for unit, told in units.items() if told.spacing is not None and told.unit]
    if len(said) == len(units):
        return "convert the files of one"
    name = said[0] if said else next(unit for unit, told in units.items() if told.spacing)
    silent = any(told.spacing is None for told in units.values())
    return f"unit={name!r} {'and spacing=X say' if silent else 'says'} it for files that do not"
