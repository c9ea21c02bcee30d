"""Image files byte by byte, from the formats' definitions: what no encoder would write too."""

from __future__ import annotations

import itertools
import struct
import zlib

import numpy as np

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
ADAM7 = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2),
         (1, 0, 2, 1))  # fmt: skip


def chunk(kind, content):
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)


def png_header(width, height, depth=8, colour=0, interlaced=False):
    fields = (width, height, depth, colour, 0, 0, int(interlaced))
    return PNG_SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", *fields))


def png_rows(samples, depth, filters=(0,)):
    """The filtered rows of (H, W) or (H, W, C) samples; row i gets filter i modulo their number."""
    height = samples.shape[0]
    flat = samples.reshape(height, -1)
    if depth < 8:
        bits = (flat[:, :, None] >> np.arange(depth)[::-1]) & 1
        rows = np.packbits(bits.reshape(height, -1).astype(bool), axis=1)
    else:
        rows = np.ascontiguousarray(flat, f">u{depth // 8}").view(np.uint8)
    channels = samples.shape[2] if samples.ndim == 3 else 1
    step = max(1, channels * depth // 8)
    return b"".join(filter_row(rows, i, filters[i % len(filters)], step) for i in range(height))


def filter_row(rows, i, kind, step):
    above = rows[i - 1].tolist() if i else [0] * rows.shape[1]
    row = rows[i].tolist()
    out = [kind]
    for j, value in enumerate(row):
        a = row[j - step] if j >= step else 0
        b = above[j]
        c = above[j - step] if j >= step else 0
        p = a + b - c
        if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c):
            nearest = a
        elif abs(p - b) <= abs(p - c):
            nearest = b
        else:
            nearest = c
        out.append((value - (0, a, b, (a + b) // 2, nearest)[kind]) % 256)
    return bytes(out)


def png(samples, depth=8, colour=0, filters=(0,), interlaced=False, before=b"", parts=1, data=None):
    """A PNG file of `samples`, or of the image data `data`, in `parts` IDAT chunks."""
    samples = np.asarray(samples)
    height, width = samples.shape[:2]
    if data is None:
        passes = [samples]
        if interlaced:
            passes = [samples[r::dr, c::dc] for r, c, dr, dc in ADAM7]
        data = zlib.compress(
            b"".join(png_rows(part, depth, filters) for part in passes if part.size)
        )
    cuts = [len(data) * k // parts for k in range(parts + 1)]
    body = b"".join(chunk(b"IDAT", data[a:b]) for a, b in itertools.pairwise(cuts))
    header = png_header(width, height, depth, colour, interlaced)
    return header + before + body + chunk(b"IEND", b"")


def bmp(rows, width, height, bits, palette=b"", compression=0):
    """A BMP file; `rows` are bytes of each row from the bottom."""
    stride = (width * bits + 31) // 32 * 4
    body = b"".join(row.ljust(stride, b"\0") for row in rows)
    start = 54 + len(palette)
    sizes = (40, width, height, 1, bits, compression, len(body), 0, 0, len(palette) // 4, 0)
    head = struct.pack("<IHHI", start + len(body), 0, 0, start)
    return b"BM" + head + struct.pack("<IiiHHIIiiII", *sizes) + palette + body


def tiff(samples, order="<", compression=1, data=None, changes=(), following=0):
    """A TIFF file of one strip of (H, W) samples; `changes` replaces or adds (tag, value)."""
    height, width = samples.shape
    kind = {"u": 1, "i": 2, "f": 3}[samples.dtype.kind]
    if data is None:
        data = samples.astype(samples.dtype.newbyteorder(order)).tobytes()
    tags = {256: width, 257: height, 258: 8 * samples.dtype.itemsize, 259: compression, 262: 1,
            277: 1, 278: height, 279: len(data), 339: kind, **dict(changes)}  # fmt: skip
    tags[273] = 8 + 2 + 12 * (len(tags) + (273 not in tags)) + 4
    out = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "IH", 8, len(tags))
    for tag, value in sorted(tags.items()):
        out += struct.pack(order + "HHII", tag, 4, 1, value)
    return out + struct.pack(order + "I", following) + data
