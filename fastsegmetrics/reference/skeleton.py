"""Thinning by the rule, every pixel of the image in every pass."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.bitmask import Bits, pack_levels, unpack

# Where scikit-image's table departs from the rule of Zhang and Suen (1984): rows of three around
# the pixel, from the north-west.
_FIRST_ONLY = (
    "##. .x. ...", ".## .x. ...", "..# .x# ...", ".## .x# ...", "##. #x. ...",
    "##. .x# ...", ".## #x. ...", "#.. #x. .#.", ".#. #x. #..", ".## #x. #..",
)  # fmt: skip
_SECOND_ONLY = (
    "... .x# ..#", "... .x. ##.", "... #x. #..", "... .x# .##", "... #x. ##.",
    ".#. .x# ..#", "... .x# ##.", "..# .x# ##.", "... #x. .##",
)  # fmt: skip
_BOTH = (".#. .x# ...", "... .x# .#.", "... #x. .#.", ".#. #x. ...")
_NEITHER = ("... .x. .##", "#.. #x. ...")


def skeletonize(g: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the skeleton of a mask: what is left when no pass deletes a pixel any more."""
    pixels = np.pad(g.astype(bool), 1)
    while True:
        before = pixels
        for which in (1, 2):
            remaining = pixels.copy()
            for row, column in zip(*np.nonzero(pixels)):
                around = pixels[row - 1 : row + 2, column - 1 : column + 2]
                if _is_deleted(around, which):
                    remaining[row, column] = False
            pixels = remaining
        if (pixels == before).all():
            return pixels[1:-1, 1:-1]


def _is_deleted(around: NDArray[np.bool_], which: int) -> bool:
    drawn = "".join("#" if bit else "." for bit in around.ravel())
    drawn = f"{drawn[:3]} {drawn[3]}x{drawn[5]} {drawn[6:]}"
    for listed, passes in (
        (_FIRST_ONLY, (1,)),
        (_SECOND_ONLY, (2,)),
        (_BOTH, (1, 2)),
        (_NEITHER, ()),
    ):
        if drawn in listed:
            return which in passes
    (nw, n, ne), (w, _, e), (sw, s, se) = around.tolist()
    ring = [n, ne, e, se, s, sw, w, nw]
    rises = sum(not ring[i - 1] and ring[i] for i in range(8))
    if rises != 1 or not 2 <= sum(ring) <= 6:
        return False
    if which == 1:
        return not (n and e and s) and not (e and s and w)
    return not (n and e and w) and not (n and s and w)


def thin(bits: Bits, width: int) -> Bits:
    """Return the skeleton of a bit mask, `width` pixels to a row."""
    return pack_levels(skeletonize(unpack(bits, width) > 0).view(np.uint8), 0)
