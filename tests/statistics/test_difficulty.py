"""The difficulty-weighted context score: check values, empty cases, maps, dtypes and layouts."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastsegmetrics as fsm
from fastsegmetrics import represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError
from fastsegmetrics.reference import difficulty as reference
from fastsegmetrics.statistics.difficulty import (
    DifficultyStatistics,
    difficulty_field,
    difficulty_maps,
    difficulty_statistics,
)
from fastsegmetrics.target import Target
from tests.strategies import eight_bit_pairs, float_pairs

NAN = math.nan
TRUTH = np.zeros((16, 16), bool)
TRUTH[5:11, 5:11] = True
GREY = np.full((16, 16), 100, np.uint8)
GREY[:, 8:] = 60
GREY[TRUTH] = 110
PHOTO = np.repeat(GREY[:, :, None], 3, axis=2)
SHIFTED = np.roll(TRUTH, 1, axis=1)
NONE = np.zeros((16, 16), bool)
ALL = np.ones((16, 16), bool)
UNWEIGHTED = (0.0, 0.0, 0.0)

POLICIES = (
    {"policy": "published"},
    {"policy": "strict", "both_empty": "perfect"},
    {"policy": "strict", "both_empty": "undefined"},
)
both_backends = pytest.mark.parametrize("backend", ["compiled", "reference"])


def without_column(column: int) -> np.ndarray:
    pred = TRUTH.copy()
    pred[:, column] = False
    return pred


def statistics(pred, gt, photo=PHOTO, factors=(0.4, 0.35, 0.25), **choices) -> DifficultyStatistics:
    conventions = Conventions(**choices)
    target = gt if isinstance(gt, Target) else Target(gt, image=photo)
    pred = represent.prediction(pred, conventions, target.shape)
    return difficulty_statistics(pred, target, conventions, factors=factors)


def parts(found: DifficultyStatistics) -> tuple[float, float, float]:
    return found.region, found.structure, found.boundary


def photo_of(shape: tuple[int, int], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (*shape, 3)).astype(np.uint8)


@both_backends
def test_the_weight_of_the_worked_example(backend) -> None:
    with fsm.use_backend(backend):
        field = difficulty_field(Target(TRUTH, image=PHOTO))
    assert field.radius == 3
    assert field.mean_raw == pytest.approx(1.290715, abs=5e-7)
    assert field.weight[7, 5] == pytest.approx(1.312327, abs=5e-7)
    assert field.weight[7, 10] == pytest.approx(1.197688, abs=5e-7)
    assert field.weight[0, 0] == pytest.approx(0.774765, abs=5e-7)
    assert field.weight.mean() == pytest.approx(1, rel=1e-14)


def test_the_factors_of_the_worked_example() -> None:
    grey = reference.grey_thousandths(PHOTO)
    sides = reference.side_distances(TRUTH.astype(np.uint8))
    contrast, edge, texture = reference.factors_at(grey, sides, 3, 7, 5)
    assert contrast == pytest.approx(0.056, abs=5e-7)
    assert edge == pytest.approx(0.096457, abs=5e-7)
    assert texture == pytest.approx(0, abs=5e-7)


@both_backends
def test_the_scores_of_the_worked_example(backend) -> None:
    with fsm.use_backend(backend):
        found = statistics(SHIFTED, TRUTH)
        plain = statistics(SHIFTED, TRUTH, factors=UNWEIGHTED)
        nothing = statistics(np.zeros((16, 16)), TRUTH)
        sides = [
            [statistics(without_column(column), TRUTH, factors=f).score for column in (5, 10)]
            for f in ((0.4, 0.35, 0.25), UNWEIGHTED)
        ]
    assert parts(found) == pytest.approx((0.712723, 0.750974, 0.663790), abs=5e-7)
    assert found.score == pytest.approx(0.714411, abs=5e-7)
    assert plain.score == pytest.approx(0.720170, abs=5e-7)
    # The harder side, where the background is like the truth, costs more.
    np.testing.assert_allclose(sides, [[0.830049, 0.842120], [0.840371] * 2], atol=5e-7)
    assert nothing.score == pytest.approx(0.101735, abs=5e-7)
    assert (nothing.region, nothing.boundary) == (0.0, 0.0)


def test_parts_by_hand_without_weights() -> None:
    # 30 of 42 pixels are shared.  40 pixels of the truth's edge, of which the shifted map meets
    # 28 fully; of its own others each lies 1 off at 1/3.
    found = statistics(SHIFTED, TRUTH, factors=UNWEIGHTED)
    assert found.region == pytest.approx(30 / 42, rel=1e-14)
    edge = reference.edge_mask(TRUTH.astype(np.uint8)) == 1
    own = reference.edge_mask(SHIFTED.astype(np.uint8)) == 1
    steps = reference.side_distances(edge.astype(np.uint8))[own & ~edge]
    assert set(steps) == {1}
    spilt = steps.size / 3
    assert found.boundary == pytest.approx((own & edge).sum() / (edge.sum() + spilt), rel=1e-14)
    assert found.combined(1, 0, 0) == found.region
    assert found.combined(0, 1, 0) == found.structure
    assert found.combined(0, 0, 1) == found.boundary


@both_backends
def test_a_perfect_map_scores_1(backend) -> None:
    with fsm.use_backend(backend):
        for gt in (TRUTH, ALL, ~TRUTH):
            found = statistics(gt, gt)
            assert (*parts(found), found.score) == pytest.approx((1, 1, 1, 1), rel=1e-13)


@both_backends
@pytest.mark.parametrize("choices", POLICIES, ids=str)
def test_an_empty_truth(choices, backend) -> None:
    with fsm.use_backend(backend):
        both = statistics(NONE, NONE, **choices)
        some = statistics(TRUTH, NONE, **choices)
        white = statistics(ALL, NONE, **choices)
    # The score is undefined, the parts stand with W = 1; without slopes nothing is off the edge.
    assert (both.region, both.structure, both.boundary) == (1.0, pytest.approx(1.0), 1.0)
    assert (some.region, some.boundary) == (0.0, 0.0)
    assert (white.region, white.boundary) == (0.0, 1.0)
    assert white.structure == pytest.approx(1e-4 / 1.0001)
    for found in (both, some, white):
        assert math.isnan(found.score)
        assert math.isnan(found.level)
        assert not found.large_enough


@both_backends
@pytest.mark.parametrize("choices", POLICIES, ids=str)
def test_an_empty_map_and_a_full_truth(choices, backend) -> None:
    with fsm.use_backend(backend):
        none = statistics(NONE, ALL, **choices)
        some = statistics(TRUTH, ALL, **choices)
        empty = statistics(NONE, TRUTH, **choices)
    # A full truth has no contour and no edge: W is 1, and slopes are all off the edge.
    assert (none.region, none.boundary) == (0.0, 1.0)
    assert none.structure == pytest.approx(1e-4 / 1.0001)
    assert none.score == pytest.approx(0.2 + 0.3e-4 / 1.0001)
    assert math.isnan(none.level)
    assert (some.region, some.boundary) == (pytest.approx(36 / 256), 0.0)
    assert (empty.region, empty.boundary) == (0.0, 0.0)
    assert empty.score == pytest.approx(0.101735, abs=5e-7)


@both_backends
@pytest.mark.parametrize(
    ("pred", "gt", "expected"),
    [
        (1.0, True, (1.0, 1.0, 1.0, 1.0)),
        (0.0, True, (0.20002999700029997, 0.0, 1e-4 / 1.0001, 1.0)),
        (0.5, True, (0.5 * 0.5 + 0.3 * 1.0001 / 1.2501 + 0.2, 0.5, 1.0001 / 1.2501, 1.0)),
        (0.0, False, (NAN, 1.0, 1.0, 1.0)),
        (1.0, False, (NAN, 0.0, 1e-4 / 1.0001, 1.0)),
    ],
)
def test_one_pixel(pred, gt, expected, backend) -> None:
    with fsm.use_backend(backend):
        found = statistics(np.array([[pred]]), np.array([[gt]]), photo_of((1, 1), 0))
    assert (found.score, *parts(found)) == pytest.approx(expected, nan_ok=True)


@both_backends
def test_a_truth_below_a_thousandth(backend) -> None:
    # 1 of 1001 pixels is too small, 1 of 1000 is not.
    photo = photo_of((7, 143), 1)
    small = np.zeros((7, 143), bool)
    small[3, 70] = True
    enough = np.zeros((8, 125), bool)
    enough[3, 70] = True
    with fsm.use_backend(backend):
        target = Target(small, image=photo)
        below = statistics(np.roll(small, 1, axis=1), target)
        after = statistics(np.roll(small, 2, axis=1), target)
        at = statistics(enough, enough, photo_of((8, 125), 2))
    assert math.isnan(below.score)
    assert (difficulty_field(target).weight == 1).all()
    assert (below.region, at.score) == (0.0, pytest.approx(1.0))
    # Central differences: the edge of a lone pixel is its four neighbours, and a step to the side
    # moves them all off the truth's, 1 each; the step after shares one, and has three at √2, √2, 2.
    assert below.boundary == 0.0
    assert after.boundary == pytest.approx(1 / (4 + (2 * 2**0.5 + 2) / 3))
    assert at.level > 1


def test_the_producer_equals_the_definition_on_scenes() -> None:
    rng = np.random.default_rng(3)
    for index, shape in enumerate(((1, 17), (17, 1), (2, 5), (23, 31), (40, 27))):
        for kind in range(5):
            rows, columns = np.indices(shape)
            gt = (
                rows == columns,
                (rows + columns) % 2 == 0,
                columns % 4 == 1,
                (rows - shape[0] // 2) ** 2 + (columns - shape[1] // 3) ** 2 < shape[0] * 3,
                (rows % 5 == 2) & (columns % 5 == 2),
            )[kind]
            pred = np.clip(gt * 0.7 + 0.3 * rng.random(shape), 0, 1)
            check_definition(pred, gt, photo_of(shape, index), stretch=False)


def test_a_wide_ring_and_a_crop() -> None:
    # Radius 5 away from all borders, and truths at one border: the crop differs.
    for rows, columns in ((slice(20, 70), slice(15, 65)), (slice(60, 90), slice(0, 95))):
        gt = np.zeros((90, 95), bool)
        gt[rows, columns] = True
        pred = np.roll(gt, 2, axis=0) * 0.9
        check_definition(pred, gt, photo_of(gt.shape, 7), stretch=False)


def check_definition(pred, gt, photo, **choices) -> None:
    conventions = Conventions(**choices)
    found = statistics(pred, gt, photo, **choices)
    values = represent.unit_values(represent.prediction(pred, conventions, gt.shape))
    expected = reference.difficulty(values, gt, photo)
    np.testing.assert_allclose((found.score, *parts(found)), expected, rtol=0, atol=1e-11)


@given(eight_bit_pairs(), st.integers(0, 2**32 - 1), st.booleans())
def test_eight_bits_equal_the_definition(pair, seed, stretch) -> None:
    check_definition(*pair, photo_of(pair[1].shape, seed), stretch=stretch)


@given(float_pairs(), st.integers(0, 2**32 - 1))
def test_floats_equal_the_definition(pair, seed) -> None:
    check_definition(*pair, photo_of(pair[1].shape, seed))


@given(eight_bit_pairs(), st.integers(0, 2**32 - 1))
def test_scores_lie_between_0_and_1(pair, seed) -> None:
    found = statistics(*pair, photo_of(pair[1].shape, seed))
    for value in parts(found):
        assert 0 <= value <= 1 + 1e-12


@given(eight_bit_pairs(), st.integers(0, 2**32 - 1))
def test_both_backends_agree(pair, seed) -> None:
    photo = photo_of(pair[1].shape, seed)
    fast = statistics(*pair, photo)
    with fsm.use_backend("reference"):
        slow = statistics(*pair, photo)
    np.testing.assert_allclose([*fast, fast.score], [*slow, slow.score], rtol=1e-10, atol=1e-11)


@both_backends
def test_radii_beyond_the_capped_distances(monkeypatch, backend) -> None:
    from fastsegmetrics.kernels import capped_distance
    from fastsegmetrics.reference import capped_distance as slow

    gt = np.zeros((40, 50), bool)
    gt[4:36, 8:40] = True
    photo = photo_of(gt.shape, 4)
    with fsm.use_backend(backend):
        before = difficulty_field(Target(gt, image=photo))
        monkeypatch.setattr(capped_distance, "CAP", 9)
        monkeypatch.setattr(slow, "CAP", 9)
        after = difficulty_field(Target(gt, image=photo))
    assert before.radius == 3
    np.testing.assert_array_equal(before.far, after.far)


def test_the_maps_sum_to_what_the_parts_lose() -> None:
    target = Target(TRUTH, image=PHOTO)
    conventions = Conventions()
    pred = represent.prediction(SHIFTED * 0.8, conventions, target.shape)
    found, maps = difficulty_maps(pred, target, conventions)
    assert found == difficulty_statistics(pred, target, conventions)
    for plane in maps:
        assert plane.shape == (16, 16)
        assert plane.dtype == np.float64
        assert (plane >= 0).all()
    assert maps.weight is difficulty_field(target).weight
    values = represent.unit_values(pred)
    whole = (maps.weight * np.maximum(values, TRUTH)).sum()
    assert maps.region.sum() == pytest.approx((1 - found.region) * whole)
    assert maps.structure.mean() == pytest.approx(1 - found.structure)
    edge = difficulty_field(target).far == 0
    whole = maps.weight[edge].sum() + maps.boundary[~edge].sum()
    assert maps.boundary.sum() == pytest.approx((1 - found.boundary) * whole)
    # Nothing is lost on the columns that both share, and far away.
    assert (maps.region[5:11, 6:11] == 0).all()
    assert (maps.region[5:11, 5] > 0).all()
    assert (maps.boundary[:, :3] == 0).all()


def test_harder_surroundings_have_a_higher_level() -> None:
    easy = PHOTO.copy()
    easy[TRUTH] = 255
    assert (
        difficulty_field(Target(TRUTH, image=easy)).level
        < difficulty_field(Target(TRUTH, image=PHOTO)).level
    )


def test_a_target_keeps_its_field_by_factors() -> None:
    target = Target(TRUTH, image=PHOTO)
    field = difficulty_field(target)
    assert difficulty_field(target) is field
    assert not field.weight.flags.writeable
    assert not field.far.flags.writeable
    other = difficulty_field(target, factors=UNWEIGHTED)
    assert (other.weight == 1).all()
    assert difficulty_field(target, floor=2.5).mean_raw > 1.3


def test_a_photograph_is_needed() -> None:
    with pytest.raises(InputError, match="image must be given"):
        statistics(SHIFTED, Target(TRUTH))


def test_a_mask_of_0_and_1_is_refused() -> None:
    with pytest.raises(InputError, match="pred_scale=1"):
        statistics(SHIFTED.astype(np.uint8), TRUTH)


def test_dtypes_and_layouts() -> None:
    rng = np.random.default_rng(8)
    levels = rng.integers(0, 256, (16, 16)).astype(np.uint8)
    expected = statistics(levels, TRUTH, stretch=False)
    values = levels / 255.0
    for pred in (values, values.T.copy().T, np.repeat(values, 2, axis=1)[:, ::2]):
        found = statistics(pred, TRUTH, stretch=False)
        np.testing.assert_allclose(found, expected, rtol=1e-14)
    single = statistics(values.astype(np.float32), TRUTH, stretch=False)
    np.testing.assert_allclose(single, expected, rtol=1e-6)
    # Views that run backwards, of truth and photograph too.
    views = levels[:, ::-1], TRUTH[::-1], PHOTO[:, ::-1]
    copies = [view.copy() for view in views]
    assert statistics(views[0], Target(views[1], image=views[2])) == statistics(
        copies[0], Target(copies[1], image=copies[2])
    )


def test_threads_share_a_target() -> None:
    target = Target(TRUTH, image=PHOTO)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(statistics(SHIFTED, target))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
