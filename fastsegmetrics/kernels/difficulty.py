"""How hard a truth is to tell from its surroundings, along its contour.

Windows around contour pixels overlap almost entirely, so each row keeps one sum per column over the
rows that its windows span, and a window is the difference of two of their prefix sums: the cost is
linear in pixels, whatever the radius.  All these sums are of integers, so that nothing is lost by
adding and taking away: grey values in thousandths, their squares, and slopes in units of 2^-32.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels import _jit, capped_distance
from fastsegmetrics.kernels._jit import kernel
from fastsegmetrics.scores import difficulty as formulas

#: How far the band, whose slopes count, reaches on either side of the contour.
BAND = 3
#: Sums of one column or window: pixels, greys and squared greys of the truth, the same of the ring,
#: pixels and slopes of the band.
_SUMS = 8
_SLOPE_UNIT = 2.0**32
_ONE = np.int32(1)
#: The code of no shift in `capped_distance.capped_squares`, and up to which square it codes.
_HERE = capped_distance.HERE
_NEAR = 18

_compiled = _jit.formulas(formulas)
_relative_difference = _compiled.relative_difference
_sharpness = _compiled.sharpness
_raw_difficulty = _compiled.raw_difficulty


@kernel
def foreground_box(mask: NDArray[np.uint8]) -> tuple[int, int, int, int]:
    """Return first row, first column, and one past the last of each; all 0 without foreground."""
    height, width = mask.shape
    top, left, bottom, right = height, width, 0, 0
    seen = np.zeros(width, np.uint8)
    for row in range(height):
        line = mask[row]
        any_here = np.uint8(0)
        for column in range(width):
            any_here |= line[column]
            seen[column] |= line[column]
        if any_here:
            top = min(top, row)
            bottom = row + 1
    if bottom == 0:
        return 0, 0, 0, 0
    for column in range(width):
        if seen[column]:
            left = min(left, column)
            right = column + 1
    return top, left, bottom, right


@kernel
def grey_thousandths(image: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return 299 R + 587 G + 114 B."""
    height, width, _ = image.shape
    grey = np.empty((height, width), np.int32)
    for row in range(height):
        for column in range(width):
            grey[row, column] = (
                299 * np.int32(image[row, column, 0])
                + 587 * np.int32(image[row, column, 1])
                + 114 * np.int32(image[row, column, 2])
            )
    return grey


