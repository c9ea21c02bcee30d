"""`fastsegmetrics show`."""

from __future__ import annotations

import csv
import io
import json
import sys

import pytest

from fastsegmetrics.protocol.value import Protocol
from tests.cli.commands import arguments_of, one_error


def test_show_prints_the_same_in_every_form(folders, call):
    for form in ("table", "markdown", "latex", "csv", "json"):
        _, printed, _ = call(*arguments_of(folders, "--out", folders / "run", "--format", form))
        code, shown, err = call("show", folders / "run", "--format", form)
        assert (code, shown, err) == (0, printed, "")


def test_show_prints_strata_as_evaluate_does(folders, call):
    arguments = arguments_of(folders, "--strata", "size:2:5", "--out", folders / "run")
    for form in ("table", "markdown", "latex", "csv", "json"):
        _, printed, _ = call(*arguments, "--format", form)
        code, shown, err = call("show", folders / "run", "--format", form)
        assert (code, shown, err) == (0, printed, "")
        assert "small" in shown
    plain = arguments_of(folders, "--out", folders / "plain")
    call(*plain)
    code, shown, err = call("show", folders / "run", folders / "plain", "--format", "csv")
    methods = [line.split(",")[0] for line in shown.splitlines()[1:]]
    own = [name for name in methods if name.endswith("]")]
    assert own
    assert all(f"({folders / 'run'})[" in name for name in own)
    assert "not comparable: strata is present" in err


def test_show_of_several_runs_says_where_they_differ(folders, call):
    call(*arguments_of(folders, "--out", folders / "run1"))
    call(*arguments_of(folders, "--out", folders / "run2", "--no-stretch"))
    code, out, err = call("show", folders / "run1", folders / "run2")
    assert code == 0
    assert f"good ({folders / 'run2'})" in out
    line = (
        f"not comparable: conventions.stretch is True in {folders / 'run1'} and False in "
        f"{folders / 'run2'}\n"
    )
    assert err == f"warning: {line}"
    assert out.endswith(f"\n\n{line}")
    # A table that is kept in a file says it too.
    for form, place in (("markdown", -1), ("latex", 0)):
        out = call("show", folders / "run1", folders / "run2", "--format", form)[1]
        assert out.splitlines()[place] == ("% " if form == "latex" else "") + line.strip()


def test_of_runs_that_differ_no_value_is_best(folders, call):
    runs = [folders / name for name in ("run1", "run2", "run3")]
    call(*arguments_of(folders, "--strata", "size:2", "--out", runs[0]))
    call(*arguments_of(folders, "--strata", "size:2", "--out", runs[1], "--no-stretch"))
    call(*arguments_of(folders, "--strata", "size:2", "--out", runs[2]))
    marks = {"table": "*", "markdown": "**", "latex": "textbf"}
    for form, mark in marks.items():
        for one, other, marked in ((0, 1, False), (0, 2, True)):
            code, out, err = call("show", runs[one], runs[other], "--format", form)
            assert (code, mark in out, err == "") == (0, marked, marked)
            assert "0-2" in out


def test_csv_of_runs_that_differ_holds_the_contract_of_each(folders, call):
    runs = [folders / name for name in ("run1", "run2", "run3")]
    hashes = {}
    for run, more in zip(runs, ((), ("--no-stretch",), ()), strict=True):
        call(*arguments_of(folders, "--strata", "size:2", "--out", run, *more))
        hashes[str(run)] = json.loads((run / "summary.json").read_text())["contract"]["hash"]
    assert len(set(hashes.values())) == 2
    out = call("show", *runs[:2], "--format", "csv")[1]
    rows = list(csv.DictReader(io.StringIO(out)))
    # Two methods in two runs, each with its two strata, by two metrics.
    assert len(rows) == 2 * 2 * 3 * 2
    for row in rows:
        (run,) = [run for run in hashes if f"({run})" in row["method"]]
        assert row["contract"] == hashes[run]
    told = json.loads(call("show", *runs[:2], "--format", "json")[1])
    assert {run: one["contract"]["hash"] for run, one in told.items()} == {
        str(run): hashes[str(run)] for run in runs[:2]
    }
    alike = call("show", runs[0], runs[2], "--format", "csv")[1]
    assert "contract" not in alike.splitlines()[0]


