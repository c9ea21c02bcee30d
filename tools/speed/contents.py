"""8-bit map pairs of the kinds that saliency, camouflage and small-target files hold."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

Pair = tuple[np.ndarray, np.ndarray]


def _mask(shape: tuple[int, int]) -> np.ndarray:
    return np.zeros(shape, np.uint8)


def _blurred(image: np.ndarray, share: float) -> np.ndarray:
    """Blur by a Gaussian whose width is a share of the image's side."""
    return cv2.GaussianBlur(image, (0, 0), max(0.6, share * max(image.shape)))


def flat(shape: tuple[int, int], rng: np.random.Generator) -> Pair:
    """Binary rectangles, one shifted against the other: long runs of one level."""
    height, width = shape
    top, left = height // 4 + int(rng.integers(0, height // 16 + 1)), width // 5
    gt, pred = _mask(shape), _mask(shape)
    gt[top : top + height // 3, left : left + width // 2] = 255
    pred[top + height // 20 : top + height // 3, left - width // 30 : left + width // 2] = 255
    return pred, gt


def _blobs(shape: tuple[int, int], rng: np.random.Generator, count: int, share: float) -> Pair:
    height, width = shape
    gt, found = _mask(shape), _mask(shape)
    for _ in range(count):
        centre = (
            int(rng.integers(width // 6, 5 * width // 6)),
            int(rng.integers(height // 6, 5 * height // 6)),
        )
        axes = tuple(max(1, int(share * side * rng.uniform(0.4, 1.0))) for side in (width, height))
        angle = float(rng.uniform(0, 180))
        cv2.ellipse(gt, centre, axes, angle, 0, 360, 255, -1)
        moved = centre[0] + max(1, width // 80), centre[1] - max(1, height // 90)
        if rng.random() < 0.9:
            cv2.ellipse(found, moved, axes, angle, 0, 360, int(rng.integers(200, 256)), -1)
    return found, gt


def maps(shape: tuple[int, int], rng: np.random.Generator) -> Pair:
    """What a network writes: saturated inside, soft at the edge, a faint false response outside."""
    found, gt = _blobs(shape, rng, int(rng.integers(1, 4)), 0.18)
    faint = cv2.resize(
        rng.normal(0, 14, (9, 9)).astype(np.float32), shape[::-1], interpolation=cv2.INTER_CUBIC
    )
    soft = _blurred(found.astype(np.float32), 0.008)
    return np.clip(1.15 * soft + np.maximum(faint - 8, 0), 0, 255).astype(np.uint8), gt


def smooth(shape: tuple[int, int], rng: np.random.Generator) -> Pair:
    """Broad blobs whose level changes everywhere."""
    found, gt = _blobs(shape, rng, 3, 0.22)
    return np.clip(_blurred(found.astype(np.float32), 0.05), 0, 255).astype(np.uint8), gt


def thin(shape: tuple[int, int], rng: np.random.Generator) -> Pair:
    """Curves of one to three pixels, as of vessels, hair or cracks."""
    gt, found = _mask(shape), _mask(shape)
    n = 12
    for _ in range(40):
        start = rng.uniform(0, 1, 2) * shape[::-1]
        steps = rng.normal(0, 0.04, (n, 2)).cumsum(axis=0) * max(shape)
        line = (start + steps).astype(np.int32).reshape(-1, 1, 2)
        cv2.polylines(gt, [line], False, 255, int(rng.integers(1, 4)))
        if rng.random() < 0.85:
            cv2.polylines(found, [line + 1], False, 240, 2)
    return np.clip(1.5 * _blurred(found.astype(np.float32), 0), 0, 255).astype(np.uint8), gt


def many(shape: tuple[int, int], rng: np.random.Generator) -> Pair:
    """Several hundred small targets."""
    found, gt = _blobs(shape, rng, 400, 0.008)
    return np.clip(1.3 * _blurred(found.astype(np.float32), 0), 0, 255).astype(np.uint8), gt


def noise(shape: tuple[int, int], rng: np.random.Generator) -> Pair:
    """Independent pixels: nothing for a cache or a branch predictor to learn."""
    gt = np.where(rng.random(shape) < 0.3, 255, 0).astype(np.uint8)
    return rng.integers(0, 256, shape, dtype=np.uint8), gt


def hair(shape: tuple[int, int], strands: int) -> Pair:
    """Strands of one or two pixels that wander down the image; some are missed, some misplaced."""
    rng = np.random.default_rng([strands, *shape])
    gt, pred = _mask(shape), _mask(shape)
    height, width = shape
    rows = np.linspace(0, height - 1, max(2, height // 40))
    for _ in range(strands):
        turns = rng.normal(rng.normal(0, 4), 8, rows.size).cumsum()
        line = np.stack([rng.uniform(0, width) + turns, rows], axis=1).astype(np.int32)[:, None]
        thick, fate = int(rng.integers(1, 3)), rng.random()
        cv2.polylines(gt, [line], False, 255, thick)
        if fate < 0.85:
            aside = np.array([12, 0], np.int32) if fate < 0.2 else np.zeros(2, np.int32)
            cv2.polylines(pred, [line + aside], False, 255, thick)
    return pred, gt


def photograph(gt: np.ndarray, seed: int = 0) -> np.ndarray:
    """Return an RGB image, uint8 (H, W, 3), in which the truth differs a little in colour."""
    rng = np.random.default_rng([seed, *gt.shape])
    coarse = rng.normal(128, 60, (12, 16, 3)).astype(np.float32)
    image = cv2.resize(coarse, gt.shape[::-1], interpolation=cv2.INTER_CUBIC)
    image += rng.normal(0, 10, image.shape).astype(np.float32)
    image += (gt > 128)[..., None] * np.array([18, -12, 6], np.float32)
    return np.clip(image, 0, 255).astype(np.uint8)


CONTENTS: dict[str, Callable[[tuple[int, int], np.random.Generator], Pair]] = {
    "flat": flat,
    "maps": maps,
    "smooth": smooth,
    "thin": thin,
    "many": many,
    "noise": noise,
}


def pair(content: str, shape: tuple[int, int], seed: int = 0) -> Pair:
    """Return (prediction, ground truth), uint8 (H, W); the ground truth holds 0 and 255."""
    pred, gt = CONTENTS[content](shape, np.random.default_rng([seed, *shape]))
    return np.ascontiguousarray(pred), np.ascontiguousarray(gt)
