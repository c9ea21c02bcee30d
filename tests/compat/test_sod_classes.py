"""MAE, Smeasure, Emeasure and Fmeasure: what a caller of the peer relies on."""

import numpy as np
import pytest
import scenes

from fastsegmetrics.compat import py_sod_metrics as compat
from fastsegmetrics.errors import FastSegMetricsError, InputError

PRED = (np.arange(35) * 7 % 256).astype(np.uint8).reshape(5, 7)
GT = ((np.arange(35) % 3 == 0) * 255).astype(np.uint8).reshape(5, 7)
# The peer's numbers for this pair.
MAE, S, E_ADAPTIVE = 0.5100840336134455, 0.2888083770062052, 0.2943489631411759

CLASSES = [compat.MAE, compat.Smeasure, compat.Emeasure, compat.Fmeasure]


def stepped(cls, pred, gt, **kwargs):
    metric = cls()
    assert metric.step(pred, gt, **kwargs) is None
    return metric


def results(cls, pred, gt, **kwargs):
    """All numbers of one pair in a row."""
    lists = {
        compat.MAE: ("maes",),
        compat.Smeasure: ("sms",),
        compat.Emeasure: ("adaptive_ems", "changeable_ems"),
        compat.Fmeasure: ("adaptive_fms", "changeable_fms", "precisions", "recalls"),
    }
    metric = stepped(cls, pred, gt, **kwargs)
    return np.concatenate([np.ravel(getattr(metric, name)[0]) for name in lists[cls]])


def test_results_have_the_peers_names_types_and_order():
    mae = stepped(compat.MAE, PRED, GT)
    assert mae.get_results() == {"mae": pytest.approx(MAE, rel=1e-14)}
    assert [type(v) for v in mae.maes] == [np.float64]

    s = stepped(compat.Smeasure, PRED, GT)
    assert s.get_results() == {"sm": pytest.approx(S, rel=1e-13)}
    assert s.alpha == 0.5
    assert len(s.sms) == 1

    e = stepped(compat.Emeasure, PRED, GT)
    found = e.get_results()["em"]
    assert found["adp"] == pytest.approx(E_ADAPTIVE, rel=1e-14)
    assert found["curve"].shape == (256,)
    assert (e.gt_fg_numel, e.gt_size) == (12, 35)

    f = stepped(compat.Fmeasure, PRED, GT).get_results()
    assert f["fm"]["adp"] == 0
    # Threshold 0, which keeps everything, comes last.
    assert f["pr"]["r"][[0, -1]].tolist() == [0.0, 1.0]
    assert f["pr"]["p"][-1] == pytest.approx(12 / 35)
    assert f["fm"]["curve"][-1] == pytest.approx(0.40414508, rel=1e-8)


def test_results_are_means_over_images():
    metric = compat.MAE()
    metric.step(PRED, GT)
    metric.step(pred=GT, gt=GT, normalize=True)
    assert metric.maes[1] == 0.0
    assert metric.get_results()["mae"] == np.mean(metric.maes)


def test_parameters_shape_the_scores():
    weighted = [compat.Smeasure(alpha=a) for a in (0.0, 1.0, 0.5)]
    for metric in weighted:
        metric.step(PRED, GT)
    region, by_object, both = (m.sms[0] for m in weighted)
    assert region == 0.0  # negative before it is cut off
    assert both == pytest.approx(
        0.5 * by_object + 0.5 * compat.Smeasure().region(*prepared(PRED, GT)), rel=1e-13
    )
    f1 = compat.Fmeasure(beta=1)
    f1.step(PRED, GT)
    precision, recall = f1.precisions[0][-1], f1.recalls[0][-1]
    assert f1.changeable_fms[0][-1] == pytest.approx(
        2 * precision * recall / (precision + recall), rel=1e-14
    )


def prepared(pred, gt):
    values = pred / 255
    return (values - values.min()) / (values.max() - values.min()), gt > 128


def test_public_helpers_score_a_prepared_pair():
    values, truth = prepared(PRED, GT)
    assert compat.MAE().cal_mae(pred=values, gt=truth) == pytest.approx(MAE, rel=1e-14)
    s, e, f = compat.Smeasure(), compat.Emeasure(), compat.Fmeasure()
    assert s.cal_sm(pred=values, gt=truth) == pytest.approx(S, rel=1e-12)
    assert e.cal_adaptive_em(values, truth) == pytest.approx(E_ADAPTIVE, rel=1e-14)
    curve = stepped(compat.Emeasure, PRED, GT).changeable_ems[0]
    np.testing.assert_array_equal(e.cal_changeable_em(values, truth), curve)
    np.testing.assert_array_equal(e.cal_em_with_cumsumhistogram(values, truth), curve)
    assert e.cal_em_with_threshold(values, truth, threshold=100 / 255) == pytest.approx(
        curve[255 - 100], rel=1e-14
    )
    assert f.cal_adaptive_fm(values, truth) == 0
    for found, name in zip(
        f.cal_pr(pred=values, gt=truth), ("precisions", "recalls", "changeable_fms"), strict=True
    ):
        np.testing.assert_array_equal(found, getattr(stepped(compat.Fmeasure, PRED, GT), name)[0])
    assert [s.sms, e.adaptive_ems, f.precisions] == [[], [], []]


