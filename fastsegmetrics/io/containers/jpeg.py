"""Segments of a JPEG file: whether the file reaches its end marker."""

from __future__ import annotations

from fastsegmetrics.errors import FormatError

_START_OF_SCAN = 0xDA
_BARE = frozenset((0x01, *range(0xD0, 0xD8)))


def check(data: bytes) -> None:
    """Walk the header segments to the first scan, then demand an end-of-image marker.

    The walk steps over an embedded thumbnail, whose own end marker would hide a truncation.  In
    entropy-coded data the marker's bytes cannot occur.  Bytes after it are allowed.  Up to 4.10
    OpenCV returns a truncated JPEG as a whole image with a grey lower part.  JPEG has no checksum:
    damage inside a complete file cannot be told from picture.
    """
    position = 2
    size = len(data)
    while True:
        while position < size and data[position : position + 2] == b"\xff\xff":
            position += 1
        if position + 4 > size:
            raise FormatError(f"the JPEG is truncated: it ends at byte {size}, before any picture")
        if data[position] != 0xFF:
            raise FormatError(f"the JPEG is corrupt: no segment begins at byte {position}")
        marker = data[position + 1]
        if marker in _BARE:
            position += 2
            continue
        position += 2 + int.from_bytes(data[position + 2 : position + 4], "big")
        if marker == _START_OF_SCAN:
            break
    if data.find(b"\xff\xd9", position) < 0:
        raise FormatError(
            f"the JPEG is truncated: it ends at byte {size} without its end-of-image marker"
        )
