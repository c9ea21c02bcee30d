"""The demonstration's benchmark: the same pixels everywhere, written once."""

from __future__ import annotations

import hashlib

import cv2
import numpy as np
import pytest

from fastsegmetrics.bulk.demo import make_benchmark
from fastsegmetrics.errors import InputError


def _read(path):
    return cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_UNCHANGED)


def test_pixels_are_fixed(tmp_path):
    folders = make_benchmark(tmp_path, 4)
    digest = hashlib.sha256()
    for name in ("gt", "careful", "hasty"):
        files = sorted(folders[name].iterdir())
        assert [path.name for path in files] == [f"scene_{i:03d}.png" for i in range(4)]
        for path in files:
            digest.update(_read(path).tobytes())
    assert digest.hexdigest()[:16] == "1e9351a90b657c9c"


def test_truths_are_masks_and_predictions_resemble_them(tmp_path):
    folders = make_benchmark(tmp_path, 8)
    error = {"careful": 0.0, "hasty": 0.0}
    for path in folders["gt"].iterdir():
        truth = _read(path)
        assert set(np.unique(truth)) == {0, 255}
        for method in error:
            map_ = _read(folders[method] / path.name)
            assert map_.shape == truth.shape
            error[method] += np.abs(map_.astype(int) - truth).mean() / 255 / 8
    assert error["careful"] < error["hasty"] < 0.2


def test_files_that_are_there_are_left_alone(tmp_path):
    folders = make_benchmark(tmp_path, 1)
    path = folders["gt"] / "scene_000.png"
    before = path.stat().st_mtime_ns
    make_benchmark(tmp_path, 2)
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize("name", ["cat.png", "scene_001.png", "readme.txt", "scene_002.png"])
@pytest.mark.parametrize("folder", ["gt", "careful", "hasty"])
def test_nothing_is_written_beside_or_over_the_files_of_others(tmp_path, folder, name):
    path = tmp_path / folder / name
    path.parent.mkdir()
    path.write_bytes(b"of somebody else")
    with pytest.raises(InputError, match=f"{name} is not of this demo, which writes into no other"):
        make_benchmark(tmp_path, 2)
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == [path]
    assert path.read_bytes() == b"of somebody else"


def test_another_seed_is_not_mixed_in(tmp_path):
    folders = make_benchmark(tmp_path, 1)
    data = (folders["gt"] / "scene_000.png").read_bytes()
    with pytest.raises(InputError, match="choose another folder"):
        make_benchmark(tmp_path, 2, seed=7)
    assert (folders["gt"] / "scene_000.png").read_bytes() == data
    assert not (folders["gt"] / "scene_001.png").exists()
