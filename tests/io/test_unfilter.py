"""The row filters: kernel and twin against an encoder that knows only the definition."""

from __future__ import annotations

import numpy as np
import pytest
from file_writers import filter_row

from fastsegmetrics.errors import FormatError
from fastsegmetrics.io.png_rows import unfiltered
from fastsegmetrics.kernels import unfilter as kernels
from fastsegmetrics.reference import unfilter as reference

RNG = np.random.default_rng(11)


def pictures():
    flat = np.zeros((9, 67), np.uint8)
    flat[2:7, 3:50] = 200
    flat[4, 20:22] = 1, 255
    yield flat
    yield np.full((3, 33), 255, np.uint8)
    yield np.repeat(RNG.integers(0, 4, (8, 5), np.uint8), 9, axis=1)
    for shape in ((1, 1), (1, 30), (30, 1), (6, 7), (6, 8), (6, 9), (5, 16), (4, 41)):
        yield RNG.integers(0, 256, shape, np.uint8)


@pytest.mark.parametrize("unfilter", [kernels.unfilter, reference.unfilter])
@pytest.mark.parametrize(
    "rows", list(pictures()), ids=lambda rows: f"{rows.shape[0]}x{rows.shape[1]}"
)
@pytest.mark.parametrize("filters", [[0], [1], [2], [3], [4], [4, 0, 3, 1, 2]])
def test_rows_come_back(unfilter, rows, filters):
    height, width = rows.shape
    data = b"".join(filter_row(rows, i, filters[i % len(filters)], 1) for i in range(height))
    np.testing.assert_array_equal(unfiltered(data, height, width, unfilter), rows)


@pytest.mark.parametrize("unfilter", [kernels.unfilter, reference.unfilter])
def test_first_unknown_filter_is_told(unfilter):
    data = bytes([0, 9, 9, 4, 9, 9, 5, 9, 9, 200, 9, 9])
    with pytest.raises(FormatError, match="unknown filter in row 2"):
        unfiltered(data, 4, 2, unfilter)


def test_one_compilation_serves_all_sizes():
    if not hasattr(kernels.unfilter, "signatures"):
        return
    for height, width in ((1, 1), (1, 7), (1, 8), (1, 9), (2, 4), (5, 40)):
        data = bytes(height * (width + 1))
        assert not unfiltered(data, height, width, kernels.unfilter).any()
    assert len(kernels.unfilter.signatures) == 1
