"""Threads run side by side: every kernel gives the interpreter lock away."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from fastsegmetrics import kernels


def _dispatchers():
    for module in pkgutil.iter_modules(kernels.__path__):
        loaded = importlib.import_module(f"{kernels.__name__}.{module.name}")
        for name, value in vars(loaded).items():
            if hasattr(value, "targetoptions"):
                yield pytest.param(value, id=f"{module.name}.{name}")


@pytest.mark.parametrize("compiled", list(_dispatchers()))
def test_kernels_release_the_lock(compiled):
    assert compiled.targetoptions["nogil"] is True
    assert not compiled.targetoptions.get("parallel")
    assert not compiled.targetoptions.get("fastmath")
