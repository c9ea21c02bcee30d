"""The Evaluator and its results."""

from __future__ import annotations

import builtins
import copy
import csv
import io
import json
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.scores.confusion import ScoreRule, f_beta

RNG = np.random.default_rng(1)
PAIRS = [
    (RNG.integers(0, 256, (5, 17), dtype=np.uint8), RNG.random((5, 17)) > 0.6) for _ in range(4)
]


def filled(metrics="sweep", **conventions) -> fsm.Evaluator:
    evaluator = fsm.Evaluator(metrics, **conventions)
    for i, pair in enumerate(PAIRS):
        evaluator.update(*pair, sample_id=f"s{i}")
    return evaluator


def test_max_is_of_the_exact_mean_curve() -> None:
    result = filled("f_beta.max,f_beta.curve").result()
    curves = [fsm.f_beta(*pair).curve for pair in PAIRS]
    for t in range(256):
        exact = sum(Fraction(curve[t]) for curve in curves) / len(curves)
        assert result.curves["f_beta.curve"][t] == pytest.approx(float(exact), rel=1e-15)
    assert result["f_beta.max"].value == result.curves["f_beta.curve"].max()
    assert result["f_beta.max"].n_used == 4


def test_reports_of_one_score() -> None:
    result = filled("f_beta").result()
    each = [fsm.f_beta(*pair) for pair in PAIRS]
    for report, values in (
        ("bin", [score.bin for score in each]),
        ("adp", [score.adp for score in each]),
        ("mean", [score.mean for score in each]),
        ("mean_of_max", [score.max for score in each]),
    ):
        assert result[f"f_beta.{report}"].value == math.fsum(values) / 4
    assert result.per_image["f_beta.max_of_image"].tolist() == [score.max for score in each]


def test_pooled_counts() -> None:
    result = filled("f_beta", stretch=False).result()
    tp = sum(int(((p > 127) & g).sum()) for p, g in PAIRS)
    fp = sum(int(((p > 127) & ~g).sum()) for p, g in PAIRS)
    fn = sum(int(((p <= 127) & g).sum()) for p, g in PAIRS)
    rule = ScoreRule(False, 0.0, 0.3, False)
    expected = f_beta(tp, fp, fn, 4 * 85 - tp - fp - fn, rule)
    assert result["f_beta.pooled_bin"].value == pytest.approx(expected, rel=1e-14)
    curve = result.curves["f_beta.pooled_curve"]
    assert curve[128] == pytest.approx(expected, rel=1e-14)
    assert result["f_beta.pooled_max"].value == curve.max()
    assert result["f_beta.pooled_mean"].value == pytest.approx(curve.mean(), rel=1e-14)


def test_areas_of_mean_image_and_pooled_curves() -> None:
    result = filled("auc,ap,pr_curve,roc_curve").result()
    recall, fpr = result.curves["recall.curve"], result.curves["fpr.curve"]
    order = np.argsort(fpr, kind="stable")
    x, y = fpr[order], recall[order]
    area = float((np.diff(x) * (y[1:] + y[:-1]) / 2).sum())
    assert result["auc.trapezoid"].value == pytest.approx(area, rel=1e-12)
    per_image = [fsm.auc(*pair) for pair in PAIRS]
    assert result["auc.trapezoid_of_image"].value == pytest.approx(np.mean(per_image), rel=1e-14)
    assert 0 < result["auc.anchored_pooled"].value < 1
    assert set(result.curves) == {"recall.curve", "fpr.curve", "precision.curve"}
    assert set(filled("auc.trapezoid").result().curves) == {"recall.curve", "fpr.curve"}
    assert set(filled("f_beta.max,mae").result().curves) == {"f_beta.curve"}


def test_names_and_order() -> None:
    evaluator = fsm.Evaluator("mae")
    for name in ("b", "a", None, "c", None):
        evaluator.update(*PAIRS[0], sample_id=name)
    assert evaluator.result().sample_ids == [0, 1, "a", "b", "c"]
    with pytest.raises(fsm.InputError, match="'a' a second time"):
        evaluator.update(*PAIRS[0], sample_id="a")
    with pytest.raises(fsm.InputError, match="sample_id must be a string"):
        evaluator.update(*PAIRS[0], sample_id=3)
    assert evaluator.n_samples == 5


