"""Scores of matched targets, as the field of infrared small targets reports them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fastsegmetrics.catalog import sweep
from fastsegmetrics.catalog.rows import PAPER, Metric, Path, Report, Score
from fastsegmetrics.catalog.sweep import OVER_IMAGES, POOLED

_HIOU = "Pang et al., Rethinking Evaluation of Infrared Small Target Detection, 2025; "
_SOURCE = _HIOU + PAPER + "B.4"
_DISTANCE = "Pd and Fa as in Li et al., Dense Nested Attention Network, IEEE TIP 2023"
_SHOOTING = "Li et al., Direction-Coded Temporal U-Shape Module, IEEE TNNLS 36, 2023"

_EMPTY = "both without targets: NaN; one side without: 0"
_NO_PAIR = "both without targets: NaN; no matched pair: published 0, strict NaN"
_ALWAYS = "always defined"

_OPDC = (
    "targets, one to one: the least total centroid distance, kept at IoU ≥ 0.5; the rest again, "
    "kept below 3 px (OPDC)"
)
_GREEDY = "targets, one to one: each true one in order takes the first free one below 3 px"
_SHOT = "a true target is hit by any predicted pixel in its 3 × 3 neighbourhood (shooting rule)"
#: Where the scores look, by how they match: the words of stage 3.
_MATCHING = {"opdc": _OPDC, "distance": _GREEDY, "shooting": _SHOT, "pixels": "pixelwise"}

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

AS_IT_IS = "fixed: P > 0.5, P never stretched"
BINS = "dynamic: P > t for t = i·(1/n), i = 0…n − 1, n = bins, P never stretched"

_FIXED_REPORTS = (
    Report("bin", AS_IT_IS, f"raw value, {OVER_IMAGES}", "column", "bin"),
    Report("pooled_bin", AS_IT_IS, f"raw value, {POOLED}", "pooled", None),
)
_BINNED_REPORTS = (
    Report("pooled_curve", BINS, f"curve, {POOLED}", "pooled", None),
    Report("pooled_mean", BINS, f"mean over thresholds, {POOLED}", "pooled", None),
)
_MAXIMUM = Report("pooled_max", BINS, f"maximum over thresholds, {POOLED}", "pooled", None)
_SURVIVAL = Report(
    "survival_curve", AS_IT_IS,
    f"curve over quality t = i/256, i = 0…255: pairs with IoU > t / (tp + fp + fn), {POOLED}; "
    "its integral is the pooled value",
    "pooled", None,
)  # fmt: skip


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
        target = "components of both (8-connected), region"
        mode = "confusion matrix of targets"
        if rule == "pixels":
            target, mode = "whole map, region", "confusion matrix"
        for report in _reports_of(rule, score):
            path = Path(
                report.representation,
                target,
                _MATCHING[rule],
                f"{mode}: {score.title} = {score.formula}",
                report.report,
            )
            yield Metric(f"{score.name}.{report.name}", score, report, path)
