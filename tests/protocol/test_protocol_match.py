"""Stages 2, 3 and 5 on small scenes worked by hand."""

from __future__ import annotations

import contextlib
import itertools
import math
import re
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from target_scenes import scene

import fastsegmetrics as fsm
from fastsegmetrics import represent
from fastsegmetrics.catalog import protocol_metrics
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.protocol import extract, match, measure, report
from fastsegmetrics.protocol.options import (
    OPDC,
    Components,
    Greedy,
    Hungarian,
    Overlap,
    Shooting,
)
from fastsegmetrics.protocol.value import Protocol
from fastsegmetrics.target import Target
from tests.conftest import JIT_IS_OFF


def drawn(*lines: str) -> np.ndarray:
    return np.array([[mark == "#" for mark in line] for line in lines])


def told(text: str, *pairs, **choices) -> dict[str, report.Told]:
    conventions = Conventions(stretch=False, **choices)
    protocol = Protocol.parse(text)
    samples = [
        measure.scored(
            protocol, represent.prediction(pred, conventions, gt.shape), Target(gt), conventions
        )
        for pred, gt in pairs
    ]
    return report.of_samples(protocol, samples, conventions)


def value(text: str, *pairs, **choices) -> float:
    return told(text, *pairs, **choices)[""].value


GT = drawn(
    "##....#",
    "##.....",
    ".......",
    "....###",
)
PRED = drawn(
    ".##....",
    ".##....",
    "......#",
    "....##.",
)  # fmt: skip


def test_components_of_a_scene() -> None:
    regions = extract.components(GT, 8)
    assert [r.area for r in regions.found] == [4, 1, 3]
    assert [r.centroid for r in regions.found] == [(0.5, 0.5), (0.0, 6.0), (3.0, 5.0)]
    assert regions.found[2].box == (slice(3, 4), slice(4, 7))
    touching = drawn("#.", ".#")
    assert len(extract.components(touching, 8).found) == 1
    assert len(extract.components(touching, 4).found) == 2
    with fsm.use_backend("reference"):
        assert extract.components(GT, 8).found == regions.found


def test_small_targets() -> None:
    kept = extract.targets_of(GT, Components(min_area=3), truth=True)
    assert [r.area for r in kept.found] == [4, 3]
    none = extract.targets_of(GT, Components(min_area=5), truth=True)
    assert none.found == ()
    largest = extract.targets_of(GT, Components(min_area=5, small="largest"), truth=True)
    assert [r.area for r in largest.found] == [4]


def test_forms() -> None:
    square = np.zeros((5, 7), bool)
    square[1:4, 1:5] = True
    inner = np.zeros_like(square)
    inner[2, 2:4] = True
    assert (extract.form_of(square, "boundary") == (square & ~inner)).all()
    assert extract.boundary(np.ones((3, 4), bool)).sum() == 10
    assert extract.form_of(square, "region") is square
    assert 0 < extract.form_of(square, "skeleton").sum() < square.sum()


def sides(gt=GT, pred=PRED):
    return extract.components(gt, 8), extract.components(pred, 8)


def test_matching_rules_by_hand() -> None:
    # Targets: 2x2 at (.5, .5), pixel at (0, 6), line at (3, 5).
    # Predictions: 2x2 at (.5, 1.5), and (2,6),(3,4),(3,5) at (8/3, 5) as one 8-connected target.
    truth, pred = sides()
    assert len(pred.found) == 2
    shared = match.overlaps(match.parts(truth), match.parts(pred))
    assert shared.pairs.tolist() == [[0, 0], [2, 1]]
    assert shared.pixels.tolist() == [2, 2]
    assert shared.ious.tolist() == [2 / 6, 2 / 4]
    assert match.match(Hungarian(), truth, pred).ious.tolist() == [2 / 6, 2 / 4]
    assert match.match(Overlap(iou=0.5), truth, pred).pairs == ((2, 1),)
    assert match.match(Overlap(iou=0.3), truth, pred).pairs == ((0, 0), (2, 1))
    # The pixel comes before the line, and (8/3, 5) is 2.85 away from it.
    assert match.match(Greedy(), truth, pred).pairs == ((0, 0), (1, 1))
    assert match.match(Hungarian(), truth, pred).pairs == ((0, 0), (2, 1))
    assert match.match(Hungarian(limit=1), truth, pred).pairs == ((2, 1),)
    assert match.match(Hungarian(cost="overlap"), truth, pred).pairs == ((0, 0), (2, 1))
    found = match.match(OPDC(distance=0.5), truth, pred)
    assert (found.pairs, found.missed, found.false) == (((2, 1),), (0, 1), (0,))
    assert match.match(OPDC(), truth, pred).pairs == ((0, 0), (2, 1))


