"""The catalogue: names, suites, suggestions, and paths that are whole."""

from __future__ import annotations

import inspect

import pytest

import fastsegmetrics as fsm
from fastsegmetrics import catalog, functional
from fastsegmetrics.kernels import curves
from fastsegmetrics.families.sweep import POSITIONS
from fastsegmetrics.scores import SWEEP_SCORES


def names(request) -> list[str]:
    return [metric.name for metric in catalog.resolve(request)]


def test_requests() -> None:
    assert names("mae, f_beta.max ,mae") == ["mae", "f_beta.max"]
    assert names("sod")[:2] == ["mae", "s_measure"]
    assert names(["iou.bin", "dice"])[0] == "iou.bin"
    assert set(names("iou")) == {f"iou.{report}" for report in catalog.REPORTS}
    assert names("all") == list(catalog.METRICS)
    assert names("tpr.adp") == ["recall.adp"]
    assert names("oa.bin,tnr.bin") == ["accuracy.bin", "specificity.bin"]
    assert names("roc_curve") == ["recall.curve", "fpr.curve"]


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ("f_beta.maximum", "f_beta.max"),
        ("maee", "mae"),
        ("mae.", "did you mean mae"),
        ("", "unknown metric"),
        ([], "at least"),
    ],
)
def test_unknown_names(request_, words) -> None:
    with pytest.raises(fsm.InputError, match=words):
        catalog.resolve(request_)


def test_every_row_tells_its_path() -> None:
    assert len(catalog.METRICS) == len({metric.path for metric in catalog.METRICS.values()})
    for metric in catalog.METRICS.values():
        assert all(metric.path.to_dict().values())
        assert metric.score.citation
        assert metric.score.empty
        assert metric.direction in ("higher", "lower")
        assert metric.range[0] < metric.range[1]


def test_pooling_is_offered_where_it_makes_sense() -> None:
    assert "f_beta.pooled_max" in catalog.METRICS
    assert "e_measure.pooled_max" not in catalog.METRICS
    assert "mae.pooled" not in catalog.METRICS


def test_every_sweep_score_has_a_row_and_a_function() -> None:
    swept = {s.name for s in catalog.SCORES.values() if s.family in ("confusion", "alignment")}
    assert swept == set(SWEEP_SCORES)
    for name in catalog.SCORES:
        if name in ("s_object", "s_region"):
            continue
        function = getattr(fsm, name)
        assert list(inspect.signature(function).parameters)[:2] == ["pred", "gt"]
        assert catalog.SCORES[name].formula in function.__doc__
    columns = {metric.column for metric in catalog.METRICS.values()} - {None}
    assert columns <= set(POSITIONS)
    assert len(SWEEP_SCORES) == curves._N_ROWS


def test_functions_refuse_unknown_rules() -> None:
    import numpy as np

    pair = np.array([[True, False]])
    for function in (fsm.ap, fsm.auc):
        with pytest.raises(fsm.InputError, match="rule must be"):
            function(pair, pair, rule="interpolated")


def test_package_namespace() -> None:
    assert set(fsm.__all__) == set(dir(fsm))
    for name in fsm.__all__:
        assert getattr(fsm, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        fsm.nothing  # noqa: B018
    assert functional.mae is fsm.mae
