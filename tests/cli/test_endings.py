"""How commands end: exit codes, interrupts, faults, and what is said about them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time

import numpy as np

from fastsegmetrics.io.png_writer import png_bytes
from tests.cli.commands import arguments_of, environment, one_error


def test_interrupting_says_how_to_continue(folders, call, monkeypatch):
    def interrupt(self, done, skipped):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("fastsegmetrics.bulk.console.RunReport.advanced", interrupt)
        code, out, err = call(*arguments_of(folders, "--out", folders / "run"))
        assert (code, out) == (130, "")
        assert err.splitlines()[-1] == (
            f"interrupted after 1 of 3 samples, all kept in {folders / 'run'}; the same command "
            f"continues from there"
        )
        code, _, err = call(*arguments_of(folders))
        assert code == 130
        assert err.splitlines()[-1].endswith("nothing is kept without --out RUN_DIR")
    code, _, err = call(*arguments_of(folders, "--out", folders / "run"))
    assert code == 0
    assert "continuing: 1 of 3 samples are in the store" in err


def test_interrupted_elsewhere(call, monkeypatch):
    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("fastsegmetrics.catalog.resolve", interrupt)
    assert call("metrics", "mae") == (130, "", "\ninterrupted\n")


def test_an_interrupt_inside_a_kernel(call, monkeypatch):
    def fail(_):
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    monkeypatch.setattr("fastsegmetrics.catalog.resolve", fail)
    assert call("metrics", "mae") == (130, "", "interrupted\n")


def test_a_reader_that_has_seen_enough(folders):
    command = [sys.executable, "-m", "fastsegmetrics", "metrics", "--format", "json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=environment())  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


def test_ctrl_c_in_a_real_process(tmp_path):
    side = 600
    noise = np.random.RandomState(0).randint(0, 256, (side, side)).astype(np.uint8)
    data = png_bytes(noise)
    mask = png_bytes((noise > 128).astype(np.uint8) * 255)
    for i in range(400):
        for folder, content in (("gt", mask), ("m", data)):
            (tmp_path / folder).mkdir(exist_ok=True)
            path = tmp_path / folder / f"{i:03d}.png"
            if i == 0:
                path.write_bytes(content)
            else:
                os.link(tmp_path / folder / "000.png", path)
    command = [sys.executable, "-m", "fastsegmetrics", "evaluate", "--gt", str(tmp_path / "gt"),
               "--pred", f"m={tmp_path / 'm'}", "--out", str(tmp_path / "run"),
               "--workers", "2"]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=environment())  # fmt: skip
    store = tmp_path / "run" / "run.sqlite"
    for _ in range(600):
        if store.exists() and store.stat().st_size > 100_000:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, ""), err
    last = err.splitlines()[-1]
    assert re.match(r"interrupted after \d+ of 400 samples, all kept in ", last)
    assert "Traceback" not in err


def test_what_the_system_refuses_is_one_line_and_code_2(tmp_path, call):
    (tmp_path / "file").write_text("x")
    code, out, err = call("demo", "--out", tmp_path / "file" / "demo", "--n", 1)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert one_error(err).startswith(f"error: {tmp_path / 'file'}")
    assert one_error(err).endswith(": Not a directory")


def test_a_fault_of_the_program_has_a_code_of_its_own(call, monkeypatch):
    def fail(_):
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr("fastsegmetrics.catalog.resolve", fail)
    code, out, err = call("metrics", "mae")
    assert (code, out) == (70, "")
    assert "ZeroDivisionError: by nothing" in err
    assert one_error(err).startswith("error: this is a fault of fastsegmetrics")