def test_a_refused_pair_changes_nothing() -> None:
    evaluator = filled("sod")
    before = evaluator.result().to_json()
    with pytest.raises(fsm.InputError):
        evaluator.update(PAIRS[0][0], PAIRS[0][1].T)
    assert evaluator.result().to_json() == before


def test_merge_refuses_what_would_be_wrong() -> None:
    evaluator = filled("sod")
    with pytest.raises(fsm.InputError, match="4 are in both, the first 's0'"):
        evaluator.merge(filled("sod"))
    with pytest.raises(fsm.InputError, match="same metrics and conventions"):
        evaluator.merge(fsm.Evaluator("sod", policy="strict"))
    with pytest.raises(fsm.InputError, match="this one"):
        evaluator.merge(evaluator)
    with pytest.raises(fsm.InputError, match="other must be an Evaluator; received one of dict"):
        evaluator.merge({})
    assert evaluator.n_samples == 4


@pytest.mark.parametrize(
    ("metrics", "conventions", "told"),
    [
        ("mae", {}, "it lacks the metric f_beta.max and 1 more"),
        ("mae,f_beta.max,iou.bin,f1.adp", {}, "it has the metric f1.adp"),
        ("iou.bin,f_beta.max,mae", {}, "its metrics are in another order"),
        (
            "mae,iou.bin,f1.bin",
            {"policy": "strict", "beta2": 1},
            "it has the metric f1.bin; it lacks the metric f_beta.max; its policy is 'strict', "
            "here 'published'; its beta2 is 1.0, here 0.3",
        ),
    ],
)
def test_what_differs_is_said(metrics, conventions, told) -> None:
    evaluator = fsm.Evaluator("mae,f_beta.max,iou.bin")
    other = fsm.Evaluator(metrics, **conventions)
    with pytest.raises(fsm.InputError) as caught:
        evaluator.merge(other)
    assert str(caught.value) == f"other must have the same metrics and conventions; {told}"
    with pytest.raises(fsm.InputError) as caught:
        evaluator.add(other.plan.measure(*PAIRS[0]))
    assert str(caught.value).endswith(f"of the same metrics and conventions; {told}")


def test_merge_numbers_unnamed_samples_on() -> None:
    first, second = fsm.Evaluator("mae"), fsm.Evaluator("mae")
    first.update(*PAIRS[0])
    second.update(*PAIRS[1])
    second.update(*PAIRS[2])
    first.merge(second)
    result = first.result()
    assert result.sample_ids == [0, 1, 2]
    assert result.per_image["mae"].tolist() == [fsm.mae(*pair) for pair in PAIRS[:3]]


def test_no_samples() -> None:
    result = fsm.Evaluator("sweep").result(n_expected=3)
    for row in result.values():
        assert math.isnan(row.value)
        assert (row.n_expected, row.n_used, row.n_undefined) == (3, 0, 0)


def test_n_expected() -> None:
    assert filled("mae").result(n_expected=7)["mae"].n_expected == 7
    for wrong in (3, 7.0, "7"):
        with pytest.raises(fsm.InputError, match=f"at least 4 .*; received {wrong!r}$"):
            filled("mae").result(n_expected=wrong)


def test_one_target_serves_many_methods() -> None:
    target = fsm.Target(PAIRS[0][1])
    for pred, _ in PAIRS:
        assert fsm.measure(pred, target, "sweep") == fsm.measure(pred, PAIRS[0][1], "sweep")


@pytest.mark.parametrize("metrics", ["mae", "s_measure", "mae,s_region", "f_beta.curve", "sweep"])
def test_backends_give_the_same_results(metrics) -> None:
    compiled = filled(metrics).result()
    reference = filled(metrics, backend="reference").result()
    assert list(compiled) == list(reference)
    for name in compiled:
        assert compiled[name].value == pytest.approx(reference[name].value, rel=1e-12, abs=1e-15)
    for name, curve in compiled.curves.items():
        np.testing.assert_allclose(curve, reference.curves[name], rtol=1e-12, atol=1e-15)


