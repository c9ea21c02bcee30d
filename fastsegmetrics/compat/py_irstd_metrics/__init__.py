"""The classes of ``py_irstd_metrics`` (PyPI: pyirstdmetrics 1.0.2) on the kernels of this package.

Change the import and nothing else::

    from fastsegmetrics.compat import py_irstd_metrics

    metric = py_irstd_metrics.MatchingBasedMetrics()
    for prob, mask in pairs:
        metric.update(prob=prob, mask=mask)
    metric.get()["hiou"]

The constructor arguments, ``update(prob, mask)``, ``get()`` and the sums that the objects keep are
the same, phantom targets of empty sides included, and so are the numbers on every input on which
that package returns a finite one.  ``docs/differences.md`` lists where it does not.
"""

from __future__ import annotations

from fastsegmetrics.compat.py_irstd_metrics.error_analysis import HierarchicalIoUBasedErrorAnalysis
from fastsegmetrics.compat.py_irstd_metrics.matchings import DistanceOnlyMatching, OPDCMatching
from fastsegmetrics.compat.py_irstd_metrics.pixelwise_metrics import (
    CMMetrics,
    FmeasureHandler,
    FPRHandler,
    IoUHandler,
    PrecisionHandler,
    RecallHandler,
    TPRHandler,
)
from fastsegmetrics.compat.py_irstd_metrics.targetwise_metrics import (
    MatchingBasedMetrics,
    ProbabilityDetectionAndFalseAlarmRate,
    ShootingRuleBasedProbabilityDetectionAndFalseAlarmRate,
)

__all__ = [
    "CMMetrics",
    "DistanceOnlyMatching",
    "FPRHandler",
    "FmeasureHandler",
    "HierarchicalIoUBasedErrorAnalysis",
    "IoUHandler",
    "MatchingBasedMetrics",
    "OPDCMatching",
    "PrecisionHandler",
    "ProbabilityDetectionAndFalseAlarmRate",
    "RecallHandler",
    "ShootingRuleBasedProbabilityDetectionAndFalseAlarmRate",
    "TPRHandler",
]
