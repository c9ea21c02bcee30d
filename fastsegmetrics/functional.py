"""One-liners: a metric of one prediction against one ground truth.

Every function takes ``pred, gt`` in this order and the fields of `Conventions` as keywords.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend as backends, catalog
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError
from fastsegmetrics.families.sweep import AREA_AXES, SweepRecord, score_levels, score_rule
from fastsegmetrics.plan import Plan
from fastsegmetrics.scores import SWEEP_SCORES

Function = TypeVar("Function", bound=Callable[..., Any])


@functools.lru_cache(maxsize=64)
def _kept_plan(metrics: str | tuple[str, ...], choices: tuple[tuple[str, type, Any], ...]) -> Plan:
    return Plan(metrics, Conventions.of(**{name: value for name, _, value in choices}))


def _plan(metrics: str | tuple[str, ...], conventions: dict[str, Any]) -> Plan:
    # A plan and checked conventions take longer to make than a small image to measure.
    # The types are part of the key: 1 equals True and must not pass for it.
    choices = tuple((name, type(value), value) for name, value in conventions.items())
    try:
        return _kept_plan(metrics, choices)
    except TypeError:  # a value that cannot be hashed: the conventions say which
        return Plan(metrics, Conventions.of(**conventions))


class SweepScore(NamedTuple):
    """One score of one pair at every partition of the prediction.

    Attributes
    ----------
    bin : float
        At the fixed threshold, P > 0.5.
    adp : float
        At the adaptive threshold, P ≥ min(2·mean P, 1).
    mean, max : float
        Over the 256 thresholds of `curve`.
    curve : ndarray of float64, shape (256,)
        At level ≥ t for t = 0…255, ascending.
    """

    bin: float
    adp: float
    mean: float
    max: float
    curve: NDArray[np.float64]


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


_COMMON = """

    Parameters
    ----------
    pred : array_like, shape (H, W)
        Prediction: integers in 0…255, booleans, or floats in [0, 1].
    gt : array_like or Target, shape (H, W)
        Ground truth: booleans, or integers in 0…255 of which > 128 is foreground.
    backend : {{"compiled", "reference"}}, optional
        Which implementation computes.
    **conventions
        Fields of `Conventions`: ``policy``, ``stretch``, ``gt_threshold``, ``pred_scale``, ….

    Returns
    -------
    {returns}
        In [{low:g}, {high:g}]; {direction} is better.

    Raises
    ------
    InputError
        When shapes differ, an array is empty or not 2-D, or its values are off their scale.

    Notes
    -----
    {title}: {formula}.  Degenerate cases: {empty}.  Source: {citation}.

    Examples
    --------
    >>> import numpy as np
    >>> pred = np.array([[0, 204, 51, 255]], np.uint8)
    >>> gt = np.array([[False, False, True, True]])
    >>> {example}
"""


def _documented(returns: str, example: str) -> Callable[[Function], Function]:
    """Complete a docstring from the score's row in the catalogue, so that it is said once."""

    def complete(function: Function) -> Function:
        score = catalog.SCORES[function.__name__]
        assert function.__doc__ is not None
        function.__doc__ += _COMMON.format(
            returns=returns,
            low=score.low,
            high=score.high,
            direction=score.direction,
            title=score.title.capitalize(),
            formula=score.formula,
            empty=score.empty,
            citation=score.citation,
            example=example,
        )
        return function

    return complete


def _sweep(
    score: str, pred: Any, gt: Any, backend: backends.Backend | None, conventions: dict[str, Any]
) -> SweepScore:
    names = tuple(f"{score}.{report}" for report in ("bin", "adp", "mean", "max"))
    plan = _plan(names, conventions)
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
    metrics: str | tuple[str, ...] = "sod",
    *,
    backend: backends.Backend | None = None,
    **conventions: Any,
) -> dict[str, float]:
    """All per-image values that belong to some metrics, from one pass over the pair.

    Parameters
    ----------
    pred, gt, backend, **conventions
        As for `mae`.
    metrics : str or tuple of str
        A suite, metrics or scores, as for `Evaluator`.

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
    names = metrics if isinstance(metrics, str) else tuple(metrics)
    plan = _plan(names, conventions)
    measured = plan.measure(pred, gt, backend=backend)
    return dict(zip(plan.columns, measured.values.tolist(), strict=True))


@_documented("float", "mae(pred, gt)\n    0.4")
def mae(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> float:
    """Mean absolute error."""
    plan = _plan("mae", conventions)
    return float(plan.measure(pred, gt, backend=backend).values[0])


@_documented("StructureScore", "round(s_measure(pred, gt), 6)\n    0.337893")
def s_measure(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> StructureScore:
    """S-measure, with its object and region terms as attributes."""
    plan = _plan(("s_measure", "s_object", "s_region"), conventions)
    return StructureScore(*plan.measure(pred, gt, backend=backend).values.tolist())


@_documented("SweepScore", "round(e_measure(pred, gt).bin, 6)\n    0.666667")
def e_measure(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """E-measure at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("e_measure", pred, gt, backend, conventions)


