"""Write tests/golden/py_sod_metrics.npz: the peer's numbers on the scenes of tests/scenes.py.

Run in the environment of tools/peers/requirements.txt::

    PYTHONPATH=tests python tools/make_goldens.py
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import peer_columns
import py_sod_metrics
import scenes

ROOT = Path(__file__).resolve().parent.parent


def golden_arrays() -> dict[str, np.ndarray]:
    eight_bit = [(s.pred, s.gt) for s in scenes.all_scenes()]
    single = [(s.pred, s.gt) for s in scenes.one_pixel_scenes()]
    as_float = [scenes.as_float(s) for s in scenes.small_scenes()]
    arrays = {
        "columns": np.array(peer_columns.column_names()),
        "scenes": np.array([s.name for s in scenes.all_scenes()]),
        "peer": np.array([f"pysodmetrics {version('pysodmetrics')}", f"numpy {np.__version__}"]),
    }
    for key, pairs, normalize in (
        ("u8", eight_bit, True), ("one_pixel", single, True), ("f64", as_float, False),
    ):  # fmt: skip
        result = peer_columns.table(py_sod_metrics, pairs, normalize)
        arrays.update({f"{key}_{name}": value for name, value in result.items()})
    return arrays


if __name__ == "__main__":
    target = ROOT / "tests" / "golden" / "py_sod_metrics.npz"
    np.savez_compressed(target, **golden_arrays())
    sys.stdout.write(f"{target.relative_to(ROOT)}: {target.stat().st_size} bytes\n")
