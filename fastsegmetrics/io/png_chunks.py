"""Chunks of image data behind each other in a PNG file: checked and joined by one kernel."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.backend import resolve
from fastsegmetrics.io.byte_words import byte_words

_POLYNOMIAL = 0xEDB88320


def joined(data: bytes, position: int) -> tuple[int, memoryview]:
    """Return where the unharmed IDAT chunks from `position` on end, and their contents joined.

    None where they are left to zlib: by a backend, or since kernels are not compiled.
    """
    nothing = position, memoryview(b"")
    if resolve() == "reference":
        return nothing
    from fastsegmetrics.kernels.chunks import image_data

    if not hasattr(image_data, "py_func"):
        return nothing
    source = np.frombuffer(data, np.uint8)
    end, contents = image_data(source, byte_words(source), position, crc_tables())
    return end, contents.data


@lru_cache(maxsize=1)
def crc_tables() -> NDArray[np.uint32]:
    """Return what each byte does to a CRC-32 when 0 to 15 bytes follow it, (16 * 256,)."""
    step = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        step = (step >> 1) ^ np.where(step & 1, np.uint32(_POLYNOMIAL), np.uint32(0))
    tables = [step]
    for _ in range(15):
        tables.append((tables[-1] >> 8) ^ step[tables[-1] & 255])
    return np.concatenate(tables)
