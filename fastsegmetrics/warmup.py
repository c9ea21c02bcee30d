"""Compile every kernel once, so that the first real call finds them in the cache."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from fastsegmetrics.evaluate import Evaluator
from fastsegmetrics.target import Target


class Warmed(NamedTuple):
    """How long compiling or loading took, and where the compiled kernels are kept (None: they
    cannot be kept, every process compiles its own)."""

    seconds: float
    cache: str | None


def warm_up() -> Warmed:
    """Run every metric on tiny pairs of each kind of prediction.

    Returns
    -------
    Warmed
        A second call in another process takes a fraction of the first one's time if the kernels
        could be kept.
    """
    start = time.monotonic()
    truth = np.array([[0, 0, 255], [0, 255, 255]], np.uint8)
    ramp = np.linspace(0, 1, 6).reshape(2, 3)
    for policy in ("published", "strict"):
        for metrics in ("all", "mae"):
            for pred in (np.uint8(255 * ramp), np.float32(ramp), ramp):
                evaluator = Evaluator(metrics, policy=policy, backend="compiled")
                evaluator.update(pred, truth)
                evaluator.result()
    # Kept for many predictions, a truth is made otherwise.
    Target(truth)
    _count_labels()
    _measure_surfaces()
    _read_one_of_each_kind()
    return Warmed(time.monotonic() - start, _cache_directory())


def compiling() -> str | None:
    """Where the kernels will be kept that have to be compiled first, as a clause.

    Returns
    -------
    str or None
        None where some are kept already, or none are compiled at all.
    """
    from pathlib import Path

    from fastsegmetrics import backend
    from fastsegmetrics.kernels import levels

    if backend.resolve() == "reference" or not hasattr(levels.level_table, "py_func"):
        return None
    cache = _cache_directory()
    if cache is not None and any(Path(cache).glob("*.nbi")):
        return None
    return kept_in(cache)


def kept_in(cache: str | None) -> str:
    """A clause that says where compiled kernels are kept."""
    if cache is not None:
        return f"kept in {cache}"
    return "no folder can be written, so every process compiles its own"


def _count_labels() -> None:
    from fastsegmetrics.functional.labels import label_overlap

    pair = np.arange(9) % 2, np.arange(9) % 2
    # Labels in a run, with gaps, and too many for a byte.
    for labels in (2, (0, 1, 5), 300):
        label_overlap(*pair, labels=labels)


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


def _cache_directory() -> str | None:
    from fastsegmetrics.kernels import _jit, levels

    return _jit.cache_directory(levels.level_table)
