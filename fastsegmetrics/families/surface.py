"""Surface and boundary scores of P > 0.5 of the map as it is, all from one statistic."""

from __future__ import annotations

from fastsegmetrics import represent
from fastsegmetrics.catalog.surface import PART_OF
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.represent import MapInput
from fastsegmetrics.scores import boundary, surface as scores
from fastsegmetrics.target import Target


def surface(
    pred: MapInput, target: Target, conventions: Conventions, wanted: tuple[str, ...]
) -> dict[str, float]:
    """Return the scores that are wanted."""
    from fastsegmetrics.statistics import boundary as points, map_surfaces as statistics

    found = statistics.map_surfaces(pred, target, conventions, {PART_OF[name] for name in wanted})
    perfect = conventions.both_empty == "perfect"
    values: dict[str, float] = {}
    if found.distances is not None:
        one_empty = scores.distance_of_one(conventions.one_empty, target.shape)
        sides = found.distances.pred_to_gt, found.distances.gt_to_pred
        for name, score in scores.DISTANCES.items():
            if name in wanted:
                values[name] = scores.distance(score, *sides, perfect=perfect, one_empty=one_empty)
        values["nsd"] = scores.near_share(*sides, conventions.tolerance, perfect=perfect)
        delta = statistics.boundary_tolerance(statistics.BOUNDARY_SHARE, target.shape)
        near = points.near_points(found.distances, delta)
        values["boundary_f"] = boundary.f_of_found(*near, perfect=perfect)
    if found.band is not None:
        values["boundary_iou"] = boundary.overlap(*found.band, perfect=perfect)
    if found.lines is not None:
        values["cl_dice"] = boundary.f_of_found(*found.lines, perfect=perfect)
    return values


def surface_by_pixels(
    pred: MapInput, target: Target, conventions: Conventions, wanted: tuple[str, ...]
) -> dict[str, float]:
    """Return all of them by the reference definition."""
    from fastsegmetrics.reference.map_surfaces import surface_scores

    return surface_scores(
        represent.unit_values(pred) > 0.5,
        target.mask == 1,
        tolerance=conventions.tolerance,
        perfect=conventions.both_empty == "perfect",
        diagonal=conventions.one_empty == "diagonal",
    )
