"""Write the peers' numbers on the scenes of tests/ to tests/golden/.

``py_sod_metrics.npz`` on those of scenes.py, ``py_irstd_metrics.npz`` on those of target_scenes.py.

Run in the environment of tools/peers/requirements.txt::

    PYTHONPATH=tests python tools/make_goldens.py [py_sod_metrics | py_irstd_metrics]
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import peer_columns
import py_irstd_metrics
import py_sod_metrics
import scenes
import target_metrics
import target_scenes

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


def target_arrays() -> dict[str, np.ndarray]:
    named = dict(target_scenes.scenes())
    arrays = {
        "scenes": np.array(list(named)),
        "peer": np.array(
            [f"pyirstdmetrics {version('pyirstdmetrics')}", f"numpy {np.__version__}"]
        ),
    }
    for kind in target_metrics.TARGETWISE:
        for bins in (1, 4):
            arrays[f"{kind} {bins}"] = np.array(
                [
                    target_metrics.kept(py_irstd_metrics, kind, bins, *pair)
                    for pair in named.values()
                ]
            )
    return arrays


if __name__ == "__main__":
    for name, made in (("py_sod_metrics", golden_arrays), ("py_irstd_metrics", target_arrays)):
        if name in (sys.argv[1:] or [name]):
            target = ROOT / "tests" / "golden" / f"{name}.npz"
            np.savez_compressed(target, **made())
            sys.stdout.write(f"{target.relative_to(ROOT)}: {target.stat().st_size} bytes\n")
