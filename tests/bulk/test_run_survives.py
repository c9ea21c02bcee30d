"""A killed run loses nothing that was committed, and a long one does not grow."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fastsegmetrics.bulk.run import evaluate_folders
from fastsegmetrics.bulk.store import RunStore
from fastsegmetrics.io.png_writer import png_bytes

OUTPUTS = ("summary.json", "contract.json", "evaluation.json", "per_image.csv", "curves.csv")

# Commits after every sample, and waits to be killed after the 120th.
_WAITING_RUN = """
import sys, time
from fastsegmetrics.bulk import store
from fastsegmetrics.bulk.progress import Observer
from fastsegmetrics.bulk.run import evaluate_folders

store._COMMIT_EVERY = store._COMMIT_SHARE = 0.0

class Waiting(Observer):
    def advanced(self, done, skipped):
        if done == 120:
            print("ready", flush=True)
            time.sleep(600)

root, out, workers = sys.argv[1:]
evaluate_folders(root + "/gt", {"m": root + "/m"}, out=out, workers=int(workers),
                 progress=Waiting())
"""

# Kills itself at a moment of the run: after that many samples, or while that file is replaced.
_KILLED_RUN = """
import os, signal, sys
from fastsegmetrics.bulk.progress import Observer
from fastsegmetrics.bulk.run import evaluate_folders

root, out, moment = sys.argv[1:]

def die():
    os.kill(os.getpid(), signal.SIGKILL)

class Killer(Observer):
    def started(self, total, kept):
        if moment == "before the first":
            die()

    def advanced(self, done, skipped):
        if moment == str(done):
            die()

replace = os.replace

def killing(source, target):
    name = os.path.basename(target)
    if moment == "before " + name:
        die()
    replace(source, target)
    if moment == "after " + name:
        die()

os.replace = killing
evaluate_folders(root + "/gt", {"m": root + "/m"}, metrics="mae,f_beta", out=out, workers=2,
                 progress=Killer())
"""

_GROWTH = """
import os, sys
from fastsegmetrics.bulk.progress import Observer
from fastsegmetrics.bulk.run import evaluate_folders

class Memory(Observer):
    def advanced(self, done, skipped):
        if done in (1000, 2000):
            with open("/proc/self/statm") as file:
                print(int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE"), flush=True)

root, out = sys.argv[1:]
evaluate_folders(root + "/gt", {"m": root + "/m"}, metrics="mae,f_beta.max", out=out, workers=2,
                 progress=Memory())
"""


def _environment():
    package = Path(__file__).resolve().parents[2]
    paths = [str(package), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def _benchmark(root: Path, n: int, methods: tuple[str, ...], side: int) -> None:
    random = np.random.RandomState(3)
    for folder in ("gt", *methods):
        (root / folder).mkdir(parents=True)
    for i in range(n):
        truth = np.zeros((side, side + 3), np.uint8)
        truth[random.randint(0, side // 2) :, random.randint(0, side // 2) :] = 255
        (root / "gt" / f"{i:04d}.png").write_bytes(png_bytes(truth))
        for method in methods:
            noisy = np.clip(truth // 2 + random.randint(0, 128, truth.shape), 0, 255)
            (root / method / f"{i:04d}.png").write_bytes(png_bytes(noisy.astype(np.uint8)))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_run_continues_to_the_same_bytes(tmp_path, workers):
    _benchmark(tmp_path, 160, ("m",), 12)
    arguments = [
        sys.executable,
        "-c",
        _WAITING_RUN,
        str(tmp_path),
        str(tmp_path / "cut"),
        str(workers),
    ]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=_environment())
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.kill()
    process.stdout.close()
    assert process.wait() == -9
    assert not (tmp_path / "cut" / "summary.json").exists()
    with RunStore(tmp_path / "cut", create=False) as store:
        kept = len(list(store.pairs()))
    assert kept == 120
    evaluate_folders(tmp_path / "gt", {"m": tmp_path / "m"}, out=tmp_path / "cut")
    evaluate_folders(tmp_path / "gt", {"m": tmp_path / "m"}, out=tmp_path / "whole")
    for name in OUTPUTS:
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.parametrize(
    "moment",
    ["before the first", "1", "8", "before contract.json", "before curves.csv",
     "after per_image.csv", "before summary.json", "after summary.json"],
)  # fmt: skip
def test_a_run_killed_at_any_moment_continues_to_the_same_bytes(tmp_path, moment):
    _benchmark(tmp_path, 8, ("m",), 12)
    arguments = [sys.executable, "-c", _KILLED_RUN, str(tmp_path), str(tmp_path / "cut"), moment]
    assert subprocess.run(arguments, env=_environment()).returncode == -9
    whole = moment == "after summary.json"
    assert (tmp_path / "cut" / "summary.json").exists() == whole
    choices = {"gt": tmp_path / "gt", "preds": {"m": tmp_path / "m"}, "metrics": "mae,f_beta"}
    evaluate_folders(**choices, out=tmp_path / "cut")
    evaluate_folders(**choices, out=tmp_path / "whole")
    for name in OUTPUTS:
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    # Neither a journal nor a part of a file is left.
    left = {path.name for path in (tmp_path / "cut").iterdir()}
    assert left == {*OUTPUTS, "run.sqlite"}


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_memory_does_not_grow_with_the_number_of_images(tmp_path):
    _benchmark(tmp_path, 2000, ("m",), 64)
    # 17 million pixels are too many for kernels that are not compiled.
    compiled = {name: v for name, v in _environment().items() if name != "NUMBA_DISABLE_JIT"}
    done = subprocess.run(
        [sys.executable, "-c", _GROWTH, str(tmp_path), str(tmp_path / "run")],
        capture_output=True,
        text=True,
        check=True,
        env=compiled,
    )
    half, end = map(int, done.stdout.split())
    # Names and per-image values of 1,000 pairs: some 0.2 MB. One decoded map kept of each pair
    # would be 4 MB; the rows themselves are 2.7 MB.
    assert end - half < 1_200_000
    assert (tmp_path / "run" / "run.sqlite").stat().st_size > 5_400_000
