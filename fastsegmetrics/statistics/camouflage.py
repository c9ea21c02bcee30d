"""How well an object is hidden: its camouflage degree, from the photograph and the truth alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.errors import InputError
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
            out[rows, columns] = _degree(
                sealed(target.mask[rows, columns]),
                sealed(image[rows, columns]),
                gamma,
                spatial_weight,
            )
        out.flags.writeable = False
        return out

    return target.cached(f"camouflage degree {gamma} {spatial_weight}", compute)


def _context_box(target: Target) -> tuple[int, int, int, int]:
    from fastsegmetrics.kernels import gaussian

    box: tuple[int, int, int, int] = target.cached(
        "box", lambda: gaussian.mask_moments(target.mask)[1]
    )
    return box


def _degree(
    mask: NDArray[np.uint8], image: NDArray[np.uint8], gamma: float, spatial_weight: float
) -> NDArray[np.float64]:
    from fastsegmetrics.kernels import colour, patches

    degree = np.zeros(mask.shape)
    band = sealed(patches.surrounding_band(mask, *_BAND))
    inside = patches.fitting_origins(mask, _PATCH, _STEP)
    around = patches.fitting_origins(band, _PATCH, _STEP)
    if len(inside) == 0 or len(around) == 0:
        return degree
    places = _standardised(np.concatenate((inside, around)), spatial_weight)
    nearest = _nearest_patches(
        colour.lab_bytes(image), inside, around, places[: len(inside)], places[len(inside) :]
    )
    rebuilt = patches.rebuilt_image(image, inside, around, nearest, _PATCH)
    on = mask.view(np.bool_)
    likeness = 1.0 - np.clip(colour.delta_e_on(mask, rebuilt, image)[on] / 100.0, 0.0, 1.0)
    degree[on] = likeness
    if gamma != 0:
        degree[on] = (np.exp(gamma * likeness) - 1.0) / (math.exp(gamma) - 1.0)
    return degree


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
    rows = max(1, _BLOCK // len(around))
    start, stop = 0, min(rows, _TRIAL)
    while start < len(inside):
        block = slice(start, stop)
        compared = patches.nearest_by_bounds(
            left[block] @ right.T, slack, ours[block], others, places[block], other_places,
            nearest[block],
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
                out.append(component.ravel())
    return np.array(out, np.float32).T


_COMPONENTS = _smooth_components()


def _bound_factors(
    ours: NDArray[np.uint8],
    others: NDArray[np.uint8],
    places: NDArray[np.float32],
    other_places: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.float32], float]:
    """Return A, B and s so that A·Bᵀ exceeds no squared distance of patches by more than s.

    |a|² − 2a·b + |b|² of the smooth components and the places.  Bytes are taken about the others'
    mean, so that single precision loses little: each of the terms errs by 2⁻²⁴ of its size.
    """
    n = len(_COMPONENTS)
    middle = others[:, :n].mean(axis=0, dtype=np.float32)
    a = np.concatenate(((ours[:, :n] - middle) @ _COMPONENTS, places), axis=1)
    b = np.concatenate(((others[:, :n] - middle) @ _COMPONENTS, other_places), axis=1)
    a_squares = (a * a).sum(axis=1, keepdims=True)
    b_squares = (b * b).sum(axis=1, keepdims=True)
    ones = np.ones((1, 1), np.float32)
    left = np.concatenate((-2 * a, np.repeat(ones, len(a), 0), a_squares), axis=1)
    right = np.concatenate((b, b_squares, np.repeat(ones, len(b), 0)), axis=1)
    terms = 2.0 * (float(a_squares.max()) + float(b_squares.max()))
    # Sums of up to 147 products, their squares, and the final sum: far below this many roundings.
    return left, right, 1.0 + terms * 400 * 2.0**-24


def sealed(array: NDArray[Any]) -> NDArray[Any]:
    """Return a C-contiguous read-only view or copy, so that kernels are compiled once."""
    sealed = np.ascontiguousarray(array).view()
    sealed.flags.writeable = False
    return sealed
