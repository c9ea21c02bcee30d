"""Multi-scale IoU: values worked by hand, degenerate images, every kind of input."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings

from fastsegmetrics import represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError
from fastsegmetrics.reference.multiscale import msiou
from fastsegmetrics.statistics.multiscale import (
    MultiscaleScores,
    multiscale_scores,
    multiscale_statistics,
)
from fastsegmetrics.target import Target
from tests.strategies import eight_bit_pairs, float_pairs


def scored(pred, gt, **choices) -> MultiscaleScores:
    conventions = Conventions(**choices)
    target = gt if isinstance(gt, Target) else Target(gt)
    canonical = represent.prediction(pred, conventions, target.shape)
    found = multiscale_statistics(canonical, target, conventions)
    return multiscale_scores(found, strict=conventions.policy == "strict")


def assert_equal(ours: MultiscaleScores, expected) -> None:
    assert ours.fixed == pytest.approx(expected[0], rel=1e-14, nan_ok=True)
    assert ours.adaptive == pytest.approx(expected[1], rel=1e-14, nan_ok=True)
    np.testing.assert_allclose(ours.curve, expected[2], rtol=1e-14)


def dot(shape, row, column) -> np.ndarray:
    mask = np.zeros(shape, bool)
    mask[row, column] = True
    return mask


def area(*ratios: Fraction) -> float:
    """The area under ten ratios, the last one repeated."""
    all_ratios = list(ratios) + [ratios[-1]] * (10 - len(ratios))
    return float(sum(Fraction(a + b, 2) for a, b in pairwise(all_ratios)) / 9)


def test_a_dot_two_columns_off() -> None:
    """By hand: a dot's edge is the ring of its 8 neighbours, without itself.

    8 x 8, truth at (3, 2), prediction at (3, 4).  Rings: columns 1-3 and 3-5.  Scale 1: they
    share column 3, rows 2-4: 3 of 8.  Scale 2: the truth has rows 1-2 and columns 0-1 of cells (4
    cells), the prediction columns 1-2: 2 of 4 are shared.  Scale 4: the truth has rows 0-1 of
    column 0; the prediction also: 2 of 2.  Above: 1 of 1.
    """
    ours = scored(dot((8, 8), 3, 4), dot((8, 8), 3, 2))
    expected = area(Fraction(4, 9), Fraction(3, 5), Fraction(1))
    assert ours.fixed == pytest.approx(expected, rel=1e-15)
    assert ours.adaptive == pytest.approx(expected, rel=1e-15)
    # Nothing is predicted at threshold 256, all of the image at 0.
    assert ours.curve[256] == pytest.approx(area(*(Fraction(1, n + 1) for n in (8, 4, 2, 1))))
    # The border of an 8 x 8 image, of which the truth's ring (rows 2-4, columns 1-3) has no pixel;
    # scale 2: cell column 0 is border, 2 of 4; scale 4: 2 of 2.
    assert ours.curve[0] == pytest.approx(area(Fraction(1, 9), Fraction(3, 5), Fraction(1)))
    assert set(ours.curve[1:256]) == {ours.fixed}


def test_levels_of_a_map_are_its_thresholds() -> None:
    """Three dots of 51, 102 and 255, one truth: the score changes at 52, 103 and 256."""
    pred = np.zeros((5, 30), np.uint8)
    pred[2, [4, 14, 24]] = 51, 102, 255
    curve = scored(pred, dot((5, 30), 2, 14)).curve
    assert [t for t in range(1, 257) if curve[t] != curve[t - 1]] == [1, 103, 256]
    truth = dot((5, 30), 2, 4) | dot((5, 30), 2, 14)
    curve = scored(pred, truth).curve
    assert [t for t in range(1, 257) if curve[t] != curve[t - 1]] == [1, 52, 103, 256]


def test_perfect_is_one_at_every_threshold_above_zero() -> None:
    truth = np.zeros((9, 14), bool)
    truth[2:6, 3:10] = True
    ours = scored(truth, truth)
    assert (ours.fixed, ours.adaptive) == (1.0, 1.0)
    assert ours.curve[1:256].tolist() == [1.0] * 255


EMPTY, FULL, SOME = np.zeros((6, 9), bool), np.ones((6, 9), bool), dot((6, 9), 2, 4)
#: (prediction, truth) → (fixed, adaptive) under each policy; None: what the pixels give.
TABLE = {
    "both empty": (EMPTY, EMPTY, (1.0, 1.0), (math.nan, math.nan)),
    "gt empty, pred not": (SOME, EMPTY, (1.0, 1.0), (math.nan, math.nan)),
    "gt not, pred empty": (EMPTY, SOME, None, None),
    "gt full": (SOME, FULL, None, None),
    "both full": (FULL, FULL, (1.0, 1.0), (1.0, 1.0)),
    "gt full, pred empty": (EMPTY, FULL, None, None),
}


@pytest.mark.parametrize("case", TABLE)
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.uint8])
def test_empty_cases(case, kind) -> None:
    pred, gt, published, strict = TABLE[case]
    pred = (pred * (255 if kind is np.uint8 else 1)).astype(kind)
    for policy, known in (("published", published), ("strict", strict)):
        ours = scored(pred, gt, policy=policy)
        p = pred / 255 if kind is np.uint8 else pred
        expected = msiou(p, gt, strict=policy == "strict")
        assert_equal(ours, expected)
        if known is not None:
            np.testing.assert_array_equal((ours.fixed, ours.adaptive), known)
            if not gt.any():
                np.testing.assert_array_equal(ours.curve, known[0])


def test_nothing_predicted_by_hand() -> None:
    """A dot at (2, 4) of 6 x 9: the edge is its ring, rows 1-3 and columns 3-5 of the image.

    Size 2: a column of padding, so cell rows 0-1, cell columns 2-3.  Size 4: two rows and three
    columns of padding, so cell rows 0-1, cell columns 1-2.  Size 8: seven columns of padding, so
    that all of it lies in one cell.
    """
    nothing = area(*(Fraction(1, n + 1) for n in (8, 4, 4, 1)))
    published = scored(EMPTY, SOME)
    assert published.fixed == pytest.approx(nothing, rel=1e-15)
    assert published.adaptive == published.curve[0] != published.fixed
    strict = scored(EMPTY, SOME, policy="strict")
    assert strict.fixed == strict.adaptive == published.fixed
    assert published.curve[1:].tolist() == strict.curve[1:].tolist() == [published.fixed] * 256


def test_one_pixel_has_no_edge() -> None:
    for value in (0, 128, 255):
        ours = scored(np.array([[value]], np.uint8), np.array([[255]], np.uint8))
        assert (ours.fixed, ours.adaptive, *set(ours.curve)) == (1.0, 1.0, 1.0)


@given(eight_bit_pairs())
@settings(max_examples=15)
def test_eight_bit_maps_agree_with_the_definition(pair) -> None:
    pred, truth = pair
    for stretch, policy in ((True, "published"), (False, "strict")):
        conventions = Conventions(stretch=stretch)
        p = represent.unit_values(represent.prediction(pred, conventions, truth.shape))
        ours = scored(pred, truth, stretch=stretch, policy=policy)
        assert_equal(ours, msiou(p, truth, strict=policy == "strict"))


@given(float_pairs())
@settings(max_examples=15)
def test_float_maps_agree_with_the_definition(pair) -> None:
    pred, truth = pair
    for policy in ("published", "strict"):
        ours = scored(pred, truth, stretch=False, policy=policy)
        assert_equal(ours, msiou(pred, truth, strict=policy == "strict"))


def test_a_level_at_twice_the_mean_is_settled_by_numpy() -> None:
    pred = np.zeros(72, np.uint8)
    pred[5] = 255
    pred[10:31] = 17
    pred = pred.reshape(8, 9)
    truth = np.arange(72).reshape(8, 9) % 5 == 0
    ours = scored(pred, truth)
    assert_equal(ours, msiou(pred / 255, truth, strict=False))
    kept = pred / 255 >= 2 * (pred / 255).mean()
    assert ours.adaptive == scored(kept, truth).fixed


def test_any_layout_gives_the_same() -> None:
    rng = np.random.default_rng(3)
    pred = rng.integers(0, 256, (11, 23)).astype(np.uint8)
    truth = rng.random((11, 23)) < 0.3
    expected = scored(pred, truth)
    frozen = pred.copy()
    frozen.flags.writeable = False
    wide = np.repeat(pred, 2, axis=1)[:, ::2]
    back = np.ascontiguousarray(pred[::-1, ::-1])[::-1, ::-1]
    for form in (frozen, wide, back, np.asfortranarray(pred), pred.astype(">i4")):
        assert_equal(scored(form, truth), expected)
    assert_equal(scored(pred, np.asfortranarray(truth)), expected)


def test_a_target_is_computed_once_and_not_written_to() -> None:
    rng = np.random.default_rng(4)
    truth = rng.random((20, 31)) < 0.2
    target = Target(truth)
    maps = [rng.integers(0, 256, truth.shape).astype(np.uint8) for _ in range(3)]
    for pred in maps:
        assert_equal(scored(pred, target), scored(pred, truth))
    names = {"edge_pyramid", "edge_cells", "first_edge_scales"}
    assert names <= set(target._cache)
    assert not any(target._cache[name].flags.writeable for name in names)


def test_the_sweep_is_left_out_where_it_is_not_wanted() -> None:
    conventions = Conventions()
    target = Target(SOME)
    canonical = represent.prediction(SOME, conventions, target.shape)
    found = multiscale_statistics(canonical, target, conventions, thresholds=False)
    assert found.thresholds is None
    assert found.edge_cells.tolist() == [8, 4, 4, 1, 1, 1, 1, 1, 1, 1]
    assert found.sides.tolist() == [[n, n] for n in found.edge_cells]
    assert multiscale_scores(found, strict=False) == (1.0, 1.0, None)
    assert "first_edge_scales" not in target._cache


def test_a_mask_of_ones_is_refused() -> None:
    with pytest.raises(InputError, match="maximum is the integer 1"):
        scored(SOME.astype(np.uint8), SOME)
