"""Pictures of where a prediction is wrong, told apart by pattern and lightness, not colour alone.

A pixel becomes a block of `zoom` × `zoom`.  Left are the regions: what both masks have is plain,
what the prediction alone has is striped in white, what it misses is dotted in black; lines follow
the outlines, white that of the truth, black that of the prediction, in turns where they are one.
Right are the boundaries: each boundary pixel of the prediction in the colour of its distance to the
truth's boundary, on a scale that is the same in all pictures; the white line is the truth.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.statistics.boundary_map import BoundaryMap, boundary

Picture = NDArray[np.uint8]

#: Blocks that hold a stripe or a dot and what is around it.
LEAST_ZOOM = 3
#: Colours that those who see two of the three primaries tell apart (Okabe and Ito, 2008).
BOTH, PRED_ONLY, MISSED = (0, 114, 178), (213, 94, 0), (240, 228, 66)
#: From 0 to the limit, ascending in lightness too.
SCALE = ((64, 64, 224), (150, 40, 200), (220, 90, 120), (250, 160, 60), (245, 250, 40))
_BLACK, _WHITE = (0, 0, 0), (255, 255, 255)
_GAP = 6
_TRUTH, _REST = 150, 60


def truth_as_background(gt: NDArray[Any]) -> Picture:
    """Return grey levels (H, W) that show a truth, where there is no photograph."""
    return np.where(np.asarray(gt, bool), _TRUTH, _REST).astype(np.uint8)


def photograph_as_background(image: NDArray[np.uint8]) -> Picture:
    """Return the luminance of a photograph (H, W, 3) as grey levels (H, W), so that every colour
    in the picture is ours."""
    grey = np.rint(image @ np.array([0.299, 0.587, 0.114]))
    return grey.astype(np.uint8)


def overlay(
    background: Picture,
    pred: NDArray[Any],
    gt: NDArray[Any],
    boundaries: BoundaryMap,
    *,
    limit: float,
    zoom: int = LEAST_ZOOM,
) -> Picture:
    """Return the picture of a pair: regions on the left, boundaries on the right.

    Parameters
    ----------
    background : ndarray of uint8, shape (H, W)
        What is drawn over.
    pred, gt : ndarray, shape (H, W)
        Binary masks.
    boundaries : BoundaryMap
        Of the two.
    limit : float
        The distance in pixels that has the scale's last colour, like all that are larger.
    zoom : int
        Side of a pixel's block, at least `LEAST_ZOOM`.

    Returns
    -------
    ndarray of uint8, shape (zoom * H, 2 * zoom * W + 6, 3)
    """
    pred, gt = np.asarray(pred, bool), np.asarray(gt, bool)
    left = _regions(background, pred, gt, zoom)
    right = _boundaries(background, gt, boundaries, limit, zoom)
    between = np.full((left.shape[0], _GAP, 3), 255, np.uint8)
    return np.concatenate((left, between, right), axis=1)


def colours_of(distances: NDArray[np.float64], limit: float) -> Picture:
    """Return the colours of distances (...,) as (..., 3): linear from 0 to the limit.

    Examples
    --------
    >>> colours_of(np.array([0.0, 5.0, 10.0, np.inf]), 10.0).tolist()
    [[64, 64, 224], [220, 90, 120], [245, 250, 40], [245, 250, 40]]
    """
    share = np.minimum(distances / limit, 1.0)
    places = np.linspace(0.0, 1.0, len(SCALE))
    planes = [np.interp(share, places, levels) for levels in zip(*SCALE)]
    return np.rint(np.stack(planes, axis=-1)).astype(np.uint8)


def legend(limit: float, unit: str = "px") -> Picture:
    """Return the picture that says what patterns and colours mean."""
    from fastsegmetrics.io.lettering import write_text

    picture = np.full((178, 470, 3), 255, np.uint8)
    full, none = np.ones((6, 10), bool), np.zeros((6, 10), bool)
    swatches = (
        (full, full, "both (TP): plain"),
        (full, none, "predicted alone (FP): white stripes"),
        (none, full, "missed (FN): black dots"),
    )
    for number, (pred, gt, words) in enumerate(swatches):
        top = 8 + 26 * number
        swatch = _regions(np.full(full.shape, _REST, np.uint8), pred, gt, LEAST_ZOOM)
        picture[top : top + swatch.shape[0], 10 : 10 + swatch.shape[1]] = swatch
        write_text(picture, words, top + 14, 52)
    write_text(picture, "lines: white truth, black prediction, in turns both", 98, 10)
    write_text(picture, "right: predicted boundary by its distance to the truth's", 120, 10)
    bar = colours_of(np.linspace(0.0, limit, 400), limit)
    picture[130:148, 10:410] = bar
    write_text(picture, "0", 166, 10)
    write_text(picture, f"{limit / 2:g}", 166, 205)
    # OpenCV before 5 letters ASCII alone.
    write_text(picture, f"{limit:g} {unit.replace('µ', 'u')} and more", 166, 350)
    return picture


def _regions(
    background: Picture, pred: NDArray[np.bool_], gt: NDArray[np.bool_], zoom: int
) -> Picture:
    picture = _zoomed(np.repeat(background[..., None], 3, axis=2), zoom)
    rows, columns = (np.arange(n) % zoom for n in picture.shape[:2])
    stripes = rows[:, None] + columns[None, :] == zoom - 1
    dots = (rows[:, None] == zoom // 2) & (columns[None, :] == zoom // 2)
    for region, colour, pattern, ink in (
        (pred & gt, BOTH, None, _BLACK),
        (pred & ~gt, PRED_ONLY, stripes, _WHITE),
        (gt & ~pred, MISSED, dots, _BLACK),
    ):
        blocks = _zoomed(region, zoom)
        # Half of what lies below shows through.
        picture[blocks] = (picture[blocks].astype(np.uint16) + colour) // 2
        if pattern is not None:
            picture[blocks & pattern] = ink
    lines = boundary(_zoomed(pred, zoom)), boundary(_zoomed(gt, zoom))
    turns = np.add.outer(np.arange(picture.shape[0]), np.arange(picture.shape[1])) // 3 % 2 == 0
    picture[lines[1]] = _WHITE
    picture[lines[0] & (turns | ~lines[1])] = _BLACK
    return picture


def _boundaries(
    background: Picture, gt: NDArray[np.bool_], found: BoundaryMap, limit: float, zoom: int
) -> Picture:
    # Darker than on the left, so that the scale's first colour is not lost in it.
    picture = np.repeat((background // 3)[..., None], 3, axis=2)
    picture[found.pred] = colours_of(found.distance[found.pred], limit)
    picture = _zoomed(picture, zoom)
    picture[boundary(_zoomed(gt, zoom))] = _WHITE
    return picture


def _zoomed(values: NDArray[Any], zoom: int) -> NDArray[Any]:
    return values.repeat(zoom, axis=0).repeat(zoom, axis=1)
