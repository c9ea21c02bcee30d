"""Deterministic map pairs made by integer arithmetic alone.

Golden numbers are only worth keeping when the scene they belong to can be rebuilt bit for bit on
any machine and under any NumPy.  So nothing here uses floating point, trigonometry or a NumPy
generator (whose stream may change between releases): the noise is SplitMix64 of the pixel index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

Shape = tuple[int, int]


class Scene(NamedTuple):
    """A named pair: ``pred`` and ``gt`` are uint8, 2-D, of one shape."""

    name: str
    pred: np.ndarray
    gt: np.ndarray


SMALL_SHAPES: tuple[Shape, ...] = (
    (1, 2), (1, 9), (1, 64), (2, 1), (9, 1), (64, 1), (2, 2), (2, 3), (3, 2), (4, 4), (5, 17),
    (17, 5), (7, 7), (8, 9), (13, 11), (16, 16), (31, 33), (32, 24), (48, 100), (97, 61),
)  # fmt: skip
LARGE_SHAPES: tuple[Shape, ...] = ((120, 160), (321, 481), (600, 800))


def noise(shape: Shape, seed: int) -> np.ndarray:
    """SplitMix64 of ``seed`` and the pixel index, as int64 in 0..65535."""
    z = np.arange(shape[0] * shape[1], dtype=np.uint64) + np.array([seed * 1_000_003], np.uint64)
    z = (z + np.array([1], np.uint64)) * np.array([0x9E3779B97F4A7C15], np.uint64)
    z = (z ^ (z >> np.array([30], np.uint64))) * np.array([0xBF58476D1CE4E5B9], np.uint64)
    z = (z ^ (z >> np.array([27], np.uint64))) * np.array([0x94D049BB133111EB], np.uint64)
    z ^= z >> np.array([31], np.uint64)
    return (z & np.array([0xFFFF], np.uint64)).astype(np.int64).reshape(shape)


def squared_distance(shape: Shape, row: int, col: int) -> np.ndarray:
    rows, cols = np.indices(shape)
    return (rows - row) ** 2 + (cols - col) ** 2


def radius_squared(shape: Shape, divisor: int) -> int:
    return max(1, shape[0] * shape[1] // divisor)


def _mask(foreground: np.ndarray) -> np.ndarray:
    return np.where(foreground, 255, 0).astype(np.uint8)


def _lines(shape: Shape, axis: int) -> np.ndarray:
    return np.indices(shape)[axis] % 5 == 2


def _blob(shape: Shape) -> np.ndarray:
    return squared_distance(shape, shape[0] // 2, shape[1] // 2) <= radius_squared(shape, 12)


def _two_blobs(shape: Shape) -> np.ndarray:
    first = squared_distance(shape, shape[0] // 4, shape[1] // 4) <= radius_squared(shape, 40)
    second = squared_distance(shape, 3 * shape[0] // 4, 2 * shape[1] // 3)
    return first | (second <= radius_squared(shape, 30))


def _single(row: int, col: int) -> Callable[[Shape], np.ndarray]:
    def build(shape: Shape) -> np.ndarray:
        foreground = np.zeros(shape, bool)
        foreground[row if row < 0 else min(row, shape[0] - 1), col] = True
        return foreground

    return build


def _slice(rows: slice, cols: slice) -> Callable[[Shape], np.ndarray]:
    def build(shape: Shape) -> np.ndarray:
        foreground = np.zeros(shape, bool)
        foreground[rows, cols] = True
        return foreground

    return build


GT_KINDS: dict[str, Callable[[Shape], np.ndarray]] = {
    "blob": lambda s: _mask(_blob(s)),
    "two_blobs": lambda s: _mask(_two_blobs(s)),
    "noise": lambda s: _mask(noise(s, 11) % 3 == 0),
    "rows": lambda s: _mask(_lines(s, 0)),
    "columns": lambda s: _mask(_lines(s, 1)),
    "diagonal": lambda s: _mask(np.subtract(*np.indices(s)) == 0),
    "checker": lambda s: _mask(np.indices(s).sum(0) % 2 == 0),
    "half": lambda s: _mask(np.indices(s)[1] < s[1] // 2),
    "last_row": lambda s: _mask(_slice(slice(-1, None), slice(None))(s)),
    "last_column": lambda s: _mask(_slice(slice(None), slice(-1, None))(s)),
    "last_pixel": lambda s: _mask(_single(-1, -1)(s)),
    "first_pixel": lambda s: _mask(_single(0, 0)(s)),
    "all_but_one": lambda s: _mask(~_single(0, -1)(s)),
    "empty": lambda s: np.zeros(s, np.uint8),
    "full": lambda s: np.full(s, 255, np.uint8),
    "levels": lambda s: (126 + noise(s, 23) % 5).astype(np.uint8),
}

PredBuilder = Callable[[Shape, np.ndarray], np.ndarray]


def _smooth(shape: Shape, gt: np.ndarray) -> np.ndarray:
    distance = squared_distance(shape, shape[0] // 2, max(0, shape[1] // 2 - 1))
    return np.maximum(0, 250 - distance * 200 // radius_squared(shape, 6))


def _noisy(shape: Shape, gt: np.ndarray) -> np.ndarray:
    return np.clip((gt > 128) * 160 + noise(shape, 3) % 180 - 40, 0, 255)


def _soft(shape: Shape, gt: np.ndarray) -> np.ndarray:
    # Good maps are saturated: mostly 0 and 255, a few levels between.
    jitter = noise(shape, 5) % 16
    edge = np.where(jitter < 3, noise(shape, 7) % 256, 0)
    return np.where(gt > 128, 255 - edge, edge)


PRED_KINDS: dict[str, PredBuilder] = {
    "smooth": _smooth,
    "noisy": _noisy,
    "soft": _soft,
    "random": lambda s, gt: noise(s, 17) % 256,
    "few_levels": lambda s, gt: noise(s, 19) % 4 * 60 + 20,
    "perfect": lambda s, gt: np.where(gt > 128, 255, 0),
    "inverse": lambda s, gt: np.where(gt > 128, 0, 255),
    "low_contrast": lambda s, gt: 100 + (gt > 128) * 2 + noise(s, 29) % 3,
    "ramp": lambda s, gt: np.indices(s).sum(0) % 256,
    "zero": lambda s, gt: np.zeros(s, np.int64),
    "constant": lambda s, gt: np.full(s, 77),
    "white": lambda s, gt: np.full(s, 255),
    "around_half": lambda s, gt: 126 + noise(s, 31) % 5,
    "sparse": lambda s, gt: np.where(noise(s, 37) % 23 == 0, 255 - noise(s, 41) % 64, 0),
}


def pair(shape: Shape, gt_kind: str, pred_kind: str) -> Scene:
    gt = GT_KINDS[gt_kind](shape)
    pred = PRED_KINDS[pred_kind](shape, gt).astype(np.uint8)
    return Scene(f"{shape[0]}x{shape[1]}-{gt_kind}-{pred_kind}", pred, gt)


def _adaptive_tie() -> Scene:
    # One 255, twenty-one 17: exactly 2 * mean = 17/255, which rounding decides.
    pred = np.zeros(72, np.uint8)
    pred[5] = 255
    pred[10:31] = 17
    gt = np.zeros(72, np.uint8)
    gt[3:20] = 255
    return Scene("adaptive_tie_72", pred.reshape(8, 9), gt.reshape(8, 9))


def _adaptive_ties() -> Iterator[Scene]:
    # One bright pixel B and k pixels of level v with 2 (B + k v) = N v: 2 * mean is exactly v.
    for rows, cols, level in ((4, 9, 51), (10, 10, 15), (6, 20, 17), (25, 16, 5), (20, 30, 3)):
        size = rows * cols
        if (size * level - 510) % (2 * level):
            continue
        count = (size * level - 510) // (2 * level)
        pred = np.zeros(size, np.uint8)
        pred[1] = 255
        pred[3 : 3 + count] = level
        gt = _mask(noise((rows, cols), level) % 2 == 0)
        yield Scene(f"adaptive_tie_{rows}x{cols}_{level}", pred.reshape(rows, cols), gt)


def _specials() -> Iterator[Scene]:
    yield _adaptive_tie()
    yield from _adaptive_ties()
    corner = _mask(_single(0, 0)((7, 7)))
    yield Scene("constant_block_7x7_128", np.full((7, 7), 128, np.uint8), corner)
    for level in (127, 128, 129):
        pred = (noise((6, 11), level) % 256).astype(np.uint8)
        gt = np.full((6, 11), level, np.uint8)
        gt[2:4, 3:8] = 255 - level
        yield Scene(f"gt_level_{level}", pred, gt)
        yield Scene(f"pred_constant_{level}", np.full((6, 11), level, np.uint8), _mask(pred > 99))
    for maximum in (1, 3):
        gt = GT_KINDS["blob"]((9, 14))
        yield Scene(f"pred_max_{maximum}", ((gt > 128) * maximum).astype(np.uint8), gt)
    centre = np.zeros((4, 4), np.uint8)
    centre[1:3, 1:3] = 255
    below = np.where(centre, 229, 0).astype(np.uint8)
    below[3, 1:3] = 25
    yield Scene("known_4x4", below, centre)
    yield Scene("known_4x4_perfect", centre.copy(), centre)
    yield Scene("known_1x2", np.array([[255, 0]], np.uint8), np.array([[255, 0]], np.uint8))
    ten = np.array([[10, 0], [0, 0]], np.uint8)
    yield Scene("known_faint", ten, np.where(ten, 255, 0).astype(np.uint8))


@lru_cache(maxsize=1)
def one_pixel_scenes() -> tuple[Scene, ...]:
    """1x1 pairs, apart because the E-measure of one pixel is of the order 1/eps."""
    return tuple(
        Scene(f"1x1-{p}-{g}", np.array([[p]], np.uint8), np.array([[g]], np.uint8))
        for p in (0, 128, 255)
        for g in (0, 255)
    )


@lru_cache(maxsize=1)
def small_scenes() -> tuple[Scene, ...]:
    """More than 300 pairs of at most 6,000 pixels: every gt kind at every shape, predictions dealt
    in turn so that each meets each gt kind; then the special cases."""
    kinds = tuple(PRED_KINDS)
    dealt = [
        pair(shape, gt_kind, kinds[(5 * i + 3 * j) % len(kinds)])
        for i, shape in enumerate(SMALL_SHAPES)
        for j, gt_kind in enumerate(GT_KINDS)
    ]
    return tuple(dealt) + tuple(_specials())


@lru_cache(maxsize=1)
def large_scenes() -> tuple[Scene, ...]:
    """A dozen pairs up to 600x800."""
    choice = (
        ("blob", "soft"), ("two_blobs", "noisy"), ("noise", "random"), ("rows", "smooth"),
    )  # fmt: skip
    return tuple(pair(shape, g, p) for shape in LARGE_SHAPES for g, p in choice)


def all_scenes() -> tuple[Scene, ...]:
    """Every pair but the 1x1 ones."""
    return small_scenes() + large_scenes()


def as_float(scene: Scene, dtype: type = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """The pair in the already-normalised form: floats in [0, 1] between the 8-bit levels, bool gt.

    The division is of integers below 2**16 and correctly rounded, so the bits are the same
    everywhere.
    """
    fine = scene.pred.astype(np.int64) * 256 + noise(scene.pred.shape, 43) % 256
    return (fine / np.float64(65535)).astype(dtype), scene.gt > 128
