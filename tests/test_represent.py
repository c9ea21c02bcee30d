"""Stage 1: what arrays are accepted, as what, and the one sentence for those that are not."""

from __future__ import annotations

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics import represent
from fastsegmetrics.conventions import Conventions

GT = np.array([[0, 255, 255], [0, 0, 255]], np.uint8)
PRED = np.array([[10, 200, 250], [0, 30, 90]], np.uint8)


def refused(pred=PRED, gt=GT, **conventions) -> str:
    with pytest.raises(fsm.InputError) as caught:
        fsm.mae(pred, gt, **conventions)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("gt", "foreground"),
    [
        (GT, 3),
        (GT > 0, 3),
        (GT.astype(np.int64), 3),
        (GT.astype(">i2"), 3),
        ((GT > 0).astype(np.float32), 3),
        (np.full((2, 3), 128, np.uint8), 0),
        (np.full((2, 3), 129, np.uint8), 6),
        (np.zeros((2, 3), np.uint8), 0),
        (np.array([[3, 252, 128], [0, 129, 250]], np.uint8), 3),
        (GT.tolist(), 3),
    ],
)
def test_masks_that_are_understood(gt, foreground) -> None:
    mask = represent.mask(gt)
    assert mask.dtype == np.uint8
    assert mask.flags.c_contiguous
    assert int(mask.sum()) == foreground == fsm.Target(gt).n_foreground


@pytest.mark.parametrize(("threshold", "foreground"), [(0, 3), (0.5, 3), (1, 0)])
def test_gt_threshold_settles_a_mask_of_zeros_and_ones(threshold, foreground) -> None:
    gt = (GT > 0).astype(np.uint8)
    assert fsm.Target(gt, gt_threshold=threshold).n_foreground == foreground
    soft = gt.astype(float) * 0.75
    assert fsm.Target(soft, gt_threshold=0.5).n_foreground == 3


def test_mask_of_zeros_and_ones_is_refused_by_name() -> None:
    message = refused(gt=(GT > 0).astype(np.uint8))
    assert "gt_threshold=0" in message
    assert "maximum is 1" in message
    assert "gt_threshold=0" in refused(gt=(GT > 0).astype(np.int64))


def test_masks_off_the_scale() -> None:
    assert "0..255" in refused(gt=GT.astype(np.int64) * 2)
    assert "-1 at (0, 0)" in refused(gt=GT.astype(np.int64) - 1)
    assert "0.5 at (0, 1)" in refused(gt=np.array([[0, 0.5, 1], [0, 0, 1]]))
    assert "NaN" in refused(gt=np.full((2, 3), np.nan), gt_threshold=0.5)
    assert "boolean" in refused(gt=GT > 0, gt_threshold=0.5)


@pytest.mark.parametrize("threshold", [-5, -0.1, 255, 300])
def test_a_threshold_that_no_truth_of_8_bits_is_told_apart_by(threshold) -> None:
    message = refused(gt=GT.astype(np.uint8), gt_threshold=threshold)
    assert message == (
        f"gt_threshold must be at least 0 and below 255 for a gt of uint8; received {threshold}"
    )


def test_a_threshold_is_of_the_range_of_the_truths_type() -> None:
    values = np.array([[-7, 0, 300], [2, 1, 0]])

    def n_foreground(dtype, threshold) -> int:
        return fsm.Target(values.astype(dtype), gt_threshold=threshold).n_foreground

    assert [n_foreground(np.int16, t) for t in (-5, 0, 254.5, 300)] == [5, 3, 1, 0]
    assert [n_foreground(np.float32, t) for t in (-1e9, -5, 300)] == [6, 5, 0]
    eight_bit = np.array([[0, 254, 255]], np.uint8)
    assert [fsm.Target(eight_bit, gt_threshold=t).n_foreground for t in (0, 254, 254.5)] == [
        2,
        1,
        1,
    ]
    wide = np.array([[0, 300, 65535]], np.uint16)
    assert fsm.Target(wide, gt_threshold=300).n_foreground == 1
    assert "below 65535 for a gt of uint16; received 65535" in refused(
        gt=np.zeros((2, 3), np.uint16), gt_threshold=65535
    )


def test_logits_are_recognised() -> None:
    logits = np.array([[-3.0, 2.5, 0.1], [0.2, 0.0, -7.0]])
    assert "(if these are logits, apply a sigmoid first; otherwise clip=True clips" in refused(
        pred=logits
    )
    assert "(pass clip=True to clip them)" in refused(pred=logits.clip(-3, 1))
    assert "(pass pred_scale=255 for 8-bit values)" in refused(pred=logits.clip(0, 9))


