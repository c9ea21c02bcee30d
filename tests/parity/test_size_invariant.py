"""Size-invariant scores beside pysodmetrics, and component labels beside scikit-image's."""

import itertools

import numpy as np
import py_sod_metrics as peer
import pytest
import scenes
from skimage import measure

from fastsegmetrics import represent
from fastsegmetrics.compat import py_sod_metrics as whole
from fastsegmetrics.compat.py_sod_metrics import size_invariance as compat
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.kernels import label
from fastsegmetrics.scores import SWEEP_SCORES
from fastsegmetrics.scores.confusion import ScoreRule
from fastsegmetrics.statistics import size_invariant as native
from fastsegmetrics.target import Target

pytestmark = pytest.mark.filterwarnings("ignore")

HANDLERS = {
    "f_beta": "FmeasureHandler",
    "precision": "PrecisionHandler",
    "recall": "RecallHandler",
    "specificity": "SpecificityHandler",
    "fpr": "FPRHandler",
    "iou": "IOUHandler",
    "dice": "DICEHandler",
    "ber": "BERHandler",
    "accuracy": "OverallAccuracyHandler",
    "kappa": "KappaHandler",
}
RULE = ScoreRule(False, 0.0, 0.3, False)


def disks(shape, count, radius, seed):
    places = scenes.noise((count, 2), seed)
    gt = np.zeros(shape, bool)
    for row, column in places % np.array(shape):
        gt |= scenes.squared_distance(shape, row, column) <= radius**2
    return gt


def drawn_truths():
    shape = (90, 117)
    rows, columns = np.indices(shape)
    yield "disks_5", disks(shape, 6, 5, 1)
    yield "disks_9", disks(shape, 9, 9, 2)
    yield "disks_on_borders", disks(shape, 7, 12, 3) & ((rows < 20) | (columns > 95) | (rows > 75))
    yield "small_disks", disks(shape, 30, 2, 4)
    yield "many_disks", disks(shape, 70, 4, 5)
    yield "comb", (columns % 8 < 2) | (rows > 85)
    yield "frame", (rows == 0) | (rows == 89) | (columns == 0) | (columns == 116)
    yield "nested_frames", np.minimum.reduce([rows, columns, 89 - rows, 116 - columns]) % 6 == 1
    yield "holes", ~disks(shape, 12, 6, 6)
    yield "line_45", (rows == columns) & (rows < 40)
    yield "staircase", (rows == columns) | (rows == columns + 1)
    yield "checkerboard_corner", ((rows + columns) % 2 == 0) & (rows < 5) & (columns < 9)
    yield "pixels", (rows % 30 == 4) & (columns % 40 == 7)
    yield "rows", rows % 6 == 2
    yield "area_49_50", (rows < 7) & (columns < 7) | (rows > 80) & (columns > 111)
    yield "only_49", (rows < 7) & (columns < 7) | (rows > 82) & (columns > 109)
    yield "speck_in_a_box", (columns == 10) | (rows == 80) | (rows == 30) & (columns == 50)


def drawn():
    for name, gt in drawn_truths():
        for kind in ("smooth", "noisy", "soft", "few_levels", "ramp", "constant", "zero", "sparse"):
            truth = np.where(gt, 255, 0).astype(np.uint8)
            pred = scenes.PRED_KINDS[kind](gt.shape, truth).astype(np.uint8)
            yield scenes.Scene(f"{name}-{kind}", pred, truth)


def targets_of(gt):
    labels, count = measure.label(gt > 128, connectivity=1, return_num=True)
    areas = np.bincount(labels.flat, minlength=2)[1:]
    return int((areas >= min(50, areas.max())).sum()) if count else 1


def usable(scene):
    """Whether the peer answers: it asserts on a full truth and loses bits from 54 targets on."""
    return not (scene.gt > 128).all() and targets_of(scene.gt) < 54


SCENES = [s for s in (*scenes.all_scenes(), *drawn()) if usable(s)]


def handlers(module, sample_based):
    options = {"with_dynamic": True, "with_adaptive": True, "with_binary": True}
    return {
        name: getattr(module, cls)(**options, sample_based=sample_based)
        for name, cls in HANDLERS.items()
    }


def stepped(pairs, normalize=True, sample_based=True):
    theirs = peer.SizeInvarianceFmeasureV2(handlers(peer, sample_based)), peer.SizeInvarianceMAE()
    ours = (
        compat.SizeInvarianceFmeasureV2(handlers(whole, sample_based)),
        compat.SizeInvarianceMAE(),
    )
    for pair in pairs:
        for metric in (*theirs, *ours):
            metric.step(*pair, normalize=normalize)
    return theirs, ours


@pytest.fixture(scope="module")
def eight_bit():
    return stepped([(s.pred, s.gt) for s in SCENES])


