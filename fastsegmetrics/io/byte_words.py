"""Bytes seen as overlapping 64-bit words, for kernels that look at eight of them at once."""

from __future__ import annotations

import numpy as np

_WORD = np.dtype([("word", np.uint64)])


def byte_words(flat: np.ndarray) -> np.ndarray:
    """View every eight neighbouring bytes as one number, whatever their alignment.

    Never fewer than two numbers: one alone would count as contiguous, another type for Numba and
    so another compilation.  Of less than nine bytes the words are not theirs, and to be ignored.
    """
    if flat.size < 9:
        flat = np.frombuffer(bytes(9), np.uint8)
    return np.ndarray((flat.size - 7,), _WORD, flat.data, strides=(1,))
