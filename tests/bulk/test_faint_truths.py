"""Ground truths that hold values but none above 128 count as empty, and the run says so."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fastsegmetrics import cli
from fastsegmetrics.bulk.progress import Observer
from fastsegmetrics.bulk.run import RunInterrupted, evaluate_folders
from fastsegmetrics.io.png_writer import png_bytes

_NAMES = ("c", "d")


def _write(path, values):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(png_bytes(np.array(values, np.uint8)))


@pytest.fixture
def folders(tmp_path):
    """`a` is whole, `b` empty, the others are faint: up to 38, and up to 128."""
    for name, truth in (
        ("a", [[0, 38, 255]]),
        ("b", [[0, 0, 0]]),
        ("c", [[0, 38, 38]]),
        ("d", [[128, 0, 1]]),
    ):
        _write(tmp_path / "gt" / f"{name}.png", truth)
        for method in ("one", "two"):
            _write(tmp_path / method / f"{name}.png", [[0, 0, 255]])
    return tmp_path


def _evaluate(folders, **choices):
    preds = {method: folders / method for method in ("one", "two")}
    return evaluate_folders(folders / "gt", preds, metrics="mae", **choices)


def test_they_are_named_and_their_value_is_that_of_an_empty_truth(folders):
    run = _evaluate(folders)
    assert run.faint_truths == _NAMES
    assert run["one"].per_image["mae"].tolist() == [0, 1 / 3, 1 / 3, 1 / 3]
    assert run.complete


def test_a_limit_of_ones_own_says_what_is_foreground(folders):
    assert _evaluate(folders, gt_threshold=128).faint_truths == ()
    run = _evaluate(folders, gt_threshold=10)
    assert run.faint_truths == ()
    assert run["one"].per_image["mae"].tolist() == [1 / 3, 1 / 3, 1 / 3, 2 / 3]


class _StopAfter(Observer):
    def __init__(self, n):
        self.n = n

    def advanced(self, done, skipped):
        if done == self.n:
            raise KeyboardInterrupt


@pytest.mark.parametrize("done", [1, 3])
def test_they_are_known_after_a_run_is_continued(folders, done):
    with pytest.raises(RunInterrupted):
        _evaluate(folders, out=folders / "run", progress=_StopAfter(done))
    for _ in range(2):
        assert _evaluate(folders, out=folders / "run").faint_truths == _NAMES
    summary = json.loads((folders / "run" / "summary.json").read_text())
    assert summary["faint_truths"] == list(_NAMES)


def test_one_that_was_put_right_is_not_told_of(folders):
    broken = folders / "one" / "c.png"
    broken.write_bytes(b"")
    (folders / "two" / "c.png").unlink()
    choices = {"out": folders / "run", "on_error": "skip", "missing": "skip"}
    assert _evaluate(folders, **choices).faint_truths == _NAMES
    _write(folders / "gt" / "c.png", [[0, 200, 38]])
    assert _evaluate(folders, **choices).faint_truths == ("d",)


def test_the_command_tells_of_them(folders, capsys):
    command = ["evaluate", "--gt", str(folders / "gt"), "--pred", f"one={folders / 'one'}",
               "--metrics", "mae", "--out", str(folders / "run"), "--quiet"]  # fmt: skip
    for _ in range(2):
        assert cli.main(command) == 0
        assert capsys.readouterr().err == (
            "2 ground truths hold values but none above 128 and count as empty (first: c); "
            "--gt-threshold sets another limit\n"
        )
    (folders / "gt" / "d.png").unlink()
    assert cli.main([*command[:7], "--quiet"]) == 0
    assert capsys.readouterr().err.splitlines()[-1] == (
        "1 ground truth holds values but none above 128 and counts as empty (c); --gt-threshold "
        "sets another limit"
    )