def test_json_is_strict() -> None:
    evaluator = filled("kappa.bin,mae", policy="strict")
    evaluator.update(np.full((2, 3), True), np.full((2, 3), True), sample_id="full")
    told = json.loads(evaluator.result().to_json())
    assert told["per_image"]["kappa.bin"][0] is None
    assert told["aggregates"]["kappa.bin"]["n_undefined"] == 1
    assert told["sample_ids"][0] == "full"
    assert told["contract"]["hash"] == evaluator.contract.hash
    result = fsm.Result({}, {}, {}, {"x": np.array([math.inf, -math.inf, 1.5])}, ["a", "b", "c"],
                        evaluator.contract)  # fmt: skip
    assert json.loads(result.to_json())["per_image"]["x"] == ["inf", "-inf", 1.5]
    assert "per_image" not in json.loads(result.to_json(per_image=False))


def test_csv_keeps_every_bit() -> None:
    result = filled("mae,f_beta.adp").result()
    rows = list(csv.DictReader(io.StringIO(result.to_csv())))
    assert [row["sample"] for row in rows] == ["s0", "s1", "s2", "s3"]
    assert [float(row["mae"]) for row in rows] == result.per_image["mae"].tolist()
    totals = list(csv.DictReader(io.StringIO(result.to_csv(per_image=False))))
    assert float(totals[1]["value"]) == result["f_beta.adp"].value


def test_pandas(monkeypatch) -> None:
    pandas = pytest.importorskip("pandas")
    frame = filled("mae").result().to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.loc["s1", "mae"] == fsm.mae(*PAIRS[1])


def test_pandas_missing_names_the_extra(monkeypatch) -> None:
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "pandas":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(fsm.MissingExtraError, match=r"fastsegmetrics\[pandas\]"):
        filled("mae").result().to_pandas()


def test_infinite_values_are_counted_apart() -> None:
    from fastsegmetrics.catalog import METRICS
    from fastsegmetrics.results import aggregate

    row = aggregate(METRICS["mae"], np.array([1.0, math.inf, math.nan, 2.0]), 5)
    assert (row.value, row.n_used, row.n_infinite, row.n_undefined) == (1.5, 2, 1, 1)
    assert float(row) == 1.5


def test_contract_tells_conventions_apart() -> None:
    hashes = {
        filled(metrics, **conventions).contract.hash
        for metrics, conventions in (
            ("sod", {}),
            ("sod", {"policy": "strict"}),
            ("sod", {"stretch": False}),
            ("sod", {"beta2": 1.0}),
            ("mae", {}),
        )
    }
    assert len(hashes) == 5
    told = filled("sod").contract.to_dict()
    assert told["metrics"]["f_beta.max"]["representation"].startswith("dynamic")
    assert told["conventions"]["policy"] == "published"
    assert set(told["versions"]) >= {"fastsegmetrics", "numpy", "numba"}


def test_result_reads_as_a_table() -> None:
    text = repr(filled("mae,f_beta.max").result())
    assert "mae ↓" in text
    assert "f_beta.max ↑" in text
    assert "(4/4)" in text


def test_an_aggregate_is_written_as_a_number() -> None:
    row = filled("mae").result()["mae"]
    assert f"{row:.3f}" == f"{row.value:.3f}" == f"{float(row):.3f}"
    assert f"{row}" == repr(row)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("iou", "'iou' is here as 'iou.bin'"),
        ("tpr.bin", "'tpr.bin' is here as 'recall.bin'"),
        ("pr_curve", "'pr_curve' is here as curves['precision.curve'], curves['recall.curve']"),
        ("mae", "'mae' is not among the metrics asked for"),
        ("reacll", "unknown metric 'reacll'; did you mean recall"),
        ("zzzz", "unknown metric 'zzzz'; `fastsegmetrics metrics` lists them"),
    ],
)
def test_a_name_that_is_no_number_of_the_result_says_what_it_is(name, told) -> None:
    result = fsm.Evaluator("iou.bin,tpr.bin,pr_curve").result()
    assert name not in result
    assert result.get(name) is None
    with pytest.raises(KeyError) as caught:
        result[name]
    assert caught.value.args[0].startswith(told)


def test_unknown_backend() -> None:
    with pytest.raises(fsm.InputError, match="'compiled' or 'reference'"):
        fsm.Evaluator("mae", backend="gpu")


