"""Surface scores: published check values, conventions, empty masks, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastsegmetrics as fsm
from fastsegmetrics import InputError
from fastsegmetrics.scores import surface as scores

inf, nan = math.inf, math.nan


def box(shape, *sides) -> np.ndarray:
    mask = np.zeros(shape, bool)
    mask[tuple(slice(*side) for side in sides)] = True
    return mask


SQUARE = box((12, 12), (3, 9), (3, 9))
#: The note's six cases: prediction, truth, HD, HD95.
CASES = {
    "exact": (SQUARE, SQUARE, 0.0, 0.0),
    "one column": (np.roll(SQUARE, 1, axis=1), SQUARE, 1.0, 1.0),
    "far pixel": (SQUARE | box((12, 12), (11, 12), (11, 12)), SQUARE, math.sqrt(18), 0.0),
    "disjoint": (box((12, 12), (0, 2), (0, 2)), box((12, 12), (9, 12), (9, 12)), None, None),
    "both empty": (SQUARE & False, SQUARE & False, 0.0, 0.0),
    "one empty": (SQUARE & False, SQUARE, inf, inf),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("backend", ["compiled", "reference"])
def test_the_six_cases(name, backend) -> None:
    pred, gt, hd, hd95 = CASES[name]
    if hd is None:
        # From (0, 0) to (9, 9), and from (11, 11) to (1, 1).
        hd = math.sqrt(200)
        forth = sorted(math.hypot(9 - y, 9 - x) for y in (0, 1) for x in (0, 1))
        ring = [(y, x) for y in range(9, 12) for x in range(9, 12) if (y, x) != (10, 10)]
        back = sorted(math.hypot(y - 1, x - 1) for y, x in ring)
        hd95 = max(np.percentile(forth, 95), np.percentile(back, 95))
    found = fsm.surface_distances(pred, gt, backend=backend)
    assert found.hd == pytest.approx(hd, rel=1e-15)
    assert found.hd95 == pytest.approx(hd95, rel=1e-15)
    for one_liner, value in ((fsm.hd, hd), (fsm.hd95, hd95)):
        assert one_liner(pred, gt, backend=backend) == pytest.approx(value, rel=1e-15)
        assert one_liner(gt, pred) == pytest.approx(value, rel=1e-15)


def test_a_square_has_twenty_surface_pixels() -> None:
    found = fsm.surface_distances(SQUARE, np.roll(SQUARE, 1, axis=1))
    assert found.pred_to_gt.size == found.gt_to_pred.size == 20


def test_four_conventions_of_one_percentile() -> None:
    gt = box((12, 12), (1, 4), (1, 4))
    pred = gt | box((12, 12), (10, 11), (10, 11))
    found = fsm.surface_distances(pred, gt)
    values = {"max": 5.9397, "pooled": 1.9799, "mean": 2.9698, "inverse_cdf": 9.8995}
    for convention, value in values.items():
        assert found.hd_percentile(95, convention) == pytest.approx(value, abs=5e-5)
        assert fsm.hd95(pred, gt, convention=convention) == found.hd_percentile(95, convention)
    assert found.hd95 == found.hd_percentile(95) == found.hd_percentile(95, "max")
    assert found.hd == pytest.approx(9.8995, abs=5e-5)
    assert found.hd_percentile(100) == found.hd_percentile(100, "inverse_cdf") == found.hd
    assert found.hd_percentile(0) == found.hd_percentile(0, "inverse_cdf") == 0.0


def test_pooled_mean_against_mean_of_means() -> None:
    pred, gt = np.ones((1, 9), bool), box((1, 9), (0, 1), (0, 1))
    found = fsm.surface_distances(pred, gt)
    assert (found.assd, found.masd) == (3.6, 2.0)
    assert (fsm.assd(pred, gt), fsm.masd(pred, gt)) == (3.6, 2.0)
    assert found.pred_to_gt.tolist() == list(range(9))
    assert found.gt_to_pred.tolist() == [0.0]


def test_outside_the_image_is_background() -> None:
    pred, gt = np.ones((6, 6), bool), box((6, 6), (1, 5), (1, 5))
    found = fsm.surface_distances(pred, gt)
    assert found.pred_to_gt.size == 20
    assert found.hd == pytest.approx(math.sqrt(2), rel=1e-15)
    assert found.assd == pytest.approx(1.0518, abs=5e-5)


@pytest.mark.parametrize(
    ("spacing", "expected"),
    [((2.5, 0.5, 0.5), 5.0), ((0.5, 0.5, 2.5), 1.0), ((3, 1, 1), 6.0), (1.5, 3.0), (0.1, 0.2)],
)
@pytest.mark.parametrize("surface", ["voxels", "elements"])
def test_spacing_follows_the_axes(spacing, expected, surface) -> None:
    pred, gt = box((5, 5, 5), (1, 2), (1, 2), (1, 2)), box((5, 5, 5), (3, 4), (1, 2), (1, 2))
    for transpose in (False, True):
        if transpose:
            pred, gt = pred.T, gt.T
            spacing = spacing[::-1] if isinstance(spacing, tuple) else spacing
        found = fsm.surface_distances(pred, gt, spacing=spacing, surface=surface)
        # Of the eight cells around a voxel, the nearer four are a step closer to the other's.
        assert found.hd == pytest.approx(expected, rel=1e-15)


def test_normalised_surface_distance() -> None:
    pred, gt = np.roll(SQUARE, 1, axis=1), SQUARE
    found = fsm.surface_distances(pred, gt, spacing=(1, 2))
    # Of 20 points, the two rows of the square share 5 each; the columns are 2 apart; a row's end
    # is 1 from the other's second row and 2 from its last pixel.
    near = sum(d <= 1 for d in found.pred_to_gt)
    assert found.nsd(1) == 2 * near / 40 == found.nsd(1.999)
    assert found.nsd(2) == 1.0
    assert fsm.nsd(pred, gt, 2, spacing=(1, 2)) == 1.0
    assert fsm.nsd(pred, gt, 0) == sum(d == 0 for d in found.pred_to_gt) / 20


EMPTY = np.zeros((3, 4), bool)
FULL = np.ones((3, 4), bool)
LENGTHS = ("hd", "hd95", "assd", "masd")


@pytest.mark.parametrize("surface", ["voxels", "elements"])
@pytest.mark.parametrize("spacing", [1.0, (3.0, 1.0)])
def test_empty_masks(surface, spacing) -> None:
    choices = {"surface": surface, "spacing": spacing}
    diagonal = math.hypot(3 * (3 if spacing != 1.0 else 1), 4)
    for pred, gt in ((EMPTY, FULL), (FULL, EMPTY)):
        infinite = fsm.surface_distances(pred, gt, **choices)
        settled = fsm.surface_distances(pred, gt, one_empty="diagonal", **choices)
        for name in LENGTHS:
            assert getattr(infinite, name) == inf
            assert getattr(settled, name) == diagonal == infinite.diagonal
        assert infinite.hd_percentile(50, "inverse_cdf") == inf
        assert infinite.nsd(10**6) == settled.nsd(10**6) == 0.0
        full_side = infinite.pred_to_gt if pred.any() else infinite.gt_to_pred
        assert full_side.size > 0
        assert np.isinf(full_side).all()
    perfect = fsm.surface_distances(EMPTY, EMPTY, **choices)
    undefined = fsm.surface_distances(EMPTY, EMPTY, both_empty="undefined", **choices)
    for name in LENGTHS:
        assert getattr(perfect, name) == 0.0
        assert math.isnan(getattr(undefined, name))
    assert perfect.nsd(0) == 1.0
    assert math.isnan(undefined.nsd(0))


def test_full_masks_and_one_pixel() -> None:
    assert fsm.surface_distances(FULL, FULL).pred_to_gt.tolist() == [0.0] * 10
    one = np.ones((1, 1))
    for surface in ("voxels", "elements"):
        found = fsm.surface_distances(one, one, surface=surface)
        assert (found.hd, found.assd, found.nsd(0)) == (0.0, 0.0, 1.0)


def test_elements_weigh_by_area() -> None:
    """One row of a long bar is missing: its elements are the bar's straight ones, and corners."""
    gt = box((6, 12), (1, 5), (1, 11))
    pred = box((6, 12), (2, 5), (1, 11))
    found = fsm.surface_distances(pred, gt, surface="elements")
    assert found.gt_areas is not None
    # 2 (4 + 10) of boundary less what four corners are cut short.
    assert found.gt_areas.sum() == pytest.approx(2 * (3 + 9) + 4 * math.sqrt(0.5), rel=1e-14)
    assert found.hd_percentile(95) == found.hd_percentile(95, "inverse_cdf") == 1.0
    # The truth's top is 1 away whole; of the prediction's, the corners lie on the truth's sides.
    far = 9 + 2 * math.sqrt(0.5) + 9
    assert found.pred_areas is not None
    total = found.gt_areas.sum() + found.pred_areas.sum()
    assert found.nsd(0.5) == pytest.approx((total - far) / total, rel=1e-14)
    assert found.assd == pytest.approx(far / total, rel=1e-14)


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=12),
    st.lists(st.integers(0, 9), min_size=1, max_size=9),
    st.integers(0, 100),
)
def test_percentiles_are_numpys(first, second, q) -> None:
    forth, back = (np.sort(np.array(side) / 7.0) for side in (first, second))
    assert scores.linear_percentile(forth, q) == np.percentile(forth, q)
    assert scores.pooled_percentile(forth, back, q) == np.percentile(np.r_[forth, back], q)
    expected = forth[max(0, -(-forth.size * q // 100) - 1)]
    assert scores.rank_percentile(forth, q) == expected
    weighted = scores.weighted_rank_percentile(forth, np.full(forth.size, 0.5), q)
    assert weighted in (expected, *forth[forth >= expected][:1])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"surface": "voxel"}, "surface must be 'voxels' or 'elements'; received 'voxel'"),
        ({"both_empty": 1}, "both_empty must be 'perfect' or 'undefined'; received 1"),
        ({"one_empty": "nan"}, "one_empty must be 'infinite' or 'diagonal'; received 'nan'"),
        ({"spacing": (1, 1, 1)}, r"spacing must be one number or one for each of the 2 axes"),
        ({"backend": "fast"}, "backend must be"),
    ],
)
def test_refused_arguments(arguments, sentence) -> None:
    with pytest.raises(InputError, match=sentence):
        fsm.surface_distances(FULL, FULL, **arguments)


