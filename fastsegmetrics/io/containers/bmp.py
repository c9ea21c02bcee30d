"""Header of a BMP file: whether all pixel rows are there."""

from __future__ import annotations

import struct

from fastsegmetrics.errors import FormatError

_UNCOMPRESSED = (0, 3, 6)


def check(data: bytes) -> None:
    """Compare the file's length with what its header announces.

    The announced file size is believed for run-length coded files only: some programs write 0 or
    a wrong number there, and for uncompressed rows the needed length follows from the geometry.
    """
    if len(data) < 26:
        raise FormatError(f"the BMP is truncated: {len(data)} bytes do not hold its header")
    announced, _, start, header = struct.unpack_from("<IIII", data, 2)
    compression = 0
    if header == 12:
        width, height, _, bits = struct.unpack_from("<HHHH", data, 18)
    elif len(data) < 34:
        raise FormatError(f"the BMP is truncated: {len(data)} bytes do not hold its header")
    else:
        width, height, _, bits, compression = struct.unpack_from("<iiHHI", data, 18)
    if width <= 0 or height == 0:
        raise FormatError(f"the BMP is corrupt: impossible size {width} x {height}")
    needed = announced
    if compression in _UNCOMPRESSED:
        needed = start + (width * bits + 31) // 32 * 4 * abs(height)
    if needed > len(data):
        raise FormatError(
            f"the BMP is truncated: it needs {needed} bytes, the file has {len(data)}"
        )
