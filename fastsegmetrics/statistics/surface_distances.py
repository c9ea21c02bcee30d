"""How far each point of one mask's surface is from the other's, in both directions."""

from __future__ import annotations

import functools
import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend
from fastsegmetrics.represent import MaskPair
from fastsegmetrics.statistics.element_areas import KIND_OF_CODE, KINDS

Surface = Literal["voxels", "elements"]

#: How many rows around a point are tried, in images and in volumes (32 voxels to all sides); what
#: lies near costs no more for a longer list.
ROWS_OF_PLANE, ROWS_OF_VOLUME = 127, 3200
#: Rows tried per voxel of the box, after which the distance field is computed for the rest.  A row
#: costs 2 ns, a voxel of a field 30.
_PATIENCE = 8
#: A pair of points costs this share of a voxel of a distance field.
_PAIRS_PER_VOXEL = 40


class DirectedDistances(NamedTuple):
    """Surface distances of a pair, ascending in each direction.

    Attributes
    ----------
    pred_to_gt, gt_to_pred : ndarray of float64
        Of each surface point to the other surface; inf where the other mask is empty.  Empty if
        the mask itself is.
    pred_areas, gt_areas : ndarray of float64 or None
        The areas (in planes: lengths) that the distances stand for, ascending where these are
        equal; None for voxels, which all count alike.
    """

    pred_to_gt: NDArray[np.float64]
    gt_to_pred: NDArray[np.float64]
    pred_areas: NDArray[np.float64] | None = None
    gt_areas: NDArray[np.float64] | None = None


class _Grid(NamedTuple):
    """A pair as volumes, of one plane for images, and the spacing along three axes."""

    pred: NDArray[np.uint8]
    gt: NDArray[np.uint8]
    spacing: tuple[float, float, float]
    #: What the distances are multiplied by: an isotropic grid is measured in steps.
    unit: float
    planar: bool


def surface_distances(
    pair: MaskPair, *, surface: Surface = "voxels", connectivity: int = 1
) -> DirectedDistances:
    """Return the sorted directed surface distances of two masks with two or three axes.

    Parameters
    ----------
    pair : MaskPair
        What `represent.mask_pair` returns.
    surface : {"voxels", "elements"}
        The points: centres of the voxels that have a neighbour outside the mask, or the cells
        between voxels that the surface passes, each with its area.
    connectivity : int
        For voxels: along how many axes a neighbour may lie one step away (1: 4 or 6 neighbours).

    Notes
    -----
    What is outside the array is outside both masks.  Points that lie near the other surface, which
    are nearly all of a useful prediction, are settled row by row (`kernels.nearest`); the few left
    are tried against all points; many are read from a distance field of both surfaces' box.  Each
    way gives the same bits.
    """
    if backend.resolve() == "reference":
        from fastsegmetrics.reference import surface_pair

        return DirectedDistances(
            *surface_pair.directed_distances(
                pair.pred, pair.gt, pair.spacing, surface, connectivity
            )
        )
    grid = _grid(pair)
    if surface == "elements":
        return _between_elements(pair, grid)
    from fastsegmetrics.kernels import surface as kernels

    bits = [
        kernels.surface(kernels.pack_volume(mask, 0, grid.planar), connectivity, grid.planar)
        for mask in (grid.pred, grid.gt)
    ]
    squares = _both_squares(bits[0], bits[1], grid)
    return DirectedDistances(*(_sorted_roots(found, grid) for found in squares))


def point_distances(pair: MaskPair) -> DirectedDistances:
    """Return the sorted directed distances between two sets of points: all that is set."""
    if backend.resolve() == "reference":
        from fastsegmetrics.reference import surface_pair

        scale = np.array(pair.spacing)
        points = [np.argwhere(mask) * scale for mask in (pair.pred, pair.gt)]
        return DirectedDistances(
            np.sort(surface_pair.nearest_distances(points[0], points[1])),
            np.sort(surface_pair.nearest_distances(points[1], points[0])),
        )
    from fastsegmetrics.kernels import surface as kernels

    grid = _grid(pair)
    pred, gt = (kernels.pack_volume(mask, 0, grid.planar) for mask in (grid.pred, grid.gt))
    return DirectedDistances(
        *(_sorted_roots(found, grid) for found in _both_squares(pred, gt, grid))
    )


