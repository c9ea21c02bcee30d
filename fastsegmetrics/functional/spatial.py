"""One-liners of the scores that look at where the errors are."""

from __future__ import annotations

from typing import Any

from fastsegmetrics import backend as backends, catalog
from fastsegmetrics.errors import InputError
from fastsegmetrics.families.multiscale import CurveRecord
from fastsegmetrics.families.size_invariant import PREFIX, TargetsRecord
from fastsegmetrics.functional.shared import documented, plan_for
from fastsegmetrics.functional.sweep import SweepScore
from fastsegmetrics.scores import SWEEP_SCORES


class WeightedScore(float):
    """A weighted F-measure: a float that also carries its precision and recall."""

    precision: float
    recall: float

    def __new__(cls, value: float, precision: float, recall: float) -> WeightedScore:
        """Make the float and attach its parts."""
        score = super().__new__(cls, value)
        score.precision = precision
        score.recall = recall
        return score

    def __reduce__(self) -> tuple[Any, ...]:
        return WeightedScore, (float(self), self.precision, self.recall)


class CorrectionEffort(int):
    """A human correction effort: an integer that also carries its four parts.

    Attributes
    ----------
    fp_points, fn_points : int
        Polygon vertices to draw along false positives, along false negatives.
    fp_regions, fn_regions : int
        Regions to remove, to fill, with one click each.
    """

    fp_points: int
    fp_regions: int
    fn_points: int
    fn_regions: int

    def __new__(
        cls, fp_points: int, fp_regions: int, fn_points: int, fn_regions: int
    ) -> CorrectionEffort:
        """Add the parts up and attach them."""
        effort = super().__new__(cls, fp_points + fp_regions + fn_points + fn_regions)
        effort.fp_points, effort.fp_regions = fp_points, fp_regions
        effort.fn_points, effort.fn_regions = fn_points, fn_regions
        return effort

    def __reduce__(self) -> tuple[Any, ...]:
        parts = self.fp_points, self.fp_regions, self.fn_points, self.fn_regions
        return CorrectionEffort, parts


class DifficultyScore(float):
    """A difficulty-weighted context score: a float that also carries its three parts."""

    region: float
    structure: float
    boundary: float

    def __new__(
        cls, value: float, region: float, structure: float, boundary: float
    ) -> DifficultyScore:
        """Make the float and attach its parts."""
        score = super().__new__(cls, value)
        score.region, score.structure, score.boundary = region, structure, boundary
        return score

    def __reduce__(self) -> tuple[Any, ...]:
        return DifficultyScore, (float(self), self.region, self.structure, self.boundary)


@documented("WeightedScore", "round(weighted_f(pred, gt), 6)\n    0.802211")
def weighted_f(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> WeightedScore:
    """Weighted F-measure, with its weighted precision and recall as attributes."""
    names = ("weighted_f", "weighted_precision", "weighted_recall")
    measured = plan_for(names, conventions).measure(pred, gt, backend=backend)
    return WeightedScore(*measured.values.tolist())


@documented("SweepScore", "round(ms_iou(pred, gt).bin, 6)\n    0.921296")
def ms_iou(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """Multi-scale IoU at P > 0.5, at the adaptive threshold, and over the 257 levels 0…256."""
    names = ("ms_iou.bin", "ms_iou.adp", "ms_iou.mean", "ms_iou.max")
    measured = plan_for(names, conventions).measure(pred, gt, backend=backend)
    (record,) = measured.records
    assert isinstance(record, CurveRecord)
    fixed, adaptive, mean, largest = measured.values.tolist()
    return SweepScore(fixed, adaptive, mean, largest, record.curve)


@documented("CorrectionEffort", "int(hce(pred, gt))\n    1")
def hce(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> CorrectionEffort:
    """Human correction effort, with its four parts as attributes."""
    names = ("hce_fp_points", "hce_fp_regions", "hce_fn_points", "hce_fn_regions")
    measured = plan_for(names, conventions).measure(pred, gt, backend=backend)
    return CorrectionEffort(*(int(part) for part in measured.values))


@documented("float", "round(c_beta(pred, gt), 6)\n    0.554522")
def c_beta(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> float:
    """Context measure."""
    return float(plan_for("c_beta", conventions).measure(pred, gt, backend=backend).values[0])


@documented(
    "float",
    "image = np.zeros((1, 4, 3), np.uint8)\n"
    "    >>> round(c_beta_w(pred, gt, image=image), 6)\n    0.56008",
)
def c_beta_w(
    pred: Any,
    gt: Any,
    *,
    image: Any | None = None,
    backend: backends.Backend | None = None,
    **conventions: Any,
) -> float:
    """Camouflage-aware context measure, which looks at the photograph."""
    plan = plan_for("c_beta_w", conventions)
    return float(plan.measure(pred, gt, image=image, backend=backend).values[0])


@documented(
    "DifficultyScore",
    "image = np.zeros((1, 4, 3), np.uint8)\n"
    "    >>> round(difficulty(pred, gt, image=image), 6)\n    0.323273",
)
def difficulty(
    pred: Any,
    gt: Any,
    *,
    image: Any | None = None,
    backend: backends.Backend | None = None,
    **conventions: Any,
) -> DifficultyScore:
    """Difficulty-weighted context score, which looks at the photograph, with its parts."""
    names = ("difficulty", "difficulty_region", "difficulty_structure", "difficulty_boundary")
    plan = plan_for(names, conventions)
    return DifficultyScore(*plan.measure(pred, gt, image=image, backend=backend).values.tolist())


@documented("float", "round(si_mae(pred, gt), 6)\n    0.4")
def si_mae(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> float:
    """Size-invariant mean absolute error."""
    return float(plan_for("si_mae", conventions).measure(pred, gt, backend=backend).values[0])


@documented(
    "SweepScore",
    'round(size_invariant(pred, gt, "iou").bin, 6)\n    0.5',
    "si_f_beta",
    own="""score : str
    ``"f_beta"``, ``"f1"``, ``"precision"``, ``"recall"``, ``"specificity"``, ``"fpr"``, ``"iou"``,
    ``"dice"``, ``"ber"``, ``"kappa"``, ``"cohen_kappa"`` or ``"accuracy"``; its range and direction
    are the plain score's.""",
)
def size_invariant(
    pred: Any,
    gt: Any,
    score: str = "f_beta",
    *,
    backend: backends.Backend | None = None,
    **conventions: Any,
) -> SweepScore:
    """Size-invariant confusion score by its name, the mean over the targets of the truth.

    Each field is the mean over targets: of the value at P > 0.5, at the adaptive threshold, of the
    mean and the maximum over levels, and the curve.  So `max` is the published maximum, each target
    at its own best level, ``mean_of_max`` of a data set; ``curve.max()`` is ``max`` of a data set,
    one level for all targets.
    """
    name = f"{PREFIX}{score}"
    if name not in catalog.SCORES or name == "si_mae":
        known = ", ".join(
            row.name.removeprefix(PREFIX)
            for row in catalog.SCORES.values()
            if row.family == "size_invariant" and row.name != "si_mae"
        )
        raise InputError(f"score must be one of {known}; received {score!r}")
    plan = plan_for(tuple(f"{name}.{r}" for r in ("bin", "adp", "mean", "max")), conventions)
    measured = plan.measure(pred, gt, backend=backend)
    (record,) = measured.records
    assert isinstance(record, TargetsRecord)
    fixed, adaptive, mean, largest = measured.values.tolist()
    with backends.chosen(backend):
        curves = record.curves(plan.conventions)
    return SweepScore(fixed, adaptive, mean, largest, curves[SWEEP_SCORES.index(score)].copy())
