"""The structure part's similarity map beside scikit-image's."""

from __future__ import annotations

import numpy as np
import pytest

from fastsegmetrics.kernels import difficulty_parts as kernels
from fastsegmetrics.reference import difficulty_parts as twins
from tests.scenes import GT_KINDS, PRED_KINDS, pair, small_scenes

metrics = pytest.importorskip("skimage.metrics")


#: scikit-image refuses images with a side below 7.
SCENES = [
    *(scene for scene in small_scenes() if min(scene.gt.shape) >= 7),
    *(
        pair(shape, gt_kind, pred_kind)
        for shape in ((9, 23), (30, 12))
        for gt_kind, pred_kind in zip(GT_KINDS, [*PRED_KINDS, "random", "noisy"], strict=True)
    ),
]


def test_there_are_scenes() -> None:
    assert len(SCENES) >= 150


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_similarity_map(scene) -> None:
    values = scene.pred / 255.0
    mask = (scene.gt > 128).astype(np.uint8)
    _, expected = metrics.structural_similarity(
        values, mask.astype(np.float64), win_size=7, data_range=1.0, full=True
    )
    ones = np.ones(mask.shape)
    heat = np.empty((3, *mask.shape))
    sums = kernels.part_sums(values, mask, ones, ones, heat)
    np.testing.assert_allclose(1 - heat[1], expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(
        twins.similarity_map(values, mask.astype(np.float64)), expected, rtol=0, atol=1e-10
    )
    assert sums[2] / mask.size == pytest.approx(expected.mean(), abs=1e-11)
