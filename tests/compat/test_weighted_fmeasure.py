"""WeightedFmeasure: what a caller of the peer relies on."""

import numpy as np
import pytest

from fastsegmetrics.compat.py_sod_metrics.weighted_fmeasure import WeightedFmeasure
from fastsegmetrics.errors import InputError

PRED = (np.arange(42) * 6).reshape(6, 7).astype(np.uint8)
GT = np.zeros((6, 7), np.uint8)
GT[2:4, 2:5] = 255
# The peer's numbers for this pair.
SCORE, AT_A_THIRD, PREPARED = 0.23005925743231134, 0.17249470230158417, 0.17372433262396592


def stepped(*pairs, beta=1, **kwargs):
    metric = WeightedFmeasure(beta=beta)
    for pair in pairs:
        assert metric.step(*pair, **kwargs) is None
    return metric


def test_results_have_the_peers_names_and_types():
    metric = stepped((PRED, GT))
    assert metric.beta == 1
    assert metric.weighted_fms == [pytest.approx(SCORE, rel=1e-12)]
    assert type(metric.weighted_fms[0]) is np.float64
    metric.step(pred=GT, gt=GT, normalize=True)
    assert metric.weighted_fms[1] == pytest.approx(1.0, rel=1e-14)
    assert metric.get_results() == {"wfm": pytest.approx((SCORE + 1) / 2, rel=1e-12)}


def test_beta_is_the_weight_itself():
    metric = stepped((PRED, GT), beta=0.3)
    assert metric.get_results()["wfm"] == pytest.approx(AT_A_THIRD, rel=1e-12)
    assert metric.cal_wfm(PRED / 255, GT > 128) == pytest.approx(PREPARED, rel=1e-12)
    assert len(metric.weighted_fms) == 1


def test_prepared_pairs():
    double = stepped((PRED / 255, GT > 128), normalize=False).weighted_fms[0]
    single = stepped(((PRED / 255).astype(np.float32), GT > 128), normalize=False).weighted_fms[0]
    assert double == pytest.approx(0.23069867822774054, rel=1e-12)
    assert single == pytest.approx(double, rel=1e-6)


def test_degenerate_pairs():
    nothing = np.zeros_like(GT)
    found = stepped((nothing, nothing), (PRED, nothing), (nothing, GT)).weighted_fms
    assert found == [0.0, 0.0, pytest.approx(0.33865004570709517, rel=1e-12)]
    full = stepped((PRED, nothing + 255), (nothing, nothing + 255)).weighted_fms
    assert full == pytest.approx([0.8482526073617616, 0.6159915770078752], rel=1e-12)


def test_no_image_gives_nan():
    assert np.isnan(WeightedFmeasure().get_results()["wfm"])


def test_window():
    window = WeightedFmeasure().matlab_style_gauss2D()
    assert window.shape == (7, 7)
    assert window.sum() == pytest.approx(1, rel=1e-14)
    small = WeightedFmeasure().matlab_style_gauss2D((3, 3), sigma=1)
    assert small[0].tolist() == pytest.approx([0.07511361, 0.1238414, 0.07511361], rel=1e-7)
    narrow = WeightedFmeasure().matlab_style_gauss2D(shape=(2, 5), sigma=0.1)
    assert narrow.tolist() == [[0, 0, 0.5, 0, 0]] * 2


def test_layouts_and_whole_numbers():
    rng = np.random.default_rng(2)
    pred = rng.integers(0, 256, (20, 33)).astype(np.uint8)
    gt = np.where(rng.random(pred.shape) < 0.1, 255, 0).astype(np.uint8)
    expected = stepped((pred, gt)).weighted_fms
    for form in (np.asfortranarray(pred), pred.astype(np.int64), pred.astype(">u2")):
        assert stepped((form, np.asfortranarray(gt))).weighted_fms == expected
    assert stepped((pred.astype(float), gt)).weighted_fms == pytest.approx(expected, rel=1e-13)


def test_a_mask_of_ones_is_named():
    with pytest.warns(UserWarning, match="gt must be 0..255"):
        assert stepped((PRED, GT > 128)).weighted_fms == [0.0]


@pytest.mark.parametrize(
    ("pred", "gt", "message"),
    [
        (PRED, GT[:-1], "one shape"),
        (PRED.ravel(), GT.ravel(), "2-D"),
        (PRED[None], GT[None], "2-D"),
        (PRED[:0], GT[:0], "at least one pixel"),
    ],
)
def test_refusals(pred, gt, message):
    with pytest.raises(InputError, match=message):
        WeightedFmeasure().step(pred, gt)
