"""Components, overlaps and neighbourhoods on runs, against their twins and against SciPy."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import ndimage

from fastsegmetrics.kernels import overlap, regions
from fastsegmetrics.reference import (
    label as label_twins,
    overlap as overlap_twins,
    regions as region_twins,
)
from tests.strategies import shapes


def flat(mask):
    pixels = np.ascontiguousarray(mask).view(np.uint8).reshape(-1)
    return pixels, pixels[: pixels.size // 8 * 8].view(np.uint64), mask.shape[1]


def components(mask, connectivity=8):
    return regions.components(*flat(mask), connectivity)


def drawn(*rows):
    return np.array([[letter != "." for letter in row] for row in rows])


@st.composite
def mask_pairs(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(shapes)
    fill = st.sampled_from([0.0, 0.05, 0.3, 0.6, 0.95, 1.0])
    return rng.random(shape) < draw(fill), rng.random(shape) < draw(fill)


@pytest.mark.parametrize("connectivity", [4, 8])
@given(pair=mask_pairs())
def test_components_and_centroids(connectivity, pair):
    for mask in pair:
        ours = regions.components(*flat(mask), connectivity)
        for found, twin in zip(ours, region_twins.components(*flat(mask), connectivity)):
            np.testing.assert_array_equal(found, twin)
        table = ours[2]
        centres = regions.centroids(table)
        np.testing.assert_array_equal(centres, region_twins.centroids(table))
        image, count = label_twins.label(mask, connectivity)
        assert centres.shape == (count, 2)
        for k in range(count):
            # The mean of the coordinates, to the last bit.
            assert tuple(centres[k]) == tuple(np.argwhere(image == k + 1).mean(axis=0))


@given(mask_pairs())
def test_targets(pair):
    for mask in pair:
        found, twin = regions.targets(*flat(mask)), region_twins.targets(*flat(mask))
        runs, labels, table = components(mask)
        expected = runs, labels, table[:, 0], regions.centroids(table)
        for mine, theirs, known in zip(found, twin, expected):
            np.testing.assert_array_equal(mine, theirs)
            np.testing.assert_array_equal(mine, known)
            assert mine.dtype == theirs.dtype
        for mine, theirs in zip(regions.targets_of(runs), region_twins.targets_of(runs)):
            np.testing.assert_array_equal(mine, theirs)


def test_components_of_two_targets():
    mask = drawn("#...", "#...", "##.#")
    runs, labels, table = components(mask)
    assert runs.tolist() == [[0, 0, 1], [1, 0, 1], [2, 0, 2], [2, 3, 4]]
    assert labels.tolist() == [1, 1, 1, 2]
    assert table.tolist() == [[4, 0, 0, 3, 2, 5, 1], [1, 2, 3, 3, 4, 2, 3]]
    assert regions.centroids(table).tolist() == [[1.25, 0.25], [2.0, 3.0]]


def test_no_component():
    runs, labels, table = components(np.zeros((3, 5), bool))
    assert (runs.shape, labels.shape, table.shape) == ((0, 3), (0,), (0, 7))
    assert regions.centroids(table).shape == (0, 2)


def overlap_arguments(rows, columns):
    (a, la, ta), (b, lb, tb) = components(rows), components(columns)
    return a, la, b, lb, len(ta), len(tb)


@given(mask_pairs())
def test_overlaps(pair):
    arguments = overlap_arguments(*pair)
    found = overlap.overlaps(*arguments)
    np.testing.assert_array_equal(found, overlap_twins.overlaps(*arguments))
    assert found.dtype == np.int64
    assert found[:, 2].sum() == (pair[0] & pair[1]).sum()


def test_overlaps_of_merged_and_split_targets():
    truth = drawn("##.##.#", "##.##.#", ".......")
    pred = drawn(".####..", ".......", "#......")
    arguments = overlap_arguments(truth, pred)
    assert overlap.overlaps(*arguments).tolist() == [[0, 0, 1], [1, 0, 2]]
    # Two pieces of one U-shaped truth in one prediction are one pair.
    truth, pred = drawn("#.#", "#.#", "###"), drawn("###", "...", "##.")
    arguments = overlap_arguments(truth, pred)
    assert overlap.overlaps(*arguments).tolist() == [[0, 0, 2], [0, 1, 2]]


@pytest.mark.parametrize(("rows", "columns"), [(0, 0), (0, 1), (1, 0)])
def test_overlaps_with_an_empty_side(rows, columns):
    arguments = overlap_arguments(np.full((4, 6), rows > 0), np.full((4, 6), columns > 0))
    assert overlap.overlaps(*arguments).shape == (0, 3)
    assert overlap_twins.overlaps(*arguments).shape == (0, 3)


@given(mask_pairs(), st.integers(0, 5))
def test_near_pixels(pair, radius):
    (runs, _, _), (others, _, _) = components(pair[0]), components(pair[1])
    width = pair[0].shape[1]
    found = regions.near_pixels(runs, others, width, radius)
    np.testing.assert_array_equal(found, region_twins.near_pixels(runs, others, width, radius))
    side = 2 * radius + 1
    grown = ndimage.binary_dilation(pair[1], np.ones((side, side)))
    assert found.sum() == (grown & pair[0]).sum()


def test_near_pixels_at_borders_and_just_outside():
    pred = np.zeros((11, 13), bool)
    pred[[0, 0, 4, 5, 10], [4, 5, 0, 0, 12]] = True
    truth = np.zeros((11, 13), bool)
    truth[0, 0] = truth[10, 12] = True
    (runs, _, _), (others, _, _) = components(pred), components(truth)
    # Columns 4 and 5 of the first row are one run, of which one pixel is within 4 columns.
    assert runs.tolist() == [[0, 4, 6], [4, 0, 1], [5, 0, 1], [10, 12, 13]]
    assert regions.near_pixels(runs, others, 13, 4).tolist() == [1, 1, 0, 1]
    assert regions.near_pixels(runs, others[:0], 13, 4).tolist() == [0, 0, 0, 0]
    assert regions.near_pixels(runs[:0], others, 13, 4).tolist() == []
