"""The easy and the hard half of a data set: ties, odd counts, levels that are missing, methods."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastsegmetrics as fsm
from fastsegmetrics.halves import in_half, middle_level
from fastsegmetrics.reference import difficulty as reference
from fastsegmetrics.statistics.difficulty import difficulty_field
from fastsegmetrics.target import Target

NAN = math.nan
HALVES = "difficulty,difficulty_halves"
SHAPE = (14, 19)
TRUTH = np.zeros(SHAPE, bool)
TRUTH[4:10, 5:13] = True


def photograph(contrast: int) -> np.ndarray:
    """An object that stands out of a flat background the more, the easier."""
    grey = np.full(SHAPE, 100, np.uint8)
    grey[TRUTH] += contrast
    return np.repeat(grey[:, :, None], 3, axis=2)


#: From easy to hard, by name; the last two are a tie.
PHOTOS = {"d": 120, "a": 60, "c": 20, "b": 5, "e": 5}
MAPS = {name: np.roll(TRUTH, shift, axis=1) for shift, name in enumerate(PHOTOS)}


def evaluator_of(names, **choices) -> fsm.Evaluator:
    evaluator = fsm.Evaluator(HALVES, **choices)
    for name in names:
        evaluator.update(MAPS[name], TRUTH, image=photograph(PHOTOS[name]), sample_id=name)
    return evaluator


@pytest.mark.parametrize(
    ("levels", "middle", "hard", "easy"),
    [
        ([1.4, 1.1, 1.2, 1.3], 1.2, [1.4, 1.3], [1.1, 1.2]),
        ([1.3, 1.1, 1.2], 1.2, [1.3], [1.1, 1.2]),
        ([1.2, 1.2, 1.2, 1.3], 1.2, [1.3], [1.2, 1.2, 1.2]),
        ([1.1, 1.2, 1.2, 1.2], 1.2, [], [1.1, 1.2, 1.2, 1.2]),
        ([1.5, NAN, 1.1, NAN], 1.1, [1.5], [1.1]),
        ([1.5], 1.5, [], [1.5]),
        ([NAN, NAN], NAN, [], []),
        ([], NAN, [], []),
        # The last digits are those of the order of sums.
        ([1.2, 1.2 + 1e-13, 1.2 - 1e-13, 1.3], 1.2, [1.3], [1.2, 1.2 + 1e-13, 1.2 - 1e-13]),
    ],
)
def test_halves_by_hand(levels, middle, hard, easy) -> None:
    found = middle_level(levels)
    np.testing.assert_equal(found, middle)
    column = np.array(levels, np.float64)
    assert column[in_half(column, found, hard=True)].tolist() == hard
    assert column[in_half(column, found, hard=False)].tolist() == easy


@given(st.lists(st.sampled_from([1.0, 1.25, 1.5, 1.75, 2.0, NAN]), max_size=12), st.randoms())
def test_halves_are_of_values_alone(levels, random) -> None:
    shuffled = list(levels)
    random.shuffle(shuffled)
    middle = middle_level(levels)
    np.testing.assert_equal(middle_level(shuffled), middle)
    column = np.array(levels, np.float64)
    hard, easy = in_half(column, middle, hard=True), in_half(column, middle, hard=False)
    assert np.array_equal(hard | easy, ~np.isnan(column))
    assert not (hard & easy).any()
    # The middle one is in the easy half, so the hard half never is the larger one.
    assert hard.sum() <= easy.sum()


def test_the_reports_are_means_over_the_halves() -> None:
    result = evaluator_of("dacb").result()
    levels = dict(zip(result.sample_ids, result.per_image["difficulty_level"], strict=True))
    scores = dict(zip(result.sample_ids, result.per_image["difficulty"], strict=True))
    assert sorted(levels, key=levels.__getitem__) == ["d", "a", "c", "b"]
    for name, contrast in PHOTOS.items():
        if name in levels:
            field = difficulty_field(Target(TRUTH, image=photograph(contrast)))
            assert levels[name] == field.level
    assert result["difficulty.easy"].value == math.fsum([scores["d"], scores["a"]]) / 2
    assert result["difficulty.hard"].value == math.fsum([scores["c"], scores["b"]]) / 2
    assert result["difficulty"].value == math.fsum(scores.values()) / 4
    assert result.middle_levels == {"difficulty_level": round(levels["a"], 9)}
    for half in ("difficulty.easy", "difficulty.hard"):
        row = result[half]
        assert (row.n_expected, row.n_used, row.n_undefined, row.n_infinite) == (4, 2, 0, 0)


def test_ties_and_odd_counts_are_easy() -> None:
    result = evaluator_of("dacbe").result()
    assert [result[f"difficulty.{half}"].n_used for half in ("easy", "hard")] == [3, 2]
    result = evaluator_of("dbe").result()
    assert [result[f"difficulty.{half}"].n_used for half in ("easy", "hard")] == [3, 0]
    assert math.isnan(result["difficulty.hard"].value)


def test_images_without_a_level_are_counted_in_neither_half() -> None:
    evaluator = evaluator_of("dacb")
    nothing, everything = np.zeros(SHAPE, bool), np.ones(SHAPE, bool)
    evaluator.update(MAPS["a"], nothing, image=photograph(5), sample_id="empty")
    # A full truth has a score and no contour, by which it could be hard.
    evaluator.update(MAPS["a"], everything, image=photograph(5), sample_id="full")
    result = evaluator.result(n_expected=7)
    assert result["difficulty"].n_used == 5
    whole = evaluator_of("dacb").result()
    for half in ("difficulty.easy", "difficulty.hard"):
        row = result[half]
        assert (row.n_expected, row.n_used, row.n_undefined) == (7, 2, 2)
        assert row.value == whole[half].value
    only = fsm.Evaluator("difficulty_halves")
    assert only.plan.columns == ("difficulty", "difficulty_level")
    only.update(MAPS["a"], nothing, image=photograph(5))
    assert math.isnan(only.result()["difficulty.easy"].value)
    assert json.loads(only.result().to_json())["middle_levels"] == {"difficulty_level": None}


def test_the_same_bits_in_any_order_and_tree_of_merges() -> None:
    whole = evaluator_of("abcde").result().to_json()
    for names in itertools.islice(itertools.permutations("abcde"), 0, None, 29):
        assert evaluator_of(names).result().to_json() == whole
        first, second = evaluator_of(names[:2]), evaluator_of(names[2:])
        second.merge(first)
        assert second.result().to_json() == whole


def test_every_method_has_the_same_halves() -> None:
    full, partial = evaluator_of("dacb"), evaluator_of("cb")
    alone = partial.result()
    assert [alone[f"difficulty.{half}"].n_used for half in ("easy", "hard")] == [1, 1]
    result = partial.result(n_expected=4, beside=[full, partial])
    assert [result[f"difficulty.{half}"].n_used for half in ("easy", "hard")] == [0, 2]
    assert result.middle_levels == full.result(beside=iter([partial])).middle_levels
    other = fsm.Evaluator("difficulty.hard")
    with pytest.raises(fsm.InputError, match="beside must have the same metrics and conventions"):
        partial.result(beside=[other])


def test_the_reference_backend_has_the_same_halves() -> None:
    compiled, slow = evaluator_of("abcde").result(), evaluator_of("abcde", backend="reference")
    found = slow.result()
    for name, row in compiled.items():
        assert found[name].value == pytest.approx(row.value, rel=1e-12)
        assert (found[name].n_used, found[name].n_undefined) == (row.n_used, row.n_undefined)
    assert found.middle_levels == pytest.approx(compiled.middle_levels, rel=1e-12)


def test_backends_and_an_image_upside_down_are_equally_hard() -> None:
    rng = np.random.default_rng(3)
    photo = rng.integers(0, 256, (*SHAPE, 3)).astype(np.uint8)
    levels = []
    for turn in (np.asarray, np.flipud):
        target = Target(turn(TRUTH), image=turn(photo))
        levels.append(difficulty_field(target).level)
        levels.append(reference.difficulty_level(turn(TRUTH), turn(photo)))
    assert len(set(levels)) > 1
    assert in_half(np.array(levels), middle_level(levels), hard=False).all()


def test_a_level_by_hand() -> None:
    # The worked example of the weights: mean raw 1.290715, of which 1 off truth and ring.
    truth = np.zeros((16, 16), bool)
    truth[5:11, 5:11] = True
    grey = np.full((16, 16), 100, np.uint8)
    grey[:, 8:] = 60
    grey[truth] = 110
    photo = np.repeat(grey[:, :, None], 3, axis=2)
    near = (reference.side_distances(truth.astype(np.uint8)) <= 3).sum()
    level = 1 + (1.290715 - 1) * 256 / near
    assert reference.difficulty_level(truth, photo) == pytest.approx(level, abs=1e-5)
    assert difficulty_field(Target(truth, image=photo)).level == pytest.approx(level, abs=1e-5)