def test_refused_numbers() -> None:
    found = fsm.surface_distances(FULL, EMPTY | box((3, 4), (0, 2), (0, 2)))
    for q in (-1, 101, nan, True, "95", None):
        with pytest.raises(InputError, match=r"q must be a finite number in \[0, 100\]"):
            found.hd_percentile(q)
    for tolerance in (-1, inf, nan, False, "1"):
        with pytest.raises(InputError, match="tolerance must be a finite number of at least 0"):
            found.nsd(tolerance)
    with pytest.raises(InputError, match="convention must be one of 'max', 'pooled', 'mean', 'i"):
        found.hd_percentile(95, "medpy")
    with pytest.raises(InputError, match=r"convention must be one of .*; received ''"):
        found.hd_percentile(95, "")
    elements = fsm.surface_distances(FULL, FULL, surface="elements")
    with pytest.raises(InputError, match="'inverse_cdf' for surface elements; received 'max'"):
        elements.hd_percentile(95, "max")
    with pytest.raises(InputError, match="pred must have 2 or 3 axes"):
        fsm.hd(FULL[0], FULL[0])


def test_layouts_and_dtypes() -> None:
    rng = np.random.default_rng(5)
    pred, gt = rng.random((2, 4, 7, 9)) < 0.4
    expected = fsm.surface_distances(pred, gt)
    for change in (np.asfortranarray, lambda m: m.astype(np.uint8), lambda m: m * 1.0,
                   lambda m: m.astype(np.uint8) * np.uint8(255),
                   lambda m: np.repeat(m, 2, axis=2)[..., ::2],
                   lambda m: m[:, ::-1].copy()[:, ::-1]):  # fmt: skip
        found = fsm.surface_distances(change(pred), change(gt))
        np.testing.assert_array_equal(found.pred_to_gt, expected.pred_to_gt)
        np.testing.assert_array_equal(found.gt_to_pred, expected.gt_to_pred)
