"""The largest matching against its twin, which is SciPy's, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fastsegmetrics.kernels import pairing
from fastsegmetrics.reference import pairing as twins


@st.composite
def graphs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int]:
    n, n_others = draw(st.integers(0, 12)), draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    linked = rng.random((n, n_others)) < draw(st.sampled_from([0.0, 0.1, 0.3, 0.8]))
    starts = np.cumsum([0, *linked.sum(axis=1)])
    return starts.astype(np.int64), np.nonzero(linked)[1].astype(np.int64), n_others


@given(graphs())
def test_most_pairs(graph) -> None:
    assert pairing.most_pairs(*graph) == twins.most_pairs(*graph)


def test_a_long_exchange() -> None:
    """Each point knows two others in a chain; only the last other is free at first."""
    n = 50
    neighbours = np.array([[i, i + 1] for i in range(n - 1)] + [[n - 1, n - 1], [0, 0]]).ravel()
    starts = np.arange(0, 2 * n + 3, 2)
    assert pairing.most_pairs(starts, neighbours, n) == n
    assert pairing.most_pairs(starts, neighbours, n + 1) == n


@given(
    st.lists(st.tuples(*[st.integers(0, 4)] * 3), max_size=8),
    st.lists(st.tuples(*[st.integers(0, 4)] * 3), max_size=8, unique=True),
)
def test_close_pairs(points, others) -> None:
    index = np.full((5, 5, 5), -1)
    for number, place in enumerate(others):
        index[place] = number
    steps = np.argwhere(np.ones((3, 3, 5))) - [1, 1, 2]
    arguments = np.array(points, np.int64).reshape(-1, 3), index, steps
    for ours, twin in zip(pairing.close_pairs(*arguments), twins.close_pairs(*arguments)):
        np.testing.assert_array_equal(ours, twin)


@pytest.mark.parametrize("n", [16, 17, 40])
def test_room_for_any_number_of_pairs(n) -> None:
    index = np.arange(n).reshape(1, 1, n)
    steps = np.stack([np.zeros(n), np.zeros(n), np.arange(n)], axis=1).astype(np.int64)
    starts, neighbours = pairing.close_pairs(np.zeros((1, 3), np.int64), index, steps)
    assert (starts.tolist(), neighbours.tolist()) == ([0, n], list(range(n)))
