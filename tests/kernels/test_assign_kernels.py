"""Assignment, with and without a gate, and greedy matching, against SciPy and brute force."""

import itertools
import os

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from fastsegmetrics.kernels import _block_search, assign, proximity
from fastsegmetrics.reference import assign as assign_twins, proximity as proximity_twins

#: As Python, a kernel takes a thousand times longer.
MANY = 40 if os.environ.get("NUMBA_DISABLE_JIT") == "1" else 4000

seeds = st.integers(0, 2**32 - 1)
sides = st.integers(0, 9)


def oracle(costs):
    rows, columns = linear_sum_assignment(costs)
    assigned = np.full(len(costs), -1)
    assigned[rows] = columns
    return assigned.tolist()


def total(costs, assigned):
    return sum(costs[row, column] for row, column in enumerate(assigned) if column >= 0)


def matrices(rng, n, m):
    """Costs full of ties, negative ones, and ones that never tie."""
    yield rng.integers(0, rng.integers(1, 6), (n, m)).astype(float)
    yield rng.integers(-9, 9, (n, m)).astype(float)
    yield rng.normal(size=(n, m))
    yield np.add.outer(rng.integers(0, 4, n), rng.integers(0, 4, m)).astype(float)


@given(seeds, sides, sides)
def test_assign(seed, n, m):
    for costs in matrices(np.random.default_rng(seed), n, m):
        found, feasible = assign.assign(costs)
        twin, twin_feasible = assign_twins.assign(costs)
        assert feasible
        assert twin_feasible
        assert found.dtype == np.int64
        assert found.tolist() == twin.tolist() == oracle(costs)


def test_assign_is_scipys_on_thousands_of_ties():
    rng = np.random.default_rng(4)
    for _ in range(MANY):
        n, m = rng.integers(1, 13, 2)
        costs = rng.integers(0, rng.integers(1, 8), (n, m)).astype(float)
        assert assign.assign(costs)[0].tolist() == oracle(costs)


@pytest.mark.parametrize("shape", [(60, 60), (41, 67), (67, 41), (1, 90), (90, 1)])
def test_assign_larger(shape):
    rng = np.random.default_rng(7)
    for costs in (rng.random(shape), rng.integers(0, 30, shape).astype(float)):
        assert assign.assign(costs)[0].tolist() == oracle(costs)


