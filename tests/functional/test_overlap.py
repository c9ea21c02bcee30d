"""Overlap of binary masks: values worked by hand, both backends, every degenerate pair."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastsegmetrics as fsm
from fastsegmetrics.reference import contingency as definitions

BACKENDS = ("compiled", "reference")


def square() -> np.ndarray:
    """A 6 x 6 square in 12 x 12, the target of the paper's six cases."""
    mask = np.zeros((12, 12), bool)
    mask[3:9, 3:9] = True
    return mask


def outlier() -> np.ndarray:
    mask = square()
    mask[11, 11] = True
    return mask


EMPTY = np.zeros((12, 12), bool)
DISJOINT = EMPTY.copy()
DISJOINT[:2, :3] = True


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("pred", "gt", "iou", "dice"),
    [
        (square(), square(), 1.0, 1.0),
        (np.roll(square(), 1, axis=1), square(), 30 / 42, 5 / 6),
        (outlier(), square(), 36 / 37, 72 / 73),
        (DISJOINT, square(), 0.0, 0.0),
        (EMPTY, EMPTY, 1.0, 1.0),
        (EMPTY, square(), 0.0, 0.0),
    ],
    ids=["exact", "shifted", "outlier", "disjoint", "both empty", "prediction empty"],
)
def test_the_papers_six_cases(pred, gt, iou, dice, backend) -> None:
    found = fsm.overlap(pred, gt, backend=backend)
    assert (found.iou, found.dice) == (iou, dice)
    assert dice == pytest.approx(2 * iou / (1 + iou))


def test_the_papers_printed_digits() -> None:
    assert f"{fsm.overlap(outlier(), square()).dice:.4f}" == "0.9863"
    assert f"{fsm.overlap(np.roll(square(), 1, axis=1), square()).dice:.4f}" == "0.8333"


def test_the_lesion_of_twenty_pixels() -> None:
    """Worked example: tp 4, fp 1, fn 2, tn 13."""
    gt = [1] * 4 + [0] + [1] * 2 + [0] * 13
    pred = [1] * 5 + [0] * 15
    found = fsm.overlap(pred, gt)
    assert found.counts == (4, 1, 2, 13)
    assert found.accuracy == 0.85
    assert f"{found.iou:.3f} {found.dice:.3f}" == "0.571 0.727"
    assert (found.precision, found.recall, found.specificity) == (4 / 5, 4 / 6, 13 / 14)


def test_pooling_and_averaging_are_two_answers() -> None:
    """A missed lone pixel and a perfect target of 99: mean of Dice .5, pooled 198/199."""
    missed = fsm.overlap([[0] * 100], [[1] + [0] * 99])
    perfect = fsm.overlap([[1] * 99 + [0]], [[1] * 99 + [0]])
    assert (missed.dice + perfect.dice) / 2 == 0.5
    assert missed.merged(perfect).dice == 198 / 199
    # One perfect pixel, and an image of four false positives.
    one = fsm.overlap([1, 0, 0, 0], [1, 0, 0, 0])
    four = fsm.overlap([1, 1, 1, 1], [0, 0, 0, 0])
    assert one.merged(four).dice == four.merged(one).dice == 1 / 3
    assert (one.dice, four.dice) == (1.0, 0.0)


def test_the_order_of_arguments_shows() -> None:
    small, large = square(), outlier()
    found = fsm.overlap(pred=large, gt=small)
    assert (found.precision, found.recall) == (36 / 37, 1.0)
    other = fsm.overlap(pred=small, gt=large)
    assert (other.precision, other.recall) == (1.0, 36 / 37)
    assert found.size_difference == -other.size_difference == 1.0


def test_sizes_in_units() -> None:
    gt = np.zeros((3, 4, 5), np.uint8)
    gt[1, 1:3, 1:4] = 1
    pred = np.zeros_like(gt)
    pred[1, 1:3, 1:3] = 1
    found = fsm.overlap(pred, gt, spacing=(2.5, 0.5, 0.5), unit="mm")
    assert found.pixel_size == 0.625
    assert (found.reference_size, found.predicted_size) == (6 * 0.625, 4 * 0.625)
    assert found.size_difference == -1.25
    assert found.absolute_size_difference == 1.25
    assert found.relative_size_difference == pytest.approx(-1 / 3)
    assert (found.unit, found.n_axes) == ("mm", 3)
    with pytest.raises(fsm.InputError, match=r"unit must name what spacing=2 is in"):
        fsm.overlap(pred, gt, spacing=2)
    with pytest.raises(fsm.InputError, match="spacing must be one number or one for each"):
        fsm.overlap(pred, gt, spacing=(1, 2), unit="mm")


