"""Context measures: values worked by hand, the reference definition, and every degenerate case."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import fastsegmetrics as fsm
from fastsegmetrics import represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError
from fastsegmetrics.reference import context as reference
from fastsegmetrics.statistics import camouflage
from fastsegmetrics.statistics.camouflage import camouflage_degree
from fastsegmetrics.statistics.context import context_statistics
from fastsegmetrics.statistics.partition import unit_table
from fastsegmetrics.target import Target
from tests import scenes
from tests.strategies import eight_bit_pairs, float_pairs

CONVENTIONS = Conventions(pred_scale=255)
FLOATS = Conventions(stretch=False)


def photograph(shape: tuple[int, int], seed: int = 0) -> np.ndarray:
    """A photograph of smooth waves and some noise, made of integers alone."""
    rows, columns = np.indices(shape)
    wave = (rows * 7 + columns * 3) % 128
    parts = [(wave * k + scenes.noise(shape, seed + k) % 40) % 256 for k in (1, 2, 3)]
    return np.stack(parts, -1).astype(np.uint8)


def statistics(pred, gt, conventions=CONVENTIONS, image=None, **choices):
    target = gt if isinstance(gt, Target) else Target(gt, image=image)
    canonical = represent.prediction(pred, conventions, target.shape)
    degree = choices.pop("degree", target.image is not None)
    return context_statistics(canonical, target, conventions, degree=degree, **choices)


def values_of(pred, conventions=CONVENTIONS) -> np.ndarray:
    canonical = represent.prediction(pred, conventions, np.shape(pred))
    return represent.unit_values(canonical)


# --- by hand ----------------------------------------------------------------------------------


def test_one_pixel_by_hand() -> None:
    # Σ = diag(¼, ¼) on 3 × 3: weights 1, e⁻², e⁻⁴ over (1 + 2e⁻²)².
    centre = 1 / (1 + 2 * math.exp(-2)) ** 2
    gt = np.zeros((5, 6), bool)
    gt[2, 3] = True
    found = statistics(gt, gt)
    reverse = math.e / (math.e - 1) * (1 - math.exp(-centre))
    assert found.terms() == pytest.approx(
        (2 * centre * reverse / (centre + reverse), centre, reverse), rel=1e-13
    )
    assert (found.mass, found.area) == (1.0, 1)
    assert math.isnan(found.degree)
    assert math.isnan(found.c_beta_w())


def test_one_pixel_in_a_corner_is_reflected() -> None:
    side = math.exp(-2) / (1 + 2 * math.exp(-2))
    gt = np.zeros((4, 3), bool)
    gt[0, 0] = True
    # Reflection about the end pixels brings no second copy of a corner; a neighbour has two.
    assert statistics(gt, gt).forward == pytest.approx((1 - 2 * side) ** 2, rel=1e-13)
    pred = np.roll(gt, 1, axis=1)
    found = statistics(pred, gt)
    assert found.forward == pytest.approx(side * (1 - 2 * side), rel=1e-13)
    assert found.reverse == pytest.approx(1 - math.exp(-2 * side * (1 - 2 * side)), rel=1e-13)


def test_two_pixels_on_an_oblique_line() -> None:
    # Step (1, 2) in a box of 8 × 16: K at multiples up to 8, σ = 6 along steps of √5.
    gt = np.zeros((40, 60), bool)
    gt[20, 30] = gt[21, 32] = True
    weights = np.exp(-5 * np.arange(-8, 9) ** 2 / 72)
    weights /= weights.sum()
    found = statistics(gt, gt)
    expected = 2 * (weights[8] + weights[9])
    assert found.forward == pytest.approx(expected, rel=1e-12)
    assert found.terms()[1] == pytest.approx(expected / 2, rel=1e-12)


def test_a_perfect_full_map_scores_one() -> None:
    gt = np.ones((9, 13), bool)
    assert statistics(gt, gt).terms() == pytest.approx((1, 1, 1), rel=1e-14)


def test_a_uniform_map_by_hand() -> None:
    # K⋆P = ½ everywhere: R = e/(e−1)·(1 − e^−½), and F = n/N of a truth away from the border.
    gt = np.zeros((60, 70), bool)
    gt[25:35, 28:40] = True
    found = statistics(np.full(gt.shape, 0.5), gt, FLOATS)
    f, r = 120 / 4200, math.e / (math.e - 1) * (1 - math.exp(-0.5))
    assert found.terms() == pytest.approx((2 * f * r / (f + r), f, r), rel=1e-12)


def test_kernel_of_a_rectangle_by_hand() -> None:
    mask = np.zeros((30, 40), np.uint8)
    mask[5:9, 10:22] = 1
    weights = reference.context_kernel(mask == 1)
    # Variances ∝ 4² − 1 and 12² − 1: shares 15/158 and 143/158.
    assert weights.shape == (2 * 6 + 1, 2 * 17 + 1)
    ratio = weights[7, 17] / weights[6, 17]
    assert ratio == pytest.approx(math.exp(-0.5 * 158 / (36 * 15)), rel=1e-12)
    target = Target(mask == 1)
    statistics(mask * 255, target)
    ours = target.cached("context 6.0", lambda: pytest.fail("not cached")).weights
    np.testing.assert_allclose(ours, weights, rtol=1e-12)


# --- against the reference definition ------------------------------------------------------------


def check(pred, gt, conventions, image=None) -> None:
    found = statistics(pred, gt, conventions, image=image)
    p = values_of(pred, conventions)
    close = {"rel": 1e-11, "abs": 1e-12}
    assert found.terms() == pytest.approx(reference.context_measure(p, gt), **close)
    if image is not None:
        plain, weighted = reference.context_measures(p, gt, image)
        assert (found.c_beta(), found.c_beta_w()) == pytest.approx((plain, weighted), **close)


@given(eight_bit_pairs())
def test_eight_bit_maps(pair) -> None:
    check(*pair, Conventions(pred_scale=255))


@given(float_pairs(), st.booleans())
def test_float_maps(pair, stretch) -> None:
    check(*pair, Conventions(stretch=stretch))


ROWS, COLUMNS = np.indices((47, 61))
TRUTHS = {
    "blob": (ROWS - 20) ** 2 + (COLUMNS - 30) ** 2 < 150,
    "at every border": (ROWS < 4) | (COLUMNS > 50) | (ROWS > 40) | (COLUMNS < 12),
    "corner": (ROWS < 12) & (COLUMNS < 15),
    "last corner": (ROWS > 33) & (COLUMNS > 40),
    "diagonal": ROWS == COLUMNS,
    "antidiagonal": ROWS + COLUMNS == 50,
    "steep line": (COLUMNS == 3 * ROWS) & (ROWS > 2),
    "thick diagonal": abs(ROWS - COLUMNS) < 4,
    "row": ROWS == 11,
    "column": COLUMNS == 60,
    "checkerboard": (ROWS + COLUMNS) % 2 == 0,
    "comb": (COLUMNS % 3 == 0) | (ROWS > 43),
    "many": (ROWS % 6 == 2) & (COLUMNS % 5 == 1),
    "full": ROWS >= 0,
    "holes": (ROWS % 16 < 11) & (COLUMNS % 17 < 12),
}


@pytest.mark.parametrize("name", TRUTHS)
def test_truths_of_all_kinds_with_their_photograph(name) -> None:
    gt = TRUTHS[name]
    pred = np.where(np.roll(gt, (1, -2), (0, 1)), 230, scenes.noise(gt.shape, 9) % 60)
    check(pred.astype(np.uint8), gt, CONVENTIONS, photograph(gt.shape))
    check((pred / 255).astype(np.float32), gt, FLOATS, photograph(gt.shape))


#: Their boxes of 2^14 pixels and more are summed in single precision: 1e-7 of the definition.
WIDE_ROWS, WIDE_COLUMNS = np.indices((131, 173))
WIDE_TRUTHS = {
    "noise": scenes.noise(WIDE_ROWS.shape, 3) % 10 < 3,
    "blob": 2 * (WIDE_ROWS - 60) ** 2 + (WIDE_COLUMNS - 90) ** 2 < 6000,
    "thick diagonal": abs(WIDE_ROWS - WIDE_COLUMNS) < 9,
    "few": (WIDE_ROWS % 41 == 5) & (WIDE_COLUMNS % 37 == 9),
    "border": (WIDE_ROWS < 3) | (WIDE_COLUMNS > 169) | (WIDE_ROWS > 127) | (WIDE_COLUMNS == 0),
    "full": WIDE_ROWS >= 0,
    "bars": WIDE_COLUMNS % 5 < 2,
}


@pytest.mark.parametrize("name", WIDE_TRUTHS)
def test_large_truths_in_single_precision(name) -> None:
    gt = WIDE_TRUTHS[name]
    pred = np.where(np.roll(gt, (1, -2), (0, 1)), 230, scenes.noise(gt.shape, 9) % 60)
    target = Target(gt)
    for values in (pred.astype(np.uint8), (pred / 255).astype(np.float32), pred / 255):
        conventions = CONVENTIONS if values.dtype == np.uint8 else FLOATS
        found = statistics(values, target, conventions)
        expected = reference.context_measure(values_of(values, conventions), gt)
        assert found.terms() == pytest.approx(expected, rel=0, abs=1e-7)
    assert target.cached("context 6.0", lambda: None).weights.dtype == np.float32


def test_a_flat_map_has_no_bias_in_single_precision() -> None:
    gt = (WIDE_ROWS > 20) & (WIDE_ROWS < 112) & (WIDE_COLUMNS > 20) & (WIDE_COLUMNS < 152)
    gt &= WIDE_ROWS + WIDE_COLUMNS > 50
    found = statistics(np.full(gt.shape, 0.3), gt, FLOATS)
    f, r = gt.mean(), math.e / (math.e - 1) * (1 - math.exp(-0.3))
    assert found.terms() == pytest.approx((2 * f * r / (f + r), f, r), rel=1e-7)
    # Saturated inside, nothing outside, as masks are.
    expected = reference.context_measure(gt.astype(float), gt)
    assert statistics(gt, gt).terms() == pytest.approx(expected, rel=0, abs=1e-7)


@settings(max_examples=15)
@given(
    st.tuples(st.integers(12, 60), st.integers(12, 60)), st.integers(0, 2**32 - 1), st.booleans()
)
def test_degree_of_random_rectangles(shape, seed, flat) -> None:
    rng = np.random.default_rng(seed)
    gt = np.zeros(shape, bool)
    for _ in range(3):
        top, left = rng.integers(0, shape[0] - 5), rng.integers(0, shape[1] - 5)
        gt[top : top + rng.integers(5, 40), left : left + rng.integers(5, 40)] = True
    # A photograph of few colours has many equally near patches.
    image = rng.integers(0, 2 if flat else 256, (*shape, 3), dtype=np.uint8)
    image = np.repeat(np.repeat(image, 5, 0), 5, 1)[: shape[0], : shape[1]] if flat else image
    image = np.ascontiguousarray(image)
    found = camouflage_degree(Target(gt, image=image))
    expected = reference.camouflage_degree(image, gt)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert not found[~gt].any()
    assert found.min() >= 0
    assert found.max() <= 1 + 1e-15


def test_products_take_over_where_bounds_rule_out_little(monkeypatch) -> None:
    gt = TRUTHS["holes"]
    image = np.random.default_rng(0).integers(0, 256, (*gt.shape, 3), dtype=np.uint8)
    expected = reference.camouflage_degree(image, gt)
    for share, block in ((0.0, 50), (1.0, 50), (0.1, camouflage._BLOCK)):
        monkeypatch.setattr(camouflage, "_TOO_MANY", share)
        monkeypatch.setattr(camouflage, "_BLOCK", block)
        monkeypatch.setattr(camouflage, "_TRIAL", 3)
        found = camouflage_degree(Target(gt, image=image))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_invisible_and_plain_objects() -> None:
    gt = np.zeros((40, 50), bool)
    gt[10:26, 12:30] = True
    one_colour = np.full((*gt.shape, 3), 90, np.uint8)
    # Every patch of the surroundings equals the object's: D = 1 where a patch covers it.
    degree = camouflage_degree(Target(gt, image=one_colour))
    covered = np.zeros_like(gt)
    covered[12:25, 12:28] = True
    assert set(degree[covered].tolist()) == {1.0}
    # A pixel that no patch covers is rebuilt black.
    dark = (math.exp(8 * (1 - reference.colour.delta_e_2000(
        reference.colour.lab(one_colour[:1, :1]), np.zeros((1, 1, 3)))[0, 0] / 100)) - 1
    ) / (math.exp(8) - 1)  # fmt: skip
    np.testing.assert_allclose(degree[gt & ~covered], dark, rtol=1e-9)
    black_on_white = np.where(gt[..., None], 0, 255).astype(np.uint8).repeat(3, 2)
    assert camouflage_degree(Target(gt, image=black_on_white))[covered].max() < 1e-9


def test_degree_without_room_for_a_patch() -> None:
    for shape in ((4, 30), (30, 4), (6, 40), (1, 1)):
        gt = np.ones(shape, bool)
        gt[:, shape[1] // 2 :] = False
        assert not camouflage_degree(Target(gt, image=photograph(shape))).any()
    full = np.ones((30, 30), bool)
    assert not camouflage_degree(Target(full, image=photograph((30, 30)))).any()


def test_choices_are_part_of_what_is_kept() -> None:
    gt = TRUTHS["blob"]
    target = Target(gt, image=photograph(gt.shape))
    first = camouflage_degree(target)
    assert camouflage_degree(target) is first
    assert not first.flags.writeable
    steep = camouflage_degree(target, gamma=3.0)
    expected = reference.camouflage_degree(target.image, gt, gamma=3.0)
    np.testing.assert_allclose(steep, expected, atol=1e-12)
    # The last weights leave single precision no digits for colours, and overflow its squares.
    for weight in (0.0, 5000.0, 1e9, 1e30):
        near = camouflage_degree(target, spatial_weight=weight)
        expected = reference.camouflage_degree(target.image, gt, spatial_weight=weight)
        np.testing.assert_allclose(near, expected, atol=1e-12)
    linear = camouflage_degree(target, gamma=0.0)
    assert linear.max() > first.max() or linear[gt].mean() > first[gt].mean()
    p = values_of(gt)
    for alpha in (0.5, 3.0, 10.0, 15.0):
        found = statistics(gt, target, alpha=alpha).terms()
        assert found == pytest.approx(
            reference.context_measure(p, gt, alpha=alpha), rel=1e-11, abs=1e-12
        )


def test_given_weights() -> None:
    gt = TRUTHS["blob"]
    pred = (scenes.noise(gt.shape, 4) % 256).astype(np.uint8)
    degree = scenes.noise(gt.shape, 5) / 65535
    found = statistics(pred, gt, degree=degree)
    expected = reference.context_measure(values_of(pred), gt, beta2=1.2, degree=degree)
    assert found.weighted_terms() == pytest.approx(expected, rel=1e-11)


def test_wide_kernels_with_degree_and_borders() -> None:
    for name in ("at every border", "diagonal", "full"):
        gt = TRUTHS[name]
        target = Target(gt, image=photograph(gt.shape))
        pred = (scenes.noise(gt.shape, 4) % 256).astype(np.uint8)
        found = statistics(pred, target, alpha=20.0)
        p = values_of(pred)
        degree = reference.camouflage_degree(target.image, gt)
        expected = reference.context_measure(p, gt, alpha=20.0, degree=degree, beta2=1.2)
        assert found.weighted_terms() == pytest.approx(expected, rel=1e-11)


# --- degenerate cases -------------------------------------------------------------------------


def cell(pred_on: bool, gt_on: bool, shape=(20, 24)) -> tuple[np.ndarray, np.ndarray]:
    some = np.zeros(shape, bool)
    some[4:14, 5:15] = True
    return some & pred_on, some & gt_on


@pytest.mark.parametrize("kind", ["uint8", "float32", "float64"])
@pytest.mark.parametrize("strict", [False, True])
def test_every_cell_of_the_empty_case_table(kind, strict) -> None:
    def scores(pred, gt):
        if kind != "uint8":
            pred = pred.astype(kind)
        target = Target(gt, image=photograph(gt.shape))
        found = statistics(pred, target, CONVENTIONS if kind == "uint8" else FLOATS)
        return found.c_beta(strict), found.c_beta_w(strict)

    both = scores(*cell(False, False))
    assert all(map(math.isnan, both)) if strict else both == (0, 0)
    assert scores(*cell(True, False)) == (0, 0)
    assert scores(*cell(False, True)) == (0, 0)
    pred, full = cell(True, True)[0], np.ones((20, 24), bool)
    expected = reference.context_measure(pred.astype(float), full)[0]
    assert scores(pred, full)[0] == pytest.approx(expected, rel=1e-12)
    assert scores(full, full) == pytest.approx((1, 1), rel=1e-12)
    assert scores(np.ones((1, 1), bool), np.ones((1, 1), bool)) == pytest.approx((1, 1), rel=1e-14)
    assert scores(np.zeros((1, 1), bool), np.ones((1, 1), bool)) == (0, 0)
    assert scores(np.ones((1, 1), bool), np.zeros((1, 1), bool)) == (0, 0)


def test_disjoint_maps_far_apart_score_exactly_zero() -> None:
    gt = np.zeros((100, 120), bool)
    gt[10:20, 10:20] = True
    assert statistics(gt[::-1, ::-1], gt).terms() == (0, 0, 0)


def test_reference_measures_under_both_policies() -> None:
    nothing = np.zeros((5, 6), bool)
    assert reference.context_measures(nothing * 1.0, nothing) == (
        0,
        pytest.approx(math.nan, nan_ok=True),
    )
    strict = reference.context_measures(nothing * 1.0, nothing, photograph((5, 6)), strict=True)
    assert all(map(math.isnan, strict))


# --- the doors --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 4])
def test_memory_that_held_something_else_changes_nothing(seed) -> None:
    """Pixels summed one by one read beyond their tile, with weight 0, what may have been NaN."""
    rng = np.random.default_rng(seed)
    truth = np.zeros((120, 300), bool)
    truth[rng.integers(0, 120, 10), rng.integers(0, 300, 10)] = True
    for pred in (soft := rng.random(truth.shape), np.uint8(255 * soft)):
        # What is freed here is what the kernel is given next.
        spoiled = [
            np.full(n, np.nan, np.float32) for n in range(500, 60_000, 500) for _ in range(3)
        ]
        del spoiled
        found = fsm.c_beta(pred, truth)
        assert found == pytest.approx(fsm.c_beta(pred, truth, backend="reference"), abs=1e-7)


def test_layouts_give_the_same_bits() -> None:
    gt = TRUTHS["at every border"]
    image = photograph(gt.shape)
    pred = (scenes.noise(gt.shape, 4) % 256).astype(np.uint8)
    expected = statistics(pred, gt, image=image)
    wide = np.zeros((94, 122, 6), np.uint8)
    wide[::2, ::2, ::2] = image
    for other in (np.asfortranarray(image), wide[::2, ::2, ::2], image[::-1][::-1]):
        assert statistics(np.asfortranarray(pred), np.asfortranarray(gt), image=other) == expected
    single = (pred / 255).astype(np.float32)
    for other in (np.asfortranarray(single), single.astype(">f4"), np.repeat(single, 2, 1)[:, ::2]):
        expected = statistics(single, gt, FLOATS)
        assert statistics(other, gt, FLOATS) == pytest.approx(expected, nan_ok=True, rel=1e-15)


def test_transposing_changes_nothing_but_the_band() -> None:
    for gt in TRUTHS.values():
        pred = (scenes.noise(gt.shape, 4) % 256).astype(np.uint8)
        ours = statistics(pred, gt).terms()
        assert statistics(pred.T, gt.T).terms() == pytest.approx(ours, rel=1e-11)


def test_a_target_keeps_its_own_photograph() -> None:
    gt = TRUTHS["blob"]
    image = photograph(gt.shape)
    target = Target(gt, image=image)
    assert target.image is not None
    assert not target.image.flags.writeable
    before = camouflage_degree(Target(gt, image=image)).copy()
    image[:] = 0
    np.testing.assert_array_equal(camouflage_degree(target), before)
    assert Target(gt).image is None
    borrowed = Target.borrowing(gt, None, gt, photograph(gt.shape))
    np.testing.assert_array_equal(camouflage_degree(borrowed), before)


@pytest.mark.parametrize(
    ("image", "message"),
    [
        (np.zeros((5, 6), np.uint8), r"image must be RGB \(H, W, 3\); received shape \(5, 6\)"),
        (np.zeros((5, 6, 4), np.uint8), r"received shape \(5, 6, 4\)"),
        (np.zeros((5, 6, 3)), "image must be uint8 .* received dtype float64"),
        (np.zeros((6, 5, 3), np.uint8), r"image and gt must have one size.*transpose"),
        (np.zeros((5, 7, 3), np.uint8), r"received \(5, 7\) and \(5, 6\)$"),
    ],
)
def test_photographs_that_are_refused(image, message) -> None:
    with pytest.raises(InputError, match=message):
        Target(np.ones((5, 6), bool), image=image)


def test_what_a_missing_photograph_and_a_mask_of_ones_say() -> None:
    gt = np.ones((5, 6), bool)
    with pytest.raises(InputError, match="image must be given with the ground truth"):
        statistics(gt, gt, degree=True)
    with pytest.raises(InputError, match="pred_scale"):
        statistics(gt.astype(np.uint8), gt, Conventions())


def test_unit_table_is_the_map_itself() -> None:
    pred = (scenes.noise((9, 14), 3) % 200 + 20).astype(np.uint8)
    for stretch in (False, True):
        canonical = represent.prediction(pred, Conventions(stretch=stretch), pred.shape)
        table = unit_table(canonical)
        np.testing.assert_array_equal(table[pred], represent.unit_values(canonical))


def test_threads_share_a_target() -> None:
    gt = TRUTHS["blob"]
    target = Target(gt, image=photograph(gt.shape))
    expected = statistics(gt, Target(gt, image=photograph(gt.shape)))
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(statistics(gt, target))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4
