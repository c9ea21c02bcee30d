"""The irstd classes against the peer's numbers on the scenes of targets, without the peer."""

import os
from pathlib import Path

import numpy as np
import pytest
from target_metrics import TARGETWISE, kept
from target_scenes import scenes

from fastsegmetrics.compat import py_irstd_metrics

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "py_irstd_metrics.npz"
SCENES = dict(scenes())
#: Every scene, or with the JIT off every fifth: the kernels are a hundred times slower then.
STEP = 5 if os.environ.get("NUMBA_DISABLE_JIT") == "1" else 1


@pytest.fixture(scope="module")
def golden():
    with np.load(GOLDEN) as stored:
        return {name: stored[name] for name in stored.files}


def test_there_are_as_many_scenes_as_the_goldens_name(golden):
    assert golden["scenes"].tolist() == list(SCENES)
    assert len(SCENES) >= 200
    assert {f"{kind} {bins}" for kind in TARGETWISE for bins in (1, 4)} < set(golden)


@pytest.mark.parametrize("bins", [1, 4])
@pytest.mark.parametrize("kind", TARGETWISE)
def test_compat_gives_the_peers_sums(golden, kind, bins):
    """Counts are equal, sums of quotients within rounding."""
    for name, row in list(zip(SCENES, golden[f"{kind} {bins}"], strict=True))[::STEP]:
        if np.isnan(row).any():
            assert kind == "errors"  # the phantom truth is matched
            continue
        found = kept(py_irstd_metrics, kind, bins, *SCENES[name])
        np.testing.assert_allclose(found, row, rtol=1e-12, err_msg=name)
