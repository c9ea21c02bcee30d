"""The target scores beside pyirstdmetrics on real maps, which may be used but not copied.

FASTSEGMETRICS_DATA names a folder that holds ``infrared``, ``smalltargets`` and ``peer-samples``.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from target_metrics import TARGETWISE, assert_same, updated

from fastsegmetrics.compat import py_irstd_metrics as compat
from fastsegmetrics.io import read_map

peer = pytest.importorskip("py_irstd_metrics")

DATA = Path(os.environ["FASTSEGMETRICS_DATA"])


def real_pairs() -> list[tuple[np.ndarray, np.ndarray]]:
    sample = DATA / "peer-samples" / "irstd"
    files = [(sample / f"{i}-pred.png", sample / f"{i}-mask.png") for i in (0, 1)]
    for folder, method in (("infrared", "preds_DNANet"), ("smalltargets", "preds_MSER"),
                           ("smalltargets", "preds_RSS")):  # fmt: skip
        for truth in sorted((DATA / folder / "gts").iterdir())[:25]:
            found = sorted((DATA / folder / method).glob(f"{truth.stem}.*"))
            files += [(pred, truth) for pred in found[:1]]
    pairs = [(read_map(pred) / 255.0, read_map(truth) > 128) for pred, truth in files]
    return [(pred, truth) for pred, truth in pairs if pred.shape == truth.shape]


def test_real_targets() -> None:
    pairs = real_pairs()
    assert len(pairs) > 40
    for kind in ("opdc", "distance", "errors", "detection", "shooting"):
        every = TARGETWISE[kind](compat, 10), TARGETWISE[kind](peer, 10)
        for pred, truth in pairs:
            assert updated(*every, pred, truth)
        assert_same(*every)
