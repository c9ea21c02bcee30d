"""Strata of a data set: by size and by a table, for every kind of metric."""

from __future__ import annotations

import json

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics import Strata, catalog
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.plan import Plan

METRICS = "mae,iou.bin,f_beta.max,iou.pooled_bin,ap.step"


def pairs() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(2)
    found = {}
    for k, size in enumerate((0, 2, 4, 9, 40, 5)):
        gt = np.zeros((7, 9), bool)
        gt.flat[:size] = True
        found[f"s{k}"] = np.clip(gt * 150 + rng.integers(0, 99, gt.shape), 0, 255).astype("u1"), gt
    return found


PAIRS = pairs()


def evaluated(names, strata: Strata | None = None) -> fsm.Evaluator:
    evaluator = fsm.Evaluator(METRICS, strata=strata)
    for name in names:
        evaluator.update(*PAIRS[name], sample_id=name)
    return evaluator


def test_a_stratum_has_the_numbers_of_its_samples_alone() -> None:
    whole = evaluated(PAIRS, Strata.sizes((4, 10))).result()
    members = {"small": ["s1"], "medium": ["s2", "s3", "s5"], "large": ["s4"], "no target": ["s0"]}
    assert list(whole.strata) == list(members)
    for name, samples in members.items():
        alone = evaluated(samples).result()
        part = whole.strata[name]
        assert part.sample_ids == alone.sample_ids
        for metric, row in alone.items():
            np.testing.assert_equal(part[metric].value, row.value)
    plain = evaluated(PAIRS).result()
    assert {n: r.value for n, r in whole.items()} == {n: r.value for n, r in plain.items()}
    assert whole.per_image["target_size"].tolist() == [0, 2, 4, 9, 40, 5]
    assert whole.contract.hash != plain.contract.hash
    assert json.loads(whole.to_json())["strata"]["medium"]["n_samples"] == 3


def test_every_metric_is_told_of_each_stratum() -> None:
    """The whole catalogue: a stratum has the numbers and curves that its samples have alone."""
    plan = Plan("all,photo", Conventions(policy="strict"), sizes=True)
    strata = Strata.sizes((4, 10))
    whole = fsm.Evaluator("all,photo", strata=strata, policy="strict")
    alone: dict[str, fsm.Evaluator] = {}
    for name in ("s0", "s2", "s4", "s5"):
        pred, gt = PAIRS[name]
        measured = plan.measure(pred, gt, image=np.dstack([pred, pred // 2, 255 - pred]))
        whole.add(measured, sample_id=name)
        part = fsm.Evaluator("all,photo", strata=strata, policy="strict")
        alone.setdefault(strata.of(name, gt.sum()), part).add(measured, sample_id=name)
    result = whole.result()
    told = {*result.aggregates, *result.curves}
    assert told >= set(catalog.METRICS)
    assert list(result.strata) == ["medium", "large", "no target"]
    for name, part in result.strata.items():
        expected = alone[name].result()
        assert {*part.aggregates, *part.curves} == told
        for metric, row in expected.items():
            # Halves are those of the whole data set.
            if catalog.METRICS[metric].report.half is None:
                assert repr(part[metric]) == repr(row)
        for metric, curve in expected.curves.items():
            np.testing.assert_array_equal(part.curves[metric], curve, err_msg=metric)
            assert part.curve_counts[metric] == expected.curve_counts[metric]


def test_strata_merge_in_any_order() -> None:
    strata = Strata.sizes((4, 10))
    whole = evaluated(PAIRS, strata)
    first, second = evaluated(["s5", "s1", "s3"], strata), evaluated(["s4", "s0", "s2"], strata)
    second.merge(first)
    assert second.result().to_json() == whole.result().to_json()
    with pytest.raises(fsm.InputError, match="same metrics and conventions"):
        whole.merge(evaluated(["s1"], Strata.sizes((5, 10))))


def test_default_limits_are_those_of_coco() -> None:
    strata = Strata.parse("size")
    assert strata.limits == (1024, 9216)
    assert [strata.of(None, size) for size in (1023, 1024, 9216)] == ["small", "medium", "large"]
    assert Strata.parse("size:5").names == ("0-5", "5-inf", "no target")


def table(tmp_path, text: str) -> str:
    path = tmp_path / "weather.csv"
    path.write_bytes(text.encode("utf-8"))
    return str(path)


def test_strata_of_a_table(tmp_path) -> None:
    lines = [
        "\ufeffwhere,sample,weather",
        *(f"x,s{k},{'fog' if k % 2 else 'sun'}" for k in range(6)),
    ]
    strata = Strata.parse(table(tmp_path, "\r\n".join(lines)) + ":weather")
    result = evaluated(PAIRS, strata).result()
    assert list(result.strata) == ["fog", "sun"]
    assert result.strata["fog"].sample_ids == ["s1", "s3", "s5"]
    assert "target_size" not in result.per_image
    assert result.contract.strata["by"] == "weather"
    with pytest.raises(fsm.InputError, match="'s9' is missing"):
        evaluated([], strata).update(*PAIRS["s1"], sample_id="s9")
    with pytest.raises(fsm.InputError, match=r"strata by weather need .* sample_id"):
        fsm.Evaluator("mae", strata=strata).update(*PAIRS["s1"])
    with pytest.raises(fsm.InputError, match="2 are missing, the first 'a'"):
        strata.require(["a", "s1", "b"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sample,sky\na,b\n", "has no column 'weather' .it has sample, sky"),
        ("", "has no column 'weather'"),
        ("sample,weather,weather\na,b,c\n", "has 2 columns 'weather'"),
        ("sample,weather\na\n", "line 2: has 1 fields, not 2"),
        ("sample,weather\na,\n", "line 2: the sample or its weather is empty"),
        ("sample,weather\na,b\na,c\n", "line 3: the sample 'a' is there twice"),
    ],
)
def test_tables_that_are_none(tmp_path, text, words) -> None:
    with pytest.raises(fsm.InputError, match=words):
        Strata.column(table(tmp_path, text), "weather")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("size:b", "received 'size:b'"),
        ("size:9:3", "limits must ascend"),
        ("weather", "FILE.csv:COLUMN; received 'weather'"),
        ("none.csv:weather", "none.csv: cannot be read"),
    ],
)
def test_texts_that_are_none(text, words) -> None:
    with pytest.raises(fsm.InputError, match=words):
        Strata.parse(text)


def test_a_table_in_another_encoding(tmp_path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes("sample,weather\nä,b\n".encode("latin-1"))
    with pytest.raises(fsm.InputError, match="is no CSV file in UTF-8"):
        Strata.column(path, "weather")


def test_what_is_no_strata_is_refused() -> None:
    for given in ("size", ("size", 10), {"a": "b"}):
        with pytest.raises(fsm.InputError, match=r"strata must be Strata\.sizes"):
            fsm.Evaluator("mae", strata=given)
    with pytest.raises(fsm.InputError, match="received None"):
        fsm.Strata.parse(None)


def test_one_limit_makes_two_strata() -> None:
    assert fsm.Strata.sizes(5).names == fsm.Strata.sizes([5]).names == ("0-5", "5-inf", "no target")