def test_matching_with_nothing() -> None:
    nothing = extract.components(GT & False, 8)
    truth, _ = sides()
    for rule in (Overlap(), Hungarian(), OPDC(), Greedy()):
        assert match.match(rule, truth, nothing)[:3] == ((), (0, 1, 2), ())
        assert match.match(rule, nothing, truth)[:3] == ((), (), (0, 1, 2))


def test_ties_are_those_of_the_reference_program() -> None:
    gt, pred = np.zeros((9, 9), bool), np.zeros((9, 9), bool)
    gt[2, 8] = gt[4, 8] = pred[6, 8] = pred[8, 8] = True
    path = "fixed / components(on=both) / opdc / target_recall / raw"
    # All assignments cost the same; the one that is taken has its pairs 4 px apart.
    assert value(path, (pred, gt)) == 0.0


@given(st.lists(st.integers(0, 3), min_size=12, max_size=12))
def test_assignment_is_of_least_cost(numbers) -> None:
    costs = np.array(numbers, float).reshape(3, 4)
    pairs = match.assignment(costs)
    best = min(
        sum(costs[i, j] for i, j in enumerate(p)) for p in itertools.permutations(range(4), 3)
    )
    assert sum(costs[pair] for pair in pairs) == best
    assert [i for i, _ in pairs] == [0, 1, 2]
    assert match.assignment(np.zeros((0, 3))) == []


def test_a_limit_before_or_after_the_assignment() -> None:
    gt, pred = np.zeros((2, 31), bool), np.zeros((2, 31), bool)
    gt[0, [0, 10]] = pred[0, [9, 30]] = True
    found = []
    for limited in ("after", "before"):
        rule = Hungarian(limit=3, limited=limited)
        found.append(match.match(rule, *sides(gt, pred)).pairs)
    # In all 9 + 20 px are less than 1 + 30; below 3 px there is one pair.
    assert found == [(), ((1, 0),)]
    with pytest.raises(fsm.InputError, match="limited must be after where there is no limit"):
        Hungarian(limited="before")
    text = "hungarian(cost=dice, limit=0.5, limited=before)"
    path = Protocol.parse(f"fixed / components(on=both) / {text} / iou / raw")
    assert str(path.matching) == text
    assert "1 − Dice, of none but pairs < 0.5" in path.matching.words


@pytest.mark.parametrize("backend", ["compiled", "reference"])
def test_assignment_refuses_what_has_no_answer(backend) -> None:
    with fsm.use_backend(backend):
        assert match.assignment([[math.inf, 1], [0, math.inf]]) == [(0, 1), (1, 0)]
        for costs, words in (
            ([[1, 2], [3, math.nan]], "numbers or +inf; received nan in row 1, column 1"),
            ([[1, -math.inf]], "numbers or +inf; received -inf in row 0, column 1"),
            ([[1, math.inf], [2, math.inf]], "a finite pair for everything on the shorter side"),
            ([1, 2], "a matrix; received 1 axes"),
            ([["near"]], "real numbers; received dtype <U4"),
            ([[1j]], "real numbers; received dtype complex128"),
        ):
            with pytest.raises(fsm.InputError, match=re.escape(words)):
                match.assignment(costs)


@pytest.mark.parametrize("shape", [(3, 4), (4, 3), (5, 5)])
def test_assignments_of_one_cost_are_those_of_scipy(shape) -> None:
    from scipy.optimize import linear_sum_assignment

    rng = np.random.default_rng(shape[0])
    for _ in range(40):
        costs = rng.integers(0, 3, shape).astype(float)
        expected = list(zip(*map(np.ndarray.tolist, linear_sum_assignment(costs)), strict=True))
        assert match.assignment(costs.T.copy().T) == expected


RULES = (
    Overlap(iou=0.2), Greedy(limit=5), Hungarian(), Hungarian(limit=2), OPDC(), OPDC(iou=0.0),
    Hungarian(cost="overlap"), Hungarian(cost="overlap", limit=0.6), Shooting(near=2, far=3),
    Hungarian(limit=3, limited="before"), Hungarian(cost="dice", limit=0.7, limited="before"),
)  # fmt: skip


