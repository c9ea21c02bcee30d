"""`fastsegmetrics evaluate`: halves by difficulty, and heat maps."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from fastsegmetrics.bulk.heat_maps import KINDS
from tests.cli.commands import arguments_of, one_error, write, write_photographs


@pytest.fixture
def photographed(folders):
    write_photographs(folders, "a", "b", "c")
    return folders


def asked(folders, *more, metrics="difficulty,difficulty_halves"):
    return arguments_of(folders, "--metrics", metrics, "--image", folders / "rgb", *more)


def test_halves_in_every_form(photographed, call):
    code, out, err = call(*asked(photographed, "--format", "json"))
    assert code == 0
    told = json.loads(out)
    middle = told["middle_levels"]["difficulty_level"]
    assert f"difficulty_level: up to {middle:.4f} an image is easy, above it hard\n" in err
    metrics = told["methods"]["good"]["metrics"]
    # Three levels: the one in the middle is easy.
    assert [metrics[f"difficulty.{half}"]["n_used"] for half in ("easy", "hard")] == [2, 1]
    means = [metrics[f"difficulty.{half}"]["value"] for half in ("easy", "hard")]
    assert metrics["difficulty"]["value"] == pytest.approx((2 * means[0] + means[1]) / 3)
    _, out, _ = call(*asked(photographed, "--format", "csv"))
    rows = {(row["method"], row["metric"]): row for row in csv.DictReader(io.StringIO(out))}
    assert float(rows["good", "difficulty.hard"]["value"]) == means[1]
    _, out, err = call(*asked(photographed, "--quiet"))
    assert err == ""
    assert re.search(r"^good .* \(n=1\) .* \(n=2\)$", out, re.MULTILINE)
    assert "the others are in the other half or undefined." in " ".join(out.split())


def test_images_none_of_which_has_a_level(photographed, call):
    for name, truth in (("a", [[0, 0]]), ("b", [[0, 0, 0, 0]]), ("c", [[255, 255], [255, 255]])):
        write(photographed / "gt" / f"{name}.png", truth)
    code, out, err = call(*asked(photographed))
    assert code == 0
    assert "difficulty_level: no image has one, so that none is easy or hard\n" in err
    assert "nan" not in out + err


def test_runs_with_other_halves_are_shown_with_a_warning(photographed, call):
    runs = [photographed / "run1", photographed / "run2", photographed / "run3"]
    for run in runs[:2]:
        call(*asked(photographed, "--out", run))
    (photographed / "good" / "b.png").unlink()
    (photographed / "poor" / "b.png").unlink()
    call(*asked(photographed, "--out", runs[2], "--missing", "skip"))
    code, out, err = call("show", *runs[:2])
    assert (code, "* best" in out, err) == (0, True, "")
    code, out, err = call("show", *runs)
    assert (code, "* best" in out) == (0, False)
    assert re.search(
        rf"^warning: not comparable: difficulty_level is halved at 1\.\d+ in {runs[0]} and at "
        rf"1\.\d+ in {runs[2]}$", err, re.MULTILINE,
    )  # fmt: skip


def test_heat_maps(photographed, call):
    run = photographed / "run"
    code, table, err = call(*asked(photographed, "--out", run))
    assert code == 0
    assert not (run / "maps").exists()
    code, again, err = call(*asked(photographed, "--out", run, "--difficulty-maps"))
    assert (code, again) == (0, table)
    assert f"heat maps of the difficulty are in {run}/maps (black 0, white 2)\n" in err
    for method in ("good", "poor"):
        for kind in KINDS:
            names = {path.name for path in (run / "maps" / method / kind).iterdir()}
            assert names == {"a.png", "b.png", "c.png"}


def test_what_heat_maps_need_is_said_in_one_sentence(photographed, call):
    run = photographed / "run"
    code, out, err = call(*asked(photographed, "--difficulty-maps"))
    assert (code, out) == (2, "")
    assert one_error(err) == (
        "error: --difficulty-maps draws into the run directory: name it, --out RUN_DIR"
    )
    code, out, err = call(*asked(photographed, "--difficulty-maps", "--out", run, metrics="mae"))
    assert (code, out) == (2, "")
    assert one_error(err) == (
        "error: --difficulty-maps draws what --metrics difficulty measures, which is not among the "
        "metrics (mae)"
    )
    without = arguments_of(photographed, "--metrics", "difficulty", "--out", run)
    code, out, err = call(*without, "--difficulty-maps")
    assert (code, out) == (2, "")
    assert one_error(err) == (
        "error: difficulty looks at the photographs: name their folder, --image DIR"
    )
    assert not run.exists()


def test_heat_maps_of_skipped_and_missing_pairs(photographed, call):
    (photographed / "poor" / "a.png").write_bytes(b"")
    (photographed / "poor" / "b.png").unlink()
    run = photographed / "run"
    more = ["--out", run, "--difficulty-maps", "--workers", "2"]
    code, _, _ = call(*asked(photographed, *more, "--on-error", "skip", "--missing", "zero"))
    assert code == 1
    assert {path.name for path in (run / "maps" / "poor" / "weight").iterdir()} == {
        "b.png", "c.png",
    }  # fmt: skip
    assert len(list((run / "maps" / "good").rglob("*.png"))) == 3 * len(KINDS)
