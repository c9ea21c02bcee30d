"""FmeasureV2 and its handlers: results, order, user-defined handlers, pooled counts."""

import numpy as np
import pytest

from fastsegmetrics.compat import py_sod_metrics as compat
from fastsegmetrics.compat.py_sod_metrics.fmeasurev2 import _BaseHandler
from fastsegmetrics.errors import InputError

PRED = (np.arange(35) * 7 % 256).astype(np.uint8).reshape(5, 7)
GT = ((np.arange(35) % 3 == 0) * 255).astype(np.uint8).reshape(5, 7)
OTHER = GT[::-1]
# What the peer counts in PRED against GT: where P > 0.5, and at the adaptive threshold.
BINARY = {"tp": 6, "fp": 11, "tn": 12, "fn": 6}
ADAPTIVE = {"tp": 0, "fp": 1, "tn": 22, "fn": 12}

COUNTS = {"tp": 5, "fp": 4, "tn": 20, "fn": 6}
# The peer's scores of COUNTS.
SCORES = {
    "FmeasureHandler": 0.52845528,
    "KappaHandler": 0.26470588,
    "BERHandler": 0.35606061,
    "IOUHandler": 5 / 15,
    "OverallAccuracyHandler": 25 / 35,
    "FPRHandler": 4 / 24,
    "SpecificityHandler": 20 / 24,
    "TNRHandler": 20 / 24,
    "DICEHandler": 10 / 20,
    "PrecisionHandler": 5 / 9,
    "RecallHandler": 5 / 11,
    "SensitivityHandler": 5 / 11,
    "TPRHandler": 5 / 11,
}


def everything(cls, **kwargs):
    return cls(with_dynamic=True, with_adaptive=True, with_binary=True, **kwargs)


@pytest.mark.parametrize("name", SCORES)
def test_handlers_score_counts_of_any_kind(name):
    handler = getattr(compat, name)(with_dynamic=False, with_adaptive=False)
    expected = pytest.approx(SCORES[name], rel=1e-7)
    assert float(handler(**COUNTS)) == expected
    assert float(handler(*COUNTS.values())) == expected
    arrays = handler(**{k: np.array([v, 0]) for k, v in COUNTS.items()})
    assert arrays[0] == expected
    # 0/0 is 0, and so BER of nothing is 1.
    assert arrays[1] == (1.0 if name == "BERHandler" else 0.0)


@pytest.mark.parametrize("name", SCORES)
def test_constructor_decides_what_is_gathered(name):
    cls = getattr(compat, name)
    handler = everything(cls)
    assert (handler.dynamic_results, handler.adaptive_results) == ([], [])
    assert (handler.binary_results, handler.sample_based) == ([], True)
    pooled = everything(cls, sample_based=False)
    assert pooled.binary_results == {"tp": 0, "fp": 0, "tn": 0, "fn": 0}
    neither = cls(False, False)
    assert neither.dynamic_results is neither.adaptive_results is neither.binary_results is None
    with pytest.raises(TypeError):
        cls(True, True, True)


def test_divide_is_zero_over_zero_in_float64():
    divide = compat.IOUHandler.divide
    np.testing.assert_array_equal(divide([1, 2, 0], [2, 0, 0]), [0.5, 0.0, 0.0])
    assert divide(3, 2) == 1.5
    assert divide(1, 0).dtype == np.float64
    np.testing.assert_array_equal(divide(1, [[1, 2], [0, 4]]), [[1.0, 0.5], [0.0, 0.25]])


def test_f_measure_takes_beta_squared_itself():
    f1 = compat.FmeasureHandler(True, True, beta=1)
    assert f1.beta == 1
    assert float(f1(**COUNTS)) == pytest.approx(0.5, rel=1e-14)
    assert compat.FmeasureHandler(True, True).beta == 0.3


def test_kappa_of_large_integer_counts_does_not_overflow():
    count = np.int64(4 * 10**9)
    exact = compat.KappaHandler(True, True)(4 * 10**9, 4 * 10**9, 4 * 10**9, 3)
    found = compat.KappaHandler(True, True)(count, count, count, np.int64(3))
    assert found == exact == pytest.approx(0.4, rel=1e-8)


