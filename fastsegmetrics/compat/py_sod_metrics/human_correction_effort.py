"""The peer's ``HumanCorrectionEffortMeasure``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastsegmetrics import represent
from fastsegmetrics.compat.py_sod_metrics.means import mean_of
from fastsegmetrics.compat.py_sod_metrics.pairs import Pair
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError
from fastsegmetrics.statistics.effort import effort_statistics
from fastsegmetrics.target import Target

Polyline = NDArray[np.int32]


class HumanCorrectionEffortMeasure:
    """Human correction effort (Qin et al., ECCV 2022).

    Parameters
    ----------
    relax : int
        Steps by which errors along the border of the union are let pass.
    epsilon : float
        Tolerance of the polygons in pixels.

    Attributes
    ----------
    hces : list of int
        One entry per image.
    morphology_kernel : ndarray of uint8, shape (3, 3)
        The cross by which masks grow and shrink; for reading, no other is used.

    Examples
    --------
    >>> import numpy as np
    >>> metric = HumanCorrectionEffortMeasure()
    >>> gt = np.zeros((5, 9), np.uint8)
    >>> gt[2, 1:8] = 255
    >>> metric.step(pred=np.zeros_like(gt), gt=gt)
    >>> int(metric.hces[0])
    2
    """

    def __init__(self, relax: int = 5, epsilon: float = 2.0) -> None:
        self.hces: list[np.int64] = []
        self.relax = relax
        self.epsilon = epsilon
        self.morphology_kernel = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.uint8)

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
            raise InputError(f"pred must be 2-D (H, W) for the HCE; received {pair.pred.shape}")
        values, target, conventions = pair._read(Target)
        pair._warn_of_a_mask_of_ones(target)
        self.hces.append(self._score(values, target, conventions))

    def cal_hce(self, pred: NDArray[Any], gt: NDArray[Any]) -> np.int64:
        """Return the score of a prepared pair: floats in [0, 1] or booleans, and booleans."""
        target = Target(np.asarray(gt) != 0)
        return self._score(np.asarray(pred) > 0.5, target, Conventions(stretch=False))

    def filter_conditional_boundary(
        self, contours: Sequence[NDArray[Any]], mask: NDArray[Any], condition: NDArray[Any]
    ) -> tuple[list[Polyline], np.int64]:
        """Return the pieces of contours that lie near a condition, and the regions without any.

        Parameters
        ----------
        contours : sequence of ndarray, shape (n, 1, 2)
            OpenCV's: column and row of each pixel.
        mask : array_like, shape (H, W)
            What the contours are of.
        condition : array_like, shape (H, W)
            Pixels count on it and beside it, each once.

        Returns
        -------
        pieces : list of ndarray of int32, shape (n, 1, 2)
            Consecutive counted pixels.  The first piece of a contour continues the last, turned
            round, where they touch.
        independent : int
            Number of 8-connected regions of the mask on which no pixel counted.
        """
        pending = _grown(np.asarray(condition) != 0)
        counted = np.zeros(pending.shape, np.bool_)
        pieces: list[Polyline] = []
        for contour in contours:
            found: list[list[tuple[int, int]]] = [[]]
            for column, row in np.asarray(contour).reshape(-1, 2).tolist():
                if pending[row, column]:
                    pending[row, column] = False
                    counted[row, column] = True
                    found[-1].append((column, row))
                elif found[-1]:
                    found.append([])
            found = [piece for piece in found if piece]
            if len(found) > 1 and _touch(found[0][0], found[-1][-1]):
                found[-1] += found.pop(0)[::-1]
            pieces += [np.array(piece, np.int32)[:, None] for piece in found]
        return pieces, np.int64(_regions_without(np.asarray(mask) != 0, counted))

    def count_polygon_control_points(
        self, boundaries: Sequence[NDArray[Any]], epsilon: float = 1.0
    ) -> int:
        """Return the number of vertices of open polylines simplified to a tolerance.

        Parameters
        ----------
        boundaries : sequence of ndarray, shape (n, 1, 2)
            As `filter_conditional_boundary` returns them.
        epsilon : float
            Tolerance in pixels.

        Raises
        ------
        InputError
            When a polyline of several points ends where it began.
        """
        from fastsegmetrics.kernels import contour

        n = 0
        for i, boundary in enumerate(boundaries):
            points = np.array(boundary, np.int32).reshape(-1, 2)
            if len(points) > 1 and (points[0] == points[-1]).all():
                raise InputError(
                    f"boundaries must be open polylines; number {i} ends at its first point "
                    f"{tuple(points[0].tolist())}"
                )
            n += contour.simplify(points, float(epsilon)).size
        return n

    def get_results(self) -> dict[str, Any]:
        """Return ``{"hce": mean over images}``."""
        return {"hce": mean_of(self.hces)}

    def _score(self, values: NDArray[Any], target: Target, conventions: Conventions) -> np.int64:
        canonical = represent.prediction(values, conventions, target.shape)
        found = effort_statistics(
            canonical, target, conventions, relax=self.relax, epsilon=self.epsilon
        )
        return np.int64(found.total)


def _touch(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return max(abs(a[0] - b[0]), abs(a[1] - b[1])) == 1


def _grown(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    padded = np.pad(mask, 1)
    around = padded[:-2, 1:-1] | padded[2:, 1:-1] | padded[1:-1, :-2] | padded[1:-1, 2:]
    grown: NDArray[np.bool_] = mask | around
    return grown


def _regions_without(mask: NDArray[np.bool_], counted: NDArray[np.bool_]) -> int:
    """Return the number of 8-connected regions of a mask that hold no counted pixel."""
    from fastsegmetrics.kernels import bitmask, contour

    levels = mask.astype(np.uint8)
    levels.setflags(write=False)
    bits = bitmask.pack_levels(levels, 0)
    starts, holes, parents = contour.find_borders(bits)
    touched = set()
    for i in range(starts.size):
        rows, columns = contour.border_points(bits, starts[i], bool(holes[i])).T
        if counted[rows, columns].any():
            touched.add(int(parents[i]) if holes[i] else i)
    return int(np.count_nonzero(~holes)) - len(touched)
