"""A script that uses every class of pysodmetrics, run twice with one line of it exchanged.

The peer's sample pairs, and the values published with them, join in where FASTSEGMETRICS_DATA names
a folder that holds ``peer-samples``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
import scenes

import fastsegmetrics

THEIRS = "import py_sod_metrics\n"
OURS = "from fastsegmetrics.compat import py_sod_metrics\n"
SCRIPT = Path(__file__).with_name("every_class.py").read_text(encoding="utf-8")


def tolerance(name: str) -> float:
    """How near a number is to the peer's, whose context terms are float32, and whose multi-scale
    IoU sums in half precision."""
    if name.endswith("msiou"):
        return 1e-3
    if name in ("cm", "ccm"):
        return 1e-6
    return 0.0 if name == "HCE" else 1e-12


def printed(import_line: str, *folders: Path, scratch: Path) -> dict[str, float]:
    assert SCRIPT.count(THEIRS) == 1
    script = scratch / "every_class.py"
    script.write_text(SCRIPT.replace(THEIRS, import_line), encoding="utf-8")
    root = str(Path(fastsegmetrics.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(script), *map(str, folders)],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": root},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {name: float(number) for name, number in map(str.split, done.stdout.splitlines())}


def assert_same_numbers(*folders: Path, scratch: Path) -> dict[str, float]:
    expected, found = (printed(line, *folders, scratch=scratch) for line in (THEIRS, OURS))
    assert list(found) == list(expected)
    assert len(found) == 187
    for name, number in expected.items():
        assert np.isfinite(number), name
        assert found[name] == pytest.approx(number, rel=tolerance(name), abs=tolerance(name)), name
    return found


def write_photographs(folder: Path, masks: dict[str, np.ndarray]) -> None:
    folder.mkdir()
    for i, (name, gt) in enumerate(masks.items()):
        channels = [scenes.noise(gt.shape, 3 * i + k) % 256 for k in range(3)]
        blurred = cv2.GaussianBlur(np.stack(channels, -1).astype(np.uint8), (0, 0), 3)
        spread = np.clip((blurred.astype(int) - 128) * 4 + 128 + (gt > 128)[..., None] * 20, 0, 255)
        assert cv2.imwrite(str(folder / name), spread.astype(np.uint8))


def test_drawn_pairs(tmp_path):
    masks, preds = {}, {}
    for i, (shape, gt, pred) in enumerate((
        ((61, 97), "blob", "soft"), ((97, 61), "two_blobs", "noisy"), ((48, 100), "half", "smooth"),
        ((50, 60), "empty", "sparse"), ((64, 64), "rows", "ramp"),
    )):  # fmt: skip
        scene = scenes.pair(shape, gt, pred)
        masks[f"{i}.png"], preds[f"{i}.png"] = scene.gt, scene.pred
    for folder, images in (("masks", masks), ("preds", preds)):
        (tmp_path / folder).mkdir()
        for name, image in images.items():
            assert cv2.imwrite(str(tmp_path / folder / name), image)
    write_photographs(tmp_path / "images", masks)
    folders = (tmp_path / name for name in ("images", "masks", "preds"))
    assert_same_numbers(*folders, scratch=tmp_path)


@pytest.mark.skipif("FASTSEGMETRICS_DATA" not in os.environ, reason="needs the peer's samples")
def test_the_peers_samples(tmp_path):
    samples = Path(os.environ["FASTSEGMETRICS_DATA"]) / "peer-samples/sod"
    masks = {
        path.name: cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
        for path in sorted((samples / "masks").iterdir())
    }
    write_photographs(tmp_path / "images", masks)
    found = assert_same_numbers(
        tmp_path / "images", samples / "masks", samples / "preds", scratch=tmp_path
    )
    published: dict[str, float] = {}
    versions = json.loads((samples / "version_performance.json").read_text(encoding="utf-8"))
    for values in versions.values():
        published.update(values)
    # Later versions print no areas; the sample has no photograph.
    areas = {name for name in published if "auc" in name}
    compared = published.keys() - areas - {"MSIOU", "ccm"}
    assert compared < found.keys()
    assert len(compared) == 148
    for name in sorted(compared):
        near = {"rel": tolerance(name), "abs": tolerance(name)}
        assert found[name] == pytest.approx(published[name], **near), name
