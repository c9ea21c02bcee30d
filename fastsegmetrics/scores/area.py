"""Areas under precision-recall and ROC curves, in three named conventions.

Curves list their thresholds in ascending order, so that recall and false-positive rate never
increase along them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastsegmetrics.statistics.pair import Curve


#: The two curves (x, y) under which each area lies.
AXES = {"ap": ("recall", "precision"), "auc": ("fpr", "recall")}


def trapezoid(x: Curve, y: Curve) -> float:
    """Area by the trapezoidal rule over the curve's own points, sorted stably by `x`.

    The convention of the saliency toolboxes: no end points are added.  In a stable sort the points
    of one `x` keep their ascending thresholds, so that the curve enters the group at its lowest
    threshold and leaves it at its highest.
    """
    area = 0.0
    last = len(x) - 1
    upper = last
    leaving_x = x[last]
    leaving_y = y[last]
    first = True
    while upper >= 0:
        lower = upper
        while lower > 0 and x[lower - 1] == x[upper]:
            lower -= 1
        if not first:
            area += (x[lower] - leaving_x) * (leaving_y + y[lower]) / 2.0
        first = False
        leaving_x = x[upper]
        leaving_y = y[upper]
        upper = lower - 1
    return area


def step(recall: Curve, precision: Curve) -> float:
    """Average precision without interpolation: Σ (Rₜ − Rₜ₊₁)·Pₜ, starting from recall 0.

    Equal to scikit-learn's ``average_precision_score`` of the 256 levels.
    """
    area = 0.0
    above = 0.0
    for t in range(len(recall) - 1, -1, -1):
        area += (recall[t] - above) * precision[t]
        above = recall[t]
    return area


def anchored(false_positive_rate: Curve, recall: Curve) -> float:
    """Area under the ROC curve drawn from (0, 0).

    Equal to scikit-learn's ``roc_auc_score`` of the 256 levels.
    """
    area = 0.0
    x = 0.0
    y = 0.0
    for t in range(len(recall) - 1, -1, -1):
        area += (false_positive_rate[t] - x) * (recall[t] + y) / 2.0
        x = false_positive_rate[t]
        y = recall[t]
    return area
