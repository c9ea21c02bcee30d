"""What docs/differences.md lists and no other test holds: one test for each difference."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.compat import py_sod_metrics as compat
from fastsegmetrics.errors import InputError

ROOT = Path(__file__).resolve().parent.parent.parent
PRED = np.array([[200, 100, 0, 40], [0, 60, 220, 90], [10, 0, 0, 0]], np.uint8)
GT = np.array([[255, 255, 0, 0], [0, 0, 255, 0], [0, 0, 0, 0]], np.uint8)


def test_the_document_names_tests_that_exist():
    named = re.findall(
        r"`(test_\w+)\.(test_\w+)`", (ROOT / "docs/differences.md").read_text("utf-8")
    )
    assert len(named) > 20
    for module, test in named:
        (path,) = (ROOT / "tests").rglob(f"{module}.py")
        assert f"def {test}(" in path.read_text("utf-8"), f"{module}.{test}"


def test_native_gives_a_constant_block_its_exact_score():
    gt = np.zeros((7, 7), np.uint8)
    gt[0, 0] = 255
    flat = np.full((7, 7), 128, np.uint8)
    # The peer, and compat: .53175.
    assert fsm.s_measure(flat, gt) == pytest.approx(0.89909453, abs=5e-9)


def test_native_divides_the_e_measure_of_one_pixel_by_one():
    one = np.array([[255]], np.uint8)
    # The peer, and compat: 2**52.
    assert fsm.e_measure(one, one).adp == 1.0
    assert fsm.e_measure(np.zeros_like(one), one).curve[[0, 1]].tolist() == [1.0, 0.0]


def test_native_curves_ascend():
    old = compat.Fmeasure()
    old.step(PRED, GT)
    np.testing.assert_allclose(fsm.f_beta(PRED, GT).curve[::-1], old.changeable_fms[0], rtol=1e-14)
    assert fsm.recall(PRED, GT).curve[0] == 1.0 == old.recalls[0][-1]


@pytest.mark.parametrize("gt", [GT > 128, (GT > 128).astype(np.uint8)], ids=["bool", "0/1"])
def test_native_takes_a_mask_at_its_word_or_asks(gt):
    if gt.dtype == bool:
        assert fsm.iou(PRED, gt).bin == fsm.iou(PRED, GT).bin > 0
        return
    with pytest.raises(InputError, match="gt_threshold"):
        fsm.iou(PRED, gt)
    assert fsm.iou(PRED, gt, gt_threshold=0).bin == fsm.iou(PRED, GT).bin


def test_native_asks_for_the_scale_of_a_map_of_zeros_and_ones():
    faint = (PRED > 50).astype(np.uint8)
    with pytest.raises(InputError, match="pred_scale"):
        fsm.mae(faint, GT)
    metric = compat.MAE()
    metric.step(faint, GT)
    assert metric.maes[0] == pytest.approx(fsm.mae(faint, GT, pred_scale=255), rel=1e-14)


def test_native_refuses_what_compat_stretches():
    for wide in (PRED.astype(np.uint16) * 257, PRED.astype(np.float64)):
        compat.MAE().step(wide, GT)
        with pytest.raises(InputError, match="pred"):
            fsm.mae(wide, GT)


@pytest.mark.parametrize("dtype", [np.float16, ">f8", np.longdouble])
def test_compat_takes_any_floats_without_normalize(dtype):
    metric = compat.MAE()
    metric.step((PRED / 255).astype(dtype), GT > 128, normalize=False)
    assert metric.maes[0] == pytest.approx(np.abs(PRED / 255 - (GT > 128)).mean(), rel=1e-3)


def test_compat_takes_lists():
    metric = compat.Emeasure()
    metric.step(PRED.tolist(), GT.tolist())
    metric.step(PRED, GT)
    assert metric.adaptive_ems[0] == metric.adaptive_ems[1]


def test_compat_scores_one_axis_with_the_e_measure():
    metric = compat.Emeasure()
    metric.step(PRED.ravel(), GT.ravel())
    metric.step(PRED, GT)
    assert metric.adaptive_ems[0] == metric.adaptive_ems[1]


def test_compat_step_does_not_call_the_public_helpers():
    class Overridden(compat.MAE):
        def cal_mae(self, pred, gt):
            return -1.0

    metric = Overridden()
    metric.step(PRED, GT)
    assert metric.maes[0] > 0


def test_compat_e_measure_helpers_need_no_step_before():
    values, truth = PRED / 220, GT > 128
    fresh, used = compat.Emeasure(), compat.Emeasure()
    used.step(PRED[:2], GT[:2])
    assert fresh.cal_adaptive_em(values, truth) == used.cal_adaptive_em(values, truth)


def test_compat_adaptive_scores_are_floats_also_where_they_are_zero():
    metric = compat.Fmeasure()
    metric.step(255 - GT, GT)
    assert [type(v) for v in metric.adaptive_fms] == [np.float64]
    assert metric.adaptive_fms == [0.0]


def test_compat_constructors_are_silent():
    compat.Fmeasure()  # warnings are errors in this test run


#: Where the peer defines its classes, for code that imports them from there.
MODULES = {
    "sod_metrics": "MAE Smeasure Emeasure Fmeasure WeightedFmeasure HumanCorrectionEffortMeasure",
    "fmeasurev2": "FmeasureV2 _BaseHandler FmeasureHandler IOUHandler DICEHandler BERHandler "
    "KappaHandler OverallAccuracyHandler PrecisionHandler RecallHandler SensitivityHandler "
    "SpecificityHandler TNRHandler TPRHandler FPRHandler",
    "context_measure": "ContextMeasure CamouflageContextMeasure",
    "multiscale_iou": "MSIoU",
    "size_invariance": "SizeInvarianceFmeasureV2 SizeInvarianceMAE",
}


@pytest.mark.parametrize("module", MODULES)
def test_modules_have_the_peers_classes(module):
    imported = importlib.import_module(f"{compat.__name__}.{module}")
    for name in MODULES[module].split():
        assert getattr(imported, name) is getattr(compat, name)
        assert name in getattr(imported, "__all__", [name])


def test_what_is_not_there():
    assert not hasattr(compat.Emeasure, "generate_parts_numel_combinations")
    assert importlib.util.find_spec(f"{compat.__name__}.utils") is None
    assert not hasattr(compat.size_invariance, "parse_connected_components")
