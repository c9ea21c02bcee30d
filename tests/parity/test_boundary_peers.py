"""Bands beside OpenCV, centre lines beside scikit-image, tolerances beside a dilation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import ndimage

import fastsegmetrics as fsm

SEEDS = range(25)


def pair(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(5, 60, 2))
    noise = ndimage.gaussian_filter(rng.random((2, *shape)), (0, 2, 2))
    first, second = noise > np.quantile(noise, 0.6, axis=(1, 2), keepdims=True)
    return first, second if seed % 2 else np.roll(first, (1, 2), (0, 1))


@pytest.mark.parametrize("seed", SEEDS)
def test_boundary_iou(seed) -> None:
    cv2 = pytest.importorskip("cv2")
    masks = pair(seed)
    for share in (0.02, 0.06):
        score = fsm.boundary_iou(*masks, share=share)
        bands = []
        for mask in masks:
            padded = np.pad(mask.astype(np.uint8), 1)
            eroded = cv2.erode(padded, np.ones((3, 3), np.uint8), iterations=score.distance)
            bands.append(mask & (eroded[1:-1, 1:-1] == 0))
        expected = (bands[0] & bands[1]).sum() / (bands[0] | bands[1]).sum()
        assert score == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("seed", SEEDS)
def test_centre_line_dice(seed) -> None:
    morphology = pytest.importorskip("skimage.morphology")
    pred, gt = pair(seed)
    lines = [morphology.skeletonize(mask) for mask in (pred, gt)]
    precision = (lines[0] & gt).sum() / lines[0].sum()
    sensitivity = (lines[1] & pred).sum() / lines[1].sum()
    score = fsm.cl_dice(pred, gt)
    assert (score.precision, score.sensitivity) == (precision, sensitivity)
    expected = 2 * precision * sensitivity / (precision + sensitivity)
    assert score == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("seed", SEEDS)
def test_nearest_rule_is_a_dilation(seed) -> None:
    """As the DAVIS benchmark has it: either boundary grown by a disc of the tolerance."""
    pred, gt = pair(seed)
    edges = [mask & ~ndimage.binary_erosion(mask) for mask in (pred, gt)]
    for tolerance in (1, 2, 3.5):
        reach = math.floor(tolerance)
        rows, columns = np.mgrid[-reach : reach + 1, -reach : reach + 1]
        disc = rows**2 + columns**2 <= tolerance**2
        grown = [ndimage.binary_dilation(edge, disc) for edge in edges]
        score = fsm.boundary_f(pred, gt, tolerance)
        assert score.precision == (edges[0] & grown[1]).sum() / edges[0].sum()
        assert score.recall == (edges[1] & grown[0]).sum() / edges[1].sum()