def test_shapes() -> None:
    assert "(3, 2) and (2, 3) (the one is the other's transpose)" in refused(pred=PRED.T)
    asked = refused(pred=PRED[:1], resize="bilinear")
    assert asked.endswith(
        "(1, 3) and (2, 3); resize='bilinear' is for folder runs, arrays stay as they are"
    )
    assert "(2, 2) and (2, 3)" in refused(pred=PRED[:, :2])
    message = refused(pred=PRED[..., None])
    assert "(2, 3, 1)" in message
    assert "pred[..., 0]" in message
    message = refused(gt=GT[..., None])
    assert "(2, 3, 1) beside pred of (2, 3)" in message
    assert "(2, 3, 4)" in refused(pred=np.dstack([PRED] * 4))
    assert "at least one pixel" in refused(pred=np.zeros((0, 3)), gt=np.zeros((0, 3), bool))
    assert "2-D" in refused(gt=np.zeros(3, bool))
    assert "dtype complex128" in refused(pred=PRED.astype(complex))
    assert "dtype" in refused(pred=np.array([["a", "b", "c"]] * 2))


def test_predictions_off_the_scale() -> None:
    assert "pred_scale=255" in refused(pred=PRED.astype(float))
    assert "1.0000001 at (0, 1)" in refused(pred=np.array([[0, 1.0000001, 1], [0, 0, 0]]))
    assert "clip=True" in refused(pred=np.array([[0, 1.0000001, 1], [0, 0, 0]]))
    assert "-0.1 at (1, 2)" in refused(pred=np.array([[0, 1, 1], [0, 0, -0.1]]))
    assert "300 at (0, 0)" in refused(pred=np.array([[300, 1, 1], [0, 0, 0]]))
    message = refused(pred=np.array([[0, np.nan, 1], [np.inf, 0, 0]]))
    assert "2 value(s)" in message
    assert "nan at (0, 1)" in message
    assert "finite" in refused(pred=np.array([[0, np.nan, 1], [0, 0, 0]]), clip=True)


def test_a_map_whose_maximum_is_the_integer_one_is_refused() -> None:
    binary = (PRED > 50).astype(np.uint8)
    for metric in (fsm.mae, fsm.s_measure, fsm.iou):
        for backend in ("compiled", "reference"):
            with pytest.raises(fsm.InputError, match="pred_scale=1"):
                metric(binary, GT, backend=backend)
    assert fsm.mae(binary, GT, pred_scale=1) == fsm.mae(PRED > 50, GT)
    near_black = fsm.mae(binary, GT, pred_scale=255, stretch=False)
    assert near_black == pytest.approx((3 * 254 / 255) / 6, rel=1e-13)


def test_full_scale() -> None:
    as_floats = fsm.measure(PRED.astype(np.float64), GT, "sweep", pred_scale=255, stretch=False)
    eight_bit = fsm.measure(PRED, GT, "sweep", stretch=False)
    assert as_floats == pytest.approx(eight_bit, rel=1e-12, abs=1e-15)
    assert "0..1" in refused(pred=PRED, pred_scale=1)
    assert "divide a 16-bit map by 65535" in refused(pred=PRED.astype(np.uint16) * 256)
    clipped = np.array([[0, 300, -4]])
    assert fsm.mae(clipped, GT[:1], clip=True) == fsm.mae(np.array([[0, 255, 0]]), GT[:1])


def test_probabilities_on_the_scale_of_255_are_refused() -> None:
    assert "pass pred_scale=1" in refused(pred=PRED / 255.0, pred_scale=255, stretch=False)
    assert fsm.mae(np.zeros((2, 3)), GT, pred_scale=255) == 0.5


def test_masked_and_ragged_arrays_are_refused() -> None:
    assert "masked array" in refused(pred=np.ma.masked_array(PRED, PRED > 9))
    assert "different lengths" in refused(pred=[[1, 2], [3]])


def test_clip_only_when_asked() -> None:
    pred = np.array([[-0.25, 1.5, 0.5], [0.0, 1.0, 1.0]])
    expected = fsm.mae(np.clip(pred, 0, 1), GT)
    assert fsm.mae(pred, GT, clip=True) == expected


@pytest.mark.parametrize("backend", ["compiled", "reference"])
def test_memory_layouts_give_the_same_bits_and_are_left_alone(backend, tmp_path) -> None:
    rng = np.random.default_rng(3)
    big = rng.integers(0, 256, (13, 29), dtype=np.uint8)
    truth = rng.random((13, 29)) > 0.6
    wanted = fsm.measure(big.copy(), truth.copy(), "sweep", backend=backend)
    frozen_pred, frozen_gt = big.copy(), truth.copy()
    frozen_pred.flags.writeable = frozen_gt.flags.writeable = False
    padded_pred = np.zeros((26, 58), np.uint8)
    padded_pred[::2, ::2] = big
    padded_gt = np.zeros((13, 29), bool)
    padded_gt[:, ::-1] = truth
    stored = np.memmap(tmp_path / "map", np.uint8, "w+", shape=big.shape)
    stored[:] = big
    unaligned = np.zeros(big.size + 3, np.uint8)[3:].reshape(big.shape)
    unaligned[:] = big
    for pred, gt in (
        (frozen_pred, frozen_gt),
        (np.asfortranarray(big), np.asfortranarray(truth)),
        (padded_pred[::2, ::2], padded_gt[:, ::-1]),
        (stored, truth),
        (unaligned, truth),
        (big.astype(">u2"), truth.astype(np.uint8) * np.uint8(255)),
        (big.astype(np.int64), truth.astype(np.float64)),
    ):
        before = pred.tobytes(), gt.tobytes()
        assert fsm.measure(pred, gt, "sweep", backend=backend) == wanted
        assert (pred.tobytes(), gt.tobytes()) == before


