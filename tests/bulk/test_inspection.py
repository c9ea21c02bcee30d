"""The worst pairs of a run: which they are, what is written, what is refused."""

from __future__ import annotations

import csv
import io
import math
import os

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.bulk.inspection import inspect_run
from fastsegmetrics.bulk.run import evaluate_folders
from fastsegmetrics.bulk.worst import ranked
from fastsegmetrics.io import read_image
from fastsegmetrics.reporting import overlay
from tests.bulk.benchmark import write

NAN, INF = math.nan, math.inf


@pytest.fixture
def folders(tmp_path):
    """Three 4 × 6 samples: exact, one column to the right, without a truth."""
    block = np.zeros((4, 6), np.uint8)
    block[1:3, 1:4] = 255
    for name, truth, pred in (
        ("in/exact", block, block),
        ("moved", block, np.roll(block, 1, axis=1)),
        ("nothing", np.zeros_like(block), block),
    ):
        write(tmp_path / "gt" / f"{name}.png", truth)
        write(tmp_path / "one" / f"{name}.png", pred)
    return tmp_path


def measured(folders, **choices):
    given = {"metrics": "mae,iou.bin,fpr.bin", "out": folders / "run", "policy": "strict"}
    return evaluate_folders(folders / "gt", {"one": folders / "one"}, **{**given, **choices})


def inspected(folders, metric="iou", out="worst", **choices):
    return inspect_run(folders / "run", metric, folders / out, **choices)


@pytest.mark.parametrize(
    ("direction", "order"), [("lower", ["b", "a", "d"]), ("higher", ["a", "d", "b"])]
)
def test_the_worst_are_first(direction, order) -> None:
    values = {"d": 0.5, "a": 0.5, "b": INF, "c": NAN, "0": NAN}
    assert ranked(values, direction) == (order, ["0", "c"])


def test_what_is_drawn_and_told(folders) -> None:
    measured(folders)
    lines = inspected(folders, "iou.bin", limit=2.0)
    assert [(line.rank, line.sample, line.value) for line in lines] == [
        (1, "nothing", 0.0), (2, "moved", 0.5), (3, "in/exact", 1.0),
    ]  # fmt: skip
    nothing, moved, exact = lines
    assert (nothing.tp, nothing.fp, nothing.fn, nothing.max_distance) == (0, 6, 0, INF)
    # All six pixels of the block are its boundary; two of them have come one column off.
    assert (moved.tp, moved.fp, moved.fn) == (4, 2, 2)
    assert (moved.mean_distance, moved.max_distance) == (2 / 6, 1.0)
    assert (exact.tp, exact.fp, exact.fn, exact.max_distance) == (6, 0, 0, 0.0)
    assert exact.picture == "one/003_in%2Fexact.png"
    out = folders / "worst"
    files = sorted(path.relative_to(out).as_posix() for path in out.rglob("*.png"))
    assert files == ["legend.png", *sorted(line.picture for line in lines)]
    told = list(csv.DictReader(io.StringIO((out / "index.csv").read_text("utf-8"))))
    assert [row["picture"] for row in told] == [line.picture for line in lines]
    assert (told[1]["value"], told[1]["fp"], told[0]["max_distance"]) == ("0.5", "2", "inf")


def test_the_picture_of_a_pair(folders) -> None:
    measured(folders)
    line = inspected(folders, "mae", limit=2.0, zoom=5)[1]
    assert line.sample == "moved"
    picture = read_image(folders / "worst" / line.picture)
    assert picture.shape == (4 * 5, 2 * 6 * 5 + 6, 3)
    right = picture[:, -6 * 5 :][2::5, 2::5].tolist()
    # The two columns that both have lie on the truth's boundary, the third one pixel off it.
    zero, half, dark = [64, 64, 224], [220, 90, 120], [20, 20, 20]
    assert right[1] == [dark, [50, 50, 50], zero, zero, half, dark]


def test_undefined_values_are_never_the_worst(folders) -> None:
    write(folders / "one" / "nothing.png", np.zeros((4, 6)))
    measured(folders, both_empty="undefined")
    lines = inspected(folders, "iou.bin", worst=1)
    assert [(line.rank, line.sample, line.state) for line in lines] == [
        (1, "moved", "drawn"), (None, "nothing", "undefined"),
    ]  # fmt: skip
    assert "one,,nothing,iou.bin,nan,undefined,,,,,,\n" in (
        folders / "worst" / "index.csv"
    ).read_text("utf-8")


def test_lower_is_better_turns_the_order(folders) -> None:
    measured(folders)
    assert [line.sample for line in inspected(folders, "mae", worst=2)] == ["nothing", "moved"]


def test_a_photograph_lies_below(folders) -> None:
    (folders / "rgb" / "in").mkdir(parents=True)
    for name in ("in/exact", "moved", "nothing"):
        np.save(folders / "rgb" / f"{name}.npy", np.full((4, 6, 3), (0, 90, 0), np.uint8))
    measured(folders, image=folders / "rgb")
    line = inspected(folders, "mae", worst=1)[0]
    picture = read_image(folders / "worst" / line.picture)
    # 0.587 · 90 = 53 of grey, a third of it on the right.
    assert picture[1, 1].tolist() == [53, 53, 53]
    assert picture[1, -2].tolist() == [17, 17, 17]