def surface_points(mask: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return plane, row and column of a mask's surface voxels: (N, 3)."""
    if backend.resolve() == "reference":
        from fastsegmetrics.reference.surface_pair import surface_voxels

        return np.pad(np.argwhere(surface_voxels(mask)), ((0, 0), (3 - mask.ndim, 0)))
    from fastsegmetrics.kernels import nearest, surface as kernels

    planar = mask.ndim == 2
    volume = kernels.pack_volume(mask[None] if planar else mask, 0, planar)
    bits = kernels.surface(volume, 1, planar)
    count = kernels.count_bits(bits)
    points: NDArray[np.int64] = nearest.points_left(bits, np.full(count, -1.0), count)
    return points


def _grid(pair: MaskPair) -> _Grid:
    planar = pair.pred.ndim == 2
    pred, gt = (mask[None] if planar else mask for mask in (pair.pred, pair.gt))
    if len(set(pair.spacing)) == 1:
        return _Grid(pred, gt, (1.0, 1.0, 1.0), pair.spacing[0], planar)
    planes = 1.0 if planar else pair.spacing[0]
    rows, columns = pair.spacing[-2:]
    return _Grid(pred, gt, (planes, rows, columns), 1.0, planar)


def _both_squares(
    pred: NDArray[np.uint64], gt: NDArray[np.uint64], grid: _Grid
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the squared distances of the set bits of each volume to those of the other."""
    from fastsegmetrics.kernels import surface as kernels

    counts = kernels.count_bits(pred), kernels.count_bits(gt)
    if 0 in counts:
        return np.full(counts[0], np.inf), np.full(counts[1], np.inf)
    box = kernels.extent(pred, gt)
    return (
        _squares(pred, counts[0], gt, counts[1], box, grid),
        _squares(gt, counts[1], pred, counts[0], box, grid),
    )


def _squares(
    source: NDArray[np.uint64],
    n_source: int,
    target: NDArray[np.uint64],
    n_target: int,
    box: NDArray[np.int64],
    grid: _Grid,
) -> NDArray[np.float64]:
    from fastsegmetrics.kernels import nearest, spaced_distance, surface as kernels

    spacing = grid.spacing
    n_voxels = int(np.prod(box[:, 1] - box[:, 0]))
    out = np.empty(n_source)
    left = nearest.near_squares(
        source,
        target,
        kernels.mirrored(target),
        near_rows(spacing, grid.planar),
        np.square(np.arange(nearest.REACH + 1) * spacing[2]),
        out,
        _PATIENCE * n_voxels,
    )
    if left == 0:
        return out
    points = nearest.points_left(source, out, left)
    if left * n_target <= _PAIRS_PER_VOXEL * n_voxels:
        targets = nearest.points_left(target, np.full(n_target, -1.0), n_target)
        out[out < 0] = nearest.tried_squares(points, targets, spacing)
    else:
        field = spaced_distance.squared_distances(target, box, spacing)
        out[out < 0] = field[tuple((points - box[:, 0]).T)]
    return out


def _between_elements(pair: MaskPair, grid: _Grid) -> DirectedDistances:
    from fastsegmetrics.kernels import elements, surface as kernels

    areas = area_table(pair.spacing)
    bits = [kernels.pack_volume(mask, 1, grid.planar) for mask in (grid.pred, grid.gt)]
    cells = [elements.element_cells(volume, grid.planar) for volume in bits]
    squares = _both_squares(cells[0], cells[1], grid)
    sides = []
    for volume, set_cells, found in zip(bits, cells, squares):
        weights = elements.element_areas(volume, set_cells, areas, grid.planar, found.size)
        # There are few different areas, so that their ranks are sorted by counting.
        ranks = np.searchsorted(np.unique(areas), weights).astype(np.uint8)
        order = np.argsort(ranks, kind="stable")
        order = order[_ascending(found[order])]
        sides.append((np.sqrt(found[order]) * grid.unit, weights[order]))
    (forth, pred_areas), (back, gt_areas) = sides
    for array in (forth, back, pred_areas, gt_areas):
        array.setflags(write=False)
    return DirectedDistances(forth, back, pred_areas, gt_areas)


def area_table(spacing: tuple[float, ...]) -> NDArray[np.float64]:
    """Return the area of a surface element by the code of its corners: (16,) or (256,).

    In planes: the length of boundary in a cell of 2 x 2 pixels.
    """
    if len(spacing) == 2:
        oblique = math.hypot(*spacing) / 2
        rows, columns = spacing
        by_code = {0b0011: columns, 0b1100: columns, 0b0101: rows, 0b1010: rows,
                   0b0110: 2 * oblique, 0b1001: 2 * oblique, 0: 0.0, 15: 0.0}  # fmt: skip
        return np.array([by_code.get(code, oblique) for code in range(16)])
    first, second, third = spacing
    scale = np.array([second * third, first * third, first * second]) / 8
    kinds = [math.fsum(math.hypot(*(scale * vector)) for vector in kind) for kind in KINDS]
    return np.array(kinds)[list(KIND_OF_CODE)]


def _ascending(squares: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the order of ascending values."""
    if squares.size and squares.max() < 65536:
        whole = squares.astype(np.uint16)
        if (whole == squares).all():
            # A radix sort, five times as fast.
            return np.argsort(whole, kind="stable")
    return np.argsort(squares, kind="stable")


@functools.lru_cache(maxsize=32)
def near_rows(spacing: tuple[float, float, float], planar: bool) -> Any:
    """Return the rows (`kernels.nearest.Rows`) around a point that are tried, nearest first."""
    from fastsegmetrics.kernels.nearest import Rows

    most = ROWS_OF_PLANE if planar else ROWS_OF_VOLUME
    planes, rows = spacing[0], spacing[1]
    # A disc that holds about as many; of a flat grid the nearest row is in it.
    radius = most * rows / 2 if planar else max(math.sqrt(most * planes * rows / math.pi), rows)
    reach_z = 0 if planar else min(int(radius / planes), most)
    reach_y = min(int(radius / rows), most)
    z, y = (side.ravel() for side in np.mgrid[-reach_z : reach_z + 1, -reach_y : reach_y + 1])
    down, forth = (z * planes) ** 2, (y * rows) ** 2
    away = down + forth
    order = np.lexsort((y, z, away))
    horizon = radius * radius
    if order.size > most:
        horizon = min(horizon, np.nextafter(away[order[most]], 0))
    # All rows up to the horizon, also those that are equally far.
    order = order[away[order] <= horizon]
    steps = np.stack([z, y], axis=1)[order].astype(np.int64)
    return Rows(steps, np.stack([down, forth], axis=1)[order].astype(np.float64), float(horizon))


def _sorted_roots(squares: NDArray[np.float64], grid: _Grid) -> NDArray[np.float64]:
    """Return distances in the unit of the spacing, ascending."""
    roots: NDArray[np.float64]
    if grid.spacing == (1.0, 1.0, 1.0) and squares.size and squares.max() < 4 * squares.size:
        # Few different whole numbers: counting them is ten times as fast as sorting.
        counts = np.bincount(squares.astype(np.int64))
        values = np.flatnonzero(counts)
        roots = np.repeat(np.sqrt(values.astype(np.float64)) * grid.unit, counts[values])
    else:
        roots = np.sort(squares)
        np.sqrt(roots, out=roots)
        roots *= grid.unit
    roots.setflags(write=False)
    return roots
