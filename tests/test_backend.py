"""Selecting the reference twins: per call, by context, by environment variable."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics import backend

PAIR = np.array([[0, 90, 200]], np.uint8), np.array([[False, True, True]])


def test_order_of_choices(monkeypatch) -> None:
    assert backend.resolve() == "compiled"
    monkeypatch.setenv("FASTSEGMETRICS_BACKEND", "reference")
    assert backend.resolve() == "reference"
    with fsm.use_backend("compiled"):
        assert backend.resolve() == "compiled"
        assert backend.resolve("reference") == "reference"
        with fsm.use_backend("reference"):
            assert backend.resolve() == "reference"
        assert backend.resolve() == "compiled"
    monkeypatch.setenv("FASTSEGMETRICS_BACKEND", "")
    assert backend.resolve() == "compiled"


def test_unknown_backends_name_their_source(monkeypatch) -> None:
    with pytest.raises(fsm.InputError, match=r"^backend must be"), fsm.use_backend("gpu"):
        pass
    monkeypatch.setenv("FASTSEGMETRICS_BACKEND", "slow")
    with pytest.raises(fsm.InputError, match=r"^FASTSEGMETRICS_BACKEND must be .* 'slow'"):
        fsm.mae(*PAIR)


def test_the_reference_needs_no_numba() -> None:
    code = (
        "import sys, numpy as np, fastsegmetrics as fsm\n"
        "e = fsm.Evaluator('sweep')\n"
        "e.update(np.array([[0, 90, 200]], np.uint8), np.array([[False, True, True]]))\n"
        "print(e.result()['mae'].value)\n"
        "assert not {'numba', 'cv2', 'scipy'} & set(sys.modules)\n"
    )
    environment = {**os.environ, "FASTSEGMETRICS_BACKEND": "reference"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert float(done.stdout) == pytest.approx(fsm.mae(*PAIR), rel=1e-12)
