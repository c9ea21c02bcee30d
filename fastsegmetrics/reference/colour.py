"""Slow, obvious twins of `kernels.colour`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_XYZ = np.array(
    [
        [0.412453, 0.357580, 0.180423],
        [0.212671, 0.715160, 0.072169],
        [0.019334, 0.119193, 0.950227],
    ]
)
_WHITE = np.array([0.95047, 1.0, 1.08883])


def _linear(image: NDArray[np.uint8]) -> NDArray[np.float64]:
    v = image / 255.0
    return np.where(v > 0.04045, ((v + 0.055) / 1.055) ** 2.4, v / 12.92)


def _root(x: NDArray[Any]) -> NDArray[np.float64]:
    return np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)


def lab_bytes(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return 8-bit Lab of an 8-bit RGB image in fixed point: 3 bits, weights 12, roots 15."""
    linear = np.rint(8 * 255 * _linear(image)).astype(np.int64)
    weights = np.rint(4096 * _XYZ / _WHITE[:, None]).astype(np.int64)
    roots = np.rint(32768 * _root(np.arange(3060) / 2040)).astype(np.int64)
    # As single precision rounds them, in OpenCV.
    roots[49] -= 1
    roots[628] += 1
    x, y, z = np.moveaxis(roots[(linear @ weights.T + 2048) // 4096], -1, 0)
    lightness = 296 * y - (16 * 255 * 32768 + 50) // 100
    scaled = [lightness, 500 * (x - y) + 128 * 32768, 200 * (y - z) + 128 * 32768]
    return ((np.stack(scaled, -1) + 16384) // 32768).astype(np.uint8)


def lab(image: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return CIE Lab (D65, 2°) of an 8-bit sRGB image in double precision: float64 (H, W, 3)."""
    x, y, z = np.moveaxis(_root(_linear(image) @ _XYZ.T / _WHITE), -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], -1)


def delta_e_2000(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the CIEDE2000 difference of two Lab images (Sharma, Wu and Dalal 2005)."""
    l1, a1, b1 = np.moveaxis(first, -1, 0)
    l2, a2, b2 = np.moveaxis(second, -1, 0)
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = 0.5 * (1 - np.sqrt(mean**7 / (mean**7 + 25.0**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = np.degrees(np.arctan2(b1, a1)) % 360, np.degrees(np.arctan2(b2, a2)) % 360
    grey = c1 * c2 == 0
    turn = np.where(np.abs(h2 - h1) <= 180, h2 - h1, h2 - h1 - 360 * np.sign(h2 - h1))
    turn = np.where(grey, 0, turn)
    far = np.where(h1 + h2 < 360, 360, -360)
    hue = np.where(np.abs(h2 - h1) <= 180, h1 + h2, h1 + h2 + far) / 2
    hue = np.where(grey, h1 + h2, hue)
    in_hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    level, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    t = (
        1
        - 0.17 * np.cos(np.radians(hue - 30))
        + 0.24 * np.cos(np.radians(2 * hue))
        + 0.32 * np.cos(np.radians(3 * hue + 6))
        - 0.20 * np.cos(np.radians(4 * hue - 63))
    )
    angle = 30 * np.exp(-(((hue - 275) / 25) ** 2))
    rotation = -2 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7)) * np.sin(np.radians(2 * angle))
    dl = (l2 - l1) / (1 + 0.015 * (level - 50) ** 2 / np.sqrt(20 + (level - 50) ** 2))
    dc = (c2 - c1) / (1 + 0.045 * chroma)
    dh = in_hue / (1 + 0.015 * chroma * t)
    return np.sqrt(np.maximum(dl**2 + dc**2 + dh**2 + rotation * dc * dh, 0))


def delta_e_on(
    mask: NDArray[np.uint8], first: NDArray[np.uint8], second: NDArray[np.uint8]
) -> NDArray[np.float64]:
    """Return the CIEDE2000 differences of two 8-bit sRGB images at a mask's pixels."""
    return delta_e_2000(lab(first), lab(second))[mask != 0]
