"""Surface scores of a pair, against surface-distance, MedPy and a path on SciPy's k-d tree, and
centre lines, against scikit-image's skeletons."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
from scipy import ndimage
from scipy.spatial import cKDTree
from skimage.morphology import skeletonize

import fastsegmetrics as fsm
from speed.rows import Row
from speed.timing import in_turn

Scores = Callable[[np.ndarray, np.ndarray], object]
NAME = "HD, HD95, ASSD, NSD"
LINES = "clDice"
#: Times faster that each should be, by content; the k-d tree profits from near surfaces.
TARGETS = {
    ("near", "197x233x189"): {
        "surface-distance": 20,
        "medpy": 20,
        "k-d tree": 4,
        "scikit-image": 5,
    },
    ("shifted", "197x233x189"): {"medpy": 5},
    ("near", "512x512"): {"medpy": 20},
}
TOLERANCE = 1.0


def folded_pair(shape: tuple[int, ...], shift: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two level sets of a folded ball: large surfaces a voxel or two apart."""
    axes = np.meshgrid(*(np.linspace(-1, 1, n, dtype=np.float32) for n in shape), indexing="ij")
    radius = np.sqrt(sum(axis * axis for axis in axes))
    level = radius + 0.25 * np.prod([np.sin(18 * axis + 1) for axis in axes], axis=0)
    return np.roll(level < 0.62, shift, 0), level < 0.66


def _native(surface: str) -> Scores:
    def scores(pred: np.ndarray, gt: np.ndarray) -> object:
        found = fsm.surface_distances(pred, gt, surface=surface)
        return found.hd, found.hd95, found.assd, found.nsd(TOLERANCE)

    return scores


def _of_elements(peer: ModuleType) -> Scores:
    def scores(pred: np.ndarray, gt: np.ndarray) -> object:
        found = peer.compute_surface_distances(gt, pred, (1.0,) * gt.ndim)
        return (
            peer.compute_robust_hausdorff(found, 100),
            peer.compute_robust_hausdorff(found, 95),
            peer.compute_average_surface_distance(found),
            peer.compute_surface_dice_at_tolerance(found, TOLERANCE),
        )

    return scores


def _of_medpy(peer: ModuleType) -> Scores:
    """It has no NSD, so that it computes three scores."""

    def scores(pred: np.ndarray, gt: np.ndarray) -> object:
        return peer.hd(pred, gt), peer.hd95(pred, gt), peer.assd(pred, gt)

    return scores


def _of_tree(pred: np.ndarray, gt: np.ndarray) -> object:
    edges = [np.argwhere(mask & ~ndimage.binary_erosion(mask)) for mask in (pred, gt)]
    forth = cKDTree(edges[1]).query(edges[0])[0]
    back = cKDTree(edges[0]).query(edges[1])[0]
    both = np.concatenate([forth, back])
    percentile = max(np.percentile(forth, 95), np.percentile(back, 95))
    return both.max(), percentile, both.mean(), (both <= TOLERANCE).mean()


def _of_skeletons(pred: np.ndarray, gt: np.ndarray) -> object:
    lines = skeletonize(pred) > 0, skeletonize(gt) > 0
    precision, sensitivity = gt[lines[0]].mean(), pred[lines[1]].mean()
    return 2 * precision * sensitivity / (precision + sensitivity)


def _surface_distance() -> ModuleType:
    """Import the package of 2021, which names what NumPy has dropped since."""
    for name, value in {"bool": np.bool_, "Inf": np.inf, "NaN": np.nan}.items():
        if name not in vars(np):
            setattr(np, name, value)
    import surface_distance

    return surface_distance


def run(seconds: float) -> Iterator[Row]:
    """Compare images and volumes, with surfaces near each other and shifted by 20 voxels."""
    import medpy.metric.binary

    peers: dict[str, tuple[Scores, Scores]] = {
        "surface-distance": (_of_elements(_surface_distance()), _native("elements")),
        "medpy": (_of_medpy(medpy.metric.binary), _native("voxels")),
        "k-d tree": (_of_tree, _native("voxels")),
    }
    for size in ("512x512", "197x233x189"):
        shape = tuple(int(side) for side in size.split("x"))
        for content, shift in (("near", 0), ("shifted", 20)):
            pair = folded_pair(shape, shift)
            for name, (peer, native) in peers.items():
                yield _row(NAME, name, peer, native, pair, size, content, seconds)
            if content == "near":
                lines = "scikit-image", _of_skeletons, fsm.cl_dice
                yield _row(LINES, *lines, pair, size, content, seconds)


def _row(
    scores: str,
    name: str,
    peer: Scores,
    native: Scores,
    pair: Any,
    size: str,
    content: str,
    seconds: float,
) -> Row:
    times = in_turn(
        {name: lambda: peer(*pair), "native": lambda: native(*pair)},
        least_rounds=3,
        seconds=seconds,
    )
    target = TARGETS.get((content, size), {}).get(name)
    return Row(
        "surfaces",
        f"{scores} / {name}",
        times.ratio(name, "native"),
        "x",
        "at least" if target else "",
        target,
        size,
        content,
        {each: 1000 * times.median(each) for each in (name, "native")},
    )