def test_s_measure_helpers_are_the_terms():
    # The peer's numbers for PRED / 255, not stretched.
    values, truth = PRED / 255, GT > 128
    s = compat.Smeasure()
    assert s.object(values, truth) == pytest.approx(0.6511443292722017, rel=1e-12)
    assert s.region(values, truth) == pytest.approx(-0.05272422473593565, rel=1e-12)
    assert s.ssim(values, truth) == pytest.approx(-0.02972353580066788, rel=1e-12)
    assert s.s_object(values) == pytest.approx(0.6226096421788473, rel=1e-12)
    assert s.s_object(values[:1, :1]) == 0.0
    assert s.ssim(np.zeros((3, 3)), np.zeros((3, 3), bool)) == 1.0


def test_a_perfect_lone_corner_pixel_scores_one_where_the_peer_has_nan():
    corner = np.zeros((5, 9), np.uint8)
    corner[-1, -1] = 255
    # Not closer to 1: eps in the denominator is seen where one pixel of 45 varies.
    assert stepped(compat.Smeasure, corner, corner).sms == [pytest.approx(1.0, rel=1e-11)]
    line = np.array([[0, 0, 0, 255, 255, 255, 0, 0]], np.uint8)
    assert stepped(compat.Smeasure, line, line).sms == [pytest.approx(1.0, rel=1e-12)]
    assert compat.Smeasure().region(corner / 255, corner > 128) == pytest.approx(1.0, rel=1e-11)


def test_a_constant_block_follows_np_mean_as_the_peer_does():
    gt = np.zeros((7, 7), np.uint8)
    gt[0, 0] = 255
    flat = np.full((7, 7), 128, np.uint8)
    assert stepped(compat.Smeasure, flat, gt).sms == [pytest.approx(0.53174759217920, rel=1e-12)]
    as_float = flat / 255
    assert compat.Smeasure().cal_sm(as_float, gt > 128) == pytest.approx(0.5317475921792, rel=1e-12)
    block, nothing = as_float[1:, 1:], gt[1:, 1:] > 128
    assert compat.Smeasure().ssim(block, nothing) == float(block.mean() == block[0, 0])


def test_one_pixel_divides_the_e_measure_by_eps_as_the_peer_does():
    one = np.array([[255]], np.uint8)
    metric = stepped(compat.Emeasure, one, one)
    assert metric.adaptive_ems == [2.0**52]
    assert compat.Emeasure().cal_em_with_threshold(one / 255, one > 128, 0.5) == 2.0**52


@pytest.mark.parametrize("cls", CLASSES)
def test_before_the_first_step_results_are_nan_and_silent(cls):
    for value in cls().get_results().values():
        for number in value.values() if isinstance(value, dict) else [value]:
            assert np.isnan(number)


@pytest.mark.parametrize("cls", CLASSES)
def test_each_step_sees_the_arrays_as_they_are(cls):
    pred, gt = PRED.copy(), GT.copy()
    metric = cls()
    metric.step(pred, gt)
    pred[:], gt[:] = PRED[::-1], GT[:, ::-1]
    metric.step(pred, gt)
    name = {compat.MAE: "maes", compat.Smeasure: "sms", compat.Emeasure: "adaptive_ems"}.get(
        cls, "recalls"
    )
    fresh = cls()
    fresh.step(PRED[::-1], GT[:, ::-1])
    np.testing.assert_array_equal(getattr(metric, name)[1], getattr(fresh, name)[0])
    assert not np.array_equal(getattr(metric, name)[0], getattr(metric, name)[1])
    np.testing.assert_array_equal(pred, PRED[::-1])
    np.testing.assert_array_equal(gt, GT[:, ::-1])


