"""PNG files of grey levels or colours written without OpenCV, the same bytes everywhere."""

from __future__ import annotations

import struct
import zlib

import numpy as np

_GREY, _COLOUR = 0, 2


def png_bytes(pixels: np.ndarray) -> bytes:
    """Return an image as the bytes of an 8-bit PNG file, rows filtered by difference.

    Parameters
    ----------
    pixels : ndarray of uint8, shape (H, W) or (H, W, 3)
        Grey levels, or red, green and blue.
    """
    height, width = pixels.shape[:2]
    kind, step = (_GREY, 1) if pixels.ndim == 2 else (_COLOUR, 3)
    samples = pixels.reshape(height, width * step)
    rows = np.empty((height, 1 + width * step), dtype=np.uint8)
    rows[:, 0] = 1
    rows[:, 1 : 1 + step] = samples[:, :step]
    rows[:, 1 + step :] = samples[:, step:] - samples[:, :-step]
    header = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
