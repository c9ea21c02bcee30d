"""One measured figure with its target, and the tables made of many."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Row:
    """A figure, what it should be, and the times it is made of (milliseconds, by contestant)."""

    section: str
    name: str
    figure: float
    unit: Literal["x", "ratio", "s", "ms", "GB"]
    goal: Literal["at least", "at most", ""] = ""
    target: float | None = None
    size: str = ""
    content: str = ""
    times_ms: dict[str, float] = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; None where there is none."""
        if self.target is None:
            return None
        return self.figure >= self.target if self.goal == "at least" else self.figure <= self.target

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold, the verdict included."""
        return {**asdict(self), "met": self.met}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Row:
        """Read what `to_dict` wrote."""
        return cls(**{key: value for key, value in data.items() if key != "met"})


def shown(figure: float, unit: str) -> str:
    """Return a figure with its unit, three digits of it."""
    digits = max(0, 2 - math.floor(math.log10(abs(figure)))) if figure else 2
    text = f"{figure:.{min(digits, 4)}f}"
    return {"x": f"{text}×", "ratio": text}.get(unit, f"{text} {unit}")


def milliseconds(times: dict[str, float]) -> str:
    """Return the times of a row on one line."""
    return ", ".join(f"{name} {value:.3g}" for name, value in times.items())


def verdict(row: Row) -> str:
    """Return the word for a row's outcome."""
    return {True: "met", False: "MISSED", None: ""}[row.met]


def wanted(row: Row) -> str:
    """Return a row's target in words."""
    if row.target is None:
        return ""
    return f"{'≥' if row.goal == 'at least' else '≤'} {row.target:g}"


def text_table(rows: Sequence[Row]) -> str:
    """Return aligned lines: figure, target and verdict, then the times behind them."""
    cells = [
        (
            row.name, row.size, row.content, shown(row.figure, row.unit), wanted(row), verdict(row),
            f"[ms: {milliseconds(row.times_ms)}]" if row.times_ms else "",
        )
        for row in rows
    ]  # fmt: skip
    widths = [max(len(line[i]) for line in cells) for i in range(7)]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    )


def markdown_table(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    rule = ["---"] * len(header)
    return "\n".join("| " + " | ".join(line) + " |" for line in (header, rule, *lines))


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean."""
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs))
