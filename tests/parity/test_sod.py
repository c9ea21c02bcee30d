"""Side by side with pysodmetrics: compat and native on scenes, forms and layouts.

Run in the environment of tools/peers/requirements.txt.
"""

import importlib
import pkgutil

import numpy as np
import peer_columns
import py_sod_metrics as peer
import pytest
import scenes
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

import fastsegmetrics as fsm
from fastsegmetrics.compat import py_sod_metrics as compat

# The peer warns of its divisions by zero and of its own deprecations.
pytestmark = pytest.mark.filterwarnings("ignore")

NAMES = peer_columns.column_names()


def random_pairs(seed, count=60):
    generator = np.random.default_rng(seed)
    for _ in range(count):
        shape = tuple(generator.integers(2, 40, 2))
        levels = generator.integers(1, 256)
        pred = generator.integers(0, levels + 1, shape).astype(np.uint8)
        gt = np.where(generator.random(shape) < generator.random(), 255, 0).astype(np.uint8)
        if generator.random() < 0.5:
            pred = np.where(gt, 255 - pred // 3, pred // 2).astype(np.uint8)
        yield pred, gt


def assert_same(found, expected, tolerance=None):
    found, expected = np.atleast_2d(found), np.atleast_2d(expected)
    assert np.isfinite(found).all()
    for column, name in enumerate(NAMES):
        finite = np.isfinite(expected[:, column])
        assert finite.all() or name == "s_measure"
        np.testing.assert_allclose(
            found[finite, column],
            expected[finite, column],
            **(tolerance(name) if tolerance else {"rtol": 1e-12, "atol": 0}),
            err_msg=name,
        )


def single_precision(name):
    return {"rtol": 1e-6, "atol": 1e-7}


def without_constant_blocks(expected, pairs):
    """Leave out the S-measure where native is right and the peer at the mercy of np.mean."""
    left_out = [i for i, (p, g) in enumerate(pairs) if peer_columns.constant_block_misses(p, g)]
    assert len(left_out) < 20
    expected = expected.copy()
    expected[left_out, NAMES.index("s_measure")] = np.nan
    return expected


def rows(module, pairs, normalize=True):
    return peer_columns.table(module, pairs, normalize)["rows"]


@pytest.fixture(scope="module")
def eight_bit():
    pairs = [(s.pred, s.gt) for s in scenes.all_scenes()] + list(random_pairs(1))
    assert len(pairs) >= 200
    return pairs, peer_columns.table(peer, pairs)


@pytest.fixture(scope="module")
def floats():
    generator = np.random.default_rng(2)
    pairs = [scenes.as_float(s) for s in scenes.small_scenes()]
    for pred, gt in random_pairs(3):
        noise = generator.random(pred.shape)
        pairs += [(noise, gt > 128), (np.round(noise, 1), gt > 128)]
    return pairs, rows(peer, pairs, normalize=False)


@pytest.mark.parametrize("module", [m.name for m in pkgutil.iter_modules(peer.__path__)])
def test_classes_are_in_the_modules_where_the_peer_has_them(module):
    theirs = importlib.import_module(f"{peer.__name__}.{module}")
    classes = [n for n, v in vars(theirs).items() if getattr(v, "__module__", "") == theirs.__name__
               and isinstance(v, type)]  # fmt: skip
    assert classes or module == "utils"
    if classes:
        ours = importlib.import_module(f"{compat.__name__}.{module}")
        assert [name for name in classes if not hasattr(ours, name)] == []


def test_compat_on_8_bit_maps(eight_bit):
    pairs, expected = eight_bit
    found = peer_columns.table(compat, pairs)
    assert_same(found["rows"], expected["rows"])
    for part in ("curves", "pooled_binary"):
        np.testing.assert_allclose(found[part], expected[part], rtol=1e-12, atol=0)


def test_native_on_8_bit_maps(eight_bit):
    pairs, expected = eight_bit
    found = [peer_columns.native_row(*pair, pred_scale=255) for pair in pairs]
    expected = without_constant_blocks(expected["rows"], [stretched(*pair) for pair in pairs])
    assert_same(found, expected, peer_columns.native_tolerance)


def stretched(pred, gt):
    values = pred / 255
    low, high = values.min(), values.max()
    return values if low == high else (values - low) / (high - low), gt > 128


def test_native_evaluator_aggregates_as_the_peer(eight_bit):
    pairs, expected = eight_bit
    # The peer averages its S-measure to NaN where one quadrant is empty.
    expected = without_constant_blocks(expected["rows"], [stretched(*pair) for pair in pairs])
    pairs = [p for p, row in zip(pairs, expected) if np.isfinite(row).all()]
    evaluator = fsm.Evaluator("sweep", pred_scale=255)
    columns = peer_columns.Columns(peer)
    for pred, gt in pairs:
        evaluator.update(pred, gt)
        columns.row(pred, gt)
    result = evaluator.result()
    assert result["mae"].n_used == len(pairs) >= 200
    close = {"rel": 1e-12, "abs": 1e-13}
    assert result["mae"].value == pytest.approx(columns.mae.get_results()["mae"], **close)
    assert result["s_measure"].value == pytest.approx(columns.s.get_results()["sm"], **close)
    em = columns.e.get_results()["em"]
    swept = {"e_measure": {"adaptive": em["adp"], "dynamic": em["curve"]}}
    swept |= columns.v2.get_results()
    pooled = dict(zip(peer_columns.HANDLERS, columns.pooled_binary()))
    for name, found in swept.items():
        curve = found["dynamic"]
        np.testing.assert_allclose(
            result.curves[f"{name}.curve"], curve[::-1], rtol=1e-12, atol=1e-13
        )
        assert result[f"{name}.adp"].value == pytest.approx(found["adaptive"], **close)
        assert result[f"{name}.mean"].value == pytest.approx(curve.mean(), **close)
        assert result[f"{name}.max"].value == pytest.approx(curve.max(), **close)
        if name in pooled:
            assert result[f"{name}.bin"].value == pytest.approx(found["binary"], **close)
            assert result[f"{name}.pooled_bin"].value == pytest.approx(pooled[name], **close)


def test_compat_on_float64_maps(floats):
    pairs, expected = floats
    assert_same(rows(compat, pairs, normalize=False), expected)


def test_native_on_float64_maps(floats):
    pairs, expected = floats
    found = [peer_columns.native_row(*pair, stretch=False) for pair in pairs]
    assert_same(found, without_constant_blocks(expected, pairs), peer_columns.native_tolerance)


def test_float32_maps(floats):
    pairs = [(pred.astype(np.float32), gt) for pred, gt in floats[0]]
    expected = rows(peer, pairs, normalize=False)
    # In float32 a constant block may decide either way in compat too: its deviations are sums.
    expected = without_constant_blocks(expected, pairs)
    assert_same(rows(compat, pairs, normalize=False), expected, single_precision)
    found = [peer_columns.native_row(*pair, stretch=False) for pair in pairs]
    assert_same(found, expected, single_precision)


def test_one_pixel(eight_bit):
    pairs = [(s.pred, s.gt) for s in scenes.one_pixel_scenes()]
    expected = rows(peer, pairs)
    assert_same(rows(compat, pairs), expected)
    native = np.array([peer_columns.native_row(*pair) for pair in pairs])
    e_measure = np.array([name.startswith("e_measure") for name in NAMES])
    np.testing.assert_allclose(native[:, ~e_measure], expected[:, ~e_measure], rtol=1e-12)
    # Native divides by N = 1 where the peer divides by eps.
    np.testing.assert_allclose(native[:, e_measure] / 2.0**-52, expected[:, e_measure], rtol=1e-12)


FORMS = {
    "fortran": np.asfortranarray,
    "transposed": lambda a: a.T,
    "reversed": lambda a: a[::-1, ::-1],
    "strided": lambda a: a[::2, ::3],
    "int64": lambda a: a.astype(np.int64),
    "uint16": lambda a: a.astype(np.uint16) * 257,
    "negative": lambda a: a.astype(np.int16) - 90,
    "float64": lambda a: a.astype(np.float64),
    "unit": lambda a: a / 255,
    "big_endian": lambda a: a.astype(">u2"),
}


@pytest.mark.parametrize("form", FORMS)
def test_compat_on_any_layout_and_dtype(form):
    chosen = [s for s in scenes.small_scenes() if min(s.pred.shape) >= 4]
    pairs = [(FORMS[form](s.pred), s.gt) for s in chosen]
    pairs = [(p, (FORMS[form](g) if p.shape != g.shape else g)) for p, g in pairs]
    if form in ("uint16", "negative"):
        # A constant beyond 255 makes the peer wrap around 256, and is refused here.
        pairs = [(p, g) for p, g in pairs if p.min() < p.max() or 0 <= p.min() <= 255]
    assert_same(rows(compat, pairs), rows(peer, pairs))


def test_compat_on_boolean_predictions():
    pairs = [(s.pred > 99, s.gt) for s in scenes.small_scenes()]
    assert_same(rows(compat, pairs), rows(peer, pairs))


@pytest.mark.parametrize("convert", [lambda g: g > 128, lambda g: (g > 128).astype(np.uint8)])
def test_compat_on_masks_of_ones(convert):
    # Silently all background in the peer; the same numbers here, with a warning.
    pairs = [(s.pred, convert(s.gt)) for s in scenes.small_scenes()[:60]]
    assert_same(rows(compat, pairs), rows(peer, pairs))


@pytest.mark.parametrize("shape", [(120,), (5, 24, 1), (2, 3, 20)])
def test_compat_on_sets_of_pixels_of_any_shape(shape):
    pred, gt = (a.reshape(shape) for a in scenes.pair((5, 24), "two_blobs", "noisy")[1:])
    for cls, names in (
        ("MAE", ["maes"]),
        ("Fmeasure", ["adaptive_fms", "changeable_fms", "precisions", "recalls"]),
    ):
        theirs, ours = getattr(peer, cls)(), getattr(compat, cls)()
        ours.step(pred, gt)
        theirs.step(pred, gt)
        for name in names:
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0, 2.0])
def test_other_weights(alpha):
    for pred, gt in random_pairs(5, 20):
        metrics = [(m.Smeasure(alpha=alpha), m.FmeasureV2({"f": f(m)})) for m in (peer, compat)]
        for s, f_measure in metrics:
            s.step(pred, gt)
            f_measure.step(pred, gt)
        (theirs, their_f), (ours, our_f) = metrics
        if np.isfinite(theirs.sms[0]):
            assert ours.sms[0] == pytest.approx(theirs.sms[0], rel=1e-12, abs=1e-15)
        for report, value in our_f.get_results()["f"].items():
            np.testing.assert_allclose(value, their_f.get_results()["f"][report], rtol=1e-13)


