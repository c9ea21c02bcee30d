"""The maps behind the scores that look at the photograph: values, backends, layouts, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.statistics.camouflage import camouflage_degree as kept_degree

TRUTH = np.zeros((16, 16), bool)
TRUTH[5:11, 5:11] = True
GREY = np.where(TRUTH, 110, np.where(np.arange(16) < 8, 100, 60)).astype(np.uint8)
PHOTO = np.dstack([GREY] * 3)
SHIFTED = np.roll(TRUTH, 1, axis=1)

WIDE = np.zeros((30, 44), bool)
WIDE[9:20, 12:31] = True
NOISE = np.random.default_rng(3).integers(0, 256, (30, 44, 3), np.uint8)
both_backends = pytest.mark.parametrize("backend", ["compiled", "reference"])


@both_backends
def test_difficulty_of_the_worked_example(backend) -> None:
    maps = fsm.difficulty_maps(SHIFTED, TRUTH, image=PHOTO, backend=backend)
    found = [maps.weight[at] for at in ((7, 5), (7, 10), (0, 0))]
    np.testing.assert_allclose(found, [1.312327, 1.197688, 0.774765], atol=5e-7)
    # A column missed and one too many; what is lost there makes up the region's share.
    missed, added = maps.weight[5:11, 5].sum(), maps.weight[5:11, 11].sum()
    assert maps.region.sum() == pytest.approx(missed + added)
    score = fsm.difficulty(SHIFTED, TRUTH, image=PHOTO, backend=backend)
    either = maps.weight[SHIFTED | TRUTH].sum()
    assert maps.region.sum() == pytest.approx((1 - score.region) * either)
    assert maps.structure.mean() == pytest.approx(1 - score.structure)
    for plane in maps:
        assert (plane.shape, plane.dtype) == ((16, 16), np.float64)


@both_backends
def test_degree_by_hand(backend) -> None:
    """A grey object: on its own grey it is all degree, on black as much as ΔE leaves of it."""
    alike = np.full((30, 44, 3), 119, np.uint8)
    degree = fsm.camouflage_degree(WIDE, image=alike, backend=backend)
    assert degree.dtype == np.float64
    assert (degree[~WIDE] == 0).all()
    # Patches start at multiples of 3 and cover rows 9…18 and columns 12…30; the rest is black.
    assert (degree[9:19, 12:31] == 1).all()
    shown = alike * WIDE[..., None].astype(np.uint8)
    plain = fsm.camouflage_degree(WIDE, image=shown, backend=backend)
    # Grey 119 has L* = 50.034: from black, S_L = 1 + .015·(25.017 − 50)²/√(20 + (25.017 − 50)²).
    away = (50.0344 / 2 - 50) ** 2
    difference = 50.0344 / (1 + 0.015 * away / np.sqrt(20 + away))
    expected = np.expm1(8 * (1 - difference / 100)) / np.expm1(8)
    np.testing.assert_allclose(plain[9:19, 12:31], expected, rtol=1e-4)


def test_degree_is_the_one_that_weighs_the_score() -> None:
    target = fsm.Target(WIDE, image=NOISE)
    degree = fsm.camouflage_degree(target)
    assert degree is kept_degree(target)
    assert not degree.flags.writeable
    np.testing.assert_array_equal(fsm.camouflage_degree(WIDE, image=NOISE), degree)
    by_pixels = fsm.camouflage_degree(target, backend="reference")
    np.testing.assert_allclose(by_pixels, degree, atol=1e-12)
    assert not by_pixels.flags.writeable
    assert 0 < degree[WIDE].min() < degree.max() < 1


def test_layouts_and_truths_of_levels() -> None:
    degree = fsm.camouflage_degree(WIDE, image=NOISE)
    doubled, turned = np.repeat(NOISE, 2, axis=0)[::2], np.ascontiguousarray(NOISE[::-1])[::-1]
    for gt, image, choices in (
        (np.asfortranarray(WIDE), np.asfortranarray(NOISE), {}),
        (np.repeat(WIDE * np.uint8(255), 2, axis=0)[::2], doubled, {}),
        ((WIDE * 3)[:, ::-1].copy()[:, ::-1], turned, {"gt_threshold": 2}),
    ):
        found = fsm.camouflage_degree(gt, image=image, **choices)
        np.testing.assert_array_equal(found, degree)
    pred = np.roll(WIDE, 2, axis=1) * np.uint8(200)
    maps = fsm.difficulty_maps(pred, WIDE, image=NOISE)
    found = fsm.difficulty_maps(np.asfortranarray(pred), WIDE, image=turned)
    for plane, other in zip(found, maps, strict=True):
        np.testing.assert_array_equal(plane, other)
    unstretched = fsm.difficulty_maps(pred, WIDE, image=NOISE, stretch=False)
    assert unstretched.region[10, 20] == pytest.approx(maps.weight[10, 20] * 55 / 255)


def test_maps_of_empty_and_full_truths() -> None:
    for gt in (np.zeros_like(WIDE), np.ones_like(WIDE)):
        assert (fsm.camouflage_degree(gt, image=NOISE) == 0).all()
        maps = fsm.difficulty_maps(gt, gt, image=NOISE)
        assert (maps.weight == 1).all()
        assert (maps.region == 0).all()


@pytest.mark.parametrize(
    ("truth", "choices", "message"),
    [
        (WIDE, {}, r"^image must be given for (c_beta_w|difficulty) \(RGB uint8, H × W × 3\)"),
        (fsm.Target(WIDE), {"image": NOISE}, "^image must be given to the Target"),
        (WIDE, {"image": NOISE[..., 0]}, r"^image must be RGB \(H, W, 3\)"),
        (WIDE, {"image": NOISE / 255}, r"^image must be uint8"),
        (WIDE.T, {"image": NOISE}, "transpose"),
        (WIDE.astype(np.uint8), {"image": NOISE}, "gt_threshold=0"),
        (fsm.Target(WIDE, image=NOISE), {"gt_threshold": 0}, "^gt_threshold must be what"),
    ],
)
def test_refusals(truth, choices, message) -> None:
    with pytest.raises(fsm.InputError, match=message):
        fsm.camouflage_degree(truth, **choices)
    with pytest.raises(fsm.InputError, match=message):
        fsm.difficulty_maps(WIDE, truth, **choices)