FORMS = {
    "int64": lambda p: p.astype(np.int64),
    "uint16": lambda p: p.astype(np.uint16),
    "wide": lambda p: p.astype(np.uint16) * 257,
    "negative": lambda p: p.astype(np.int16) - 300,
    "float64": lambda p: p.astype(np.float64),
    "list": lambda p: p.tolist(),
    "fortran": np.asfortranarray,
    "reversed": lambda p: np.ascontiguousarray(p[::-1, ::-1])[::-1, ::-1],
    "strided": lambda p: np.repeat(p, 2, axis=1)[:, ::2],
    "big_endian": lambda p: p.astype(">i4"),
    "read_only": lambda p: (q := p.copy(), q.setflags(write=False))[0],
}


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("form", FORMS)
def test_any_numbers_are_stretched_to_the_same_map(cls, form):
    expected = results(cls, PRED, GT)
    pred = FORMS[form](PRED)
    if form in ("wide", "negative"):
        # Off the 8-bit scale the roundings, and with them some levels, are those of pred / 255.
        values = prepared(pred, GT)[0]
        rounded = results(cls, values, GT > 128, normalize=False)
        np.testing.assert_allclose(results(cls, pred, GT), rounded, rtol=1e-12, atol=0)
        assert abs(rounded - expected).max() < 0.5
        return
    np.testing.assert_allclose(results(cls, pred, GT), expected, rtol=1e-12, atol=0)
    np.testing.assert_allclose(results(cls, PRED, FORMS[form](GT)), expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize("cls", CLASSES)
def test_single_and_half_precision_are_near(cls):
    expected = results(cls, PRED / 255, GT > 128, normalize=False)
    single = results(cls, (PRED / 255).astype(np.float32), GT > 128, normalize=False)
    np.testing.assert_allclose(single, expected, rtol=1e-6)
    assert results(cls, PRED.astype(np.float32), GT).shape == expected.shape
    assert np.isfinite(results(cls, PRED.astype(np.float16), GT)).all()


def test_a_boolean_prediction_is_stretched_to_zero_and_one():
    assert stepped(compat.MAE, PRED > 99, GT).maes[0] == np.mean((PRED > 99) != (GT > 128))


@pytest.mark.parametrize("cls", [compat.MAE, compat.Fmeasure])
def test_scores_of_a_set_of_pixels_take_any_shape(cls):
    expected = results(cls, PRED, GT)
    for shape in ((35,), (5, 7, 1), (1, 5, 7)):
        np.testing.assert_array_equal(
            results(cls, PRED.reshape(shape), GT.reshape(shape)), expected
        )


def test_e_and_s_measure_refuse_shapes_that_have_no_meaning_for_them():
    column = PRED[..., None], GT[..., None]
    assert stepped(compat.Emeasure, *column).adaptive_ems == [pytest.approx(E_ADAPTIVE, rel=1e-14)]
    three = np.dstack([PRED] * 3), np.dstack([GT] * 3)
    for cls, pair in ((compat.Emeasure, three), (compat.Smeasure, column)):
        with pytest.raises(InputError, match=r"pred must be 2-D \(H, W\).*received shape \(5, 7"):
            stepped(cls, *pair)


@pytest.mark.parametrize("cls", CLASSES)
def test_refusals_are_the_peers_exception_types(cls):
    metric = cls()
    values, truth = PRED / 255, GT > 128
    with pytest.raises(ValueError, match=r"one shape; received \(5, 7\) and \(5, 6\)"):
        metric.step(PRED, GT[:, :6])
    with pytest.raises(ValueError, match="at least one pixel"):
        metric.step(PRED[:0], GT[:0])
    with pytest.raises(TypeError, match="gt must be boolean with normalize=False"):
        metric.step(values, GT, normalize=False)
    with pytest.raises(TypeError, match="pred must be float32 or float64 with normalize=False"):
        metric.step(PRED, truth, normalize=False)
    with pytest.raises(ValueError, match=r"pred must lie in \[0, 1\]"):
        metric.step(values * 1.2, truth, normalize=False)
    with pytest.raises(FastSegMetricsError, match="pred must be finite"):
        metric.step(np.where(PRED > 9, values, np.nan), truth, normalize=False)
    with pytest.raises(TypeError, match="received dtype complex128"):
        metric.step(PRED * 1j, GT)
    # What was refused left nothing behind.
    assert [v for v in vars(metric).values() if isinstance(v, list) and v] == []


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused(cls, bad):
    pred = PRED.astype(np.float64)
    pred[2, 3] = bad
    with pytest.raises(InputError, match=r"pred must be finite; .* the first at \(\d, \d\)"):
        stepped(cls, pred, GT)


def test_a_constant_map_off_the_scale_is_refused():
    with pytest.raises(InputError, match=r"\[0, 255\] where it is constant; received 300"):
        stepped(compat.MAE, np.full((3, 4), 300, np.uint16), np.zeros((3, 4), np.uint8))


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("gt", [GT > 128, (GT > 128).astype(np.uint8)], ids=["bool", "0/1"])
def test_a_mask_of_ones_is_all_background_as_for_the_peer_but_not_silently(cls, gt):
    with pytest.warns(UserWarning, match="its maximum is 1: all of it counts as background"):
        found = results(cls, PRED, gt)
    np.testing.assert_array_equal(found, results(cls, PRED, np.zeros_like(GT)))


def test_the_adaptive_threshold_is_the_mean_of_the_map_as_it_lies():
    tie = next(s for s in scenes.small_scenes() if s.name == "adaptive_tie_72")
    # Exact arithmetic keeps 22 pixels; np.mean of this map rounds up and leaves one.
    assert (tie.pred >= 17).sum() == 22
    for pred in (tie.pred, np.asfortranarray(tie.pred), tie.pred[:, ::-1]):
        values = pred / 255
        kept = values >= 2 * values.mean()
        gt = tie.gt > 128
        precision = (kept & gt).sum() / kept.sum()
        recall = (kept & gt).sum() / gt.sum()
        f = 1.3 * precision * recall / (0.3 * precision + recall) if precision else 0.0
        assert stepped(compat.Fmeasure, pred, tie.gt).adaptive_fms == [pytest.approx(f, rel=1e-14)]
