"""Folder runs: the difficulty's halves, which are the same for every method."""

from __future__ import annotations

import csv
import json
import math

import numpy as np
import pytest

from fastsegmetrics.bulk.comparison import compare_runs
from fastsegmetrics.bulk.run import RunInterrupted, evaluate_folders
from fastsegmetrics.bulk.stored_values import StoredValues
from fastsegmetrics.bulk.worst import lines_of
from fastsegmetrics.errors import InputError
from fastsegmetrics.reporting import table
from tests.bulk.benchmark import StopAfter, outputs, write

SHAPE = (13, 17)
TRUTH = np.zeros(SHAPE, bool)
TRUTH[3:9, 4:12] = True
#: How far the object stands out: from easy to hard.
CONTRASTS = {"a": 100, "b": 40, "c": 10, "d": 2}


@pytest.fixture
def folders(tmp_path):
    for shift, (name, contrast) in enumerate(CONTRASTS.items()):
        write(tmp_path / "gt" / f"{name}.png", TRUTH * 255)
        write(tmp_path / "one" / f"{name}.png", np.roll(TRUTH, shift, axis=1) * 255)
        write(tmp_path / "two" / f"{name}.png", np.roll(TRUTH, shift, axis=0) * 255)
        photo = np.repeat((100 + contrast * TRUTH.astype(np.uint8))[:, :, None], 3, axis=2)
        (tmp_path / "rgb").mkdir(exist_ok=True)
        np.save(tmp_path / "rgb" / f"{name}.npy", photo)
    return tmp_path


def evaluate(folders, methods=("one", "two"), **choices):
    preds = {method: folders / method for method in methods}
    return evaluate_folders(folders / "gt", preds, metrics="difficulty,difficulty_halves",
                            image=folders / "rgb", **choices)  # fmt: skip


def used(result):
    return result["difficulty.easy"].n_used, result["difficulty.hard"].n_used


def test_the_halves_in_every_file(folders):
    run = evaluate(folders, out=folders / "run")
    scores = run["two"].per_image["difficulty"].tolist()
    assert run["two"]["difficulty.easy"].value == math.fsum(scores[:2]) / 2
    assert run["two"]["difficulty.hard"].value == math.fsum(scores[2:]) / 2
    summary = json.loads((folders / "run" / "summary.json").read_text())
    told = summary["methods"]["two"]["metrics"]["difficulty.hard"]
    assert (told["value"], told["n_used"]) == (math.fsum(scores[2:]) / 2, 2)
    with open(folders / "run" / "per_image.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    levels = [float(row["difficulty_level"]) for row in rows]
    assert levels[:4] == levels[4:] == sorted(levels[:4])
    assert summary["middle_levels"] == {"difficulty_level": round(levels[1], 9)}
    contract = json.loads((folders / "run" / "contract.json").read_text())
    assert "above the data set's middle" in contract["metrics"]["difficulty.hard"]["report"]


def test_comparisons_and_pictures_are_of_the_half_that_is_named(folders):
    """Not of all images, whose values have the same column."""
    write(folders / "gt" / "e.png", TRUTH & False)
    for method in ("one", "two"):
        write(folders / method / "e.png", TRUTH * 255)
    np.save(folders / "rgb" / "e.npy", np.zeros((*SHAPE, 3), np.uint8))
    run = evaluate(folders, out=folders / "run")
    scores = {method: run[method].per_image["difficulty"].tolist() for method in run}
    halves = compare_runs(folders / "run", "one", "two", ["difficulty.easy", "difficulty.hard"])
    for row, (first, stop) in zip(halves.rows, ((0, 2), (2, 4)), strict=True):
        assert row.a == math.fsum(scores["one"][first:stop]) / 2
        assert row.b == math.fsum(scores["two"][first:stop]) / 2
        # The empty truth has no level: it is in neither half, and told.
        assert (row.found.n_pairs, row.found.n_undefined) == (2, 1)
    assert [row.metric for row in halves.rows] == ["difficulty.easy", "difficulty.hard"]
    assert row.a == run["one"]["difficulty.hard"].value
    stored = StoredValues(folders / "run")
    assert list(stored.contract("difficulty.hard")["metrics"]) == ["difficulty.hard"]
    lines = lines_of(stored, "difficulty.hard", 9, ("one",))
    order = sorted(("c", "d"), key=lambda name: scores["one"]["abcd".index(name)])
    assert [(line.sample, line.rank) for line in lines] == [
        (order[0], 1),
        (order[1], 2),
        ("e", None),
    ]
    assert {line.metric for line in lines} == {"difficulty.hard"}


def test_halves_of_a_run_without_levels_and_of_one_that_has_none(folders):
    for name in CONTRASTS:
        write(folders / "gt" / f"{name}.png", TRUTH & False)
    evaluate(folders, out=folders / "empty")
    (row,) = compare_runs(folders / "empty", "one", "two", ["difficulty.hard"]).rows
    assert (row.found.n_pairs, row.found.n_undefined) == (0, 4)
    evaluate_folders(folders / "gt", {"one": folders / "one"}, metrics="difficulty",
                     image=folders / "rgb", out=folders / "plain")  # fmt: skip
    with pytest.raises(InputError, match=r"which has difficulty; received 'difficulty\.hard'"):
        StoredValues(folders / "plain").values("difficulty.hard")


def test_a_method_that_lacks_images_has_the_halves_of_all(folders):
    (folders / "two" / "a.png").unlink()
    (folders / "two" / "b.png").unlink()
    run = evaluate(folders, missing="skip")
    assert [used(result) for result in run.values()] == [(2, 2), (0, 2)]
    assert run["one"].middle_levels == run["two"].middle_levels
    # By itself it has no other images to be split by.
    assert used(evaluate(folders, methods=("two",), missing="skip")["two"]) == (1, 1)


def test_an_image_that_no_method_has_is_in_no_half(folders):
    for method in ("one", "two"):
        (folders / method / "a.png").unlink()
    run = evaluate(folders, missing="skip")
    assert [used(result) for result in run.values()] == [(2, 1), (2, 1)]


def test_workers_stops_and_continuations_do_not_change_a_byte(folders):
    (folders / "two" / "a.png").unlink()
    evaluate(folders, missing="skip", workers=1, out=folders / "whole")
    evaluate(folders, missing="skip", workers=3, out=folders / "threads")
    with pytest.raises(RunInterrupted):
        evaluate(folders, missing="skip", out=folders / "cut", progress=StopAfter(2))
    evaluate(folders, missing="skip", out=folders / "cut")
    assert outputs(folders / "whole") == outputs(folders / "threads") == outputs(folders / "cut")


def test_the_table_says_how_many_images_a_half_has(folders):
    run = evaluate(folders)
    laid_out = table.build({method: result.aggregates for method, result in run.items()})
    assert [cell.note for cell in laid_out.rows[0].cells] == ["", "n=2", "n=2"]
    assert laid_out.note == (
        "n=…: mean of that many samples, the others are in the other half or undefined."
    )
    plain = {m: {"difficulty": result["difficulty"]} for m, result in run.items()}
    assert table.build(plain).note == ""
