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

    Never unpickles.  The length is checked before anything of the announced size is allocated.
    """
    stream = io.BytesIO(data)
    try:
        read_header = _HEADER_READERS[np.lib.format.read_magic(stream)]
        shape, column_major, dtype = read_header(stream)
    except Exception as error:  # the header is Python text: tokenizer, parser and dtype each raise
        reason = " ".join(str(error).split()).rstrip(".")
        raise FormatError(f"the NPY header is truncated or of an unknown kind ({reason})") from None
    if dtype.kind not in "buif":
        raise FormatError(f"the array must be of numbers or bool; its dtype is {dtype}")
    if len(shape) != 2:
        raise FormatError(f"the array must be two-dimensional; its shape is {shape}")
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
