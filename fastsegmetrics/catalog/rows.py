"""What a row of the catalogue is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from fastsegmetrics.protocol.options import Matching, Representation, Target
from fastsegmetrics.protocol.report_options import Report as Reporting
from fastsegmetrics.protocol.score_options import MODES, Score as ScoreOption
from fastsegmetrics.protocol.value import Protocol
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


class Half(NamedTuple):
    """Which images a report is told of: the half of a data set above or up to its middle level."""

    #: The per-image column by which the data set is split, see `halves`.
    column: str
    hard: bool


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
    #: Where not all images count, those that do.
    half: Half | None = None
    #: The options of stages 1 and 5 that the words are of.
    options: tuple[Representation, Reporting] | None = None

    @classmethod
    def along(
        cls,
        name: str,
        representation: Representation,
        report: Reporting,
        source: Literal["column", "curve", "pooled"],
        column: str | None,
    ) -> Report:
        """Return the report of two options, its words theirs for a whole map."""
        words = report.words_for(curve=representation.kind == "dynamic", targets=False)
        half = None
        if report.by.startswith("halves."):
            half = Half(report.by.removeprefix("halves."), report.part == "hard")
        stages = representation, report
        return cls(name, representation.words, words, source, column, half, stages)


@dataclass(frozen=True)
class Metric:
    """One row of the catalogue."""

    name: str
    score: Score
    report: Report
    path: Path
    #: The path as a value that runs; None where its stages are beyond the option sets.
    protocol: Protocol | None = None

    @classmethod
    def along(
        cls,
        score: Score,
        report: Report,
        target: Target,
        matching: Matching,
        option: str | None = None,
    ) -> Metric:
        """Return the metric of a path, whose words are those of the path's options.

        Parameters
        ----------
        score : Score
            Stage 4.
        report : Report
            Stages 1 and 5, with their options.
        target, matching : option
            Stages 2 and 3.
        option : str, optional
            The score of the option set, if it is called otherwise there.
        """
        assert report.options is not None
        representation, reporting = report.options
        protocol = Protocol(
            representation, target, matching, ScoreOption(option or score.name), reporting
        )
        words = protocol.words()
        mode = MODES[protocol.score.mode].words
        words["score"] = f"{mode}: {score.title} = {score.formula}"
        name = f"{score.name}.{report.name}" if report.name else score.name
        return cls(name, score, report, Path(**words), protocol)

    @property
    def tells_curve(self) -> bool:
        """Whether what is told is a curve and no number."""
        if self.protocol is not None:
            return self.protocol.tells_curve
        return self.report.name.endswith("curve")

    @property
    def told_apart(self) -> str:
        """The name; of a protocol, which anybody may call anything, with its hash."""
        if self.protocol is None or self.score.family != "protocol":
            return self.name
        return f"{self.name}={self.protocol.hash}"

    @property
    def column(self) -> str | None:
        """Name of the per-image value that goes with the metric, if there is one."""
        if self.report.column is None:
            return None
        return f"{self.score.name}.{self.report.column}" if self.report.column else self.score.name

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all the per-image values that it is made from."""
        split = () if self.report.half is None else (self.report.half.column,)
        return split if self.column is None else (self.column, *split)

    def of_curves(self, *curves: Curve) -> float:
        """Return the number that a report of source "curve" makes of its mean curves."""
        if self.score.family == "area":
            rule: Callable[..., float] = getattr(area, self.report.name)
            # Items of an array are slow to come by.
            return float(rule(*(curve.tolist() for curve in curves)))
        return float(curves[0].max())

    @property
    def direction(self) -> Direction:
        """Whether higher or lower values are better."""
        return self.score.direction

    @property
    def range(self) -> tuple[float, float]:
        """Smallest and largest value that the metric can take."""
        return self.score.low, self.score.high
