"""One contingency table of 19 classes, against counting by `numpy.bincount`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import fastsegmetrics as fsm
from speed.contestants import by_sides
from speed.rows import Row
from speed.timing import in_turn

N_CLASSES, IGNORED = 19, 255
SHAPE = (1024, 2048)
#: 1.2 GB of labels a second, both images counted.
GIGABYTES = 1.2


def street(wrong: float) -> tuple[np.ndarray, np.ndarray]:
    """Return regions of 19 classes with an ignored rim, moved a little, with wrong labels."""
    rng = np.random.default_rng(0)
    rows, columns = np.indices(SHAPE, np.float32)
    gt, nearest = np.zeros(SHAPE, np.uint8), np.full(SHAPE, np.inf, np.float32)
    for _ in range(40):
        row, column = rng.random(2) * SHAPE
        distance = (rows - row) ** 2 + (columns - column) ** 2
        closer = distance < nearest
        nearest[closer], gt[closer] = distance[closer], rng.integers(N_CLASSES)
    pred = np.roll(gt, (3, 5), (0, 1))
    changed = rng.random(SHAPE) < wrong
    pred[changed] = rng.integers(0, N_CLASSES, int(changed.sum()))
    gt[:40] = IGNORED
    return pred, gt


def by_bincount(pred: np.ndarray, gt: np.ndarray) -> np.ndarray:
    """Return the table as evaluation scripts count it."""
    kept = gt != IGNORED
    cells = N_CLASSES * gt[kept].astype(np.int64) + pred[kept]
    return np.bincount(cells, minlength=N_CLASSES**2).reshape(N_CLASSES, N_CLASSES)


def table(pred: np.ndarray, gt: np.ndarray) -> np.ndarray:
    """Return the table with all checks, as a user gets it."""
    return fsm.label_overlap(pred, gt, labels=N_CLASSES, ignore_label=IGNORED).table


def run(seconds: float) -> Iterator[Row]:
    """Yield times faster than bincount, and the time beside that of the target's bytes a second."""
    size = by_sides(SHAPE)
    for content, wrong in (("regions", 0.02), ("noise", 1.0)):
        for dtype in ("uint8", "int32", "int64"):
            pred, gt = (image.astype(dtype) for image in street(wrong))
            assert np.array_equal(table(pred, gt), by_bincount(pred, gt))
            times = in_turn(
                {"bincount": lambda: by_bincount(pred, gt), "native": lambda: table(pred, gt)},  # noqa: B023
                seconds=seconds,
            )  # fmt: skip
            in_ms = {name: 1e3 * times.median(name) for name in times.rounds}
            yield Row(
                "labels", f"table of 19 classes, {dtype}", times.ratio("bincount", "native"), "x",
                "at least", 3.0, size, content, in_ms,
            )  # fmt: skip
            most = (pred.nbytes + gt.nbytes) / (GIGABYTES * 1e9)
            yield Row(
                "labels", f"time at {GIGABYTES} GB/s, {dtype}", times.median("native"), "s",
                "at most", most, size, content,
            )  # fmt: skip
