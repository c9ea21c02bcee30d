"""Human correction effort: values worked by hand, empty cases, dtypes and layouts."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastsegmetrics as fsm
from fastsegmetrics import represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError
from fastsegmetrics.reference import effort as reference
from fastsegmetrics.statistics.effort import Effort, effort_statistics, skeleton_of
from fastsegmetrics.target import Target
from tests.strategies import eight_bit_pairs, float_pairs

BACKENDS = pytest.mark.parametrize("backend", ["compiled", "reference"])
POLICIES = pytest.mark.parametrize(
    "choices",
    [
        {"policy": "published"},
        {"policy": "strict", "both_empty": "perfect"},
        {"policy": "strict", "both_empty": "undefined"},
    ],
    ids=lambda choices: "-".join(choices.values()),
)
NOTHING = Effort(0, 0, 0, 0)


def statistics(pred, gt, relax=5, epsilon=2.0, **choices) -> Effort:
    conventions = Conventions(**choices)
    target = gt if isinstance(gt, Target) else Target(gt)
    canonical = represent.prediction(pred, conventions, target.shape)
    return effort_statistics(canonical, target, conventions, relax=relax, epsilon=epsilon)


def mask(height: int, width: int, *boxes: tuple[slice, slice]) -> np.ndarray:
    out = np.zeros((height, width), bool)
    for box in boxes:
        out[box] = True
    return out


BOX = mask(19, 25, np.s_[4:15, 6:17])
LINE = mask(5, 9, np.s_[2, 1:8])


@BACKENDS
@POLICIES
def test_empty_and_full(backend, choices) -> None:
    """The table's row of HCE: 0 where both are empty, as computed elsewhere, under every policy."""
    empty, full = np.zeros((9, 14), bool), np.ones((9, 14), bool)
    some = mask(9, 14, np.s_[3:5, 2:9])
    with fsm.use_backend(backend):
        assert statistics(empty, empty, **choices) == NOTHING
        assert statistics(full, full, **choices) == NOTHING
        assert statistics(some, some, **choices) == NOTHING
        # Nothing right and nothing missed beside it: one region to remove.
        assert statistics(full, empty, **choices) == Effort(0, 1, 0, 0)
        # Missed up to every border, so that no background is beside it: one region to fill.
        assert statistics(empty, full, **choices) == Effort(0, 0, 0, 1)
        # Thinner than what is let pass, but for a missed skeleton.
        assert statistics(some, empty, **choices) == NOTHING
        assert statistics(empty, some, **choices).regions_fn == 0
        assert statistics(empty, some, **choices).control_points_fn >= 2


@BACKENDS
@pytest.mark.parametrize("pred", [False, True])
@pytest.mark.parametrize("gt", [False, True])
def test_one_pixel(backend, pred, gt) -> None:
    with fsm.use_backend(backend):
        found = statistics(np.array([[pred]]), np.array([[gt]]))
    assert (
        found
        == {
            (False, False): NOTHING,
            (True, True): NOTHING,
            (True, False): Effort(0, 1, 0, 0),
            (False, True): Effort(0, 0, 0, 1),
        }[pred, gt]
    )


@BACKENDS
def test_a_missed_line_takes_its_two_ends(backend) -> None:
    """A line is its own skeleton; walked there and back, it counts once, and is straight."""
    nothing = np.zeros_like(LINE)
    with fsm.use_backend(backend):
        assert statistics(nothing, LINE) == Effort(0, 0, 2, 0)
        assert statistics(nothing.T, LINE.T) == Effort(0, 0, 2, 0)
        assert statistics(np.zeros((9, 9), bool), np.eye(9, dtype=bool)) == Effort(0, 0, 2, 0)
        assert statistics(LINE, nothing) == NOTHING
        two = np.vstack((LINE, LINE))
        assert statistics(np.zeros_like(two), two) == Effort(0, 0, 4, 0)
        # 200 lone pixels: each is one vertex, none is a region of its own.
        dots = np.zeros((40, 80), bool)
        dots[1::4, 2::4] = True
        assert dots.sum() == 200
        assert statistics(np.zeros_like(dots), dots) == Effort(0, 0, 200, 0)


@BACKENDS
def test_a_box_of_eleven_leaves_its_centre_after_five_steps(backend) -> None:
    nothing = np.zeros_like(BOX)
    with fsm.use_backend(backend):
        # It grows back to a diamond, beside which nothing is right or missed.
        assert statistics(BOX, nothing) == Effort(0, 1, 0, 0)
        smaller = BOX.copy()
        smaller[4] = False
        assert statistics(smaller, nothing) == NOTHING
        assert statistics(smaller, nothing, relax=4) == Effort(0, 1, 0, 0)
        assert statistics(LINE, np.zeros_like(LINE), relax=0) == Effort(0, 1, 0, 0)


