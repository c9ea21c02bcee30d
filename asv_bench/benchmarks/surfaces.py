"""Surface scores of volumes and images: near, shifted, memory of large ones; centre lines."""

from __future__ import annotations

import numpy as np

from fastsegmetrics.functional.boundary import boundary_f, cl_dice
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


class CentreLines:
    """Centre-line Dice: two thinnings."""

    params = (("folded", "tubes", "noise"), ("512x512", "197x233x189"))
    param_names = ("content", "shape")

    def setup(self, content: str, shape: str) -> None:
        sides = tuple(int(side) for side in shape.split("x"))
        if content == "folded":
            self.pair = folded_pair(sides)
        elif content == "tubes":
            # As wide as they are apart, along the last axis.
            places = np.indices(sides[:-1]).reshape(len(sides) - 1, *sides[:-1], 1)
            tubes = np.broadcast_to((places % 14 < 7).all(axis=0), sides)
            self.pair = tubes, np.roll(tubes, 1, 0)
        else:
            rng = np.random.default_rng(0)
            self.pair = rng.random((2, *sides)) < 0.5
        cl_dice(*self.pair)

    def time_cl_dice(self, content: str, shape: str) -> None:
        cl_dice(*self.pair)

    def peakmem_cl_dice(self, content: str, shape: str) -> None:
        cl_dice(*self.pair)
