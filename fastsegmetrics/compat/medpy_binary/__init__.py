"""The functions of ``medpy.metric.binary`` (MedPy 0.5.2) on the kernels of this package.

Change the import and nothing else::

    from fastsegmetrics.compat.medpy_binary import dc, jc

The arguments ``result, reference`` and the numbers are the same; everything that is not 0 is
foreground.  ``docs/differences.md`` lists where that package returns none, and where it broadcasts
shapes.
"""

from __future__ import annotations

from fastsegmetrics.compat.medpy_binary.distances import asd, assd, hd, hd95
from fastsegmetrics.compat.medpy_binary.objects import obj_asd, obj_assd, obj_fpr, obj_tpr
from fastsegmetrics.compat.medpy_binary.overlap import (
    dc,
    jc,
    positive_predictive_value,
    precision,
    ravd,
    recall,
    sensitivity,
    specificity,
    true_negative_rate,
    true_positive_rate,
    volume_change_correlation,
    volume_correlation,
)

__all__ = [
    "asd",
    "assd",
    "dc",
    "hd",
    "hd95",
    "jc",
    "obj_asd",
    "obj_assd",
    "obj_fpr",
    "obj_tpr",
    "positive_predictive_value",
    "precision",
    "ravd",
    "recall",
    "sensitivity",
    "specificity",
    "true_negative_rate",
    "true_positive_rate",
    "volume_change_correlation",
    "volume_correlation",
]
