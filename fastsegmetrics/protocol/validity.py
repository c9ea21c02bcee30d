"""Which paths make sense; each that does not says why in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from fastsegmetrics.protocol.options import (
    OPDC,
    Adaptive,
    Components,
    Dynamic,
    Nearest,
    Pixelwise,
    Shooting,
    Soft,
    Whole,
)
from fastsegmetrics.protocol.report_options import SIZE_LIMITS
from fastsegmetrics.protocol.score_options import OF_CANDIDATES

if TYPE_CHECKING:
    from fastsegmetrics.protocol.value import Protocol

#: What a skeleton can be asked: how much of it the other side covers.
OF_SKELETONS = ("precision", "recall", "f1", "f_beta")
#: What follows from hits and false pixels alone.
OF_SHOTS = ("target_recall", "false_alarm")
#: The form that each score of outlines looks at.
OF_OUTLINES = {"boundary_iou": "band", "cl_dice": "skeleton"}
#: What is constant where only a target's own pixels are looked at.
_NEED_SURROUNDINGS = ("precision", "specificity", "fpr", "ap", "auc")


def reason(protocol: Protocol) -> str | None:
    """Return why a path makes no sense, or None if it does."""
    for rule in _RULES:
        for found in rule(protocol):
            return found
    return None


def _representation(p: Protocol) -> Iterator[str]:
    mode, soft = p.score.mode, isinstance(p.representation, Soft)
    if soft and mode in (
        "alignment", "multiscale", "effort", "targets", "surface", "outline",
    ):  # fmt: skip
        yield (
            f"{p.score.name} compares partitions, and a soft map is none: take fixed, adaptive or "
            f"dynamic"
        )
    if soft and p.target.form != "region":
        yield (
            f"a soft map has no {p.target.form}: take fixed, adaptive or dynamic, or the form "
            f"region"
        )
    local = isinstance(p.representation, Adaptive) and p.representation.of == "target"
    if local and not (isinstance(p.target, Components) and p.target.on == "gt"):
        yield "adaptive(of=target) needs the targets of the truth: components(on=gt)"
    if mode == "curves" and not isinstance(p.representation, Dynamic):
        yield f"{p.score.name} is the area under a curve over thresholds: take dynamic"


def _target(p: Protocol) -> Iterator[str]:
    mode, form = p.score.mode, p.target.form
    if mode == "outline" and form != OF_OUTLINES[p.score.name]:
        yield f"{p.score.name} looks at one form: it must be {OF_OUTLINES[p.score.name]}"
    if form == "skeleton" and mode not in ("effort", "multiscale", "surface", "outline"):
        if p.score.name not in OF_SKELETONS:
            yield (
                f"a skeleton has no area that {p.score.name} could count: take "
                f"{', '.join(OF_SKELETONS)}, ms_iou or hce"
            )
    elif mode == "effort" and form != "skeleton":
        yield f"{p.score.name} looks at the truth's skeleton: the form must be skeleton"
    if mode in ("context", "difficulty", "targets") and form != "region":
        yield f"{p.score.name} looks at regions: the form must be region"
    if isinstance(p.target, Whole):
        return
    if p.target.on == "gt" and p.target.encoding == "mask" and p.score.name in _NEED_SURROUNDINGS:
        yield (
            f"{p.score.name} is constant inside the mask of a target, where no pixel is false: "
            f"take encoding=box"
        )
    parsed_soft = p.target.on == "both" and isinstance(p.representation, Soft)
    if parsed_soft and p.target.cut is None:
        yield "the components of a soft prediction need a threshold: components(on=both, cut=0.5)"
    if p.target.cut is not None and not parsed_soft:
        yield "cut parses a soft map on both sides, which this path does not have: leave it out"
    if p.target.on == "both" and p.target.empty == "whole":
        yield "empty=whole makes the image a target, which cannot be matched: take empty=undefined"


def _matching(p: Protocol) -> Iterator[str]:
    in_place = isinstance(p.matching, (Pixelwise, Nearest))
    both = isinstance(p.target, Components) and p.target.on == "both"
    if both and in_place:
        yield "components of both sides have to be matched: take overlap, hungarian, opdc or greedy"
    if not both and not in_place:
        yield (
            f"{p.matching.kind} matches targets of both sides: take components(on=both), or "
            f"pixelwise"
        )
    yield from _points(p, matched=both)
    if isinstance(p.matching, Shooting) and p.score.name not in OF_SHOTS:
        yield f"shooting makes no pairs for {p.score.name}: take {' or '.join(OF_SHOTS)}"
    if p.score.name in OF_CANDIDATES and both and not isinstance(p.matching, OPDC):
        yield f"{p.score.name} asks for candidates by overlap and distance: take opdc"
    if p.score.mode == "targets":
        if not both:
            yield f"{p.score.name} counts targets of both sides: take components(on=both)"
        elif getattr(p.matching, "unmatched", "drop") != "drop":
            yield f"{p.score.name} counts unmatched targets as they are: leave unmatched out"


def _points(p: Protocol, *, matched: bool) -> Iterator[str]:
    nearest = isinstance(p.matching, Nearest)
    if nearest and p.score.mode != "surface":
        yield f"{p.score.name} measures no distance of points: take pixelwise"
    if p.score.name == "boundary_f":
        if not isinstance(p.matching, Nearest) or p.matching.within is None:
            yield "boundary_f asks which points are found: take nearest(within=2)"
    elif p.score.mode == "surface":
        # Within a pair of matched targets, points have no other partner than the nearest.
        if not nearest and not matched:
            yield f"{p.score.name} measures from point to point: take nearest"
        if isinstance(p.matching, Nearest) and p.matching.within is not None:
            limit = "the conventions' tolerance" if p.score.name == "nsd" else "no limit"
            yield f"{p.score.name} has {limit}: leave within out"


def _curves(p: Protocol) -> Iterator[str]:
    report, curve = p.report, isinstance(p.representation, Dynamic)
    if report.summary == "survival" and (p.score.name != "hiou" or curve):
        yield "survival is told of pairs at one threshold: take hiou with fixed or adaptive"
    if not report.as_it_is and not curve:
        yield (
            f"{report.summary} is told of a curve over thresholds, and {p.representation.kind} has "
            f"one value: take raw"
        )
    single = isinstance(p.representation, Dynamic) and p.representation.n == 1
    if report.summary == "auc" and single:
        yield "an area needs at least two thresholds: take n=2 or more"
    if report.as_it_is and report.of:
        yield f"{report.summary} tells everything as it is: leave of out"
    if p.score.mode == "curves" and report.summary != "auc":
        x, y = ("recall", "precision") if p.score.name == "ap" else ("fpr", "recall")
        yield (
            f"{p.score.name} is an area: its report must be auc; its curves are those of {x} and "
            f"{y}, raw"
        )
    rules = {"ap": ("trapezoid", "step"), "auc": ("trapezoid", "anchored")}
    if report.rule not in rules.get(p.score.name, ("trapezoid",)) or (
        report.summary != "auc" and report.rule != "trapezoid"
    ):
        yield f"rule={report.rule} draws no area of {p.score.name} that is asked for"


def _aggregation(p: Protocol) -> Iterator[str]:
    report, parts = p.report, isinstance(p.target, Components)
    matched_curve = (
        isinstance(p.target, Components)
        and p.target.on == "both"
        and isinstance(p.representation, Dynamic)
    )
    if report.average == "pooled" and not p.score.counts:
        yield f"{p.score.name} follows from no counts that could be pooled over images"
    if report.average == "targets" and (not parts or p.score.mode == "targets"):
        yield "average=targets needs a value for each target: components, and no target counts"
    if (report.average == "targets" or report.of == "target") and matched_curve:
        yield "matched targets change with the threshold, so that no target has a curve of its own"
    if report.of == "target" and (not parts or report.average != "images"):
        yield "of=target needs targets and average=images"
    if report.average in ("pooled", "targets") and report.of in ("image", "target"):
        yield f"average={report.average} makes one curve of the data set: of must be dataset"
    if report.average == "balanced":
        boxes = isinstance(p.target, Components) and p.target.on == "gt"
        if p.score.name != "mae" or not boxes or p.target.form != "region":
            yield "average=balanced weighs the error of targets and background: mae of components"
        elif isinstance(p.representation, Dynamic):
            yield "average=balanced needs one value per target: take soft, fixed or adaptive"


def _distribution(p: Protocol) -> Iterator[str]:
    report = p.report
    curve = isinstance(p.representation, Dynamic)
    if report.limits != SIZE_LIMITS and report.by != "size":
        yield "limits divide sizes: take by=size, or leave them out"
    one_number = report.average == "pooled" or report.of == "dataset"
    if report.quantiles and (one_number or (curve and report.as_it_is) or p.tells_curve):
        yield "quantiles need one value for each image or target, which this report does not have"
    if report.by == "size" and report.average == "balanced":
        yield "average=balanced weighs all targets of an image together: no strata by their size"


_RULES: tuple[Callable[[Protocol], Iterator[str]], ...] = (
    _representation, _target, _matching, _curves, _aggregation, _distribution,
)  # fmt: skip
