"""Size-invariant MAE and scores of confusion counts, with the peer's interface."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastsegmetrics import represent
from fastsegmetrics.compat.py_sod_metrics.counts import (
    ADAPTIVE,
    BINARY,
    DYNAMIC,
    Counts,
)
from fastsegmetrics.compat.py_sod_metrics.fmeasurev2 import FmeasureV2
from fastsegmetrics.compat.py_sod_metrics.handlers import Elementwise
from fastsegmetrics.compat.py_sod_metrics.means import mean_of
from fastsegmetrics.compat.py_sod_metrics.pairs import Pair
from fastsegmetrics.compat.py_sod_metrics.sod_metrics import MAE
from fastsegmetrics.errors import InputError
from fastsegmetrics.statistics.size_invariant import (
    SizeInvariantStatistics,
    TargetCounts,
    separated_targets,
    settle_adaptive_sides,
    size_invariant_statistics,
)
from fastsegmetrics.target import Target

# From this many targets on the peer raises an error.
_PEER_LIMIT = 64


class SizeInvarianceMAE(MAE):
    """Mean absolute error balanced over the targets of the truth and its background.

    Attributes
    ----------
    maes : list of float
        One entry per image.

    Examples
    --------
    >>> import numpy as np
    >>> gt = np.zeros((30, 40), np.uint8)
    >>> gt[2:12, 2:12], gt[20:30, 5:35] = 255, 255
    >>> metric = SizeInvarianceMAE()
    >>> metric.step(np.where(np.arange(40) < 20, gt, 0).astype(np.uint8), gt)
    >>> round(float(metric.get_results()["si_mae"]), 6)
    0.125
    """

    def step(self, pred: ArrayLike, gt: ArrayLike, normalize: bool = True) -> None:
        """Score one image, see `MAE.step`; arrays are 2-D."""
        self.maes.append(np.float64(_statistics(Pair(pred, gt, normalize)).mae))

    def get_results(self) -> dict[str, Any]:
        """Return ``{"si_mae": mean over images}``."""
        return {"si_mae": mean_of(self.maes)}


class SizeInvarianceFmeasureV2(FmeasureV2):
    """Scores of confusion counts of each target of the truth.

    Handlers are those of `FmeasureV2`.  ``adaptive_results`` and sample-based ``binary_results``
    get the mean over an image's targets; sample-based ``dynamic_results`` one array (targets, 256)
    per image, others one curve (256,) per target; binary counts that are not sample-based are
    summed over targets and images.

    Examples
    --------
    >>> import numpy as np
    >>> gt = np.zeros((30, 40), np.uint8)
    >>> gt[2:12, 2:12], gt[20:30, 5:35] = 255, 255
    >>> from fastsegmetrics.compat.py_sod_metrics import IOUHandler
    >>> iou = IOUHandler(with_dynamic=True, with_adaptive=False, with_binary=True)
    >>> metric = SizeInvarianceFmeasureV2({"iou": iou})
    >>> metric.step(np.where(np.arange(40) < 20, gt, 0).astype(np.uint8), gt)
    >>> results = metric.get_results()["iou"]
    >>> float(results["binary"]), results["dynamic"][0].shape
    (0.75, (2, 256))
    """

    def step(self, pred: ArrayLike, gt: ArrayLike, normalize: bool = True) -> None:
        """Score one image with every handler, see `MAE.step`; arrays are 2-D.

        Raises
        ------
        InputError
            When there is no handler, the shapes differ, are empty, or a value is refused.
        """
        if not self._metric_handlers:
            raise InputError("metric_handlers must hold at least one handler; received none")
        counts = _target_counts(_statistics(Pair(pred, gt, normalize)).counts)
        for handler in self._metric_handlers.values():
            if type(handler).__call__ is Elementwise.__call__:
                _gather_at_once(handler, counts)
            else:
                _gather(handler, counts)

    def get_results(self) -> dict[str, dict[str, Any]]:
        """Return for each handler the means of what it gathers, see `FmeasureV2.get_results`.

        ``"dynamic"`` of a sample-based handler is the list of its images' curves (targets, 256):
        take the maximum or mean of each curve, then the means over targets and over images.
        """
        results = {}
        for name, handler in self._metric_handlers.items():
            found: dict[str, Any] = {}
            if handler.dynamic_results is not None:
                found["dynamic"] = (
                    handler.dynamic_results
                    if handler.sample_based
                    else mean_of(handler.dynamic_results)
                )
            if handler.adaptive_results is not None:
                found["adaptive"] = mean_of(handler.adaptive_results)
            if handler.binary_results is not None:
                found["binary"] = (
                    mean_of(handler.binary_results)
                    if handler.sample_based
                    else np.mean(np.array(handler(**handler.binary_results), np.float64))
                )
            results[name] = found
        return results


def _statistics(pair: Pair) -> SizeInvariantStatistics:
    if pair.pred.ndim != 2:
        raise InputError(
            f"pred must be 2-D (H, W) for size-invariant scores; received shape {pair.pred.shape}"
        )
    values, target, conventions = pair._read(Target)
    pair._warn_of_a_mask_of_ones(target)
    canonical = represent.prediction(values, conventions, target.shape)
    found = size_invariant_statistics(canonical, target, conventions)
    if not pair.pred.flags.c_contiguous and found.counts.n_targets < _PEER_LIMIT:
        # The rounding of np.mean depends on how the array lies; the kernels read a C copy.
        boxes = separated_targets(target).boxes
        every = np.ones(len(boxes), bool)
        settle_adaptive_sides(pair.values(), target.mask, boxes, every, True, found.counts.sides)
    return found


def _target_counts(found: TargetCounts) -> Counts:
    """Return the confusion counts of all targets: int64[T, 258] each."""
    levels = np.zeros((found.n_targets, 256, 2), np.int64)
    levels[np.repeat(np.arange(found.n_targets), np.diff(found.starts)), found.levels] = (
        found.counts
    )
    kept = np.empty((found.n_targets, 258, 2), np.int64)
    np.cumsum(levels[:, ::-1], axis=1, out=kept[:, DYNAMIC])
    kept[:, ADAPTIVE] = found.sides[:, 1, ::-1]
    kept[:, BINARY] = found.sides[:, 0, ::-1]
    fp, tp = kept[..., 0].copy(), kept[..., 1].copy()
    return Counts(tp, fp, fp[:, 255:256] - fp, tp[:, 255:256] - tp)


def _each(counts: Counts) -> list[Counts]:
    return [Counts(*columns) for columns in zip(*counts)]


def _gather(handler: Any, counts: Counts) -> None:
    if handler.dynamic_results is not None:
        _keep_curves(handler, [handler(**target.at(DYNAMIC)) for target in _each(counts)])
    if handler.adaptive_results is not None:
        scores = [handler(**target.at(ADAPTIVE)) for target in _each(counts)]
        handler.adaptive_results.append(np.mean(scores))
    if handler.binary_results is not None:
        if handler.sample_based:
            scores = [handler(**target.at(BINARY)) for target in _each(counts)]
            handler.binary_results.append(np.mean(scores))
        else:
            _pool(handler, counts)


def _gather_at_once(handler: Any, counts: Counts) -> None:
    """Do what `_gather` does with one call for all binary maps of all targets."""
    scores = handler(*counts)
    if handler.dynamic_results is not None:
        _keep_curves(handler, scores[:, DYNAMIC].copy())
    if handler.adaptive_results is not None:
        handler.adaptive_results.append(np.mean(scores[:, ADAPTIVE]))
    if isinstance(handler.binary_results, dict):
        _pool(handler, counts)
    elif handler.binary_results is not None:
        handler.binary_results.append(np.mean(scores[:, BINARY]))


def _keep_curves(handler: Any, curves: Any) -> None:
    if handler.sample_based:
        handler.dynamic_results.append(np.array(curves))
    else:
        handler.dynamic_results.extend(curves)


def _pool(handler: Any, counts: Counts) -> None:
    for name, column in counts._asdict().items():
        handler.binary_results[name] += int(column[:, BINARY].sum())
