"""Bootstrap intervals and paired comparisons: by enumeration, by unit, with what is left out."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import fastsegmetrics as fsm

VALUES = [0.9, 0.4, 0.8, 0.75, 0.1, 0.95, 0.6, 0.88]


def enumerated(values: list[float], share: float) -> float:
    """Quantile of the mean over every resample of few values."""
    means = [sum(drawn) / len(drawn) for drawn in itertools.product(values, repeat=len(values))]
    return float(np.quantile(means, share))


def test_two_cases() -> None:
    """Means 0, ½, ½, 1: a quarter of the resamples lies at either end."""
    found = fsm.bootstrap_mean([1.0, 0.0])
    assert (found.value, found.low, found.high) == (0.5, 0.0, 1.0)
    inner = fsm.bootstrap_mean([1.0, 0.0], level=0.4)
    assert (inner.low, inner.high) == (0.5, 0.5)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_limits_by_enumeration(level) -> None:
    values = [0.1, 0.5, 0.55, 0.9, 1.0]
    found = fsm.bootstrap_mean(values, level=level, n_resamples=20_000)
    assert found.value == pytest.approx(0.61)
    assert found.low == pytest.approx(enumerated(values, (1 - level) / 2), abs=0.02)
    assert found.high == pytest.approx(enumerated(values, (1 + level) / 2), abs=0.02)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_limits_beside_scipy(method) -> None:
    from scipy.stats import bootstrap

    ours = fsm.bootstrap_mean(VALUES, method=method, n_resamples=20_000, seed=1)
    peer = bootstrap(
        (VALUES,), np.mean, method=method, n_resamples=20_000, rng=np.random.default_rng(2)
    ) if _takes_rng() else bootstrap(
        (VALUES,), np.mean, method=method, n_resamples=20_000, random_state=2
    )  # fmt: skip
    assert ours.low == pytest.approx(peer.confidence_interval.low, abs=0.012)
    assert ours.high == pytest.approx(peer.confidence_interval.high, abs=0.012)


def _takes_rng() -> bool:
    import inspect

    from scipy.stats import bootstrap

    return "rng" in inspect.signature(bootstrap).parameters


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("units", [None, list("aabbccdd")])
def test_the_same_bits_in_any_order_of_the_cases(method, units) -> None:
    expected = fsm.bootstrap_mean(VALUES, units=units, method=method, n_resamples=500)
    order = [5, 2, 7, 0, 1, 6, 4, 3]
    moved = [VALUES[i] for i in order]
    groups = None if units is None else [units[i] for i in order]
    assert fsm.bootstrap_mean(moved, units=groups, method=method, n_resamples=500) == expected
    other = fsm.bootstrap_mean(VALUES, units=units, method=method, n_resamples=500, seed=1)
    assert (other.low, other.high) != (expected.low, expected.high)


def test_frames_of_one_video_widen_the_interval() -> None:
    """Ten equal frames of each of four videos say no more than the four."""
    videos = [0.2, 0.6, 0.7, 0.9]
    frames = [value for value in videos for _ in range(10)]
    names = [i for i in range(4) for _ in range(10)]
    by_video = fsm.bootstrap_mean(frames, units=names, unit="video")
    alone = fsm.bootstrap_mean(videos)
    assert (by_video.low, by_video.high) == pytest.approx((alone.low, alone.high))
    by_frame = fsm.bootstrap_mean(frames)
    assert by_frame.high - by_frame.low < 0.5 * (by_video.high - by_video.low)
    assert (by_video.unit, by_video.n_units, by_video.n_used) == ("video", 4, 40)


def test_a_unit_of_more_cases_weighs_more() -> None:
    """Means of the resamples: aa 0, ab ⅓, bb 1."""
    found = fsm.bootstrap_mean([0.0, 0.0, 1.0], units=["a", "a", "b"], level=0.4)
    assert found.value == pytest.approx(1 / 3)
    assert (found.low, found.high) == pytest.approx((1 / 3, 1 / 3))


def test_undefined_and_infinite_values_are_left_out_and_counted() -> None:
    found = fsm.bootstrap_mean(
        [1.0, math.nan, math.inf, 3.0, -math.inf, math.nan], units=list("abcadb")
    )
    assert (found.value, found.n_used, found.n_units) == (2.0, 2, 1)
    assert (found.n_undefined, found.n_infinite) == (2, 2)
    assert math.isnan(found.low)
    nothing = fsm.bootstrap_mean([math.nan])
    assert math.isnan(nothing.value)
    assert (nothing.n_used, nothing.n_units) == (0, 0)
    empty = fsm.bootstrap_mean([])
    assert (empty.n_used, empty.n_undefined) == (0, 0)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_no_interval_misses_its_value_by_a_rounding(method) -> None:
    missed = 0
    for n in range(2, 40):
        values = [0.1 + 0.2 * (i % 2) / 1e9 for i in range(n)]
        for chosen in (values, [1 / 3 + n / 7] * n):
            found = fsm.bootstrap_mean(chosen, n_resamples=50, method=method)
            missed += not found.low <= found.value <= found.high
        assert (found.low, found.high) == (found.value, found.value)
    assert missed == 0


def test_equal_values_have_no_width() -> None:
    for method in ("percentile", "bca"):
        found = fsm.bootstrap_mean([0.7] * 5, method=method, n_resamples=99)
        assert (found.low, found.high) == pytest.approx((0.7, 0.7), rel=1e-15)


def test_pooled_shares() -> None:
    """A missed lone pixel and a perfect target of 99: 0, 198/199 or 1."""
    found = fsm.bootstrap_pooled([0, 198], [1, 198], level=0.4)
    assert found.value == found.low == found.high == 198 / 199
    wide = fsm.bootstrap_pooled([0, 198], [1, 198], method="bca")
    assert 0.0 <= wide.low <= wide.high <= 1.0
    # A case of nothing weighs nothing; resamples of nothing alone are left out.
    assert fsm.bootstrap_pooled([0, 3], [0, 4]).low == 0.75
    assert math.isnan(fsm.bootstrap_pooled([0, 0], [0, 0]).value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"level": 1.0}, "^level must lie between 0 and 1; received 1.0"),
        ({"level": 95}, "^level must lie between"),
        ({"level": "0.95"}, "^level must lie between 0 and 1; received '0.95'"),
        ({"n_resamples": True}, "^n_resamples must be an integer of at least 1; received True"),
        ({"n_resamples": 0}, "^n_resamples must be an integer of at least 1"),
        ({"n_resamples": 10.5}, "^n_resamples must be an integer of at least 1"),
        ({"seed": -1}, "^seed must be an integer of at least 0; received -1"),
        ({"seed": 1.5}, "^seed must be an integer of at least 0; received 1.5"),
        ({"method": "normal"}, "^method must be 'percentile' or 'bca'"),
        ({"units": ["a"]}, "^units must be one per value; received 1 units of 8 values"),
        ({"units": [*"abcdefg", None]}, "^units must name the unit of every case; received None"),
        ({"units": [*"abcdefg", math.nan]}, "^units must name the unit of every case"),
    ],
)
def test_refused_choices(arguments, words) -> None:
    with pytest.raises(fsm.InputError, match=words):
        fsm.bootstrap_mean(VALUES, **arguments)


def test_numbers_as_numpy_has_them() -> None:
    given = fsm.bootstrap_mean(VALUES, n_resamples=np.int64(50), seed=np.uint8(3))
    assert given == fsm.bootstrap_mean(VALUES, n_resamples=50, seed=3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fsm.bootstrap_mean([[1.0]]), "^values must be one number per case"),
        (lambda: fsm.bootstrap_mean(["good"]), "^values must be numbers, one per case"),
        (lambda: fsm.bootstrap_pooled([1], [1, 2]), "must be as many; received 1 and 2"),
        (lambda: fsm.bootstrap_pooled([1], [-2]), "^denominators must not be negative; .*-2.0"),
    ],
)
def test_refused_values(call, words) -> None:
    with pytest.raises(fsm.InputError, match=words):
        call()


A = {"c1": 0.9, "c2": 0.8, "c3": 0.7, "c4": 0.9, "c5": 0.8, "c6": 0.6}
B = {"c6": 0.3, "c5": 0.75, "c4": 0.88, "c3": 0.6, "c2": 0.7, "c1": 0.85}


def test_six_cases_that_are_all_better() -> None:
    """All six ranks on one side: p = 2/2⁶."""
    found = fsm.compare_methods(A, B)
    assert found.difference.value == pytest.approx(0.62 / 6)
    assert (found.n_larger, found.n_equal, found.n_smaller) == (6, 0, 0)
    assert (found.wilcoxon, found.p_value, found.n_ranked) == (0.0, 1 / 32, 6)
    assert 0 < found.difference.low < found.difference.value < found.difference.high
    back = fsm.compare_methods(B, A)
    assert back.difference.value == -found.difference.value
    assert back.p_value == found.p_value


def test_a_pair_stays_a_pair() -> None:
    """A constant difference has an interval without width, however the cases scatter."""
    a = np.linspace(0, 1, 9)
    found = fsm.compare_methods(a + 0.25, a)
    assert (found.difference.low, found.difference.high) == pytest.approx((0.25, 0.25))


def test_units_are_ranked_by_their_mean_difference() -> None:
    """Twenty frames of five videos: five ranks, p = 2/2⁵, whatever the number of frames."""
    a = [0.1 * v + 0.01 * f for v in range(1, 6) for f in range(4)]
    b = [0.0 + 0.01 * f for v in range(1, 6) for f in range(4)]
    videos = [v for v in range(5) for _ in range(4)]
    found = fsm.compare_methods(a, b, units=videos, unit="video")
    assert (found.n_pairs, found.n_ranked, found.p_value) == (20, 5, 1 / 16)
    assert found.difference.n_units == 5
    as_mapping = fsm.compare_methods(
        dict(enumerate(a)), dict(enumerate(b)), units=dict(enumerate(videos)), unit="video"
    )
    assert as_mapping == found


def test_undefined_and_infinite_pairs_are_counted_apart() -> None:
    nan, inf = math.nan, math.inf
    found = fsm.compare_methods([1.0, nan, inf, inf, 2.0, nan], [0.5, 1.0, 1.0, inf, 2.0, inf])
    assert (found.n_pairs, found.n_undefined, found.n_infinite) == (2, 2, 2)
    assert (found.n_larger, found.n_equal, found.n_smaller) == (1, 1, 0)
    assert (found.difference.value, found.n_ranked, found.p_value) == (0.25, 1, 1.0)


def test_nothing_to_compare() -> None:
    same = fsm.compare_methods([1.0, 2.0], [1.0, 2.0])
    assert (same.wilcoxon, same.p_value, same.n_ranked) == (0.0, 1.0, 0)
    none = fsm.compare_methods([math.nan], [1.0])
    assert math.isnan(none.p_value)
    assert math.isnan(none.difference.value)


@pytest.mark.parametrize(
    ("a", "b", "units", "words"),
    [
        (A, {"c1": 1.0}, None, "^a and b must have the same cases; 5 differ: 'c2' .a only."),
        ({"c1": 1.0}, {"c2": 1.0}, None, r"2 differ: 'c1' \(a only\), 'c2' \(b only\)"),
        (A, [0.5] * 6, None, "^a and b must both be mappings"),
        ([1.0], [1.0, 2.0], None, r"one value per case; received shapes \(1,\) and \(2,\)"),
        ([1.0], [1.0], ["a", "b"], "^units must be one per case; received 2 units of 1 cases"),
        (A, B, {"c1": "x"}, "^units must be a mapping that has every case; 'c2' has none"),
        (A, B, list("abcdef"), "^units must be a mapping that has every case"),
    ],
)
def test_refused_comparisons(a, b, units, words) -> None:
    with pytest.raises(fsm.InputError, match=words):
        fsm.compare_methods(a, b, units=units)
