"""The parts of tools/compare_peers.py that need no peer. Nothing is timed."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def speed(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    from speed import contents, report, rows, timing, volumes

    return SimpleNamespace(
        contents=contents, report=report, rows=rows, timing=timing, volumes=volumes
    )


class Clock:
    """What a contestant's call adds to, and what is read as the time."""

    def __init__(self) -> None:
        self.time = 0.0
        self.turns: list[str] = []

    def call(self, name: str, *seconds: float):
        durations = itertools.chain(seconds[:-1], itertools.repeat(seconds[-1]))

        def made() -> None:
            self.turns.append(name)
            self.time += next(durations)

        return made

    def __call__(self) -> float:
        return self.time


def test_contestants_take_turns(speed) -> None:
    clock = Clock()
    times = speed.timing.in_turn(
        {"a": clock.call("a", 5, 1), "b": clock.call("b", 5, 2)},
        least_rounds=3, seconds=0, clock=clock,
    )  # fmt: skip
    # One call to warm up and one to learn its duration, then a slice each, three times.
    assert "".join(clock.turns) == "aabb" + 3 * "ab"
    assert times.rounds == {"a": [1.0] * 3, "b": [2.0] * 3}
    assert times.ratio("a", "b") == 0.5


def test_short_calls_are_made_as_often_before_a_slice_as_in_it(speed) -> None:
    clock = Clock()
    calls = {"a": clock.call("a", 1.0), "b": clock.call("b", 0.001)}
    times = speed.timing.in_turn(calls, least_rounds=2, seconds=0, clock=clock)
    assert "".join(clock.turns) == "aabb" + 2 * "abbbb"
    assert times.median("b") == pytest.approx(0.001)


def test_ratio_is_the_median_of_the_rounds(speed) -> None:
    clock = Clock()
    calls = {"a": clock.call("a", 1, 1, 10, 90, 8), "b": clock.call("b", 1, 1, 2, 3, 4)}
    times = speed.timing.in_turn(calls, least_rounds=3, seconds=0, clock=clock)
    assert times.median("a") == 10.0
    assert times.ratio("a", "b") == 5.0


@pytest.mark.parametrize(
    ("lasts", "slow_calls", "rounds"), [(9.0, 1, 1), (1.5, 2, 2), (0.1, 1 + 2 + 5, 5)]
)
def test_a_slow_contestant_has_few_rounds(speed, lasts, slow_calls, rounds) -> None:
    clock = Clock()
    calls = {"slow": clock.call("slow", lasts), "quick": clock.call("quick", lasts / 4)}
    times = speed.timing.beside("slow", calls, patience=4, seconds=0, clock=clock)
    assert clock.turns.count("slow") == slow_calls
    assert len(times.rounds["slow"]) == len(times.rounds["quick"]) == rounds
    assert times.ratio("slow", "quick") == pytest.approx(4)


def rows(made) -> list:
    times = {"peer": 3, "native": 0.1}
    ten = "at least", 10
    return [
        made("native", "mae", 30.0, "x", *ten, "5×7", "flat", times),
        made("native", "mae", 7.5, "x", *ten, "5×7", "noise", {"peer": 3, "native": 0.4}),
        made("native", "iou (IOUHandler)", 20.0, "x", *ten, "5×7", "flat", times),
        made("native", "dice (DICEHandler)", 45.0, "x", *ten, "5×7", "flat", times),
        made("native", "13 handlers together", 12.0, "x", *ten, "5×7", "flat", times),
        made("compat", "mae", 12.0, "x", *ten, "5×7", "flat", times),
        made("compat", "mae", 27.0, "x", *ten, "70×90", "flat", times),
        made("warm", "mae", 40.0, "x", size="5×7", content="flat", times_ms=times),
        made("module", "mae: import changed", 18.0, "x", size="5×7", content="worst 12.0× flat"),
        made("module", "whole module: import changed", 49.0, "x", "at least", 50.0),
        made("decoding", "family", 0.1, "ratio", "at most", 0.15, "5×7", "flat"),
        made("decoding", "family", 0.2, "ratio", "at most", 0.15, "5×7", "noise"),
        made("decoding", "all", 9.0, "ratio", size="5×7", content="flat"),
        made("decoding", "all", 9.0, "ratio", "at most", 15, "70×90", "flat"),
        made("no peer", "difficulty", 2.0, "ms", size="5×7", content="flat"),
        made("no peer", "difficulty", 8.0, "ms", size="5×7", content="noise"),
        made("targets", "hIoU: our functions", 32.0, "x", "at least", 20, "5×7", "5 targets"),
        made("targets", "hIoU: our functions", 8.0, "x", "at least", 20, "5×7", "9 targets"),
        made("targets", "hIoU: import changed", 7.0, "x", size="5×7", content="5 targets"),
        made("targets", "Pd: our functions", 50.0, "x", size="5×7", content="5 targets"),
        made("targets", "Pd: import changed", 6.0, "x", size="5×7", content="5 targets"),
        made("hair", "hce, peak memory", 0.25, "GB", "at most", 1.5, "5×7", "hair"),
        made("cold", "import", 0.0123, "s", "at most", 0.15),
        made("cold", "import of the peer", 0.9, "s"),
    ]


