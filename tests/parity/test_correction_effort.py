"""Human correction effort beside pysodmetrics; thinning beside scikit-image; polygons beside
OpenCV 4, with which pysodmetrics is published."""

import cv2
import numpy as np
import py_sod_metrics as peer
import pytest
import scenes
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from skimage.measure import label
from skimage.morphology import skeletonize

from fastsegmetrics import represent
from fastsegmetrics.compat.py_sod_metrics.human_correction_effort import (
    HumanCorrectionEffortMeasure,
)
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.kernels import bitmask, contour, skeleton
from fastsegmetrics.statistics.effort import effort_statistics, skeleton_of
from fastsegmetrics.target import Target

pytestmark = pytest.mark.filterwarnings("ignore")


def disks(shape, count, radius, seed):
    gt = np.zeros(shape, bool)
    for row, column in scenes.noise((count, 2), seed) % np.array(shape):
        gt |= scenes.squared_distance(shape, row, column) <= radius**2
    return gt


def hairs(shape, count, seed):
    """Lines one pixel wide that wander down the image."""
    out = np.zeros(shape, bool)
    turns = scenes.noise((count, shape[0] + 1), seed)
    for strand in turns:
        column = int(strand[0]) % shape[1]
        for row in range(shape[0]):
            to = column + int(strand[row + 1]) % 5 - 2
            out[row, max(0, min(column, to)) : max(column, to) + 1] = True
            column = to % shape[1]
    return out


def drawn_truths():
    shape = (83, 131)
    rows, columns = np.indices(shape)
    yield disks(shape, 5, 9, 1)
    yield disks(shape, 4, 25, 2)
    yield disks(shape, 200, 1, 3)
    yield ~disks(shape, 12, 6, 4)
    yield disks(shape, 9, 14, 5) & ((rows < 20) | (columns > 110) | (rows > 70))
    yield hairs(shape, 3, 6)
    yield hairs(shape, 14, 7) | disks(shape, 2, 17, 8)
    yield rows == columns
    yield abs(rows - columns) < 3
    yield columns % 8 < 2
    yield columns % 2 == 0
    yield (columns % 6 == 0) | (rows > 79)
    yield (rows + columns) % 2 == 0
    yield (rows == 0) | (rows == 82) | (columns == 0) | (columns == 130)
    yield np.minimum.reduce([rows, columns, 82 - rows, 130 - columns]) % 9 < 4
    yield (rows == 41) & (columns == 65)
    yield (rows == 0) & (columns == 130)
    yield (rows % 11 == 5) & (columns % 13 == 6)
    yield abs(rows - 40) + abs(columns - 60) == 30
    yield (abs(rows - 40) + abs(columns - 60)) % 11 < 6
    yield rows > 60
    yield rows >= 0
    yield rows < 0


