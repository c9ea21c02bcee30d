"""Grey PNG of 8 bits or 1 bit without OpenCV: inflate, undo the row filters.

Measured on 348 real 8-bit maps (78 Mpx, one thread, warm), against OpenCV's 263 ms: zlib 131 and
the kernel 51; with zlib-ng, where it is installed, 37 and 51.  1-bit 512 x 512: 0.055 ms against
0.215.  And damaged image data are named without a line of libpng's on the standard error.
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from fastsegmetrics.backend import resolve
from fastsegmetrics.errors import FormatError
from fastsegmetrics.io.byte_words import byte_words
from fastsegmetrics.io.containers.png import GREY, Png


def _fastest_inflater() -> Any:
    try:
        return importlib.import_module("zlib_ng.zlib_ng")
    except ImportError:
        return zlib


_inflater = _fastest_inflater()
#: How a stream begins that has no dictionary (RFC 1950): window, then flags with a remainder.
_HEADERS = frozenset(
    bytes((window << 4 | 8, flags))
    for window in range(8)
    for flags in range(256)
    if not flags & 32 and (window << 12 | 8 << 8 | flags) % 31 == 0
)


class _Kernels(NamedTuple):
    unfilter: Any
    adler32: Any


@cache
def _kernels() -> _Kernels | None:
    """Return the kernels, or None where they are not compiled (NUMBA_DISABLE_JIT)."""
    from fastsegmetrics.kernels.chunks import adler32
    from fastsegmetrics.kernels.unfilter import unfilter

    return _Kernels(unfilter, adler32) if hasattr(unfilter, "py_func") else None


def decode(png: Png) -> np.ndarray | None:
    """Return the uint8 pixels, or None for a kind of PNG or a backend that is left to OpenCV."""
    if png.colour != GREY or png.depth not in (1, 8) or png.interlaced:
        return None
    kernels = None if resolve() == "reference" else _kernels()
    if kernels is None:  # OpenCV is faster than what is not compiled
        return None
    data = inflated(png, kernels.adler32)
    rows = unfiltered(data, png.height, png.row_bytes, kernels.unfilter)
    if png.depth == 8:
        return rows
    pixels = np.unpackbits(rows, axis=1, count=png.width)
    pixels *= 255
    return pixels


def inflated(png: Png, adler32: Callable[[np.ndarray], int] | None = None) -> bytes:
    """Return the filtered rows, whose own checksum zlib makes, or the kernel that is given."""
    needed = png.height * (png.row_bytes + 1)
    parts = png.image_data
    stream = parts[0] if len(parts) == 1 else memoryview(b"".join(parts))
    data = None
    if adler32 is not None and _inflater is zlib:
        data = _summed_by(adler32, stream, needed)
    if data is None:
        try:
            # A buffer of just the right size is returned as it is, without a copy.
            data = _inflater.decompress(stream, bufsize=needed)
        except (zlib.error, _inflater.error) as error:
            reason = " ".join(str(error).split())
            raise FormatError(f"the PNG's image data are corrupt or cut off ({reason})") from None
    if len(data) < needed:
        raise FormatError(
            f"the PNG's image data end in row {len(data) // (png.row_bytes + 1)} of {png.height}"
        )
    return data


def _summed_by(
    adler32: Callable[[np.ndarray], int], stream: memoryview, needed: int
) -> bytes | None:
    """Inflate a stream whose checksum a kernel makes; None where zlib is to say what is wrong.

    zlib's own takes three times as long: 0.09 ms of the 1.4 of a pair of maps of 512 x 512.
    """
    if bytes(stream[:2]) not in _HEADERS:
        return None
    try:
        data = zlib.decompress(stream[2:-4], -zlib.MAX_WBITS, needed)
    except zlib.error:
        return None
    found = adler32(np.frombuffer(data, np.uint8))
    return data if found == int.from_bytes(stream[-4:], "big") else None


def unfiltered(data: bytes, height: int, row_bytes: int, unfilter: Any) -> np.ndarray:
    """Return the rows (height, row_bytes) that `data` are the filtered form of."""
    source = np.frombuffer(data, np.uint8, count=height * (row_bytes + 1))
    # Eight bytes to spare, so that the smallest image too has a word and one more.
    spacious = np.empty(height * row_bytes + 8, np.uint8)
    out = spacious[: height * row_bytes]
    wrong = unfilter(source, byte_words(source), out, byte_words(spacious), row_bytes)
    if wrong >= 0:
        raise FormatError(f"the PNG's image data are corrupt: unknown filter in row {wrong}")
    return out.reshape(height, row_bytes)
