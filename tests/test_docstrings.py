"""Every example in a public docstring runs and prints what it says; every public name has one."""

from __future__ import annotations

import doctest
import importlib
import inspect

import numpy as np
import pytest

import fastsegmetrics as fsm

MODULES = (
    "conventions", "backend", "catalog", "evaluate", "functional.boundary", "functional.labels",
    "functional.overlap", "functional.photo_maps", "functional.spatial", "functional.surface",
    "functional.sweep", "target", "plan", "reporting.cases", "reporting.evaluation_contract",
    "reporting.intervals", "reporting.paired",
)  # fmt: skip
PUBLIC = [name for name in fsm.__all__ if name not in ("__version__", "evaluate_folders")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name) -> None:
    module = importlib.import_module(f"fastsegmetrics.{name}")
    names = {**vars(module), "np": np, "fsm": fsm}
    results = doctest.testmod(module, extraglobs=names)
    assert results.failed == 0


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_are_documented(name) -> None:
    assert inspect.getdoc(getattr(fsm, name))
