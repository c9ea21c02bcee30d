"""Directory of a TIFF file: whether its parts are there, and whether they mean what is read."""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple

from fastsegmetrics.errors import FormatError

_SUBFILE, _WIDTH, _HEIGHT, _BITS, _COMPRESSION, _PHOTOMETRIC = 254, 256, 257, 258, 259, 262
_STRIPS, _ORIENTATION, _SAMPLES, _STRIP_SIZES = 273, 274, 277, 279
_TILES, _TILE_SIZES = 324, 325
_INTEGER_TYPES = {1: "B", 3: "H", 4: "I", 13: "I", 16: "Q", 18: "Q"}
_TYPE_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4,
               16: 8, 17: 8, 18: 8}  # fmt: skip
_NONE, _DEFLATE, _OLD_DEFLATE = 1, 8, 32946
_REDUCED_OR_MASK = 0b101


class _Layout(NamedTuple):
    """Struct formats of a classic or a big file: number of entries, entry, offset."""

    order: str
    entries: str
    inline: int
    offset: str


def check(data: bytes) -> None:
    """Check the first directory and the data that it points to; refuse what is read otherwise.

    Several pages, an orientation other than upright, and an inverted scale deeper than 8 bits (of
    which OpenCV would invert the shallower only) are refused rather than read in one of two ways.
    Damage inside LZW and PackBits data has no checksum and is not seen here.
    """
    try:
        layout, start = _layout(data)
        tags, following = _directory(data, layout, start)
        pages = 1
        seen = {start}
        while following and following not in seen:
            seen.add(following)
            later, following = _directory(data, layout, following)
            pages += not later.get(_SUBFILE, [0])[0] & _REDUCED_OR_MASK
    except (struct.error, IndexError):
        raise FormatError(
            f"the TIFF is truncated or corrupt: its directory leads past its {len(data)} bytes"
        ) from None
    if pages > 1:
        raise FormatError(f"the TIFF has {pages} pages: a map or mask is one image")
    _check_meaning(tags)
    _check_data(data, tags)


def _layout(data: bytes) -> tuple[_Layout, int]:
    order = "<" if data[:1] == b"I" else ">"
    if data[2:4] in (b"+\0", b"\0+"):
        return _Layout(order, "Q", 8, "Q"), struct.unpack_from(order + "Q", data, 8)[0]
    return _Layout(order, "H", 4, "I"), struct.unpack_from(order + "I", data, 4)[0]


def _directory(data: bytes, layout: _Layout, start: int) -> tuple[dict[int, list[int]], int]:
    order, entries_format, inline, offset_format = layout
    entries = struct.unpack_from(order + entries_format, data, start)[0]
    position = start + struct.calcsize(order + entries_format)
    tags: dict[int, list[int]] = {}
    for _ in range(entries):
        tag, kind, count = struct.unpack_from(order + "HH" + offset_format, data, position)
        value = position + 4 + inline
        if _TYPE_SIZES.get(kind, 1) * count > inline:
            value = struct.unpack_from(order + offset_format, data, value)[0]
        if kind in _INTEGER_TYPES:
            if value + _TYPE_SIZES[kind] * count > len(data):
                raise IndexError
            values = struct.unpack_from(f"{order}{count}{_INTEGER_TYPES[kind]}", data, value)
            if values:
                tags[tag] = list(values)
        position += 4 + 2 * inline
    return tags, struct.unpack_from(order + offset_format, data, position)[0]


def _check_meaning(tags: dict[int, list[int]]) -> None:
    orientation = tags.get(_ORIENTATION, [1])[0]
    if orientation not in (0, 1):
        raise FormatError(
            f"the TIFF is stored turned or mirrored (orientation {orientation}): save it upright"
        )
    bits = max(tags.get(_BITS, [1]))
    if tags.get(_PHOTOMETRIC, [1])[0] == 0 and bits > 8:
        raise FormatError(f"the TIFF has {bits}-bit samples with 0 for white: save it with 0 black")


def _check_data(data: bytes, tags: dict[int, list[int]]) -> None:
    try:
        width, height = tags[_WIDTH][0], tags[_HEIGHT][0]
        offsets = tags[_STRIPS] if _STRIPS in tags else tags[_TILES]
    except (KeyError, IndexError):
        raise FormatError("the TIFF is corrupt: its size or its data are missing") from None
    compression = tags.get(_COMPRESSION, [_NONE])[0]
    channels = tags.get(_SAMPLES, [1])[0]
    bits = tags.get(_BITS, [1])
    row_bits = width * (sum(bits) if len(bits) == channels else bits[0] * channels)
    needed = (row_bits + 7) // 8 * height
    sizes = tags.get(_STRIP_SIZES) or tags.get(_TILE_SIZES)
    if sizes is None and len(offsets) == 1:
        sizes = [needed if compression == _NONE else len(data) - offsets[0]]
    if sizes is None or len(sizes) != len(offsets):
        raise FormatError("the TIFF is corrupt: its data have places without lengths")
    for offset, size in zip(offsets, sizes, strict=True):
        if offset + size > len(data):
            raise FormatError(
                f"the TIFF is truncated: its data need {offset + size} bytes, the file has "
                f"{len(data)}"
            )
    available = sum(sizes)
    if compression in (_DEFLATE, _OLD_DEFLATE):
        available = _inflated(data, offsets, sizes)
    elif compression != _NONE:
        return
    if available < needed:
        raise FormatError(
            f"the TIFF is truncated: {width} x {height} pixels take {needed} bytes, it holds "
            f"{available}"
        )


def _inflated(data: bytes, offsets: list[int], sizes: list[int]) -> int:
    """Return how many bytes the compressed parts hold: OpenCV reads half of a broken part."""
    view = memoryview(data)
    try:
        return sum(
            len(zlib.decompress(view[offset : offset + size]))
            for offset, size in zip(offsets, sizes, strict=True)
        )
    except zlib.error as error:
        raise FormatError(f"the TIFF is corrupt: {error}") from None
