"""HumanCorrectionEffortMeasure: what a caller of the peer relies on."""

import cv2
import numpy as np
import pytest

from fastsegmetrics.compat.py_sod_metrics.human_correction_effort import (
    HumanCorrectionEffortMeasure,
)
from fastsegmetrics.errors import InputError

PRED = np.zeros((20, 30), np.uint8)
PRED[3:18, 4:25] = 255
GT = np.zeros((20, 30), np.uint8)
GT[5:15, 20:29] = 255
# The peer's number for this pair, with relax 5, 0 and 40.
SCORE, UNRELAXED, RELAXED = 3, 10, 1


def stepped(*pairs, normalize=True, **choices):
    metric = HumanCorrectionEffortMeasure(**choices)
    for pair in pairs:
        assert metric.step(*pair, normalize=normalize) is None
    return metric


def test_results_have_the_peers_names_and_types():
    metric = stepped((PRED, GT))
    assert (metric.relax, metric.epsilon) == (5, 2.0)
    assert metric.morphology_kernel.tolist() == [[0, 1, 0], [1, 1, 1], [0, 1, 0]]
    assert metric.morphology_kernel.dtype == np.uint8
    assert metric.hces == [SCORE]
    assert type(metric.hces[0]) is np.int64
    metric.step(pred=GT, gt=GT, normalize=True)
    assert metric.hces == [SCORE, 0]
    assert metric.get_results() == {"hce": SCORE / 2}
    assert type(metric.get_results()["hce"]) is np.float64
    assert np.isnan(HumanCorrectionEffortMeasure().get_results()["hce"])


def test_constructor_arguments_shape_the_score():
    assert stepped((PRED, GT), relax=0, epsilon=0.7).hces == [UNRELAXED]
    assert stepped((PRED, GT), relax=40, epsilon=0.7).hces == [RELAXED]


def test_prepared_pairs():
    metric = HumanCorrectionEffortMeasure()
    for values in (PRED / 255, (PRED / 255).astype(np.float32), PRED > 128):
        assert metric.cal_hce(values, GT > 128) == SCORE
        assert type(metric.cal_hce(values, GT > 128)) is np.int64
    assert metric.hces == []
    assert stepped((PRED / 255, GT > 128), normalize=False).hces == [SCORE]


def test_layouts():
    spread = np.zeros((40, 90), np.uint8)
    spread[::2, ::3] = PRED
    for form in (np.asfortranarray(PRED), spread[::2, ::3], PRED[::-1][::-1], PRED.astype(float)):
        assert stepped((form, GT)).hces == [SCORE]


def test_boundaries_of_a_mask():
    metric = HumanCorrectionEffortMeasure()
    mask, condition = (PRED > 0) & (GT == 0), GT > 0
    contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_TREE, cv2.CHAIN_APPROX_NONE)
    pieces, independent = metric.filter_conditional_boundary(contours, mask, condition)
    assert [(piece.shape, piece.dtype) for piece in pieces] == [((20, 1, 2), np.int32)]
    assert independent == 0
    assert type(independent) is np.int64
    # Around the truth's notch: along its lower side, up its end, along its upper side.
    assert pieces[0][:, 0].tolist() == (
        [[column, 15] for column in range(24, 19, -1)]
        + [[19, row] for row in range(14, 4, -1)]
        + [[column, 4] for column in range(20, 25)]
    )
    assert metric.count_polygon_control_points(pieces, 2.0) == 4
    assert metric.count_polygon_control_points(pieces) == 4
    assert metric.count_polygon_control_points([]) == 0
    assert metric.filter_conditional_boundary([], mask & False, condition) == ([], 0)
    assert metric.filter_conditional_boundary(contours, mask, condition & False) == ([], 1)


def test_a_closed_polyline_is_refused():
    ring = np.array([[[1, 1]], [[5, 1]], [[5, 5]], [[1, 1]]])
    with pytest.raises(InputError, match="open polylines"):
        HumanCorrectionEffortMeasure().count_polygon_control_points([ring])


@pytest.mark.parametrize(
    ("pred", "gt"),
    [
        (PRED, GT.T),
        (PRED[..., None], GT[..., None]),
        (PRED.astype(complex), GT),
        (PRED[:0], GT[:0]),
    ],
)
def test_what_is_refused(pred, gt):
    with pytest.raises(InputError):
        stepped((pred, gt))
