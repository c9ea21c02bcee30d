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
from fastsegmetrics.compat.py_sod_metrics.sod_metrics import MAE, Emeasure, Fmeasure, Smeasure

__all__ = [
    "MAE",
    "BERHandler",
    "DICEHandler",
    "Emeasure",
    "FPRHandler",
    "Fmeasure",
    "FmeasureHandler",
    "FmeasureV2",
    "IOUHandler",
    "KappaHandler",
    "OverallAccuracyHandler",
    "PrecisionHandler",
    "RecallHandler",
    "SensitivityHandler",
    "Smeasure",
    "SpecificityHandler",
    "TNRHandler",
    "TPRHandler",
    "_BaseHandler",
]
