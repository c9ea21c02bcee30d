"""Folder runs that are stopped, continued and added to, and what a store refuses."""

from __future__ import annotations

import os

import pytest

import fastsegmetrics as fsm
from fastsegmetrics.bulk.progress import Observer
from fastsegmetrics.bulk.run import RunInterrupted, evaluate_folders
from fastsegmetrics.errors import InputError
from tests.bulk.benchmark import METHODS, StopAfter, evaluate, maps_of, outputs, write


@pytest.mark.parametrize("stop_after", [1, 5, 11])
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_run_continues_to_the_same_bytes(folders, stop_after, workers):
    evaluate(folders, workers=1, out=folders / "whole")
    with pytest.raises(RunInterrupted) as caught:
        evaluate(folders, workers=workers, out=folders / "cut", progress=StopAfter(stop_after))
    assert (caught.value.done, caught.value.total) == (stop_after, 12)
    assert caught.value.directory == folders / "cut"
    assert not (folders / "cut" / "summary.json").exists()
    evaluate(folders, workers=workers, out=folders / "cut")
    assert outputs(folders / "whole") == outputs(folders / "cut")


def test_any_other_exception_keeps_what_is_done(folders):
    with pytest.raises(ZeroDivisionError):
        evaluate(folders, out=folders / "run", progress=StopAfter(4, ZeroDivisionError))
    seen = []

    class Look(Observer):
        def started(self, total, kept):
            seen.append((total, kept))

    evaluate(folders, out=folders / "run", progress=Look())
    assert seen == [(12, 4)]


def test_only_what_is_missing_is_measured(folders, monkeypatch):
    evaluate(folders, out=folders / "run")
    before = {path: path.stat().st_mtime_ns for path in (folders / "run").iterdir()}
    first = outputs(folders / "run")

    def refuse(*_, **__):
        raise AssertionError("measured again")

    monkeypatch.setattr("fastsegmetrics.plan.Plan.measure", refuse)
    run = evaluate(folders, out=folders / "run")
    assert run["one"]["mae"].n_used == 12
    assert outputs(folders / "run") == first
    assert {path: path.stat().st_mtime_ns for path in (folders / "run").iterdir()} == before


def test_a_method_and_samples_may_be_added_to_a_run(folders):
    evaluate_folders(folders / "gt", {"one": folders / "one"}, metrics="sod,f_beta.curve",
                     out=folders / "grown")  # fmt: skip
    truth, maps = maps_of(99)
    write(folders / "gt" / "new.png", truth)
    for method in METHODS:
        write(folders / method / "new.png", maps[method])
    evaluate(folders, out=folders / "grown")
    evaluate(folders, out=folders / "fresh")
    assert outputs(folders / "grown") == outputs(folders / "fresh")


def test_the_summary_is_gone_while_a_finished_run_is_added_to(folders):
    evaluate(folders, out=folders / "run")
    truth, maps = maps_of(99)
    write(folders / "gt" / "s05b.png", truth)
    for method in METHODS:
        write(folders / method / "s05b.png", maps[method])
    with pytest.raises(RunInterrupted):
        evaluate(folders, out=folders / "run", progress=StopAfter(9))
    assert not (folders / "run" / "summary.json").exists()


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"stretch": False}, r"holds a run with conventions\.stretch = True, now it is False"),
        ({"beta2": 1.0}, r"holds a run with conventions\.beta2 = 0\.3, now it is 1\.0"),
        ({"metrics": "sod"}, r"with metrics\.f_beta\.curve = present, now it is absent"),
        (
            {"metrics": "f_beta.curve,sod"},
            r"with order of metrics = 'mae, .*', now it is 'f_beta\.c",
        ),
        ({"resize": "bilinear"}, r"conventions\.resize = 'error', now it is 'bilinear'"),
    ],
)
def test_another_contract_is_refused_and_the_difference_named(folders, choices, message):
    evaluate(folders, out=folders / "run")
    before = outputs(folders / "run")
    with pytest.raises(InputError, match=message) as caught:
        evaluate(folders, out=folders / "run", **choices)
    assert len(str(caught.value)) < len(str(folders)) + 400
    assert outputs(folders / "run") == before


@pytest.mark.parametrize("folder", ["gt", "one"])
def test_a_changed_file_is_refused(folders, folder):
    evaluate(folders, out=folders / "run")
    path = folders / folder / "s03.png"
    os.utime(path, (1, 1))
    role = {"gt": "the ground truth", "one": "the prediction of 'one'"}[folder]
    with pytest.raises(InputError) as caught:
        evaluate(folders, out=folders / "run")
    message = str(caught.value)
    assert message.startswith(
        f"{folders / 'run'}: {role} {path} has changed since it was measured: it was last written 2"
    )
    assert message.endswith(
        ", now 1970-01-01 00:00:01.000000000 UTC; put the measured one back, or take another run "
        "directory"
    )
    path.write_bytes(path.read_bytes() + b"x")
    size = path.stat().st_size
    with pytest.raises(InputError, match=rf"measured: it had {size - 1} bytes, now {size}; put"):
        evaluate(folders, out=folders / "run")


def test_a_measured_prediction_that_is_gone_is_told(folders):
    evaluate(folders, out=folders / "run", missing="skip")
    (folders / "one" / "s03.png").unlink()
    with pytest.raises(InputError) as caught:
        evaluate(folders, out=folders / "run", missing="skip")
    assert str(caught.value) == (
        f"{folders / 'run'}: the prediction of 'one' sample 's03' is gone since it was measured; "
        f"put the measured one back, or take another run directory"
    )


def test_another_name_of_the_same_sample_is_told(folders):
    evaluate(folders, out=folders / "run")
    (folders / "one" / "s03.png").rename(folders / "one" / "s03.PNG")
    with pytest.raises(InputError, match=r"s03\.PNG has changed .*: it was s03\.png; put"):
        evaluate(folders, out=folders / "run")


def test_a_moved_benchmark_continues(folders, tmp_path):
    with pytest.raises(RunInterrupted):
        evaluate(folders, out=folders / "run", progress=StopAfter(4))
    (tmp_path / "moved").mkdir()
    for name in ("gt", *METHODS):
        (folders / name).rename(tmp_path / "moved" / name)
    run = evaluate_folders(
        tmp_path / "moved" / "gt",
        {method: tmp_path / "moved" / method for method in METHODS},
        metrics="sod,f_beta.curve",
        out=folders / "run",
    )
    assert run["one"]["mae"].n_used == 12


def test_a_method_of_the_store_must_be_named_again(folders):
    evaluate(folders, out=folders / "run")
    with pytest.raises(InputError, match="the method 'two', which is not among the predictions"):
        evaluate_folders(folders / "gt", {"one": folders / "one"}, metrics="sod,f_beta.curve",
                         out=folders / "run")  # fmt: skip


def test_another_backend_is_refused(folders):
    evaluate(folders, metrics="mae", out=folders / "run")
    before = outputs(folders / "run")
    message = r"holds a run with backend = 'compiled', now it is 'reference'; take another run dir"
    with pytest.raises(InputError, match=message):
        evaluate(folders, metrics="mae", out=folders / "run", backend="reference")
    with fsm.use_backend("reference"), pytest.raises(InputError, match=message):
        evaluate(folders, metrics="mae", out=folders / "run")
    assert outputs(folders / "run") == before
    evaluate(folders, metrics="mae", out=folders / "run", backend="compiled")
