"""The peer's ``MSIoU``, with exact counts where the peer sums in half precision."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastsegmetrics import represent
from fastsegmetrics.compat.py_sod_metrics.means import mean_of
from fastsegmetrics.compat.py_sod_metrics.pairs import Pair
from fastsegmetrics.errors import InputError
from fastsegmetrics.scores.multiscale import edge_coverage
from fastsegmetrics.statistics import multiscale
from fastsegmetrics.target import Target


class MSIoU:
    """Multi-scale IoU (Ahmadzadeh et al., ICIP 2021).

    The numbers differ from the peer's by up to about 5e-4, by more where the truth has over 65504
    edge pixels: its counts are rounded to half precision, these are exact.

    Parameters
    ----------
    with_dynamic, with_adaptive, with_binary : bool
        Whether the scores at the levels 0, 1, … 256, at twice the map's mean, and of
        ``pred > 0.5`` are gathered.
    num_levels : int
        Number of cell sizes, at least 2, spread over 1, 2, 4, … 512.

    Attributes
    ----------
    dynamic_results, adaptive_results, binary_results : list or None
        One entry per image (``dynamic_results``: a list of 257); None where not asked for.
    cell_sizes : ndarray of int
        The cell sizes.

    Raises
    ------
    InputError
        When `num_levels` is less than 2.

    Examples
    --------
    >>> import numpy as np
    >>> metric = MSIoU(with_dynamic=False, with_adaptive=True)
    >>> gt = np.eye(5, 9, dtype=np.uint8) * 255
    >>> metric.step(pred=gt, gt=gt)
    >>> float(metric.get_results()["adaptive"])
    1.0
    """

    def __init__(
        self,
        with_dynamic: bool,
        with_adaptive: bool,
        *,
        with_binary: bool = False,
        num_levels: int = 10,
    ) -> None:
        if num_levels < 2:
            raise InputError(f"num_levels must be at least 2; received {num_levels!r}")
        self.dynamic_results: list[list[np.float64]] | None = [] if with_dynamic else None
        self.adaptive_results: list[np.float64] | None = [] if with_adaptive else None
        self.binary_results: list[np.float64] | None = [] if with_binary else None
        self._scales = np.linspace(0, 9, num_levels).astype(np.int64)
        self.cell_sizes: NDArray[np.int64] = 2**self._scales

    def step(self, pred: ArrayLike, gt: ArrayLike, normalize: bool = True) -> None:
        """Score one image.

        Parameters
        ----------
        pred, gt : array_like, shape (H, W)
            With `normalize`: ``pred / 255`` stretched to [0, 1], ``gt > 128``.  Without: floats in
            [0, 1] and booleans.

        Raises
        ------
        InputError
            When the arrays are not 2-D, the shapes differ, are empty, or a value is refused.
        """
        pair = Pair(pred, gt, normalize)
        if pair.pred.ndim != 2:
            raise InputError(f"pred must be 2-D (H, W) for MSIoU; received {pair.pred.shape}")
        values, target, conventions = pair._read(Target)
        pair._warn_of_a_mask_of_ones(target)
        found = multiscale.multiscale_statistics(
            represent.prediction(values, conventions, target.shape),
            target,
            conventions,
            thresholds=self.dynamic_results is not None,
        )
        there = found.edge_cells[self._scales]
        if self.binary_results is not None:
            self.binary_results.append(self._score(found.sides[:, 0], there))
        if self.adaptive_results is not None:
            counts = found.sides[:, 1]
            if not pair.pred.flags.c_contiguous:
                # np.mean rounds by the layout, which decides where a level meets the threshold.
                kept = represent.adaptive_mask(pair.values(), keep_at_zero=True)
                bits = np.ascontiguousarray(kept).view(np.uint8)
                counts = multiscale.shared_counts(bits, target)[:, 0]
            self.adaptive_results.append(self._score(counts, there))
        if self.dynamic_results is not None and found.thresholds is not None:
            from fastsegmetrics.kernels import edges

            curve = edges.coverage_scores(found.thresholds[self._scales], there)
            self.dynamic_results.append(list(curve))

    def _score(self, counts: NDArray[np.int64], there: NDArray[np.int64]) -> np.float64:
        return np.float64(edge_coverage(counts[self._scales].tolist(), there.tolist()))

    def get_edge(self, mask: NDArray[Any]) -> NDArray[np.float64]:
        """Return 1 where the Sobel gradient of a binary mask, zeros outside, is not zero."""
        from fastsegmetrics.kernels import edges

        bits = np.ascontiguousarray(np.asarray(mask) > 0).view(np.uint8)
        found: NDArray[np.uint8] = edges.edge_pyramid(bits)[: bits.size].reshape(bits.shape)
        return found.astype(np.float64)

    def shrink_by_grid(self, image: NDArray[Any], cell_size: int) -> NDArray[np.float64]:
        """Return 1 for the cells, of a grid anchored at the bottom right, with a pixel above 0."""
        on = np.asarray(image) > 0
        height, width = on.shape
        padded = np.pad(on, ((-height % cell_size, 0), (-width % cell_size, 0)))
        rows, columns = (side // cell_size for side in padded.shape)
        cells = padded.reshape(rows, cell_size, columns, cell_size).any(axis=(1, 3))
        return np.asarray(cells, np.float64)

    def multi_scale_iou(
        self,
        pred_edge: NDArray[Any],
        gt_edge: NDArray[Any],
        gt_shrunk_cache: list[NDArray[Any]] | None = None,
    ) -> list[float]:
        """Return the coverage ratio at each cell size.

        ``gt_shrunk_cache`` are the truth's edge cells, one array per size, if they are known.
        """
        ratios = []
        for i, size in enumerate(self.cell_sizes.tolist()):
            there = (
                self.shrink_by_grid(gt_edge, size)
                if gt_shrunk_cache is None
                else np.asarray(gt_shrunk_cache[i])
            )
            shared = np.count_nonzero(self.shrink_by_grid(pred_edge, size) * there)
            ratios.append((shared + 1) / (np.count_nonzero(there) + 1))
        return ratios

    def binarizing(
        self,
        pred_bin: NDArray[Any],
        gt_edge: NDArray[Any],
        gt_shrunk_cache: list[NDArray[Any]] | None = None,
    ) -> np.float64:
        """Return the score of one binary map."""
        ratios = self.multi_scale_iou(self.get_edge(pred_bin), gt_edge, gt_shrunk_cache)
        return np.float64(sum((a + b) / 2 for a, b in pairwise(ratios)) / (len(ratios) - 1))

    def get_results(self) -> dict[str, Any]:
        """Return means over images: ``"dynamic"`` (257 values), ``"adaptive"``, ``"binary"``."""
        gathered = {
            "dynamic": self.dynamic_results,
            "adaptive": self.adaptive_results,
            "binary": self.binary_results,
        }
        return {name: mean_of(found) for name, found in gathered.items() if found is not None}