@pytest.mark.parametrize("both_empty", ["perfect", "undefined", "zero"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_both_empty(both_empty, backend) -> None:
    value = {"perfect": 1.0, "undefined": math.nan, "zero": 0.0}[both_empty]
    found = fsm.overlap(EMPTY, EMPTY, both_empty=both_empty, backend=backend)
    for name in ("iou", "dice", "precision", "recall"):
        assert getattr(found, name) == pytest.approx(value, nan_ok=True)
    assert (found.specificity, found.accuracy) == (1.0, 1.0)
    assert found.size_difference == 0
    difference = 0.0 if both_empty == "perfect" else math.nan
    assert found.relative_size_difference == pytest.approx(difference, nan_ok=True)
    assert found.truth_is_empty
    assert found.prediction_is_empty


@pytest.mark.parametrize("both_empty", ["perfect", "undefined", "zero"])
def test_one_empty_is_zero_under_every_policy(both_empty) -> None:
    for pred, gt in ((square(), EMPTY), (EMPTY, square())):
        found = fsm.overlap(pred, gt, both_empty=both_empty)
        for name in ("iou", "dice", "precision", "recall"):
            assert getattr(found, name) == 0.0
    assert fsm.overlap(square(), EMPTY).relative_size_difference == math.inf
    assert fsm.overlap(EMPTY, square()).relative_size_difference == -1.0


def test_a_full_truth() -> None:
    full = ~EMPTY
    assert fsm.overlap(full, full).specificity == 0.0
    assert math.isnan(fsm.overlap(full, full, policy="strict").specificity)
    assert fsm.overlap(square(), full).recall == 36 / 144


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"both_empty": "one"}, r"^both_empty must be one of 'perfect', 'undefined', 'zero'; "),
        ({"policy": "loose"}, "^policy must be 'published' or 'strict'; received 'loose'"),
        ({"backend": "fast"}, "^backend must be"),
        ({"spacing": (1, 0), "unit": "mm"}, "^spacing must be finite and above 0"),
        ({"spacing": 2, "unit": ""}, "^unit must be a text, for example 'mm'; received ''"),
        ({"unit": 3}, "^unit must be a text, for example 'mm'; received 3"),
    ],
)
def test_refused_choices(arguments, words) -> None:
    with pytest.raises(fsm.InputError, match=words):
        fsm.overlap(EMPTY, EMPTY, **arguments)


def test_refused_pools() -> None:
    one = fsm.overlap(EMPTY, EMPTY)
    with pytest.raises(fsm.InputError, match="pooled overlaps must have one unit"):
        one.merged(fsm.overlap(EMPTY, EMPTY, unit="mm"))
    with pytest.raises(fsm.InputError, match="pooled overlaps"):
        one.merged(fsm.overlap(EMPTY, EMPTY, both_empty="zero"))
    coarse, fine = (fsm.overlap(square(), square(), spacing=s, unit="mm") for s in (1, 0.5))
    pooled = coarse.merged(fine)
    assert pooled.dice == 1.0
    assert math.isnan(pooled.reference_size)
    assert math.isnan(pooled.merged(coarse).size_difference)
    assert not math.isnan(coarse.merged(coarse).reference_size)


SHAPES = st.lists(st.integers(1, 7), min_size=1, max_size=4).map(tuple)


