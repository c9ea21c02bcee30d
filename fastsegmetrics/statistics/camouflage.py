"""How well an object is hidden: its camouflage degree, from the photograph and the truth alone."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.errors import InputError
from fastsegmetrics.represent import sealed as sealed
from fastsegmetrics.target import Target

#: The published constants.
GAMMA = 8.0
SPATIAL_WEIGHT = 20.0

_PATCH = 7
_STEP = 3
#: How far the surrounding band reaches up and left, and down and right, of the foreground: what a
#: dilation by a box of 20 does.
_BAND = (9, 10)
#: Inner products of patches taken at once: 8 MB of them.
_BLOCK = 1 << 21
#: Patches tried first, and the share of pairs above which bounds do not pay.
_TRIAL = 64
_TOO_MANY = 0.1
#: Slack as wide as black is from white rules nothing out.
_LOOSE = 3 * _PATCH * _PATCH * 255.0**2


def camouflage_degree(
    target: Target, *, gamma: float = GAMMA, spatial_weight: float = SPATIAL_WEIGHT
) -> NDArray[np.float64]:
    """Return how well each foreground pixel could be made of its surroundings, 0 … 1.

    Each 7 × 7 patch of the foreground is replaced by the nearest patch of the band around it (in
    8-bit Lab and place); D = (exp(γ·s) − 1) / (exp γ − 1), where s falls from 1 to 0 as the
    CIEDE2000 difference between the rebuilt and the true foreground grows from 0 to 100.  0 off
    the foreground, and everywhere if either side has no room for a patch.

    Parameters
    ----------
    target : Target
        A truth with its photograph.
    gamma : float
        γ above.
    spatial_weight : float
        Weight of the patches' places, each axis standardised, beside their colours.

    Returns
    -------
    ndarray of float64, shape (H, W)
        Read-only; kept in `target`.

    Raises
    ------
    InputError
        When the target has no photograph.
    """
    image = target.image
    if image is None:
        raise InputError(
            "image must be given with the ground truth, Target(gt, image=...), for its "
            "camouflage degree; received None"
        )

    def compute() -> NDArray[np.float64]:
        out = np.zeros(target.shape)
        top, left, bottom, right = _context_box(target)
        if bottom > top:
            # Patches begin at multiples of the step; the band reaches no further than this.
            reach = max(_BAND) + _STEP
            rows = slice(max(0, top - reach) // _STEP * _STEP, bottom + reach)
            columns = slice(max(0, left - reach) // _STEP * _STEP, right + reach)
            mask = sealed(target.mask[rows, columns])
            degrees = _degrees(mask, sealed(image[rows, columns]), gamma, spatial_weight)
            if degrees is not None:
                out[rows, columns][mask.view(np.bool_)] = degrees
        out.flags.writeable = False
        return out

    return target.cached(f"camouflage degree {gamma} {spatial_weight}", compute)


def _context_box(target: Target) -> tuple[int, int, int, int]:
    from fastsegmetrics.kernels import gaussian

    box: tuple[int, int, int, int] = target.cached(
        "box", lambda: gaussian.mask_moments(target.mask)[1]
    )
    return box


def _degrees(
    mask: NDArray[np.uint8], image: NDArray[np.uint8], gamma: float, spatial_weight: float
) -> NDArray[np.float64] | None:
    """Return the degrees of the mask's pixels, float64 (n,), or None where all are 0."""
    from fastsegmetrics.kernels import colour, patches

    inside = patches.fitting_origins(mask, _PATCH, _STEP)
    if len(inside) == 0:
        return None
    band = sealed(patches.surrounding_band(mask, *_BAND))
    around = patches.fitting_origins(band, _PATCH, _STEP)
    if len(around) == 0:
        return None
    places = _standardised(np.concatenate((inside, around)), spatial_weight)
    nearest = _nearest_patches(
        colour.lab_bytes(image), inside, around, places[: len(inside)], places[len(inside) :]
    )
    rebuilt = sealed(patches.rebuilt_image(image, inside, around, nearest, _PATCH))
    likeness = 1.0 - np.minimum(colour.delta_e_on(mask, rebuilt, image) / 100.0, 1.0)
    return likeness if gamma == 0 else (np.exp(gamma * likeness) - 1.0) / (math.exp(gamma) - 1.0)


def _standardised(origins: NDArray[np.int64], weight: float) -> NDArray[np.float32]:
    """Return places, each axis with mean 0 and the deviation `weight`, or 0 if it has none."""
    away = origins - origins.mean(axis=0)
    spread = away.std(axis=0)
    return (away / np.where(spread > 0, spread, 1.0) * weight).astype(np.float32)


