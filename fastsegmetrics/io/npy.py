"""NumPy's own array files (.npy), values as stored."""

from __future__ import annotations

import io
import math

import numpy as np

from fastsegmetrics.errors import FormatError

# Version 3.0 differs by non-ASCII field names, which an array of numbers does not have.
_HEADER_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def decode(data: bytes) -> np.ndarray:
    """Return the two-dimensional array of an NPY file, a read-only view of `data`.

    Three equal channels (H, W, 3) count as one, as everywhere else.
    """
    array = _array(data)
    if array.ndim == 3 and array.shape[2] == 3:
        array = _grey(array)
    if array.ndim != 2:
        raise FormatError(f"the array must be two-dimensional; its shape is {array.shape}")
    return array


def decode_colour(data: bytes) -> np.ndarray:
    """Return the (H, W, 3) array of an NPY file; a two-dimensional one has three equal channels."""
    array = _array(data)
    if array.ndim == 2:
        return np.repeat(array[:, :, np.newaxis], 3, axis=2)
    if array.ndim != 3 or array.shape[2] != 3:
        raise FormatError(f"the array must be (H, W, 3) or (H, W); its shape is {array.shape}")
    return array


def _grey(array: np.ndarray) -> np.ndarray:
    first = array[..., :1]
    # A NaN is as good as another one here; what it means is for the caller to say.
    differ = ((array != first) & ((array == array) | (first == first))).any(axis=2)
    if differ.any():
        row, column = np.argwhere(differ)[0]
        colour = tuple(array[row, column].tolist())
        raise FormatError(
            f"a grey image is needed, and the array's channels differ first at row {row}, column "
            f"{column} ({', '.join(map(str, colour))})"
        )
    return array[..., 0]


def _array(data: bytes) -> np.ndarray:
    """Return the array of an NPY file, a read-only view of `data`.

    Never unpickles.  The length is checked before anything of the announced size is allocated.
    """
    stream = io.BytesIO(data)
    try:
        read_header = _HEADER_READERS[np.lib.format.read_magic(stream)]
        shape, column_major, dtype = read_header(stream)
    except Exception as error:  # the header is Python text: tokenizer, parser and dtype each raise
        reason = " ".join(str(error).split()).rstrip(".")
        # NumPy quotes the header, which may be the whole file where its length is damaged.
        reason = reason if len(reason) <= 100 else f"{reason[:100]}…"
        raise FormatError(f"the NPY header is truncated or of an unknown kind ({reason})") from None
    if dtype.kind not in "buif":
        raise FormatError(f"the array must be of numbers or bool; its dtype is {dtype}")
    start = stream.tell()
    expected = start + dtype.itemsize * math.prod(shape)
    if len(data) != expected:
        word = "truncated" if len(data) < expected else "corrupt"
        raise FormatError(
            f"the NPY file is {word}: an array of shape {shape} and dtype {dtype} takes {expected} "
            f"bytes, the file has {len(data)}"
        )
    flat = np.frombuffer(data, dtype, offset=start, count=math.prod(shape))
    return flat.reshape(shape, order="F" if column_major else "C")
