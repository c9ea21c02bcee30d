"""Pairs of large masks: of a brain, where its map is installed, and folded ones of any size."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np

#: Grey matter of the MNI 152 template, in the wheel of nilearn (tools/peers/brain.txt): how likely
#: each voxel of 1 mm is, of 255.
_MAP = "datasets/data/mni_icbm152_gm_tal_nlin_sym_09a_converted.nii.gz"
LEVELS = 0.4, 0.6
SHAPE = (197, 233, 189)

Pair = tuple[np.ndarray, np.ndarray]


def brain_pair() -> Pair | None:
    """Return the masks of two levels of the map, or None where it is not installed."""
    # Only its file is read: nilearn itself needs not be importable.
    package = find_spec("nilearn")
    if package is None or not package.submodule_search_locations or find_spec("nibabel") is None:
        return None
    path = Path(package.submodule_search_locations[0]) / _MAP
    if not path.is_file():
        return None
    import nibabel

    # In C order, which mikan-rs needs.
    likely = np.ascontiguousarray(nibabel.load(path).dataobj)
    lower, higher = (likely > level * 255 for level in LEVELS)
    return lower, higher


def folded_pair(shape: tuple[int, ...]) -> Pair:
    """Return two level sets of a folded ball: large surfaces a voxel or two apart.

    Made plane by plane, so that the peak memory of a process is not that of making them.
    """
    first, *others = (np.linspace(-1, 1, n, dtype=np.float32) for n in shape)
    within = np.meshgrid(*others, indexing="ij", sparse=True)
    pred, gt = np.empty((2, *shape), bool)
    for i, place in enumerate(first):
        axes = [place, *within]
        level = np.sqrt(sum(axis * axis for axis in axes))
        fold = np.float32(0.25)
        for axis in axes:
            fold = fold * np.sin(18 * axis + 1)
        level = level + fold
        pred[i], gt[i] = level < 0.62, level < 0.66
    return pred, gt


def shifted(pair: Pair, by: int) -> Pair:
    """Return a pair with its first mask moved along the first axis."""
    return np.roll(pair[0], by, 0), pair[1]
