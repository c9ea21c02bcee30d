"""Boundary F, boundary IoU and clDice: values by hand, rules, empty masks, refusals."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastsegmetrics as fsm
from fastsegmetrics import InputError
from fastsegmetrics.statistics.boundary import davis_boundary

SQUARE = np.zeros((12, 12), bool)
SQUARE[3:9, 3:9] = True
EMPTY = np.zeros((5, 8), bool)
FULL = np.ones((5, 8), bool)


@st.composite
def masks(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    n_axes = draw(st.sampled_from([2, 3]))
    shape = draw(st.tuples(*[st.integers(1, 8)] * n_axes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    share = st.sampled_from([0.0, 0.1, 0.5, 1.0])
    return rng.random(shape) < draw(share), rng.random(shape) < draw(share)


@given(masks(), st.sampled_from([0, 1, 1.5, 3]), st.sampled_from(["nearest", "one_to_one"]))
def test_backends_agree(pair, tolerance, matching) -> None:
    for choices in (
        {},
        {"unit": "spacing", "spacing": (0.5, 2.0, 1.1)[: pair[0].ndim]},
        {"boundary": "davis"},
    ):
        if "boundary" in choices and pair[0].ndim == 3:
            continue
        found, expected = (
            fsm.boundary_f(*pair, tolerance, matching=matching, backend=backend, **choices)
            for backend in ("compiled", "reference")
        )
        np.testing.assert_array_equal(
            (found, found.precision, found.recall), (expected, expected.precision, expected.recall)
        )


@given(masks())
def test_bands_and_centre_lines_agree(pair) -> None:
    for share in (0.02, 0.3):
        found, expected = (
            fsm.boundary_iou(*pair, share=share, backend=backend)
            for backend in ("compiled", "reference")
        )
        assert (found, found.distance) == (expected, expected.distance)
    found, expected = (fsm.cl_dice(*pair, backend=backend) for backend in ("compiled", "reference"))
    np.testing.assert_array_equal(
        (found, found.precision, found.sensitivity),
        (expected, expected.precision, expected.sensitivity),
    )


@pytest.mark.parametrize(
    ("tolerance", "expected"), [(0, 8 / 20), (0.99, 8 / 20), (1, 12 / 20), (2, 1.0)]
)
def test_boundary_f_of_a_shift(tolerance, expected) -> None:
    """Two columns: four pixels of each row of the border coincide, two more are one away."""
    score = fsm.boundary_f(np.roll(SQUARE, 2, axis=1), SQUARE, tolerance)
    assert score.precision == score.recall == expected
    assert score == pytest.approx(expected, rel=1e-15)
    assert score.tolerance == tolerance


def test_precision_and_recall_are_not_exchanged() -> None:
    pred = SQUARE.copy()
    pred[11, 11] = True
    score = fsm.boundary_f(pred, SQUARE, 1)
    assert (score.precision, score.recall) == (20 / 21, 1.0)
    assert score == pytest.approx(40 / 41, rel=1e-15)
    score = fsm.boundary_f(SQUARE, pred, 1)
    assert (score.precision, score.recall) == (1.0, 20 / 21)


def test_one_to_one_does_not_reward_doubled_contours() -> None:
    gt = np.zeros((7, 20), bool)
    gt[3, 2:18] = True
    pred = np.zeros((7, 20), bool)
    pred[[2, 4], 2:18] = True
    assert fsm.boundary_f(pred, gt, 1) == 1.0
    score = fsm.boundary_f(pred, gt, 1, matching="one_to_one")
    assert (score.precision, score.recall) == (0.5, 1.0)
    assert score == pytest.approx(2 / 3, rel=1e-15)


def test_one_to_one_finds_the_largest_matching() -> None:
    """Taking the first neighbour would give the middle pixel away and leave one without."""
    pred, gt = np.zeros((2, 1, 9), bool)
    pred[0, [2, 4]] = gt[0, [3, 5]] = True
    score = fsm.boundary_f(pred, gt, 1, matching="one_to_one")
    assert (score, score.precision, score.recall) == (1.0, 1.0, 1.0)
    gt[0, 5], gt[0, 1] = False, True
    assert fsm.boundary_f(pred, gt, 1, matching="one_to_one") == 1.0


def test_units_of_the_tolerance() -> None:
    pred = np.roll(SQUARE, 1, axis=1)
    share = fsm.boundary_f(pred, SQUARE, 0.008, unit="diagonal")
    # 0.008 of 16.97 pixels, rounded up.
    assert (share, share.tolerance) == (1.0, 1.0)
    assert fsm.boundary_f(np.ones((480, 854)), np.ones((480, 854)), 0.008, unit="diagonal"
                          ).tolerance == 8.0  # fmt: skip
    physical = fsm.boundary_f(pred, SQUARE, 1, unit="spacing", spacing=(1, 2))
    # Ten of twenty coincide, two of each column lie a row from the other's corner pixels.
    assert physical == fsm.boundary_f(pred, SQUARE, 1.9, unit="spacing", spacing=(1, 2)) < 1
    assert fsm.boundary_f(pred, SQUARE, 2, unit="spacing", spacing=(1, 2)) == 1.0


def test_davis_boundary_map() -> None:
    mask = np.zeros((4, 5), np.uint8)
    mask[1:3, 1:3] = 1
    assert davis_boundary(mask).tolist() == [
        [1, 1, 1, 0, 0],
        [1, 0, 1, 0, 0],
        [1, 1, 1, 0, 0],
        [0, 0, 0, 0, 0],
    ]
    # A full image has its boundary nowhere; an object that ends with the image is open there.
    assert not davis_boundary(np.ones((3, 4), np.uint8)).any()
    score = fsm.boundary_f(mask, mask, 0, boundary="davis")
    assert (score, score.precision) == (1.0, 1.0)
    # A row lower it ends with the image: seven pixels, of which four are the other's.
    moved = fsm.boundary_f(np.roll(mask, 1, axis=0), mask, 0, boundary="davis")
    assert (moved.precision, moved.recall) == (4 / 7, 4 / 8)


def test_boundary_iou_by_hand() -> None:
    # One pixel wide bands of 20; shifted by one column they share two rows of five, less nothing.
    score = fsm.boundary_iou(np.roll(SQUARE, 1, axis=1), SQUARE)
    assert (score, score.distance) == (10 / 30, 1)
    # Three pixels wide: the bands are the whole squares.
    score = fsm.boundary_iou(np.roll(SQUARE, 1, axis=1), SQUARE, share=0.18)
    assert (score, score.distance) == (30 / 42, 3)
    # Outside is background: a full image's band is its rim.
    rim = np.ones((5, 8), bool)
    rim[1:-1, 1:-1] = False
    assert fsm.boundary_iou(FULL, rim) == 1.0
    volume = np.ones((3, 4, 5), bool)
    assert fsm.boundary_iou(volume, volume ^ np.pad(np.ones((1, 2, 3), bool), 1)) == 1.0


@pytest.mark.parametrize(
    ("shape", "distance"), [((48, 64), 2), ((10, 10), 1), ((1, 2289), 46), ((1, 1), 1)]
)
def test_width_of_bands(shape, distance) -> None:
    nothing = np.zeros(shape, bool)
    assert fsm.boundary_iou(nothing, nothing).distance == distance


def test_centre_lines_by_hand() -> None:
    gt = np.zeros((9, 21), bool)
    gt[4, 2:19] = True
    pred = np.zeros((9, 21), bool)
    pred[3:6, 2:10] = True
    score = fsm.cl_dice(pred, gt)
    # The block's skeleton is its middle row but for one pixel, towards a corner.
    assert score.precision == 6 / 7
    assert score.sensitivity == 8 / 17
    assert score == pytest.approx(96 / 158, rel=1e-15)
    # A thick prediction's skeleton is on the line; Dice would punish its width.
    assert fsm.cl_dice(np.pad(gt[1:-1], ((1, 1), (0, 0))), gt) == 1.0


def tubes() -> tuple[np.ndarray, np.ndarray]:
    """A thick tube along the first half of a line of voxels, and the line."""
    gt = np.zeros((21, 9, 7), bool)
    gt[2:19, 4, 3] = True
    pred = np.zeros_like(gt)
    pred[2:10, 3:6, 2:5] = True
    return pred, gt


@pytest.mark.parametrize("backend", ["compiled", "reference"])
def test_centre_lines_of_volumes_by_hand(backend) -> None:
    pred, gt = tubes()
    score = fsm.cl_dice(pred, gt, backend=backend)
    # The tube's skeleton is its axis, 8 of the line's 17 voxels.
    assert (score.precision, score.sensitivity) == (1.0, 8 / 17)
    assert score == pytest.approx(16 / 25, rel=1e-15)
    # A column aside of the line, the axis misses it while the tube holds it.
    score = fsm.cl_dice(np.roll(pred, 1, axis=2), gt, backend=backend)
    assert (score, score.precision, score.sensitivity) == (0.0, 0.0, 8 / 17)
    # Memory in any order, of any type.
    for order in ((2, 0, 1), (1, 2, 0)):
        there, back = np.transpose(np.asfortranarray(pred), order), np.transpose(gt, order)
        moved = fsm.cl_dice(there.astype(np.int64), 255 * back.astype(np.uint8), backend=backend)
        assert (moved.precision, moved.sensitivity) == (1.0, 8 / 17)


@pytest.mark.parametrize("backend", ["compiled", "reference"])
def test_a_skeleton_that_vanishes_is_undefined(backend) -> None:
    """A block of 2 x 2 x 2 is thinned away whole: a share of nothing, though no mask is empty."""
    gt = tubes()[1]
    block = np.zeros_like(gt)
    block[5:7, 4:6, 3:5] = True
    for pair in ((block, block), (block, np.roll(block, 5, axis=0)), (block, gt), (gt, block)):
        for both_empty in ("perfect", "undefined"):
            assert math.isnan(fsm.cl_dice(*pair, both_empty=both_empty, backend=backend))
    score = fsm.cl_dice(gt, block, backend=backend)
    assert score.precision == 2 / 17
    assert math.isnan(score.sensitivity)
    nothing = np.zeros_like(gt)
    assert fsm.cl_dice(block, nothing, backend=backend) == 0.0
    assert fsm.cl_dice(nothing, block, both_empty="undefined", backend=backend) == 0.0


@pytest.mark.parametrize(
    "score",
    [
        lambda p, g, **c: fsm.boundary_f(p, g, 1, **c),
        lambda p, g, **c: fsm.boundary_f(p, g, 1, matching="one_to_one", **c),
        fsm.boundary_iou,
        fsm.cl_dice,
    ],
    ids=["nearest", "one_to_one", "boundary_iou", "cl_dice"],
)
@pytest.mark.parametrize("backend", ["compiled", "reference"])
def test_empty_and_full_masks(score, backend) -> None:
    assert score(EMPTY, EMPTY, backend=backend) == 1.0
    assert math.isnan(score(EMPTY, EMPTY, both_empty="undefined", backend=backend))
    assert score(EMPTY, FULL, backend=backend) == 0.0
    assert score(FULL, EMPTY, backend=backend) == 0.0
    assert score(FULL, FULL, backend=backend) == 1.0
    one = np.ones((1, 1))
    assert score(one, one, backend=backend) == 1.0
    nothing, line = np.zeros((4, 1, 3)), np.ones((4, 1, 1))
    assert score(nothing, nothing, backend=backend) == 1.0
    assert math.isnan(score(nothing, nothing, both_empty="undefined", backend=backend))
    assert score(nothing, np.ones((4, 1, 3)), backend=backend) == 0.0
    assert score(line, line, backend=backend) == score(one[None], one[None], backend=backend) == 1.0


def test_parts_of_empty_masks_are_undefined() -> None:
    score = fsm.boundary_f(EMPTY, FULL, 1)
    assert math.isnan(score.precision)
    assert score.recall == 0.0


def test_scores_survive_pickling() -> None:
    score = fsm.boundary_f(SQUARE, np.roll(SQUARE, 1, axis=0), 0)
    again = pickle.loads(pickle.dumps(score))
    assert (again, again.precision, again.recall, again.tolerance) == (
        score, score.precision, score.recall, 0.0,
    )  # fmt: skip
    band = pickle.loads(pickle.dumps(fsm.boundary_iou(SQUARE, SQUARE)))
    assert (band, band.distance) == (1.0, 1)
    line = pickle.loads(pickle.dumps(fsm.cl_dice(SQUARE, SQUARE)))
    assert (line, line.precision, line.sensitivity) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: fsm.boundary_f(FULL, FULL, -1), "tolerance must be a finite number"),
        (lambda: fsm.boundary_f(FULL, FULL, 1, unit="mm"), "unit must be one of 'pixel', 's"),
        (lambda: fsm.boundary_f(FULL, FULL, 1, matching="hungarian"), "matching must be"),
        (lambda: fsm.boundary_f(FULL, FULL, 1, boundary="sobel"), "boundary must be"),
        (lambda: fsm.boundary_f(FULL, FULL, 1, both_empty="zero"), "both_empty must be"),
        (lambda: fsm.boundary_f(FULL, FULL, 1, spacing=2), "spacing must be given with unit="),
        (lambda: fsm.boundary_f(FULL, FULL, 1, unit="spacing"), "spacing must be given with unit="),
        (lambda: fsm.boundary_f(FULL[None], FULL[None], 1, boundary="davis"), "must have 2 axes"),
        (lambda: fsm.boundary_iou(FULL, FULL, share=1.5), "share must be a finite number in"),
        (lambda: fsm.boundary_iou(FULL, EMPTY[:3]), "one shape"),
        (lambda: fsm.cl_dice(FULL[0], FULL[0]), "pred must have 2 or 3 axes"),
        (lambda: fsm.cl_dice(FULL[None], FULL[:, None]), "one shape"),
        (lambda: fsm.cl_dice(3 * FULL[None], FULL[None]), "pred"),
    ],
)  # fmt: skip
def test_refusals(call, sentence) -> None:
    with pytest.raises(InputError, match=sentence):
        call()
