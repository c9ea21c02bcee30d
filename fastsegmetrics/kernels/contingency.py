"""How often each predicted label meets each true one: everything overlap of classes needs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel

_BYTES = np.uint64(0x0101010101010101)
_EVEN = np.uint64(0x00FF00FF00FF00FF)
_BYTE, _FIELD = np.uint64(0xFF), np.uint64(0xFFFF)
_8, _16, _32, _48 = np.uint64(8), np.uint64(16), np.uint64(32), np.uint64(48)
_ONE = np.uint32(1)

#: Wide labels narrowed at once: so few that memory is read ahead while they are counted.
_BLOCK = 256
#: Words of 8 labels after which the 32-bit sub-tables are emptied into the 64-bit table.
_PIECE = 1 << 27


@kernel
def _count_words(
    pred: NDArray[np.uint64],
    gt: NDArray[np.uint64],
    bits: int,
    tables: NDArray[np.uint32],
) -> None:
    """Add the labels of all words to four sub-tables indexed by pred + 2^bits * gt.

    A run of equal words of one label is counted at once, which is what label images consist of;
    otherwise a shift puts both labels of a pixel side by side in 16 bits, and four sub-tables keep
    a store from being the next load.
    """
    shift = np.uint64(bits)
    low = ((np.uint64(1) << shift) - np.uint64(1)) * _BYTES
    word, n = 0, pred.size
    while word < n:
        p, g = pred[word], gt[word]
        if p == (p & _BYTE) * _BYTES and g == (g & _BYTE) * _BYTES:
            end = word + 1
            while end < n and pred[end] == p and gt[end] == g:
                end += 1
            cell = (p & low & _BYTE) | ((g & low & _BYTE) << shift)
            tables[0, cell] += np.uint32(8 * (end - word))
            word = end
            continue
        p, g = p & low, g & low
        even = (p & _EVEN) | ((g & _EVEN) << shift)
        odd = ((p >> _8) & _EVEN) | (((g >> _8) & _EVEN) << shift)
        tables[0, even & _FIELD] += _ONE
        tables[1, odd & _FIELD] += _ONE
        tables[2, (even >> _16) & _FIELD] += _ONE
        tables[3, (odd >> _16) & _FIELD] += _ONE
        tables[0, (even >> _32) & _FIELD] += _ONE
        tables[1, (odd >> _32) & _FIELD] += _ONE
        tables[2, even >> _48] += _ONE
        tables[3, odd >> _48] += _ONE
        word += 1


@kernel
def label_table(
    pred: NDArray[np.uint8],
    gt: NDArray[np.uint8],
    pred_words: NDArray[np.uint64],
    gt_words: NDArray[np.uint64],
    bits: int,
) -> NDArray[np.int64]:
    """Count pixels by the low `bits` bits of their labels: int64[2^bits, 2^bits], [truth, pred].

    `pred` and `gt` are flat 8-bit label images, `*_words` the same memory as 64-bit words (without
    the odd bytes at its end).  Whoever calls has seen to it that the labels differ in these bits;
    any value is counted somewhere in the table.
    """
    n = 1 << bits
    out = np.zeros((n, n), np.int64)
    flat = out.reshape(-1)
    tables = np.zeros((4, n * n), np.uint32)
    for start in range(0, pred_words.size, _PIECE):
        stop = min(pred_words.size, start + _PIECE)
        _count_words(pred_words[start:stop], gt_words[start:stop], bits, tables)
        _empty(tables, flat)
    low = np.uint8(n - 1)
    for i in range(8 * pred_words.size, pred.size):
        out[gt[i] & low, pred[i] & low] += 1
    return out


@kernel
def _empty(tables: NDArray[np.uint32], flat: NDArray[np.int64]) -> None:
    """Add the sub-tables to the table, and begin them anew."""
    for part in range(tables.shape[0]):
        for cell in range(flat.size):
            flat[cell] += np.int64(tables[part, cell])
    tables[:] = np.uint32(0)


@kernel
def checked_table(
    pred: NDArray[np.unsignedinteger],
    gt: NDArray[np.unsignedinteger],
    first: int,
    last: int,
    ignored: int,
    bits: int,
) -> tuple[NDArray[np.int64], bool]:
    """Return what `label_table` counts of wide integers, and whether one is no label.

    Labels are first…last, in the truth `ignored` too (first, where none is); all at most 255.
    Once one is found that is not, the table means nothing.  Narrowed, checked and counted block by
    block: 2²¹ pairs of 64 bits take 2.3 ms, in passes over all 3.3.
    """
    n = 1 << bits
    out = np.zeros((n, n), np.int64)
    tables = np.zeros((4, n * n), np.uint32)
    codes, true_codes = np.empty(_BLOCK, np.uint8), np.empty(_BLOCK, np.uint8)
    words, true_words = codes.view(np.uint64), true_codes.view(np.uint64)
    outside = False
    counted = 0
    for start in range(0, pred.size - _BLOCK + 1, _BLOCK):
        outside |= narrow(pred[start : start + _BLOCK], codes)
        outside |= narrow(gt[start : start + _BLOCK], true_codes)
        outside |= any_outside(codes, first, last, first)
        outside |= any_outside(true_codes, first, last, ignored)
        _count_words(words, true_words, bits, tables)
        counted += _BLOCK // 8
        if counted >= _PIECE:
            _empty(tables, out.reshape(-1))
            counted = 0
    _empty(tables, out.reshape(-1))
    low = np.uint8(n - 1)
    rest = pred.size % _BLOCK
    outside |= narrow(pred[pred.size - rest :], codes)
    outside |= narrow(gt[pred.size - rest :], true_codes)
    outside |= any_outside(codes[:rest], first, last, first)
    outside |= any_outside(true_codes[:rest], first, last, ignored)
    for i in range(rest):
        out[true_codes[i] & low, codes[i] & low] += 1
    return out, outside


@kernel
def wide_label_table(
    pred: NDArray[np.uint16], gt: NDArray[np.uint16], n_rows: int, n_columns: int
) -> NDArray[np.int64]:
    """Count pixels by their codes: int64[n_rows, n_columns], [truth, pred], for over 256 labels."""
    out = np.zeros((n_rows, n_columns), np.int64)
    for i in range(pred.size):
        out[gt[i], pred[i]] += 1
    return out


@kernel
def narrow(values: NDArray[np.unsignedinteger], out: NDArray[np.uint8]) -> bool:
    """Write the low byte of each unsigned integer; return whether some value is above 255.

    One pass, in which LLVM makes vectors of both: 2²¹ values of 64 bits take 0.4 ms, NumPy's
    maximum and conversion 0.75 by pieces in the cache.
    """
    found = False
    for i in range(values.size):
        out[i] = np.uint8(values[i])
        found |= values[i] > np.uint8(255)
    return found


@kernel
def any_outside(values: NDArray[np.uint8], first: int, last: int, extra: int) -> bool:
    """Whether some 8-bit value is neither in first…last nor equal to `extra`.

    In 8 bits throughout, the answer a boolean and no way out of the loop, so that LLVM makes
    vectors of it: 2 MB take 0.04 ms, 0.21 with the answer in an integer.
    """
    low, span, other = np.uint8(first), np.uint8(last - first), np.uint8(extra)
    found = False
    for i in range(values.size):
        found |= (np.uint8(values[i] - low) > span) & (values[i] != other)
    return found


@kernel
def any_unknown(
    values: NDArray[np.uint8], words: NDArray[np.uint64], allowed: NDArray[np.bool_]
) -> bool:
    """Whether some 8-bit value is not allowed, by a table of 256, for labels with gaps.

    `words` is the memory of `values` as 64-bit words.  A word like the one before it says nothing
    new, which is most of a label image: 9 MB take 1 ms, and 11 by NumPy's indexing.
    """
    found = False
    last = ~words[0] if words.size else np.uint64(0)
    for word in words:
        if word == last:
            continue
        last = word
        for part in range(8):
            found |= not allowed[(word >> np.uint64(8 * part)) & _BYTE]
    for i in range(8 * words.size, values.size):
        found |= not allowed[values[i]]
    return found
