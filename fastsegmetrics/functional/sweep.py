"""One-liners of the sweep family, and `measure` for any metrics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend as backends, catalog
from fastsegmetrics.arguments import one_of
from fastsegmetrics.catalog import Metric, Wanted
from fastsegmetrics.families.sweep import SweepRecord, score_levels
from fastsegmetrics.functional.shared import documented, plan_for
from fastsegmetrics.plan import Plan
from fastsegmetrics.protocol.value import Protocol
from fastsegmetrics.scores import SWEEP_SCORES, area
from fastsegmetrics.statistics.rule import score_rule


class SweepScore(NamedTuple):
    """One score of one pair at every partition of the prediction.

    Attributes
    ----------
    bin : float
        At the fixed threshold, P > 0.5.
    adp : float
        At the adaptive threshold, P ≥ min(2·mean P, 1).
    mean, max : float
        Over the thresholds of `curve`; of `size_invariant` the mean over targets of each one's.
    curve : ndarray of float64, shape (256,)
        At level ≥ t for t = 0…255, ascending; of `ms_iou` shape (257,), t = 0…256.
    """

    bin: float
    adp: float
    mean: float
    max: float
    curve: NDArray[np.float64]

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields[:4])
        return f"SweepScore({values}, curve=<{len(self.curve)} values>)"


class StructureScore(float):
    """An S-measure: a float that also carries its object and its region term."""

    object_term: float
    region_term: float

    def __new__(cls, value: float, object_term: float, region_term: float) -> StructureScore:
        """Make the float and attach its terms."""
        score = super().__new__(cls, value)
        score.object_term = object_term
        score.region_term = region_term
        return score

    def __reduce__(self) -> tuple[Any, ...]:
        return StructureScore, (float(self), self.object_term, self.region_term)


class CurvePair(NamedTuple):
    """A PR or ROC curve: `x` and `y` at level ≥ t, t = 0…255 ascending, float64 (256,) each."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]


def _sweep(
    score: str, pred: Any, gt: Any, backend: backends.Backend | None, conventions: dict[str, Any]
) -> SweepScore:
    names = tuple(f"{score}.{report}" for report in ("bin", "adp", "mean", "max"))
    plan = plan_for(names, conventions)
    values, curves = _measured(plan, pred, gt, backend)
    at_half, adaptive, mean, largest = values
    curve = curves[SWEEP_SCORES.index(score)].copy()
    return SweepScore(at_half, adaptive, mean, largest, curve)


def _measured(
    plan: Plan, pred: Any, gt: Any, backend: backends.Backend | None
) -> tuple[list[float], NDArray[np.float64]]:
    measured = plan.measure(pred, gt, backend=backend)
    (record,) = measured.records
    assert isinstance(record, SweepRecord)
    rows = record.rows
    if rows is None:
        with backends.chosen(backend):
            rows, _ = score_levels(record.counts, score_rule(plan.conventions))
    return measured.values.tolist(), rows


def measure(
    pred: Any,
    gt: Any,
    metrics: Wanted | Iterable[Wanted] = "sod",
    *,
    image: Any | None = None,
    backend: backends.Backend | None = None,
    **conventions: Any,
) -> dict[str, float]:
    """All per-image values that belong to some metrics, from one pass over the pair.

    Parameters
    ----------
    pred, gt, backend, **conventions
        As for `mae`.
    metrics : str, Protocol, or iterable of them
        A suite, metrics, scores or protocols, as for `Evaluator`.
    image : array_like of uint8, shape (H, W, 3), optional
        The RGB photograph, for metrics that look at it; a `Target` brings its own.

    Returns
    -------
    dict of str to float
        By column name: ``"mae"``, ``"f_beta.adp"``, ``"f_beta.max_of_image"``, ….

    Raises
    ------
    InputError
        When an array or a name is refused.

    Examples
    --------
    >>> import numpy as np
    >>> measure(np.array([[0, 255]], np.uint8), np.array([[False, True]]), "mae,iou.bin")
    {'mae': 0.0, 'iou.bin': 1.0}
    """
    if not isinstance(metrics, (str, Protocol, Metric)):
        metrics = tuple(metrics)
    plan = plan_for(metrics, conventions)
    measured = plan.measure(pred, gt, image=image, backend=backend)
    return dict(zip(plan.columns, measured.values.tolist(), strict=True))