def test_results_by_handler_in_the_peers_layout():
    metric = compat.FmeasureV2({"iou": everything(compat.IOUHandler)})
    metric.add_handler("recall", compat.RecallHandler(with_dynamic=True, with_adaptive=False))
    metric.add_handler(handler_name="none", metric_handler=compat.TNRHandler(False, False))
    for gt in (GT, OTHER):
        assert metric.step(pred=PRED, gt=gt, normalize=True) is None
    results = metric.get_results()
    assert {name: list(found) for name, found in results.items()} == {
        "iou": ["dynamic", "adaptive", "binary"],
        "recall": ["dynamic"],
        "none": [],
    }
    # Threshold 255 first: nothing but the maximum is kept; at 0 everything is.
    assert results["recall"]["dynamic"].shape == (256,)
    assert results["recall"]["dynamic"][-1] == 1.0
    handler = metric._metric_handlers["iou"]
    assert [np.shape(v) for v in handler.dynamic_results] == [(256,), (256,)]
    assert [np.shape(v) for v in handler.adaptive_results] == [(), ()]
    assert results["iou"]["binary"] == np.mean(handler.binary_results)
    assert handler.binary_results[0] == pytest.approx(6 / 23, rel=1e-14)
    assert handler.adaptive_results[0] == 0.0
    np.testing.assert_array_equal(
        results["iou"]["dynamic"], np.mean(handler.dynamic_results, axis=0)
    )


def test_pooled_binary_scores_the_summed_counts():
    pooled, averaged = (everything(compat.IOUHandler, sample_based=s) for s in (False, True))
    metric = compat.FmeasureV2({"pooled": pooled, "averaged": averaged})
    assert metric.get_results()["pooled"]["binary"] == 0.0
    metric.step(PRED, GT)
    assert pooled.binary_results == BINARY
    metric.step(np.where(GT, 255, 9).astype(np.uint8), GT)
    results = metric.get_results()
    assert pooled.binary_results == {"tp": 18, "fp": 11, "tn": 35, "fn": 6}
    assert results["pooled"]["binary"] == pytest.approx(18 / 35, rel=1e-14)
    assert results["averaged"]["binary"] == pytest.approx((6 / 23 + 1) / 2, rel=1e-14)
    # The other reports are means over images in both.
    np.testing.assert_array_equal(results["pooled"]["dynamic"], results["averaged"]["dynamic"])


class Seen(_BaseHandler):
    """A user's handler, which also records what it is called with."""

    def __call__(self, *, tp, fp, tn, fn):
        self.__dict__.setdefault("calls", []).append((tp, fp, tn, fn))
        return self.divide(tp, tp + fp)


@pytest.mark.parametrize("sample_based", [True, False])
def test_user_defined_handlers_are_called_as_the_peer_calls_them(sample_based):
    seen = everything(Seen, sample_based=sample_based)
    precision = everything(compat.PrecisionHandler, sample_based=sample_based)
    metric = compat.FmeasureV2({"seen": seen, "precision": precision})
    metric.step(PRED, GT)
    dynamic, adaptive = seen.calls[:2]
    assert [(v.dtype, v.shape) for v in dynamic] == [(np.dtype(np.int64), (256,))] * 4
    assert dict(zip(("tp", "fp", "tn", "fn"), adaptive, strict=True)) == ADAPTIVE
    assert [type(v) for v in adaptive] == [int] * 4
    results = metric.get_results()
    for report in ("dynamic", "adaptive", "binary"):
        np.testing.assert_array_equal(results["seen"][report], results["precision"][report])
    assert dict(zip(BINARY, seen.calls[2], strict=True)) == BINARY
    assert len(seen.calls) == 3


def test_a_handler_may_be_any_object_and_may_spoil_its_arrays():
    class Plain:
        dynamic_results, adaptive_results, binary_results = [], [], None

        def __call__(self, tp, fp, tn, fn):
            kept = tp + fp
            if np.ndim(tp):
                tp[:] = fp[:] = tn[:] = fn[:] = 0
            return kept

    class Derived(compat.IOUHandler):
        def __call__(self, tp, fp, tn, fn):
            return 1 - super().__call__(tp, fp, tn, fn)

    metric = compat.FmeasureV2(
        {"plain": Plain(), "far": everything(Derived), "iou": everything(compat.IOUHandler)}
    )
    metric.step(PRED, GT)
    results = metric.get_results()
    assert list(results["plain"]) == ["dynamic", "adaptive"]
    assert results["plain"]["dynamic"][-1] == 35
    assert results["plain"]["adaptive"] == 1
    np.testing.assert_allclose(results["far"]["dynamic"], 1 - results["iou"]["dynamic"])
    assert results["iou"]["dynamic"][-1] == pytest.approx(12 / 35)


