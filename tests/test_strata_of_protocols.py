"""Protocols that report by a column of a table: by hand, wherever a data set is evaluated."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics import Strata
from fastsegmetrics.catalog import protocol_metrics
from fastsegmetrics.cli import main
from fastsegmetrics.protocol.value import Protocol
from tests.bulk.benchmark import write

GT = np.array([[1, 1, 1, 1, 0, 0, 0, 1, 0]], bool)
#: By sample: how much of the line of four is found, whether the single pixel is, and the sky.
FOUND = {"a": (4, 0, "blue"), "b": (2, 1, "grey"), "c": (1, 0, "blue"), "d": (3, 1, "grey")}
RECALL = "fixed / whole / pixelwise / recall / raw(by=column.sky, quantiles=0.5)"
#: Recalls of the samples are 4/5, 3/5, 1/5 and 4/5; those of the targets FOUND[0] / 4 and FOUND[1].
BY_HAND = {
    "": {"mine": 0.6, "mine[q0.5]": 0.7, "each": (4 + 2 + 1 + 3 + 4 + 4) / 32, "pool": 12 / 20},
    "blue": {"mine": 0.5, "mine[q0.5]": 0.5, "each": (4 + 1) / 16, "pool": 5 / 10},
    "grey": {"mine": 0.7, "mine[q0.5]": 0.7, "each": (2 + 3 + 4 + 4) / 16, "pool": 7 / 10},
}
PROTOCOLS = {
    "mine": RECALL,
    "each": "fixed / components / pixelwise / recall / raw(average=targets, by=column.sky)",
    "pool": "fixed / whole / pixelwise / recall / raw(average=pooled, by=column.sky)",
    "curve": "dynamic(over=bins, n=2) / whole / pixelwise / recall / raw(by=column.sky)",
}
METRICS = protocol_metrics({name: Protocol.parse(text) for name, text in PROTOCOLS.items()})


def predicted(name: str) -> np.ndarray:
    line, pixel, _ = FOUND[name]
    pred = np.zeros(GT.shape, bool)
    pred[0, :line] = True
    pred[0, 7] = bool(pixel)
    return pred


@pytest.fixture
def table(tmp_path) -> Path:
    rows = [f"{name},{sky},north" for name, (_, _, sky) in FOUND.items()]
    (tmp_path / "weather.csv").write_text("\n".join(["sample,sky,where", *rows]) + "\n")
    for name in FOUND:
        write(tmp_path / "gt" / f"{name}.png", GT * 255)
        write(tmp_path / "maps" / f"{name}.png", predicted(name) * 255)
    return tmp_path / "weather.csv"


def assert_by_hand(result: fsm.Result) -> None:
    assert list(result.strata) == ["blue", "grey"]
    for name, part in {"": result, **result.strata}.items():
        for metric, value in BY_HAND[name].items():
            assert part[metric].value == pytest.approx(value, abs=1e-15), (name, metric)
            n = 2 if name else 4
            assert (part[metric].n_used, part[metric].n_expected) == (n, n)
        np.testing.assert_allclose(part.curves["curve"], [BY_HAND[name]["mine"]] * 2)
    assert result.contract.strata["by"] == "sky"
    assert result.contract.metrics["mine"]["report"].endswith("; by sky; quantiles 0.5")


@pytest.mark.parametrize("backend", ["compiled", "reference"])
def test_an_evaluator_tells_every_stratum(table, backend) -> None:
    evaluator = fsm.Evaluator(METRICS, strata=Strata.column(table, "sky"), backend=backend)
    for name in FOUND:
        evaluator.update(predicted(name), GT, sample_id=name)
    assert_by_hand(evaluator.result())


def test_merged_in_any_order(table) -> None:
    told = set()
    for order in itertools.permutations(FOUND):
        whole = fsm.Evaluator(METRICS, strata=Strata.column(table, "sky"))
        for names in (order[:1], order[1:]):
            part = whole.new_part()
            for name in names:
                part.update(predicted(name), GT, sample_id=name)
            whole.merge(part)
        told.add(whole.result().to_json())
        assert_by_hand(whole.result())
    assert len(told) == 1


@pytest.mark.parametrize("workers", [1, 2])
def test_folders(table, workers) -> None:
    run = fsm.evaluate_folders(
        table.parent / "gt", {"m": table.parent / "maps"}, metrics=METRICS,
        strata=Strata.column(table, "sky"), workers=workers, out=table.parent / "run",
    )  # fmt: skip
    assert_by_hand(run["m"])
    summary = json.loads((table.parent / "run" / "summary.json").read_text())
    part = summary["methods"]["m"]["strata"]["grey"]
    assert (part["n_samples"], part["metrics"]["mine"]["value"]) == (2, pytest.approx(0.7))


def test_the_command_and_show(table, capsys) -> None:
    folders = table.parent
    asked = ["evaluate", "--gt", f"{folders / 'gt'}", "--pred", f"m={folders / 'maps'}",
             "--protocol", f"mine={RECALL}", "--strata", f"{table}:sky",
             "--out", f"{folders / 'run'}"]  # fmt: skip
    printed = {}
    for form in ("csv", "table", "json"):
        assert main([*asked, "--format", form]) == 0
        printed[form] = capsys.readouterr().out
        assert main(["show", str(folders / "run"), "--format", form]) == 0
        assert capsys.readouterr().out == printed[form]
    rows = csv.DictReader(io.StringIO(printed["csv"]))
    told = {(row["method"], row["metric"]): float(row["value"]) for row in rows}
    assert told == {
        (f"m[{name}]" if name else "m", metric): pytest.approx(values[metric])
        for name, values in BY_HAND.items()
        for metric in ("mine", "mine[q0.5]")
    }
    assert "grey: 2 samples" in printed["table"]
    # Without the table, or with another column of it.
    at = asked.index("--strata")
    for strata, given in (
        ((), "none"), (("--strata", "size"), "none"),
        (("--strata", f"{table}:where"), "strata by where"),
    ):  # fmt: skip
        assert main([*asked[:at], *strata]) == 2
        assert capsys.readouterr().err == (
            f"error: mine is told by the column sky: --strata must be Strata.column(FILE, 'sky'), "
            f"--strata FILE.csv:sky; received {given}\n"
        )


def test_what_an_evaluator_does_not_tell(table) -> None:
    refused = {
        "halves.sky": "mine: halves of a column are told by report.of_samples",
        "column.sky, part=grey": "mine: every stratum of a column is told .* leave part out",
    }
    for by, words in refused.items():
        path = Protocol.parse(RECALL).replace(report=f"raw(by={by})")
        with pytest.raises(fsm.InputError, match=words):
            protocol_metrics({"mine": path})
    with pytest.raises(fsm.InputError, match=r"^mine is told by the column sky: .* received none$"):
        fsm.Evaluator(METRICS, strata=Strata.sizes())
    (table.parent / "size.csv").write_text("sample,size\na,s\nb,l\n")
    by_size = Protocol.parse(RECALL).replace(report="raw(by=column.size)")
    evaluator = fsm.Evaluator(by_size, strata=Strata.column(table.parent / "size.csv", "size"))
    evaluator.update(predicted("a"), GT, sample_id="a")
    assert evaluator.result().strata["s"][by_size.name].value == 0.8


def test_a_stratum_without_a_value(table) -> None:
    """None of its samples has a target; the other's numbers are as they were."""
    path = Protocol.parse(PROTOCOLS["each"])
    evaluator = fsm.Evaluator(path, strata=Strata.column(table, "sky"))
    for name, (_, _, sky) in FOUND.items():
        evaluator.update(predicted(name), GT & (sky == "grey"), sample_id=name)
    result = evaluator.result()
    assert result.strata["grey"][path.name].value == BY_HAND["grey"]["each"]
    blue = result.strata["blue"][path.name]
    assert math.isnan(blue.value)
    assert (blue.n_expected, blue.n_used, blue.n_undefined) == (2, 0, 2)


def test_one_pair_has_its_own_value() -> None:
    path = Protocol.parse(RECALL)
    assert fsm.measure(predicted("b"), GT, path)[path.name] == 0.6
