"""How hard a truth is to tell from its surroundings, along its contour; and errors weighted by it.

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
#: Rows after which the running sums of floats begin anew, before their roundings add up.
_FRESH = 64
_HALF = 3
_ONE = np.int32(1)
#: The code of no shift in `capped_distance.capped_squares`, and up to which square it codes.
_HERE = capped_distance.HERE
_NEAR = 18

_compiled = _jit.formulas(formulas)
_relative_difference = _compiled.relative_difference
_sharpness = _compiled.sharpness
_raw_difficulty = _compiled.raw_difficulty
_similarity = _compiled.similarity


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


@kernel
def _add_values(
    sums: NDArray[np.float64], values: NDArray[np.float64], mask: NDArray[np.uint8], sign: float
) -> None:
    """Add one row of a map and a truth to the column sums of p, p·p, g and p·g."""
    p_sums, square_sums = sums[0, _HALF:], sums[1, _HALF:]
    g_sums, product_sums = sums[2, _HALF:], sums[3, _HALF:]
    for column in range(values.size):
        p = values[column]
        g = np.float64(mask[column])
        p_sums[column] += sign * p
        square_sums[column] += sign * (p * p)
        g_sums[column] += sign * g
        product_sums[column] += sign * (p * g)


@kernel
def _reflected(index: int, size: int) -> int:
    """Return the index within an axis that repeats itself mirrored, its end pixels twice."""
    index %= 2 * size
    return min(index, 2 * size - 1 - index)


@kernel
def _box(sums: NDArray[np.float64], column: int) -> float:
    near = (sums[column] + sums[column + 1]) + (sums[column + 2] + sums[column + 3])
    return near + ((sums[column + 4] + sums[column + 5]) + sums[column + 6])


@kernel
def _similarities(sums: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Write a row's structural similarities from its column sums, 3 wider on either side."""
    width = out.size
    for k in range(4):
        for i in range(_HALF):
            sums[k, i] = sums[k, _HALF + _reflected(i - _HALF, width)]
            sums[k, _HALF + width + i] = sums[k, _HALF + _reflected(width + i, width)]
    p_sums, square_sums, g_sums, product_sums = sums[0], sums[1], sums[2], sums[3]
    for column in range(width):
        out[column] = _similarity(
            _box(p_sums, column),
            _box(square_sums, column),
            _box(g_sums, column),
            _box(product_sums, column),
        )


@kernel
def _row_of_slopes(values: NDArray[np.float64], row: int, out: NDArray[np.float64]) -> None:
    """Write min(1, 2·slope) along a row, of central differences reflected at the borders."""
    height, width = values.shape
    above, below = row - 1, row + 1
    if row == 0 or row == height - 1:
        above = below = row
    up, down, line = values[above], values[below], values[row]
    for column in range(0, width, max(1, width - 1)):
        out[column] = min(1.0, abs(down[column] - up[column]))
    for column in range(1, width - 1):
        vertical = down[column] - up[column]
        across = line[column + 1] - line[column - 1]
        out[column] = min(1.0, np.sqrt(vertical * vertical + across * across))


@kernel
def part_sums(
    values: NDArray[np.float64],
    mask: NDArray[np.uint8],
    weight: NDArray[np.float64],
    far: NDArray[np.float64],
    heat: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the weighted sums of the three parts, and optionally where they are lost.

    Parameters
    ----------
    values : ndarray of float64, shape (H, W)
        The prediction in [0, 1].
    mask : ndarray of uint8, shape (H, W)
        The truth, 0 and 1.
    weight : ndarray of float64, shape (H, W)
        W.
    far : ndarray of float64, shape (H, W)
        min(1, D / r), D the distance to the truth's edge; 0 on it and only there.
    heat : ndarray of float64, shape (3, H, W) or (3, 0, 0)
        Receives the losses of region, structure and boundary, unless it is empty.

    Returns
    -------
    ndarray of float64, shape (7,)
        ΣW·min(p, g), ΣW·max(p, g), ΣW·SSIM, ΣW, ΣW·q_P on the edge, ΣW on the edge, and
        ΣW·q_P·far.
    """
    height, width = values.shape
    keep = heat.shape[1] > 0
    sums = np.zeros((4, width + 2 * _HALF), np.float64)
    similarity = np.empty(width, np.float64)
    slopes = np.empty(width, np.float64)
    totals = np.zeros(7, np.float64)
    for row in range(height):
        if row % _FRESH == 0:
            sums = np.zeros((4, width + 2 * _HALF), np.float64)
            for off in range(-_HALF, _HALF + 1):
                there = _reflected(row + off, height)
                _add_values(sums, values[there], mask[there], 1.0)
        else:
            there = _reflected(row + _HALF, height)
            _add_values(sums, values[there], mask[there], 1.0)
            there = _reflected(row - _HALF - 1, height)
            _add_values(sums, values[there], mask[there], -1.0)
        _similarities(sums, similarity)
        _row_of_slopes(values, row, slopes)
        _add_parts(values[row], mask[row], weight[row], far[row], similarity, slopes, totals)
        if keep:
            for column in range(width):
                w = weight[row, column]
                heat[0, row, column] = w * abs(values[row, column] - mask[row, column])
                heat[1, row, column] = w * (1.0 - similarity[column])
                away = far[row, column]
                q = slopes[column]
                heat[2, row, column] = w * (1.0 - q if away == 0.0 else q * away)
    return totals


@kernel
def _add_parts(
    values: NDArray[np.float64],
    mask: NDArray[np.uint8],
    weight: NDArray[np.float64],
    far: NDArray[np.float64],
    similarity: NDArray[np.float64],
    slopes: NDArray[np.float64],
    totals: NDArray[np.float64],
) -> None:
    common = either = alike = all_weight = met = edges = spilt = 0.0
    for column in range(values.size):
        w = weight[column]
        p = values[column]
        common += w * p if mask[column] else 0.0
        either += w if mask[column] else w * p
        alike += w * similarity[column]
        all_weight += w
        on_edge = far[column] == 0.0
        pull = w * slopes[column]
        met += pull if on_edge else 0.0
        edges += w if on_edge else 0.0
        spilt += pull * far[column]
    totals[0] += common
    totals[1] += either
    totals[2] += alike
    totals[3] += all_weight
    totals[4] += met
    totals[5] += edges
    totals[6] += spilt