def compare(pairs, normalize=True, *, error=1e-12, done=None):
    (theirs, their_mae), (ours, our_mae) = done or stepped(pairs, normalize)
    for expected, found, pair in zip(their_mae.maes, our_mae.maes, pairs, strict=True):
        if np.isfinite(expected):
            assert found == pytest.approx(expected, rel=error, abs=error)
        else:
            assert 0 <= found <= 1
        assert pair[0].shape == pair[1].shape
    for name in HANDLERS:
        a, b = ours._metric_handlers[name], theirs._metric_handlers[name]
        assert len(a.dynamic_results) == len(b.dynamic_results) == len(pairs)
        for i in range(len(pairs)):
            for report in ("adaptive_results", "binary_results", "dynamic_results"):
                found, expected = getattr(a, report)[i], getattr(b, report)[i]
                assert np.shape(found) == np.shape(expected), (name, i)
                np.testing.assert_allclose(
                    found, expected, rtol=1e-12, atol=1e-13, err_msg=f"{name} {report} {i}"
                )
    for name, expected in theirs.get_results().items():
        found = ours.get_results()[name]
        assert list(found) == list(expected)
        assert found["adaptive"] == pytest.approx(expected["adaptive"], rel=1e-12, abs=1e-13)
        assert found["binary"] == pytest.approx(expected["binary"], rel=1e-12, abs=1e-13)
        assert isinstance(found["dynamic"], list)
    finite = np.isfinite(their_mae.maes)
    if finite.all():
        mean = their_mae.get_results()["si_mae"]
        assert our_mae.get_results()["si_mae"] == pytest.approx(mean, rel=error)


def test_there_are_enough_scenes():
    assert len(SCENES) >= 400
    assert len({s.name for s in SCENES}) == len(SCENES)


def test_eight_bit(eight_bit):
    compare([(s.pred, s.gt) for s in SCENES], done=eight_bit)


def test_floats():
    compare([scenes.as_float(s) for s in SCENES[::3]], normalize=False)


def test_single_precision():
    pairs = [scenes.as_float(s, np.float32) for s in SCENES[1::3]]
    compare(pairs, normalize=False, error=1e-6)


@pytest.mark.parametrize("lay", [np.asfortranarray, lambda a: a.T, lambda a: a[::2, ::3]])
def test_other_layouts(lay):
    chosen = [s for s in SCENES[::5] if min(s.gt.shape) >= 4]
    pairs = [(lay(s.pred), lay(s.gt)) for s in chosen]
    kept = [p for p in pairs if usable(scenes.Scene("", *p))]
    compare(kept)


def test_whole_based():
    pairs = [(s.pred, s.gt) for s in SCENES[::3]]
    (theirs, _), (ours, _) = stepped(pairs, sample_based=False)
    for name, expected in theirs.get_results().items():
        a, b = ours._metric_handlers[name], theirs._metric_handlers[name]
        assert a.binary_results == b.binary_results
        assert len(a.dynamic_results) == len(b.dynamic_results) > len(pairs)
        found = ours.get_results()[name]
        for report in ("dynamic", "adaptive", "binary"):
            np.testing.assert_allclose(found[report], expected[report], rtol=1e-12, atol=1e-13)


def test_empty_results():
    for sample_based in (True, False):
        (theirs, mae), (ours, our_mae) = stepped([], sample_based=sample_based)
        for name, expected in theirs.get_results().items():
            for report, value in expected.items():
                np.testing.assert_array_equal(ours.get_results()[name][report], value)
        np.testing.assert_array_equal(our_mae.get_results()["si_mae"], mae.get_results()["si_mae"])


def test_native_scores(eight_bit):
    (theirs, maes), _ = eight_bit
    conventions = Conventions(pred_scale=255)
    for i, scene in enumerate(SCENES):
        target = Target(scene.gt, 128)
        pred = represent.prediction(scene.pred, conventions, target.shape)
        found = native.size_invariant_statistics(pred, target, conventions)
        if np.isfinite(maes.maes[i]):
            assert found.mae == pytest.approx(maes.maes[i], rel=1e-12, abs=1e-13)
        scores = native.target_scores(found.counts, RULE)
        for name in HANDLERS:
            handler = theirs._metric_handlers[name]
            row = SWEEP_SCORES.index(name)
            curves = handler.dynamic_results[i]
            expected = (
                handler.binary_results[i],
                handler.adaptive_results[i],
                curves.mean(axis=1).mean(),
                curves.max(axis=1).mean(),
            )
            # The peer's kappa cancels, see peer_columns.native_tolerance.
            near = {"rtol": 2e-11, "atol": 1e-13} if name == "kappa" else {"rtol": 1e-12}
            message = f"{scene.name} {name}"
            near = {"atol": 1e-13, **near}
            np.testing.assert_allclose(scores.summaries[row], expected, err_msg=message, **near)
            np.testing.assert_allclose(
                scores.curves[row][::-1], curves.mean(axis=0), err_msg=message, **near
            )
            np.testing.assert_allclose(
                scores.sums[row].sum(axis=0)[::-1], curves.sum(axis=0), err_msg=message, **near
            )


def test_labels_and_order_of_scikit_image():
    sown = [scenes.noise((31, 45), seed) % 10 for seed in range(5)]
    drawn_masks = [noise < share for noise in sown for share in (2, 5, 8)]
    truths = [s.gt > 128 for s in SCENES[::3]]
    for mask, (connectivity, order) in itertools.product(
        [*drawn_masks, *truths, *(gt for _, gt in drawn_truths())], ((4, 1), (8, 2))
    ):
        flat = mask.view(np.uint8).reshape(-1)
        words = flat[: flat.size // 8 * 8].view(np.uint64)
        runs = label.find_runs(flat, words, mask.shape[1])
        labels, count = label.label_runs(runs, connectivity)
        expected, number = measure.label(mask, connectivity=order, return_num=True)
        assert count == number
        np.testing.assert_array_equal(label.paint_runs(runs, labels, *mask.shape), expected)
