"""Size-invariant scores straight from their pixels, and twins of ``kernels.size_invariant``.

``p`` is a float map in [0, 1] and ``g`` a boolean truth of its shape.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference import measure as whole_map
from fastsegmetrics.reference.label import label

Boxes = NDArray[np.int64]
Parts = tuple[
    NDArray[np.int64],
    NDArray[np.uint8],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.float64],
    NDArray[np.bool_],
]


def target_boxes(g: NDArray[np.bool_], min_area: int = 50) -> list[tuple[slice, slice]]:
    """Return the bounding boxes of the targets, in raster order of their first pixels.

    Targets are the 4-connected components of at least `min_area` pixels, or all of the largest
    area if none is that large; a truth without foreground is one target, the whole image.
    """
    labels, count = label(g, 4)
    if count == 0:
        return [(slice(0, g.shape[0]), slice(0, g.shape[1]))]
    areas = np.bincount(labels.flat)[1:]
    kept = areas >= min_area if areas.max() >= min_area else areas == areas.max()
    boxes = []
    for k in np.flatnonzero(kept):
        rows, columns = np.nonzero(labels == k + 1)
        boxes.append((slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1)))
    return boxes


def size_invariant_mae(p: NDArray[Any], g: NDArray[np.bool_], *, min_area: int = 50) -> float:
    """Mean absolute error balanced over targets and background (Li et al., ICML 2024)."""
    wrong = np.abs(p.astype(np.float64) - g)
    boxes = target_boxes(g, min_area)
    inside = np.zeros(g.shape, bool)
    for box in boxes:
        inside[box] = True
    ratio = (~inside).sum() / inside.sum()
    total = sum(wrong[box].mean() for box in boxes)
    if not inside.all():
        total += ratio * wrong[~inside].mean()
    return float(total / (len(boxes) + ratio))


def local_pairs(
    p: NDArray[Any], g: NDArray[np.bool_], *, min_area: int = 50
) -> list[tuple[NDArray[Any], NDArray[np.bool_]]]:
    """Return, for each target, map and truth with all outside the target's box set to zero."""
    pairs = []
    for box in target_boxes(g, min_area):
        local_p, local_g = np.zeros_like(p), np.zeros_like(g)
        local_p[box], local_g[box] = p[box], g[box]
        pairs.append((local_p, local_g))
    return pairs


def size_invariant_scores(
    p: NDArray[Any], g: NDArray[np.bool_], *, min_area: int = 50, **conventions: Any
) -> tuple[dict[str, float], list[whole_map.Counts]]:
    """Return each per-image value, the mean over targets, by name, and the targets' counts.

    The conventions are those of ``reference.measure.measure``.
    """
    measured = [
        whole_map.measure(*pair, alpha=0.5, **conventions)
        for pair in local_pairs(p, g, min_area=min_area)
    ]
    values = {
        name: float(np.mean([values[name] for values, _ in measured]))
        for name in measured[0][0]
        if name.rpartition(".")[2] in ("bin", "adp", "mean", "max_of_image")
    }
    return values, [counts for _, counts in measured]


def rectangles_outside(boxes: Boxes, height: int, width: int) -> Boxes:
    """Return disjoint rectangles that make up all outside the boxes.

    Rows between which no box begins or ends have the same gaps; each gap is one rectangle.
    """
    inside = np.zeros((height, width), bool)
    for top, left, bottom, right in boxes:
        inside[top:bottom, left:right] = True
    edges = sorted({0, height, *boxes[:, 0].tolist(), *boxes[:, 2].tolist()})
    found = []
    for top, bottom in itertools.pairwise(edges):
        steps = np.diff(inside[top].astype(np.int8), prepend=1, append=1)
        lefts, rights = np.flatnonzero(steps == -1), np.flatnonzero(steps == 1)
        found += [(top, left, bottom, right) for left, right in zip(lefts, rights, strict=True)]
    return np.array(found, np.int64).reshape(-1, 4)


def box_levels(
    pred: NDArray[np.uint8],
    mask: NDArray[np.uint8],
    width: int,
    boxes: Boxes,
) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]:
    """Count the raw values of a flat 8-bit map in each box."""
    plane, truth = pred.reshape(-1, width), mask.reshape(-1, width)
    tables = []
    for top, left, bottom, right in boxes:
        box = slice(top, bottom), slice(left, right)
        tables.append(_table(plane[box], truth[box]))
    return _sparse(tables)


