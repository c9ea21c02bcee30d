"""Checksums of the image data of a PNG file, and the data out of their chunks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel

_BYTE, _ALL = np.uint64(0xFF), np.uint64(0xFFFFFFFF)
_8, _16, _24, _32, _40, _48, _56 = (np.uint64(8 * i) for i in range(1, 8))
#: The tables of the sixteen bytes that are looked up at once, behind each other.
_T1, _T2, _T3, _T4, _T5, _T6, _T7, _T8 = (np.uint64(256 * i) for i in range(1, 9))
_T9, _T10, _T11, _T12, _T13, _T14, _T15 = (np.uint64(256 * i) for i in range(9, 16))
_ONE, _EIGHT, _SIXTEEN = np.uint64(1), np.uint64(8), np.uint64(16)
_IDAT = np.uint64(0x49444154)


@kernel
def _number(source, at):
    """Return the four bytes at a place as a number, the highest first."""
    value = np.uint64(0)
    for i in range(4):
        value = (value << _8) | np.uint64(source[at + i])
    return value


@kernel
def _checksum(source, words, start, stop, tables):
    """Return the CRC-32 of a piece, sixteen bytes at a time (Kounavis and Berry 2008)."""
    crc = _ALL
    i = np.uint64(start)
    end = np.uint64(stop)
    while i + _SIXTEEN <= end:
        a = words[i]["word"] ^ crc
        b = words[i + _EIGHT]["word"]
        p = tables[_T15 + (a & _BYTE)] ^ tables[_T14 + ((a >> _8) & _BYTE)]
        q = tables[_T13 + ((a >> _16) & _BYTE)] ^ tables[_T12 + ((a >> _24) & _BYTE)]
        r = tables[_T11 + ((a >> _32) & _BYTE)] ^ tables[_T10 + ((a >> _40) & _BYTE)]
        s = tables[_T9 + ((a >> _48) & _BYTE)] ^ tables[_T8 + (a >> _56)]
        t = tables[_T7 + (b & _BYTE)] ^ tables[_T6 + ((b >> _8) & _BYTE)]
        u = tables[_T5 + ((b >> _16) & _BYTE)] ^ tables[_T4 + ((b >> _24) & _BYTE)]
        v = tables[_T3 + ((b >> _32) & _BYTE)] ^ tables[_T2 + ((b >> _40) & _BYTE)]
        w = tables[_T1 + ((b >> _48) & _BYTE)] ^ tables[b >> _56]
        crc = np.uint64(((p ^ q) ^ (r ^ s)) ^ ((t ^ u) ^ (v ^ w)))
        i += _SIXTEEN
    while i < end:
        crc = np.uint64(tables[(crc ^ np.uint64(source[i])) & _BYTE]) ^ (crc >> _8)
        i += _ONE
    return crc ^ _ALL


@kernel
def _copy(source, out):
    for i in range(out.size):
        out[i] = source[i]


@kernel
def image_data(
    source: NDArray[np.uint8],
    words: NDArray[np.void],
    start: int,
    tables: NDArray[np.uint32],
) -> tuple[int, NDArray[np.uint8]]:
    """Return where the unharmed IDAT chunks from `start` on end, and their contents in one piece.

    The first that is cut off, whose checksum is wrong or that is another kind ends them.

    Parameters
    ----------
    source : ndarray of uint8
        The file.
    words : ndarray
        Element i is the 64-bit word that begins at byte i, as for `unfilter`.
    start : int
        Where a chunk begins.
    tables : ndarray of uint32, shape (16 * 256,)
        What a byte does to the CRC when 0 to 15 bytes follow it.
    """
    size = source.size
    end = start
    total = 0
    while size - end >= 12 and _number(source, end + 4) == _IDAT:
        length = np.int64(_number(source, end))
        behind = end + 12 + length
        if behind > size:
            break
        found = _checksum(source, words, end + 4, behind - 4, tables)
        if found != _number(source, behind - 4):
            break
        total += length
        end = behind
    contents = np.empty(total, np.uint8)
    at = start
    to = 0
    while at < end:
        length = np.int64(_number(source, at))
        _copy(source[at + 8 : at + 8 + length], contents[to : to + length])
        to += length
        at += 12 + length
    return end, contents
