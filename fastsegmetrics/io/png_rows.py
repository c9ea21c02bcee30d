"""Grey PNG of 8 bits or 1 bit without OpenCV: inflate, undo the row filters.

Measured on maps and masks of 512 x 512 (one thread, warm), against OpenCV's 0.7 to 1.1 ms:
libdeflate 0.12 to 0.23 (zlib 0.19 to 0.66).  1-bit 512 x 512: 0.055 ms against 0.215.  And damaged
image data are named without a line of libpng's on the standard error.
"""

from __future__ import annotations

import zlib
from functools import cache
from typing import Any

import deflate
import numpy as np

from fastsegmetrics.backend import resolve
from fastsegmetrics.errors import FormatError
from fastsegmetrics.io.byte_words import byte_words
from fastsegmetrics.io.containers.png import GREY, Png


@cache
def _kernel() -> Any | None:
    """Return the kernel, or None where it is not compiled (NUMBA_DISABLE_JIT)."""
    from fastsegmetrics.kernels.unfilter import unfilter

    return unfilter if hasattr(unfilter, "py_func") else None


def decode(png: Png) -> np.ndarray | None:
    """Return the uint8 pixels, or None for a kind of PNG or a backend that is left to OpenCV."""
    if png.colour != GREY or png.depth not in (1, 8) or png.interlaced:
        return None
    unfilter = None if resolve() == "reference" else _kernel()
    if unfilter is None:  # OpenCV is faster than what is not compiled
        return None
    rows = unfiltered(inflated(png), png.height, png.row_bytes, unfilter)
    if png.depth == 8:
        return rows
    pixels = np.unpackbits(rows, axis=1, count=png.width)
    pixels *= 255
    return pixels


def inflated(png: Png) -> bytes | bytearray:
    """Return the filtered rows, and what was written beyond them if there is more.

    libdeflate does not say what is wrong, nor does it stop in time: of what it refuses zlib is
    asked.
    """
    needed = png.height * (png.row_bytes + 1)
    parts = png.image_data
    stream = parts[0] if len(parts) == 1 else memoryview(b"".join(parts))
    data: bytes | bytearray
    try:
        data = deflate.zlib_decompress(stream, needed)
    except deflate.DeflateError:
        try:
            data = zlib.decompress(stream, bufsize=needed)
        except zlib.error as error:
            reason = " ".join(str(error).split())
            raise FormatError(f"the PNG's image data are corrupt or cut off ({reason})") from None
    if len(data) < needed:
        raise FormatError(
            f"the PNG's image data end in row {len(data) // (png.row_bytes + 1)} of {png.height}"
        )
    return data


def unfiltered(data: bytes | bytearray, height: int, row_bytes: int, unfilter: Any) -> np.ndarray:
    """Return the rows (height, row_bytes) that `data` are the filtered form of."""
    source = np.frombuffer(data, np.uint8, count=height * (row_bytes + 1))
    source.flags.writeable = False  # one kernel for both kinds of bytes
    # Eight bytes to spare, so that the smallest image too has a word and one more.
    spacious = np.empty(height * row_bytes + 8, np.uint8)
    out = spacious[: height * row_bytes]
    wrong = unfilter(source, byte_words(source), out, byte_words(spacious), row_bytes)
    if wrong >= 0:
        raise FormatError(f"the PNG's image data are corrupt: unknown filter in row {wrong}")
    return out.reshape(height, row_bytes)