@documented("float", "mae(pred, gt)\n    0.4")
def mae(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> float:
    """Mean absolute error."""
    plan = plan_for("mae", conventions)
    return float(plan.measure(pred, gt, backend=backend).values[0])


@documented("StructureScore", "round(s_measure(pred, gt), 6)\n    0.337893")
def s_measure(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> StructureScore:
    """S-measure, with its object and region terms as attributes."""
    plan = plan_for(("s_measure", "s_object", "s_region"), conventions)
    return StructureScore(*plan.measure(pred, gt, backend=backend).values.tolist())


@documented("SweepScore", "round(e_measure(pred, gt).bin, 6)\n    0.666667")
def e_measure(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """E-measure at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("e_measure", pred, gt, backend, conventions)


@documented("SweepScore", "round(f_beta(pred, gt).bin, 6)\n    0.5")
def f_beta(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """F-measure with β² = ``beta2`` (0.3) at P > 0.5, adaptive, and over all 256 levels."""
    return _sweep("f_beta", pred, gt, backend, conventions)


@documented("SweepScore", "round(f1(pred, gt).bin, 6)\n    0.5")
def f1(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """F-measure with β² = 1 at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("f1", pred, gt, backend, conventions)


@documented("SweepScore", "round(precision(pred, gt).bin, 6)\n    0.5")
def precision(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """Precision at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("precision", pred, gt, backend, conventions)


@documented("SweepScore", "round(recall(pred, gt).bin, 6)\n    0.5")
def recall(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """Recall (TPR, sensitivity) at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("recall", pred, gt, backend, conventions)


@documented("SweepScore", "round(specificity(pred, gt).bin, 6)\n    0.5")
def specificity(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """Specificity (TNR) at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("specificity", pred, gt, backend, conventions)


@documented("SweepScore", "round(fpr(pred, gt).bin, 6)\n    0.5")
def fpr(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """False-positive rate at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("fpr", pred, gt, backend, conventions)


@documented("SweepScore", "round(iou(pred, gt).bin, 6)\n    0.333333")
def iou(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """Intersection over union at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("iou", pred, gt, backend, conventions)


@documented("SweepScore", "round(dice(pred, gt).bin, 6)\n    0.5")
def dice(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """Dice coefficient at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("dice", pred, gt, backend, conventions)


@documented("SweepScore", "round(ber(pred, gt).bin, 6)\n    0.5")
def ber(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """Balanced error rate at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("ber", pred, gt, backend, conventions)


@documented("SweepScore", "round(kappa(pred, gt).bin, 6)\n    0.0")
def kappa(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """Kappa of the literature's programs at P > 0.5, adaptive, and over all 256 levels."""
    return _sweep("kappa", pred, gt, backend, conventions)


@documented("SweepScore", "round(cohen_kappa(pred, gt).bin, 6)\n    0.0")
def cohen_kappa(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """Cohen's kappa at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("cohen_kappa", pred, gt, backend, conventions)


@documented("SweepScore", "round(accuracy(pred, gt).bin, 6)\n    0.5")
def accuracy(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """Overall accuracy at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("accuracy", pred, gt, backend, conventions)


def pr_curve(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> CurvePair:
    """Precision (`y`) over recall (`x`) at the 256 levels, thresholds ascending.

    Parameters, errors: as for `precision`.

    Examples
    --------
    >>> import numpy as np
    >>> curve = pr_curve(np.array([[0, 255]], np.uint8), np.array([[False, True]]))
    >>> float(curve.x[0]), float(curve.y[0]), float(curve.y[255])
    (1.0, 0.5, 1.0)
    """
    return _curve_pair("ap", pred, gt, backend, conventions)


def roc_curve(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> CurvePair:
    """Recall (`y`) over false-positive rate (`x`) at the 256 levels, thresholds ascending.

    Parameters, errors: as for `recall`.

    Examples
    --------
    >>> import numpy as np
    >>> curve = roc_curve(np.array([[0, 255]], np.uint8), np.array([[False, True]]))
    >>> float(curve.x[0]), float(curve.y[0]), float(curve.x[255])
    (1.0, 1.0, 0.0)
    """
    return _curve_pair("auc", pred, gt, backend, conventions)


def _curve_pair(
    kind: str, pred: Any, gt: Any, backend: backends.Backend | None, conventions: dict[str, Any]
) -> CurvePair:
    x, y = area.AXES[kind]
    plan = plan_for((f"{x}.bin", f"{y}.bin"), conventions)
    _, rows = _measured(plan, pred, gt, backend)
    return CurvePair(*(rows[SWEEP_SCORES.index(axis)].copy() for axis in (x, y)))


@documented(
    "float",
    'round(ap(pred, gt, rule="step"), 6)\n    0.833333',
    own="""rule : {"trapezoid", "step"}
    Over the curve's own 256 points, sorted stably by recall, no end points added (the saliency
    toolboxes; a binary map has one point and so no area, also when it is perfect); or without
    interpolation, from recall 0 (scikit-learn's ``average_precision_score`` of the levels).""",
)
def ap(
    pred: Any,
    gt: Any,
    *,
    rule: Literal["trapezoid", "step"] = "trapezoid",
    backend: backends.Backend | None = None,
    **conventions: Any,
) -> float:
    """Average precision by a named `rule`."""
    return _area("ap", rule, pred, gt, backend, conventions)


@documented(
    "float",
    'round(auc(pred, gt, rule="anchored"), 6)\n    0.75',
    own="""rule : {"trapezoid", "anchored"}
    Over the curve's own 256 points, sorted stably by false-positive rate, no end points added (the
    saliency toolboxes); or from (0, 0) (scikit-learn's ``roc_auc_score`` of the levels).""",
)
def auc(
    pred: Any,
    gt: Any,
    *,
    rule: Literal["trapezoid", "anchored"] = "trapezoid",
    backend: backends.Backend | None = None,
    **conventions: Any,
) -> float:
    """Area under the ROC curve by a named `rule`."""
    return _area("auc", rule, pred, gt, backend, conventions)


def _area(
    kind: str,
    rule: str,
    pred: Any,
    gt: Any,
    backend: backends.Backend | None,
    conventions: dict[str, Any],
) -> float:
    one_of("rule", rule, tuple(catalog.AREA_RULES[kind]))
    plan = plan_for(f"{kind}.{rule}_of_image", conventions)
    return float(plan.measure(pred, gt, backend=backend).values[0])
