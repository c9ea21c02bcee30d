"""A small benchmark for commands to work on, their arguments, and what is expected of an error."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from fastsegmetrics.io import read_mask
from fastsegmetrics.io.png_writer import png_bytes

ROOT = Path(__file__).resolve().parents[2]


def write(path, values):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(png_bytes(np.asarray(values).astype(np.uint8)))


def write_photographs(folders, *names):
    random = np.random.RandomState(1)
    (folders / "rgb").mkdir(exist_ok=True)
    for name in names:
        shape = read_mask(folders / "gt" / f"{name}.png").shape
        photograph = random.randint(0, 256, (*shape, 3)).astype(np.uint8)
        np.save(folders / "rgb" / f"{name}.npy", photograph)


def arguments_of(folders, *more):
    """`evaluate` of both methods of the fixture `folders`."""
    return ["evaluate", "--gt", str(folders / "gt"), "--pred", f"good={folders / 'good'}",
            "--pred", f"poor={folders / 'poor'}", "--metrics", "mae,f_beta.bin", *more]  # fmt: skip


def one_error(err):
    """The only line on standard error that is an error, which must be the last."""
    lines = err.splitlines()
    assert [line.startswith("error: ") for line in lines] == [False] * (len(lines) - 1) + [True]
    return lines[-1]


def environment(**changes):
    """The environment of a process that finds this package; None takes a variable away."""
    paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    changed = {**os.environ, "PYTHONPATH": paths, **changes}
    return {name: value for name, value in changed.items() if value is not None}