def test_a_missing_prediction_is_the_map_that_was_scored(folders) -> None:
    (folders / "one" / "moved.png").unlink()
    measured(folders, missing="zero")
    lines = {line.sample: line for line in inspected(folders, "mae")}
    assert (lines["moved"].tp, lines["moved"].fn) == (0, 6)
    assert math.isnan(lines["moved"].max_distance)


def test_a_resized_prediction_and_names_left_off(folders) -> None:
    (folders / "one" / "moved.png").unlink()
    os.rename(folders / "one" / "nothing.png", folders / "one" / "nothing_p.png")
    os.rename(folders / "one" / "in" / "exact.png", folders / "one" / "in" / "exact_p.png")
    write(folders / "one" / "moved_p.png", np.full((2, 3), 255))
    measured(folders, resize="bilinear", pred_suffix="_p")
    lines = {line.sample: line for line in inspected(folders, "mae")}
    assert (lines["moved"].tp, lines["moved"].fp) == (6, 18)


def test_the_map_is_stretched_as_the_metric_does(folders) -> None:
    write(folders / "one" / "moved.png", np.array([[0, 0, 0, 0, 0, 0], [0, 90, 90, 90, 0, 0]] * 2))
    measured(folders, metrics="mae,pd.bin")
    assert {line.sample: line for line in inspected(folders, "mae", "a")}["moved"].tp == 3
    assert {line.sample: line for line in inspected(folders, "pd.bin", "b")}["moved"].tp == 0


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        (
            {"metric": "hce"},
            r"metric must have a value for each image of .*run, which has mae, iou",
        ),
        ({"metric": "mae", "worst": 0}, "^worst must be at least 1; received 0"),
        ({"metric": "mae", "zoom": 2}, "^zoom must be at least 3; received 2"),
        ({"metric": "mae", "limit": NAN}, "^limit must be a finite number above 0"),
        ({"metric": "mae", "methods": ["two"]}, r"^method must be one of the run's \(one\)"),
        ({"metric": "mae", "out": "gt/x"}, "this lies in the folder of the ground truths"),
    ],
)
def test_refused(folders, choices, words) -> None:
    measured(folders)
    with pytest.raises(fsm.InputError, match=words):
        inspected(folders, **choices)


def test_changed_files_and_other_peoples_folders(folders) -> None:
    measured(folders)
    write(folders / "one" / "moved.png", np.zeros((4, 6)))
    with pytest.raises(fsm.InputError, match=r"the prediction of 'one' .*moved.png has changed"):
        inspected(folders, "mae")
    assert not (folders / "worst").exists()
    assert len(inspected(folders, "mae", worst=1)) == 1
    with pytest.raises(fsm.InputError, match=r"worst: must be new or empty.*it holds index.csv"):
        inspected(folders, "mae", worst=1)


def test_a_run_without_sources(folders) -> None:
    from fastsegmetrics.bulk.store import RunStore

    measured(folders)
    with RunStore(folders / "run") as store:
        store.set("sources", None)
    with pytest.raises(fsm.InputError, match="does not say where its files lie"):
        inspected(folders, "mae")
    measured(folders)
    assert len(inspected(folders, "mae")) == 3


def test_the_scale_ascends_in_lightness() -> None:
    colours = overlay.colours_of(np.linspace(0, 7, 50), 7.0)
    lightness = colours @ np.array([0.299, 0.587, 0.114])
    assert (np.diff(lightness) > -0.6).all()
    assert lightness[-1] - lightness[0] > 100


def test_regions_differ_without_their_colours() -> None:
    """Each kind of pixel has a block of its own in grey: plain, striped, dotted."""
    row = np.zeros((9, 9), bool)
    full = ~row
    found = []
    for pred, gt in ((full, full), (full, row), (row, full)):
        boundaries = overlay.BoundaryMap(row, row, np.full(row.shape, NAN))
        picture = overlay.overlay(np.full(row.shape, 60, np.uint8), pred, gt, boundaries, limit=1.0)
        block = picture[12:15, 12:15] @ np.array([0.299, 0.587, 0.114])
        found.append((block > block[0, 0]).astype(int) - (block < block[0, 0]).astype(int))
    assert found[0].tolist() == [[0, 0, 0]] * 3
    assert found[1].tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert found[2].tolist() == [[0, 0, 0], [0, -1, 0], [0, 0, 0]]


def test_the_legend_states_the_scale() -> None:
    picture = overlay.legend(8.0)
    assert picture[135, 10].tolist() == [64, 64, 224]
    assert picture[135, 409].tolist() == [245, 250, 40]
    assert not np.array_equal(picture, overlay.legend(9.0))
    assert np.array_equal(overlay.legend(8.0, "µm"), overlay.legend(8.0, "um"))
