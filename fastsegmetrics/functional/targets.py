"""One-liners of the scores of matched targets, which never stretch the map."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from fastsegmetrics import backend as backends
from fastsegmetrics.arguments import one_of
from fastsegmetrics.functional.shared import documented, plan_for

#: How `detection` matches, and the suffix of its scores in the catalogue.
_MATCHINGS = {"distance": "", "opdc": "_opdc", "shooting": "_shooting"}
Matching = Literal["distance", "opdc", "shooting"]


class PairErrors(NamedTuple):
    """Shares of the union of matched pairs, mean over the pairs; with their IoU they make 1.

    Attributes
    ----------
    merge : float
        Predicted pixels on other true targets.
    interference : float
        Predicted pixels on no true target.
    perception : float
        Pixels of the true target that are not predicted.
    """

    merge: float
    interference: float
    perception: float


class TargetErrors(NamedTuple):
    """Shares of unmatched targets in all; with the localisation factor they make 1.

    Attributes
    ----------
    many_to_one : float
        Predictions whose candidates were matched otherwise.
    one_to_many : float
        True targets whose candidates were matched otherwise.
    interference : float
        Predictions without a candidate.
    perception : float
        True targets without a candidate.
    """

    many_to_one: float
    one_to_many: float
    interference: float
    perception: float


class HierarchicalIoU(float):
    """A hierarchical IoU: a float that also carries its factors and its errors.

    Attributes
    ----------
    segmentation : float
        Mean IoU of the matched pairs.
    localisation : float
        Matched pairs in pairs and unmatched targets.
    pair_errors : PairErrors
        What the segmentation factor lacks.
    target_errors : TargetErrors
        What the localisation factor lacks.
    """

    segmentation: float
    localisation: float
    pair_errors: PairErrors
    target_errors: TargetErrors

    def __new__(
        cls,
        value: float,
        segmentation: float,
        localisation: float,
        pair_errors: PairErrors,
        target_errors: TargetErrors,
    ) -> HierarchicalIoU:
        """Make the float and attach its parts."""
        score = super().__new__(cls, value)
        score.segmentation, score.localisation = segmentation, localisation
        score.pair_errors, score.target_errors = pair_errors, target_errors
        return score

    def __reduce__(self) -> tuple[Any, ...]:
        parts = self.segmentation, self.localisation, self.pair_errors, self.target_errors
        return HierarchicalIoU, (float(self), *parts)


class Detection(NamedTuple):
    """How many targets are found, and how much is found that is none.

    Attributes
    ----------
    pd : float
        Probability of detection; higher is better.
    fa : float
        False-alarm rate in pixels per pixel; lower is better.
    """

    pd: float
    fa: float


_HIOU = (
    "hiou.bin", "hiou_seg.bin", "hiou_loc.bin",
    *(f"hiou_seg_{error}.bin" for error in PairErrors._fields),
    *(f"hiou_loc_{error}.bin" for error in TargetErrors._fields),
)  # fmt: skip


@documented("HierarchicalIoU", "hiou(pred, gt)\n    0.25")
def hiou(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> HierarchicalIoU:
    """Hierarchical IoU of P > 0.5, with its two factors and the errors behind each."""
    plan = plan_for(_HIOU, conventions)
    values = plan.measure(pred, gt, backend=backend).values.tolist()
    value, segmentation, localisation = values[:3]
    return HierarchicalIoU(
        value, segmentation, localisation, PairErrors(*values[3:6]), TargetErrors(*values[6:])
    )


@documented(
    "Detection",
    "detection(pred, gt)\n    Detection(pd=1.0, fa=0.25)",
    "pd",
    own="""matching : {"distance", "opdc", "shooting"}
    Each true target takes the first free one below 3 px; or overlap first, then distance; or any
    predicted pixel in a target's 3 × 3 neighbourhood.""",
    better="of `pd` higher, of `fa` lower is better",
)
def detection(
    pred: Any,
    gt: Any,
    matching: Matching = "distance",
    *,
    backend: backends.Backend | None = None,
    **conventions: Any,
) -> Detection:
    """Probability of detection and false-alarm rate of P > 0.5."""
    suffix = _MATCHINGS[one_of("matching", matching, tuple(_MATCHINGS))]
    plan = plan_for((f"pd{suffix}.bin", f"fa{suffix}.bin"), conventions)
    return Detection(*plan.measure(pred, gt, backend=backend).values.tolist())


@documented("float", "target_precision(pred, gt)\n    0.5")
def target_precision(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> float:
    """Precision of the targets of P > 0.5."""
    plan = plan_for("target_precision.bin", conventions)
    return float(plan.measure(pred, gt, backend=backend).values[0])


@documented("float", "target_recall(pred, gt)\n    1.0", "pd_opdc")
def target_recall(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> float:
    """Recall of the targets of P > 0.5, by the matching of `target_precision` (Pd by OPDC)."""
    plan = plan_for("pd_opdc.bin", conventions)
    return float(plan.measure(pred, gt, backend=backend).values[0])


@documented("float", "round(target_f1(pred, gt), 6)\n    0.666667")
def target_f1(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> float:
    """F-measure of the targets of P > 0.5."""
    plan = plan_for("target_f1.bin", conventions)
    return float(plan.measure(pred, gt, backend=backend).values[0])
