"""Edge cells: kernels against their twins and against independent programs."""

from __future__ import annotations

import inspect
from fractions import Fraction

import cv2
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import ndimage

from fastsegmetrics.kernels import edges, thresholds
from fastsegmetrics.reference import edges as edge_twins, thresholds as threshold_twins
from tests.strategies import eight_bit_pairs

IDENTITY = np.arange(256, dtype=np.uint8)


def first_of(truth: np.ndarray) -> np.ndarray:
    return edges.first_scales(edges.edge_pyramid(truth.astype(np.uint8)), *truth.shape)


def sweep_both(pred, levels, truth) -> np.ndarray:
    first = first_of(truth)
    ours = thresholds.threshold_cells(pred, levels, first)
    np.testing.assert_array_equal(ours, threshold_twins.threshold_cells(pred, levels, first))
    return ours


@pytest.mark.parametrize("module", [edges, thresholds], ids=["edges", "thresholds"])
def test_twins_have_the_same_parameters(module) -> None:
    twins = {edges: edge_twins, thresholds: threshold_twins}[module]
    public = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and callable(value)
        and getattr(value, "__module__", None) == module.__name__
    ]
    assert public
    for name in public:
        original = getattr(getattr(module, name), "py_func", getattr(module, name))
        parameters = list(inspect.signature(original).parameters)
        assert list(inspect.signature(getattr(twins, name)).parameters) == parameters
        assert len(parameters) <= 8


@given(st.integers(1, 40), st.integers(1, 70), st.integers(0, 2**32 - 1), st.booleans())
def test_pyramid_and_what_follows_from_it(height, width, seed, dense) -> None:
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 256, (height, width)).astype(np.uint8)
    if not dense:
        bits[rng.random(bits.shape) < 0.97] = 0
    pyramid = edges.edge_pyramid(bits)
    np.testing.assert_array_equal(pyramid, edge_twins.edge_pyramid(bits))
    other = edges.edge_pyramid(np.roll(bits, 1, 1))
    np.testing.assert_array_equal(
        edges.shared_cells(pyramid, other, height, width),
        edge_twins.shared_cells(pyramid, other, height, width),
    )
    np.testing.assert_array_equal(
        edges.first_scales(pyramid, height, width), edge_twins.first_scales(pyramid, height, width)
    )


@given(st.integers(1, 12), st.integers(1, 20), st.integers(0, 2**32 - 1), st.data())
def test_packed_levels(height, width, seed, data) -> None:
    levels = np.random.default_rng(seed).integers(0, 256, (height, width)).astype(np.uint8)
    lowest, other = (data.draw(st.sampled_from([0, 1, 77, 128, 255, 256])) for _ in range(2))
    packed = edges.packed_levels(levels, lowest, other)
    np.testing.assert_array_equal(packed, edge_twins.packed_levels(levels, lowest, other))
    wide = levels.astype(int)
    np.testing.assert_array_equal(packed & 1, wide >= lowest)
    np.testing.assert_array_equal(packed >> 1, wide >= other)


def test_shared_cells_of_more_than_a_byte_counts() -> None:
    pyramid = np.full(edges.edge_pyramid(np.zeros((300, 41), np.uint8)).size, 3, np.uint8)
    shared = edges.shared_cells(pyramid, pyramid, 300, 41)
    np.testing.assert_array_equal(shared, edge_twins.shared_cells(pyramid, pyramid, 300, 41))
    assert shared[0].tolist() == [12_300, 12_300]


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (6, 31), (33, 8)])
def test_edges_are_those_of_opencv_and_scipy(shape) -> None:
    rng = np.random.default_rng(7)
    for share in (0.0, 0.05, 0.5, 0.95, 1.0):
        mask = rng.random(shape) < share
        found = edges.edge_pyramid(mask.astype(np.uint8))[: mask.size].reshape(shape) > 0
        plane = np.pad(mask, 2).astype(np.float64)
        size = (slice(2, -2), slice(2, -2))
        x, y = cv2.Sobel(plane, -1, 1, 0)[size], cv2.Sobel(plane, -1, 0, 1)[size]
        np.testing.assert_array_equal(found, (x != 0) | (y != 0))
        x, y = (ndimage.sobel(mask.astype(int), axis, mode="constant") for axis in (1, 0))
        np.testing.assert_array_equal(found, (x != 0) | (y != 0))


def test_opposite_slopes_cancel() -> None:
    line = np.zeros((5, 7), np.uint8)
    line[:, 3] = 1
    found = edges.edge_pyramid(line)[:35].reshape(5, 7)
    # On the line both neighbours are equal; at its ends the outside is not.
    assert found[:, 3].tolist() == [1, 0, 0, 0, 1]
    assert found[2].tolist() == [0, 0, 1, 0, 1, 0, 0]