@pytest.fixture
def data(speed) -> dict:
    dicts = [row.to_dict() for row in rows(speed.rows.Row)]
    return {
        "environment": {"processor": "a processor", "numpy": "2.0"},
        "rows": json.loads(json.dumps(dicts)),
    }


def test_losses_are_printed_like_wins(speed, data) -> None:
    assert [row["met"] for row in data["rows"][:2]] == [True, False]
    table = speed.report.markdown(data)
    for line in (
        "|  | 5×7 | import changed | truth prepared |",
        "| mae | **15.0× (7.50× noise) missed** | 18.0× (12.0× flat 5×7) | 40.0× |",
        "| one handler (FmeasureV2) | 30.0× (20.0× flat) |  |  |",
        "| 13 handlers together | 12.0× |  |  |",
        "| whole module: import changed | 49.0× | ≥ 50 | **missed** |",
        "| family | ≤ 0.15 | **0.141 (0.200 noise) missed** |  |",
        "| all | ≤ 15 | 9.00 | 9.00 |",
        "| difficulty | 4.00 ms (8.00 ms noise) |",
        "|  | target | 5×7 | import changed |",
        "| hIoU | ≥ 20 | **16.0× (8.00× 9 targets) missed** | 7.00× |",
        "| Pd |  | 50.0× | 6.00× |",
        "| hce, peak memory | 5×7 | hair | 0.250 GB | ≤ 1.5 | met |",
        "| import | 0.0123 s | ≤ 0.15 | met |",
        "| import of the peer | 0.900 s |  |  |",
    ):
        assert line in table.splitlines()
    assert "Measured on a processor with numpy 2.0." in table
    assert "mae: import changed" not in table


def test_the_full_tables_have_a_line_for_each_class_and_way(speed, data) -> None:
    lines = speed.report.markdown(data, full=True).splitlines()
    assert "| family | 5×7 | noise | 0.200 | ≤ 0.15 | **missed** |" in lines
    assert "| iou (IOUHandler) | 20.0× |" in lines
    assert "| mae | 12.0× | 27.0× |" in lines
    assert "| mae | 40.0× |" in lines


def test_text_table(speed) -> None:
    second = speed.rows.text_table(rows(speed.rows.Row)).splitlines()[1].split()
    assert " ".join(second) == "mae 5×7 noise 7.50× ≥ 10 MISSED [ms: peer 3, native 0.4]"


def test_a_table_is_put_where_the_document_has_a_place_for_it(speed) -> None:
    document = "before\n<!-- speed table -->\nold\n<!-- end -->\nafter\n"
    found = speed.report.put_into(document, "new")
    assert found == "before\n<!-- speed table -->\nnew\n<!-- end -->\nafter\n"
    with pytest.raises(ValueError, match="speed table"):
        speed.report.put_into("nothing here", "new")
    assert speed.report.put_into((ROOT / "README.md").read_text(encoding="utf-8"), "new")


def test_folded_volumes_are_near_each_other_until_one_is_shifted(speed) -> None:
    pair = speed.volumes.folded_pair((30, 41, 37))
    assert pair[0].shape == (30, 41, 37)
    assert 0.05 < pair[0].mean() < pair[1].mean() < 0.5
    assert not (pair[0] & ~pair[1]).any()
    moved = speed.volumes.shifted(pair, 8)
    assert (moved[0] & ~moved[1]).sum() > pair[0].sum() / 4
    np.testing.assert_array_equal(moved[0][8], pair[0][0])
    assert speed.volumes.folded_pair((20, 22))[1].shape == (20, 22)


def test_the_brain_is_left_out_where_it_is_not_installed(speed, monkeypatch, tmp_path) -> None:
    missing = {"nilearn": None, "nibabel": True}
    monkeypatch.setattr(speed.volumes, "find_spec", missing.get)
    assert speed.volumes.brain_pair() is None
    # A package without the map.
    missing["nilearn"] = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    assert speed.volumes.brain_pair() is None


def test_hair_is_thin_and_a_photograph_shows_the_object(speed) -> None:
    pred, gt = speed.contents.hair((200, 300), 12)
    assert pred.shape == gt.shape == (200, 300)
    assert set(np.unique(gt)) == set(np.unique(pred)) == {0, 255}
    assert 0.01 < (gt > 0).mean() < 0.2
    assert (pred != gt).any()
    again = speed.contents.hair((200, 300), 12)
    np.testing.assert_array_equal(again, (pred, gt))
    image = speed.contents.photograph(gt)
    assert image.shape == (200, 300, 3)
    assert image.dtype == np.uint8
    plain = speed.contents.photograph(np.zeros_like(gt)).astype(int)
    assert (image != plain)[gt == 0].sum() == 0
    assert (image != plain)[gt > 0].mean() > 0.9
