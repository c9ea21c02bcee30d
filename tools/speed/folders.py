"""A folder run from end to end beside only decoding its files; two workers beside one."""

from __future__ import annotations

import itertools
import os
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import deflate

import fastsegmetrics as fsm
from fastsegmetrics.io import read_map, read_mask
from speed.contents import pair
from speed.contestants import by_sides
from speed.rows import Row
from speed.timing import in_turn

#: Over reading.  The paper's table has weighted F in it and may cost what decoding costs (section
#: ``decoding``), on top of decoding.
MOST = {"sweep": 1.3, "sod": 2.0}
LEAST_OF_TWO = 1.8


def run(
    count: int,
    size: tuple[int, int],
    contents: list[str],
    rounds: int,
    own: tuple[Path, Path] | None = None,
) -> Iterator[Row]:
    """Yield the figures of folders of `count` pairs of each content, and of `own` (gt, pred)."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        for content in contents:
            folders = _written(root / content, content, count, size)
            yield from _measured(folders, by_sides((count, *size)), content, root, rounds)
        if own is not None:
            names = sum(1 for path in own[0].iterdir() if path.is_file())
            yield from _measured(own, f"{names} files", "own files", root, rounds)


def _written(root: Path, content: str, count: int, size: tuple[int, int]) -> tuple[Path, Path]:
    folders = root / "gt", root / "pred"
    for folder in folders:
        folder.mkdir(parents=True)
    for seed in range(count):
        pred, gt = pair(content, size, seed)
        # Level 6 with all filters tried is what Pillow, and so most training code, writes.
        for folder, image in zip(folders, (gt, pred), strict=True):
            cv2.imwrite(
                str(folder / f"{seed:04d}.png"), image,
                [cv2.IMWRITE_PNG_COMPRESSION, 6, cv2.IMWRITE_PNG_STRATEGY,
                 cv2.IMWRITE_PNG_STRATEGY_DEFAULT],
            )  # fmt: skip
    return folders


def _measured(
    folders: tuple[Path, Path], size: str, content: str, root: Path, rounds: int
) -> Iterator[Row]:
    gt, pred = folders
    truths = sorted(path for path in gt.iterdir() if path.is_file())
    by_stem = {path.stem: path for path in pred.iterdir()}
    files = [(truth, by_stem[truth.stem]) for truth in truths]
    fresh = (root / f"run-{content.replace(' ', '-')}-{i}" for i in itertools.count())

    def evaluate(metrics: str, workers: int = 1, keep: bool = False) -> Callable[[], object]:
        return lambda: fsm.evaluate_folders(
            gt, {"m": pred}, metrics=metrics, workers=workers, out=next(fresh) if keep else None
        )

    times = in_turn(
        {
            "read": lambda: [(read_mask(t), read_map(p)) for t, p in files],
            "cv2": lambda: [
                (_read_by_opencv(t), _read_by_opencv(p)) for t, p in files
            ],
            "sod": evaluate("sod"),
            "sod, out": evaluate("sod", keep=True),
            "sweep": evaluate("sweep"),
            "sweep, out": evaluate("sweep", keep=True),
            "sod, 2 workers": evaluate("sod", workers=2),
            "sod, out, 2 workers": evaluate("sod", workers=2, keep=True),
            "sweep, 2 workers": evaluate("sweep", workers=2),
            "inflating": lambda: _inflate_in_threads(1),
            "inflating, 2 workers": lambda: _inflate_in_threads(2),
        },
        least_rounds=rounds,
        seconds=0,
        clock=time.perf_counter,
    )  # fmt: skip
    for way in ("sweep", "sweep, out", "sod", "sod, out"):
        for reader, words in (("read", "reading"), ("cv2", "reading with OpenCV")):
            yield Row(
                "folders", f"evaluate ({way}) / {words}", times.ratio(way, reader), "ratio",
                "at most", MOST[way.partition(",")[0]], size, content,
                {"evaluate": 1e3 * times.median(way), reader: 1e3 * times.median(reader)},
            )  # fmt: skip
    # What two threads gain that share nothing and hold no lock is what the machine had to give.
    for way in ("sod", "sod, out", "sweep", "inflating"):
        target = None if way == "inflating" else LEAST_OF_TWO
        both = f"{way}, 2 workers"
        yield Row(
            "folders", f"2 workers against 1 ({way})", times.ratio(way, both), "x",
            "at least" if target else "", target, size, content,
            {"1": 1e3 * times.median(way), "2": 1e3 * times.median(both)},
        )  # fmt: skip


def _read_by_opencv(path: Path) -> object:
    return cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)


# As much as a map of 512×512 holds: of buffers of megabytes the system takes the pages back each
# time, and two threads wait for each other to get them.
_PIXELS = os.urandom(1 << 14) * 16
_COMPRESSED = zlib.compress(_PIXELS, 1)


def _inflate_in_threads(threads: int) -> None:
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(_inflate, 400 // threads) for _ in range(threads)]:
            done.result()


def _inflate(times: int) -> None:
    for _ in range(times):
        deflate.zlib_decompress(_COMPRESSED, len(_PIXELS))
