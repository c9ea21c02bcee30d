"""What a row of the catalogue is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fastsegmetrics.scores import area

if TYPE_CHECKING:
    from fastsegmetrics.statistics.pair import Curve

Direction = Literal["higher", "lower"]

#: The paper whose appendix gives the definitions.
PAPER = "design paper (Beyond Pixel Overlap, 2026), appendix "


@dataclass(frozen=True)
class Path:
    """The five stages of one metric, each in the words of its convention."""

    representation: str
    target: str
    matching: str
    score: str
    report: str

    def to_dict(self) -> dict[str, str]:
        """Return the stages by name, in order."""
        return dict(vars(self))


@dataclass(frozen=True)
class Score:
    """A stage-4 rule: what is computed once prediction and truth have been matched."""

    name: str
    title: str
    #: Which scores are computed together, see ``families``.
    family: str
    direction: Direction
    low: float
    high: float
    formula: str
    empty: str
    citation: str
    needs_image: bool = False
    #: Whether the conventions' `stretch` applies; where it does not, the map is read as it is.
    stretched: bool = True


@dataclass(frozen=True)
class Report:
    """Stages 1 and 5 of a sweep score: which partitions it sees and what is told of them."""

    name: str
    representation: str
    report: str
    #: What of a measurement it is made from: a per-image column, a mean curve, or pooled counts.
    source: Literal["column", "curve", "pooled"]
    #: Suffix of the per-image column that belongs to it.
    column: str | None


@dataclass(frozen=True)
class Metric:
    """One row of the catalogue."""

    name: str
    score: Score
    report: Report
    path: Path

    @property
    def column(self) -> str | None:
        """Name of the per-image value that goes with the metric, if there is one."""
        if self.report.column is None:
            return None
        return f"{self.score.name}.{self.report.column}" if self.report.column else self.score.name

    def of_curves(self, *curves: Curve) -> float:
        """Return the number that a report of source "curve" makes of its mean curves."""
        if self.score.family == "area":
            rule: Callable[[Curve, Curve], float] = getattr(area, self.report.name)
            return float(rule(*curves))
        return float(curves[0].max())

    @property
    def direction(self) -> Direction:
        """Whether higher or lower values are better."""
        return self.score.direction

    @property
    def range(self) -> tuple[float, float]:
        """Smallest and largest value that the metric can take."""
        return self.score.low, self.score.high
