"""All surface scores of a pair, against surface-distance, MedPy, mikan-rs and SciPy's k-d tree;
its centre lines, against scikit-image's skeletons."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType

import numpy as np
from scipy import ndimage
from scipy.spatial import cKDTree
from skimage.morphology import skeletonize

import fastsegmetrics as fsm
from speed.contestants import by_sides
from speed.fresh import told_by
from speed.rows import Row
from speed.timing import beside
from speed.volumes import SHAPE, Pair, brain_pair, folded_pair, shifted

Scores = Callable[[np.ndarray, np.ndarray], object]
NAME = "HD, HD95, ASSD, NSD"
LINES = "clDice"
PLANE = (512, 512)
#: Voxels that no point of a shifted prediction is near.
SHIFT = 20
#: Times faster that each should be, by number of axes; the k-d tree profits from near surfaces.
TARGETS = {
    (3, "near"): {
        "surface-distance": 20,
        "medpy": 20,
        "mikan-rs": 10,
        "k-d tree": 4,
        "scikit-image": 5,
    },
    (3, "shifted"): {"medpy": 5},
    (2, "near"): {"medpy": 20},
}
TOLERANCE = 1.0
#: A peer's call of a volume lasts up to 8 s: two or three rounds.
PATIENCE = 16.0
LARGE = 512
MOST_GIGABYTES = 3.0

_PROGRAM = """
import fastsegmetrics as fsm
from speed.volumes import folded_pair, shifted
shift, side = map(int, sys.argv[1:])
pair = shifted(folded_pair((side, side, side)), shift)
found = fsm.surface_distances(*pair)
scores = found.hd, found.hd95, found.assd, found.nsd(1)
print(json.dumps({"peak": peak(), "scores": scores}))
"""


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


def _of_mikan(peer: ModuleType) -> Scores:
    """It has no NSD either, and takes volumes of label numbers."""

    def scores(pred: np.ndarray, gt: np.ndarray) -> object:
        found = peer.ArrayEvaluator(gt.view(np.uint8), pred.view(np.uint8), (1.0, 1.0, 1.0))
        return found.labels(1).metrics(["hd", "hd95", "assd"])

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
    """Compare images and volumes, surfaces near each other and shifted; then the peak memory."""
    import medpy.metric.binary
    import mikan

    peers: dict[str, tuple[Scores, Scores]] = {
        "surface-distance": (_of_elements(_surface_distance()), _native("elements")),
        "medpy": (_of_medpy(medpy.metric.binary), _native("voxels")),
        "mikan-rs": (_of_mikan(mikan), _native("voxels")),
        "k-d tree": (_of_tree, _native("voxels")),
        "scikit-image": (_of_skeletons, fsm.cl_dice),
    }
    brain = brain_pair()
    subjects = {
        "folded": folded_pair(PLANE),
        "folded volume" if brain is None else "brain": brain or folded_pair(SHAPE),
    }
    for subject, pair in subjects.items():
        for content, shift in (("near", 0), ("shifted", SHIFT)):
            masks = shifted(pair, shift)
            targets = TARGETS.get((masks[0].ndim, content), {})
            for name, (peer, native) in peers.items():
                if name == "mikan-rs" and masks[0].ndim == 2:
                    continue
                if name == "scikit-image" and shift:
                    continue
                times = {name: lambda: peer(*masks), "native": lambda: native(*masks)}  # noqa: B023
                yield _row(name, times, targets.get(name), masks, f"{subject}, {content}", seconds)
    yield from _memory()


def _row(
    name: str,
    calls: dict[str, Callable[[], object]],
    target: float | None,
    pair: Pair,
    content: str,
    seconds: float,
) -> Row:
    times = beside(name, calls, patience=PATIENCE, seconds=seconds)
    return Row(
        "surfaces",
        f"{LINES if name == 'scikit-image' else NAME} / {name}",
        times.ratio(name, "native"),
        "x",
        "at least" if target else "",
        target,
        by_sides(pair[0].shape),
        content,
        {each: 1000 * times.median(each) for each in (name, "native")},
    )


def _memory() -> Iterator[Row]:
    """Yield the peak memory of a fresh process that scores a large pair, its masks included."""
    for content, shift in (("near", 0), ("shifted", SHIFT), ("far", LARGE // 3)):
        peak = told_by(_PROGRAM, shift, LARGE)["peak"] / 1e9
        yield Row(
            "surfaces", f"{NAME}, peak memory", peak, "GB", "at most", MOST_GIGABYTES,
            by_sides((LARGE,) * 3), f"folded, {content}",
        )  # fmt: skip
