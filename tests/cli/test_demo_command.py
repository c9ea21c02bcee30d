"""`fastsegmetrics demo`."""

from __future__ import annotations

import sys

import pytest

from fastsegmetrics.bulk.demo import make_benchmark
from fastsegmetrics.catalog import SUITES


def test_demo(tmp_path, call):
    code, out, err = call("demo", "--out", tmp_path / "demo", "--n", 3)
    assert code == 0
    rows = {line.split()[0]: line for line in out.splitlines() if line[:5] in ("caref", "hasty")}
    assert rows["careful"].count("*") == len(SUITES["sod"])
    assert rows["hasty"].count("*") == 0
    command = next(line for line in err.splitlines() if line.startswith("$ "))
    assert call(*command.split()[2:])[1] == out
    run = tmp_path / "demo" / "run_3"
    pytest.importorskip("matplotlib")
    for stem in ("pr", "roc", "f_beta"):
        assert (run / f"{stem}.png").read_bytes().startswith(b"\x89PNG")


def test_fewer_images_than_are_there(tmp_path, call):
    make_benchmark(tmp_path / "demo", 3)
    code, out, err = call("demo", "--out", tmp_path / "demo", "--n", 2)
    assert (code, out) == (2, "")
    assert "holds a benchmark of 3 images already; --n 3 evaluates it" in err
    assert not (tmp_path / "demo" / "run_2").exists()


def test_a_data_set_of_ones_own_is_left_alone(tmp_path, call):
    own = [tmp_path / "gt" / f"{name}.png" for name in ("cat", "dog", "owl")]
    own[0].parent.mkdir()
    for path in own:
        path.write_bytes(b"mine")
    code, out, err = call("demo", "--out", tmp_path, "--n", 2)
    assert (code, out) == (2, "")
    assert err == (
        f"error: {own[0]} is not of this demo, which writes into no other data set; choose another "
        f"folder\n"
    )
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == own


def test_demo_without_matplotlib_says_which_extra(tmp_path, call, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    code, out, err = call("demo", "--out", tmp_path / "demo", "--n", 2)
    assert code == 0
    assert out
    assert "no curves drawn: drawing curves needs matplotlib" in err
    assert "fastsegmetrics[plot]" in err
