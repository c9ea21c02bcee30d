"""An interrupt arrives in the caller's thread, which therefore must run no kernel."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics import kernels
from fastsegmetrics.bulk.progress import Observer
from fastsegmetrics.bulk.run import RunInterrupted, evaluate_folders
from fastsegmetrics.io.png_writer import png_bytes

_ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folders(tmp_path):
    random = np.random.RandomState(3)
    for i in range(4):
        truth = np.zeros((20, 31), np.uint8)
        truth[4:11, 6 + i : 20] = 255
        for folder, values in (("gt", truth), ("m", random.randint(0, 256, truth.shape))):
            (tmp_path / folder).mkdir(exist_ok=True)
            data = png_bytes(values.astype(np.uint8))
            (tmp_path / folder / f"{i}.png").write_bytes(data)
    return tmp_path


def _record_calls(monkeypatch, threads):
    """Let every kernel tell which thread calls it; kernels called by kernels are compiled in."""

    def telling(name, function):
        def call(*arguments):
            threads.setdefault(name, set()).add(threading.get_ident())
            return function(*arguments)

        return call

    # All are loaded before the first is replaced, or some would import the replacements for good.
    modules = {
        module.name: importlib.import_module(f"{kernels.__name__}.{module.name}")
        for module in pkgutil.iter_modules(kernels.__path__)
    }
    for room, module in modules.items():
        for name, value in list(vars(module).items()):
            if hasattr(value, "targetoptions"):
                monkeypatch.setattr(module, name, telling(f"{room}.{name}", value))


@pytest.mark.parametrize("workers", [1, 2])
def test_the_callers_thread_runs_no_kernel(folders, monkeypatch, workers):
    if not hasattr(importlib.import_module("fastsegmetrics.kernels.levels").level_table, "py_func"):
        pytest.skip("kernels are not compiled here")
    choices = {"metrics": "sod,iou.pooled_max,ap", "workers": workers}
    expected = evaluate_folders(folders / "gt", {"m": folders / "m"}, **choices)
    threads: dict[str, set[int]] = {}
    with monkeypatch.context() as patched:
        _record_calls(patched, threads)
        for _ in range(2):
            run = evaluate_folders(folders / "gt", {"m": folders / "m"}, out=folders / "run",
                                   **choices)  # fmt: skip
    assert {"curves.add_exactly", "curves.sweep_scores"} <= set(threads)
    assert threading.get_ident() not in set().union(*threads.values())
    assert run["m"].aggregates == expected["m"].aggregates


def test_an_interrupt_while_the_results_are_made_says_how_to_continue(folders, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("fastsegmetrics.bulk.run.write_texts", interrupt)
        with pytest.raises(RunInterrupted) as caught:
            evaluate_folders(folders / "gt", {"m": folders / "m"}, out=folders / "run")
    assert (caught.value.done, caught.value.total) == (4, 4)
    assert caught.value.directory == folders / "run"
    assert evaluate_folders(folders / "gt", {"m": folders / "m"}, out=folders / "run").complete


def test_what_adding_raises_is_raised(folders, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(fsm.Evaluator, "add", fail)
    ended = []

    class Look(Observer):
        def ended(self):
            ended.append(True)

    with pytest.raises(ZeroDivisionError):
        evaluate_folders(folders / "gt", {"m": folders / "m"}, progress=Look())
    assert ended == [True]
    assert not [t for t in threading.enumerate() if t.name.startswith("fastsegmetrics")]


def test_one_worker_of_a_real_process_is_interrupted_with_one_line(tmp_path):
    side = 160
    noise = np.random.RandomState(0).randint(0, 256, (side, side)).astype(np.uint8)
    for folder, values in (("gt", (noise > 128).astype(np.uint8) * 255), ("m", noise)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "0000.png").write_bytes(png_bytes(values))
        for i in range(1, 4000):
            os.link(tmp_path / folder / "0000.png", tmp_path / folder / f"{i:04d}.png")
    command = [sys.executable, "-m", "fastsegmetrics", "evaluate", "--gt", str(tmp_path / "gt"),
               "--pred", f"m={tmp_path / 'm'}", "--out", str(tmp_path / "run"),
               "--workers", "1"]  # fmt: skip
    paths = os.pathsep.join([str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "PYTHONPATH": paths})  # fmt: skip
    store = tmp_path / "run" / "run.sqlite"
    for _ in range(1500):
        if store.exists() and store.stat().st_size > 100_000:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, ""), err
    assert re.match(
        r"interrupted after [\d,]+ of 4,000 samples, all kept in ", err.splitlines()[-1]
    )
    assert "Traceback" not in err
