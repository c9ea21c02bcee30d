"""Twin of ``kernels.chunks``."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray


def image_data(
    source: NDArray[np.uint8],
    words: NDArray[np.void],
    start: int,
    tables: NDArray[np.uint32],
) -> tuple[int, NDArray[np.uint8]]:
    """Return where the unharmed IDAT chunks from `start` on end, and their contents in one piece.

    Words and tables are not needed here.
    """
    data = source.tobytes()
    parts = []
    end = start
    while data[end + 4 : end + 8] == b"IDAT":
        length = int.from_bytes(data[end : end + 4], "big")
        behind = end + 12 + length
        checksum = int.from_bytes(data[behind - 4 : behind], "big")
        if behind > len(data) or zlib.crc32(data[end + 4 : behind - 4]) != checksum:
            break
        parts.append(data[end + 8 : behind - 4])
        end = behind
    return end, np.frombuffer(b"".join(parts), np.uint8)
