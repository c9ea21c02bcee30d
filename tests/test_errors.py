"""Errors travel between processes whole: a pool waits for ever for one that cannot be restored."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

import fastsegmetrics as fsm
from fastsegmetrics.bulk.run import (
    MissingPhotographsError,
    MissingPredictionsError,
    RunInterrupted,
)
from fastsegmetrics.compat.medpy_binary.distances import NoObjectError
from fastsegmetrics.compat.py_irstd_metrics.pairs import RefusedPair
from fastsegmetrics.compat.py_sod_metrics.pairs import InputTypeError

ERRORS = [
    fsm.FastSegMetricsError("a sentence"),
    fsm.InputError("a sentence"),
    fsm.FormatError("a sentence"),
    fsm.MissingExtraError("pandas", "pandas", "Result.to_pandas"),
    MissingPredictionsError({"mine": ["a", "b"]}, [Path("maps/a.png")]),
    MissingPhotographsError(["a", "b"], "photographs"),
    RunInterrupted(3, 8, Path("run")),
    InputTypeError("a sentence"),
    NoObjectError("a sentence"),
    RefusedPair("a sentence"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("sent", [lambda e: pickle.loads(pickle.dumps(e)), copy.deepcopy])
def test_errors_travel_whole(error, sent) -> None:
    arrived = sent(error)
    assert type(arrived) is type(error)
    assert (str(arrived), arrived.args) == (str(error), error.args)
    assert vars(arrived) == vars(error)
    assert getattr(arrived, "msg", None) == getattr(error, "msg", None)
