"""compat and native against the peer's numbers on the scenes, without the peer."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import peer_columns
import pytest
import scenes

import fastsegmetrics as fsm
from fastsegmetrics.compat import py_sod_metrics

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "py_sod_metrics.npz"
# Where the peer scores a constant block 0 because np.mean misses its constant by an ulp; native
# gives the exact value (docs/differences.md).
CONSTANT_BLOCKS = {
    "constant_block_7x7_128",
    "8x9-diagonal-constant",
    "16x16-first_pixel-constant",
}


@pytest.fixture(scope="module")
def golden():
    with np.load(GOLDEN) as stored:
        return {name: stored[name] for name in stored.files}


def pairs(form):
    if form == "u8":
        return [(s.pred, s.gt) for s in scenes.all_scenes()]
    if form == "one_pixel":
        return [(s.pred, s.gt) for s in scenes.one_pixel_scenes()]
    return [scenes.as_float(s) for s in scenes.small_scenes()]


def assert_as_peer(found, golden, names, tolerance=None):
    """Equal wherever the peer's number is finite, and finite everywhere."""
    assert found.shape == golden.shape
    assert np.isfinite(found).all()
    for column, name in enumerate(names):
        finite = np.isfinite(golden[:, column])
        np.testing.assert_allclose(
            found[finite, column],
            golden[finite, column],
            **(tolerance(name) if tolerance else {"rtol": 1e-12, "atol": 0}),
            err_msg=name,
        )


def test_there_are_as_many_scenes_as_the_goldens_name(golden):
    names = [s.name for s in scenes.all_scenes()]
    assert golden["scenes"].tolist() == names
    assert len(set(names)) == len(names) >= 200
    shapes = {s.pred.shape for s in scenes.all_scenes()}
    assert {(1, 9), (9, 1), (5, 17), (600, 800)} <= shapes
    assert golden["columns"].tolist() == peer_columns.column_names()


@pytest.mark.parametrize("form", ["u8", "one_pixel", "f64"])
def test_compat_gives_the_peers_numbers(golden, form):
    found = peer_columns.table(py_sod_metrics, pairs(form), normalize=form != "f64")
    assert_as_peer(found["rows"], golden[f"{form}_rows"], golden["columns"])
    assert found["curve_names"].tolist() == golden[f"{form}_curve_names"].tolist()
    np.testing.assert_allclose(found["curves"], golden[f"{form}_curves"], rtol=1e-12, atol=0)
    np.testing.assert_allclose(
        found["pooled_binary"], golden[f"{form}_pooled_binary"], rtol=1e-12, atol=0
    )


@pytest.mark.parametrize("form", ["u8", "f64"])
def test_native_gives_the_peers_numbers(golden, form):
    named = scenes.all_scenes() if form == "u8" else scenes.small_scenes()
    # pred_scale: an 8-bit map of maximum 1 is refused unless the scale is told.
    conventions = {"pred_scale": 255} if form == "u8" else {"stretch": False}
    found = np.array([peer_columns.native_row(*pair, **conventions) for pair in pairs(form)])
    expected = golden[f"{form}_rows"].copy()
    if form == "u8":
        constant = [s.name in CONSTANT_BLOCKS for s in named]
        column = golden["columns"].tolist().index("s_measure")
        assert (np.abs(found - expected)[constant, column] > 0.05).all()
        expected[constant, column] = np.nan
    assert_as_peer(found, expected, golden["columns"], peer_columns.native_tolerance)


def test_native_kappa_is_nearer_to_the_exact_value(golden):
    pair = next(s for s in scenes.small_scenes() if s.name == "32x24-full-noisy")
    pred, gt = pair.pred.astype(int), pair.gt > 128
    low, high = pred.min(), pred.max()
    level = np.floor(255 * ((pred / 255 - low / 255) / (high / 255 - low / 255)))
    found = fsm.kappa(pair.pred, pair.gt).curve
    far = 0.0
    handler = py_sod_metrics.KappaHandler(True, True)
    for t in range(256):
        kept = level >= t
        tp, fp = int((kept & gt).sum()), int((kept & ~gt).sum())
        fn, tn = int(gt.sum()) - tp, int((~gt).sum()) - fp
        chance = Fraction((tp + fp) * (tp + fn) + (tn + fn) * (tn + tp), gt.size**2)
        exact = (Fraction(tp + tn, gt.size) - chance) / (1 - chance) if chance != 1 else Fraction(0)
        assert found[t] == pytest.approx(float(exact), rel=1e-15, abs=0)
        far = max(far, abs(float(Fraction(float(handler(tp, fp, tn, fn))) - exact)))
    # The quotient as the peer takes it, with which compat agrees bit for bit.
    assert far > 1e-11


def test_where_the_peer_has_no_number_it_is_the_s_measure_of_an_empty_quadrant(golden):
    for form in ("u8", "f64"):
        rows, column = np.nonzero(~np.isfinite(golden[f"{form}_rows"]))
        assert set(golden["columns"][column]) == {"s_measure"}
        for row in rows:
            gt = scenes.all_scenes()[row].gt > 128
            at = np.argwhere(gt).mean(axis=0).round() + 1
            assert (at >= gt.shape).any()
