"""The command line where standard output or standard error is closed or takes nothing more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fastsegmetrics import cli
from fastsegmetrics.io.png_writer import png_bytes
from tests.cli.commands import environment

_FULL = Path("/dev/full")


@pytest.fixture
def run(tmp_path, capsys):
    """A finished run of one pair, and the arguments that made it."""
    for folder in ("gt", "m"):
        (tmp_path / folder).mkdir()
        data = png_bytes(np.array([[0, 255, 255]], np.uint8))
        (tmp_path / folder / "a.png").write_bytes(data)
    arguments = ["evaluate", "--gt", str(tmp_path / "gt"), "--pred", f"m={tmp_path / 'm'}",
                 "--metrics", "mae", "--out", str(tmp_path / "run")]  # fmt: skip
    assert cli.main(arguments) == 0
    capsys.readouterr()
    return tmp_path / "run", arguments


def _shell(arguments, redirection, unbuffered=""):
    """Run the command with a shell's redirection; what is left of its output and errors."""
    return subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", sys.executable, "-m", "fastsegmetrics",
         *map(str, arguments)],
        capture_output=True, text=True,
        env=environment(PYTHONUNBUFFERED=unbuffered),
    )  # fmt: skip


def test_closed_standard_output(run):
    directory, arguments = run
    for command in (["show", directory], arguments, ["--help"]):
        done = _shell(command, ">&-")
        assert (done.returncode, done.stderr) == (2, "error: standard output is closed\n")


def test_closed_standard_error_is_nobodys_wish_to_hear(run):
    directory, arguments = run
    done = _shell(arguments, "2>&-")
    assert done.returncode == 0
    assert done.stdout == _shell(["show", directory], "").stdout
    assert _shell(["show", directory / "none"], "2>&-").returncode == 2


@pytest.mark.skipif(not _FULL.exists(), reason="there is no /dev/full here")
def test_full_standard_output(run):
    directory, _ = run
    for form in ("table", "csv", "json"):
        done = _shell(["show", directory, "--format", form], f">{_FULL}")
        assert done.returncode == 2
        assert done.stderr == "error: standard output: No space left on device\n"
    done = _shell(["show", directory], f">{_FULL}", unbuffered="1")
    assert (done.returncode, done.stderr) == (2, "error: No space left on device\n")


@pytest.mark.skipif(not _FULL.exists(), reason="there is no /dev/full here")
def test_full_standard_error(run):
    directory, arguments = run
    done = _shell(arguments, f"2>{_FULL}")
    assert (done.returncode, done.stdout) == (2, "")
    assert _shell(["show", directory / "none"], f"2>{_FULL}").returncode == 2
    done = _shell(["show", directory], f"2>{_FULL}")
    assert done.returncode == 0
    assert done.stdout
    assert _shell(["show", directory], f">{_FULL} 2>&1").returncode == 2
