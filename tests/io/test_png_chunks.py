"""Image data in several chunks: where they end, what is in them, and which are harmed."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from file_writers import chunk

from fastsegmetrics.backend import use_backend
from fastsegmetrics.io.byte_words import byte_words
from fastsegmetrics.io.png_chunks import crc_tables, joined
from fastsegmetrics.kernels import chunks as kernels
from fastsegmetrics.reference import chunks as reference

RNG = np.random.default_rng(17)
#: Around the sixteen bytes that are looked at once, the kind of the chunk being four of them.
LENGTHS = (0, 1, 11, 12, 13, 27, 28, 29, 300)
PARTS = [RNG.bytes(length) for length in LENGTHS]
START = 5
DATA = b"begin" + b"".join(chunk(b"IDAT", part) for part in PARTS) + chunk(b"IEND", b"")
FIRST_ENDS = [START + sum(12 + length for length in LENGTHS[:n]) for n in range(len(LENGTHS) + 1)]


def found(function, data, start=START):
    source = np.frombuffer(data, np.uint8)
    end, contents = function(source, byte_words(source), start, crc_tables())
    return end, contents.tobytes()


@pytest.mark.parametrize("function", [kernels.image_data, reference.image_data])
def test_contents_come_joined(function):
    assert found(function, DATA) == (len(DATA) - 12, b"".join(PARTS))
    assert found(function, DATA, FIRST_ENDS[4]) == (len(DATA) - 12, b"".join(PARTS[4:]))
    assert found(function, DATA, FIRST_ENDS[-1]) == (FIRST_ENDS[-1], b"")


@pytest.mark.parametrize("function", [kernels.image_data, reference.image_data])
@pytest.mark.parametrize("n", range(len(LENGTHS)))
def test_a_harmed_chunk_ends_them(function, n):
    expected = FIRST_ENDS[n], b"".join(PARTS[:n])
    for place in range(FIRST_ENDS[n], FIRST_ENDS[n + 1], 7):
        data = bytearray(DATA)
        data[place] ^= 16
        assert found(function, bytes(data)) == expected
    for length in range(FIRST_ENDS[n], FIRST_ENDS[n + 1], 5):
        assert found(function, DATA[:length]) == expected


def test_a_length_beyond_the_file_ends_them():
    data = bytearray(DATA)
    data[FIRST_ENDS[2] : FIRST_ENDS[2] + 4] = b"\xff\xff\xff\xff"
    for function in (kernels.image_data, reference.image_data):
        assert found(function, bytes(data)) == (FIRST_ENDS[2], b"".join(PARTS[:2]))


def test_tables_are_those_of_zlib():
    tables = crc_tables().reshape(16, 256)
    # Without the inversions before and after: those of zeros alone are taken away.
    for n in (0, 7, 15):
        plain = zlib.crc32(bytes(n + 1))
        followed = [zlib.crc32(bytes([value]) + bytes(n)) ^ plain for value in (0, 1, 77, 255)]
        assert tables[n, [0, 1, 77, 255]].tolist() == followed


def test_the_reference_backend_leaves_them_to_zlib():
    with use_backend("reference"):
        assert joined(DATA, START) == (START, b"")