@given(SHAPES, st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.2, 0.8, 1.0]))
def test_every_score_by_its_definition(shape, seed, share) -> None:
    rng = np.random.default_rng(seed)
    pred, gt = rng.random(shape) < 0.5, rng.random(shape) < share
    expected = definitions.mask_overlap(pred, gt)
    for backend in BACKENDS:
        found = fsm.overlap(pred, gt, both_empty="undefined", backend=backend)
        for name, value in expected.items():
            assert getattr(found, name) == pytest.approx(value, rel=1e-15, nan_ok=True), name
        assert sum(found.counts) == pred.size
    axes = tuple(rng.permutation(len(shape)))
    assert fsm.overlap(pred.transpose(axes), gt.transpose(axes)).counts == found.counts


def test_an_overlap_can_be_sent_to_another_process() -> None:
    found = fsm.overlap(outlier(), square(), spacing=0.5, unit="mm")
    assert pickle.loads(pickle.dumps(found)) == found


def test_soft_dice() -> None:
    pred = np.array([[[0.25, 1.0], [0.5, 0.0]]])
    gt = np.array([[[0, 1], [1, 0]]])
    assert fsm.soft_dice(pred, gt) == 2 * 1.5 / (1.75 + 2)
    assert fsm.soft_dice(pred, gt, squares=True) == 2 * 1.5 / (1.3125 + 2)
    assert fsm.soft_dice(pred, gt, smooth=1) == 4 / 4.75
    assert fsm.soft_dice(gt, gt) == 1.0
    hard = pred > 0.4
    assert fsm.soft_dice(hard, gt) == fsm.overlap(hard, gt).dice
    single = pred.astype(np.float32)[..., ::-1]
    assert fsm.soft_dice(single, gt[..., ::-1]) == fsm.soft_dice(pred, gt)


def test_soft_dice_of_nothing() -> None:
    zeros = np.zeros((2, 3))
    assert fsm.soft_dice(zeros, zeros) == 1.0
    assert fsm.soft_dice(zeros, zeros, both_empty="zero") == 0.0
    assert math.isnan(fsm.soft_dice(zeros, zeros, both_empty="undefined"))
    assert fsm.soft_dice(zeros, zeros, both_empty="zero", smooth=1e-6) == 1.0
    assert fsm.soft_dice(zeros + 0.5, zeros) == 0.0


@pytest.mark.parametrize(
    ("pred", "gt", "arguments", "words"),
    [
        (
            [0.5, 1.5],
            [0, 1],
            {},
            r"^pred must lie in \[0, 1\]; 1 value\(s\) .* first 1.5 at \(1,\)",
        ),
        ([0.5, math.nan], [0, 1], {}, r"^pred must lie in \[0, 1\]"),
        ([0.5, 0.5], [0.5, 1], {}, "^gt must be a binary mask"),
        ([[0.5, 0.5]], [0, 1], {}, r"one shape; received \(1, 2\) and \(2,\)"),
        ([0.5, 0.5], [0, 1], {"smooth": -1.0}, "^smooth must be a finite number of at least 0"),
        (
            [0.5, 0.5],
            [0, 1],
            {"smooth": "1"},
            "^smooth must be a finite number of at least 0; received '1'",
        ),
        ([0.5, 0.5], [0, 1], {"both_empty": 1}, "^both_empty must be one of"),
    ],
)
def test_refused_soft_masks(pred, gt, arguments, words) -> None:
    with pytest.raises(fsm.InputError, match=words):
        fsm.soft_dice(pred, gt, **arguments)


def test_masks_as_nifti_has_them_and_places_as_they_were_given() -> None:
    pred, gt = np.asfortranarray(outlier()), np.asfortranarray(square())
    found = fsm.overlap(pred, gt, spacing=(2, 0.5), unit="mm")
    assert found == fsm.overlap(outlier(), square(), spacing=(2, 0.5), unit="mm")
    grey = np.asfortranarray(np.where(gt, 3, 0)[:, :9])
    with pytest.raises(fsm.InputError, match=r"^pred must be .* 3 at \(3, 3\)"):
        fsm.overlap(grey, gt[:, :9].copy(order="F"))
    with pytest.raises(fsm.InputError, match=r"one shape; received \(12, 9\) and \(12, 12\)"):
        fsm.overlap(gt[:, :9].copy(order="F"), gt)
    with pytest.raises(fsm.InputError, match=r"spacing must be .* received \(1, 2, 3\)"):
        fsm.overlap(pred, gt, spacing=(1, 2, 3), unit="mm")
