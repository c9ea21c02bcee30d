"""The sweep family: scores of partitions, with many reports each.

The rows are the product of the two small tables `SCORES` and `REPORTS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fastsegmetrics.catalog.rows import PAPER, Direction, Metric, Report, Score
from fastsegmetrics.protocol.options import Adaptive, Dynamic, Fixed, Pixelwise, Soft, Whole
from fastsegmetrics.protocol.report_options import Report as Reporting

OVERLAP = (
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
    citation = kappas.get(name, PAPER + section)
    return Score(name, title, "confusion", direction, low, 1.0, formula, empty, citation)


SCORES: dict[str, Score] = {
    score.name: score
    for score in (
        Score(
            "mae", "mean absolute error", "error", "lower", 0.0, 1.0, "mean |P − G|",
            "always defined", PAPER + "B.1",
        ),
        *(
            Score(
                name, title, "structure", "higher", low, 1.0, formula, empty,
                "Fan et al., ICCV 2017; " + PAPER + "B.6",
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
            "Fan et al., IJCAI 2018; " + PAPER + "B.7",
        ),
        _confusion(
            "f_beta", "F-measure", "higher", "(1 + β²)PR/(β²P + R), β² = beta2", OVERLAP
        ),
        _confusion("f1", "F-measure with β² = 1", "higher", "2PR/(P + R)", OVERLAP),
        _confusion("precision", "precision", "higher", "tp/(tp + fp)", OVERLAP),
        _confusion("recall", "recall (TPR, sensitivity)", "higher", "tp/(tp + fn)", OVERLAP),
        _confusion("specificity", "specificity (TNR)", "higher", "tn/(tn + fp)", _NO_BACKGROUND),
        _confusion("fpr", "false-positive rate", "lower", "fp/(tn + fp)", _NO_BACKGROUND),
        _confusion("iou", "intersection over union", "higher", "tp/(tp + fp + fn)", OVERLAP),
        _confusion("dice", "Dice coefficient", "higher", "2tp/(2tp + fp + fn)", OVERLAP),
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
                f"{missing}: published as the constant curves give, strict NaN", PAPER + section,
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

SCALAR = Report.along("", Soft(), Reporting(), "column", "")
_OF_DATA_SET = Reporting("max", of="dataset")

REPORTS: dict[str, Report] = {
    report.name: report
    for report in (
        Report.along("bin", Fixed(), Reporting(), "column", "bin"),
        Report.along("adp", Adaptive(), Reporting(), "column", "adp"),
        Report.along("curve", Dynamic(), Reporting(), "curve", None),
        Report.along("mean", Dynamic(), Reporting("mean"), "column", "mean"),
        Report.along("max", Dynamic(), _OF_DATA_SET, "curve", "max_of_image"),
        Report.along("mean_of_max", Dynamic(), Reporting("max"), "column", "max_of_image"),
        Report.along("pooled_bin", Fixed(), Reporting(average="pooled"), "pooled", None),
        Report.along("pooled_adp", Adaptive(), Reporting(average="pooled"), "pooled", None),
        Report.along("pooled_curve", Dynamic(), Reporting(average="pooled"), "pooled", None),
        Report.along("pooled_mean", Dynamic(), Reporting("mean", average="pooled"), "pooled", None),
        Report.along("pooled_max", Dynamic(), Reporting("max", average="pooled"), "pooled", None),
    )
}

#: How each area is drawn through the 256 points of its curve.
AREA_RULES: dict[str, tuple[str, ...]] = {"ap": ("trapezoid", "step"),
                                          "auc": ("trapezoid", "anchored")}  # fmt: skip


def _area_reports(rule: str) -> tuple[Report, ...]:
    per_image = f"{rule}_of_image"
    whole, own, pooled = (
        Reporting("auc", rule=rule, **choice)  # type: ignore[arg-type]
        for choice in ({"of": "dataset"}, {}, {"average": "pooled"})
    )
    return (
        Report.along(rule, Dynamic(), whole, "curve", per_image),
        Report.along(per_image, Dynamic(), own, "column", per_image),
        Report.along(f"{rule}_pooled", Dynamic(), pooled, "pooled", None),
    )


def rows() -> Iterator[Metric]:
    """Yield every score with each of its reports."""
    for score in SCORES.values():
        if score.family in ("error", "structure"):
            reports: Iterable[Report] = (SCALAR,)
        elif score.family == "area":
            reports = [row for rule in AREA_RULES[score.name] for row in _area_reports(rule)]
        else:
            # E compares each pixel with its own image's means: pooled counts have no such image.
            pooled = score.family == "confusion"
            reports = [row for row in REPORTS.values() if pooled or row.source != "pooled"]
        for report in reports:
            yield Metric.along(score, report, Whole(), Pixelwise())