@BACKENDS
def test_false_positives_count_beside_what_is_right(backend) -> None:
    """Extra columns 12 to 31 beside a right block; the border between is straight."""
    gt = mask(40, 60, np.s_[10:31, 4:12])
    pred = mask(40, 60, np.s_[10:31, 4:32])
    with fsm.use_backend(backend):
        found = statistics(pred, gt)
    assert found == Effort(2, 0, 0, 0)


def test_the_middle_level_is_outside() -> None:
    """p > 0.5: 128 of 255 and not 127; 0.5 itself is background."""
    levels = np.array([[0, 255, 127, 128, 0]], np.uint8)
    gt = np.zeros((1, 5), bool)
    assert statistics(levels, gt, relax=0) == statistics(levels > 127, gt, relax=0)
    floats = np.array([[0.0, 1.0, 0.5, np.nextafter(0.5, 1), 0.0]])
    assert statistics(floats, gt, relax=0) == statistics(floats > 0.5, gt, relax=0)


@given(st.integers(0, 254), st.integers(1, 255), st.integers(0, 255))
def test_the_stretch_is_the_published_one(low, span, between) -> None:
    high = min(255, low + span)
    pred = np.array([[low, 0, high]], np.uint8)
    pred[0, 1] = min(max(between, low), high)
    if high == 1:
        return
    gt = np.array([[False, True, False]])
    canonical = represent.prediction(pred, Conventions(), gt.shape)
    kept = represent.unit_values(canonical) > 0.5
    assert statistics(pred, gt, relax=0) == statistics(kept, gt, relax=0)


@given(eight_bit_pairs(), st.sampled_from([0, 1, 5]), st.sampled_from([0.5, 2.0]))
def test_equals_the_reference_on_8_bit_maps(pair, relax, epsilon) -> None:
    pred, gt = pair
    p = represent.unit_values(represent.prediction(pred, Conventions(), gt.shape))
    found = statistics(pred, gt, relax, epsilon)
    assert found == reference.hce(p, gt, relax=relax, epsilon=epsilon)
    assert found.total == sum(found)


@given(float_pairs(), st.booleans())
def test_equals_the_reference_on_floats(pair, stretch) -> None:
    pred, gt = pair
    conventions = Conventions(stretch=stretch)
    p = represent.unit_values(represent.prediction(pred, conventions, gt.shape))
    found = statistics(pred, gt, stretch=stretch)
    assert found == reference.hce(p, gt)
    with fsm.use_backend("reference"):
        assert statistics(pred, gt, stretch=stretch) == found


def larger_pair() -> tuple[np.ndarray, np.ndarray]:
    rows, columns = np.indices((61, 150))
    gt = (((rows - 30) ** 2 + (columns - 60) ** 2) < 700) | (columns % 29 == 3)
    pred = (((rows - 33) ** 2 + (columns - 90) ** 2) < 900) | (rows % 17 == 4)
    return pred, gt


def test_layouts_and_dtypes() -> None:
    pred, gt = larger_pair()
    expected = reference.hce(pred, gt)
    assert sum(expected) == sum(statistics(pred, gt))
    bright = np.where(pred, 255, 0)
    spread = np.zeros((122, 300), np.uint8)
    spread[::2, ::2] = bright
    for form in (
        bright.astype(np.uint8),
        np.asfortranarray(bright.astype(np.uint8)),
        bright.astype(np.uint8)[::-1, ::-1][::-1, ::-1],
        spread[::2, ::2],
        bright.astype(">i4"),
        pred.astype(np.float32),
        np.asfortranarray(pred.astype(np.float64)),
    ):
        kept = form.copy()
        assert statistics(form, gt) == expected
        assert statistics(form, np.asfortranarray(gt)) == expected
        np.testing.assert_array_equal(form, kept)


def test_a_target_keeps_its_skeleton() -> None:
    pred, gt = larger_pair()
    target = Target(gt)
    first = statistics(pred, target)
    skeleton = skeleton_of(target)
    assert skeleton.dtype == bool
    assert skeleton.shape == gt.shape
    assert not (skeleton & ~gt).any()
    assert 0 < skeleton.sum() < gt.sum()
    with fsm.use_backend("reference"):
        np.testing.assert_array_equal(skeleton, skeleton_of(Target(gt)))
    found: list[Effort] = []
    threads = [
        threading.Thread(target=lambda: found.append(statistics(pred, target))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [first] * 4


def test_a_mask_of_zeros_and_ones_is_refused() -> None:
    with pytest.raises(InputError, match="pred_scale=1"):
        statistics(np.array([[0, 1]], np.uint8), np.array([[True, False]]))
