"""Grey PNG files written without OpenCV, the same bytes everywhere."""

from __future__ import annotations

import struct
import zlib

import numpy as np


def png_bytes(grey: np.ndarray) -> bytes:
    """`grey` (H, W, uint8) as the bytes of an 8-bit grey PNG file, rows filtered by difference."""
    height, width = grey.shape
    rows = np.empty((height, width + 1), dtype=np.uint8)
    rows[:, 0] = 1
    rows[:, 1] = grey[:, 0]
    rows[:, 2:] = grey[:, 1:] - grey[:, :-1]
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
