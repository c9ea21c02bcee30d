"""Every example in a public docstring runs and prints what it says; every public name has one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import fastsegmetrics as fsm

PACKAGE = Path(fsm.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if ">>> " in path.read_text("utf-8")
)
PUBLIC = [name for name in fsm.__all__ if name not in ("__version__", "evaluate_folders")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(f"fastsegmetrics.{name}")
    names = {**vars(module), "np": np, "fsm": fsm}
    results = doctest.testmod(module, extraglobs=names)
    assert results.failed == 0


@pytest.mark.parametrize("name", [n for n in PUBLIC if inspect.isfunction(getattr(fsm, n))])
def test_every_parameter_is_documented_or_referred_to(name) -> None:
    function = getattr(fsm, name)
    text = inspect.getdoc(function) or ""
    head, _, tail = text.partition("\nParameters\n")
    # One-liners that only pass on what another function is given name it.
    referred = set(re.findall(r"`(\w+)`", head)) if re.search(r"as for\s+`", head) else set()
    if referred:
        assert referred & set(PUBLIC)
        return
    section = tail.split("\n\n", 1)[0]
    documented = {
        entry.strip().lstrip("*")
        for line in section.splitlines()
        if not line.startswith(" ")
        for entry in line.partition(" : ")[0].split(",")
    }
    assert documented - {"----------"} == set(inspect.signature(function).parameters)


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_are_documented(name) -> None:
    assert inspect.getdoc(getattr(fsm, name))
