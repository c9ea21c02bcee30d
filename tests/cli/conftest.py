"""Fixtures of the command line's tests."""

from __future__ import annotations

import pytest

from fastsegmetrics import cli
from tests.cli.commands import write


@pytest.fixture
def folders(tmp_path):
    """Three samples, two methods; `good` has mae 0, .1, 0, `poor` 1, .5, .25."""
    for name, truth, good, poor in (
        ("a", [[0, 255]], [[0, 255]], [[255, 0]]),
        ("b", [[0, 255, 255, 0]], [[51, 255, 204, 0]], [[255, 255, 255, 255]]),
        ("c", [[0, 0], [0, 255]], [[0, 0], [0, 255]], [[0, 255], [0, 255]]),
    ):
        write(tmp_path / "gt" / f"{name}.png", truth)
        write(tmp_path / "good" / f"{name}.png", good)
        write(tmp_path / "poor" / f"{name}.png", poor)
    return tmp_path


@pytest.fixture
def call(capsys):
    """Run a command: its exit code, standard output and standard error."""

    def run(*arguments):
        code = cli.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
