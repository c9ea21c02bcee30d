"""Scores of matched targets, as the field of infrared small targets reports them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fastsegmetrics.catalog import sweep
from fastsegmetrics.catalog.rows import PAPER, Metric, Report, Score
from fastsegmetrics.protocol.options import (
    OPDC,
    Components,
    Dynamic,
    Fixed,
    Greedy,
    Matching,
    Pixelwise,
    Shooting,
    Target,
    Whole,
)
from fastsegmetrics.protocol.report_options import Report as Reporting

_HIOU = "Pang et al., Rethinking Evaluation of Infrared Small Target Detection, 2025; "
_SOURCE = _HIOU + PAPER + "B.4"
_DISTANCE = "Pd and Fa as in Li et al., Dense Nested Attention Network, IEEE TIP 2023"
_SHOOTING = "Li et al., Direction-Coded Temporal U-Shape Module, IEEE TNNLS 36, 2023"

_EMPTY = "both without targets: NaN; one side without: 0"
_NO_PAIR = "both without targets: NaN; no matched pair: published 0, strict NaN"
_ALWAYS = "always defined"

#: Stages 2 and 3 of the scores, by how they match.
_TARGETS = Components(on="both", encoding="mask")
_STAGES: dict[str, tuple[Target, Matching]] = {
    "opdc": (_TARGETS, OPDC()),
    "distance": (_TARGETS, Greedy()),
    "shooting": (_TARGETS, Shooting()),
    "pixels": (Whole(), Pixelwise()),
}

#: The confusion scores that are told of the map as it is, beside those of its targets.
PIXEL_SCORES = ("iou", "f_beta", "f1", "precision", "recall", "fpr")
PIXEL_PREFIX = "pixel_"


def _score(
    name: str,
    title: str,
    formula: str,
    citation: str = _SOURCE,
    *,
    empty: str = _EMPTY,
    lower: bool = False,
) -> Score:
    return Score(
        name, title, "targets", "lower" if lower else "higher", 0.0, 1.0, formula, empty, citation,
        stretched=False,
    )  # fmt: skip


def _pixel_score(score: Score) -> Score:
    return replace(
        score,
        name=f"{PIXEL_PREFIX}{score.name}",
        title=f"{score.title} of the map as it is",
        family="targets",
        stretched=False,
    )


_IOU = "IoU of pair / tp"

#: How each score's targets are matched, and the score.
_ROWS: tuple[tuple[str, Score], ...] = (
    (
        "opdc",
        _score(
            "hiou", "hierarchical IoU", f"(Σ {_IOU})·(tp/(tp + fp + fn))",
        ),
    ),
    ("opdc", _score("hiou_seg", "segmentation factor of hIoU", f"Σ {_IOU}")),
    ("opdc", _score("hiou_loc", "localisation factor of hIoU", "tp/(tp + fp + fn)")),
    *(
        (
            "opdc",
            _score(
                f"hiou_seg_{name}", f"{name} error of matched pairs",
                f"Σ ({pixels} / union of pair) / tp", empty=_NO_PAIR, lower=True,
            ),
        )
        for name, pixels in (
            ("merge", "predicted pixels on other targets"),
            ("interference", "predicted pixels on no target"),
            ("perception", "target pixels not predicted"),
        )
    ),
    *(
        (
            "opdc",
            _score(
                f"hiou_loc_{name}", f"{name.replace('_', '-')} error of targets",
                f"{targets} / (tp + fp + fn)", lower=True,
            ),
        )
        for name, targets in (
            ("many_to_one", "unmatched predictions with a candidate"),
            ("one_to_many", "unmatched truths with a candidate"),
            ("interference", "predictions without a candidate (IoU ≥ 0.5 or < 3 px)"),
            ("perception", "truths without a candidate (IoU ≥ 0.5 or < 3 px)"),
        )
    ),
    ("distance", _score("pd", "probability of detection", "tp/(tp + fn)", _DISTANCE)),
    (
        "distance",
        _score(
            "fa", "false-alarm rate", "pixels of unmatched predictions / N", _DISTANCE,
            empty=_ALWAYS, lower=True,
        ),
    ),
    (
        "opdc",
        _score("pd_opdc", "probability of detection (target recall) by OPDC", "tp/(tp + fn)"),
    ),
    (
        "opdc",
        _score(
            "fa_opdc", "false-alarm rate by OPDC", "pixels of unmatched predictions / N",
            empty=_ALWAYS, lower=True,
        ),
    ),
    ("opdc", _score("target_precision", "precision of targets", "tp/(tp + fp)")),
    ("opdc", _score("target_f1", "F-measure of targets, β² = 1", "2tp/(2tp + fp + fn)")),
    (
        "shooting",
        _score(
            "pd_shooting", "probability of detection by the shooting rule",
            "true targets hit / true targets", _SHOOTING,
        ),
    ),
    (
        "shooting",
        _score(
            "fa_shooting", "false-alarm rate by the shooting rule",
            "predicted pixels in no 9 × 9 neighbourhood of a target's pixel / N", _SHOOTING,
            empty=_ALWAYS, lower=True,
        ),
    ),
    *(("pixels", _pixel_score(sweep.SCORES[name])) for name in PIXEL_SCORES),
)  # fmt: skip

SCORES: dict[str, Score] = {score.name: score for _, score in _ROWS}
#: The rule of matching by score: "opdc", "distance", "shooting" or "pixels".
MATCHING: dict[str, str] = {score.name: rule for rule, score in _ROWS}

_AS_IT_IS = Fixed(stretch="never")
_BINS = Dynamic("bins", stretch="never")
_POOLED = Reporting(average="pooled")

_FIXED_REPORTS = (
    Report.along("bin", _AS_IT_IS, Reporting(), "column", "bin"),
    Report.along("pooled_bin", _AS_IT_IS, _POOLED, "pooled", None),
)
_BINNED_REPORTS = (
    Report.along("pooled_curve", _BINS, _POOLED, "pooled", None),
    Report.along("pooled_mean", _BINS, replace(_POOLED, summary="mean"), "pooled", None),
)
_MAXIMUM = Report.along("pooled_max", _BINS, replace(_POOLED, summary="max"), "pooled", None)
_SURVIVAL = Report.along(
    "survival_curve", _AS_IT_IS, replace(_POOLED, summary="survival"), "pooled", None
)

#: What scores are called among the options of stage 4, where matching is a stage of its own.
_OPTIONS = {
    "pd": "target_recall", "pd_opdc": "target_recall", "pd_shooting": "target_recall",
    "fa": "false_alarm", "fa_opdc": "false_alarm", "fa_shooting": "false_alarm",
}  # fmt: skip


def _reports_of(rule: str, score: Score) -> tuple[Report, ...]:
    if rule == "pixels":
        return _FIXED_REPORTS
    reports: tuple[Report, ...] = (*_FIXED_REPORTS, *_BINNED_REPORTS)
    if score.direction == "higher":
        reports = (*reports, _MAXIMUM)
    return (*reports, _SURVIVAL) if score.name == "hiou" else reports


def rows() -> Iterator[Metric]:
    """Yield every score with each of its reports."""
    for rule, score in _ROWS:
        target, matching = _STAGES[rule]
        option = _OPTIONS.get(score.name, score.name.removeprefix(PIXEL_PREFIX))
        for report in _reports_of(rule, score):
            yield Metric.along(score, report, target, matching, option)