def test_the_reference_backend_runs_no_kernel(monkeypatch) -> None:
    from fastsegmetrics.kernels import curves, levels

    def refuse(*_):
        raise AssertionError("a compiled kernel ran")

    for module in (curves, levels):
        for name, value in list(vars(module).items()):
            if not name.startswith("_") and callable(value):
                monkeypatch.setattr(module, name, refuse)
    evaluator = filled("sweep", backend="reference")
    assert evaluator.result()["f_beta.max"].n_used == 4


def test_curves_say_how_many_images_they_are_of() -> None:
    evaluator = fsm.Evaluator(
        "precision.curve,iou.pooled_curve", policy="strict", both_empty="undefined"
    )
    evaluator.update(*PAIRS[0])
    nothing = np.zeros((2, 3), bool)
    evaluator.update(nothing, nothing)
    result = evaluator.result()
    assert result.curve_counts == {"precision.curve": 1, "iou.pooled_curve": 2}
    assert json.loads(result.to_json())["curve_counts"]["precision.curve"] == 1


def test_an_undefined_pooled_value_is_counted_as_such() -> None:
    evaluator = fsm.Evaluator(
        "f_beta.pooled_bin,kappa.pooled_bin", policy="strict", both_empty="undefined"
    )
    nothing = np.zeros((2, 3), bool)
    for _ in range(2):
        evaluator.update(nothing, nothing)
    for row in evaluator.result().values():
        assert math.isnan(row.value)
        assert (row.n_used, row.n_undefined) == (0, 2)


@pytest.mark.parametrize(
    ("metrics", "conventions"),
    [("mae", {}), ("f_beta.max,mae", {}), ("mae,f_beta.max", {"stretch": False})],
)
def test_foreign_measurements_are_refused(metrics, conventions) -> None:
    plan = fsm.Plan(metrics, fsm.Conventions(**conventions))
    evaluator = fsm.Evaluator("mae,f_beta.max")
    with pytest.raises(fsm.InputError, match="measurement must come from a plan"):
        evaluator.add(plan.measure(*PAIRS[0]))
    assert evaluator.n_samples == 0


def test_everything_travels_between_processes() -> None:
    evaluator = filled("sod,ms_iou.max,si_iou.bin")
    result = evaluator.result()
    for twin in (pickle.loads(pickle.dumps(evaluator)), copy.deepcopy(evaluator)):
        assert twin.result().to_json() == result.to_json()
    for twin in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert twin.to_json() == result.to_json()
    measured = evaluator.plan.measure(*PAIRS[0])
    assert pickle.loads(pickle.dumps(measured)).to_bytes() == measured.to_bytes()
    score = fsm.s_measure(*PAIRS[0])
    assert pickle.loads(pickle.dumps(score)).object_term == score.object_term


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"beta2": 1}, {"beta2": 1.0}),
        ({"alpha": 1}, {"alpha": np.float64(1)}),
        ({"gt_threshold": 0}, {"gt_threshold": np.int64(0)}),
        ({"pred_scale": 1}, {"pred_scale": 1.0}),
    ],
)
def test_equal_numbers_make_one_contract(one, other) -> None:
    assert fsm.Evaluator(**one).contract.hash == fsm.Evaluator(**other).contract.hash


@pytest.mark.parametrize("request_", [3, ["mae", 3], None])
def test_requests_that_are_no_names(request_) -> None:
    with pytest.raises(fsm.InputError, match="metrics must be names"):
        fsm.Evaluator(request_)


def test_a_measurement_beside_its_photograph() -> None:
    pred, gt = PAIRS[0]
    image = np.zeros((5, 17, 3), np.uint8)
    with pytest.raises(fsm.InputError, match="image must be given for c_beta_w"):
        fsm.measure(pred, gt, "c_beta_w")
    by_call = fsm.measure(pred, gt, "c_beta_w", image=image)
    assert by_call == fsm.measure(pred, fsm.Target(gt, image=image), "c_beta_w")
    with pytest.raises(fsm.InputError, match="image must be given to the Target"):
        fsm.measure(pred, fsm.Target(gt), "c_beta_w", image=image)
    evaluator = fsm.Evaluator("c_beta_w")
    evaluator.update(pred, gt, image=image)
    assert evaluator.result()["c_beta_w"].value == by_call["c_beta_w"]