@pytest.mark.parametrize("backend", ["compiled", "reference"])
def test_float_layouts(backend) -> None:
    rng = np.random.default_rng(4)
    values = rng.random((9, 14))
    truth = rng.random((9, 14)) > 0.5
    wanted = fsm.measure(values.copy(), truth, "sweep", backend=backend)
    for pred in (np.asfortranarray(values), values.astype(">f8"), values[::-1][::-1]):
        assert fsm.measure(pred, truth, "sweep", backend=backend) == wanted
    half = values.astype(np.float16)
    assert fsm.measure(half, truth, "sweep") == fsm.measure(half.astype(np.float32), truth, "sweep")


def test_conventions_are_checked() -> None:
    for choices, words in (
        ({"polcy": "strict"}, "did you mean 'policy'"),
        ({"policy": "lenient"}, "policy must be 'published' or 'strict'"),
        ({"both_empty": "undefined"}, "policy='strict'"),
        ({"stretch": 1}, "stretch must be True or False"),
        ({"beta2": -1}, "beta2"),
        ({"beta2": float("nan")}, "beta2"),
        ({"alpha": 1.5}, "[0, 1]"),
        ({"pred_scale": True}, "pred_scale"),
        ({"pred_scale": 100}, "pred_scale"),
        ({"gt_threshold": "x"}, "gt_threshold"),
    ):
        assert words in refused(**choices)
    assert Conventions().to_dict()["beta2"] == 0.3


def test_a_target_of_another_threshold_is_refused() -> None:
    target = fsm.Target((GT > 0).astype(np.uint8), gt_threshold=0)
    assert "gt_threshold" in refused(gt=target)
    assert fsm.mae(PRED, target, gt_threshold=0) == fsm.mae(PRED, GT)


def test_target_does_not_follow_its_array() -> None:
    gt = GT > 0
    target = fsm.Target(gt)
    gt[:] = False
    assert target.n_foreground == 3
    assert target.n_pixels == 6
    with pytest.raises(ValueError, match="read-only"):
        target.mask[0, 0] = 1


@pytest.mark.parametrize("backend", ["compiled", "reference"])
def test_split_rounds_half_to_even(backend) -> None:
    with fsm.use_backend(backend):
        assert fsm.Target(np.array([[True, True, False]])).split == (1, 1)
        assert fsm.Target(np.array([[False, True, True]])).split == (1, 3)
        assert fsm.Target(np.zeros((4, 3), bool)).split == (4, 3)


def test_a_choice_equal_to_an_accepted_one_is_still_checked() -> None:
    fsm.mae(PRED, GT, stretch=True)
    assert "stretch must be True or False; received 1" in refused(stretch=1)
    assert "policy" in refused(policy=["strict"])


def test_three_equal_channels_are_one_plane() -> None:
    wanted = fsm.measure(PRED, GT, "sweep")
    assert fsm.measure(np.dstack([PRED] * 3), np.dstack([GT] * 3), "sweep") == wanted
    coloured = np.dstack([PRED] * 3)
    coloured[1, 2, 1] += 1
    message = refused(pred=coloured)
    assert "equal channels" in message
    assert "at (1, 2)" in message
    missing = np.full((2, 3, 3), np.nan)
    assert "finite" in refused(pred=missing)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_that_are_not_stretched_are_checked_all_the_same(dtype) -> None:
    conventions = Conventions(stretch=False)
    for edge in (0.0, -0.0, 5e-324, 1e-45, 0.25, 1.0):
        values = np.full((2, 3), 0.5, dtype)
        values[1, 2] = edge
        canonical = represent.prediction(values, conventions, (2, 3))
        np.testing.assert_array_equal(canonical.values, values)
    for beyond in (np.nextafter(dtype(1), dtype(2)), -1e-30, np.inf, -np.inf, np.nan, 2.0):
        values = np.full((2, 3), 0.5, dtype)
        values[1, 2] = beyond
        with pytest.raises(fsm.InputError, match=r"^pred must (lie in \[0, 1\]|be finite)"):
            represent.prediction(values, conventions, (2, 3))