@_documented("SweepScore", "round(f_beta(pred, gt).bin, 6)\n    0.5")
def f_beta(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """F-measure with β² = ``beta2`` (0.3) at P > 0.5, adaptive, and over all 256 levels."""
    return _sweep("f_beta", pred, gt, backend, conventions)


@_documented("SweepScore", "round(f1(pred, gt).bin, 6)\n    0.5")
def f1(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """F-measure with β² = 1 at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("f1", pred, gt, backend, conventions)


@_documented("SweepScore", "round(precision(pred, gt).bin, 6)\n    0.5")
def precision(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """Precision at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("precision", pred, gt, backend, conventions)


@_documented("SweepScore", "round(recall(pred, gt).bin, 6)\n    0.5")
def recall(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """Recall (TPR, sensitivity) at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("recall", pred, gt, backend, conventions)


@_documented("SweepScore", "round(specificity(pred, gt).bin, 6)\n    0.5")
def specificity(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """Specificity (TNR) at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("specificity", pred, gt, backend, conventions)


@_documented("SweepScore", "round(fpr(pred, gt).bin, 6)\n    0.5")
def fpr(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """False-positive rate at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("fpr", pred, gt, backend, conventions)


@_documented("SweepScore", "round(iou(pred, gt).bin, 6)\n    0.333333")
def iou(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """Intersection over union at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("iou", pred, gt, backend, conventions)


@_documented("SweepScore", "round(dice(pred, gt).bin, 6)\n    0.5")
def dice(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """Dice coefficient at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("dice", pred, gt, backend, conventions)


@_documented("SweepScore", "round(ber(pred, gt).bin, 6)\n    0.5")
def ber(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """Balanced error rate at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("ber", pred, gt, backend, conventions)


@_documented("SweepScore", "round(kappa(pred, gt).bin, 6)\n    0.0")
def kappa(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """Kappa of the literature's programs at P > 0.5, adaptive, and over all 256 levels."""
    return _sweep("kappa", pred, gt, backend, conventions)


@_documented("SweepScore", "round(cohen_kappa(pred, gt).bin, 6)\n    0.0")
def cohen_kappa(
    pred: Any, gt: Any, *, backend: backends.Backend | None = None, **conventions: Any
) -> SweepScore:
    """Cohen's kappa at P > 0.5, at the adaptive threshold, and over all 256 levels."""
    return _sweep("cohen_kappa", pred, gt, backend, conventions)


@_documented("SweepScore", "round(accuracy(pred, gt).bin, 6)\n    0.5")
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
    x, y = AREA_AXES[kind]
    plan = _plan((f"{x}.bin", f"{y}.bin"), conventions)
    _, rows = _measured(plan, pred, gt, backend)
    return CurvePair(*(rows[SWEEP_SCORES.index(axis)].copy() for axis in (x, y)))


@_documented("float", 'round(ap(pred, gt, rule="step"), 6)\n    0.833333')
def ap(
    pred: Any,
    gt: Any,
    *,
    rule: Literal["trapezoid", "step"] = "trapezoid",
    backend: backends.Backend | None = None,
    **conventions: Any,
) -> float:
    """Average precision by a named `rule`.

    ``"trapezoid"``: over the curve's own 256 points, sorted stably by recall, no end points added
    (the saliency toolboxes; a binary map has one point and so no area, also when it is perfect);
    ``"step"``: no interpolation, from recall 0 (scikit-learn's ``average_precision_score`` of the
    levels).
    """
    return _area("ap", rule, pred, gt, backend, conventions)


@_documented("float", 'round(auc(pred, gt, rule="anchored"), 6)\n    0.75')
def auc(
    pred: Any,
    gt: Any,
    *,
    rule: Literal["trapezoid", "anchored"] = "trapezoid",
    backend: backends.Backend | None = None,
    **conventions: Any,
) -> float:
    """Area under the ROC curve by a named `rule`.

    ``"trapezoid"``: over the curve's own 256 points, sorted stably by false-positive rate, no end
    points added (the saliency toolboxes); ``"anchored"``: from (0, 0) (scikit-learn's
    ``roc_auc_score`` of the levels).
    """
    return _area("auc", rule, pred, gt, backend, conventions)


def _area(
    kind: str,
    rule: str,
    pred: Any,
    gt: Any,
    backend: backends.Backend | None,
    conventions: dict[str, Any],
) -> float:
    if rule not in catalog.AREA_RULES[kind]:
        choices = " or ".join(map(repr, catalog.AREA_RULES[kind]))
        raise InputError(f"rule must be {choices}; received {rule!r}")
    plan = _plan(f"{kind}.{rule}_of_image", conventions)
    return float(plan.measure(pred, gt, backend=backend).values[0])