def rectangles_table(
    pred: NDArray[np.uint8],
    mask: NDArray[np.uint8],
    width: int,
    rectangles: Boxes,
) -> NDArray[np.int64]:
    """Count the raw values of a flat 8-bit map in disjoint rectangles together."""
    inside = np.zeros((pred.size // width, width), bool)
    for top, left, bottom, right in rectangles:
        inside[top:bottom, left:right] = True
    chosen = inside.reshape(-1)
    return _table(pred[chosen], mask[chosen])


def span(raw: NDArray[np.uint8], outside: NDArray[np.int64]) -> tuple[int, int]:
    """Return the lowest and the highest raw value in all boxes and in a table of the rest."""
    occurring = [*raw.tolist(), *np.flatnonzero(outside.any(axis=0)).tolist()]
    return min(occurring), max(occurring)


def error_of_table(table: NDArray[np.int64], low: int, high: int) -> int:
    """Return the sum of |P - G|, `high` - `low` times as large, of a table [2, 256]."""
    values = np.arange(256)
    return int((table[0] * (values - low)).sum() + (table[1] * (high - values)).sum())


def describe_boxes(
    starts: NDArray[np.int64],
    raw: NDArray[np.uint8],
    counts: NDArray[np.int64],
    span: tuple[int, int],
    n_pixels: int,
    keep_at_zero: bool,
    tolerance: float,
) -> Parts:
    """Turn raw values in boxes into the statistics of local maps, zero outside their boxes."""
    low, high = span
    pairs = []
    for begin, end in itertools.pairwise(starts):
        values = np.repeat(raw[begin:end].repeat(2), counts[begin:end].reshape(-1))
        truth = np.repeat(np.tile([False, True], end - begin), counts[begin:end].reshape(-1))
        unit = (values / 255.0 - low / 255.0) / (high / 255.0 - low / 255.0)
        pairs.append((unit if span != (0, 255) else values / 255.0, truth))
    return _describe(pairs, n_pixels, keep_at_zero, tolerance)


def float_boxes(
    pred: NDArray[Any],
    mask: NDArray[np.uint8],
    boxes: Boxes,
    top: Any,
    keep_at_zero: bool,
    tolerance: float,
) -> Parts:
    """Return of a float map what `describe_boxes` returns."""
    places = [(slice(b[0], b[2]), slice(b[1], b[3])) for b in boxes]
    pairs = [(pred[place].reshape(-1), mask[place].reshape(-1) == 1) for place in places]
    return _describe(pairs, pred.size, keep_at_zero, tolerance)


def rectangles_error(pred: NDArray[Any], mask: NDArray[np.uint8], rectangles: Boxes) -> float:
    """Return the sum of |P - G| of a float map in disjoint rectangles."""
    wrong = np.abs(pred.astype(np.float64) - mask)
    return float(
        sum(wrong[top:bottom, left:right].sum() for top, left, bottom, right in rectangles)
    )


def _table(pred: NDArray[Any], truth: NDArray[Any]) -> NDArray[np.int64]:
    sides = [np.bincount(pred[truth == g], minlength=256) for g in (0, 1)]
    return np.array(sides, np.int64)


def _sparse(
    tables: list[NDArray[np.int64]],
) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]:
    occurring = [np.flatnonzero(table.any(axis=0)) for table in tables]
    starts = np.cumsum([0, *(len(levels) for levels in occurring)])
    levels = np.concatenate(occurring).astype(np.uint8)
    counts = np.concatenate([t[:, at].T for t, at in zip(tables, occurring, strict=True)])
    return starts, levels, counts


def _describe(
    pairs: list[tuple[NDArray[Any], NDArray[np.bool_]]],
    n_pixels: int,
    keep_at_zero: bool,
    tolerance: float,
) -> Parts:
    tables, sides, errors, near = [], [], [], []
    for inside, inside_truth in pairs:
        outside = n_pixels - inside.size
        p = np.concatenate((inside, np.zeros(outside, inside.dtype)))
        g = np.concatenate((inside_truth, np.zeros(outside, bool)))
        mean = p.astype(np.float64).mean()
        kept = (p >= min(2 * mean, 1.0)) & (keep_at_zero | (p > 0))
        sides.append([[np.sum(b & g), np.sum(b & ~g)] for b in (p > 0.5, kept)])
        tables.append(_table(np.floor(p * p.dtype.type(255)).astype(np.int64), g))
        errors.append(np.abs(p.astype(np.float64) - g).sum())
        near.append(mean > 0 and bool((np.abs(inside - 2 * mean) <= tolerance * mean).any()))
    return *_sparse(tables), np.array(sides, np.int64), np.array(errors), np.array(near)
