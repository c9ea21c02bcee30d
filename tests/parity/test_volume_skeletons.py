"""Skeletons and centre-line Dice of volumes beside scikit-image's ``skeletonize(method="lee")``.

Real volumes join in where FASTSEGMETRICS_DATA names a folder that holds ``volumes``.
"""

from __future__ import annotations

import gzip
import itertools
import os
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage

import fastsegmetrics as fsm
from fastsegmetrics.kernels import surface, volume_skeleton
from fastsegmetrics.reference.surface import unpacked

morphology = pytest.importorskip("skimage.morphology")


def peers(mask: np.ndarray) -> np.ndarray:
    return morphology.skeletonize(mask, method="lee").astype(bool)


def assert_thinned_alike(mask: np.ndarray) -> None:
    bits = surface.pack_volume(np.ascontiguousarray(mask).view(np.uint8), 0, False)
    found = unpacked(volume_skeleton.thin_volume(bits))[:, :, : mask.shape[2]]
    np.testing.assert_array_equal(found, peers(mask))


def every_mask(shape: tuple[int, int, int]) -> np.ndarray:
    """All masks of a shape in one volume, an empty voxel apart."""
    n = int(np.prod(shape))
    sides = [2 ** (n // 3 + (axis < n % 3)) for axis in range(3)]
    codes = np.arange(2**n).reshape(sides)
    cells = np.zeros((*sides, *(side + 1 for side in shape)), bool)
    for bit, place in enumerate(itertools.product(*map(range, shape))):
        cells[(..., *place)] = codes >> bit & 1
    whole = cells.transpose(0, 3, 1, 4, 2, 5)
    return whole.reshape([a * (b + 1) for a, b in zip(sides, shape)])


@pytest.mark.parametrize(
    "shape",
    [
        *((2, 2, k) for k in range(1, 5)),
        *((k, 2, 2) for k in (1, 3, 4)), *((2, k, 2) for k in (1, 3, 4)),
        *sorted(set(itertools.permutations((3, 3, 1)))), *itertools.permutations((1, 3, 4)),
        (3, 3, 2), (3, 2, 3), (2, 3, 3), (1, 4, 4), (4, 1, 4), (4, 4, 1),
    ],
)  # fmt: skip
def test_every_mask_of_a_small_shape(shape) -> None:
    assert_thinned_alike(every_mask(shape))


@pytest.mark.parametrize("shape", [(1, 3, 3), (1, 2, 5), (1, 1, 9)])
def test_every_mask_of_one_slice(shape) -> None:
    """Alone, since a slice is thinned from four sides and not as a part of a volume."""
    n = int(np.prod(shape))
    for code in range(1, 2**n):
        assert_thinned_alike((code >> np.arange(n) & 1).astype(bool).reshape(shape))


def test_all_solid_blocks() -> None:
    for shape in itertools.product(range(1, 9), repeat=3):
        assert_thinned_alike(np.ones(shape, bool))


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99])
def test_noise(share) -> None:
    rng = np.random.default_rng(int(1000 * share))
    for _ in range(60):
        assert_thinned_alike(rng.random(tuple(rng.integers(1, 16, 3))) < share)
    for shape in ((1, 40, 50), (40, 1, 50), (40, 50, 1), (5, 6, 200), (3, 150, 7), (90, 4, 5)):
        assert_thinned_alike(rng.random(shape) < share)
    # Its first voxels are full words, and the last of a row ends a word of 62.
    assert_thinned_alike(rng.random((4, 5, 1984)) < share)


@pytest.mark.parametrize("width", [1, 2, 4])
def test_level_sets(width) -> None:
    rng = np.random.default_rng(width)
    for _ in range(25):
        field = ndimage.gaussian_filter(rng.random(tuple(rng.integers(1, 60, 3))), width)
        assert_thinned_alike(field > np.quantile(field, rng.random()))