@pytest.mark.parametrize("seed", [0, 3, 4, 5, 7])
def test_both_backends_match_alike(seed) -> None:
    pred, gt = scene(seed)
    option = Components(on="both", min_area=2, connectivity=4)
    for rule in RULES:
        found = []
        for backend in ("compiled", "reference"):
            with fsm.use_backend(backend):
                truth = extract.targets_of(gt[:40, :40], option, truth=True)
                other = extract.targets_of(pred[:40, :40] > 0.4, option, truth=False)
                found.append(match.tally(rule, truth, other))
        np.testing.assert_array_equal(*found, err_msg=str(rule))


def test_matching_by_dense_matrices() -> None:
    """The rules by their definitions, on matrices of all pairs."""
    from scipy.optimize import linear_sum_assignment

    for seed in range(0, 40, 3):
        pred, gt = scene(seed)
        truth, other = extract.components(gt, 8), extract.components(pred > 0.4, 8)
        n, m = len(truth.found), len(other.found)
        iou, apart = np.zeros((n, m)), np.zeros((n, m))
        for (i, a), (j, b) in itertools.product(enumerate(truth.found), enumerate(other.found)):
            one, two = truth.mask(a), other.mask(b)
            iou[i, j] = (one & two).sum() / (one | two).sum()
            apart[i, j] = np.hypot(*np.subtract(a.centroid, b.centroid))
        dice = 2 * iou / (1 + iou)
        for rule, costs, limit in (
            (Hungarian(limit=4), apart, 4),
            (Hungarian(cost="overlap"), 1 - iou, 1),
            (Hungarian(cost="dice", limit=0.8), 1 - dice, 0.8),
            (Hungarian(limit=4, limited="before"), np.minimum(apart, 4), 4),
            (Hungarian(cost="overlap", limit=0.7, limited="before"), np.minimum(1 - iou, 0.7), 0.7),
        ):
            best = zip(*map(np.ndarray.tolist, linear_sum_assignment(costs)), strict=True)
            kept = tuple((i, j) for i, j in best if costs[i, j] < limit)
            found = match.match(rule, truth, other)
            assert found.pairs == kept, (seed, rule)
            assert found.ious.tolist() == [iou[pair] for pair in kept]


