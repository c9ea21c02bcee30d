"""A small benchmark made from nothing: masks, and the maps of a better and a worse method.

Integers and NumPy's frozen legacy generator only, so that every machine makes the same pixels and
the demonstration can be compared with its printed result.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from fastsegmetrics.bulk.files import replace_file
from fastsegmetrics.errors import InputError
from fastsegmetrics.io import printable
from fastsegmetrics.io.png_writer import png_bytes

METHODS = ("careful", "hasty")

_SIZES = ((240, 320), (320, 240), (256, 256), (200, 300))


class Habits(NamedTuple):
    """How a method errs: blur radius, shift in pixels, noise amplitude, share of objects missed
    and share of false objects (both in per cent)."""

    blur: int
    shift: int
    noise: int
    missed: int
    invented: int


_HABITS = {"careful": Habits(3, 1, 12, 4, 8), "hasty": Habits(9, 5, 40, 15, 35)}


def make_benchmark(directory: str | Path, n: int = 24, *, seed: int = 2024) -> dict[str, Path]:
    """Write ground truths and the maps of two methods as PNG files.

    Parameters
    ----------
    directory : path
        Gets the folders `gt`, `careful` and `hasty`.  Where they hold anything that this benchmark
        does not, nothing is written.
    n : int
        Number of images.
    seed : int
        Another seed, another benchmark.

    Returns
    -------
    dict of str to Path
        The three folders by name.

    Raises
    ------
    InputError
        When a folder holds another file, or a file cannot be written.
    """
    root = Path(directory)
    folders = {name: root / name for name in ("gt", *METHODS)}
    _require_own(folders, n, seed)
    for index in range(n):
        for folder, data in _scene(index, seed).items():
            replace_file(folders[folder] / _name(index), data)
    return folders


def _require_own(folders: dict[str, Path], n: int, seed: int) -> None:
    """Refuse folders that hold what the benchmark does not: they are somebody's data set."""
    names = {_name(index): index for index in range(n)}
    there: dict[int, list[Path]] = {}
    for folder in folders.values():
        for path in _entries(folder):
            if path.name not in names:
                raise _not_own(path)
            there.setdefault(names[path.name], []).append(path)
    for index, paths in there.items():
        scene = _scene(index, seed)
        for path in paths:
            try:
                same = path.read_bytes() == scene[path.parent.name]
            except OSError as error:
                raise InputError(f"{printable(path)}: cannot be read ({error.strerror})") from error
            if not same:
                raise _not_own(path)


def _entries(folder: Path) -> list[Path]:
    """Return what a folder holds, hidden files left out; nothing if there is none."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except FileNotFoundError:
        return []


def _not_own(path: Path) -> InputError:
    return InputError(
        f"{printable(path)} is not of this demo, which writes into no other data set; choose "
        f"another folder"
    )


def _name(index: int) -> str:
    return f"scene_{index:03d}.png"


def _scene(index: int, seed: int) -> dict[str, bytes]:
    """Return the files of one scene by folder, the truth first."""
    random = np.random.RandomState(seed + index)
    objects = _objects(random, _SIZES[index % len(_SIZES)])
    truth = np.any(objects, axis=0)
    preds = {method: _prediction(random, objects, _HABITS[method]) for method in METHODS}
    maps = {"gt": truth.astype(np.uint8) * 255, **preds}
    return {folder: png_bytes(pixels) for folder, pixels in maps.items()}


def _objects(random: np.random.RandomState, shape: tuple[int, int]) -> np.ndarray:
    count = 1 + random.randint(0, 3)
    return np.stack([_one_object(random, shape) for _ in range(count)])


def _one_object(random: np.random.RandomState, shape: tuple[int, int]) -> np.ndarray:
    height, width = shape
    rows, columns = np.ogrid[:height, :width]
    r = rows - random.randint(height // 5, 4 * height // 5)
    c = columns - random.randint(width // 5, 4 * width // 5)
    a = random.randint(height // 12, height // 4)
    b = random.randint(width // 12, width // 4)
    # A rotation by the Pythagorean triple 3-4-5 keeps everything in integers.
    u, v = ((5 * r, 5 * c), (3 * r + 4 * c, 4 * r - 3 * c), (4 * r - 3 * c, 3 * r + 4 * c))[
        random.randint(0, 3)
    ]
    kind = random.randint(0, 3)
    if kind == 0:
        return u * u * b * b + v * v * a * a <= 25 * a * a * b * b
    if kind == 1:
        return (np.abs(u) <= 5 * a) & (np.abs(v) <= 5 * b)
    ring = u * u * b * b + v * v * a * a
    return (ring <= 25 * a * a * b * b) & (ring >= 9 * a * a * b * b)


def _prediction(random: np.random.RandomState, objects: np.ndarray, habits: Habits) -> np.ndarray:
    found = [o for o in objects if random.randint(0, 100) >= habits.missed]
    shape = objects.shape[1:]
    level = np.zeros(shape, dtype=np.int64)
    for one in found:
        np.maximum(level, one * random.randint(170, 256), out=level)
    if random.randint(0, 100) < habits.invented:
        np.maximum(level, _one_object(random, shape) * random.randint(60, 200), out=level)
    level = np.roll(level, (habits.shift, -habits.shift), axis=(0, 1))
    level = _box_blur(_box_blur(level, habits.blur), habits.blur)
    noise = random.randint(-habits.noise, habits.noise + 1, size=shape)
    return np.clip(level + _box_blur(noise, 1), 0, 255).astype(np.uint8)


def _box_blur(level: np.ndarray, radius: int) -> np.ndarray:
    side = 2 * radius + 1
    for axis in (0, 1):
        margins = [(radius + 1, radius) if i == axis else (0, 0) for i in (0, 1)]
        total = np.cumsum(np.pad(level, margins, mode="edge"), axis=axis)
        ends = np.take(total, np.arange(side, total.shape[axis]), axis=axis)
        starts = np.take(total, np.arange(total.shape[axis] - side), axis=axis)
        level = (ends - starts) // side
    return level


def _write(path: Path, grey: np.ndarray) -> None:
    data = png_bytes(grey)
    if not (path.is_file() and path.read_bytes() == data):
        path.write_bytes(data)
