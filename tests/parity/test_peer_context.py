"""The context measures beside pysodmetrics, and colours beside scikit-image and OpenCV."""

import cv2
import numpy as np
import py_sod_metrics as peer
import pytest
import scenes
from skimage.color import deltaE_ciede2000, rgb2lab

from fastsegmetrics.compat.py_sod_metrics import context_measure as compat
from fastsegmetrics.kernels import colour
from fastsegmetrics.statistics.camouflage import camouflage_degree
from fastsegmetrics.target import Target

pytestmark = pytest.mark.filterwarnings("ignore")
#: The peer's forward term is single precision.
CLOSE = {"rtol": 0, "atol": 1e-6}


def photograph(shape, seed, colours=256):
    """A photograph: blurred noise of few or many colours."""
    noise = np.stack([scenes.noise(shape, 3 * seed + k) % colours for k in range(3)], -1)
    smooth = cv2.GaussianBlur(noise.astype(np.uint8), (0, 0), 1 + seed % 3)
    return np.clip((smooth.astype(int) - colours // 2) * 4 + 128, 0, 255).astype(np.uint8)


def drawn_truths():
    shape = (83, 131)
    rows, columns = np.indices(shape)

    def disks(count, radius, seed):
        gt = np.zeros(shape, bool)
        for row, column in scenes.noise((count, 2), seed) % np.array(shape):
            gt |= scenes.squared_distance(shape, row, column) <= radius**2
        return gt

    yield disks(3, 18, 1)
    yield disks(5, 9, 2)
    yield disks(200, 1, 3)
    yield ~disks(12, 6, 4)
    yield disks(9, 14, 5) & ((rows < 20) | (columns > 110) | (rows > 70))
    yield columns % 8 < 2
    yield (columns % 6 == 0) | (rows > 79)
    yield (rows + columns) % 2 == 0
    yield (rows == 0) | (rows == 82) | (columns == 0) | (columns == 130)
    yield (rows // 10 + columns // 10) % 2 == 0
    yield abs(rows - columns) < 6
    yield abs(rows + columns - 90) < 2
    yield (rows == 0) & (columns == 130)
    yield (rows % 11 == 5) & (columns % 13 == 6)
    yield (abs(rows - 40) < 8) & (abs(columns - 60) < 30)
    yield rows > 60
    yield rows >= 0
    yield (rows == 30) & (columns > 40)


def pairs():
    for i, gt in enumerate(drawn_truths()):
        noise = scenes.noise(gt.shape, 60 + i) % 256
        moved = np.roll(gt, (2, -3), (0, 1))
        gt = np.where(gt, 255, 0)
        yield noise, gt
        yield np.where(moved, 255, 0), gt
        yield np.where(moved | (noise < 3), 255 - noise // 4, noise // 9), gt
    for scene in (*scenes.all_scenes(), *scenes.one_pixel_scenes()):
        yield scene.pred, scene.gt


def score_or_nan(module, name, *pair, **kwargs):
    metric = getattr(module, name)()
    try:
        metric.step(*pair, **kwargs)
    except (ValueError, IndexError, ZeroDivisionError, cv2.error, np.linalg.LinAlgError):
        return np.nan
    return metric.scores[0]


@pytest.mark.parametrize("name", ["ContextMeasure", "CamouflageContextMeasure"])
def test_every_scene_on_which_the_peer_returns_a_number(name):
    numbers = []
    for i, (pred, gt) in enumerate(pairs()):
        pair = pred.astype(np.uint8), gt.astype(np.uint8)
        extra = {}
        if name.startswith("Camouflage"):
            extra["img"] = photograph(gt.shape, i, colours=(256, 256, 3)[i % 3])
        truth = np.argwhere(pair[1] > 128)
        expected = score_or_nan(peer, name, *pair, **extra)
        ours = score_or_nan(compat, name, *pair, **extra)
        assert np.isfinite(ours)
        away = truth - truth[:1]
        line = len(truth) > 1 and np.linalg.matrix_rank(away) == 1 and (away.any(0)).all()
        # A singular covariance: an exception or garbage there.
        if np.isfinite(expected) and not line:
            numbers.append((expected, ours))
    assert len(numbers) >= 150
    np.testing.assert_allclose(*np.transpose(numbers), **CLOSE)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_prepared_pairs(dtype):
    chosen = scenes.small_scenes()[::7]
    numbers = []
    for scene in chosen:
        pair = scenes.as_float(scene, dtype)
        expected = score_or_nan(peer, "ContextMeasure", *pair, normalize=False)
        if np.isfinite(expected):
            ours = score_or_nan(compat, "ContextMeasure", *pair, normalize=False)
            numbers.append((expected, ours))
    assert len(numbers) >= 30
    np.testing.assert_allclose(*np.transpose(numbers), **CLOSE)


@pytest.mark.parametrize("choices", [{"alpha": 2.5}, {"alpha": 12.0}, {"gamma": 3}])
def test_constructor_arguments(choices):
    for i, gt in enumerate(list(drawn_truths())[:5]):
        pred = (scenes.noise(gt.shape, 60 + i) % 256).astype(np.uint8)
        results = []
        for module in (peer, compat):
            metric = module.CamouflageContextMeasure(lambda_spatial=7, **choices)
            mask = np.where(gt, 255, 0).astype(np.uint8)
            metric.step(pred=pred, gt=mask, img=photograph(gt.shape, i))
            results.append(metric.get_results()["ccm"])
        assert results[0] == pytest.approx(results[1], abs=1e-6)


def test_camouflage_degree_is_the_peers():
    for i, gt in enumerate(list(drawn_truths())):
        image = photograph(gt.shape, i, colours=(256, 3)[i % 2])
        metric = peer.CamouflageContextMeasure()
        try:
            expected = metric._calculate_camouflage_degree(image, gt.astype(np.uint8))[1]
        except ValueError:
            # No patch on one side.
            expected = np.zeros(gt.shape)
        found = camouflage_degree(Target(gt, image=image))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


def test_lab_bytes_of_every_colour_of_a_coarse_grid():
    levels = np.unique(np.append(np.arange(0, 256, 3), 255)).astype(np.uint8)
    grid = np.stack(np.meshgrid(levels, levels, levels), -1).reshape(len(levels), -1, 3)
    image = np.ascontiguousarray(grid)
    expected = cv2.cvtColor(image, cv2.COLOR_RGB2Lab)
    np.testing.assert_array_equal(colour.lab_bytes(image), expected)


def test_lab_and_ciede2000_are_scikit_images():
    rng = np.random.default_rng(7)
    first = rng.integers(0, 256, (200, 200, 3), dtype=np.uint8)
    second = rng.integers(0, 256, first.shape, dtype=np.uint8)
    # Neighbouring colours, greys, equal colours, and hues that face each other.
    second[:60] = np.clip(first[:60].astype(int) + rng.integers(-4, 5, (60, 200, 3)), 0, 255)
    first[60:80] = first[60:80, :, :1]
    second[70:90] = second[70:90, :, :1]
    second[90:95] = first[90:95]
    second[95:130] = 255 - first[95:130]
    labs = rgb2lab(first), rgb2lab(second)
    np.testing.assert_allclose(colour.lab(first), labs[0], rtol=0, atol=1e-9)
    expected = deltaE_ciede2000(*labs)
    np.testing.assert_allclose(colour.delta_e_2000(*labs), expected, rtol=0, atol=1e-9)
    mask = (np.indices(first.shape[:2]).sum(0) % 4 > 0).astype(np.uint8)
    found = colour.delta_e_on(mask, first, second)
    np.testing.assert_allclose(found, expected[mask == 1], rtol=0, atol=1e-9)
