"""Colour: sRGB to CIE Lab, as 8-bit integers and in double precision, and CIEDE2000."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel

#: Fractional bits of the integer conversion: of a linear channel, of a weight, of a cube root.
_LINEAR_BITS = 3
_WEIGHT_BITS = 12
_ROOT_BITS = _LINEAR_BITS + _WEIGHT_BITS
_HALF_WEIGHT = 1 << (_WEIGHT_BITS - 1)
_HALF_ROOT = 1 << (_ROOT_BITS - 1)
_GREY = 128 << _ROOT_BITS
_L_SCALE = (116 * 255 + 50) // 100
_L_SHIFT = (16 * 255 * (1 << _ROOT_BITS) + 50) // 100

#: Rec. 709 primaries to XYZ, and the D65 white of the 2° observer.
_XYZ = (
    (0.412453, 0.357580, 0.180423),
    (0.212671, 0.715160, 0.072169),
    (0.019334, 0.119193, 0.950227),
)
_WHITE = (0.95047, 1.0, 1.08883)


def _linear(value: float) -> float:
    """Undo the sRGB transfer curve."""
    return value / 12.92 if value <= 0.04045 else math.pow((value + 0.055) / 1.055, 2.4)


def _root(value: float) -> float:
    """Return CIE's cube root, straight near black."""
    return math.pow(value, 1.0 / 3.0) if value > 0.008856 else 7.787 * value + 16.0 / 116.0


def _integer_tables() -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return linear channels, weights over white, and cube roots, in fixed point."""
    full = 255 << _LINEAR_BITS
    linear = [round(full * _linear(v / 255)) for v in range(256)]
    weights = [
        [round((1 << _WEIGHT_BITS) * weight / white) for weight in row]
        for row, white in zip(_XYZ, _WHITE)
    ]
    roots = [round((1 << _ROOT_BITS) * _root(i / full)) for i in range(full * 3 // 2)]
    # OpenCV computes them in single precision, which rounds these two to the other side of a half:
    # of all entries they lie nearest to one.  Without them 1671 of the 2^24 colours are one off.
    roots[49] -= 1
    roots[628] += 1
    return tuple(np.array(table, np.int32) for table in (linear, weights, roots))  # type: ignore[return-value]


_LINEAR_8, _WEIGHTS_8, _ROOTS_8 = _integer_tables()
_LINEAR = np.array([_linear(v / 255) for v in range(256)])
#: Where CIE's cube root turns straight.
_DARK = 0.008856


def _polynomial(
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]], degree: int
) -> NDArray[np.float64]:
    """Return the powers' coefficients, the highest first, of a function on -1 … 1."""
    return chebyshev.cheb2poly(chebyshev.chebinterpolate(function, degree))[::-1].copy()


_ROOT_FROM, _ROOT_TO = math.sqrt(_DARK), 1.0
#: The cube root, within 2.4 %, of the square of what goes evenly from the dark to white.
_FIRST_ROOT = _polynomial(
    lambda t: np.cbrt((_ROOT_FROM + (t + 1) / 2 * (_ROOT_TO - _ROOT_FROM)) ** 2), 3
)


