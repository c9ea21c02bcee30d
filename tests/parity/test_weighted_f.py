"""The weighted F-measure beside pysodmetrics, and nearest pixels beside this SciPy."""

import numpy as np
import py_sod_metrics as peer
import pytest
import scenes
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import ndimage

from fastsegmetrics import represent
from fastsegmetrics.compat.py_sod_metrics.weighted_fmeasure import WeightedFmeasure
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.kernels import distance
from fastsegmetrics.statistics.weighted import weighted_statistics
from fastsegmetrics.target import Target

pytestmark = pytest.mark.filterwarnings("ignore")
CLOSE = {"rtol": 1e-12, "atol": 1e-13}


def disks(shape, count, radius, seed):
    gt = np.zeros(shape, bool)
    for row, column in scenes.noise((count, 2), seed) % np.array(shape):
        gt |= scenes.squared_distance(shape, row, column) <= radius**2
    return gt


def drawn_truths():
    shape = (83, 131)
    rows, columns = np.indices(shape)
    yield disks(shape, 5, 9, 1)
    yield disks(shape, 4, 25, 2)
    yield disks(shape, 200, 1, 3)
    yield ~disks(shape, 12, 6, 4)
    yield disks(shape, 9, 14, 5) & ((rows < 20) | (columns > 110) | (rows > 70))
    yield (rows == columns) & (rows < 60)
    yield columns % 8 < 2
    yield (columns % 6 == 0) | (rows > 79)
    yield (rows + columns) % 2 == 0
    yield (rows == 0) | (rows == 82) | (columns == 0) | (columns == 130)
    yield np.minimum.reduce([rows, columns, 82 - rows, 130 - columns]) % 9 == 4
    yield (rows == 41) & (columns == 65)
    yield (rows == 0) & (columns == 130)
    yield (rows % 11 == 5) & (columns % 13 == 6)
    yield abs(rows - 40) + abs(columns - 60) == 30
    yield rows > 60


def drawn_pairs():
    for i, gt in enumerate(drawn_truths()):
        noise = scenes.noise(gt.shape, 60 + i) % 256
        moved = np.roll(gt, (2, -3), (0, 1))
        yield noise.astype(np.uint8), gt
        yield np.where(moved, 255, 0).astype(np.uint8), gt
        yield np.where(moved | (noise < 3), 255 - noise // 4, noise // 9).astype(np.uint8), gt


@pytest.fixture(scope="module")
def eight_bit():
    pairs = [(s.pred, s.gt) for s in scenes.all_scenes() + scenes.one_pixel_scenes()]
    pairs += [(pred, np.where(gt, 255, 0).astype(np.uint8)) for pred, gt in drawn_pairs()]
    assert len(pairs) >= 380
    return pairs


def by(metric, pairs, normalize=True):
    for pair in pairs:
        metric.step(*pair, normalize=normalize)
    return np.array(metric.weighted_fms, np.float64)


def native(pairs, **choices):
    conventions = Conventions(**choices)
    for pred, gt in pairs:
        target = Target(gt)
        canonical = represent.prediction(pred, conventions, target.shape)
        yield weighted_statistics(canonical, target, conventions).f()


def test_8_bit_maps(eight_bit):
    expected = by(peer.WeightedFmeasure(), eight_bit)
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(by(WeightedFmeasure(), eight_bit), expected, **CLOSE)
    truths = [(pred, gt > 128) for pred, gt in eight_bit]
    np.testing.assert_allclose(list(native(truths, pred_scale=255)), expected, **CLOSE)


def test_float_maps():
    pairs = [scenes.as_float(s) for s in scenes.small_scenes()]
    expected = by(peer.WeightedFmeasure(), pairs, normalize=False)
    np.testing.assert_allclose(by(WeightedFmeasure(), pairs, normalize=False), expected, **CLOSE)
    np.testing.assert_allclose(list(native(pairs, stretch=False)), expected, **CLOSE)
    single = [(pred.astype(np.float32), gt) for pred, gt in pairs]
    expected = by(peer.WeightedFmeasure(), single, normalize=False)
    found = by(WeightedFmeasure(), single, normalize=False)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("beta", [0.0, 0.3, 2.0])
def test_other_weights(beta, eight_bit):
    pairs = eight_bit[::7]
    expected = by(peer.WeightedFmeasure(beta=beta), pairs)
    found = by(WeightedFmeasure(beta=beta), pairs)
    finite = np.isfinite(expected)
    np.testing.assert_allclose(found[finite], expected[finite], **CLOSE)


FORMS = {
    "fortran": np.asfortranarray,
    "reversed": lambda a: a[::-1, ::-1],
    "strided": lambda a: a[::2, ::3],
    "int64": lambda a: a.astype(np.int64),
    "float64": lambda a: a.astype(np.float64),
}


@pytest.mark.parametrize("form", FORMS)
def test_layouts(form):
    chosen = [s for s in scenes.small_scenes() if min(s.pred.shape) >= 4][::3]
    pairs = [(FORMS[form](s.pred), FORMS[form](s.gt)) for s in chosen]
    expected = by(peer.WeightedFmeasure(), pairs)
    np.testing.assert_allclose(by(WeightedFmeasure(), pairs), expected, **CLOSE)


def test_window():
    for shape, sigma in (((7, 7), 5), ((3, 5), 0.2), ((2, 4), 1.5), ((5, 5), 0.1)):
        ours, theirs = (m.matlab_style_gauss2D(shape, sigma)
                        for m in (WeightedFmeasure(), peer.WeightedFmeasure()))  # fmt: skip
        np.testing.assert_allclose(ours, theirs, rtol=1e-14)


def test_nearest_pixels(eight_bit):
    for _, gt in eight_bit:
        mask = (gt > 128).view(np.uint8)
        if mask.any():
            expected = ndimage.distance_transform_edt(
                mask == 0, return_distances=False, return_indices=True
            )
            np.testing.assert_array_equal(distance.nearest_foreground(mask), expected)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.data(), hnp.array_shapes(min_dims=2, max_dims=2, max_side=12))
def test_anything(data, shape):
    pred = data.draw(hnp.arrays(np.uint8, shape, elements=st.integers(0, 255)))
    gt = data.draw(hnp.arrays(np.uint8, shape, elements=st.sampled_from([0, 128, 129, 255])))
    pairs = [(pred, gt)]
    np.testing.assert_allclose(
        by(WeightedFmeasure(), pairs), by(peer.WeightedFmeasure(), pairs), **CLOSE
    )
