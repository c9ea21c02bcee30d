"""Stages 1 and 2 of one pair: the partitions of a map, and the targets in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend as backends, represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.protocol.options import (
    Adaptive,
    Components,
    Dynamic,
    Fixed,
    Representation,
)
from fastsegmetrics.statistics.boundary_map import boundary
from fastsegmetrics.statistics.effort import skeleton_of
from fastsegmetrics.statistics.map_surfaces import band_width
from fastsegmetrics.target import Target

Map = NDArray[Any]
Mask = NDArray[np.bool_]


class Cuts(NamedTuple):
    """Nested partitions of a map: ``key >= t`` (or ``> t``) for ascending thresholds t."""

    key: Map
    thresholds: Map
    keep: str

    def masks(self) -> Iterator[tuple[Mask, bool]]:
        """Yield each partition, and whether it is the one before once more."""
        last = -1
        for t in self.thresholds:
            mask = self.key >= t if self.keep == ">=" else self.key > t
            n = int(np.count_nonzero(mask))
            # They are nested: as many pixels are the same pixels.
            yield mask, n == last
            last = n

    def counts(self, g: Mask) -> NDArray[np.float64]:
        """Return tp, fp, fn and tn of every partition: float64[T, 4]."""
        side = "left" if self.keep == ">=" else "right"
        tp, fp = (
            part.size - np.searchsorted(np.sort(part), self.thresholds, side=side)  # type: ignore[call-overload]
            for part in (self.key[g], self.key[~g])
        )
        n = int(np.count_nonzero(g))
        return np.array([tp, fp, n - tp, g.size - n - fp], np.float64).T


def cuts(representation: Representation, values: Map, whole: Map, conventions: Conventions) -> Cuts:
    """Return the partitions of a (local) map.

    Parameters
    ----------
    representation : Fixed, Adaptive or Dynamic
        Which partitions.
    values : ndarray of float, shape (H, W)
        The map in [0, 1]; of a target, zero outside it.
    whole : ndarray of float, shape (H, W)
        The map of the image, of which an adaptive threshold may be taken.
    conventions : Conventions
        The policy: whether an adaptive threshold of 0 keeps pixels that are 0.
    """
    of_map = values.dtype.type
    if isinstance(representation, Fixed):
        return Cuts(values, np.array([representation.t], values.dtype), representation.keep)
    if isinstance(representation, Adaptive):
        mean = float((whole if representation.of == "image" else values).mean())
        threshold = of_map(min(representation.factor * mean, representation.cap))
        strict = conventions.policy == "strict" and threshold == 0
        return Cuts(values, np.array([threshold]), ">" if strict else ">=")
    assert isinstance(representation, Dynamic)  # a soft map has no partitions
    n = representation.steps(conventions.bins)
    if representation.over == "levels":
        return Cuts(np.floor(of_map(255) * values), np.arange(n, dtype=values.dtype), ">=")
    bins = np.linspace(0, 1, n, endpoint=False)
    return Cuts(values, bins.astype(values.dtype), representation.keep)


class Region(NamedTuple):
    """One target: its label, its box, its area and its centroid."""

    label: int
    box: tuple[slice, slice]
    area: int
    centroid: tuple[float, float]


class Regions(NamedTuple):
    """The targets of a mask, in raster order of their first pixels, in one label image.

    The runs (row, start, stop) and their labels are those of the label image, small components
    included.
    """

    labels: NDArray[np.int32]
    found: tuple[Region, ...]
    runs: NDArray[np.int32]
    labels_of_runs: NDArray[np.int32]

    @property
    def areas(self) -> NDArray[np.int64]:
        """Pixels of each target: int64[n]."""
        return np.array([region.area for region in self.found], np.int64)

    @property
    def centroids(self) -> NDArray[np.float64]:
        """Mean row and column of each target's pixels: float64[n, 2]."""
        return np.array([region.centroid for region in self.found], np.float64).reshape(-1, 2)

    def mask(self, region: Region) -> Mask:
        """Return one target's pixels."""
        return self.labels == region.label


def components(mask: Mask, connectivity: int) -> Regions:
    """Return all connected components of a mask."""
    if backends.resolve() == "reference":
        from fastsegmetrics.reference import label, regions
    else:
        from fastsegmetrics.kernels import label, regions  # type: ignore[no-redef]
    height, width = mask.shape
    flat = represent.sealed(mask).view(np.uint8).reshape(-1)
    runs, labels, table = regions.components(flat, represent.words(flat), width, connectivity)
    image = label.paint_runs(runs, labels, height, width)
    rows = table.tolist()
    found = (
        Region(k + 1, (slice(top, bottom), slice(left, right)), area, (down / area, across / area))
        for k, (area, top, left, bottom, right, down, across) in enumerate(rows)
    )
    return Regions(image, tuple(found), runs, labels)


def targets_of(mask: Mask, option: Components, *, truth: bool) -> Regions:
    """Return the components that count as targets; see `Components`."""
    regions = components(mask, option.connectivity)
    least = option.min_area
    if truth and option.small == "largest" and regions.found:
        least = min(least, max(region.area for region in regions.found))
    return regions._replace(found=tuple(r for r in regions.found if r.area >= least))


def joint_box(a: tuple[slice, slice], b: tuple[slice, slice]) -> tuple[slice, slice]:
    """Return the smallest box around two boxes."""
    rows, columns = (
        slice(min(x.start, y.start), max(x.stop, y.stop)) for x, y in zip(a, b, strict=True)
    )
    return rows, columns


def within(values: Map, where: Mask | tuple[slice, slice]) -> Map:
    """Return a map with zeros outside a mask or a box."""
    local = np.zeros_like(values)
    local[where] = values[where]
    return local


def form_of(mask: Mask, form: str) -> Mask:
    """Return what of a region is compared: itself, or its edge, boundary, skeleton or band."""
    if form == "edge":
        from fastsegmetrics.reference.edges import edge_mask

        return edge_mask(mask)
    if form == "boundary":
        return boundary(mask)
    if form == "band":
        return band(mask)
    if form == "skeleton":
        return skeleton_of(borrowed(mask))
    return mask


def band(mask: Mask) -> Mask:
    """Return the pixels that are gone after some erosions by 3 × 3; outside is background."""
    kept = mask
    for _ in range(band_width(mask.shape)):
        wide = np.pad(kept, 1)
        rows = wide[:-2] & wide[1:-1] & wide[2:]
        kept = rows[:, :-2] & rows[:, 1:-1] & rows[:, 2:]
    return mask & ~kept


def borrowed(mask: Mask, image: NDArray[np.uint8] | None = None) -> Target:
    """Return a target for one call, without a copy."""
    return Target.borrowing(np.ascontiguousarray(mask), None, None, image)


def map_input(values: Map) -> represent.MapInput:
    """Return a map as the producers of statistics take it."""
    return represent.MapInput(represent.sealed(values), False)
