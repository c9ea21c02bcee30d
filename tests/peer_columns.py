"""What is compared with the peer, as columns: one list of names, one row of numbers per pair.

``module`` is anything with the peer's interface: the peer itself or ``compat.py_sod_metrics``.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from types import ModuleType

import numpy as np

import fastsegmetrics as fsm

HANDLERS = {
    "f_beta": ("FmeasureHandler", {"beta": 0.3}),
    "f1": ("FmeasureHandler", {"beta": 1}),
    "precision": ("PrecisionHandler", {}),
    "recall": ("RecallHandler", {}),
    "iou": ("IOUHandler", {}),
    "dice": ("DICEHandler", {}),
    "ber": ("BERHandler", {}),
    "kappa": ("KappaHandler", {}),
    "accuracy": ("OverallAccuracyHandler", {}),
    "specificity": ("SpecificityHandler", {}),
    "fpr": ("FPRHandler", {}),
}

# Positions in the peer's order, where 0 is threshold 255: the ends, the middle and one in between.
POSITIONS = (0, 64, 127, 128, 255)
CURVE_PARTS = (*(f"[{i}]" for i in POSITIONS), "sum", "moment")
_RAMP = np.arange(256) / 256


def curve_parts(curve: np.ndarray) -> list[float]:
    """Five values, the sum and a moment, so that a shifted or reversed curve is noticed."""
    return [*(curve[i] for i in POSITIONS), curve.sum(), (curve * _RAMP).sum()]


def handlers(module: ModuleType, *, sample_based: bool = True) -> dict[str, object]:
    return {
        name: getattr(module, cls)(
            with_dynamic=True, with_adaptive=True, with_binary=True, sample_based=sample_based, **kw
        )
        for name, (cls, kw) in HANDLERS.items()
    }


def column_names() -> list[str]:
    names = ["mae", "s_measure", "e_measure.adp", "old_f.adp"]
    names += [f"{c}.{p}" for c in ("e_measure", "old_f", "old_p", "old_r") for p in CURVE_PARTS]
    for handler in HANDLERS:
        names += [f"{handler}.adp", f"{handler}.bin"]
        names += [f"{handler}.{part}" for part in CURVE_PARTS]
    return names


def native_tolerance(name: str) -> dict[str, float]:
    """How near native is to the peer: 1e-12, and for kappa as near as the peer is to the truth.

    The peer's (OA - pe) / (1 - pe) cancels in both of its halves; native multiplies it out and is
    exact to the last bits (test_goldens.test_native_kappa_is_nearer_to_the_exact_value).
    """
    if name.startswith("kappa"):
        return {"rtol": 2e-11, "atol": 1e-13}
    return {"rtol": 1e-12, "atol": 0.0}


def constant_block_misses(pred: np.ndarray, gt: np.ndarray) -> bool:
    """Whether np.mean of an S-measure quadrant that is constant in both maps is not its constant.

    The peer scores such a quadrant 0, native the exact 1 (docs/differences.md).
    """
    if gt.all() or not gt.any():
        return False
    row, column = np.round(np.argwhere(gt).mean(axis=0)).astype(int) + 1
    for rows in (slice(row), slice(row, None)):
        for columns in (slice(column), slice(column, None)):
            block, truth = pred[rows, columns], gt[rows, columns]
            if block.size == 0 or block.min() != block.max() or truth.all() != truth.any():
                continue
            if block.mean() != block[0, 0]:
                return True
    return False


class Columns:
    """Steps every class of the family over the pairs it is given."""

    def __init__(self, module: ModuleType) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the peer announces Fmeasure's removal
            self.old_f = module.Fmeasure()
        self.mae, self.s, self.e = module.MAE(), module.Smeasure(), module.Emeasure()
        self.v2 = module.FmeasureV2(handlers(module))
        self.pooled = module.FmeasureV2(handlers(module, sample_based=False))

    def row(self, pred: np.ndarray, gt: np.ndarray, normalize: bool = True) -> list[float]:
        for metric in (self.mae, self.s, self.e, self.old_f, self.v2, self.pooled):
            metric.step(pred, gt, normalize=normalize)
        row = [self.mae.maes[-1], self.s.sms[-1]]
        row += [self.e.adaptive_ems[-1], self.old_f.adaptive_fms[-1]]
        for curves in (
            self.e.changeable_ems,
            self.old_f.changeable_fms,
            self.old_f.precisions,
            self.old_f.recalls,
        ):
            row += curve_parts(curves[-1])
        for handler in self.v2._metric_handlers.values():
            row += [handler.adaptive_results[-1], handler.binary_results[-1]]
            row += curve_parts(handler.dynamic_results[-1])
        return [float(value) for value in row]

    def curves(self) -> tuple[list[str], np.ndarray]:
        """Mean curves over everything stepped, all 256 values in the peer's order."""
        old = self.old_f.get_results()
        named = {
            "e_measure": self.e.get_results()["em"]["curve"],
            "old_f": old["fm"]["curve"],
            "old_p": old["pr"]["p"],
            "old_r": old["pr"]["r"],
        }
        named.update({k: v["dynamic"] for k, v in self.v2.get_results().items()})
        return list(named), np.array(list(named.values()), np.float64)

    def pooled_binary(self) -> list[float]:
        return [float(v["binary"]) for v in self.pooled.get_results().values()]


def native_row(pred: np.ndarray, gt: np.ndarray, **conventions: object) -> list[float]:
    """The same columns from the native one-liners, whose curves ascend."""
    swept = {name: getattr(fsm, name)(pred, gt, **conventions) for name in ("e_measure", *HANDLERS)}
    curves = {name: curve_parts(score.curve[::-1]) for name, score in swept.items()}
    row = [fsm.mae(pred, gt, **conventions), float(fsm.s_measure(pred, gt, **conventions))]
    row += [swept["e_measure"].adp, swept["f_beta"].adp]
    for name in ("e_measure", "f_beta", "precision", "recall"):
        row += curves[name]
    for name in HANDLERS:
        row += [swept[name].adp, swept[name].bin, *curves[name]]
    return row


def table(
    module: ModuleType, pairs: Iterable[tuple[np.ndarray, np.ndarray]], normalize: bool = True
) -> dict[str, np.ndarray]:
    columns = Columns(module)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the peer divides by zero on degenerate pairs
        rows = [columns.row(pred, gt, normalize) for pred, gt in pairs]
        names, curves = columns.curves()
        pooled = columns.pooled_binary()
    return {
        "rows": np.array(rows, np.float64),
        "curve_names": np.array(names),
        "curves": curves,
        "pooled_binary": np.array(pooled, np.float64),
    }