def drawn_pairs():
    truths = list(drawn_truths())
    for i, gt in enumerate(truths):
        noise = scenes.noise(gt.shape, 60 + i) % 256
        moved = np.roll(gt, (7, -9), (0, 1))
        grown = cv2.dilate(gt.astype(np.uint8), None, iterations=8) > 0
        other = truths[(5 * i + 3) % len(truths)]
        yield noise, gt
        yield np.where(moved, 255, 0), gt
        yield np.where(moved | (noise < 3), 255 - noise // 4, noise // 9), gt
        yield np.where(grown, 200, 10), gt
        yield np.where(gt, 0, 255), gt
        yield np.where(other, 255, 0), gt
        yield np.where(other ^ grown, 255, 0), gt
        yield np.where(gt & (noise > 40), 255, 0), gt


@pytest.fixture(scope="module")
def pairs():
    drawn = [(p.astype(np.uint8), np.where(g, 255, 0).astype(np.uint8)) for p, g in drawn_pairs()]
    found = drawn + [(s.pred, s.gt) for s in scenes.all_scenes() + scenes.one_pixel_scenes()]
    assert len(found) >= 500
    return found


def parts_by_the_peer(pred, gt, metric):
    """The four parts by the peer's methods, SciPy-free masks by OpenCV, scikit-image's skeleton."""
    values = pred / 255
    low, high = values.min(), values.max()
    b = (values if low == high else (values - low) / (high - low)) > 0.5
    g = gt > 128
    cross = metric.morphology_kernel
    core = cv2.erode((b | g).astype(np.uint8), cross, iterations=metric.relax) > 0
    over, under = b & ~g & core, g & ~b & core
    for _ in range(metric.relax):
        over = (cv2.dilate(over.astype(np.uint8), cross) > 0) & ~g
        under = (cv2.dilate(under.astype(np.uint8), cross) > 0) & ~b
    over, under = over & b & ~g, (under & g & ~b) | (skeletonize(g) & ~(b & g))
    parts = []
    for errors, condition in ((over, (b & g) | under), (under, ~((b & g) | over | under))):
        contours, _ = cv2.findContours(
            errors.astype(np.uint8), cv2.RETR_TREE, cv2.CHAIN_APPROX_NONE
        )
        pieces, regions = metric.filter_conditional_boundary(contours, errors, condition)
        parts += [metric.count_polygon_control_points(pieces, metric.epsilon), regions]
    return tuple(int(part) for part in parts)


CONVENTIONS = Conventions(pred_scale=255)


def native(pred, gt, metric):
    target = Target(gt, 128)
    canonical = represent.prediction(pred, CONVENTIONS, target.shape)
    return effort_statistics(
        canonical, target, CONVENTIONS, relax=metric.relax, epsilon=metric.epsilon
    )


@pytest.mark.parametrize(("relax", "epsilon"), [(5, 2.0), (0, 0.5), (2, 3.3)])
def test_scores_and_parts_are_the_peers(pairs, relax, epsilon):
    theirs = peer.HumanCorrectionEffortMeasure(relax=relax, epsilon=epsilon)
    ours = HumanCorrectionEffortMeasure(relax=relax, epsilon=epsilon)
    for i, (pred, gt) in enumerate(pairs):
        theirs.step(pred, gt)
        ours.step(pred, gt)
        found = native(pred, gt, theirs)
        assert found == parts_by_the_peer(pred, gt, theirs), i
        assert found.total == theirs.hces[-1], i
    assert ours.hces == theirs.hces
    assert ours.get_results() == theirs.get_results()
    assert sum(theirs.hces) > 10_000


def test_already_normalised_maps(pairs):
    theirs, ours = peer.HumanCorrectionEffortMeasure(), HumanCorrectionEffortMeasure()
    for scene in scenes.small_scenes():
        for dtype in (np.float64, np.float32):
            pred, gt = scenes.as_float(scene, dtype)
            theirs.step(pred, gt, normalize=False)
            ours.step(pred, gt, normalize=False)
    assert ours.hces == theirs.hces


def test_helpers_are_the_peers(pairs):
    theirs, ours = peer.HumanCorrectionEffortMeasure(), HumanCorrectionEffortMeasure()
    for i, (pred, gt) in enumerate(pairs):
        mask, condition = pred > 127, (gt > 128) ^ (pred > 200)
        contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_TREE, cv2.CHAIN_APPROX_NONE)
        expected, regions = theirs.filter_conditional_boundary(contours, mask, condition)
        found, independent = ours.filter_conditional_boundary(contours, mask, condition)
        assert independent == regions, i
        assert len(found) == len(expected), i
        for piece, other in zip(found, expected):
            assert piece.dtype == other.dtype
            np.testing.assert_array_equal(piece, other)
        for epsilon in (0.5, 1.0, 2.0, 5.0):
            assert ours.count_polygon_control_points(
                found, epsilon
            ) == theirs.count_polygon_control_points(expected, epsilon)


def packed(mask):
    levels = mask.astype(np.uint8)
    levels.setflags(write=False)
    bits = bitmask.pack_levels(levels, 0)
    bits.setflags(write=False)
    return bits


def test_skeletons_are_scikit_images(pairs):
    for _, gt in pairs:
        np.testing.assert_array_equal(skeleton_of(Target(gt, 128)), skeletonize(gt > 128))


def test_all_masks_of_4_by_4_thin_as_in_scikit_image():
    """All 2^16, 256 to a sheet, two pixels apart."""
    for high in range(256):
        sheet = np.zeros((96, 96), bool)
        for low in range(256):
            bits = (np.arange(16) < 8) * (high >> np.arange(16) % 8 & 1) + (np.arange(16) >= 8) * (
                low >> np.arange(16) % 8 & 1
            )
            row, column = divmod(low, 16)
            sheet[6 * row + 1 : 6 * row + 5, 6 * column + 1 : 6 * column + 5] = bits.reshape(4, 4)
        found = bitmask.unpack(skeleton.thin(packed(sheet), 96), 96)
        np.testing.assert_array_equal(found, skeletonize(sheet))


masks = hnp.arrays(np.bool_, hnp.array_shapes(min_dims=2, max_dims=2, max_side=40))


@settings(max_examples=300)
@given(masks, st.integers(0, 3))
def test_drawn_masks_thin_as_in_scikit_image(mask, times):
    grown = cv2.dilate(mask.astype(np.uint8), None, iterations=times) > 0
    found = bitmask.unpack(skeleton.thin(packed(grown), grown.shape[1]), grown.shape[1])
    np.testing.assert_array_equal(found, skeletonize(grown))


@settings(max_examples=300)
@given(masks)
def test_regions_are_the_outer_borders(mask):
    _, holes, _ = contour.find_borders(packed(mask))
    assert np.count_nonzero(~holes) == label(mask, connectivity=2).max()


steps = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=0, max_size=60)


@settings(max_examples=500)
@given(steps, st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.7, 9.0]))
def test_polygons_are_opencvs(drawn, epsilon):
    points = np.cumsum([(0, 0), *drawn], axis=0).astype(np.int32)
    if len(points) > 1 and (points[0] == points[-1]).all():
        points = points[:-1] if (points[-2] != points[0]).any() else points[:1]
    expected = cv2.approxPolyDP(points[:, None], epsilon, False)[:, 0]
    np.testing.assert_array_equal(points[contour.simplify(points, epsilon)], expected)
