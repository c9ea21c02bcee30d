"""Resizing: values worked out by hand for half-pixel centres."""

from __future__ import annotations

import numpy as np
import pytest

from fastsegmetrics.io.resize import resize_bilinear


def test_doubling_a_row_by_hand():
    out = resize_bilinear(np.array([[0, 100]], np.uint8), (1, 4))
    assert out.dtype == np.uint8
    assert out.tolist() == [[0, 25, 75, 100]]


def test_doubling_a_column_by_hand():
    out = resize_bilinear(np.array([[0.0], [1.0]]), (4, 1))
    assert out.tolist() == [[0.0], [0.25], [0.75], [1.0]]


def test_height_and_width_are_not_exchanged():
    assert resize_bilinear(np.zeros((3, 5), np.uint8), (7, 2)).shape == (7, 2)


@pytest.mark.parametrize(
    ("dtype", "wanted"),
    [("u1", "u1"), ("<i4", "u1"), (">u2", "u1"), ("<f4", "f4"), (">f8", "f8"), ("f2", "f8")],
)
def test_types(dtype, wanted):
    values = np.array([[0, 100]]).astype(dtype)
    before = values.copy()
    out = resize_bilinear(values, (1, 4))
    assert out.dtype == np.dtype(wanted)
    np.testing.assert_array_equal(out, [[0, 25, 75, 100]])
    np.testing.assert_array_equal(values, before)


def test_booleans_become_shares():
    assert resize_bilinear(np.array([[False, True]]), (1, 4)).tolist() == [[0, 0.25, 0.75, 1]]


def test_integers_beyond_8_bits_are_not_cut():
    out = resize_bilinear(np.array([[0, 1000]]), (1, 4))
    assert out.tolist() == [[0, 250, 750, 1000]]


def test_strided_input():
    values = np.arange(24, dtype=np.uint8).reshape(4, 6)[::2, ::-2]
    np.testing.assert_array_equal(resize_bilinear(values, (2, 3)), values)


@pytest.mark.parametrize("dtype", ["u1", "<i8", "?"])
def test_integers_of_scale_one_become_shares(dtype):
    out = resize_bilinear(np.array([[0, 1]]).astype(dtype), (1, 4), 1)
    assert out.tolist() == [[0, 0.25, 0.75, 1]]


def test_booleans_are_shares_of_the_full_scale():
    out = resize_bilinear(np.array([[False, True]]), (1, 4), 255)
    assert out.tolist() == [[0, 63.75, 191.25, 255]]


def test_integers_off_the_scale_stay_integers():
    for values in ([[-8, 100]], [[0, 1000]]):
        out = resize_bilinear(np.array(values), (1, 4))
        assert out.dtype == np.int64
    out = resize_bilinear(np.array([[-7, 100]]), (1, 4))
    assert out.tolist() == [[-7, 20, 73, 100]]