def test_assign_is_the_cheapest_of_all():
    rng = np.random.default_rng(1)
    for _ in range(MANY // 20):
        n, m = sorted(rng.integers(1, 6, 2).tolist())
        costs = rng.integers(-5, 9, (n, m)).astype(float)
        least = min(total(costs, each) for each in itertools.permutations(range(m), n))
        assert total(costs, assign.assign(costs)[0]) == least
        turned = np.ascontiguousarray(costs.T)
        assert total(turned, assign.assign(turned)[0]) == least


def test_assign_by_hand():
    # Greedy would take 1 + 9; the other way round is 2 + 3.
    costs = np.array([[1.0, 2.0], [3.0, 9.0]])
    assert assign.assign(costs)[0].tolist() == [1, 0]
    assert assign.assign(np.array([[4.0, 1.0, 7.0]]))[0].tolist() == [1]
    assert assign.assign(np.array([[4.0], [1.0], [7.0]]))[0].tolist() == [-1, 0, -1]
    assert assign.assign(np.ones((3, 3)))[0].tolist() == [0, 1, 2]
    assert assign.assign(np.ones((0, 4)))[0].tolist() == []
    assert assign.assign(np.ones((4, 0)))[0].tolist() == [-1] * 4


@given(seeds, st.integers(1, 6), st.integers(1, 6))
def test_forbidden_pairs(seed, n, m):
    rng = np.random.default_rng(seed)
    costs = rng.integers(0, 5, (n, m)).astype(float)
    costs[rng.random((n, m)) < 0.4] = np.inf
    found, feasible = assign.assign(costs)
    assert feasible == assign_twins.assign(costs)[1]
    try:
        expected = oracle(costs)
    except ValueError:
        assert not feasible
    else:
        assert feasible
        assert found.tolist() == expected == assign_twins.assign(costs)[0].tolist()


def points(rng, n, step):
    """Points on a coarse grid, so that many distances are equal, or anywhere."""
    return np.round(rng.random((n, 2)) * 20 / step) * step if step else rng.random((n, 2)) * 20


@given(seeds, sides, sides, st.sampled_from([0, 1.0, 2.5]))
def test_distances_are_scipys(seed, n, m, step):
    rng = np.random.default_rng(seed)
    rows, columns = points(rng, n, step), points(rng, m, step)
    found = proximity.distances(rows, columns)
    np.testing.assert_array_equal(found, proximity_twins.distances(rows, columns))
    np.testing.assert_array_equal(found, cdist(rows, columns))


@given(seeds, sides, sides, st.sampled_from([0, 1.0, 2.5]))
def test_assign_points(seed, n, m, step):
    rng = np.random.default_rng(seed)
    rows, columns = points(rng, n, step), points(rng, m, step)
    found = assign.assign_points(rows, columns).tolist()
    assert found == assign_twins.assign_points(rows, columns).tolist()
    assert found == oracle(cdist(rows, columns))


def test_assign_points_depends_on_which_side_the_rows_are():
    truth, pred = np.array([[2.0, 8], [4, 8]]), np.array([[6.0, 8], [8, 8]])
    # Both assignments cost 8: (4 + 4) and (6 + 2).
    assert assign.assign_points(truth, pred).tolist() == oracle(cdist(truth, pred)) == [0, 1]
    assert assign.assign_points(pred, truth).tolist() == oracle(cdist(pred, truth))


@given(seeds, sides, sides, st.sampled_from([0, 1.0, 2.5]), st.sampled_from([0.0, 1.0, 3.0, 50.0]))
def test_near_pairs(seed, n, m, step, limit):
    rng = np.random.default_rng(seed)
    rows, columns = points(rng, n, step), points(rng, m, step)
    for ours, twin in zip(
        proximity.near_pairs(rows, columns, limit), proximity_twins.near_pairs(rows, columns, limit)
    ):
        np.testing.assert_array_equal(ours, twin)
        assert ours.dtype == twin.dtype


@pytest.mark.parametrize("limit", [1e-300, 0.5, 3.0, 7.0, 1e6, np.inf])
def test_near_pairs_of_clusters_and_of_points_far_apart(limit):
    rng = np.random.default_rng(3)
    rows = np.concatenate((rng.integers(0, 40, (70, 2)), [[0, 100_000], [90_000, 3], [-50, -7]]))
    columns = np.concatenate((rng.integers(-9, 60, (60, 2)), [[5, 99_999], [90_000, 5], [0, 0]]))
    rows, columns = rows * 1.0, columns * 1.0
    for a, b in ((rows, columns), (columns, rows), (rows[:1], columns), (rows, columns[-1:])):
        pairs, costs = proximity.near_pairs(a, b, limit)
        twin_pairs, twin_costs = proximity_twins.near_pairs(a, b, limit)
        np.testing.assert_array_equal(pairs, twin_pairs)
        np.testing.assert_array_equal(costs, twin_costs)


def test_near_is_strict():
    rows, columns = np.array([[0.0, 0.0]]), np.array([[0.0, 3.0], [0.0, 2.5], [3.0, 0.0]])
    pairs, costs = proximity.near_pairs(rows, columns, 3.0)
    assert (pairs.tolist(), costs.tolist()) == ([[0, 1]], [2.5])


@given(seeds, sides, sides, st.sampled_from([0.1, 0.5, 1.0]))
def test_match_greedily(seed, n, m, fill):
    pairs = np.argwhere(np.random.default_rng(seed).random((n, m)) < fill)
    found = proximity.match_greedily(pairs, n, m)
    np.testing.assert_array_equal(found, proximity_twins.match_greedily(pairs, n, m))


def test_greedy_takes_the_first_and_not_the_nearest():
    truth = np.array([[0.0, 0.0], [0.0, 2.0], [9.0, 9.0]])
    pred = np.array([[0.0, 2.0], [0.0, 0.0]])
    pairs, _ = proximity.near_pairs(truth, pred, 3.0)
    assert proximity.match_greedily(pairs, 3, 2).tolist() == [0, 1, -1]


def clipped(pairs, costs, gate, n, m):
    every = np.full((n, m), gate)
    every[pairs[:, 0], pairs[:, 1]] = np.minimum(costs, gate)
    return every


@given(seeds, sides, sides, st.sampled_from([0, 1.0, 2.5]), st.sampled_from([1.0, 3.0, 8.0]))
def test_assign_gated(seed, n, m, step, gate):
    rng = np.random.default_rng(seed)
    rows, columns = points(rng, n, step), points(rng, m, step)
    pairs, costs = proximity.near_pairs(rows, columns, gate)
    arguments = (pairs, costs, gate, n, m)
    found = assign.assign_gated(*arguments)
    assert found.tolist() == assign_twins.assign_gated(*arguments).tolist()
    # The same pairs as SciPy on the clipped matrix, without those that cost the gate.
    dense = clipped(*arguments)
    expected = oracle(dense)
    kept = [
        column if column >= 0 and dense[row, column] < gate else -1
        for row, column in enumerate(expected)
    ]
    assert found.tolist() == kept
    unmatched = min(n, m) - (found >= 0).sum()
    assert total(dense, found) + gate * unmatched == pytest.approx(total(dense, expected))


def test_a_gate_is_not_a_filter_after_the_assignment():
    rows, columns = np.array([[0.0, 0.0], [0.0, 4.0]]), np.array([[0.0, 2.0], [0.0, 9.0]])
    # Without a gate every choice of partners counts: 2 + 5 against 9 + 2.
    assert assign.assign_points(rows, columns).tolist() == [0, 1]
    pairs, costs = proximity.near_pairs(rows, columns, 3.0)
    assert assign.assign_gated(pairs, costs, 3.0, 2, 2).tolist() == [0, -1]
    # One pair of 0 and an unmatched one at 3 cost less than two pairs of 2.9; 1 + 3 more than 2.8.
    pairs = np.array([[0, 0], [0, 1], [1, 0]])
    assert assign.assign_gated(pairs, np.array([0, 2.9, 2.9]), 3.0, 2, 2).tolist() == [0, -1]
    assert assign.assign_gated(pairs, np.array([1, 1.4, 1.4]), 3.0, 2, 2).tolist() == [1, 0]


def test_candidates_at_or_above_the_gate_are_none():
    pairs = np.array([[0, 0], [0, 1], [1, 1]])
    assert assign.assign_gated(pairs, np.array([3.0, 4.0, 1.0]), 3.0, 2, 2).tolist() == [-1, 1]
    assert assign.assign_gated(pairs[:0], np.zeros(0), 3.0, 2, 5).tolist() == [-1, -1]
    assert assign.assign_gated(pairs[:0], np.zeros(0), 3.0, 2, 0).tolist() == [-1, -1]


def by_blocks(costs):
    """Assign the rows of a matrix by blocks of columns alone, if they can all be."""
    state = _block_search.no_pairs(*costs.shape)
    done, feasible = _block_search.begin_matrix(costs, state)
    return state.assigned.tolist() if feasible and done == len(costs) else None


@given(seeds, st.integers(1, 9), st.integers(0, 90))
def test_blocks_of_a_matrix(seed, n, more):
    for costs in matrices(np.random.default_rng(seed), n, n + more):
        assert by_blocks(costs) == oracle(costs)


@given(seeds, st.integers(1, 9), st.integers(0, 90), st.sampled_from([0, 1.0, 2.5]))
def test_blocks_of_points(seed, n, more, step):
    rng = np.random.default_rng(seed)
    rows, columns = points(rng, n, step) - 7, 3 * points(rng, n + more, step)
    found = _block_search.assign_to_points(rows, columns)
    assert found.tolist() == oracle(cdist(rows, columns))
    # All in one place, or on a line.
    for scale in ((0, 0), (0, 1), (1, 0)):
        found = _block_search.assign_to_points(rows, columns * scale)
        assert found.tolist() == oracle(cdist(rows, columns * scale))


def test_blocks_of_forbidden_pairs():
    costs = np.full((3, 70), np.inf)
    costs[0, 3] = costs[1, 3] = costs[2, 69] = 1.0
    assert by_blocks(costs) is None
    costs[1, 40] = 9.0
    assert by_blocks(costs) == [3, 40, 69]


@pytest.mark.parametrize("kind", ["random", "ties", "distances"])
def test_thousands_of_rows(kind):
    """Enough for blocks; where most of them have to be looked at the rest is done without."""
    n = 8 if MANY == 40 else 1400
    rng = np.random.default_rng(3)
    if kind == "distances":
        rows, columns = rng.integers(0, 60, (n, 2)) * 1.0, rng.integers(0, 60, (n + 9, 2)) * 1.0
        costs = cdist(rows, columns)
        assert assign.assign_points(rows, columns).tolist() == oracle(costs)
        assert assign.assign_points(columns, rows).tolist() == oracle(costs.T)
    else:
        costs = rng.random((n, n)) if kind == "random" else rng.integers(0, 9, (n, n)) * 1.0
    assert assign.assign(costs)[0].tolist() == oracle(costs)
    assert assign.assign(np.ascontiguousarray(costs.T))[0].tolist() == oracle(costs.T)
