"""Surface scores of volumes and images: near each other, shifted, and memory of large ones."""

from __future__ import annotations

import numpy as np

from fastsegmetrics.functional.boundary import boundary_f
from fastsegmetrics.functional.surface import surface_distances


def folded_pair(shape: tuple[int, ...], shift: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two level sets of a folded ball: large surfaces that are a voxel or two apart."""
    axes = np.meshgrid(*(np.linspace(-1, 1, n, dtype=np.float32) for n in shape), indexing="ij")
    radius = np.sqrt(sum(axis * axis for axis in axes))
    folds = np.prod([np.sin(18 * axis + 1) for axis in axes], axis=0)
    level = radius + 0.25 * folds
    return np.roll(level < 0.62, shift, 0), level < 0.66


class Surfaces:
    """All surface scores of a pair from one statistic."""

    params = (("near", "shifted"), ("voxels", "elements"), ("512x512", "197x233x189"))
    param_names = ("distance", "surface", "shape")

    def setup(self, distance: str, surface: str, shape: str) -> None:
        sides = tuple(int(side) for side in shape.split("x"))
        self.pair = folded_pair(sides, 20 if distance == "shifted" else 0)
        surface_distances(*self.pair, surface=surface)

    def time_surface_distances(self, distance: str, surface: str, shape: str) -> None:
        found = surface_distances(*self.pair, surface=surface)
        found.hd, found.hd95, found.assd, found.nsd(1)

    def peakmem_surface_distances(self, distance: str, surface: str, shape: str) -> None:
        surface_distances(*self.pair, surface=surface)


class Boundaries:
    """Boundary F by both rules."""

    params = (("nearest", "one_to_one"),)
    param_names = ("matching",)

    def setup(self, matching: str) -> None:
        self.pair = folded_pair((512, 512))
        boundary_f(*self.pair, 2, matching=matching)

    def time_boundary_f(self, matching: str) -> None:
        boundary_f(*self.pair, 2, matching=matching)
