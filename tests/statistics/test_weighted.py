"""The weighted F-measure: values worked by hand, empty cases, dtypes and layouts."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from hypothesis import given

import fastsegmetrics as fsm
from fastsegmetrics import represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError
from fastsegmetrics.reference import weighted as reference
from fastsegmetrics.statistics.weighted import (
    WeightedStatistics,
    distance_field,
    distance_weights,
    weighted_statistics,
)
from fastsegmetrics.target import Target
from tests.strategies import eight_bit_pairs, float_pairs

SHAPE = (9, 9)
NAN = math.nan
EMPTY = np.zeros(SHAPE, bool)
FULL = np.ones(SHAPE, bool)
BLOCK = EMPTY.copy()
BLOCK[3:6, 3:6] = True
NOTHING = np.zeros(SHAPE, np.uint8)
SOME = np.where(BLOCK, 200, 0).astype(np.uint8)

PUBLISHED = {"policy": "published"}
PERFECT = {"policy": "strict", "both_empty": "perfect"}
UNDEFINED = {"policy": "strict", "both_empty": "undefined"}
TAPS = np.exp(-(np.arange(-3, 4) ** 2) / 50)
TAPS /= TAPS.sum()


def statistics(pred, gt, **choices) -> WeightedStatistics:
    conventions = Conventions(**choices)
    target = gt if isinstance(gt, Target) else Target(gt)
    return weighted_statistics(
        represent.prediction(pred, conventions, target.shape), target, conventions
    )


def score(pred, gt, **choices) -> float:
    return statistics(pred, gt, **choices).f()


def scores(found: WeightedStatistics) -> list[float]:
    return [found.f(), found.precision, found.recall]


@pytest.mark.parametrize("backend", ["compiled", "reference"])
def test_a_perfect_map_scores_1(backend) -> None:
    with fsm.use_backend(backend):
        assert scores(statistics(BLOCK, BLOCK)) == pytest.approx([1, 1, 1], rel=1e-14)
        assert scores(statistics(FULL, FULL)) == pytest.approx([1, 1, 1], rel=1e-14)


@pytest.mark.parametrize("backend", ["compiled", "reference"])
def test_one_false_pixel_by_hand(backend) -> None:
    # Two pixels to the right of the block: weight 2 - 0.5^(2/5).
    pred = BLOCK.copy()
    pred[4, 7] = True
    weight = 2 - 0.5**0.4
    precision = 9 / (9 + weight)
    with fsm.use_backend(backend):
        found = statistics(pred, BLOCK)
    assert (found.n_foreground, found.missed) == (9, 0.0)
    assert found.false == pytest.approx(weight, rel=1e-15)
    assert scores(found) == pytest.approx([2 * precision / (1 + precision), precision, 1])
    assert found.f(0.3) == pytest.approx(1.3 * precision / (1 + 0.3 * precision))


@pytest.mark.parametrize("backend", ["compiled", "reference"])
def test_one_missed_pixel_by_hand(backend) -> None:
    # The middle of the block alone is wrong; its error spreads to nobody (their own is smaller),
    # and is itself smoothed to the window's centre.
    pred = BLOCK.copy()
    pred[4, 4] = False
    missed = TAPS[3] ** 2
    with fsm.use_backend(backend):
        found = statistics(pred, BLOCK)
    assert found.false == 0.0
    assert found.missed == pytest.approx(missed, rel=1e-14)
    assert scores(found)[1:] == pytest.approx([1, 1 - missed / 9], rel=1e-14)


@pytest.mark.parametrize("backend", ["compiled", "reference"])
def test_errors_of_the_border_reach_out_by_the_nearest_pixel(backend) -> None:
    # A corner of the block is wrong: every background pixel whose nearest foreground it is, in
    # the quadrant above and left of it, carries its error: a quarter of the window and its edges.
    pred = BLOCK.copy()
    pred[3, 3] = False
    quadrant = TAPS[:4].sum() ** 2
    with fsm.use_backend(backend):
        assert statistics(pred, BLOCK).missed == pytest.approx(quadrant, rel=1e-14)


def test_a_tie_takes_the_error_of_the_smaller_column() -> None:
    # Between two foreground pixels lies one background pixel, nearest to both.
    gt = np.array([[True, False, True]])
    left_wrong = statistics(np.array([[0.0, 0.0, 1.0]]), gt)
    right_wrong = statistics(np.array([[1.0, 0.0, 0.0]]), gt)
    assert left_wrong.missed == pytest.approx(TAPS[3] * (TAPS[3] + TAPS[4]), rel=1e-14)
    assert right_wrong.missed == pytest.approx(TAPS[3] ** 2, rel=1e-14)


CASES = {
    "both empty": (NOTHING, EMPTY, 0.0, 1.0, NAN),
    "truth empty": (SOME, EMPTY, 0.0, 0.0, 0.0),
    "prediction empty": (NOTHING, BLOCK, 0.0, 0.0, 0.0),
}


@pytest.mark.parametrize("backend", ["compiled", "reference"])
@pytest.mark.parametrize("case", CASES)
def test_empty_cases(backend, case) -> None:
    pred, gt, *expected = CASES[case]
    with fsm.use_backend(backend):
        for conventions, value in zip((PUBLISHED, PERFECT, UNDEFINED), expected, strict=True):
            for form in (pred, pred / 255, (pred / 255).astype(np.float32)):
                assert score(form, gt, **conventions) == pytest.approx(value, nan_ok=True)


def test_empty_prediction_where_the_window_leaves_the_image() -> None:
    corner = np.zeros((64, 64), bool)
    corner[:10, :10] = True
    nothing = np.zeros((64, 64), np.uint8)
    assert score(nothing, corner) == pytest.approx(0.27269049690469876, rel=1e-12)
    assert scores(statistics(nothing, corner, **PERFECT)) == [0.0, 0.0, 0.0]
    full = np.ones((27, 27), bool)
    assert score(nothing[:27, :27], full) == pytest.approx(0.21147888484053895, rel=1e-12)
    assert score(nothing[:27, :27], full, **PERFECT) == 0.0


@pytest.mark.parametrize("conventions", [PUBLISHED, PERFECT])
def test_full_truth(conventions) -> None:
    half = np.full(SHAPE, 0.5)
    rows, columns = (np.convolve(np.ones(n), TAPS, "same") for n in SHAPE)
    missed = (np.minimum(0.5, 0.5 * np.outer(rows, columns))).sum()
    found = statistics(half, FULL, stretch=False, **conventions)
    assert found.missed == pytest.approx(missed, rel=1e-13)
    assert found.recall == pytest.approx(1 - missed / 81, rel=1e-13)
    assert found.precision == pytest.approx(1.0, rel=1e-14)


@pytest.mark.parametrize("backend", ["compiled", "reference"])
def test_one_pixel(backend) -> None:
    on, off = np.array([[True]]), np.array([[False]])
    with fsm.use_backend(backend):
        assert score(on, on) == pytest.approx(1.0)
        assert score(on, off) == score(off, off) == 0.0
        # Its error is smoothed with the zeros around it.
        error = TAPS[3] ** 2
        assert statistics(off, on).missed == pytest.approx(error, rel=1e-14)
        assert score(off, off, **PERFECT) == 1.0


def check_definition(pred, truth, **choices) -> None:
    conventions = Conventions(pred_scale=255 if pred.dtype == np.uint8 else None, **choices)
    canonical = represent.prediction(pred, conventions, truth.shape)
    strict = conventions.policy == "strict"
    expected = reference.weighted_f(
        represent.unit_values(canonical),
        truth,
        strict=strict,
        both_empty=1.0 if strict else 0.0,
    )
    found = scores(weighted_statistics(canonical, Target(truth), conventions))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@given(eight_bit_pairs())
def test_levels_by_the_definition(pair) -> None:
    check_definition(*pair)
    check_definition(*pair, stretch=False, policy="strict")


@given(float_pairs())
def test_floats_by_the_definition(pair) -> None:
    check_definition(*pair)
    check_definition(*pair, stretch=False, policy="strict")


def test_layouts_and_dtypes_give_one_value() -> None:
    rng = np.random.default_rng(4)
    pred = rng.integers(0, 256, (26, 51)).astype(np.uint8)
    gt = np.where(rng.random(pred.shape) < 0.2, 255, 0).astype(np.uint8)
    wide = np.zeros((52, 153), np.uint8)
    wide[::2, ::3] = pred
    kept = pred.tobytes(), gt.tobytes()
    expected = statistics(pred, gt)
    forms = [np.asfortranarray(pred), wide[::2, ::3], pred.astype(np.int64), pred.astype(">u2")]
    for form in forms:
        assert statistics(form, gt) == expected
        assert statistics(form[::-1, ::-1][::-1, ::-1], gt > 128) == expected
    assert statistics(pred / 255, gt).f() == pytest.approx(expected.f(), rel=1e-14)
    single = statistics((pred / 255).astype(np.float32), gt).f()
    assert single == pytest.approx(expected.f(), rel=1e-6)
    assert (pred.tobytes(), gt.tobytes()) == kept


def test_transposing_keeps_the_value_where_there_are_no_ties() -> None:
    gt = np.zeros((17, 40), bool)
    gt[5:11, 8:21] = True
    pred = np.random.default_rng(1).random(gt.shape)
    assert score(pred.T, gt.T) == pytest.approx(score(pred, gt), rel=1e-13)


def test_an_8_bit_map_whose_maximum_is_1_is_refused() -> None:
    with pytest.raises(InputError, match="pred_scale"):
        statistics(BLOCK.astype(np.uint8), BLOCK)


def test_the_target_keeps_its_field_and_nobody_can_write_to_it() -> None:
    target = Target(BLOCK)
    field = distance_field(target)
    score(SOME, target)
    assert distance_field(target) is field
    for array in (*field, distance_weights()):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    assert field.squares[0, 0] == 18
    assert field.squares[4].tolist() == [9, 4, 1, 0, 0, 0, 1, 4, 9]


def test_threads_share_a_target() -> None:
    rng = np.random.default_rng(6)
    target = Target(rng.random((90, 110)) < 0.05)
    preds = [rng.random(target.shape) for _ in range(4)]
    expected = [score(pred, Target(target.mask != 0)) for pred in preds]
    found: dict[int, float] = {}
    threads = [
        threading.Thread(target=lambda i=i: found.update({i: score(preds[i], target)}))
        for i in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[i] for i in range(4)] == expected
