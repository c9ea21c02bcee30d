"""Compile every kernel once, so that the first real call finds them in the cache."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.evaluate import Evaluator
from fastsegmetrics.target import Target

# Large enough for the windows and searches that small images do without.
_SHAPE = (130, 175)


class Warmed(NamedTuple):
    """How long compiling or loading took, and where the compiled kernels are kept (None: they
    cannot be kept, every process compiles its own)."""

    seconds: float
    cache: str | None


def warm_up(starts: Callable[[str], None] | None = None) -> Warmed:
    """Measure pairs of each kind by everything there is.

    Parameters
    ----------
    starts : callable, optional
        Called with the name of each part before its turn.

    Returns
    -------
    Warmed
        A second call in another process takes a fraction of the first one's time if the kernels
        could be kept.
    """
    start = time.monotonic()
    for name, part in _PARTS.items():
        if starts is not None:
            starts(name)
        part()
    return Warmed(time.monotonic() - start, _cache_directory())


def on_compiling(say: Callable[[str], None] | None) -> None:
    """Have the first kernel that must be compiled in this process announced; None: no longer.

    Parameters
    ----------
    say : callable or None
        Called once, with a clause that says where the kernels are kept, maybe in another thread.
    """
    from fastsegmetrics import backend

    if backend.resolve() == "reference":
        return
    from fastsegmetrics.kernels import _jit

    _jit.on_compiling(None if say is None else lambda: say(kept_in(_cache_directory())))


def kept_in(cache: str | None) -> str:
    """A clause that says where compiled kernels are kept."""
    if cache is not None:
        return f"kept in {cache}"
    return "no folder can be written, so every process compiles its own"


def _scene() -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.uint8]]:
    """A noisy map of two objects, their truth with a thin arm, and a photograph of them."""
    rows, columns = np.indices(_SHAPE)
    noise = np.random.RandomState(0).random_sample((3, *_SHAPE))
    truth = ((rows - 60) ** 2 + (columns - 60) ** 2 < 1800) | (abs(columns - 140) < 9) & (rows > 80)
    truth[30:32, 60:150] = True
    soft = np.clip(np.roll(truth, 3, 1) * 0.7 + 0.4 * noise[0] - 0.05, 0, 1)
    photo = np.uint8(80 * np.moveaxis(noise, 0, -1) + 100 * truth[..., None] + 40)
    return soft, truth, photo


def _measure_maps(metrics: str) -> None:
    soft, truth, photo = _scene()
    tiny = np.linspace(0, 1, 6).reshape(2, 3)
    one = np.array([[0, 0, 1], [0, 1, 1]], bool)
    # Truths in a large box are summed in single precision, others in double.
    wide = truth.copy()
    wide[2, 3] = wide[-3, -3] = True
    pairs = [(soft, truth, photo), (np.round(soft), truth, photo), (soft, wide, photo)]
    if metrics != "photo":
        pairs.append((tiny, one, np.zeros((2, 3, 3), np.uint8)))
    # Kept for many predictions, a truth is made otherwise.
    Target(255 * np.uint8(truth))
    for policy in ("published", "strict"):
        for kind in (_bytes, np.float32, np.float64):
            evaluator = Evaluator(metrics, policy=policy, backend="compiled")
            for pred, gt, image in pairs:
                given = image if metrics == "photo" else None
                evaluator.update(kind(pred), 255 * np.uint8(gt), image=given)
            evaluator.result()


def _bytes(values: NDArray[np.float64]) -> NDArray[np.uint8]:
    return np.uint8(255 * values)


def _draw_photo_maps() -> None:
    from fastsegmetrics.functional.photo_maps import camouflage_degree, difficulty_maps

    soft, truth, photo = _scene()
    camouflage_degree(truth, image=photo)
    for pred in (_bytes(soft), np.float32(soft), soft):
        difficulty_maps(pred, truth, image=photo)


def _count_labels() -> None:
    from fastsegmetrics.functional.labels import label_overlap, multilabel_overlap
    from fastsegmetrics.functional.overlap import overlap, soft_dice

    # Labels in a run, with gaps, and too many for a byte.
    for labels in (2, (0, 1, 5), 300):
        for kind in (np.int64, np.uint8, np.int32, np.uint16):
            pair = (np.arange(9) % 2).astype(kind), (np.arange(9) % 2).astype(kind)
            label_overlap(*pair, labels=labels)
    masks = np.arange(18).reshape(2, 9) % 2 > 0
    multilabel_overlap(masks, masks)
    overlap(masks, masks)
    for soft in (np.float32(masks), np.float64(masks)):
        soft_dice(soft, masks)


def _measure_surfaces() -> None:
    from fastsegmetrics.functional.boundary import boundary_f, boundary_iou, cl_dice
    from fastsegmetrics.functional.surface import surface_distances
    from fastsegmetrics.kernels import spaced_distance, surface as kernels

    # Surfaces that are near each other, and ones that are farther apart than rows are tried.
    pred, gt = np.zeros((2, 2, 3, 150), bool)
    pred[0, :2, :9], gt[0, 1:, 2:12] = True, True
    for first, second in ((pred, gt), (pred, gt[..., ::-1])):
        surface_distances(first[0], second[0])
        for surface in ("voxels", "elements"):
            surface_distances(first, second, surface=surface)  # type: ignore[arg-type]
            surface_distances(first, second, surface=surface, spacing=(2, 1, 0.5))  # type: ignore[arg-type]
    boundary_f(pred[0], gt[0], 1, matching="one_to_one")
    boundary_f(pred[0], gt[0], 1, boundary="davis")
    boundary_iou(pred, gt)
    cl_dice(pred[0], gt[0])
    cl_dice(pred, gt)
    # Only many points far away need a distance field.
    bits = kernels.surface(np.zeros((1, 1, 3), np.uint64), 1, True)
    spaced_distance.squared_distances(bits, np.array([[0, 1]] * 3), (1.0, 1.0, 1.0))


def _read_one_of_each_kind() -> None:
    import tempfile
    from pathlib import Path

    from fastsegmetrics.io import png_chunks, read_map
    from fastsegmetrics.io.png_writer import png_bytes

    png_chunks.joined(bytes(12), 0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.png"
        path.write_bytes(png_bytes(np.arange(64, dtype=np.uint8).reshape(8, 8)))
        read_map(path)


_PARTS: dict[str, Callable[[], None]] = {
    "one number": lambda: _measure_maps("mae"),
    "maps": lambda: _measure_maps("all"),
    "maps with photographs": lambda: _measure_maps("photo"),
    "pictures of photographs": _draw_photo_maps,
    "labels": _count_labels,
    "surfaces": _measure_surfaces,
    "files": _read_one_of_each_kind,
}


def _cache_directory() -> str | None:
    from fastsegmetrics.kernels import _jit, levels

    return _jit.cache_directory(levels.level_table)
