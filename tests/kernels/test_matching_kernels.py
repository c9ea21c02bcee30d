"""The kernels that match targets, beside their twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from target_scenes import crowd, degenerate, scene

import fastsegmetrics as fsm
from fastsegmetrics.kernels import matching as kernels
from fastsegmetrics.reference import matching as twins
from fastsegmetrics.statistics.targets import Limits, Parts, parts_of

LIMITS = (Limits(), Limits(0.2, 1.5, 2, 3), Limits(0.0, 6.0, 1, 4))


def flat(mask: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Return a mask as the kernels take it."""
    pixels = np.ascontiguousarray(mask).view(np.uint8).reshape(-1).copy()
    words = pixels[: pixels.size // 8 * 8].view(np.uint64)
    pixels.flags.writeable = words.flags.writeable = False
    return pixels, words, mask.shape[1]


def parts(mask: np.ndarray) -> Parts:
    return parts_of(flat(mask)[0].reshape(mask.shape))


@st.composite
def mask_pairs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Two masks of one shape: sparse to dense, many targets at equal distances."""
    shape = draw(st.tuples(st.integers(1, 11), st.integers(1, 17)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    densities = [draw(st.sampled_from([0.0, 0.08, 0.2, 0.5, 1.0])) for _ in range(2)]
    return rng.random(shape) < densities[0], rng.random(shape) < densities[1]


def assert_twins_agree(truth: np.ndarray, found: np.ndarray, limits: Limits) -> None:
    for mask in (truth, found):
        with fsm.use_backend("reference"):
            by_twins = parts(mask)
        for name, mine, theirs in zip(Parts._fields, parts(mask), by_twins, strict=True):
            np.testing.assert_array_equal(mine, theirs, err_msg=name)
            assert np.asarray(mine).dtype == np.asarray(theirs).dtype
    runs = parts(found).runs
    for rules in (7, 1, 2, 4):
        mine = kernels.match_runs(parts(truth), runs, limits, rules)
        theirs = twins.match_runs(parts(truth), runs, limits, rules)
        np.testing.assert_array_equal(mine[0], theirs[0])
        np.testing.assert_allclose(mine[1], theirs[1], rtol=1e-13)
        np.testing.assert_array_equal(mine[2], theirs[2])


@given(mask_pairs(), st.sampled_from(LIMITS))
def test_twins_on_small_masks(masks, limits) -> None:
    assert_twins_agree(*masks, limits)


@pytest.mark.parametrize("seed", range(8))
def test_twins_on_scenes(seed) -> None:
    pred, truth = scene(seed)
    assert_twins_agree(truth, pred > 0.5, Limits())


@pytest.mark.parametrize("kind", degenerate())
def test_twins_on_degenerate_pairs(kind) -> None:
    pred, truth = degenerate()[kind]
    assert_twins_agree(truth, pred > 0.5, Limits())


@given(mask_pairs(), st.sampled_from(LIMITS), st.integers(0, 2**32 - 1))
def test_parts_of_the_matching(masks, limits, seed) -> None:
    truth, found = (parts(mask) for mask in masks)
    image = [np.zeros(masks[0].shape, np.int64) for _ in masks]
    for canvas, side in zip(image, (truth, found), strict=True):
        for (row, start, stop), label in zip(side.runs, side.labels, strict=True):
            canvas[row, start:stop] = label
    pairs, counts = np.unique(np.stack(image)[:, masks[0] & masks[1]], axis=1, return_counts=True)
    shared = np.column_stack((pairs.T - 1, counts)).astype(np.int64).reshape(-1, 3)
    ious = kernels.intersection_over_union(shared, truth.areas, found.areas)
    np.testing.assert_array_equal(
        ious, twins.intersection_over_union(shared, truth.areas, found.areas)
    )
    between = truth.centroids, found.centroids, shared, ious, limits
    assigned = kernels.opdc(*between)
    np.testing.assert_array_equal(assigned, twins.opdc(*between))
    np.testing.assert_array_equal(
        kernels.qualities(truth.areas, found.areas, shared, assigned),
        twins.qualities(truth.areas, found.areas, shared, assigned),
    )
    assert kernels.without_candidate(*between) == twins.without_candidate(*between)


@given(mask_pairs(), st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_nested_masks_are_each_matched_by_themselves(masks, seed, n) -> None:
    truth, widest = masks
    positions = np.flatnonzero(widest).astype(np.int64)
    ranks = np.random.default_rng(seed).integers(1, n + 1, positions.size)
    side = parts(truth)
    counts, shares = kernels.match_levels(side, positions.copy(), ranks.copy(), n, Limits(), 7)
    twin_counts, twin_shares = twins.match_levels(side, positions, ranks, n, Limits(), 7)
    np.testing.assert_array_equal(counts, twin_counts)
    np.testing.assert_allclose(shares, twin_shares, rtol=1e-13)
    for t in range(n):
        mask = np.zeros(truth.shape, bool)
        mask.flat[positions[ranks > t]] = True
        row, row_shares, _ = kernels.match_runs(side, parts(mask).runs, Limits(), 7)
        np.testing.assert_array_equal(counts[t], row[0])
        np.testing.assert_array_equal(shares[t], row_shares[0])


def test_a_hundred_targets() -> None:
    pred, truth = crowd(100)
    assert_twins_agree(truth[:60], pred[:60] > 0.5, Limits())
