"""What the command line asks for: metrics and protocols by name, by short text, from TOML files."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from pathlib import Path

from fastsegmetrics import catalog
from fastsegmetrics.catalog import METRICS, Metric, Wanted
from fastsegmetrics.errors import InputError
from fastsegmetrics.protocol.value import Protocol, is_text, load


def requested(metrics: str | None, protocols: Iterable[str]) -> tuple[Metric, ...]:
    """Return what is to be evaluated.

    Parameters
    ----------
    metrics : str or None
        As in `catalog.resolve`; None for protocols alone.
    protocols : iterable of str
        Each as in `named`; the protocols of a file are called as they are there.

    Raises
    ------
    InputError
        When a name, a text or a file is none, or two protocols have one name.
    """
    wanted: list[Wanted] = [] if metrics is None else [*catalog.resolve(metrics)]
    for given in protocols:
        found = named(given)
        own = {name: one for name, one in found.items() if not _is_called_so(name, one)}
        wanted += [protocol for name, protocol in found.items() if name not in own]
        wanted += catalog.protocol_metrics(own)
    return catalog.resolve(wanted)


def _is_called_so(name: str, protocol: Protocol) -> bool:
    """Whether a protocol has this name by itself: as a metric of the catalogue, or by its hash."""
    row = METRICS.get(name)
    return name == protocol.name or (row is not None and row.protocol == protocol)


def unnamed(metrics: Iterable[Metric]) -> dict[str, str]:
    """Return the texts of the protocols that nobody named, by what they are called instead."""
    own = (metric for metric in metrics if metric.score.family == "protocol")
    return {
        metric.score.name: str(metric.protocol)
        for metric in own
        if metric.protocol is not None and metric.score.name == metric.protocol.name
    }


def named(text: str) -> dict[str, Protocol]:
    """Return the protocols that a text stands for, by name.

    Parameters
    ----------
    text : str
        The name of a metric, a short text, ``NAME=TEXT``, ``FILE.toml`` for all protocols of a
        file, or ``FILE.toml:NAME`` for one of them.

    Raises
    ------
    InputError
        When it is none of them.
    """
    # A file's path may hold a slash, which a short text does four times.
    path, sign, name = text.rpartition(":")
    place = path if sign and path.lower().endswith(".toml") else text
    if place.lower().endswith(".toml"):
        found = load(place)
        if place == text:
            return found
        return {name: _known(name, found, place)}
    given = re.fullmatch(r"\s*([^=(/]+?)\s*=(.*)", text)
    if given is not None:
        return {given[1]: Protocol.parse(given[2])}
    if is_text(text):
        protocol = Protocol.parse(text)
        return {protocol.name: protocol}
    rows: dict[str, Metric] = {row.name: row for row in catalog.resolve(text)}
    return {name: row.protocol for name, row in rows.items() if row.protocol is not None}


def one(text: str) -> tuple[str, Protocol]:
    """Return the single protocol that a text stands for, and its name.

    Raises
    ------
    InputError
        When there are none or several.
    """
    found = named(text)
    if len(found) != 1:
        names = ", ".join(list(found)[:5])
        raise InputError(f"{text} must be one protocol; it is {len(found)} ({names}, …)")
    return next(iter(found.items()))


def _known(name: str, found: dict[str, Protocol], place: str | Path) -> Protocol:
    if name in found:
        return found[name]
    near = difflib.get_close_matches(name, found, 1)
    hint = f"; did you mean {near[0]!r}?" if near else f" (it has {', '.join(found)})"
    raise InputError(f"{place}: has no protocol {name!r}{hint}")
