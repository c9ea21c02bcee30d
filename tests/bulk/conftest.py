"""Fixtures of the folder runs' tests."""

from __future__ import annotations

import numpy as np
import pytest

from tests.bulk.benchmark import maps_of, write


@pytest.fixture
def folders(tmp_path):
    """Twelve samples of two methods; shapes differ from sample to sample."""
    for i in range(12):
        truth, maps = maps_of(i, (6 + i % 3, 9 - i % 2))
        write(tmp_path / "gt" / f"s{i:02d}.png", truth)
        for method, values in maps.items():
            write(tmp_path / method / f"s{i:02d}.png", values)
    return tmp_path


@pytest.fixture
def photographs(folders):
    for i in range(12):
        shape = (6 + i % 3, 9 - i % 2, 3)
        image = np.random.RandomState(i).randint(0, 256, shape).astype(np.uint8)
        (folders / "rgb").mkdir(exist_ok=True)
        np.save(folders / "rgb" / f"s{i:02d}.npy", image)
    return folders
