"""Import and first results, each in fresh processes."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from speed.rows import Row

_CLOCK = "import time; start = time.perf_counter(); "
_END = "; print(time.perf_counter() - start)"
_PAIR = (
    "import numpy as np; pred = np.arange(7500, dtype=np.uint8).reshape(75, 100); "
    "gt = np.roll(pred, 300); gt = np.where(gt > 128, 255, 0).astype(np.uint8); "
)


def first_result(metrics: str) -> str:
    """Return the program that imports, evaluates a pair and prints the seconds taken."""
    return (
        f"{_CLOCK}import fastsegmetrics as fsm; {_PAIR}evaluator = fsm.Evaluator({metrics!r}); "
        f"evaluator.update(pred, gt); evaluator.result(){_END}"
    )


def seconds(program: str, cache: Path | None = None) -> float:
    """Run a program in a fresh interpreter and return the number that it prints."""
    environment = dict(os.environ)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def run(repeats: int) -> Iterator[Row]:
    """Yield the cold figures, medians over fresh processes, the clock starting after Python's own
    start."""
    for module, target in (("fastsegmetrics", 0.15), ("numba", None), ("py_sod_metrics", None)):
        figure = statistics.median(
            seconds(f"{_CLOCK}import {module}{_END}") for _ in range(repeats)
        )
        yield Row("cold", f"import {module}", figure, "s", "at most" if target else "", target)
    peer = (
        f"{_CLOCK}import py_sod_metrics as m; {_PAIR}"
        "steps = [m.MAE(), m.Smeasure(), m.Emeasure(), m.Fmeasure()]; "
        f"[s.step(pred, gt) for s in steps]{_END}"
    )
    figure = statistics.median(seconds(peer) for _ in range(repeats))
    yield Row("cold", "first result of py_sod_metrics (MAE, S, E, F)", figure, "s")
    for metrics in ("mae", "sod", "sweep"):
        program = first_result(metrics)
        empty, warm = [], []
        for _ in range(max(1, repeats // 3)):
            with tempfile.TemporaryDirectory() as cache:
                empty.append(seconds(program, Path(cache)))
                warm += [seconds(program, Path(cache)) for _ in range(3)]
        yield Row(
            "cold", f"first result ({metrics}), empty cache", statistics.median(empty), "s",
            "at most", 12.0,
        )  # fmt: skip
        yield Row(
            "cold", f"first result ({metrics}), warm cache", statistics.median(warm), "s",
            "at most", 1.5,
        )  # fmt: skip