def _nearest_patches(
    lab: NDArray[np.uint8],
    inside: NDArray[np.int64],
    around: NDArray[np.int64],
    places: NDArray[np.float32],
    other_places: NDArray[np.float32],
) -> NDArray[np.int64]:
    """Return for each patch of `inside` the index of the nearest of `around`.

    Distances between a few smooth components of the patches are lower bounds; where they rule out
    little, as on noise, one product of all the patches' bytes is cheaper.
    """
    from fastsegmetrics.kernels import patches

    ours = patches.patch_bytes(lab, inside, _PATCH)
    others = patches.patch_bytes(lab, around, _PATCH)
    nearest = np.empty(len(inside), np.int64)
    left, right, slack = _bound_factors(ours, others, places, other_places)
    runs = patches.RUNS
    rows = max(1, _BLOCK // right.shape[1])
    start, stop = 0, min(rows, _TRIAL)
    while start < len(inside) and slack < _LOOSE:
        block = slice(start, stop)
        compared = patches.nearest_by_bounds(
            (left[block] @ right).view(np.int32).reshape(-1, right.shape[1] // runs, runs), slack,
            ours[block], others, places[block], other_places, nearest[block],
        )  # fmt: skip
        start, stop = stop, stop + rows
        if compared > _TOO_MANY * (block.stop - block.start) * len(around):
            break
    if start < len(inside):
        wide, other_wide = others.astype(np.float32), others.astype(np.int64)
        other_squares = (other_wide * other_wide).sum(axis=1)
        for first in range(start, len(inside), rows):
            block = slice(first, first + rows)
            part = ours[block].astype(np.float32)
            squares = (part * part).sum(axis=1, dtype=np.float64).astype(np.int64)
            patches.nearest_by_products(
                part @ wide.T, squares, other_squares, places[block], other_places, nearest[block]
            )
    return nearest


def _smooth_components() -> NDArray[np.float32]:
    """Return orthonormal cosines on a patch's bytes, the smoothest of each of its channels."""
    positions = np.arange(_PATCH) + 0.5
    waves = [np.cos(math.pi / _PATCH * u * positions) for u in range(4)]
    waves = [wave / np.linalg.norm(wave) for wave in waves]
    out = []
    for channel, highest in enumerate((3, 1, 1)):
        for u in range(highest + 1):
            for v in range(highest + 1 - u):
                component = np.zeros((_PATCH, _PATCH, 3))
                component[..., channel] = np.outer(waves[u], waves[v])
                out.append(np.pad(component.ravel(), (0, -component.size % 32)))
    return np.array(out, np.float32).T.copy()


_COMPONENTS = _smooth_components()
#: More than any bound that is used, within single precision.
_BEYOND = 1e30


def _bound_factors(
    ours: NDArray[np.uint8],
    others: NDArray[np.uint8],
    places: NDArray[np.float32],
    other_places: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.float32], float]:
    """Return A, B and s so that A·B exceeds no squared distance of patches by more than s.

    |a|² − 2a·b + |b|² of the smooth components and the places, raised by half of s, which keeps it
    positive.  Bytes are taken about a mean of some others, so that single precision loses little:
    each of the terms errs by 2⁻²⁴ of its size.  B is in the order of `nearest_by_bounds`, filled
    up with bounds that exceed all distances.
    """
    from fastsegmetrics.kernels import patches

    middle = others[:: len(others) // 64 + 1].mean(axis=0, dtype=np.float32)
    a, b = (
        np.concatenate((patches.floats_about(bytes_, middle) @ _COMPONENTS, where), axis=1)
        for bytes_, where in ((ours, places), (others, other_places))
    )
    # Places of an endless weight: the slack is infinite then, and the bounds are not used.
    with np.errstate(over="ignore"):
        a_squares = (a * a).sum(axis=1, keepdims=True)
        b_squares = (b * b).sum(axis=1, keepdims=True)
    terms = 2.0 * (float(a_squares.max()) + float(b_squares.max()))
    # Sums of up to 147 products, their squares, and the final sum: far below this many roundings.
    error = 1.0 + terms * 400 * 2.0**-24
    left = np.concatenate((-2 * a, np.ones((len(a), 1), np.float32), a_squares + error), axis=1)
    length = -(-len(b) // patches.RUNS)
    right = np.zeros((patches.RUNS * length, left.shape[1]), np.float32)
    right[: len(b), :-2] = b
    right[: len(b), -2:-1] = b_squares
    right[len(b) :, -2] = _BEYOND
    right[:, -1] = 1.0
    right = right.reshape(patches.RUNS, length, -1).transpose(2, 1, 0).reshape(-1, len(right))
    return left, right, 2.0 * error
