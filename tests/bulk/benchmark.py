"""A benchmark of two methods written as files, runs on it, and ways to spoil it."""

from __future__ import annotations

import numpy as np

from fastsegmetrics.bulk.progress import Observer
from fastsegmetrics.bulk.run import evaluate_folders
from fastsegmetrics.io.png_writer import png_bytes

METHODS = ("one", "two")
OUTPUTS = ("summary.json", "contract.json", "evaluation.json", "per_image.csv", "curves.csv")


def maps_of(seed, shape=(6, 9)):
    random = np.random.RandomState(seed)
    truth = (random.randint(0, 3, shape) == 0).astype(np.uint8) * 255
    return truth, {
        "one": np.clip(truth.astype(int) * 3 // 4 + random.randint(0, 60, shape), 0, 255),
        "two": random.randint(0, 256, shape),
    }


def write(path, values):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(png_bytes(np.asarray(values).astype(np.uint8)))


def evaluate(folders, **choices):
    preds = {method: folders / method for method in METHODS}
    return evaluate_folders(folders / "gt", preds, **{"metrics": "sod,f_beta.curve", **choices})


def outputs(directory):
    return {name: (directory / name).read_bytes() for name in OUTPUTS}


class StopAfter(Observer):
    def __init__(self, n, error=KeyboardInterrupt):
        self.n, self.error = n, error

    def advanced(self, done, skipped):
        if done == self.n:
            raise self.error


def corrupt(path):
    path.write_bytes(path.read_bytes()[:-20])
