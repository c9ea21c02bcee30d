"""`fastsegmetrics inspect`."""

from __future__ import annotations

import numpy as np
import pytest

from tests.cli.commands import arguments_of, one_error, write


@pytest.fixture
def run_dir(folders, call):
    """A finished run of the fixture `folders`."""
    assert call(*arguments_of(folders, "--out", folders / "run"))[0] == 0
    return folders / "run"


def test_the_worst_of_each_method(folders, run_dir, call):
    out = folders / "worst"
    code, printed, err = call("inspect", run_dir, "--metric", "mae", "--worst", "2", "--out", out)
    assert code == 0
    assert printed.splitlines() == [
        "mae 0.1000  good/001_b.png",
        "mae 0.0000  good/002_a.png",
        "mae 1.0000  poor/001_a.png",
        "mae 0.5000  poor/002_b.png",
    ]
    assert err == (
        f"4 pictures, index.csv and legend.png are in {out} (distances from 0 to 10 px, 3 × 3 for "
        f"a pixel)\n"
    )
    assert (out / "legend.png").is_file()
    assert (out / "index.csv").read_text().count("\n") == 5


def test_one_method_and_more_than_there_are(folders, run_dir, call):
    chosen = ("--metric", "f_beta.bin", "--method", "poor", "--worst", "99", "--limit", "2.5")
    code, printed, err = call("inspect", run_dir, *chosen, "--out", folders / "worst")
    assert code == 0
    # a has no pixel right, b two of four, c one of two.
    assert [line.split("  ")[1] for line in printed.splitlines()] == [
        "poor/001_a.png", "poor/002_b.png", "poor/003_c.png",
    ]  # fmt: skip
    assert "from 0 to 2.5 px" in err


def test_undefined_values_are_told_apart(folders, call):
    write(folders / "gt" / "c.png", [[0, 0], [0, 0]])
    write(folders / "good" / "c.png", [[0, 0], [0, 0]])
    more = ("--policy", "strict", "--both-empty", "undefined", "--out", folders / "run")
    assert call(*arguments_of(folders, *more))[0] == 0
    code, printed, err = call("inspect", folders / "run", "--metric", "f_beta.bin",
                              "--method", "good", "--out", folders / "worst")  # fmt: skip
    assert code == 0
    assert len(printed.splitlines()) == 2
    assert err.splitlines()[0] == "undefined in good, not drawn (1): c"


def test_what_is_refused(folders, run_dir, call):
    code, out, err = call("inspect", run_dir, "--metric", "hce", "--out", folders / "worst")
    assert (code, out) == (2, "")
    assert one_error(err) == (
        f"error: --metric must have a value for each image of {run_dir}, which has mae, "
        f"f_beta.bin; received 'hce'"
    )
    for more, words in (
        (("--metric", "mae", "--out", ""), "a folder must be named"),
        (("--metric", "mae", "--out", folders / "gt" / "x"), "the folder of the ground truths"),
        (("--metric", "mae", "--out", folders / "x", "--worst", "0"), "0 is not in the range"),
        (("--metric", "mae", "--out", folders / "x", "--method", "good,poor"), "(good, poor)"),
    ):
        code, _, err = call("inspect", run_dir, *more)
        assert code == 2
        assert words in one_error(err)
    code, _, err = call("inspect", folders, "--metric", "mae", "--out", folders / "worst")
    assert one_error(err).endswith("not a run directory, it has no summary.json")
    assert not (folders / "worst").exists()


def test_volumes_need_a_label(folders, run_dir, call):
    truth = np.zeros((2, 3, 4), np.uint8)
    truth[0, 1, 1:3] = 1
    for name, values in (("truths", truth), ("guesses", np.roll(truth, 1, axis=0))):
        (folders / name).mkdir()
        np.savez(folders / name / "a.npz", volume=values, spacing=(4, 1, 1), unit="mm")
    assert call("evaluate-volumes", "--gt", folders / "truths", "--pred",
                f"far={folders / 'guesses'}", "--labels", "2", "--background", "0",
                "--out", folders / "volumes")[0] == 0  # fmt: skip
    asked = ("inspect", folders / "volumes", "--metric", "hd95", "--out", folders / "worst")
    code, _, err = call(*asked)
    assert code == 2
    assert one_error(err) == (
        f"error: --label must say which label of the volumes in {folders / 'volumes'} is meant"
    )
    code, printed, err = call(*asked, "--label", "1", "--limit", "5")
    assert (code, printed) == (0, "hd95 4.0000  far/001_a.png\n")
    assert "(distances from 0 to 5 mm, 3 × 3 for a pixel)" in err
    code, _, err = call("inspect", run_dir, "--metric", "mae", "--label", "1", "--out", "x")
    assert "label must be None for a run of images" in one_error(err)
