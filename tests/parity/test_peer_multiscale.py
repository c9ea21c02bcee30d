"""Multi-scale IoU beside pysodmetrics, whose denominator is a sum in half precision."""

from __future__ import annotations

import numpy as np
import py_sod_metrics as peer
import pytest
import scenes

from fastsegmetrics.compat.py_sod_metrics.multiscale_iou import MSIoU

pytestmark = pytest.mark.filterwarnings("ignore")


def stepped(cls, pred, gt, dynamic, normalize=True):
    metric = cls(dynamic, True, with_binary=True)
    metric.step(pred, gt, normalize)
    return metric


def lines(shape):
    rows, columns = np.indices(shape)
    yield "diagonal_45", rows == columns
    yield "hair", columns == shape[1] // 2 + (rows // 3) % 3
    yield "comb", (columns % 2 == 0) & (rows > 1)
    yield "checkerboard", (rows + columns) % 2 == 0
    yield "many_components", (rows % 4 == 1) & (columns % 4 == 1)
    yield "borders", (rows == 0) | (columns == 0) | (rows == shape[0] - 1)
    yield "frame", (rows % (shape[0] - 1) == 0) | (columns % (shape[1] - 1) == 0)
    yield "hole", (abs(rows - shape[0] // 2) < 6) & ((rows + columns) % 7 != 0)
    yield "one_pixel", (rows == shape[0] - 1) & (columns == 3)


def listed():
    for shape in ((31, 47), (64, 33), (60, 80)):
        for name, truth in lines(shape):
            gt = np.where(truth, 255, 0).astype(np.uint8)
            for kind in ("soft", "noisy", "random", "perfect"):
                pred = scenes.PRED_KINDS[kind](shape, gt).astype(np.uint8)
                yield scenes.Scene(f"{shape[0]}x{shape[1]}-{name}-{kind}", pred, gt)


FIXED = [*scenes.small_scenes(), *scenes.one_pixel_scenes(), *listed()]
#: 257 passes of the peer take their time: every second scene, and each comb.
SWEPT = [scene for i, scene in enumerate(FIXED) if i % 2 == 0 or "-comb-" in scene.name]


def edges_of(gt) -> int:
    return int(peer.MSIoU(False, True).get_edge(gt > 128).astype(np.int64).sum())


def assert_close(found, expected, gt):
    # A sum in half precision is exact up to 2048.
    tolerance = 1e-12 if edges_of(gt) <= 2048 else 1e-3
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


def test_there_are_enough() -> None:
    assert len(FIXED) >= 150
    assert len(SWEPT) >= 150


def test_fixed_and_adaptive_on_scenes() -> None:
    for scene in FIXED:
        ours = stepped(MSIoU, scene.pred, scene.gt, False)
        theirs = stepped(peer.MSIoU, scene.pred, scene.gt, False)
        assert_close(ours.binary_results, theirs.binary_results, scene.gt)
        assert_close(ours.adaptive_results, theirs.adaptive_results, scene.gt)


def test_sweep_on_scenes() -> None:
    for scene in SWEPT:
        ours = stepped(MSIoU, scene.pred, scene.gt, True)
        theirs = stepped(peer.MSIoU, scene.pred, scene.gt, True)
        assert_close(ours.dynamic_results, theirs.dynamic_results, scene.gt)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_prepared_pairs(kind) -> None:
    for i, scene in enumerate(FIXED):
        if scene.pred.size > 4000:
            continue
        pred, gt = scenes.as_float(scene, kind)
        dynamic = i % 40 == 0
        ours = stepped(MSIoU, pred, gt, dynamic, False)
        theirs = stepped(peer.MSIoU, pred, gt, dynamic, False)
        assert_close(ours.binary_results, theirs.binary_results, scene.gt)
        assert_close(ours.adaptive_results, theirs.adaptive_results, scene.gt)
        if dynamic:
            assert_close(ours.dynamic_results, theirs.dynamic_results, scene.gt)


def test_layouts() -> None:
    for scene in FIXED[:60]:
        pred, gt = np.asfortranarray(scene.pred), np.asfortranarray(scene.gt)
        ours = stepped(MSIoU, pred, gt, False)
        assert_close(
            ours.adaptive_results, stepped(peer.MSIoU, pred, gt, False).adaptive_results, gt
        )


def test_large_scenes_stay_within_the_peers_half_precision() -> None:
    for scene in scenes.large_scenes():
        ours = stepped(MSIoU, scene.pred, scene.gt, False)
        theirs = stepped(peer.MSIoU, scene.pred, scene.gt, False)
        if edges_of(scene.gt) < 65504:
            assert_close(ours.binary_results, theirs.binary_results, scene.gt)
            assert_close(ours.adaptive_results, theirs.adaptive_results, scene.gt)


@pytest.mark.parametrize("number", [2, 3, 5, 12])
def test_other_numbers_of_cell_sizes(number) -> None:
    for scene in FIXED[20:40]:
        ours, theirs = (c(False, True, num_levels=number) for c in (MSIoU, peer.MSIoU))
        assert ours.cell_sizes.tolist() == theirs.cell_sizes.tolist()
        for metric in (ours, theirs):
            metric.step(scene.pred, scene.gt)
        np.testing.assert_allclose(
            ours.adaptive_results, theirs.adaptive_results, rtol=0, atol=1e-12
        )


def test_helpers() -> None:
    ours, theirs = MSIoU(True, True), peer.MSIoU(True, True)
    for scene in FIXED[::9]:
        mask, truth = scene.pred > 99, scene.gt > 128
        edge, there = theirs.get_edge(mask), theirs.get_edge(truth)
        np.testing.assert_array_equal(ours.get_edge(mask), edge)
        for size in (1, 2, 3, 8):
            np.testing.assert_array_equal(
                ours.shrink_by_grid(edge, size), theirs.shrink_by_grid(edge, size)
            )
        known = [theirs.shrink_by_grid(there, size) for size in theirs.cell_sizes]
        for cache in (None, known):
            assert_close(
                ours.multi_scale_iou(edge, there, cache),
                theirs.multi_scale_iou(edge, there, cache),
                scene.gt,
            )
            assert_close(
                ours.binarizing(mask, there, cache),
                theirs.binarizing(mask, there, cache),
                scene.gt,
            )