@contextlib.contextmanager
def room_for(megabytes: int):
    """Refuse the process more memory than so much beyond what it has, that of kernels too."""
    import resource  # of Unix

    limits = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + megabytes * 1_000_000
    resource.setrlimit(resource.RLIMIT_AS, (most, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


def test_thousands_of_targets_need_no_matrix() -> None:
    """5,000 x 5,000 single pixels, 7 apart, shifted by one: their matrix would be 200 MB."""
    n = 100 if JIT_IS_OFF else 5000
    gt = np.zeros((7 * (n // 50), 7 * 50), bool)
    gt[::7, ::7] = True
    truth, pred = extract.components(gt, 8), extract.components(np.roll(gt, 1, 1), 8)
    assert len(truth.found) == len(pred.found) == n
    own = tuple((i, i) for i in range(n))
    for rule, pairs in (
        (Hungarian(limit=3), own), (OPDC(), own), (Greedy(), own),
        (Hungarian(limit=3, limited="before"), own),
        (Hungarian(cost="overlap"), ()), (Overlap(), ()),
    ):  # fmt: skip
        match.tally(rule, *sides())  # what is loaded and compiled does not count
        tracemalloc.start()
        with room_for(megabytes=60) if sys.platform == "linux" else contextlib.nullcontext():
            assert match.match(rule, truth, pred).pairs == pairs
            counts = match.tally(rule, truth, pred)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert counts[:3] == (len(pairs), n - len(pairs), n - len(pairs))
        assert peak < 5e6


def test_target_scores_by_hand() -> None:
    path = "fixed / components(on=both) / opdc(distance=0.5) / {} / raw(average=pooled)"
    pair = (PRED, GT)
    # One of three targets is matched, with IoU 2/4; one of two predictions (4 px of 28) is false.
    expected = {
        "target_precision": 1 / 2,
        "target_recall": 1 / 3,
        "target_f1": 2 / 5,
        "hiou_loc": 1 / 4,
        "hiou_seg": 1 / 2,
        "hiou": 1 / 8,
        "false_alarm": 4 / 28,
        # The line and its prediction: 2 shared, (2, 6) on no target, (3, 6) missed, union 4.
        "hiou_seg_merge": 0.0,
        "hiou_seg_interference": 1 / 4,
        "hiou_seg_perception": 1 / 4,
        # Nearer than .5 px or IoU .5: the square's pair is neither, and the pixel has none.
        "hiou_loc_interference": 1 / 4,
        "hiou_loc_perception": 2 / 4,
        "hiou_loc_many_to_one": 0.0,
        "hiou_loc_one_to_many": 0.0,
    }
    for score, number in expected.items():
        assert value(path.format(score), pair) == pytest.approx(number, abs=1e-15), score
    # Pooled with an image in which the single target is found exactly.
    hit = drawn("#..", "..."), drawn("#..", "...")
    assert value(path.format("hiou"), pair, hit) == pytest.approx((1.5 / 2) * (2 / 5))
    assert value(path.format("false_alarm"), pair, hit) == pytest.approx(4 / 34)
    nothing = drawn("..."), drawn("...")
    for score in expected:
        alone = told(path.format(score), nothing)[""]
        assert math.isnan(alone.value) is (score != "false_alarm")
    assert value(path.format("target_recall"), (drawn("#.."), drawn("..."))) == 0.0


def test_the_survival_of_pairs_by_hand() -> None:
    path = "fixed / components(on=both) / opdc / {} / survival(average=pooled)"
    # Two of three targets are paired, at IoU 2/6 and 2/4.
    curve = told(path.format("hiou"), (PRED, GT))[""].value
    assert curve.shape == (256,)
    assert curve[:86].tolist() == [2 / 3] * 86
    assert curve[86:128].tolist() == [1 / 3] * 42
    assert not curve[128:].any()
    nothing = told(path.format("hiou"), (PRED & False, GT & False))[""]
    assert np.isnan(nothing.value).all()
    assert nothing.n_used == 0


def test_the_shooting_rule_by_hand() -> None:
    path = "fixed / components(on=both) / shooting(near={}, far={}) / {} / raw"
    # (0, 6) is two rows from (2, 6), the square and the line are hit.
    assert value(path.format(1, 4, "target_recall"), (PRED, GT)) == 2 / 3
    assert value(path.format(2, 4, "target_recall"), (PRED, GT)) == 1.0
    assert value(path.format(0, 4, "target_recall"), (PRED, GT)) == 2 / 3
    assert value(path.format(1, 4, "false_alarm"), (PRED, GT)) == 0.0
    # Outside the targets themselves: column 2 of the square, and (2, 6).
    assert value(path.format(1, 0, "false_alarm"), (PRED, GT)) == 3 / 28


def test_scores_of_matched_targets_by_hand() -> None:
    path = "fixed / components(on=both, encoding=mask) / hungarian{} / iou / raw"
    assert value(path.format(""), (PRED, GT)) == pytest.approx((2 / 6 + 2 / 4) / 2)
    # The pixel that is missed scores 0 against an empty map.
    assert value(path.format("(unmatched=empty)"), (PRED, GT)) == pytest.approx(
        (2 / 6 + 2 / 4 + 0) / 3
    )
    missed = told(path.format(""), (PRED & False, GT))[""]
    assert math.isnan(missed.value)
    assert missed.reason == measure.NO_PAIR


def test_a_soft_map_on_matched_targets() -> None:
    soft = np.where(PRED, 0.75, 0.25)
    path = "soft / components(on=both, cut=0.5, encoding=mask) / overlap(iou=0.3) / mae / raw"
    # 2x2 pair: two shared pixels .25 wrong, two missed, two false .75; the line likewise.
    square = (2 * 0.25 + 2 * 1 + 2 * 0.75) / 28
    line = (2 * 0.25 + 1 + 0.75) / 28
    assert value(path, (soft, GT)) == pytest.approx((square + line) / 2)


def test_skeleton_recall_per_target() -> None:
    gt = drawn("#####..", ".......", "....###")
    pred = drawn("##.....", ".......", "....###")
    path = "fixed / components(form=skeleton) / pixelwise / {} / raw"
    assert value(path.format("recall"), (pred, gt)) == pytest.approx((2 / 5 + 1) / 2)
    assert value(path.format("precision"), (pred, gt)) == 1.0


@pytest.mark.parametrize(("encoding", "wrong"), [("mask", 0.5 + 1), ("box", 0.5 + 1 + 0.25)])
def test_the_maps_of_a_target_are_as_large_as_the_image(encoding, wrong) -> None:
    """Zero outside it, and counted: the error of an L of three pixels in 4 × 5."""
    gt, pred = np.zeros((4, 5), bool), np.zeros((4, 5))
    gt[1, 1:3] = gt[2, 1] = True
    pred[1, 1:4] = 0.5, 1.0, 0.9
    pred[2, 2] = 0.25
    path = f"soft / components(encoding={encoding}) / pixelwise / mae / raw"
    assert value(path, (pred, gt)) == pytest.approx(wrong / 20, rel=1e-12)


def test_soft_counts() -> None:
    p = np.array([[0.5, 1.0, 0.25, 0.0]])
    g = np.array([[True, True, False, False]])
    text = "soft / whole / pixelwise / {} / raw"
    assert value(text.format("iou"), (p, g)) == pytest.approx(1.5 / 2.25)
    assert value(text.format("precision"), (p, g)) == pytest.approx(1.5 / 1.75)


def test_thresholds_of_bins() -> None:
    p = np.array([[0.0, 0.25, 0.5, 0.75, 1.0]])
    g = np.array([[True] * 5])
    text = "dynamic(over=bins, n=4{}) / whole / pixelwise / recall / raw"
    np.testing.assert_array_equal(value(text.format(""), (p, g)), [0.8, 0.6, 0.4, 0.2])
    np.testing.assert_array_equal(value(text.format(", keep=>="), (p, g)), [1, 0.8, 0.6, 0.4])
    single = told(text.format(""), (p.astype(np.float32), g))[""].value
    np.testing.assert_array_equal(single, [0.8, 0.6, 0.4, 0.2])


def test_area_under_a_curve_of_thresholds() -> None:
    p = np.array([[0.0, 0.25, 0.5, 0.75, 1.0]])
    text = "dynamic(over=bins, n=4) / whole / pixelwise / recall / auc"
    assert value(text, (p, p > -1)) == pytest.approx((0.7 + 0.5 + 0.3) / 3)
    by_bins = Protocol.parse("dynamic(over=bins) / whole / pixelwise / recall / auc")
    (alone,) = fsm.measure(p, p > -1, by_bins, bins=1).values()
    assert math.isnan(alone)


def test_strata_of_sizes() -> None:
    found = told(
        "fixed / components(encoding=mask) / pixelwise / recall / "
        "raw(average=targets, by=size, limits=2:4, quantiles=0.5)",
        (PRED, GT), (PRED, GT[:, ::-1]), (PRED, GT & False),
    )  # fmt: skip
    # Recalls of the pixel, the line and the square: 0, 2/3, 2/4; mirrored 0, 0, 0.
    assert found["small"] == (0.0, 2, 0, "", 0)
    assert found["medium"].value == pytest.approx(1 / 3)
    assert found["large"].value == pytest.approx(1 / 4)
    assert found[""].value == pytest.approx((2 / 3 + 2 / 4) / 6)
    assert found["q0.5"].value == 0.0
    assert found["large q0.5"].value == pytest.approx(1 / 4)
    # Six targets of two samples; the third has none.
    assert found[""][1:] == found["q0.5"][1:] == (2, 1, measure.NO_TARGET, 0)
    empty = told(
        "fixed / whole / pixelwise / recall / raw(by=size, limits=100:200)", (PRED, GT)
    )  # fmt: skip
    assert empty["large"][1:] == (0, 0, report.NO_SAMPLE, 0)


def test_strata_of_a_column() -> None:
    conventions = Conventions(stretch=False)
    pairs = [(PRED, GT), (GT, GT), (PRED & False, GT), (PRED, GT & False)]
    protocol = Protocol.parse("fixed / whole / pixelwise / recall / raw(by=column.weather)")
    samples = [
        measure.scored(
            protocol, represent.prediction(pred, conventions, gt.shape), Target(gt), conventions
        )
        for pred, gt in pairs
    ]
    found = report.of_samples(protocol, samples, conventions, ["fog", "sun", "fog", "sun"])
    assert {name: one.value for name, one in found.items()} == {
        "": pytest.approx((4 / 8 + 1 + 0 + 0) / 4), "fog": 4 / 8 / 2, "sun": 1 / 2,
    }  # fmt: skip
    halved = protocol.replace(report="raw(by=halves.level)")
    levels = [0.2, 0.1, 0.4, 0.3]
    found = report.of_samples(halved, samples, conventions, levels)
    assert (found["easy"].value, found["hard"].value) == (3 / 4, 0.0)
    alone = halved.replace(report="raw(by=halves.level, part=easy)")
    told_alone = report.of_samples(alone, samples, conventions, levels)
    assert {name: one.value for name, one in told_alone.items()} == {"": 3 / 4}
    with pytest.raises(fsm.InputError, match="value for each of 4 samples; received none"):
        report.of_samples(protocol, samples, conventions)


def test_targets_left_out_of_a_mean_are_counted_by_samples() -> None:
    """A line that is found and one that is not; of the second sample none is found."""
    gt = np.zeros((9, 12), bool)
    gt[1, 1:5] = gt[6, 6:10] = True
    half = gt.copy()
    half[6] = False
    found = told(
        "fixed / components / nearest / hd / raw(average=targets)", (half, gt), (half & False, gt)
    )[""]
    assert found == (0.0, 1, 0, "", 2)
    evaluator = fsm.Evaluator(
        protocol_metrics(
            {"far": Protocol.parse("fixed / components / nearest / hd / raw(average=targets)")}
        )
    )
    evaluator.update(gt, gt)
    row = evaluator.result()["far"]
    assert (row.value, row.n_expected, row.n_used) == (0.0, 1, 1)


def test_size_limits_belong_to_the_larger_side() -> None:
    protocol = Protocol.parse("fixed / whole / pixelwise / iou / raw(by=size)")
    sizes = np.array([0.0, 1, 1023, 1024, 9215, 9216])
    assert report.stratum_of(sizes, protocol.report).tolist() == [-1, 0, 0, 1, 1, 2]
    three = protocol.replace(report="raw(by=size, limits=5)").report
    assert three.strata == ("0-5", "5-inf")


def test_no_target_says_so() -> None:
    found = told("fixed / components / pixelwise / iou / raw", (PRED, GT & False))[""]
    assert (math.isnan(found.value), found[1:]) == (True, (0, 1, measure.NO_TARGET, 0))
    whole = "fixed / components(empty=whole) / pixelwise / iou / raw"
    assert value(whole, (PRED, GT & False)) == 0.0


def test_protocols_run_in_an_evaluator() -> None:
    low = Protocol.parse("fixed / components / pixelwise / iou / raw(by=size, limits=2:4)")
    curve = Protocol.parse("dynamic(over=bins, n=4) / boundary / pixelwise / dice / raw")
    metrics = ["mae", *protocol_metrics({"parts": low, "edges": curve})]
    whole, first, second = (fsm.Evaluator(metrics, stretch=False) for _ in range(3))
    pairs = [(PRED, GT), (GT, GT), (PRED, GT & False)]
    for k, (pred, gt) in enumerate(pairs):
        whole.update(pred, gt, sample_id=str(k))
        (first if k == 1 else second).update(pred, gt, sample_id=str(k))
    first.merge(second)
    result = whole.result()
    assert first.result().to_json() == result.to_json()
    boxes = (2 / 4 + 0 + 2 / 3) / 3
    np.testing.assert_allclose(result.per_image["parts"], [boxes, 1, np.nan])
    assert result["parts"].value == pytest.approx((boxes + 1) / 2)
    assert (result["parts"].n_used, result["parts"].n_undefined) == (2, 1)
    assert result["parts[small]"].value == pytest.approx(1 / 2)
    assert result.curves["edges"].shape == (4,)
    assert result.contract.metrics["parts"]["protocol"] == str(low)
    alone = fsm.measure(PRED, GT, low, stretch=False)
    assert alone == fsm.measure(PRED, GT, [str(low)], stretch=False)
    assert alone == {low.name: pytest.approx(boxes)}


def test_measurements_of_other_protocols_do_not_add_up() -> None:
    rows = [
        protocol_metrics({"one": Protocol.parse(f"{r} / whole / pixelwise / iou / raw")})
        for r in ("fixed(t=0.3)", "fixed(t=0.4)")
    ]
    measured = fsm.Plan(rows[0]).measure(PRED, GT)
    with pytest.raises(fsm.InputError, match="same metrics"):
        fsm.Evaluator(rows[1]).add(measured)
