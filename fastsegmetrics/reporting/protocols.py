"""Protocols in writing: a list, one in full, two compared, the paper's table, a picture."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fastsegmetrics.protocol.value import STAGES, Protocol

if TYPE_CHECKING:
    from fastsegmetrics.catalog import Metric


def to_dicts(protocols: Mapping[str, Protocol]) -> list[dict[str, Any]]:
    """Every protocol as a dictionary for JSON."""
    return [
        {
            "name": name,
            "text": str(protocol),
            "hash": protocol.hash,
            "identifiers": protocol.identifiers,
            "stages": protocol.to_dict(),
            "words": protocol.words(),
        }
        for name, protocol in protocols.items()
    ]


def overview(protocols: Mapping[str, Protocol]) -> str:
    """One line per protocol: its name and its short text."""
    pad = max(map(len, protocols), default=0)
    return "".join(f"{name:{pad}}  {protocol}\n" for name, protocol in protocols.items())


def full(name: str, protocol: Protocol, width: int) -> str:
    """One protocol stage by stage: its identifier, its text and its words."""
    lines = [f"{name} ({protocol.hash})"]
    words, identifiers = protocol.words(), protocol.identifiers.split()
    pad = max(6, *map(len, identifiers)) + 2
    for stage, identifier in zip(STAGES, identifiers, strict=True):
        start = f"  {identifier:{pad}}{stage:16}"
        lines += textwrap.wrap(
            words[stage], max(width, 60), initial_indent=start, subsequent_indent=" " * len(start)
        )
    lines.append(f"  as text {protocol}")
    return "\n".join(lines) + "\n"


def difference(names: tuple[str, str], protocols: tuple[Protocol, Protocol]) -> str:
    """The stages in which two protocols differ, and how many they share."""
    first, second = protocols
    found = first.differences(second)
    if not found:
        return f"{names[0]} and {names[1]} are one protocol ({first.hash})\n"
    lines = [f"{names[0]} and {names[1]} differ in {_listed(list(found))}:"]
    pad = max(map(len, names))
    for stage, texts in found.items():
        lines.append(f"  {stage}")
        lines += [f"    {name:{pad}}  {text}" for name, text in zip(names, texts, strict=True)]
    alike = [stage for stage in STAGES if stage not in found]
    if alike:
        lines.append(f"alike in {_listed(alike)}")
    return "\n".join(lines) + "\n"


def _listed(stages: Sequence[str]) -> str:
    if len(stages) == 1:
        return stages[0]
    return f"{', '.join(stages[:-1])} and {stages[-1]}"


def table(metrics: Iterable[Metric]) -> Iterator[tuple[str, ...]]:
    """The design paper's Table 1: a metric, its five identifiers, its short text, its hash."""
    for metric in metrics:
        protocol = metric.protocol
        if protocol is not None:
            yield (
                f"`{metric.name}`",
                *protocol.identifiers.split(),
                f"`{protocol}`",
                f"`{protocol.hash}`",
            )


def picture(metrics: Iterable[Metric]) -> str:
    """The paths of some metrics as a Mermaid flow chart, stages from left to right.

    What several metrics share is one box.
    """
    boxes: dict[tuple[int, str], str] = {}
    arrows: dict[tuple[str, str], None] = {}
    for metric in metrics:
        protocol = metric.protocol
        if protocol is None:
            continue
        last = ""
        for k, (stage, identifier) in enumerate(
            zip(STAGES, protocol.identifiers.split(), strict=True), 1
        ):
            label = f"{identifier} · {getattr(protocol, stage)}"
            box = boxes.setdefault((k, label), f"s{k}_{len(boxes)}")
            if last:
                arrows[last, box] = None
            last = box
    lines = ["flowchart LR"]
    for k, stage in enumerate(STAGES, 1):
        lines.append(f'  subgraph stage{k}["{stage}"]')
        lines += [
            f'    {box}["{_escaped(label)}"]' for (at, label), box in boxes.items() if at == k
        ]
        lines.append("  end")
    lines += [f"  {start} --> {end}" for start, end in arrows]
    return "\n".join(lines) + "\n"


def _escaped(label: str) -> str:
    for sign, name in (("#", "#35;"), ('"', "#quot;"), (">", "#gt;"), ("<", "#lt;")):
        label = label.replace(sign, name)
    return label