@kernel
def side_distances(mask: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return the L1 distance to the nearest pixel of the other class, negative in the foreground.

    Without pixels of the other class it is H + W, farther than any.
    """
    height, width = mask.shape
    far = np.int32(height + width)
    steps = np.empty((height, width), np.int32)
    edge = np.full(width, far, np.int32)
    # Down and right, then up and left.  A neighbour of the other class is at distance 0: its steps
    # are masked out rather than branched around.
    for row in range(height):
        line, here = mask[row], steps[row]
        above, before = mask[max(row - 1, 0)], steps[row - 1] if row > 0 else edge
        for column in range(width):
            here[column] = (before[column] & _same(line[column], above[column])) + _ONE
        running = far
        for column in range(width):
            running = (running & _same(line[column], line[max(column - 1, 0)])) + _ONE
            running = min(running, here[column])
            here[column] = running
    for row in range(height - 1, -1, -1):
        line, here = mask[row], steps[row]
        if row + 1 < height:
            below, after = mask[row + 1], steps[row + 1]
            for column in range(width):
                down = (after[column] & _same(line[column], below[column])) + _ONE
                here[column] = min(here[column], down)
            _sign(after, below)
        running = far
        for column in range(width - 1, -1, -1):
            running = (running & _same(line[column], line[min(column + 1, width - 1)])) + _ONE
            running = min(min(running, here[column]), far)
            here[column] = running
    _sign(steps[0], mask[0])
    return steps


@kernel
def _same(a: Any, b: Any) -> Any:
    """Return -1, all bits set, for equal classes and 0 for others."""
    return np.int32(np.int32(a ^ b) - _ONE)


@kernel
def _sign(steps: NDArray[np.int32], mask: NDArray[np.uint8]) -> None:
    for column in range(steps.size):
        steps[column] = -steps[column] if mask[column] else steps[column]


@kernel
def _row_slopes(
    grey: NDArray[np.int32], sides: NDArray[np.int32], row: int, slopes: NDArray[np.int64]
) -> None:
    """Write the slopes of the band's pixels of one row in units of 2^-32, elsewhere 0."""
    height, width = grey.shape
    above, below = row - 1, row + 1
    if row == 0 or row == height - 1:
        above = below = row
    for column in range(width):
        slopes[column] = 0
        if abs(sides[row, column]) <= BAND:
            down = np.int64(grey[below, column]) - np.int64(grey[above, column])
            right = np.int64(0)
            if 0 < column < width - 1:
                right = np.int64(grey[row, column + 1]) - np.int64(grey[row, column - 1])
            length = np.sqrt(np.float64(down * down + right * right)) / 2000.0
            slopes[column] = np.int64(length * _SLOPE_UNIT + 0.5)


@kernel
def _add_row(
    sums: NDArray[np.int64],
    grey: NDArray[np.int32],
    sides: NDArray[np.int32],
    slopes: NDArray[np.int64],
    radius: int,
    sign: int,
) -> None:
    """Add one row to the column sums, or with sign -1 take it away."""
    for column in range(grey.size):
        side = sides[column]
        value = np.int64(sign) * np.int64(grey[column])
        square = value * np.int64(grey[column])
        inside, around = side < 0, (side > 0) & (side <= radius)
        sums[0, column] += sign if inside else 0
        sums[1, column] += value if inside else 0
        sums[2, column] += square if inside else 0
        sums[3, column] += sign if around else 0
        sums[4, column] += value if around else 0
        sums[5, column] += square if around else 0
        sums[6, column] += sign if (side >= -BAND) & (side <= BAND) else 0
        sums[7, column] += sign * slopes[column]


@kernel
def _mean_and_deviation(count: int, total: int, squares: int) -> tuple[float, float]:
    """Return mean and population deviation in grey levels of values in thousandths.

    The squares are moved to an integer next to the mean before anything is rounded.
    """
    mean = total / count
    near = np.int64(mean)
    rest = np.float64(total - near * count)
    moved = np.float64(squares - near * (2 * total - count * near))
    share = 1.0 / count
    variance = max(0.0, moved - rest * rest * share) * share
    return mean * 1e-3, np.sqrt(variance) * 1e-3


@kernel
def _window_difficulty(
    first: NDArray[np.int64], last: NDArray[np.int64], factors: NDArray[np.float64]
) -> float:
    """Return the raw difficulty of the window between two prefix sums."""
    contrast = edge = texture = 0.5
    inside, around = last[0] - first[0], last[3] - first[3]
    if inside > 0 and around > 0:
        mean, deviation = _mean_and_deviation(inside, last[1] - first[1], last[2] - first[2])
        other, spread = _mean_and_deviation(around, last[4] - first[4], last[5] - first[5])
        contrast = _relative_difference(mean, other)
        texture = 1.0 - _relative_difference(deviation, spread)
    band = last[6] - first[6]
    if band > 0:
        edge = _sharpness((last[7] - first[7]) / (band * _SLOPE_UNIT))
    return _raw_difficulty(contrast, edge, texture, factors[0], factors[1], factors[2], factors[3])


@kernel
def contour_difficulty(
    grey: NDArray[np.int32], sides: NDArray[np.int32], radius: int, factors: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the raw difficulty of the contour's pixels: float64[H, W], 0 elsewhere.

    Parameters
    ----------
    grey : ndarray of int32, shape (H, W)
        From `grey_thousandths`.
    sides : ndarray of int32, shape (H, W)
        From `side_distances`; the contour is where it is -1.
    radius : int
        Half the size of a window, and reach of the ring.
    factors : ndarray of float64, shape (4,)
        Weights of contrast, edge and texture, and the least raw difficulty.
    """
    height, width = grey.shape
    raw = np.zeros((height, width), np.float64)
    slopes = np.empty((height, width), np.int64)
    sums = np.zeros((_SUMS, width), np.int64)
    prefix = np.zeros((width + 1, _SUMS), np.int64)
    columns = np.empty(width, np.int64)
    for row in range(height):
        _row_slopes(grey, sides, row, slopes[row])
    for row in range(min(radius, height)):
        _add_row(sums, grey[row], sides[row], slopes[row], radius, 1)
    for row in range(height):
        enter, leave = row + radius, row - radius - 1
        if enter < height:
            _add_row(sums, grey[enter], sides[enter], slopes[enter], radius, 1)
        if leave >= 0:
            _add_row(sums, grey[leave], sides[leave], slopes[leave], radius, -1)
        line = sides[row]
        found = 0
        for column in range(width):
            columns[found] = column
            found += line[column] == -1
        if found == 0:
            continue
        for column in range(width):
            for k in range(_SUMS):
                prefix[column + 1, k] = prefix[column, k] + sums[k, column]
        for i in range(found):
            column = columns[i]
            first = prefix[max(column - radius, 0)]
            last = prefix[min(column + radius + 1, width)]
            raw[row, column] = _window_difficulty(first, last, factors)
    return raw


@kernel
def spread_difficulty(
    raw: NDArray[np.float64],
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    sides: NDArray[np.int32],
    radius: int,
) -> tuple[NDArray[np.float64], float, int]:
    """Carry the contour's difficulty to the truth and its ring, each pixel from its nearest.

    Returns the map, 1 elsewhere; the sum over truth and ring; and how many pixels these are.
    """
    height, width = raw.shape
    out = np.empty((height, width), np.float64)
    total = 0.0
    count = 0
    for row in range(height):
        here = 0.0
        for column in range(width):
            if sides[row, column] <= radius:
                value = raw[rows[row, column], columns[row, column]]
                here += value
                count += 1
                out[row, column] = value
            else:
                out[row, column] = 1.0
        total += here
    return out, total, count


@kernel
def spread_near(
    raw: NDArray[np.float64],
    squares: NDArray[np.uint16],
    toward: NDArray[np.uint8],
    sides: NDArray[np.int32],
    radius: int,
) -> tuple[NDArray[np.float64], float, int]:
    """Do what `spread_difficulty` does where no pixel's contour is more than √18 away.

    From `capped_distance.capped_squares`, which is faster than the nearest pixels of all.  Returns
    -1 for their number as soon as a pixel is farther.
    """
    height, width = raw.shape
    out = np.empty((height, width), np.float64)
    flat = raw.reshape(-1)
    shifts = np.empty(81, np.int64)
    for down in range(-4, 5):
        for right in range(-4, 5):
            shifts[9 * down + right + _HERE] = down * width + right
    total = 0.0
    count = 0
    for row in range(height):
        here = 0.0
        lost = False
        for column in range(width):
            near = sides[row, column] <= radius
            lost |= near & (squares[row, column] > _NEAR)
            value = flat[row * width + column + shifts[toward[row, column]]]
            out[row, column] = value if near else 1.0
            here += value if near else 0.0
            count += near
        if lost:
            return out, 0.0, -1
        total += here
    return out, total, count


@kernel
def edge_mask(mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return where the truth has a slope: the pixels beside, or above and below, differ."""
    height, width = mask.shape
    edges = np.empty((height, width), np.uint8)
    for row in range(height):
        above, below = row - 1, row + 1
        if row == 0 or row == height - 1:
            above = below = row
        up, down, line, out = mask[above], mask[below], mask[row], edges[row]
        for column in range(width):
            out[column] = up[column] ^ down[column]
        for column in range(1, width - 1):
            out[column] |= line[column - 1] ^ line[column + 1]
    return edges
