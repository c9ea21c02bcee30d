"""The benchmarks run and miss no kernel. Nothing is timed."""

from __future__ import annotations

import inspect
import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from asv_bench.benchmarks import captured, kernels, matching, metrics, scenes
from fastsegmetrics.catalog import SCORES

#: Steps of other kernels, timed as part of them.
NOT_CAUGHT = {
    "bitmask.dilate_within", "bitmask.frame", "bitmask.lowest_place", "bitmask.unpack",
    "colour.delta_e_2000", "colour.lab", "contour.border_points", "contour.find_borders",
    "contour.listing_order", "contour.simplify", "label.paint_runs",
    "matching.intersection_over_union", "matching.opdc", "matching.qualities",
    "matching.without_candidate", "tiles.kernel_spectrum",
}  # fmt: skip

ROOT = Path(__file__).resolve().parent.parent


def test_asv_check() -> None:
    done = subprocess.run(
        [
            sys.executable, "-m", "asv", "--config", "asv_bench/asv.conf.json", "check",
            "-E", f"existing:{sys.executable}",
        ],
        env={**os.environ, "ASV_PYTHONPATH": str(ROOT)}, cwd=ROOT,
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No problems found" in done.stdout


def test_every_kernel_has_a_benchmark() -> None:
    by_hand = {name for module in captured.BY_HAND for name in captured.public_kernels(module)}
    assert {row.split()[0] for row in (*kernels.KERNELS, *matching.KERNELS)} == by_hand
    caught: set[str] = set()
    kernels_, contents, _ = captured.SpatialKernels.params
    for content in contents:
        # From 96 pixels on surfaces lie far enough apart for every way to look for them.
        side = 96 if content == "blank" else 64
        caught |= set(captured.captured(*scenes.pair(content, side)))
    assert set(kernels_) - caught <= NOT_CAUGHT


def test_caught_kernels_run_again() -> None:
    benchmark = captured.SpatialKernels()
    benchmark.setup("edges.edge_pyramid", "comb", 32)
    benchmark.time_call("edges.edge_pyramid", "comb", 32)


@pytest.mark.parametrize("content", ["blank", "noise"])
@pytest.mark.parametrize("kernel", kernels.KERNELS)
def test_kernel_benchmarks_run(kernel: str, content: str) -> None:
    benchmark = kernels.Kernels()
    benchmark.setup(kernel, content, 32)
    benchmark.time_call(kernel, content, 32)


@pytest.mark.parametrize("layout", matching.LAYOUTS)
@pytest.mark.parametrize("kernel", matching.KERNELS)
def test_matching_benchmarks_run(kernel: str, layout: str) -> None:
    benchmark = matching.Matching()
    benchmark.setup(kernel, layout, 5)
    benchmark.time_call(kernel, layout, 5)


@pytest.mark.parametrize("family", ["Scores", "Suites", "Forms", "Compat", "Results"])
def test_metric_benchmarks_run(family: str) -> None:
    made = getattr(metrics, family)
    *choices, sizes = made.params
    assert len(sizes) > 1
    for chosen in itertools.product(*choices):
        benchmark = made()
        benchmark.setup(*chosen, 16)
        for name, method in inspect.getmembers(benchmark, inspect.ismethod):
            if name.startswith("time_"):
                method(*chosen, 16)


def test_every_score_is_benchmarked() -> None:
    assert set(metrics.Scores.params[0]) == set(SCORES)