def shapes() -> dict[str, np.ndarray]:
    z, y, x = np.indices((24, 27, 31)) - np.array([11.5, 13, 15.2]).reshape(3, 1, 1, 1)
    radius = np.sqrt(z * z + y * y + x * x)
    t = np.linspace(0, 4 * np.pi, 400)
    helix = np.zeros((40, 30, 30), bool)
    turns = 14 + 9 * np.stack([np.sin(t), np.cos(t)])
    helix[tuple(np.stack([2 + 2.8 * t, *turns]).astype(int))] = True
    return {
        "ball": radius < 10,
        "hollow ball": (radius < 11) & (radius > 7),
        "thin shell": np.abs(radius - 9) < 0.7,
        "plate": np.abs(z + 0.3 * y - 0.2 * x) < 1.5,
        "tube": np.hypot(y - 0.4 * z, x) < 3.3,
        "hollow tube": np.abs(np.hypot(y, x - 0.3 * z) - 7) < 1.6,
        "ring": np.hypot(np.hypot(y, x) - 8, z) < 3,
        "helix": ndimage.binary_dilation(helix, iterations=2),
        "cut at every border": radius < 15,
        "all but a ball": radius > 9,
        "full": np.ones((12, 70, 13), bool),
        "grid": np.any(np.indices((16, 17, 18)) % 5 == 0, axis=0),
        "chequers": np.indices((9, 9, 9)).sum(axis=0) % 2 == 0,
        "diagonal": ndimage.binary_dilation(
            np.eye(30, dtype=bool)[:, None] & np.eye(30, dtype=bool)
        ),
    }


@pytest.mark.parametrize("name", shapes())
def test_shapes(name) -> None:
    mask = shapes()[name]
    for axes in itertools.permutations(range(3)):
        turned = mask.transpose(axes)
        assert_thinned_alike(turned)
        assert_thinned_alike(turned[::-1, :, ::-1])


@pytest.mark.parametrize("seed", range(12))
def test_centre_line_dice_of_volumes(seed) -> None:
    rng = np.random.default_rng(seed)
    noise = ndimage.gaussian_filter(rng.random((2, *rng.integers(5, 40, 3))), (0, 1.5, 1.5, 1.5))
    pred, gt = noise > np.quantile(noise, 0.7, axis=(1, 2, 3), keepdims=True)
    if seed % 2:
        gt = np.roll(pred, (1, 1), (0, 2))
    lines = peers(pred), peers(gt)
    score = fsm.cl_dice(pred, gt)
    assert score.precision == (lines[0] & gt).sum() / lines[0].sum()
    assert score.sensitivity == (lines[1] & pred).sum() / lines[1].sum()


def label_volume(path: Path) -> np.ndarray:
    """Return the labels of a NIfTI file, read here: the peers' environment has no nibabel."""
    data = gzip.decompress(path.read_bytes())
    n_axes, *sides = np.frombuffer(data, "<i2", 8, 40).tolist()
    kind = {2: "u1", 4: "<i2", 8: "<i4", 16: "<f4", 64: "<f8", 256: "i1", 512: "<u2", 768: "<u4"}
    values = kind[int(np.frombuffer(data, "<i2", 1, 70)[0])]
    start = int(np.frombuffer(data, "<f4", 1, 108)[0])
    sides = sides[:n_axes]
    found = np.frombuffer(data, values, int(np.prod(sides)), start).reshape(sides, order="F")
    return np.rint(found).astype(np.int64)


@pytest.mark.skipif("FASTSEGMETRICS_DATA" not in os.environ, reason="needs real volumes")
@pytest.mark.parametrize(
    "name",
    [
        "brats/ref_simple", "brats/pred_sanet0", "brats/pred_hnfnetv1",
        "cord/mt/mt1_gmseg", "cord/t2/t2_seg-manual", "cord/t2/t2_seg-deepseg_rootlets",
        "cord/t2s/t2s_seg", "kits/case_00004/segmentation", "totalseg/ref", "totalseg/pred_fast",
    ],
)  # fmt: skip
def test_real_volumes(name) -> None:
    path = Path(os.environ["FASTSEGMETRICS_DATA"], "volumes", f"{name}.nii.gz")
    values = label_volume(path)
    assert_thinned_alike(values > 0)
    for label, box in enumerate(ndimage.find_objects(values), start=1):
        if box is not None:
            assert_thinned_alike(values[box] == label)