def f(module):
    return module.FmeasureHandler(with_dynamic=True, with_adaptive=True, beta=0.7)


def test_public_helpers():
    for pred, gt in floats_of(20):
        size = {"FG": int(gt.sum()), "BG": int((~gt).sum())}
        for name in ("adaptively_binarizing", "dynamically_binarizing"):
            ours, theirs = (getattr(m.FmeasureV2(), name)(pred, gt, **size) for m in (compat, peer))
            assert list(ours) == list(theirs)
            for key in ours:
                np.testing.assert_array_equal(ours[key], theirs[key])
        ours, theirs = (m.FmeasureV2.get_statistics(pred > 0.3, gt, **size) for m in (compat, peer))
        assert ours == theirs
        ours, theirs = compat.Smeasure(), peer.Smeasure()
        for name in ("cal_sm", "object", "region", "ssim"):
            expected = getattr(theirs, name)(pred, gt)
            if np.isfinite(expected):
                found = getattr(ours, name)(pred, gt)
                assert found == pytest.approx(expected, rel=1e-12, abs=1e-14), name
        assert ours.s_object(pred[gt]) == pytest.approx(theirs.s_object(pred[gt]), rel=1e-12)
        ours, theirs = compat.Emeasure(), peer.Emeasure()
        theirs.step(pred, gt, normalize=False)  # its helpers read what step stored
        for name, extra in (
            ("cal_adaptive_em", {}),
            ("cal_changeable_em", {}),
            ("cal_em_with_cumsumhistogram", {}),
            ("cal_em_with_threshold", {"threshold": 0.25}),
        ):
            np.testing.assert_allclose(
                getattr(ours, name)(pred, gt, **extra),
                getattr(theirs, name)(pred, gt, **extra),
                rtol=1e-12,
                err_msg=name,
            )
        old = peer.Fmeasure()
        np.testing.assert_allclose(
            compat.Fmeasure().cal_pr(pred, gt), old.cal_pr(pred, gt), rtol=1e-13
        )
        assert compat.Fmeasure().cal_adaptive_fm(pred, gt) == old.cal_adaptive_fm(pred, gt)
        assert compat.MAE().cal_mae(pred, gt) == peer.MAE().cal_mae(pred, gt)


def floats_of(count):
    generator = np.random.default_rng(9)
    for _, gt in random_pairs(7, count):
        truth = gt > 128
        truth[0, :2] = True, False
        yield generator.random(gt.shape), truth


pixels = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=12)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.data(), pixels, st.sampled_from([1, 2, 5, 255]))
def test_compat_on_anything(data, shape, top):
    pred = data.draw(hnp.arrays(np.uint8, shape, elements=st.integers(0, top)))
    gt = data.draw(hnp.arrays(np.uint8, shape, elements=st.sampled_from([0, 128, 129, 255])))
    assert_same(rows(compat, [(pred, gt)]), rows(peer, [(pred, gt)]))