def test_a_handler_without_a_formula_says_so():
    metric = compat.FmeasureV2({"base": everything(_BaseHandler)})
    with pytest.raises(NotImplementedError, match=r"_BaseHandler must define __call__"):
        metric.step(PRED, GT)


def test_public_helpers_count_a_prepared_pair():
    values, gt = PRED / PRED.max(), GT > 128
    metric = compat.FmeasureV2()
    sizes = {"FG": 12, "BG": 23}
    assert compat.FmeasureV2.get_statistics(binary=values > 0.5, gt=gt, **sizes) == BINARY
    assert metric.adaptively_binarizing(values, gt, **sizes) == ADAPTIVE
    dynamic = metric.dynamically_binarizing(pred=values, gt=gt, **sizes)
    assert {k: (int(v[0]), int(v[-1])) for k, v in dynamic.items()} == {
        "tp": (0, 12),
        "fp": (1, 23),
        "tn": (22, 0),
        "fn": (12, 0),
    }
    # The class sizes are the caller's.
    assert metric.adaptively_binarizing(values, gt, FG=20, BG=30) == {
        "tp": 0,
        "fp": 1,
        "tn": 29,
        "fn": 20,
    }


def test_handlers_are_the_callers_dictionary_and_may_be_replaced():
    handlers = {"a": everything(compat.IOUHandler)}
    metric = compat.FmeasureV2(handlers)
    metric.add_handler("a", replaced := everything(compat.DICEHandler))
    assert handlers == {"a": replaced}
    assert compat.FmeasureV2().get_results() == {}
    with pytest.raises(ValueError, match="metric_handlers must hold at least one handler"):
        compat.FmeasureV2(metric_handlers=None).step(PRED, GT)


def test_before_the_first_step_results_are_nan_and_silent():
    found = compat.FmeasureV2({"a": everything(compat.IOUHandler)}).get_results()["a"]
    assert all(np.isnan(found[report]) for report in ("dynamic", "adaptive", "binary"))


@pytest.mark.parametrize("normalize", [True, False])
def test_a_refused_pair_leaves_no_handler_half_filled(normalize):
    first, second = everything(compat.IOUHandler), everything(compat.DICEHandler)
    metric = compat.FmeasureV2({"a": first, "b": second})
    with pytest.raises(InputError):
        metric.step(PRED, GT[:, :3], normalize=normalize)
    assert [first.dynamic_results, second.binary_results] == [[], []]


def test_buffers_may_be_reused_between_steps():
    metric = compat.FmeasureV2({"a": everything(compat.IOUHandler)})
    pred, gt = PRED.copy(), GT.copy()
    metric.step(pred, gt)
    first = metric._metric_handlers["a"].dynamic_results[0].copy()
    pred[:], gt[:] = 0, 255
    metric.step(pred, gt)
    np.testing.assert_array_equal(metric._metric_handlers["a"].dynamic_results[0], first)
    assert metric._metric_handlers["a"].dynamic_results[1][[0, -1]].tolist() == [0.0, 1.0]


def test_weights_below_zero_are_divided_as_they_are() -> None:
    handler = compat.FmeasureHandler(True, True, beta=-0.5)
    # P = 1/2, R = 1: 0.5 · 0.5 / 0.75; and P = R = 0.
    assert float(handler(1, 1, 5, 0)) == pytest.approx(1 / 3, rel=1e-15)
    assert float(handler(0, 1, 5, 1)) == 0.0


def test_handlers_of_one_class_have_arrays_of_their_own() -> None:
    handlers = {name: compat.RecallHandler(True, True) for name in ("a", "b", "c")}
    metric = compat.FmeasureV2(handlers)
    metric.step(PRED, GT)
    curves = [handler.dynamic_results[0] for handler in handlers.values()]
    expected = curves[0].copy()
    for curve in curves:
        curve += 1.0
    for curve in curves:
        np.testing.assert_array_equal(curve, expected + 1.0)
