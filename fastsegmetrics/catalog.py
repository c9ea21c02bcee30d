"""The table of named metrics: each one a path through the five stages, and nothing else.

A sweep score has many reports (``f_beta.max``, ``iou.pooled_bin``, …); the rows are the product of
the two small tables `SCORES` and `REPORTS`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fastsegmetrics.errors import InputError
from fastsegmetrics.scores import area

if TYPE_CHECKING:
    from fastsegmetrics.statistics.pair import Curve

Direction = Literal["higher", "lower"]


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
    family: Literal["error", "structure", "confusion", "alignment", "area"]
    direction: Direction
    low: float
    high: float
    formula: str
    empty: str
    citation: str
    needs_image: bool = False


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


_PAPER = "design paper (Beyond Pixel Overlap, 2026), appendix "
_OVERLAP = (
    "published: 0 where 0/0; strict: 1 or NaN (both_empty) when truth and partition are both "
    "empty, else 0"
)
_CHANCE = "pe = 1 (truth and partition both empty or both full): published 0, strict NaN"
_NO_BACKGROUND = "truth full: published 0, strict NaN"
_INF = float("inf")


def _confusion(
    name: str, title: str, direction: Direction, formula: str, empty: str, low: float = 0.0
) -> Score:
    section = {
        "iou": "B.3.1",
        "dice": "B.3.1",
        "accuracy": "B.3.2",
        "ber": "B.3.3",
        "specificity": "B.2.2",
        "fpr": "B.2.2",
    }.get(name, "B.3")
    kappas = {
        "kappa": "Cohen 1960, as the saliency toolboxes compute it",
        "cohen_kappa": "Cohen, Educational and Psychological Measurement 20, 1960",
    }
    citation = kappas.get(name, _PAPER + section)
    return Score(name, title, "confusion", direction, low, 1.0, formula, empty, citation)


SCORES: dict[str, Score] = {
    score.name: score
    for score in (
        Score(
            "mae", "mean absolute error", "error", "lower", 0.0, 1.0, "mean |P − G|",
            "always defined", _PAPER + "B.1",
        ),
        *(
            Score(
                name, title, "structure", "higher", low, 1.0, formula, empty,
                "Fan et al., ICCV 2017; " + _PAPER + "B.6",
            )
            for name, low, title, formula, empty in (
                (
                    "s_measure", 0.0, "structure measure", "max(0, α·S_o + (1 − α)·S_r)",
                    "truth empty: 1 − mean P; truth full: mean P",
                ),
                (
                    "s_object", 0.0, "object term of the structure measure",
                    "n/N·O(P on G) + (1 − n/N)·O(1 − P off G)", "truth empty or full: NaN",
                ),
                (
                    "s_region", -1.0, "region term of the structure measure",
                    "Σ area share · SSIM of the four quadrants around the centroid",
                    "truth empty or full: NaN",
                ),
            )
        ),
        Score(
            "e_measure", "enhanced-alignment measure", "alignment", "higher", 0.0, 2.0,
            "Σ (alignment + 1)²/4 / (N − 1), or / N (e_denominator)",
            "truth empty: background share; truth full: foreground share; strict: 1 when both "
            "are empty",
            "Fan et al., IJCAI 2018; " + _PAPER + "B.7",
        ),
        _confusion(
            "f_beta", "F-measure", "higher", "(1 + β²)PR/(β²P + R), β² = beta2", _OVERLAP
        ),
        _confusion("f1", "F-measure with β² = 1", "higher", "2PR/(P + R)", _OVERLAP),
        _confusion("precision", "precision", "higher", "tp/(tp + fp)", _OVERLAP),
        _confusion("recall", "recall (TPR, sensitivity)", "higher", "tp/(tp + fn)", _OVERLAP),
        _confusion("specificity", "specificity (TNR)", "higher", "tn/(tn + fp)", _NO_BACKGROUND),
        _confusion("fpr", "false-positive rate", "lower", "fp/(tn + fp)", _NO_BACKGROUND),
        _confusion("iou", "intersection over union", "higher", "tp/(tp + fp + fn)", _OVERLAP),
        _confusion("dice", "Dice coefficient", "higher", "2tp/(2tp + fp + fn)", _OVERLAP),
        _confusion(
            "ber", "balanced error rate", "lower", "1 − (TPR + TNR)/2",
            "published: a missing rate is 0; strict: the mean of the rates that exist",
        ),
        _confusion(
            "kappa", "kappa with the chance term of the literature's programs", "higher",
            "(OA − pe)/(1 − pe), pe = ((tp + fp)(tp + fn) + (tn + fn)(tn + tp))/N²", _CHANCE, -_INF,
        ),
        _confusion(
            "cohen_kappa", "Cohen's kappa", "higher",
            "(OA − pe)/(1 − pe), pe = ((tp + fp)(tp + fn) + (tn + fn)(tn + fp))/N²", _CHANCE, -1.0,
        ),
        _confusion("accuracy", "overall accuracy", "higher", "(tp + tn)/N", "always defined"),
        *(
            Score(
                name, title, "area", "higher", 0.0, 1.0, formula,
                f"{missing}: published as the constant curves give, strict NaN", _PAPER + section,
            )
            for name, title, formula, missing, section in (
                (
                    "ap", "average precision", "area under precision over recall",
                    "truth empty", "B.3",
                ),
                (
                    "auc", "area under the ROC curve", "area under recall over false-positive rate",
                    "truth empty or full", "B.2.3",
                ),
            )
        ),
    )
}  # fmt: skip

_DYNAMIC = "dynamic: level ≥ t for t = 0…255, level = ⌊255·P⌋"
_FIXED = "fixed: P > 0.5"
_ADAPTIVE = "adaptive: P ≥ min(2·mean P, 1)"
_SOFT = "soft: P in [0, 1]"
_OVER_IMAGES = "mean over images"
_POOLED = "counts pooled over the data set"

_SCALAR = Report("", _SOFT, f"raw value, {_OVER_IMAGES}", "column", "")

REPORTS: dict[str, Report] = {
    report.name: report
    for report in (
        Report("bin", _FIXED, f"raw value, {_OVER_IMAGES}", "column", "bin"),
        Report("adp", _ADAPTIVE, f"raw value, {_OVER_IMAGES}", "column", "adp"),
        Report("curve", _DYNAMIC, f"curve, {_OVER_IMAGES}", "curve", None),
        Report("mean", _DYNAMIC, f"mean over thresholds, {_OVER_IMAGES}", "column", "mean"),
        Report(
            "max", _DYNAMIC, "maximum over thresholds of the curve's mean over images", "curve",
            "max_of_image",
        ),
        Report(
            "mean_of_max", _DYNAMIC, f"maximum over thresholds per image, {_OVER_IMAGES}",
            "column", "max_of_image",
        ),
        Report("pooled_bin", _FIXED, f"raw value, {_POOLED}", "pooled", None),
        Report("pooled_adp", _ADAPTIVE, f"raw value, {_POOLED}", "pooled", None),
        Report("pooled_curve", _DYNAMIC, f"curve, {_POOLED}", "pooled", None),
        Report("pooled_mean", _DYNAMIC, f"mean over thresholds, {_POOLED}", "pooled", None),
        Report("pooled_max", _DYNAMIC, f"maximum over thresholds, {_POOLED}", "pooled", None),
    )
}  # fmt: skip

#: How each area is drawn through the 256 points of its curve.
AREA_RULES: dict[str, tuple[str, ...]] = {"ap": ("trapezoid", "step"),
                                          "auc": ("trapezoid", "anchored")}  # fmt: skip
_RULE_WORDS = {
    "trapezoid": "trapezoids over the curve's own points, sorted stably by x, no end points",
    "step": "steps from recall 0, no interpolation (scikit-learn's average_precision_score)",
    "anchored": "trapezoids from (0, 0) (scikit-learn's roc_auc_score)",
}


def _area_reports(rule: str) -> tuple[Report, ...]:
    words = _RULE_WORDS[rule]
    per_image = f"{rule}_of_image"
    return (
        Report(rule, _DYNAMIC, f"area of the mean curves: {words}", "curve", per_image),
        Report(
            per_image, _DYNAMIC, f"area per image, {_OVER_IMAGES}: {words}", "column", per_image
        ),
        Report(f"{rule}_pooled", _DYNAMIC, f"area of the pooled curve: {words}", "pooled", None),
    )


def _rows() -> Iterable[Metric]:
    for score in SCORES.values():
        if score.family in ("error", "structure"):
            reports: Iterable[Report] = (_SCALAR,)
        elif score.family == "area":
            reports = [row for rule in AREA_RULES[score.name] for row in _area_reports(rule)]
        else:
            # E compares each pixel with its own image's means: pooled counts have no such image.
            pooled = score.family == "confusion"
            reports = [row for row in REPORTS.values() if pooled or row.source != "pooled"]
        for report in reports:
            name = f"{score.name}.{report.name}" if report.name else score.name
            mode = {
                "error": "pixel error", "structure": "structural similarity",
                "alignment": "enhanced alignment",
            }.get(score.family, "confusion matrix")  # fmt: skip
            path = Path(
                report.representation,
                "whole map, region",
                "pixelwise",
                f"{mode}: {score.title} = {score.formula}",
                report.report,
            )
            yield Metric(name, score, report, path)


METRICS: dict[str, Metric] = {metric.name: metric for metric in _rows()}

#: Other names of the field for the same scores, and for pairs of curves.
ALIASES: dict[str, tuple[str, ...]] = {
    "tpr": ("recall",),
    "sensitivity": ("recall",),
    "tnr": ("specificity",),
    "oa": ("accuracy",),
    "pr_curve": ("precision.curve", "recall.curve"),
    "roc_curve": ("recall.curve", "fpr.curve"),
}

_SOD = ("mae", "s_measure", "e_measure.adp", "e_measure.mean", "e_measure.max",
        "f_beta.adp", "f_beta.mean", "f_beta.max")  # fmt: skip
SUITES: dict[str, tuple[str, ...]] = {
    "sod": _SOD,
    "cod": ("s_measure", "e_measure.adp", "e_measure.mean", "e_measure.max",
            "f_beta.adp", "f_beta.mean", "f_beta.max", "mae"),
    "all": tuple(METRICS),
}  # fmt: skip


def resolve(metrics: str | Iterable[str]) -> tuple[Metric, ...]:
    """Return the rows that a request names, each once, in the order asked for.

    Parameters
    ----------
    metrics : str or iterable of str
        A suite (``"sod"``, ``"cod"``, ``"all"``), metrics (``"f_beta.max"``), or scores, which
        stand for all their reports (``"iou"``); a string may list several with commas.

    Raises
    ------
    InputError
        When a name is unknown; the nearest known ones are suggested.

    Examples
    --------
    >>> [metric.name for metric in resolve("mae,f_beta.max")]
    ['mae', 'f_beta.max']
    """
    names = metrics.split(",") if isinstance(metrics, str) else list(metrics)
    found: dict[str, Metric] = {}
    for name in names:
        for row in _expand(name.strip()):
            found[row.name] = row
    if not found:
        raise InputError(f"metrics must name at least one metric; received {metrics!r}")
    return tuple(found.values())


def _expand(name: str) -> list[Metric]:
    if name in SUITES:
        return [METRICS[member] for member in SUITES[name]]
    if name in METRICS:
        return [METRICS[name]]
    if name in SCORES:
        return [row for row in METRICS.values() if row.score.name == name]
    head, dot, report = name.partition(".")
    if head in ALIASES:
        return [row for other in ALIASES[head] for row in _expand(other + dot + report)]
    known = dict.fromkeys((*SUITES, *METRICS, *SCORES, *ALIASES))
    near = difflib.get_close_matches(name, known, 3)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    raise InputError(f"unknown metric {name!r}{hint}")
