"""fastsegmetrics: the segmentation metrics of the literature, exact and fast.

One pair
    ``s_measure(pred, gt)``, ``f_beta(pred, gt).max``, ``measure(pred, gt, "sod")``, …
A data set
    `Evaluator` accumulates pairs and gives a `Result` whose numbers say what they are made of;
    `Target` prepares a ground truth once for many methods; `evaluate_folders` does files;
    `Strata` tells samples apart by size or by a table.
Masks, label images and volumes
    ``overlap(pred, gt)``, `label_overlap`, `surface_distances`, `boundary_f`, `cl_dice`, …;
    `evaluate_volumes` does files; `Cases`, `bootstrap_mean` and `compare_methods` tell of many.
Protocols
    `Protocol` is a metric as a path through five option sets: write one, and it runs wherever a
    metric does; `protocol_metrics` gives it a name.
Conventions
    `Conventions` lists every choice that shapes a number; `use_backend` switches to the plain
    reference implementation.

Everything is loaded when it is first used: importing the package costs a few milliseconds.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "Aggregate": "results",
    "Contract": "results",
    "Conventions": "conventions",
    "CurvePair": "functional.sweep",
    "Evaluator": "evaluate",
    "FastSegMetricsError": "errors",
    "FormatError": "errors",
    "InputError": "errors",
    "Measurement": "plan",
    "MissingExtraError": "errors",
    "Plan": "plan",
    "Protocol": "protocol.value",
    "Result": "results",
    "Run": "bulk.run",
    "Strata": "strata",
    "StructureScore": "functional.sweep",
    "SweepScore": "functional.sweep",
    "Target": "target",
    "VolumeRun": "bulk.volumes",
    "evaluate_folders": "bulk.run",
    "evaluate_volumes": "bulk.volumes",
    "protocol_metrics": "catalog",
    "use_backend": "backend",
    **dict.fromkeys(
        (
            "accuracy", "ap", "auc", "ber", "cohen_kappa", "dice", "e_measure", "f1", "f_beta",
            "fpr", "iou", "kappa", "mae", "measure", "pr_curve", "precision", "recall", "roc_curve",
            "s_measure", "specificity",
        ),
        "functional.sweep",
    ),
    **dict.fromkeys(
        (
            "CorrectionEffort", "DifficultyScore", "WeightedScore", "c_beta", "c_beta_w",
            "difficulty", "hce", "ms_iou", "si_mae", "size_invariant", "weighted_f",
        ),
        "functional.spatial",
    ),
    **dict.fromkeys(("camouflage_degree", "difficulty_maps"), "functional.photo_maps"),
    "DifficultyMaps": "statistics.difficulty",
    **dict.fromkeys(
        ("Detection", "HierarchicalIoU", "PairErrors", "TargetErrors", "detection", "hiou",
         "target_f1", "target_precision", "target_recall"),
        "functional.targets",
    ),
    "CaseMean": "reporting.cases",
    "Cases": "reporting.cases",
    "EvaluationContract": "reporting.evaluation_contract",
    **dict.fromkeys(("Interval", "bootstrap_mean", "bootstrap_pooled"), "reporting.intervals"),
    **dict.fromkeys(("PairedComparison", "compare_methods"), "reporting.paired"),
    **dict.fromkeys(("Overlap", "overlap", "soft_dice"), "functional.overlap"),
    **dict.fromkeys(
        ("ClassOverlap", "LabelOverlap", "label_overlap", "multilabel_overlap"),
        "functional.labels",
    ),
    **dict.fromkeys(
        ("SurfaceDistances", "assd", "hd", "hd95", "masd", "nsd", "surface_distances"),
        "functional.surface",
    ),
    **dict.fromkeys(
        ("BandScore", "BoundaryScore", "CentreLineScore", "boundary_f", "boundary_iou", "cl_dice"),
        "functional.boundary",
    ),
}  # fmt: skip

__all__ = sorted([*_HOME, "__version__"])


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
