"""Scores that look at where the errors are: weighted, multi-scale, effort, context, per target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fastsegmetrics.catalog import sweep
from fastsegmetrics.catalog.rows import PAPER, Metric, Report, Score
from fastsegmetrics.catalog.sweep import REPORTS, SCALAR
from fastsegmetrics.protocol.options import (
    Adaptive,
    Components,
    Dynamic,
    Fixed,
    Pixelwise,
    Soft,
    Target,
    Whole,
)
from fastsegmetrics.protocol.report_options import Report as Reporting

_INF = float("inf")
_MARGOLIN = "Margolin, Zelnik-Manor and Tal, CVPR 2014; " + PAPER + "B.5"
_WEIGHTED_EMPTY = (
    "published: truth empty 0, prediction empty as computed (0 unless the truth touches the "
    "border); strict: 0, and 1 or NaN (both_empty) when both are empty"
)
_HCE = "Qin et al., ECCV 2022; " + PAPER + "B.9"
_CONTEXT = "context measure; " + PAPER + "B.10"
_DIFFICULTY = "difficulty-weighted context score (docs/conventions.md)"
_DIFFICULTY_EMPTY = "truth below a thousandth of the image: NaN; the parts are unweighted there"


def _score(
    name: str,
    family: str,
    title: str,
    formula: str,
    empty: str,
    citation: str,
    *,
    lower: bool = False,
    high: float = 1.0,
    needs_image: bool = False,
) -> Score:
    return Score(
        name, title, family, "lower" if lower else "higher", 0.0, high, formula, empty, citation,
        needs_image,
    )  # fmt: skip


def _size_invariant(score: Score) -> Score:
    return replace(
        score,
        name=f"si_{score.name}",
        title=f"size-invariant {score.title}",
        family="size_invariant",
        formula=f"{score.formula}, in the box of each target",
        empty=f"truth empty or full: the plain score ({score.empty})",
        citation="Li et al., ICML 2024; " + score.citation,
    )


#: What is a target of the size-invariant scores.
SEPARATED = Components(connectivity=4, min_area=50, small="largest", empty="whole", encoding="box")

#: Where each family looks: stage 2.
_TARGETS: dict[str, Target] = {
    "weighted": Whole(),
    "multiscale": Whole("edge"),
    "effort": Whole("skeleton"),
    "context": Whole(),
    "difficulty": Whole(),
    "size_invariant": SEPARATED,
}

SCORES: dict[str, Score] = {
    score.name: score
    for score in (
        _score(
            "weighted_f", "weighted", "weighted F-measure",
            "(1 + β²)RwPw/(Rw + β²Pw), β² = weighted_beta2", _WEIGHTED_EMPTY, _MARGOLIN,
        ),
        _score(
            "weighted_precision", "weighted", "weighted precision", "TPw/(TPw + FPw)",
            _WEIGHTED_EMPTY, _MARGOLIN,
        ),
        _score(
            "weighted_recall", "weighted", "weighted recall", "1 − mean weighted error on G",
            _WEIGHTED_EMPTY, _MARGOLIN,
        ),
        _score(
            "ms_iou", "multiscale", "multi-scale IoU",
            "trapezoid over 10 cell sizes of (shared edge cells + 1)/(truth's edge cells + 1)",
            "truth empty: published 1, strict NaN",
            "Ahmadzadeh et al. 2021; " + PAPER + "B.8",
        ),
        _score(
            "hce", "effort", "human correction effort", "control points + independent regions",
            "always defined", _HCE, lower=True, high=_INF,
        ),
        *(
            _score(
                f"hce_{side}_{part}", "effort", f"HCE, {words} of {errors}", f"{words} of {errors}",
                "always defined", _HCE, lower=True, high=_INF,
            )
            for side, errors in (("fp", "false positives"), ("fn", "false negatives"))
            for part, words in (("points", "control points"), ("regions", "independent regions"))
        ),
        _score(
            "c_beta", "context", "context measure", "(1 + β²)FR/(β²F + R), β² = 1",
            "truth or prediction empty: 0; both empty: published 0, strict NaN", _CONTEXT,
        ),
        _score(
            "c_beta_w", "context", "camouflage-aware context measure",
            "(1 + β²)FR/(β²F + R), β² = 1.2, R weighted by the camouflage degree",
            "truth or prediction empty: 0; both empty: published 0, strict NaN", _CONTEXT,
            needs_image=True,
        ),
        _score(
            "difficulty", "difficulty", "difficulty-weighted context score",
            ".5 region + .3 structure + .2 boundary, weighted by W: how hard the truth is to tell "
            "from its surroundings", _DIFFICULTY_EMPTY, _DIFFICULTY, needs_image=True,
        ),
        *(
            _score(
                f"difficulty_{part}", "difficulty", f"difficulty-weighted {words}", formula,
                f"always defined; {empty}", _DIFFICULTY, needs_image=True,
            )
            for part, words, formula, empty in (
                (
                    "region", "region overlap", "ΣW·min(P, G)/ΣW·max(P, G)",
                    "truth empty: W = 1, 0; both empty: 1",
                ),
                (
                    "structure", "structural similarity", "max(0, ΣW·SSIM/ΣW), 7 × 7 windows",
                    "truth empty: W = 1",
                ),
                (
                    "boundary", "boundary response",
                    "ΣW·q over the truth's edge/(ΣW over it + ΣW·q·min(1, D/r) off it), "
                    "q = min(1, 2·slope of P)",
                    "truth without edge: 1 if P is constant, else 0",
                ),
            )
        ),
        _score(
            "si_mae", "size_invariant", "size-invariant mean absolute error",
            "(r·mean error outside the boxes + Σ mean error in each box)/(T + r)",
            "truth empty: the plain MAE", "Li et al., ICML 2024; " + PAPER + "B.1", lower=True,
        ),
        *(
            _size_invariant(score)
            for score in sweep.SCORES.values()
            if score.family == "confusion"
        ),
    )
}  # fmt: skip

_LOCAL = Adaptive(of="target")
_TARGET_REPORTS = (
    Report.along("bin", Fixed(), Reporting(), "column", "bin"),
    Report.along("adp", _LOCAL, Reporting(), "column", "adp"),
    Report.along("curve", Dynamic(), Reporting(), "curve", None),
    Report.along("mean", Dynamic(), Reporting("mean", of="target"), "column", "mean"),
    Report.along("mean_of_max", Dynamic(), Reporting("max", of="target"), "column", "max_of_image"),
    Report.along("max", Dynamic(), Reporting("max", of="dataset"), "curve", "max_of_image"),
    Report.along("targets_curve", Dynamic(), Reporting(average="targets"), "pooled", None),
    Report.along("targets_mean", Dynamic(), Reporting("mean", average="targets"), "pooled", None),
    Report.along("targets_max", Dynamic(), Reporting("max", average="targets"), "pooled", None),
    Report.along("pooled_bin", Fixed(), Reporting(average="pooled"), "pooled", None),
)
_BALANCED = Report.along("", Soft(), Reporting(average="balanced"), "column", "")


def _at_257_levels(report: Report) -> Report:
    assert report.options is not None
    representation, reporting = report.options
    if representation == Dynamic():
        representation = Dynamic(n=257)
    return Report.along(report.name, representation, reporting, report.source, report.column)


_LEVEL = "difficulty_level"
_HALVES = tuple(
    Report.along(half, Soft(), Reporting(by=f"halves.{_LEVEL}", part=half), "column", "")
    for half in ("hard", "easy")
)


def _reports_of(score: Score) -> tuple[Report, ...]:
    if score.name == "ms_iou":
        return tuple(_at_257_levels(row) for row in REPORTS.values() if row.source != "pooled")
    if score.name == "si_mae":
        return (_BALANCED,)
    if score.family == "size_invariant":
        return _TARGET_REPORTS
    if score.family == "effort":
        return (Report.along("", Fixed(), Reporting(), "column", ""),)
    if score.name == "difficulty":
        return (SCALAR, *_HALVES)
    return (SCALAR,)


def rows() -> Iterator[Metric]:
    """Yield every score with each of its reports."""
    for score in SCORES.values():
        for report in _reports_of(score):
            option = score.name.removeprefix("si_")
            yield Metric.along(score, report, _TARGETS[score.family], Pixelwise(), option)
