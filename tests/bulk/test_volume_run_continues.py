"""A run of volumes that was stopped goes on with what it measured, to the same files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.bulk import volumes
from fastsegmetrics.bulk.kept_volumes import UNFINISHED, KeptCases
from fastsegmetrics.bulk.volume_methods import VolumeMethods, evaluate_volume_methods

FILES = ("per_label.csv", "evaluation.json", "volumes.json")
CASES = "abcd"


@pytest.fixture
def folders(tmp_path):
    """Four cases of two methods; label 2 is in no truth, and in the prediction of one case."""
    rng = np.random.default_rng(3)
    for name in ("gt", "first", "second"):
        (tmp_path / name).mkdir()
        for case in CASES:
            values = (rng.random((3, 5, 6)) < 0.4).astype(np.uint8)
            if (name, case) == ("second", "b"):
                values[0, 0, 0] = 2
            np.savez(tmp_path / name / f"{case}.npz", volume=values, spacing=(3, 1, 0.7), unit="mm")
    return tmp_path


def run(folders, out="run", methods=("first", "second"), **choices) -> VolumeMethods:
    given = {"labels": 3, "background": 0, "tolerance": 1.5, **choices}
    preds = {name: folders / name for name in methods}
    return evaluate_volume_methods(folders / "gt", preds, out=folders / out, **given)


def files(folders, out) -> dict[str, bytes]:
    return {name: (folders / out / name).read_bytes() for name in FILES}


@pytest.fixture
def reads(monkeypatch) -> SimpleNamespace:
    """The cases that are `taken` from files, with an error at those put into `stop`."""
    taken: list[str] = []
    stop: set[str] = set()
    read = volumes.read_pair

    def counted(gt: Path, pred: Path):
        taken.append(f"{pred.parent.name}/{pred.stem}")
        if taken[-1] in stop:
            raise fsm.FormatError("stopped here")
        return read(gt, pred)

    monkeypatch.setattr(volumes, "read_pair", counted)
    return SimpleNamespace(taken=taken, stop=stop)


def test_only_what_is_not_kept_is_measured(folders, reads) -> None:
    run(folders, "whole")
    assert len(reads.taken) == 8
    reads.stop.add("second/c")
    with pytest.raises(fsm.FormatError, match="stopped here"):
        run(folders)
    assert (folders / "run" / UNFINISHED / "run.sqlite").is_file()
    assert not any((folders / "run" / name).exists() for name in FILES)
    reads.stop.clear()
    reads.taken.clear()
    continued = run(folders, workers=2)
    assert sorted(reads.taken) == ["second/c", "second/d"]
    assert files(folders, "run") == files(folders, "whole")
    assert sorted(path.name for path in (folders / "run").iterdir()) == sorted(FILES)
    # The cases are there for pooling too.
    whole = run(folders, "whole")
    for method in whole:
        kappas = [one[method].cases.pooled("kappa") for one in (continued, whole)]
        assert kappas[0] == kappas[1]


def test_a_file_that_changed_is_measured_anew(folders, reads) -> None:
    reads.stop.add("second/c")
    with pytest.raises(fsm.FormatError):
        run(folders)
    reads.stop.clear()
    reads.taken.clear()
    values = np.zeros((3, 5, 6), np.uint8)
    np.savez(folders / "first" / "b.npz", volume=values, spacing=(3, 1, 0.7), unit="mm")
    run(folders)
    assert sorted(reads.taken) == ["first/b", "second/c", "second/d"]
    run(folders, "whole")
    assert files(folders, "run") == files(folders, "whole")


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"tolerance": 2.0}, r"unfinished: holds a run with tolerance = 1\.5, now it is 2\.0"),
        ({"surface": "elements"}, r"surface = 'voxels', now it is 'elements'"),
        ({"one_empty": "diagonal"}, "one_empty = 'infinite', now it is 'diagonal'"),
        ({"both_empty": "perfect"}, "both_empty = 'undefined', now it is 'perfect'"),
        ({"labels": (0, 2, 1)}, "labels = "),
        ({"surfaces": False, "tolerance": None}, "metrics = "),
        ({"hd95": "pooled"}, r"holds a run with hd95 = None, now it is 'pooled'"),
        ({"surface": "elements"}, r"holds a run with surface = 'voxels', now it is 'elements'"),
        ({"one_empty": "diagonal"}, r"holds a run with one_empty = 'infinite', now it is 'diag"),
        ({"both_empty": "perfect"}, r"holds a run with both_empty = 'undefined', now it is 'perf"),
        ({"background": None}, "background = 0, now it is None"),
    ],
)
def test_other_choices_are_refused(folders, reads, choices, words) -> None:
    reads.stop.add("first/b")
    with pytest.raises(fsm.FormatError):
        run(folders)
    with pytest.raises(fsm.InputError, match=words):
        run(folders, **choices)
    # Nothing was lost by asking.
    reads.stop.clear()
    reads.taken.clear()
    run(folders)
    assert "first/a" not in reads.taken


def test_a_convention_named_is_the_one_that_nobody_need_name(folders, reads) -> None:
    reads.stop.add("second/c")
    with pytest.raises(fsm.FormatError):
        run(folders)
    reads.stop.clear()
    reads.taken.clear()
    run(folders, hd95="max")
    assert sorted(reads.taken) == ["second/c", "second/d"]
    run(folders)


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"tolerance": None}, r"run: holds a run with tolerance = 1\.5, now it is None; take"),
        ({"labels": 4}, r"labels = \[0, 1, 2\], now it is \[0, 1, 2, 3\]"),
        ({"surfaces": False, "tolerance": None}, "metrics = "),
        ({"hd95": "pooled"}, "hd95 = None, now it is 'pooled'"),
        ({"both_empty": "perfect"}, "both_empty = 'undefined', now it is 'perfect'"),
        ({"unit": "mm"}, "unit = None, now it is 'mm'"),
        ({"methods": ("first",)}, "the method 'second', which is not among the predictions now"),
    ],
)
def test_a_finished_run_is_not_replaced_by_another(folders, reads, choices, words) -> None:
    run(folders)
    before = files(folders, "run")
    reads.taken.clear()
    with pytest.raises(fsm.InputError, match=words):
        run(folders, **choices)
    assert (reads.taken, files(folders, "run")) == ([], before)
    assert not (folders / "run" / UNFINISHED).exists()


def test_a_finished_run_by_another_version_or_backend_is_not_replaced(folders) -> None:
    run(folders)
    other = pytest.raises(fsm.InputError, match="backend = 'compiled', now it is 'reference'")
    with fsm.use_backend("reference"), other:
        run(folders)
    path = folders / "run" / "volumes.json"
    told = json.loads(path.read_text("utf-8"))
    told["read"]["asked"]["package version"] = "0.0.9"
    path.write_text(json.dumps(told), "utf-8")
    with pytest.raises(fsm.InputError, match=r"package version = '0\.0\.9', now it is "):
        run(folders)
    for text in ("{}", "no json", json.dumps({**told, "read": None})):
        path.write_text(text, "utf-8")
        with pytest.raises(fsm.InputError, match="does not say what its run was asked for"):
            run(folders)


def test_a_finished_run_is_measured_again_by_the_same_call(folders, reads) -> None:
    assert not run(folders).replaced
    before = files(folders, "run")
    reads.taken.clear()
    assert run(folders).replaced
    assert (len(reads.taken), files(folders, "run")) == (8, before)
    units = {"a": "ann", "b": "ann", "c": "ben", "d": "eve"}
    (folders / "sky.csv").write_text("case,sky\na,clear\nb,clear\nc,grey\nd,grey\n")
    sky = fsm.Strata.column(folders / "sky.csv", "sky")
    again = run(folders, unit_of=units, unit_name="patient", strata=sky)
    assert (again.replaced, list(again.strata)) == (True, ["clear", "grey"])
    # A method more is no loss; and a re-run that was stopped goes on.
    (folders / "third").mkdir()
    for case in CASES:
        (folders / "third" / f"{case}.npz").write_bytes(
            (folders / "gt" / f"{case}.npz").read_bytes()
        )
    reads.stop.add("third/b")
    with pytest.raises(fsm.FormatError):
        run(folders, methods=("first", "second", "third"))
    reads.stop.clear()
    reads.taken.clear()
    assert list(run(folders, methods=("first", "second", "third"))) == ["first", "second", "third"]
    assert reads.taken == ["third/b", "third/c", "third/d"]


def test_how_cases_are_resampled_may_change(folders, reads) -> None:
    reads.stop.add("second/a")
    with pytest.raises(fsm.FormatError):
        run(folders)
    reads.stop.clear()
    units = {"a": "ann", "b": "ann", "c": "ben", "d": "eve"}
    continued = run(folders, unit_of=units, unit_name="patient")
    assert continued.interval("first", 1, "dice").n_units == 3


def test_strata_may_change(folders, reads) -> None:
    (folders / "sky.csv").write_text(
        "case,sky,wind\na,clear,no\nb,clear,no\nc,grey,no\nd,grey,yes\n"
    )
    sky, wind = (fsm.Strata.column(folders / "sky.csv", name) for name in ("sky", "wind"))
    run(folders, "whole", strata=wind)
    reads.stop.add("second/c")
    with pytest.raises(fsm.FormatError):
        run(folders, strata=sky)
    reads.stop.clear()
    reads.taken.clear()
    run(folders, strata=wind)
    assert sorted(reads.taken) == ["second/c", "second/d"]
    assert files(folders, "run") == files(folders, "whole")


def test_a_run_that_kept_nothing_leaves_nothing(folders, reads) -> None:
    reads.stop.add("first/a")
    with pytest.raises(fsm.FormatError):
        run(folders)
    assert not (folders / "run" / UNFINISHED).exists()
    # So that a choice that was no good does not bind the next one.
    reads.stop.clear()
    run(folders, tolerance=2.0)


def test_an_interrupted_run_says_what_it_holds(folders, monkeypatch) -> None:
    add = KeptCases.add

    def interrupted(self, case, one):
        if (self.method, case) == ("second", "b"):
            raise KeyboardInterrupt
        add(self, case, one)

    monkeypatch.setattr(KeptCases, "add", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        run(folders)
    error = caught.value
    assert (error.done, error.total, error.directory) == (5, 8, folders / "run")


def test_a_killed_run_goes_on(folders) -> None:
    code = f"""
import os
from pathlib import Path
from types import SimpleNamespace
from fastsegmetrics.bulk import store, volumes
from fastsegmetrics.bulk.volume_methods import evaluate_volume_methods
store._COMMIT_EVERY = 0.0
read = volumes.read_pair
def killing(gt, pred):
    if pred.parent.name == "second" and pred.stem == "b":
        os.kill(os.getpid(), 9)
    return read(gt, pred)
volumes.read_pair = killing
here = Path({str(folders)!r})
preds = {{name: here / name for name in ("first", "second")}}
evaluate_volume_methods(here / "gt", preds, out=here / "run", labels=3, background=0, tolerance=1.5)
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == -9
    assert (folders / "run" / UNFINISHED / "run.sqlite").is_file()
    run(folders, "whole")
    run(folders)
    assert files(folders, "run") == files(folders, "whole")
    assert not (folders / "run" / UNFINISHED).exists()