@kernel
def lab_bytes(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return 8-bit Lab of an 8-bit RGB image: L · 255/100, a + 128, b + 128.

    Integer arithmetic throughout, equal to OpenCV's conversion on every colour.
    """
    height, width, _ = image.shape
    out = np.empty((height, width, 3), np.uint8)
    for row in range(height):
        for column in range(width):
            red = _LINEAR_8[image[row, column, 0]]
            green = _LINEAR_8[image[row, column, 1]]
            blue = _LINEAR_8[image[row, column, 2]]
            x = _ROOTS_8[
                (red * _WEIGHTS_8[0, 0] + green * _WEIGHTS_8[0, 1] + blue * _WEIGHTS_8[0, 2]
                 + _HALF_WEIGHT) >> _WEIGHT_BITS
            ]  # fmt: skip
            y = _ROOTS_8[
                (red * _WEIGHTS_8[1, 0] + green * _WEIGHTS_8[1, 1] + blue * _WEIGHTS_8[1, 2]
                 + _HALF_WEIGHT) >> _WEIGHT_BITS
            ]  # fmt: skip
            z = _ROOTS_8[
                (red * _WEIGHTS_8[2, 0] + green * _WEIGHTS_8[2, 1] + blue * _WEIGHTS_8[2, 2]
                 + _HALF_WEIGHT) >> _WEIGHT_BITS
            ]  # fmt: skip
            out[row, column, 0] = (_L_SCALE * y - _L_SHIFT + _HALF_ROOT) >> _ROOT_BITS
            out[row, column, 1] = (500 * (x - y) + _GREY + _HALF_ROOT) >> _ROOT_BITS
            out[row, column, 2] = (200 * (y - z) + _GREY + _HALF_ROOT) >> _ROOT_BITS
    return out


@kernel
def _cube_root(value: float) -> float:
    """Return CIE's cube root of 0 … 1 in double precision, without a branch or a call.

    From a first root and two steps of Halley's rule, each of which triples the digits: within
    5e-16.  In a loop over an array, whole vectors at a time.
    """
    t = (math.sqrt(value) - _ROOT_FROM) * (2.0 / (_ROOT_TO - _ROOT_FROM)) - 1.0
    root = ((_FIRST_ROOT[0] * t + _FIRST_ROOT[1]) * t + _FIRST_ROOT[2]) * t + _FIRST_ROOT[3]
    cube = root * root * root
    root *= (cube + 2.0 * value) / (2.0 * cube + value)
    cube = root * root * root
    root *= (cube + 2.0 * value) / (2.0 * cube + value)
    return root if value > _DARK else 7.787 * value + 16.0 / 116.0


@kernel
def _to_lab(colours: NDArray[np.float64], n: int) -> None:
    """Turn the first `n` columns from linear red, green, blue into CIE Lab (D65, 2°)."""
    for k in range(n):
        r = colours[0, k]
        g = colours[1, k]
        b = colours[2, k]
        x = _cube_root((0.412453 * r + 0.357580 * g + 0.180423 * b) * (1.0 / 0.95047))
        y = _cube_root(0.212671 * r + 0.715160 * g + 0.072169 * b)
        z = _cube_root((0.019334 * r + 0.119193 * g + 0.950227 * b) * (1.0 / 1.08883))
        colours[0, k] = 116.0 * y - 16.0
        colours[1, k] = 500.0 * (x - y)
        colours[2, k] = 200.0 * (y - z)


@kernel
def lab(image: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return CIE Lab (D65, 2°) of an 8-bit sRGB image in double precision: float64 (H, W, 3)."""
    height, width, _ = image.shape
    out = np.empty((height, width, 3), np.float64)
    line = np.empty((3, width), np.float64)
    for row in range(height):
        for column in range(width):
            for channel in range(3):
                line[channel, column] = _LINEAR[image[row, column, channel]]
        _to_lab(line, width)
        for column in range(width):
            for channel in range(3):
                out[row, column, channel] = line[channel, column]
    return out


_DEGREE = math.pi / 180.0
_25_TO_7 = 25.0**7
_COS_30, _SIN_30 = math.cos(30 * _DEGREE), math.sin(30 * _DEGREE)
_COS_6, _SIN_6 = math.cos(6 * _DEGREE), math.sin(6 * _DEGREE)
_COS_63, _SIN_63 = math.cos(63 * _DEGREE), math.sin(63 * _DEGREE)

#: The hue about which CIEDE2000 turns its axes, and how far from it that is above 1e-14.
_COS_275, _SIN_275 = math.cos(275 * _DEGREE), math.sin(275 * _DEGREE)
_TURNED = 142 * _DEGREE
_COS_TURNED = math.cos(_TURNED)
#: sin² of a quarter of the angle is what the bell is a polynomial of: no arc is ever computed.
_QUARTER = math.sin(_TURNED / 4) ** 2
#: The sixteenth root of exp(-(angle / 25°)²), and sin(60° · x) / x of x².
_BELL = _polynomial(
    lambda t: np.exp(
        -((4 * np.arcsin(np.sqrt((t + 1) / 2 * _QUARTER)) / (25 * _DEGREE)) ** 2) / 16
    ),
    12,
)
_SINE = _polynomial(lambda t: 60 * _DEGREE * np.sinc(60 / 180 * np.sqrt((t + 1) / 2)), 7)


@kernel
def _seventh(value: float) -> float:
    cube = value * value * value
    return cube * cube * value


@kernel
def _rotation(cosine: float, sine: float) -> float:
    """Return sin(60° · exp(-((h - 275°) / 25°)²)) of the hue h in [0°, 360°), within 1e-13.

    The exponential is even in the angle from 275°, so that a polynomial takes it from a cosine.
    """
    turned = cosine * _COS_275 + sine * _SIN_275
    quarter = 0.5 - 0.5 * math.sqrt(0.5 + 0.5 * max(turned, _COS_TURNED))
    t = quarter * (2.0 / _QUARTER) - 1.0
    bell = _BELL[0]
    for k in range(1, _BELL.size):
        bell = bell * t + _BELL[k]
    bell *= bell
    bell *= bell
    bell *= bell
    bell *= bell
    t = 2.0 * bell * bell - 1.0
    ratio = _SINE[0]
    for k in range(1, _SINE.size):
        ratio = ratio * t + _SINE[k]
    # Hues from red on are counted from 0°, far from 275°, though the circle is closed.
    near = (turned > _COS_TURNED) & ((sine < 0.0) | (cosine < 0.0))
    return ratio * bell if near else 0.0


@kernel
def _stretched(a1: float, b1: float, a2: float, b2: float) -> tuple[float, float, float, float]:
    """Return both a, stretched near grey, and both chromas with them."""
    chroma = 0.5 * (math.sqrt(a1 * a1 + b1 * b1) + math.sqrt(a2 * a2 + b2 * b2))
    power = _seventh(chroma)
    stretch = 1.0 + 0.5 * (1.0 - math.sqrt(power / (power + _25_TO_7)))
    a1 *= stretch
    a2 *= stretch
    return a1, math.sqrt(a1 * a1 + b1 * b1), a2, math.sqrt(a2 * a2 + b2 * b2)


@kernel
def _mean_hue(
    a1: float, b1: float, c1: float, a2: float, b2: float, c2: float
) -> tuple[float, float, float]:
    """Return cosine and sine of the mean hue and the sine of half the turn from first to second.

    The mean hue halves the smaller arc, so it is the direction of the sum of the unit vectors and
    at right angles to their difference; the longer of both is taken.  A colour without chroma has
    no hue, and the mean is the other's; of exactly opposed hues the one below 180° is the first.
    """
    over = 1.0 / c1 if c1 > 0.0 else 0.0
    x1 = a1 * over
    y1 = b1 * over
    over = 1.0 / c2 if c2 > 0.0 else 0.0
    x2 = a2 * over
    y2 = b2 * over
    cross = x1 * y2 - y1 * x2
    x = x2 - x1
    y = y2 - y1
    away = math.sqrt(x * x + y * y)
    forward = (cross > 0.0) | ((cross == 0.0) & ((y1 > 0.0) | ((y1 == 0.0) & (x1 > 0.0))))
    turn = 0.5 * away if forward else -0.5 * away
    length = math.sqrt((x1 + x2) * (x1 + x2) + (y1 + y2) * (y1 + y2))
    along = length > away
    longer = length if along else away
    over = 1.0 / longer if longer > 0.0 else 0.0
    across = over if forward else -over
    cosine = (x1 + x2) * over if along else y * across
    sine = (y1 + y2) * over if along else -x * across
    return cosine, sine, turn


@kernel
def _differences(
    first: NDArray[np.float64], second: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    """Write CIEDE2000, all three weights 1 (CIE 142-2001), of the columns (L, a, b) of two arrays.

    One loop without a branch or a call, for whole vectors at a time.
    """
    for k in range(out.size):
        l1 = first[0, k]
        l2 = second[0, k]
        a1, c1, a2, c2 = _stretched(first[1, k], first[2, k], second[1, k], second[2, k])
        cosine, sine, turn = _mean_hue(a1, first[2, k], c1, a2, second[2, k], c2)
        lightness = 0.5 * (l1 + l2) - 50.0
        chroma = 0.5 * (c1 + c2)
        # Multiples of the angle by the addition theorems: no cosine is ever called.
        cosine_2 = cosine * cosine - sine * sine
        sine_2 = 2.0 * sine * cosine
        cosine_3 = cosine * cosine_2 - sine * sine_2
        sine_3 = sine * cosine_2 + cosine * sine_2
        cosine_4 = cosine_2 * cosine_2 - sine_2 * sine_2
        sine_4 = 2.0 * sine_2 * cosine_2
        t = (
            1.0
            - 0.17 * (cosine * _COS_30 + sine * _SIN_30)
            + 0.24 * cosine_2
            + 0.32 * (cosine_3 * _COS_6 - sine_3 * _SIN_6)
            - 0.20 * (cosine_4 * _COS_63 + sine_4 * _SIN_63)
        )
        squared = lightness * lightness
        in_lightness = (l2 - l1) / (1.0 + 0.015 * squared / math.sqrt(20.0 + squared))
        in_chroma = (c2 - c1) / (1.0 + 0.045 * chroma)
        in_hue = 2.0 * math.sqrt(c1 * c2) * turn / (1.0 + 0.015 * chroma * t)
        power = _seventh(chroma)
        rotation = -2.0 * math.sqrt(power / (power + _25_TO_7)) * _rotation(cosine, sine)
        total = (
            in_lightness * in_lightness
            + in_chroma * in_chroma
            + in_hue * in_hue
            + rotation * in_chroma * in_hue
        )
        out[k] = math.sqrt(max(total, 0.0))


@kernel
def delta_e_2000(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the CIEDE2000 difference of two Lab images, float64 (H, W)."""
    height, width, _ = first.shape
    out = np.empty((height, width), np.float64)
    one = np.empty((3, width), np.float64)
    other = np.empty((3, width), np.float64)
    for row in range(height):
        for column in range(width):
            for channel in range(3):
                one[channel, column] = first[row, column, channel]
                other[channel, column] = second[row, column, channel]
        _differences(one, other, out[row])
    return out


#: Colours taken at once: their arrays stay in the nearest cache.
_BATCH = 256


@kernel
def _batch_differences(
    first: NDArray[np.float64], second: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    _to_lab(first, out.size)
    _to_lab(second, out.size)
    _differences(first, second, out)


@kernel
def delta_e_on(
    mask: NDArray[np.uint8], first: NDArray[np.uint8], second: NDArray[np.uint8]
) -> NDArray[np.float64]:
    """Return the CIEDE2000 differences of two 8-bit sRGB images at a mask's pixels.

    float64 (n,), in raster order.
    """
    height, width = mask.shape
    n = 0
    for row in range(height):
        for column in range(width):
            n += mask[row, column] != 0
    out = np.empty(n, np.float64)
    one = np.empty((3, _BATCH), np.float64)
    other = np.empty((3, _BATCH), np.float64)
    start = 0
    held = 0
    for row in range(height):
        for column in range(width):
            if mask[row, column]:
                for channel in range(3):
                    one[channel, held] = _LINEAR[first[row, column, channel]]
                    other[channel, held] = _LINEAR[second[row, column, channel]]
                held += 1
                if held == _BATCH:
                    _batch_differences(one, other, out[start : start + held])
                    start += held
                    held = 0
    _batch_differences(one, other, out[start:])
    return out