def test_cells_are_anchored_at_the_bottom_right() -> None:
    bits = np.zeros((3, 5), np.uint8)
    bits[1, 0] = 1
    pyramid = edges.edge_pyramid(bits)
    finest = pyramid[:15].reshape(3, 5)
    assert finest.tolist() == [[1, 1, 0, 0, 0], [0, 1, 0, 0, 0], [1, 1, 0, 0, 0]]
    assert pyramid[15:21].reshape(2, 3).tolist() == [[1, 1, 0], [1, 1, 0]]
    assert pyramid[21:23].tolist() == [1, 1]
    assert pyramid[23:].tolist() == [1] * 7


@given(eight_bit_pairs(), st.integers(1, 255))
@settings(max_examples=20)
def test_threshold_cells(pair, top) -> None:
    pred, truth = pair
    sweep_both(pred, IDENTITY, truth)
    coarse = np.minimum(IDENTITY // 3, top).astype(np.uint8)
    sweep_both(pred, coarse, truth)


def scene(kind: str, shape: tuple[int, int], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    rows, columns = np.indices(shape)
    return {
        "noise": rng.integers(0, 256, shape),
        "two_values": rng.choice([30, 220], shape),
        "ramp": (rows + columns) % 256,
        "comb": columns % 2 * 255,
        "teeth": np.where(rows % 5 == 0, 255, columns % 2 * 180),
        "checkerboard": (rows + columns) % 2 * 200,
        "diagonal": np.where(rows == columns, 255, 0),
        "islands": ((rows % 4 < 2) & (columns % 6 < 3)) * (columns % 256),
        "blank": np.zeros(shape, int),
        "full": np.full(shape, 255),
    }[kind].astype(np.uint8)


KINDS = ("noise", "two_values", "ramp", "comb", "teeth", "checkerboard", "diagonal", "islands",
         "blank", "full")  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (40, 1), (23, 34)])
def test_every_content_at_every_shape(kind, shape) -> None:
    pred = scene(kind, shape, 1)
    for i, truth_kind in enumerate(("noise", "diagonal", "checkerboard", "full", "blank")):
        counts = sweep_both(pred, IDENTITY, scene(truth_kind, shape, 2 + i) > 128)
        # At threshold 256 nothing is foreground.
        assert not counts[:, 256].any()


@pytest.mark.parametrize("shape", [(521, 9), (9, 1030), (515, 513)])
def test_more_than_one_cell_at_the_coarsest_scale(shape) -> None:
    pred = scene("noise", shape, 5)
    pred[pred > 9] = 0
    truth = np.zeros(shape, bool)
    truth[-1, -1] = True
    # With one coarsest cell of several the rest of the image is skipped.
    for at in ((-1, -1), (0, 0)):
        truth[:] = False
        truth[at] = True
        first = first_of(truth)
        assert first.max() == 10
        levels = np.minimum(IDENTITY, 3)
        ours = thresholds.threshold_cells(pred, levels, first)
        for t in (0, 1, 2, 3, 4):
            bits = (levels[pred].astype(int) >= t).astype(np.uint8)
            shared = edges.shared_cells(
                edges.edge_pyramid(bits), edges.edge_pyramid(truth.astype(np.uint8)), *shape
            )
            np.testing.assert_array_equal(ours[:, t], shared[:, 0])


def test_counts_of_many_words_are_exact() -> None:
    """Long enough for the carries of the counters to pass several digits."""
    shape = (150, 210)
    columns = np.indices(shape)[1]
    truth = columns // 2 % 2 == 0
    pred = (columns // 2 % 2 * 255).astype(np.uint8)
    ours = thresholds.threshold_cells(pred, IDENTITY, first_of(truth))
    edge = edge_twins.edge_mask(pred > 0) & edge_twins.edge_mask(truth)
    assert ours[0, 1:256].tolist() == [edge.sum()] * 255
    assert edge.sum() > 30_000


@given(st.lists(st.integers(0, 10**7), min_size=10, max_size=10), st.integers(0, 2**32 - 1))
def test_coverage_scores(cells, seed) -> None:
    totals = np.array(cells, np.int64)
    shared = np.random.default_rng(seed).integers(0, totals[:, None] + 1, (10, 4))
    ours = edges.coverage_scores(shared, totals)
    np.testing.assert_allclose(ours, edge_twins.coverage_scores(shared, totals), rtol=1e-14)
    for column in range(4):
        ratios = [Fraction(int(s) + 1, n + 1) for s, n in zip(shared[:, column], cells)]
        exact = (sum(ratios) - (ratios[0] + ratios[-1]) / 2) / 9
        assert ours[column] == pytest.approx(float(exact), rel=1e-15, abs=0)
