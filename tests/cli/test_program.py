"""The program as a whole: help, what it loads, processes of their own."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from fastsegmetrics import __version__
from fastsegmetrics.cli import cli
from fastsegmetrics.cli.options import CONVENTIONS
from fastsegmetrics.conventions import Conventions
from tests.cli.commands import arguments_of, environment


def test_warmup_says_what_it_compiles_how_long_and_where(call):
    code, out, err = call("warmup")
    assert code == 0
    assert re.fullmatch(r"kernels ready in \d+\.\d s; .+\n", out)
    assert err.startswith("compiling: one number\ncompiling: maps\n")
    assert call("warmup", "--quiet")[2] == ""


def test_help_and_version(call):
    assert call()[1].startswith("Usage: fastsegmetrics")
    assert "evaluate" in call("--help")[1]
    assert call("--version")[1] == f"fastsegmetrics, version {__version__}\n"
    assert {"evaluate", "show", "demo", "metrics", "warmup"} <= set(cli.commands)
    for command in cli.commands:
        code, out, _ = call(command, "--help")
        assert code == 0
        assert f"fastsegmetrics {command}" in out
    assert call("evaluat")[0] == 2


@pytest.mark.parametrize("arguments", [["--help"], ["evaluate", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments):
    script = (
        "import sys\n"
        "from fastsegmetrics.cli import main\n"
        f"main({arguments!r})\n"
        "heavy = {'numba', 'cv2', 'scipy', 'matplotlib', 'numpy', 'rich', 'pandas', 'sqlite3'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          check=True, env=environment())  # fmt: skip
    assert done.stdout.splitlines()[-1] == "[]"
    assert done.stderr == ""


def test_a_home_that_does_not_exist_and_a_plain_ascii_terminal(folders):
    done = subprocess.run(
        [sys.executable, "-m", "fastsegmetrics", *arguments_of(folders)],
        capture_output=True,
        check=True,
        env=environment(HOME="/nonexistent", XDG_CACHE_HOME=None, PYTHONIOENCODING="ascii"),
    )
    assert b"good    0.033*" in done.stdout
    assert b"3 samples ? 2 methods" in done.stderr


def test_the_installed_program_runs():
    program = Path(sys.executable).with_name("fastsegmetrics")
    if not program.exists():
        pytest.skip("fastsegmetrics is not installed here")
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"fastsegmetrics, version {__version__}\n"
    assert subprocess.run([program, "evaluat"], capture_output=True).returncode == 2


def test_every_convention_is_an_option_of_its_name_and_default():
    fields = {field.name: field for field in dataclasses.fields(Conventions)}
    assert set(CONVENTIONS) == set(fields)
    parameters = {parameter.name: parameter for parameter in cli.commands["evaluate"].params}
    for name, field in fields.items():
        assert parameters[name].default == field.default
        assert parameters[name].section == "Conventions"


#: Options that mean something else for maps than for volumes, or for another command.
OF_OTHER_MEANINGS = {
    "--both-empty", "--label", "--labels", "--metric", "--missing", "--one-empty", "--out",
    "--quiet", "--strata", "--tolerance", "--workers",
}  # fmt: skip


def commands_of(group: click.Group) -> Iterator[click.Command]:
    for command in group.commands.values():
        yield command
        if isinstance(command, click.Group):
            yield from commands_of(command)


def test_options_of_one_name_are_told_in_the_same_words():
    told: dict[str, set[str | None]] = {}
    for command in commands_of(cli):
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                told.setdefault(max(parameter.opts, key=len), set()).add(parameter.help)
    assert {name for name, words in told.items() if len(words) > 1} == OF_OTHER_MEANINGS


def test_the_options_of_evaluate_stand_under_headings(call):
    _, out, _ = call("evaluate", "--help")
    headings = re.findall(r"^([A-Z][\w ]+):$", out, re.MULTILINE)
    assert headings == ["Files", "What is measured", "Label volumes", "Conventions",
                        "File names", "What is printed", "Help"]  # fmt: skip
    sections = dict(
        zip(headings, re.split(r"^[A-Z][\w ]+:$", out, flags=re.MULTILINE)[1:], strict=True)
    )
    assert "--out RUN_DIR" in sections["Files"]
    assert "--difficulty-maps" in sections["What is measured"]
    assert "--image-suffix TEXT" in sections["File names"]
