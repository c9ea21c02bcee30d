"""Folder runs, and reading the same files alone."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from pathlib import Path

import fastsegmetrics as fsm
from fastsegmetrics.bulk.demo import png_bytes
from fastsegmetrics.io import read_map, read_mask

from .scenes import pair

PAIRS = 40


class Folders:
    params = (("smooth", "noise"), (1, 2), (False, True))
    param_names = ("content", "workers", "keep")

    def setup(self, content: str, workers: int, keep: bool) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="fastsegmetrics-bench-"))
        self.gt, self.pred = self.root / "gt", self.root / "pred"
        for folder, image in zip((self.pred, self.gt), pair(content, 512), strict=True):
            folder.mkdir()
            data = png_bytes(image)
            for i in range(PAIRS):
                (folder / f"{i:03d}.png").write_bytes(data)
        self.fresh = (self.root / f"run{i}" for i in itertools.count())
        self.time_evaluate(content, workers, keep)

    def teardown(self, content: str, workers: int, keep: bool) -> None:
        shutil.rmtree(self.root)

    def time_evaluate(self, content: str, workers: int, keep: bool) -> None:
        out = next(self.fresh) if keep else None
        fsm.evaluate_folders(self.gt, {"m": self.pred}, workers=workers, out=out)


class Reading:
    params = (("blank", "comb", "smooth", "noise"), (512, 1024))
    param_names = ("content", "side")

    def setup(self, content: str, side: int) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="fastsegmetrics-bench-"))
        self.files = [self.root / f"{i}.png" for i in range(2)]
        for path, image in zip(self.files, pair(content, side), strict=True):
            path.write_bytes(png_bytes(image))
        self.time_pair(content, side)

    def teardown(self, content: str, side: int) -> None:
        shutil.rmtree(self.root)

    def time_pair(self, content: str, side: int) -> None:
        read_map(self.files[0])
        read_mask(self.files[1])
