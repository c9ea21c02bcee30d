"""Boundaries on the grid, and the distances of one to the other by trying all pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.statistics.boundary_map import boundary, boundary_map


def boundary_by_definition(mask):
    found = np.zeros(mask.shape, bool)
    for y, x in np.argwhere(mask):
        for row, column in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
            inside = 0 <= row < mask.shape[0] and 0 <= column < mask.shape[1]
            found[y, x] |= not inside or not mask[row, column]
    return found


@pytest.mark.parametrize("shape", [(1, 1), (1, 8), (9, 1), (7, 10)])
@pytest.mark.parametrize("backend", ["compiled", "reference"])
def test_distances_by_trying_all_pairs(shape, backend) -> None:
    random = np.random.RandomState(3)
    for share in (0.2, 0.8, 1.1):
        pred, gt = random.random_sample((2, *shape)) < share
        pred, gt = pred[::-1], np.asfortranarray(gt)
        with fsm.use_backend(backend):
            found = boundary_map(pred, gt)
        np.testing.assert_array_equal(found.pred, boundary_by_definition(pred))
        np.testing.assert_array_equal(found.gt, boundary_by_definition(gt))
        points = np.argwhere(found.gt)
        for y, x in np.ndindex(shape):
            expected = min((math.dist((y, x), point) for point in points), default=math.inf)
            expected = expected if found.pred[y, x] else math.nan
            np.testing.assert_allclose(found.distance[y, x], expected, rtol=1e-15)


def test_distances_are_those_of_the_surface_scores() -> None:
    pred, gt = np.zeros((2, 20, 30), bool)
    gt[5:15, 5:20] = pred[8:18, 3:25] = True
    found = boundary_map(pred, gt)
    expected = fsm.surface_distances(pred, gt).pred_to_gt
    np.testing.assert_allclose(np.sort(found.distance[found.pred]), expected, rtol=1e-15)


def test_empty_masks() -> None:
    empty, full = np.zeros((3, 4), bool), np.ones((3, 4), bool)
    assert not boundary(empty).any()
    assert np.isnan(boundary_map(empty, full).distance).all()
    found = boundary_map(full, empty).distance
    assert np.isinf(found).sum() == 10
    assert np.isnan(found).sum() == 2
