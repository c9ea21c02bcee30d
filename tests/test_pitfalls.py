"""What users of other libraries stumble over, each kind with its value.

Those of files and runs are in ``bulk`` and ``io``, those of memory layouts in `test_represent`,
of threads, forks and caches in `test_embedding`.
"""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.scores import SWEEP_SCORES

BACKENDS = pytest.mark.parametrize("backend", ["compiled", "reference"])
ODD_SHAPES = [(5, 17), (17, 5), (1, 9), (9, 1), (1, 1)]


@BACKENDS
def test_a_mask_of_zeros_and_ones_is_not_all_background(backend) -> None:
    ones = np.array([[0, 1], [1, 1]], np.uint8)
    pred = np.array([[0, 255], [255, 255]], np.uint8)
    with pytest.raises(fsm.InputError, match="gt_threshold=0"):
        fsm.iou(pred, ones, backend=backend)
    assert fsm.iou(pred, ones, gt_threshold=0, backend=backend).bin == 1.0
    assert fsm.iou(pred, ones == 1, backend=backend).bin == 1.0


@BACKENDS
@pytest.mark.parametrize(("value", "recall"), [(128, 0.0), (129, 1.0)])
def test_129_is_foreground_and_128_is_not(backend, value, recall) -> None:
    gt = np.full((3, 4), value, np.uint8)
    assert fsm.recall(np.full((3, 4), 255, np.uint8), gt, backend=backend).bin == recall


def test_probabilities_and_eight_bit_values_are_not_mixed_up() -> None:
    gt = np.array([[False, True]])
    with pytest.raises(fsm.InputError, match=r"pred must lie in \[0, 1\].*pred_scale=255"):
        fsm.mae(np.array([[0.0, 255.0]]), gt)
    with pytest.raises(fsm.InputError, match="pred_scale=1"):
        fsm.mae(np.array([[0, 1]], np.uint8), gt)


@BACKENDS
def test_a_trailing_axis_does_not_broadcast(backend) -> None:
    mask = np.eye(4, dtype=bool)
    assert fsm.iou(mask, mask, backend=backend).bin == 1.0
    for pair in ((mask, mask[..., None]), (mask[..., None], mask)):
        with pytest.raises(fsm.InputError, match=r"\(4, 4, 1\).*\(4, 4\)"):
            fsm.iou(*pair, backend=backend)
    with pytest.raises(fsm.InputError, match=r"\(2, 4\) and \(4, 2\).*transpose"):
        fsm.iou(mask[:2], mask[:, :2])


#: Value of (a, b) and of (b, a) where a = b plus as many pixels again, of 85.
EXCHANGED = {
    "mae": (12 / 85, 12 / 85),
    "f_beta": (1.3 * 0.5 / (0.3 * 0.5 + 1), 1.3 * 0.5 / (0.3 + 0.5)),
    "f1": (2 / 3, 2 / 3),
    "precision": (0.5, 1.0),
    "recall": (1.0, 0.5),
    "specificity": (61 / 73, 1.0),
    "fpr": (12 / 73, 0.0),
    "iou": (0.5, 0.5),
    "dice": (2 / 3, 2 / 3),
    "ber": (1 - (1 + 61 / 73) / 2, 0.25),
    "accuracy": (73 / 85, 73 / 85),
    # Agreement 73/85; chance (24·12 + 61·73)/85² both ways round for Cohen, with tn + tp = 73
    # for the toolboxes whose last factor is the same here, and (12·24 + 73·73)/85² the other way.
    "cohen_kappa": (
        (73 * 85 - 24 * 12 - 61 * 73) / (85**2 - 24 * 12 - 61 * 73),
        (73 * 85 - 24 * 12 - 61 * 73) / (85**2 - 24 * 12 - 61 * 73),
    ),
    "kappa": (
        (73 * 85 - 24 * 12 - 61 * 73) / (85**2 - 24 * 12 - 61 * 73),
        (73 * 85 - 12 * 24 - 73 * 73) / (85**2 - 12 * 24 - 73 * 73),
    ),
}


