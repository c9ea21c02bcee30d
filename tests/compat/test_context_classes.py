"""ContextMeasure and CamouflageContextMeasure: what a caller of the peer relies on."""

import numpy as np
import pytest

from fastsegmetrics.compat.py_sod_metrics.context_measure import (
    CamouflageContextMeasure,
    ContextMeasure,
)
from fastsegmetrics.errors import InputError

SHAPE = (40, 52)
ROWS, COLUMNS = np.indices(SHAPE)
GT = np.where((ROWS - 18) ** 2 + (COLUMNS - 24) ** 2 < 130, 255, 0).astype(np.uint8)
PRED = np.clip(260 - 2 * ((ROWS - 20) ** 2 + (COLUMNS - 27) ** 2), 5, 250).astype(np.uint8)
IMG = np.stack([(ROWS * 5 + COLUMNS * k) % 200 + k for k in (3, 4, 6)], -1).astype(np.uint8)
# The peer's numbers for this pair; its forward term is single precision.
SCORE, CAMOUFLAGED, STEEP = 0.5891528894859178, 0.5870598074161593, 0.5306885965316631
CLOSE = {"rel": 1e-6}


def stepped(metric, *pairs, **kwargs):
    for pair in pairs:
        assert metric.step(*pair, **kwargs) is None
    return metric


def test_results_have_the_peers_names_and_types():
    metric = stepped(ContextMeasure(), (PRED, GT))
    assert (metric.beta2, metric.alpha) == (1.0, 6.0)
    assert metric.scores == [pytest.approx(SCORE, **CLOSE)]
    assert type(metric.scores[0]) is np.float64
    metric.step(pred=GT * 0, gt=GT, normalize=True)
    assert metric.get_results() == {"cm": pytest.approx(SCORE / 2, **CLOSE)}


def test_camouflage_takes_its_photograph_by_name():
    metric = stepped(CamouflageContextMeasure(), (PRED, GT), img=IMG)
    assert (metric.beta2, metric.alpha, metric.gamma, metric.lambda_spatial) == (1.2, 6.0, 8, 20)
    assert metric.get_results() == {"ccm": pytest.approx(CAMOUFLAGED, **CLOSE)}
    with pytest.raises(TypeError):
        metric.step(PRED, GT, IMG)


def test_constructor_arguments():
    metric = CamouflageContextMeasure(beta2=0.5, alpha=9.0, gamma=3, lambda_spatial=40)
    assert stepped(metric, (PRED, GT), img=IMG).scores == [pytest.approx(STEEP, **CLOSE)]


@pytest.mark.parametrize("alpha", [0, -1.0, float("inf"), float("nan")])
@pytest.mark.parametrize("metric", [ContextMeasure, CamouflageContextMeasure])
def test_a_spread_that_is_none_is_refused(metric, alpha):
    with pytest.raises(InputError, match=f"^alpha must be a finite number above 0; .*{alpha}"):
        metric(alpha=alpha)


def test_prepared_pairs_and_compute():
    metric = ContextMeasure()
    pred, gt = (PRED - 5.0) / 245, GT > 128
    stepped(metric, (pred, gt), (pred.astype(np.float32), gt), normalize=False)
    assert metric.scores == pytest.approx([SCORE, SCORE], **CLOSE)
    for cd in (0, np.zeros(SHAPE)):
        for truth in (gt, gt.astype(float)):
            found = metric.compute(pred, truth, cd)
            assert found == pytest.approx(metric.scores[0], rel=1e-13)
    assert len(metric.scores) == 2
    # Weight off the truth is in the denominator alone.
    inside, outside = metric.compute(pred, gt, gt * 0.5), metric.compute(pred, gt, ~gt * 0.5)
    assert inside == pytest.approx(found, rel=1e-13)
    assert outside < found


def test_degenerate_pairs():
    nothing = np.zeros_like(GT)
    found = stepped(ContextMeasure(), (nothing, nothing), (PRED, nothing), (nothing, GT)).scores
    assert found == [0, 0, 0]
    full = stepped(ContextMeasure(), (nothing + 255, nothing + 255)).scores
    assert full == [pytest.approx(1, rel=1e-14)]
    small = stepped(CamouflageContextMeasure(), (PRED[:4], GT[:4]), img=IMG[:4]).scores
    assert small == [0]
    line = np.where(ROWS == COLUMNS, 255, 0).astype(np.uint8)
    assert stepped(ContextMeasure(), (line, line)).scores[0] > 0.2


def test_no_image_gives_nan():
    assert np.isnan(ContextMeasure().get_results()["cm"])
    assert np.isnan(CamouflageContextMeasure().get_results()["ccm"])


def test_a_mask_of_ones_is_named():
    with pytest.warns(UserWarning, match="gt must be 0..255"):
        assert stepped(ContextMeasure(), (PRED, GT > 128)).scores == [0.0]


@pytest.mark.parametrize(
    ("pred", "gt", "img", "message"),
    [
        (PRED, GT[:-1], IMG, "one shape"),
        (PRED.ravel(), GT.ravel(), IMG, "2-D"),
        (PRED[:0], GT[:0], IMG, "at least one pixel"),
        (PRED, GT, IMG[..., 0], "image must be RGB"),
        (PRED, GT, IMG / 255, "image must be uint8"),
        (PRED, GT, IMG[1:], "one size"),
    ],
)
def test_refusals(pred, gt, img, message):
    with pytest.raises(InputError, match=message):
        CamouflageContextMeasure().step(pred, gt, img=img)
