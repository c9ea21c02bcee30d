"""The benchmarks run, miss no kernel, and their tables say what was measured. Nothing is timed."""

from __future__ import annotations

import inspect
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from asv_bench.benchmarks import captured, kernels, matching, metrics, scenes
from fastsegmetrics.catalog import SCORES

#: Steps of other kernels, timed as part of them; and what needs contents of its own.
NOT_CAUGHT = {
    "bitmask.dilate_within", "bitmask.frame", "bitmask.lowest_place", "bitmask.unpack",
    "colour.delta_e_2000", "colour.lab", "contour.border_points", "contour.find_borders",
    "contour.listing_order", "contour.simplify", "gaussian.gaussian_line", "label.paint_runs",
    "matching.intersection_over_union", "matching.opdc", "matching.qualities",
    "matching.without_candidate", "patches.nearest_by_products",
}  # fmt: skip

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def speed(monkeypatch):
    """The parts of tools/compare_peers.py that need no peer."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    from speed import report, rows, timing

    class Parts:
        Row, markdown, put_into = rows.Row, report.markdown, report.put_into
        text_table, in_turn = rows.text_table, timing.in_turn

    return Parts


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
    for content in ("comb", "smooth", "noise"):
        caught |= set(captured.captured(*scenes.pair(content, 96)))
    assert set(captured.spatial_kernels()) - caught <= NOT_CAUGHT


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


def test_contestants_take_turns(speed) -> None:
    turns = []
    ticks = itertools.count()
    times = speed.in_turn(
        {"a": lambda: turns.append("a"), "b": lambda: turns.append("b")},
        least_rounds=3, seconds=0, clock=lambda: float(next(ticks)),
    )  # fmt: skip
    # One call to warm up and one to learn its duration, then a slice each, three times.
    assert "".join(turns) == "aabb" + 3 * "ab"
    assert times.rounds == {"a": [1.0] * 3, "b": [1.0] * 3}
    assert times.ratio("a", "b") == 1.0


def test_ratio_is_the_median_of_the_rounds(speed) -> None:
    ticks = iter([0, 1, 0, 1, 0, 10, 0, 2, 0, 90, 0, 3, 0, 8, 0, 4])
    calls = {"a": lambda: None, "b": lambda: None}
    times = speed.in_turn(calls, least_rounds=3, seconds=0, clock=lambda: float(next(ticks)))
    assert times.median("a") == 10.0
    assert times.ratio("a", "b") == 5.0


def rows(speed) -> list:
    made = speed.Row
    return [
        made("native", "mae", 30.0, "x", "at least", 10, "5×7", "flat", {"peer": 3, "native": 0.1}),
        made("native", "mae", 7.5, "x", "at least", 10, "5×7", "noise", {"peer": 3, "native": 0.4}),
        made("decoding", "family", 0.1, "ratio", "at most", 0.15, "5×7", "flat"),
        made("decoding", "family", 0.2, "ratio", "at most", 0.15, "5×7", "noise"),
        made("cold", "import", 0.0123, "s", "at most", 0.15),
        made("cold", "import of the peer", 0.9, "s"),
    ]


def test_losses_are_printed_like_wins(speed) -> None:
    data = {
        "environment": {"processor": "a processor", "numpy": "2.0"},
        "rows": json.loads(json.dumps([row.to_dict() for row in rows(speed)])),
    }
    assert [row["met"] for row in data["rows"]] == [True, False, True, False, True, None]
    table = speed.markdown(data)
    assert "| mae | **15.0× (7.50× noise) missed** |" in table
    assert "| family | ≤ 0.15 | **0.141 (0.200 noise) missed** |" in table
    assert "| import | 0.0123 s | ≤ 0.15 | met |" in table
    assert "| import of the peer | 0.900 s |  |  |" in table
    assert "Measured on a processor with numpy 2.0." in table
    assert "| family | 5×7 | noise | 0.200 | ≤ 0.15 | **missed** |" in speed.markdown(
        data, full=True
    )
    second = speed.text_table(rows(speed)).splitlines()[1].split()
    assert " ".join(second) == "mae 5×7 noise 7.50× ≥ 10 MISSED [ms: peer 3, native 0.4]"


def test_a_table_is_put_where_the_document_has_a_place_for_it(speed) -> None:
    document = "before\n<!-- speed table -->\nold\n<!-- end -->\nafter\n"
    found = speed.put_into(document, "new")
    assert found == "before\n<!-- speed table -->\nnew\n<!-- end -->\nafter\n"
    with pytest.raises(ValueError, match="speed table"):
        speed.put_into("nothing here", "new")
    assert speed.put_into((ROOT / "README.md").read_text(encoding="utf-8"), "new")
