"""MSIoU: what a caller of the peer relies on."""

from __future__ import annotations

import numpy as np
import pytest

from fastsegmetrics.compat.py_sod_metrics.multiscale_iou import MSIoU
from fastsegmetrics.errors import InputError

PRED = (np.arange(35) * 7 % 256).astype(np.uint8).reshape(5, 7)
GT = ((np.arange(35) % 3 == 0) * 255).astype(np.uint8).reshape(5, 7)


def stepped(pred=PRED, gt=GT, normalize=True, **choices) -> MSIoU:
    choices = {"with_dynamic": True, "with_adaptive": True, "with_binary": True} | choices
    metric = MSIoU(**choices)
    assert metric.step(pred, gt, normalize) is None
    return metric


def test_results_have_the_peers_names_types_and_order() -> None:
    metric = stepped()
    found = metric.get_results()
    assert list(found) == ["dynamic", "adaptive", "binary"]
    assert found["dynamic"].shape == (257,)
    assert isinstance(metric.dynamic_results[0], list)
    assert len(metric.dynamic_results[0]) == 257
    assert type(metric.adaptive_results[0]) is type(metric.binary_results[0]) is np.float64
    assert metric.cell_sizes.tolist() == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    partial = stepped(with_dynamic=False, with_binary=False)
    assert partial.dynamic_results is partial.binary_results is None
    assert list(partial.get_results()) == ["adaptive"]
    assert partial.adaptive_results == metric.adaptive_results


def test_results_are_means_over_images_and_nan_before_the_first() -> None:
    metric = stepped()
    metric.step(pred=GT, gt=GT)
    assert metric.binary_results[1] == 1.0
    for name, gathered in (("binary", metric.binary_results), ("dynamic", metric.dynamic_results)):
        np.testing.assert_array_equal(metric.get_results()[name], np.mean(gathered, axis=0))
    for value in MSIoU(True, True, with_binary=True).get_results().values():
        assert np.isnan(value)


def test_thresholds_ascend_from_all_to_nothing() -> None:
    curve = stepped(GT, GT).dynamic_results[0]
    assert curve[1:256] == [1.0] * 255
    assert curve[256] < curve[0] < 1


@pytest.mark.parametrize(
    ("number", "sizes"),
    [(2, [1, 512]), (3, [1, 16, 512]), (12, [1, 1, 2, 4, 8, 16, 16, 32, 64, 128, 256, 512])],
)
def test_number_of_cell_sizes(number, sizes) -> None:
    metric = stepped(num_levels=number)
    assert metric.cell_sizes.tolist() == sizes
    edge, truth = metric.get_edge(stretched() > 0.5), metric.get_edge(GT > 128)
    ratios = metric.multi_scale_iou(edge, truth)
    assert len(ratios) == number
    assert metric.binary_results[0] == pytest.approx(
        (sum(ratios) - (ratios[0] + ratios[-1]) / 2) / (number - 1), rel=1e-14
    )
    assert metric.dynamic_results[0][128] == pytest.approx(metric.binary_results[0], rel=1e-14)


def test_one_cell_size_is_refused() -> None:
    with pytest.raises(InputError, match="num_levels must be at least 2; received 1"):
        MSIoU(True, True, num_levels=1)


def stretched() -> np.ndarray:
    values = PRED / 255
    return (values - values.min()) / (values.max() - values.min())


def test_helpers_give_the_scores() -> None:
    metric = stepped()
    values, truth = stretched(), GT > 128
    edge = metric.get_edge(truth)
    assert edge.shape == truth.shape
    assert set(np.unique(edge)) <= {0.0, 1.0}
    known = [metric.shrink_by_grid(edge, size) for size in metric.cell_sizes]
    for cache in (None, known):
        assert metric.binarizing(values > 0.5, edge, cache) == pytest.approx(
            metric.binary_results[0], rel=1e-14
        )
    kept = values >= 2 * values.mean()
    assert metric.binarizing(kept, edge) == pytest.approx(metric.adaptive_results[0], rel=1e-14)
    for t in (0, 1, 60, 255, 256):
        score = metric.binarizing(np.floor(values * 255) >= t, edge)
        assert score == pytest.approx(metric.dynamic_results[0][t], rel=1e-14)


def test_shrinking_pads_at_the_top_and_at_the_left() -> None:
    cells = MSIoU(True, True).shrink_by_grid(np.eye(5, 7), 3)
    assert cells.tolist() == [[1, 1, 0], [0, 1, 1]]
    assert MSIoU(True, True).shrink_by_grid(np.eye(2), 1).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_prepared_pairs(kind) -> None:
    values = stretched().astype(kind)
    metric = stepped(values, GT > 128, normalize=False)
    expected = stepped()
    assert metric.binary_results == expected.binary_results
    np.testing.assert_allclose(metric.dynamic_results, expected.dynamic_results, atol=0.1)


def test_layouts_give_the_same() -> None:
    expected = stepped()
    for form in (np.asfortranarray, lambda a: np.repeat(a, 2, 0)[::2], lambda a: a.astype(">u2")):
        metric = stepped(form(PRED), form(GT))
        assert metric.adaptive_results == expected.adaptive_results
        assert metric.dynamic_results == expected.dynamic_results


def test_degenerate_images() -> None:
    nothing = np.zeros((4, 6), np.uint8)
    metric = stepped(nothing, nothing)
    assert (metric.binary_results, metric.adaptive_results) == ([1.0], [1.0])
    assert metric.dynamic_results[0] == [1.0] * 257
    one = np.array([[255]], np.uint8)
    assert stepped(one, one).dynamic_results[0] == [1.0] * 257


@pytest.mark.parametrize("shape", [(6,), (2, 3, 3)])
def test_only_planes(shape) -> None:
    with pytest.raises(InputError, match=r"pred must be 2-D \(H, W\) for MSIoU"):
        stepped(np.zeros(shape, np.uint8), np.zeros(shape, np.uint8))