def test_other_versions_alone_leave_the_marks(folders, call):
    for name in ("run1", "run2"):
        call(*arguments_of(folders, "--out", folders / name))
    path = folders / "run2" / "summary.json"
    summary = json.loads(path.read_text())
    summary["contract"]["versions"]["numpy"] = "0.1"
    path.write_text(json.dumps(summary))
    code, out, err = call("show", folders / "run1", folders / "run2", "--format", "markdown")
    assert (code, "**" in out) == (0, True)
    assert err.startswith("warning: other versions: versions.numpy is ")


def test_show_says_what_a_protocol_without_a_name_is(folders, call):
    text = "fixed(t=0.3) / whole / pixelwise / iou / raw"
    asked = arguments_of(folders, "--protocol", text, "--protocol", f"low={text}")
    call(*asked, "--out", folders / "run")
    err = call("show", folders / "run")[2]
    assert err == f"{Protocol.parse(text).name} is {text}\n"


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_a_terminal_is_told_once_of_runs_that_do_not_compare(folders, call, monkeypatch, form):
    runs = [folders / "run1", folders / "run2"]
    call(*arguments_of(folders, "--out", runs[0]))
    call(*arguments_of(folders, "--out", runs[1], "--no-stretch"))
    code, out, err = call("show", *runs, "--format", form)
    assert (out + err).count("not comparable") == 2
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    code, out, err = call("show", *runs, "--format", form)
    assert (code, out.count("not comparable"), err) == (0, 1, "")


def test_show_names_every_difference(folders, call):
    runs = [folders / "run1", folders / "run2"]
    call(*arguments_of(folders, "--out", runs[0]))
    call(*arguments_of(folders, "--out", runs[1], "--no-stretch", "--policy", "strict"))
    summary = (runs[1] / "summary.json").read_text()
    version = json.loads(summary)["contract"]["versions"]["numpy"]
    (runs[1] / "summary.json").write_text(
        summary.replace(f'"numpy": "{version}"', '"numpy": "1.0"'), encoding="utf-8"
    )
    lines = call("show", *runs)[2].splitlines()
    assert lines == [
        f"warning: not comparable: conventions.policy is 'published' in {runs[0]} and 'strict' in "
        f"{runs[1]}",
        f"warning: not comparable: conventions.stretch is True in {runs[0]} and False in {runs[1]}",
        f"warning: other versions: versions.numpy is '{version}' in {runs[0]} and '1.0' in "
        f"{runs[1]}",
    ]


def test_show_of_runs_with_other_metrics(folders, call):
    call(*arguments_of(folders, "--out", folders / "run1"))
    call(*arguments_of(folders, "--out", folders / "run2", "--metrics", "mae"))
    code, out, err = call("show", folders / "run1", folders / "run2")
    assert (code, out) == (2, "")
    assert one_error(err) == (
        f"error: the runs have other metrics and do not fit into one table: f_beta.bin in "
        f"{folders / 'run1'} has no counterpart"
    )


def test_show_of_runs_with_the_same_metrics_in_another_order(folders, call):
    call(*arguments_of(folders, "--out", folders / "run1", "--metrics", "mae,iou.bin"))
    call(*arguments_of(folders, "--out", folders / "run2", "--metrics", "iou.bin,mae"))
    code, out, err = call("show", folders / "run1", folders / "run2", "--format", "markdown")
    assert (code, err) == (0, "")
    assert out.splitlines()[0].split("|")[2:4] == ["     mae ↓ ", " iou.bin ↑ "]


def test_show_of_what_is_no_finished_run(folders, call):
    code, _, err = call("show", folders)
    assert code == 2
    assert one_error(err).endswith("not a run directory, it has no summary.json")
    call(*arguments_of(folders, "--out", folders / "run"))
    (folders / "run" / "summary.json").write_text("{}")
    assert "not the summary of a run" in call("show", folders / "run")[2]
    (folders / "run" / "summary.json").unlink()
    assert "the run is not finished" in call("show", folders / "run")[2]
    (folders / "run" / "summary.json").mkdir()
    assert "cannot be read" in call("show", folders / "run")[2]
