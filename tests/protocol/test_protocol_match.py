"""Stages 2 and 3, targets and their matching, on small scenes worked by hand."""

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
from fastsegmetrics.protocol import extract, match
from fastsegmetrics.protocol.options import (
    OPDC,
    Components,
    Greedy,
    Hungarian,
    Overlap,
    Shooting,
)
from fastsegmetrics.protocol.value import Protocol
from tests.conftest import JIT_IS_OFF
from tests.protocol.worked_scene import GT, PRED, drawn, value


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
