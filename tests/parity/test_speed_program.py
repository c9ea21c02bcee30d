"""The command that measures speed beside the peer leaves out none of its classes. Nothing is timed
in earnest."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import py_sod_metrics as peer
import pytest

pytestmark = pytest.mark.filterwarnings("ignore")
TOOLS = Path(__file__).resolve().parents[2] / "tools"
#: Other names of recall and specificity, measured among the thirteen handlers.
ALIASES = {"SensitivityHandler", "TPRHandler", "TNRHandler"}


@pytest.fixture
def program(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    from speed import hair, program

    monkeypatch.setattr(hair, "SIZE", (120, 160))
    return program


def test_every_class_is_measured(program, tmp_path, capsys):
    written = tmp_path / "speed.json"
    program.main(
        "", ["--quick", "--sections", "scores", "spatial", "decoding", "hair", "--sizes", "40x50",
             "--contents", "maps", "--json", str(written)],
    )  # fmt: skip
    printed = capsys.readouterr().out
    data = json.loads(written.read_text(encoding="utf-8"))
    by_way = {way: {row["name"] for row in data["rows"] if row["section"] == way}
              for way in ("native", "compat", "warm")}  # fmt: skip
    assert by_way["native"] == by_way["compat"] == by_way["warm"]
    classes = {name for name, value in vars(peer).items() if inspect.isclass(value)}
    assert len(classes) >= 24
    for name in classes - ALIASES:
        assert any(name in row for row in by_way["native"]), name
    whole = [row for row in data["rows"] if row["name"].startswith("whole module")]
    # Not all sizes and contents: nothing to hold a target to.
    assert [row["size"] for row in whole] == ["40×50", "all sizes"] * 3 + [""] * 3
    assert [row["target"] for row in whole] == [None] * 9
    sections = {row["section"] for row in data["rows"]}
    assert sections == {"native", "compat", "warm", "module", "no peer", "decoding", "hair"}
    for section, title in program.TITLES.items():
        assert (title in printed) == (section in sections)


def test_every_class_of_targets_is_measured(program, monkeypatch):
    targets = pytest.importorskip("speed.targets")
    peer = pytest.importorskip("py_irstd_metrics")
    asked = []

    class Module:
        def __getattr__(self, name):
            asked.append(name)
            return getattr(peer, name)

    pred, gt = targets.scene((40, 50), 5)
    for ways in targets.contestants(Module(), bins=(4,)).values():
        ways.peer(pred, gt)
    wanted = {name for name in vars(peer) if "Rate" in name or name.startswith(("Match", "Hier"))}
    assert wanted <= set(asked)
    rows = list(targets.run(0.01, {(40, 50): (0, 3)}))
    names = {row.name for row in rows}
    assert len(rows) == 2 * len(names) == 2 * 7 * 3
    assert {row.section for row in rows} == {"targets"}
    assert {row.target for row in rows if row.name.endswith("our functions")} == {None, 20, 50}


def test_rows_are_chosen_by_words(program, tmp_path):
    written = tmp_path / "speed.json"
    program.main(
        "", ["--quick", "--sections", "scores", "spatial", "--sizes", "20x30", "--contents", "flat",
             "--rows", "weighted_f", "iouhandler", "--json", str(written)],
    )  # fmt: skip
    rows = json.loads(written.read_text(encoding="utf-8"))["rows"]
    names = {row["name"] for row in rows if row["section"] == "native"}
    assert names == {"weighted_f (WeightedFmeasure)", "iou (IOUHandler)"}


def test_surfaces_are_measured_beside_all_their_peers(program, monkeypatch):
    pytest.importorskip("mikan")
    pytest.importorskip("medpy")
    surfaces = pytest.importorskip("speed.surfaces")
    monkeypatch.setattr(surfaces, "PLANE", (40, 50))
    monkeypatch.setattr(surfaces, "SHAPE", (12, 14, 16))
    monkeypatch.setattr(surfaces, "SHIFT", 3)
    monkeypatch.setattr(surfaces, "LARGE", 24)
    monkeypatch.setattr(surfaces, "brain_pair", lambda: None)
    rows = list(surfaces.run(0.001))
    peers = {name for name in surfaces.TARGETS[3, "near"]}
    assert peers == {"surface-distance", "medpy", "mikan-rs", "k-d tree", "scikit-image"}
    for content in ("folded volume, near", "folded volume, shifted"):
        found = {row.name.split(" / ")[1] for row in rows if row.content == content}
        # Centre lines have no surface that could be far away.
        assert found == (peers if content.endswith("near") else peers - {"scikit-image"})
    planes = {row.name.split(" / ")[1] for row in rows if row.size == "40×50"}
    assert planes == peers - {"mikan-rs"}
    peaks = [row for row in rows if row.unit == "GB"]
    assert [row.content for row in peaks] == ["folded, near", "folded, shifted", "folded, far"]
    # The peak of a whole process in GB, not in bytes or kilobytes.
    assert all(0.05 < row.figure < 3 and row.met for row in peaks)


def test_the_module_counts_each_class_once(program):
    from speed import module
    from speed.rows import Row

    def row(name: str, figure: float) -> Row:
        return Row("warm", name, figure, "x", size="512×512", content="maps")

    rows = [
        row("mae (MAE)", 50.0),
        *(row(f"{name} ({name}Handler, beta=1)", 20.0) for name in ("f1", "iou", "dice")),
        row("13 handlers together", 20.0),
        row("ms_iou, 257 levels too (MSIoU, dynamic)", 1000.0),
        row("ms_iou, fixed (MSIoU)", 10.0),
        row("paper table (MAE, S, E, F, weighted F)", 7.0),
        row("mae (MAE), float64 map", 1.0),
    ]
    found = {one.name: one for one in module.run(rows, complete=True)}
    whole = found["whole module: functions, truth prepared"]
    assert whole.figure == pytest.approx((50 * 20 * 100) ** (1 / 3))
    assert (whole.target, whole.met) == (100.0, False)
    every = found["whole module, each handler a row: functions, truth prepared"]
    assert every.figure == pytest.approx((50 * 20**4 * 1000 * 10 * 7) ** (1 / 8))
    assert every.target is None
