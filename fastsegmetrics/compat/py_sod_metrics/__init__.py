"""The classes of ``py_sod_metrics`` (PyPI: pysodmetrics 1.6.2) on the kernels of this package.

Change the import and nothing else::

    from fastsegmetrics.compat import py_sod_metrics

    mae = py_sod_metrics.MAE()
    for pred, gt in pairs:
        mae.step(pred=pred, gt=gt)
    mae.get_results()["mae"]

The constructor arguments, ``step(pred, gt, normalize=True)``, ``get_results()`` and the lists of
per-image results are the same, curves run from threshold 255 down to 0, and so are the numbers on
every input on which that package returns a finite one.  ``docs/differences.md`` lists where it
does not, and where its public helpers are narrower here.
"""

from __future__ import annotations

from fastsegmetrics.compat.py_sod_metrics.context_measure import (
    CamouflageContextMeasure,
    ContextMeasure,
)
from fastsegmetrics.compat.py_sod_metrics.fmeasurev2 import FmeasureV2
from fastsegmetrics.compat.py_sod_metrics.handlers import (
    BERHandler,
    DICEHandler,
    FmeasureHandler,
    FPRHandler,
    IOUHandler,
    KappaHandler,
    OverallAccuracyHandler,
    PrecisionHandler,
    RecallHandler,
    SensitivityHandler,
    SpecificityHandler,
    TNRHandler,
    TPRHandler,
    _BaseHandler,
)
from fastsegmetrics.compat.py_sod_metrics.human_correction_effort import (
    HumanCorrectionEffortMeasure,
)
from fastsegmetrics.compat.py_sod_metrics.multiscale_iou import MSIoU
from fastsegmetrics.compat.py_sod_metrics.size_invariance import (
    SizeInvarianceFmeasureV2,
    SizeInvarianceMAE,
)
from fastsegmetrics.compat.py_sod_metrics.sod_metrics import MAE, Emeasure, Fmeasure, Smeasure
from fastsegmetrics.compat.py_sod_metrics.weighted_fmeasure import WeightedFmeasure

__all__ = [
    "MAE",
    "BERHandler",
    "CamouflageContextMeasure",
    "ContextMeasure",
    "DICEHandler",
    "Emeasure",
    "FPRHandler",
    "Fmeasure",
    "FmeasureHandler",
    "FmeasureV2",
    "HumanCorrectionEffortMeasure",
    "IOUHandler",
    "KappaHandler",
    "MSIoU",
    "OverallAccuracyHandler",
    "PrecisionHandler",
    "RecallHandler",
    "SensitivityHandler",
    "SizeInvarianceFmeasureV2",
    "SizeInvarianceMAE",
    "Smeasure",
    "SpecificityHandler",
    "TNRHandler",
    "TPRHandler",
    "WeightedFmeasure",
    "_BaseHandler",
]
