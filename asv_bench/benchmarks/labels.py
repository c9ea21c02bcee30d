"""Contingency tables of label images and volumes, beside NumPy's own counting."""

from __future__ import annotations

import numpy as np

from fastsegmetrics.functional.labels import label_overlap
from fastsegmetrics.functional.overlap import overlap

N_CLASSES = 19


def street(shape: tuple[int, ...], noise: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Regions of 19 classes, a prediction moved by a few pixels with some labels at random."""
    rng = np.random.default_rng(seed)
    places = np.indices(shape, np.float32)
    truth, nearest = np.zeros(shape, np.uint8), np.full(shape, np.inf, np.float32)
    for _ in range(40):
        centre = rng.random(len(shape)) * shape
        distance = sum((axis - c) ** 2 for axis, c in zip(places, centre))
        closer = distance < nearest
        nearest[closer], truth[closer] = distance[closer], rng.integers(N_CLASSES)
    pred = np.roll(truth, (3, 5), (0, 1))
    wrong = rng.random(shape) < noise
    pred[wrong] = rng.integers(0, N_CLASSES, int(wrong.sum()))
    return pred, truth


class Labels:
    """All 19 classes of a 1024 x 2048 image."""

    params = (("regions", "noise"), ("u1", "i4", "i8"))
    param_names = ("content", "dtype")

    def setup(self, content: str, dtype: str) -> None:
        pred, gt = street((1024, 2048), 0.02 if content == "regions" else 1.0)
        gt[:40] = 255
        self.pred, self.gt = pred.astype(dtype), gt.astype(dtype)
        self.time_label_overlap(content, dtype)

    def time_label_overlap(self, content: str, dtype: str) -> None:
        label_overlap(self.pred, self.gt, labels=N_CLASSES, ignore_label=255)

    def time_bincount(self, content: str, dtype: str) -> None:
        kept = self.gt != 255
        cells = N_CLASSES * self.gt[kept].astype(np.int64) + self.pred[kept]
        np.bincount(cells, minlength=N_CLASSES**2)


class Volumes:
    """Labels and one mask of a volume, in the order that NIfTI files have."""

    params = ("C", "F")
    param_names = ("order",)

    def setup(self, order: str) -> None:
        pred, gt = street((160, 160, 128), 0.001)
        self.pred, self.gt = np.array(pred, order=order), np.array(gt, order=order)
        self.masks = self.pred == 3, self.gt == 3
        self.time_label_overlap(order)
        self.time_overlap(order)

    def time_label_overlap(self, order: str) -> None:
        label_overlap(self.pred, self.gt, labels=N_CLASSES)

    def time_overlap(self, order: str) -> None:
        overlap(*self.masks)
