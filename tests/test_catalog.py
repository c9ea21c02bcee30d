"""The catalogue: names, suites, suggestions, and paths that are whole."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics import catalog
from fastsegmetrics.families.sweep import POSITIONS
from fastsegmetrics.functional import sweep
from fastsegmetrics.kernels import curves
from fastsegmetrics.scores import SWEEP_SCORES


def names(request) -> list[str]:
    return [metric.name for metric in catalog.resolve(request)]


def test_requests() -> None:
    assert names("mae, f_beta.max ,mae") == ["mae", "f_beta.max"]
    assert names("sod")[:2] == ["mae", "s_measure"]
    assert names(["iou.bin", "dice"])[0] == "iou.bin"
    assert set(names("iou")) == {f"iou.{report}" for report in catalog.REPORTS}
    assert set(names("all,photo")) == set(catalog.METRICS)
    assert not set(names("all")) & set(names("photo"))
    assert "c_beta_w" in names("photo")
    assert "hce" in names("dis")
    assert names("sweep")[0] == "mae"
    assert names("tpr.adp") == ["recall.adp"]
    assert names("oa.bin,tnr.bin") == ["accuracy.bin", "specificity.bin"]
    assert names("roc_curve") == ["recall.curve", "fpr.curve"]


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ("f_beta.maximum", "f_beta.max"),
        ("maee", "mae"),
        ("mae.", "did you mean mae"),
        ("MAE", r"did you mean mae\?"),
        ("mae.bin", r"unknown metric 'mae.bin'; did you mean mae\?"),
        ("fa.max", "did you mean fa"),
        ("hce.bin", r"did you mean hce\?"),
        ("wfm.max", r"'weighted_f.max'; did you mean weighted_f\?"),
        ("ms_iou.pooled_bin", "did you mean ms_iou.bin or ms_iou"),
        ("si_f_beta.pooled_max", "did you mean si_f_beta.pooled_bin or si_f_beta"),
        ("mae,,sod", "empty name"),
        ("", "empty name"),
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
    pair = np.array([[True, False, True]])
    for name in catalog.SCORES:
        parts = ("s_object", "s_region", "weighted_precision", "weighted_recall")
        if name in parts or name.startswith(("hce_", "difficulty_")):
            continue  # attributes of what the whole's function returns
        if name.startswith(("hiou_", "pixel_")):
            continue  # attributes of hIoU; the scores of the map that is not stretched
        if name.startswith(("pd", "fa")):
            matching = name.partition("_")[2] or "distance"
            found = fsm.detection(pair, pair, matching)
            assert found == (1.0, 0.0)
            continue
        if name.startswith("si_") and name != "si_mae":
            assert fsm.size_invariant(pair, pair, name[3:]).bin is not None
            continue
        if catalog.SCORES[name].family == "surface":
            # Of masks of two or three axes; conventions of the percentile are an argument.
            function = getattr(fsm, name.partition("_")[0] if name.startswith("hd95") else name)
            assert list(inspect.signature(function).parameters)[:2] == ["pred", "gt"]
            continue
        function = getattr(fsm, name)
        assert list(inspect.signature(function).parameters)[:2] == ["pred", "gt"]
        assert catalog.SCORES[name].formula in function.__doc__
    columns = {catalog.METRICS[name].column for name in catalog.SUITES["sweep"]} - {None}
    assert columns <= set(POSITIONS)
    assert len(SWEEP_SCORES) == curves._N_ROWS


def test_functions_refuse_unknown_rules() -> None:
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
    assert sweep.mae is fsm.mae