@BACKENDS
@pytest.mark.parametrize("name", EXCHANGED)
def test_prediction_comes_first(backend, name) -> None:
    small = np.zeros((5, 17), bool)
    small[1:3, 2:8] = True
    large = small.copy()
    large[3:5, 2:8] = True
    function = getattr(fsm, name)
    for pair, value in zip(((large, small), (small, large)), EXCHANGED[name]):
        found = function(*pair, backend=backend)
        found = found if isinstance(found, float) else found.bin
        assert found == pytest.approx(value, rel=1e-12)


def test_every_function_takes_pred_gt_and_then_keywords() -> None:
    for name in (*SWEEP_SCORES, "mae", "s_measure", "ap", "auc", "pr_curve", "roc_curve"):
        first, second, *others = inspect.signature(getattr(fsm, name)).parameters.values()
        assert (first.name, second.name) == ("pred", "gt")
        assert all(p.kind in (p.KEYWORD_ONLY, p.VAR_KEYWORD) for p in others)
        with pytest.raises(TypeError):
            getattr(fsm, name)(np.eye(2, dtype=bool), np.eye(2, dtype=bool), "compiled")


@BACKENDS
@pytest.mark.parametrize("shape", ODD_SHAPES)
def test_strides_of_images_that_are_not_square(backend, shape) -> None:
    rng = np.random.default_rng(sum(shape))
    pred = rng.integers(2, 256, shape, dtype=np.uint8)
    gt = rng.random(shape) > 0.5
    here = fsm.measure(pred, gt, "sweep", backend=backend)
    there = fsm.measure(pred.T, gt.T, "sweep", backend=backend)
    assert here == pytest.approx(there, rel=1e-11, abs=1e-13, nan_ok=True)


@BACKENDS
def test_both_empty_is_best_and_worst_at_once_unless_strict(backend) -> None:
    empty = np.zeros((4, 6), bool)
    assert fsm.mae(empty, empty, backend=backend) == 0.0
    assert fsm.s_measure(empty, empty, backend=backend) == 1.0
    assert fsm.f_beta(empty, empty, backend=backend).bin == 0.0
    assert fsm.f_beta(empty, empty, backend=backend, policy="strict").bin == 1.0
    undefined = {"policy": "strict", "both_empty": "undefined"}
    assert math.isnan(fsm.f_beta(empty, empty, backend=backend, **undefined).bin)


@BACKENDS
def test_alignment_above_one(backend) -> None:
    one = np.array([[True]])
    assert fsm.e_measure(one, one, backend=backend).max == 1.0
    pair = np.array([[True, False]])
    assert fsm.e_measure(pair, pair, backend=backend).bin == pytest.approx(2.0, rel=1e-12)
    assert fsm.e_measure(pair, pair, backend=backend, e_denominator="N").bin == pytest.approx(1.0)


@BACKENDS
def test_structure_of_an_object_in_the_last_row_is_a_number(backend) -> None:
    gt = np.zeros((6, 5), bool)
    gt[5, 1:4] = True
    pred = np.where(gt, 180, 20).astype(np.uint8)
    assert fsm.s_measure(gt, gt, backend=backend) == pytest.approx(1.0, abs=1e-9)
    assert 0 < fsm.s_measure(pred, gt, backend=backend, stretch=False) < 1


@BACKENDS
def test_adaptive_threshold_of_an_all_zero_map(backend) -> None:
    nothing, full = np.zeros((3, 7), np.uint8), np.full((3, 7), 255, np.uint8)
    assert fsm.f_beta(nothing, full, backend=backend).adp == 1.0
    assert fsm.f_beta(nothing, full, backend=backend, policy="strict").adp == 0.0


@BACKENDS
def test_undefined_values_do_not_raise_a_mean(backend) -> None:
    background = np.zeros((3, 4), bool)
    evaluator = fsm.Evaluator("specificity.bin", policy="strict", backend=backend)
    evaluator.update(~background, ~background)
    evaluator.update(~background, background)
    row = evaluator.result()["specificity.bin"]
    assert (row.value, row.n_used, row.n_undefined, row.n_expected) == (0.0, 1, 1, 2)


def test_padded_shards_are_found_out() -> None:
    pair = np.array([[True, False]])
    shards = [fsm.Evaluator("mae"), fsm.Evaluator("mae")]
    for shard in shards:
        shard.update(pair, pair, sample_id="21")
    with pytest.raises(fsm.InputError, match="'21'"):
        shards[0].merge(shards[1])
    assert shards[0].result()["mae"].n_used == 1
