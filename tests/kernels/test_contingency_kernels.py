"""The contingency kernels against their twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fastsegmetrics.kernels import contingency
from fastsegmetrics.reference import contingency as twins


def words(flat: np.ndarray) -> np.ndarray:
    return flat[: flat.size // 8 * 8].view(np.uint64)


@st.composite
def flat_labels(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int]:
    """Two flat label images: noise, or runs that cross words; and a number of bits."""
    bits = draw(st.integers(0, 8))
    n = draw(st.integers(1, 70))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pair = rng.integers(0, 256, (2, n)).astype(np.uint8)
    if draw(st.booleans()):
        pair = np.repeat(pair, draw(st.integers(2, 40)), axis=1)[:, :n].copy()
    return pair[0].copy(), pair[1].copy(), bits


@given(flat_labels())
def test_label_table(drawn) -> None:
    pred, gt, bits = drawn
    table = contingency.label_table(pred, gt, words(pred), words(gt), bits)
    assert table.dtype == np.int64
    np.testing.assert_array_equal(table, twins.label_table(pred, gt, words(pred), words(gt), bits))
    assert table.sum() == pred.size


def test_label_table_counts_runs_and_rests() -> None:
    """Three equal words, one mixed word, three odd pixels; the truth's 255 is 7 in three bits."""
    pred = np.array([2] * 24 + [0, 1, 2, 3, 4, 5, 6, 7] + [1, 1, 9], np.uint8)
    gt = np.array([3] * 24 + [0] * 8 + [255, 1, 1], np.uint8)
    table = contingency.label_table(pred, gt, words(pred), words(gt), 3)
    assert table[3].tolist() == [0, 0, 24, 0, 0, 0, 0, 0]
    assert table[0].tolist() == [1] * 8
    assert table[7].tolist() == [0, 1, 0, 0, 0, 0, 0, 0]
    assert table[1].tolist() == [0, 2, 0, 0, 0, 0, 0, 0]
    assert table.sum() == 35


def test_label_table_empties_its_sub_tables_between_pieces(monkeypatch) -> None:
    """As Python, since the length of a piece is compiled in."""
    monkeypatch.setattr(contingency, "_PIECE", 2)
    kernel = getattr(contingency.label_table, "py_func", contingency.label_table)
    pred = (np.arange(83) // 9 % 4).astype(np.uint8)
    gt = (np.arange(83) // 20 % 4).astype(np.uint8)
    np.testing.assert_array_equal(
        kernel(pred, gt, words(pred), words(gt), 2),
        twins.label_table(pred, gt, words(pred), words(gt), 2),
    )


@given(st.integers(1, 300), st.integers(1, 90), st.integers(0, 2**32 - 1))
def test_wide_label_table(n_labels, n_pixels, seed) -> None:
    rng = np.random.default_rng(seed)
    pred = rng.integers(0, n_labels, n_pixels).astype(np.uint16)
    gt = rng.integers(0, n_labels + 1, n_pixels).astype(np.uint16)
    table = contingency.wide_label_table(pred, gt, n_labels + 1, n_labels)
    np.testing.assert_array_equal(table, twins.wide_label_table(pred, gt, n_labels + 1, n_labels))


@given(st.sampled_from([16, 32, 64]), st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=90),
       st.booleans())  # fmt: skip
def test_narrow(bits, numbers, small) -> None:
    numbers = [number % (256 if small else 1 << bits) for number in numbers]
    values = np.array(numbers, f"u{bits // 8}")
    for narrow in (contingency.narrow, twins.narrow):
        out = np.full(values.size, 7, np.uint8)
        assert narrow(values, out) == any(number > 255 for number in numbers)
        assert out.tolist() == [number % 256 for number in numbers]


@st.composite
def wide_labels(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int, int, int, int]:
    """Two flat images of several blocks and a rest, of labels or with one that is none."""
    bits = draw(st.integers(1, 8))
    first = draw(st.integers(0, 255))
    last = min(255, first + draw(st.integers(0, 2**bits - 1)))
    ignored = draw(st.sampled_from([first, 0, 255]))
    n = draw(st.sampled_from([1, 8, 255, 256, 259, 700]))
    dtype = draw(st.sampled_from(["u2", "u4", "u8"]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pred, gt = rng.integers(first, last + 1, (2, n)).astype(dtype)
    gt[rng.random(n) < 0.1] = ignored
    if draw(st.booleans()):
        of, at = draw(st.sampled_from([pred, gt])), draw(st.integers(0, n - 1))
        of[at] = draw(st.sampled_from([first, last + 1, ignored, 256 + first, np.iinfo(dtype).max]))
    return pred, gt, first, last, ignored, bits


@given(wide_labels())
def test_checked_table(arguments) -> None:
    pred, gt, first, last, ignored, _ = arguments
    known = set(range(first, last + 1))
    outside = not (known.issuperset(pred.tolist()) and (known | {ignored}).issuperset(gt.tolist()))
    table, found = contingency.checked_table(*arguments)
    expected, also = twins.checked_table(*arguments)
    assert bool(found) == also == outside
    assert table.dtype == expected.dtype == np.int64
    if not outside:
        np.testing.assert_array_equal(table, expected)
        assert table.sum() == pred.size


def test_checked_table_empties_its_sub_tables_between_pieces(monkeypatch) -> None:
    """As Python, since the length of a piece is compiled in."""
    monkeypatch.setattr(contingency, "_PIECE", 3)
    monkeypatch.setattr(contingency, "_BLOCK", 16)
    kernel = getattr(contingency.checked_table, "py_func", contingency.checked_table)
    pred = (np.arange(83) // 9 % 4).astype(np.uint16)
    gt = (np.arange(83) // 20 % 4).astype(np.uint16)
    table, outside = kernel(pred, gt, 0, 3, 0, 2)
    expected, _ = twins.checked_table(pred, gt, 0, 3, 0, 2)
    np.testing.assert_array_equal(table, expected)
    assert not outside


@given(st.binary(min_size=1, max_size=600), st.data())
def test_any_outside(data, drawn) -> None:
    values = np.frombuffer(data, np.uint8).copy()
    first = drawn.draw(st.integers(0, 255))
    last = drawn.draw(st.integers(first, 255))
    extra = drawn.draw(st.integers(0, 255))
    expected = any(not first <= value <= last and value != extra for value in data)
    assert contingency.any_outside(values, first, last, extra) == expected
    assert twins.any_outside(values, first, last, extra) == expected


@pytest.mark.parametrize("value", [0, 1, 18, 19, 254, 255])
def test_any_outside_of_labels_from_1_to_18(value) -> None:
    values = np.full(700, 7, np.uint8)
    values[311] = value
    assert contingency.any_outside(values, 1, 18, 255) == (value in (0, 19, 254))
    assert contingency.any_outside(values, 1, 18, 1) == (value in (0, 19, 254, 255))


@given(flat_labels(), st.integers(0, 255))
def test_any_unknown(drawn, unknown) -> None:
    values, allowed = drawn[0], np.ones(256, bool)
    allowed[unknown] = False
    arguments = values, words(values), allowed
    assert contingency.any_unknown(*arguments) == (unknown in values)
    assert twins.any_unknown(*arguments) == (unknown in values)


def test_any_unknown_sees_a_first_word_of_ones() -> None:
    """All bits set is what an empty memory of the last word must not look like."""
    values = np.full(16, 255, np.uint8)
    assert contingency.any_unknown(values, words(values), np.arange(256) < 255)
    values[:8] = 0
    assert contingency.any_unknown(values, words(values), np.arange(256) < 255)
