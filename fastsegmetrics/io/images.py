"""PNG, JPEG, BMP and TIFF: checked for completeness, decoded by OpenCV, as grey or as colour."""

from __future__ import annotations

import cv2
import numpy as np

from fastsegmetrics.errors import FormatError
from fastsegmetrics.io import png_rows
from fastsegmetrics.io.containers import bmp, jpeg, png, tiff

_OPAQUE = {np.dtype(np.uint8): 255.0, np.dtype(np.uint16): 65535.0}
_SAMPLES = (np.uint8, np.uint16, np.float32, np.float64)


def decode(data: bytes) -> np.ndarray:
    """Return the two-dimensional samples of an image file: uint8, uint16, float32 or float64."""
    pixels, palette = _decoded(data)
    return _grey(pixels, palette)


def decode_colour(data: bytes) -> np.ndarray:
    """Return the samples of an image file as (H, W, 3): red, green, blue, of the file's type."""
    pixels, _ = _decoded(data)
    if pixels.ndim == 2:
        return np.repeat(pixels[:, :, np.newaxis], 3, axis=2)
    planes = _opaque_planes(pixels)
    if len(planes) == 1:
        planes *= 3
    return cv2.merge(planes[::-1])


def _decoded(data: bytes) -> tuple[np.ndarray, bool]:
    """Return the samples as OpenCV orders them, and whether the file has a palette."""
    if data.startswith(b"\x89PNG"):
        return _decoded_png(data)
    if data.startswith(b"BM"):
        kind = "BMP"
        bmp.check(data)
    elif data.startswith(b"\xff\xd8"):
        kind = "JPEG"
        jpeg.check(data)
    else:
        kind = "TIFF"
        tiff.check(data)
    return _pixels(data, kind), False


def _decoded_png(data: bytes) -> tuple[np.ndarray, bool]:
    file = png.read(data)
    pixels = png_rows.decode(file)
    if pixels is None:
        pixels = _pixels(data, "PNG")
    if file.colour == png.GREY and file.transparent is not None:
        _check_transparent_level(pixels, file)
    return pixels, file.colour == png.PALETTE


def _pixels(data: bytes, kind: str) -> np.ndarray:
    """Decode with OpenCV as stored: no rotation by EXIF, no reduction of depth or channels.

    OpenCV 4.6, 4.10, 4.11 and 5.0 all return None for a PNG whose compressed data are damaged or
    too short for the pixels, at any size, interlaced or not; what they return half of (JPEG up to
    4.10, TIFF) was looked at before.
    """
    try:
        pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    except cv2.error as error:
        reason = " ".join(str(error.err or error).split())
        raise FormatError(f"OpenCV cannot decode this {kind} ({reason})") from None
    if pixels is None:
        raise FormatError(
            f"the {kind} is corrupt or of a kind that OpenCV cannot decode (its image data are "
            "damaged, or end before the last pixel)"
        )
    if pixels.dtype not in _SAMPLES:
        raise FormatError(f"the {kind} has {pixels.dtype} samples; uint8, uint16 or float is read")
    return pixels


def _check_transparent_level(pixels: np.ndarray, file: png.Png) -> None:
    """OpenCV ignores a transparent grey level; a pixel that has it is not opaque."""
    assert file.transparent is not None
    level = int.from_bytes(file.transparent[:2], "big") & (2**file.depth - 1)
    if file.depth < 8:
        level *= 255 // (2**file.depth - 1)
    transparent = pixels == level
    if transparent.any():
        row, column = np.argwhere(transparent)[0]
        raise FormatError(
            f"the image is transparent at row {row}, column {column} (grey level {level} is "
            "declared transparent): only opaque files are read"
        )


def _grey(pixels: np.ndarray, palette: bool) -> np.ndarray:
    """Reduce identical channels to one.

    OpenCV's split and a comparison of contiguous planes cost a fifth of comparing strided views.
    """
    if pixels.ndim == 2:
        return pixels
    planes = _opaque_planes(pixels)
    first = planes[0]
    if all(np.array_equal(first, other) for other in planes[1:]):
        return first
    row, column = np.argwhere(np.any([first != other for other in planes[1:]], axis=0))[0]
    colour = tuple(plane[row, column].item() for plane in reversed(planes))
    hint = (
        "; the file has a palette: if its colours stand for class indices (as in VOC or DAVIS "
        "annotations), save the wanted index as a mask of 0 and 255 first"
        if palette
        else ""
    )
    raise FormatError(
        f"a grey image is needed, and its channels differ first at row {row}, column {column} "
        f"(R, G, B = {colour}){hint}"
    )


def _opaque_planes(pixels: np.ndarray) -> list[np.ndarray]:
    """Return the channels without an alpha channel, which must be opaque."""
    planes = list(cv2.split(pixels))
    if len(planes) in (2, 4):
        _check_opaque(planes.pop(), _OPAQUE.get(pixels.dtype, 1.0))
    return planes


def _check_opaque(alpha: np.ndarray, opaque: float) -> None:
    if alpha.min() == opaque:
        return
    row, column = np.argwhere(alpha != opaque)[0]
    raise FormatError(
        f"the image is not opaque at row {row}, column {column} (alpha "
        f"{alpha[row, column].item()} of {opaque:g}): only opaque files are read"
    )
