"""The command line: exit codes, one-line messages, what goes where, every printed form."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from fastsegmetrics import __version__, cli, use_backend
from fastsegmetrics.bulk.console import as_options
from fastsegmetrics.catalog import METRICS, SUITES
from fastsegmetrics.io import read_mask
from fastsegmetrics.io.png_writer import png_bytes
from fastsegmetrics.warmup import compiling

_ROOT = Path(__file__).resolve().parents[1]


def _write(path, values):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(png_bytes(np.asarray(values).astype(np.uint8)))


@pytest.fixture
def folders(tmp_path):
    """Three samples, two methods; `good` has mae 0, .1, 0, `poor` 1, .5, .25."""
    for name, truth, good, poor in (
        ("a", [[0, 255]], [[0, 255]], [[255, 0]]),
        ("b", [[0, 255, 255, 0]], [[51, 255, 204, 0]], [[255, 255, 255, 255]]),
        ("c", [[0, 0], [0, 255]], [[0, 0], [0, 255]], [[0, 255], [0, 255]]),
    ):
        _write(tmp_path / "gt" / f"{name}.png", truth)
        _write(tmp_path / "good" / f"{name}.png", good)
        _write(tmp_path / "poor" / f"{name}.png", poor)
    return tmp_path


def _arguments(folders, *more):
    return ["evaluate", "--gt", str(folders / "gt"), "--pred", f"good={folders / 'good'}",
            "--pred", f"poor={folders / 'poor'}", "--metrics", "mae,f_beta.bin", *more]  # fmt: skip


@pytest.fixture
def call(capsys):
    def run(*arguments):
        code = cli.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def _one_error(err):
    """The only line on standard error that is an error, which must be the last."""
    lines = err.splitlines()
    assert [line.startswith("error: ") for line in lines] == [False] * (len(lines) - 1) + [True]
    return lines[-1]


def test_the_table_alone_goes_to_standard_output(folders, call):
    code, out, err = call(*_arguments(folders))
    assert code == 0
    assert out.splitlines() == [
        "───────────────────────",
        "Method    mae   f_beta",
        "            ↓   .bin ↑",
        "───────────────────────",
        "good    0.033*   1.000*",
        "poor    0.583    0.377",
        "───────────────────────",
        "* best",
    ]
    assert "3 maps" in err
    assert "3 samples × 2 methods" in err


def test_the_table_on_a_terminal(folders, call, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "15")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    _, out, _ = call(*_arguments(folders))
    assert "\x1b[1m0.033\x1b[0m" in out
    assert "*" not in out
    assert out.count("Method") == 2
    monkeypatch.setenv("NO_COLOR", "1")
    _, out, _ = call(*_arguments(folders))
    assert "\x1b" not in out
    assert "0.033*" in out


def test_json(folders, call):
    code, out, _ = call(*_arguments(folders, "--format", "json"))
    assert code == 0
    parsed = json.loads(out)
    assert parsed["methods"]["good"]["metrics"]["mae"]["value"] == pytest.approx(0.1 / 3)
    assert parsed["methods"]["poor"]["metrics"]["mae"]["n_used"] == 3


def test_csv(folders, call):
    _, out, _ = call(*_arguments(folders, "--format", "csv"))
    rows = {(row["method"], row["metric"]): row for row in csv.DictReader(io.StringIO(out))}
    assert float(rows["poor", "mae"]["value"]) == pytest.approx(1.75 / 3)
    assert rows["good", "f_beta.bin"]["direction"] == "higher"


def test_markdown(folders, call):
    _, out, _ = call(*_arguments(folders, "--format", "markdown", "--digits", "2"))
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in out.splitlines()]
    assert cells[0] == ["Method", "mae ↓", "f_beta.bin ↑"]
    assert cells[2] == ["good", "**0.03**", "**1.00**"]
    assert cells[3][:2] == ["poor", "0.58"]


def test_latex(folders, call):
    _, out, _ = call(*_arguments(folders, "--format", "latex"))
    assert re.search(r"good +& \\textbf\{0\.033\} +& \\textbf\{1\.000\} \\\\", out)
    assert out.count("\\") > 10


def test_show_prints_the_same_in_every_form(folders, call):
    for form in ("table", "markdown", "latex", "csv", "json"):
        _, printed, _ = call(*_arguments(folders, "--out", folders / "run", "--format", form))
        code, shown, err = call("show", folders / "run", "--format", form)
        assert (code, shown, err) == (0, printed, "")


def test_show_of_several_runs_says_where_they_differ(folders, call):
    call(*_arguments(folders, "--out", folders / "run1"))
    call(*_arguments(folders, "--out", folders / "run2", "--no-stretch"))
    code, out, err = call("show", folders / "run1", folders / "run2")
    assert code == 0
    assert f"good ({folders / 'run2'})" in out
    assert err == (
        f"warning: not comparable: conventions.stretch is True in {folders / 'run1'} and False in "
        f"{folders / 'run2'}\n"
    )


def test_show_of_runs_with_other_metrics(folders, call):
    call(*_arguments(folders, "--out", folders / "run1"))
    call(*_arguments(folders, "--out", folders / "run2", "--metrics", "mae"))
    code, out, err = call("show", folders / "run1", folders / "run2")
    assert (code, out) == (2, "")
    assert _one_error(err) == "error: the runs have other metrics and do not fit into one table"


def test_show_of_what_is_no_finished_run(folders, call):
    code, _, err = call("show", folders)
    assert code == 2
    assert _one_error(err).endswith("not a run directory, it has no summary.json")
    call(*_arguments(folders, "--out", folders / "run"))
    (folders / "run" / "summary.json").write_text("{}")
    assert "not the summary of a run" in call("show", folders / "run")[2]
    (folders / "run" / "summary.json").unlink()
    assert "the run is not finished" in call("show", folders / "run")[2]
    (folders / "run" / "summary.json").mkdir()
    assert "cannot be read" in call("show", folders / "run")[2]


def test_missing_and_extra_names_are_all_listed_first(folders, call):
    (folders / "poor" / "a.png").unlink()
    (folders / "poor" / "c.png").unlink()
    _write(folders / "good" / "z.png", [[0]])
    code, out, err = call(*_arguments(folders))
    assert (code, out) == (2, "")
    assert "missing in poor (2):\n  a, c\n" in err
    assert "without ground truth in good, ignored (1):\n  z\n" in err
    assert _one_error(err) == (
        "error: 2 predictions are missing (poor: a and 1 more); --missing skip leaves them out, "
        "--missing zero scores an all-zero map"
    )


def test_missing_predictions_skipped(folders, call):
    (folders / "poor" / "a.png").unlink()
    code, out, _ = call(*_arguments(folders, "--missing", "skip", "--format", "markdown"))
    assert code == 1
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in out.splitlines()]
    assert cells[0][:2] == ["Method", "n"]
    assert cells[2][:2] == ["good", "3/3"]
    assert cells[3][:3] == ["poor", "2/3", "0.375"]


def test_missing_predictions_scored_as_zero_maps(folders, call):
    (folders / "poor" / "a.png").unlink()
    code, out, _ = call(*_arguments(folders, "--missing", "zero", "--format", "csv"))
    assert code == 0
    rows = {(row["method"], row["metric"]): row for row in csv.DictReader(io.StringIO(out))}
    assert float(rows["poor", "mae"]["value"]) == pytest.approx(1.25 / 3)


def test_a_corrupt_file(folders, call):
    path = folders / "poor" / "b.png"
    path.write_bytes(path.read_bytes()[:-9])
    code, out, err = call(*_arguments(folders))
    assert (code, out) == (2, "")
    assert _one_error(err).startswith(f"error: {path}: ")
    code, out, err = call(*_arguments(folders, "--on-error", "skip", "--quiet"))
    assert code == 1
    assert "2/3" in out
    lines = err.splitlines()
    assert lines[0] == "skipped (1):"
    assert lines[1].startswith(f"  poor, b: {path}: ")
    assert len(lines) == 2


def test_resizing(folders, call):
    _write(folders / "poor" / "a.png", [[0], [255]])
    code, _, err = call(*_arguments(folders))
    assert code == 2
    assert "2×1 (height×width) where the ground truth" in _one_error(err)
    assert "transposed?" in err
    code, _, err = call(*_arguments(folders, "--resize", "bilinear"))
    assert code == 0
    assert "\npoor: 1 prediction resized to the truth's size\n" in err


def test_progress_in_a_log_is_lines(folders, call, monkeypatch):
    monkeypatch.setattr("fastsegmetrics.bulk.progress._LINE_EVERY", 0.0)
    code, _, err = call(*_arguments(folders, "--progress"))
    assert code == 0
    lines = [line for line in err.splitlines() if " samples, " in line]
    assert [line.partition(",")[0] for line in lines] == [f"{i} of 3 samples" for i in (1, 2, 3)]
    assert all(re.search(r"\d/s, \d:\d\d:\d\d left$", line) for line in lines)


def test_quiet_says_nothing(folders, call):
    code, out, err = call(*_arguments(folders, "--quiet"))
    assert code == 0
    assert out
    assert err == ""


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--metrics", "f_bta.max"], "unknown metric 'f_bta.max'; did you mean f_beta.max"),
        (["--pred", "third"], "'third' is not of the form NAME=DIR"),
        (["--pred", "=x"], "'=x' is not of the form NAME=DIR"),
        (["--pred", "good=elsewhere"], "the name 'good' is given twice"),
        (["--pred", "third=nowhere"], "nowhere: there is no such folder"),
        (["--workers", "0"], "workers must be an integer of at least 1; received 0"),
        (["--workers", "many"], "'many' is not a valid integer"),
        (["--missing", "maybe"], "'maybe' is not one of 'error', 'skip', 'zero'"),
        (["--alpha", "2"], "alpha must be a finite number in [0, 1]; received 2.0"),
        (["--beta2", "nan"], "beta2 must be a finite number"),
        (["--polizy", "strict"], "No such option"),
        (["--metrics", "mae,,sod"], "a name is empty in 'mae,,sod'"),
        (["--metrics", ""], "a name is empty in ''"),
        (
            ["--metrics", "c_beta_w"],
            "c_beta_w looks at the photographs: name their folder, --image DIR",
        ),
    ],
)
def test_bad_input_is_one_line_and_code_2(folders, call, more, message):
    code, out, err = call(*_arguments(folders, *more))
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert message in _one_error(err)


def test_conventions_reach_the_numbers(folders, call):
    def contract(*more):
        _, out, _ = call(*_arguments(folders, "--format", "json", *more))
        return json.loads(out)["contract"]["conventions"]

    assert contract() == {
        "policy": "published", "both_empty": "perfect", "stretch": True, "pred_scale": None,
        "gt_threshold": None, "clip": False, "beta2": 0.3, "weighted_beta2": 1.0, "alpha": 0.5,
        "e_denominator": "N-1", "bins": 10,
        "resize": "error", "missing": "error",
    }  # fmt: skip
    assert contract(
        "--policy", "strict", "--both-empty", "undefined", "--no-stretch", "--pred-scale", "255",
        "--gt-threshold", "10", "--clip", "--beta2", "1", "--weighted-beta2", "2",
        "--alpha", "0.25", "--e-denominator", "N", "--bins", "4",
        "--resize", "bilinear", "--missing", "zero",
    ) == {
        "policy": "strict", "both_empty": "undefined", "stretch": False, "pred_scale": 255,
        "gt_threshold": 10.0, "clip": True, "beta2": 1.0, "weighted_beta2": 2.0, "alpha": 0.25,
        "e_denominator": "N", "bins": 4,
        "resize": "bilinear", "missing": "zero",
    }  # fmt: skip


def test_a_run_under_another_contract_is_refused(folders, call):
    call(*_arguments(folders, "--out", folders / "run"))
    code, _, err = call(*_arguments(folders, "--out", folders / "run", "--no-stretch"))
    assert code == 2
    assert "holds a run with conventions.stretch = True, now it is False" in _one_error(err)


def test_a_finished_run_only_prints(folders, call):
    _, first, _ = call(*_arguments(folders, "--out", folders / "run"))
    code, again, err = call(*_arguments(folders, "--out", folders / "run"))
    assert (code, again) == (0, first)
    assert "all 3 samples are in the store already" in err


def test_interrupting_says_how_to_continue(folders, call, monkeypatch):
    def interrupt(self, done, skipped):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("fastsegmetrics.bulk.console.RunReport.advanced", interrupt)
        code, out, err = call(*_arguments(folders, "--out", folders / "run"))
        assert (code, out) == (130, "")
        assert err.splitlines()[-1] == (
            f"interrupted after 1 of 3 samples, all kept in {folders / 'run'}; the same command "
            f"continues from there"
        )
        code, _, err = call(*_arguments(folders))
        assert code == 130
        assert err.splitlines()[-1].endswith("nothing is kept without --out RUN_DIR")
    code, _, err = call(*_arguments(folders, "--out", folders / "run"))
    assert code == 0
    assert "continuing: 1 of 3 samples are in the store" in err


def test_interrupted_elsewhere(call, monkeypatch):
    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("fastsegmetrics.catalog.resolve", interrupt)
    assert call("metrics", "mae") == (130, "", "\ninterrupted\n")


def test_metrics_overview_lists_every_score_and_report(call):
    code, out, err = call("metrics")
    assert (code, err) == (0, "")
    for metric in METRICS.values():
        assert re.search(rf"^{re.escape(metric.score.name)} ", out, re.MULTILINE)
        if metric.report.name:
            assert f"  .{metric.report.name} " in out
    assert "suite sod: mae, s_measure" in out
    assert re.search(r"^suite sweep: mae, s_measure, .* e_measure, f_beta, f1,", out, re.MULTILINE)


def test_metrics_in_full(call):
    code, out, _ = call("metrics", "f_beta.max", "mae")
    assert code == 0
    assert out.startswith("f_beta.max: F-measure\n")
    for label in ("representation", "target", "matching", "score", "report", "better", "range",
                  "empty case", "source"):  # fmt: skip
        assert out.count(f"\n  {label} ") == 2
    assert call("metrics", "nonsense")[0] == 2


def test_metrics_as_data(call):
    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    parsed = json.loads(call("metrics", "--format", "json")[1], parse_constant=refuse)
    assert {row["name"]: row["range"] for row in parsed}["hce"] == [0.0, "inf"]
    assert {row["name"]: row["range"] for row in parsed}["kappa.bin"] == ["-inf", 1.0]
    assert [row["name"] for row in parsed] == list(METRICS)
    assert set(parsed[0]["path"]) == {"representation", "target", "matching", "score", "report"}
    assert parsed[0]["range"] == [0.0, 1.0]
    lines = call("metrics", "--format", "markdown")[1].splitlines()
    assert len(lines) == len(METRICS) + 2
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {11}


def test_warmup_says_how_long_and_where(call):
    code, out, _ = call("warmup")
    assert code == 0
    assert re.fullmatch(r"kernels ready in \d+\.\d s; .+\n", out)


def test_demo(tmp_path, call):
    code, out, err = call("demo", "--out", tmp_path / "demo", "--n", 3)
    assert code == 0
    rows = {line.split()[0]: line for line in out.splitlines() if line[:5] in ("caref", "hasty")}
    assert rows["careful"].count("*") == len(SUITES["sod"])
    assert rows["hasty"].count("*") == 0
    command = next(line for line in err.splitlines() if line.startswith("$ "))
    assert call(*command.split()[2:])[1] == out
    run = tmp_path / "demo" / "run_3"
    pytest.importorskip("matplotlib")
    for stem in ("pr", "roc", "f_beta"):
        assert (run / f"{stem}.png").read_bytes().startswith(b"\x89PNG")


def test_demo_without_matplotlib_says_which_extra(tmp_path, call, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    code, out, err = call("demo", "--out", tmp_path / "demo", "--n", 2)
    assert code == 0
    assert out
    assert "no curves drawn: drawing curves needs matplotlib" in err
    assert "fastsegmetrics[plot]" in err


def test_curves_of_ones_own_run_are_drawn(folders, call):
    pytest.importorskip("matplotlib")
    run = folders / "run"
    for _ in range(2):
        code, out, err = call(*_arguments(folders, "--plots", "--out", run))
        assert code == 0
        assert "good    0.033*   1.000*" in out
        assert err.splitlines()[-1] == f"curves: pr.png, roc.png, f_beta.png in {run}"
    for stem in ("pr", "roc", "f_beta"):
        assert (run / f"{stem}.png").read_bytes().startswith(b"\x89PNG")
    contract = json.loads((run / "contract.json").read_text())
    assert {"fpr.curve", "f_beta.curve", "f_beta.bin"} <= set(contract["metrics"])


def test_drawing_needs_a_place_and_matplotlib_before_anything_else(folders, call, monkeypatch):
    code, out, err = call(*_arguments(folders, "--plots"))
    assert (code, out) == (2, "")
    assert _one_error(err) == (
        "error: --plots draws into the run directory: name it, --out RUN_DIR"
    )
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    code, out, err = call(*_arguments(folders, "--plots", "--out", folders / "run"))
    assert (code, out) == (2, "")
    assert "drawing curves needs matplotlib" in _one_error(err)
    assert not (folders / "run").exists()


def test_an_interrupt_inside_a_kernel(call, monkeypatch):
    def fail(_):
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    monkeypatch.setattr("fastsegmetrics.catalog.resolve", fail)
    assert call("metrics", "mae") == (130, "", "interrupted\n")


def test_help_and_version(call):
    assert call()[1].startswith("Usage: fastsegmetrics")
    assert "evaluate" in call("--help")[1]
    assert call("--version")[1] == f"fastsegmetrics, version {__version__}\n"
    for command in ("evaluate", "show", "demo", "metrics", "warmup"):
        code, out, _ = call(command, "--help")
        assert code == 0
        assert f"fastsegmetrics {command}" in out
    assert call("evaluat")[0] == 2


def _environment(**changes):
    paths = os.pathsep.join([str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": paths, **changes}
    return {name: value for name, value in environment.items() if value is not None}


@pytest.mark.parametrize("arguments", [["--help"], ["evaluate", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments):
    script = (
        "import sys\n"
        "from fastsegmetrics.cli import main\n"
        f"main({arguments!r})\n"
        "heavy = {'numba', 'cv2', 'scipy', 'matplotlib', 'numpy', 'rich', 'pandas', 'sqlite3'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          check=True, env=_environment())  # fmt: skip
    assert done.stdout.splitlines()[-1] == "[]"
    assert done.stderr == ""


def test_a_home_that_does_not_exist_and_a_plain_ascii_terminal(folders):
    done = subprocess.run(
        [sys.executable, "-m", "fastsegmetrics", *_arguments(folders)],
        capture_output=True,
        check=True,
        env=_environment(HOME="/nonexistent", XDG_CACHE_HOME=None, PYTHONIOENCODING="ascii"),
    )
    assert b"good    0.033*" in done.stdout
    assert b"3 samples ? 2 methods" in done.stderr


def test_a_reader_that_has_seen_enough(folders):
    command = [sys.executable, "-m", "fastsegmetrics", "metrics", "--format", "json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=_environment())  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


def test_ctrl_c_in_a_real_process(tmp_path):
    side = 600
    noise = np.random.RandomState(0).randint(0, 256, (side, side)).astype(np.uint8)
    data = png_bytes(noise)
    mask = png_bytes((noise > 128).astype(np.uint8) * 255)
    for i in range(400):
        for folder, content in (("gt", mask), ("m", data)):
            (tmp_path / folder).mkdir(exist_ok=True)
            path = tmp_path / folder / f"{i:03d}.png"
            if i == 0:
                path.write_bytes(content)
            else:
                os.link(tmp_path / folder / "000.png", path)
    command = [sys.executable, "-m", "fastsegmetrics", "evaluate", "--gt", str(tmp_path / "gt"),
               "--pred", f"m={tmp_path / 'm'}", "--out", str(tmp_path / "run"),
               "--workers", "2"]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=_environment())  # fmt: skip
    store = tmp_path / "run" / "run.sqlite"
    for _ in range(600):
        if store.exists() and store.stat().st_size > 100_000:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, ""), err
    last = err.splitlines()[-1]
    assert re.match(r"interrupted after \d+ of 400 samples, all kept in ", last)
    assert "Traceback" not in err


def test_what_the_system_refuses_is_one_line_and_code_2(tmp_path, call):
    (tmp_path / "file").write_text("x")
    code, out, err = call("demo", "--out", tmp_path / "file" / "demo", "--n", 1)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert _one_error(err).startswith(f"error: {tmp_path / 'file'}")
    assert _one_error(err).endswith(": Not a directory")


def test_a_fault_of_the_program_has_a_code_of_its_own(call, monkeypatch):
    def fail(_):
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr("fastsegmetrics.catalog.resolve", fail)
    code, out, err = call("metrics", "mae")
    assert (code, out) == (70, "")
    assert "ZeroDivisionError: by nothing" in err
    assert _one_error(err).startswith("error: this is a fault of fastsegmetrics")


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("missing='skip' leaves it out", "--missing skip leaves it out"),
        ("did you mean pred_suffix='_p q'?", "did you mean --pred-suffix '_p q'?"),
        ('did you mean gt_prefix="it\'s"', "did you mean --gt-prefix 'it'\"'\"'s'"),
        ("pass gt_threshold=0 if", "pass --gt-threshold 0 if"),
        ("(clip=True), stretch=False", "(--clip), --no-stretch"),
        ("e_denominator='N-1'.", "e_denominator='N-1'."),
        ("runs/alpha=0.5/a.png: empty", "runs/alpha=0.5/a.png: empty"),
        ("alpha=0.5/a.png: empty", "alpha=0.5/a.png: empty"),
        ("alpha=0.5: there is no such folder", "alpha=0.5: there is no such folder"),
        ("backend='x' and epochs=3 stay", "backend='x' and epochs=3 stay"),
        (
            "both_empty='undefined' needs policy='strict'; received policy='published'",
            "--both-empty undefined needs --policy strict; received --policy published",
        ),
        ("in 0..255 (pred_scale; clip=True clips it)", "in 0..255 (--pred-scale; --clip clips it)"),
        ("pass pred_scale=1 if", "pass --pred-scale 1 if"),
        ("gt_threshold must be finite", "--gt-threshold must be finite"),
        ("or gt_threshold must say", "or --gt-threshold must say"),
        ("runs/gt_threshold/a.png: alpha is", "runs/gt_threshold/a.png: alpha is"),
        ("sample 'gt_threshold' is", "sample 'gt_threshold' is"),
    ],
)
def test_arguments_become_options(sentence, shown):
    assert as_options(sentence) == shown


def test_no_message_of_a_command_speaks_python(folders, call):
    for i in (1, 2):
        (folders / "poor" / f"{'abc'[i]}.png").rename(folders / "poor" / f"{'abc'[i]}_p.png")
    code, _, err = call(*_arguments(folders))
    assert code == 2
    assert (
        "hint for poor: did you mean --pred-suffix _p (2 of 2 missing names would match)?\n" in err
    )
    _write(folders / "gt" / "a.png", [[0, 1]])
    code, _, err = call(*_arguments(folders, "--missing", "skip", "--on-error", "skip"))
    assert code == 1
    assert "pass --gt-threshold 0 if it holds 0 and 1" in err
    assert not re.search(r"(missing|suffix|threshold)=", err)


def test_what_was_left_out_is_counted(folders, call):
    (folders / "poor" / "a.png").unlink()
    (folders / "good" / "b.png").write_bytes(b"")
    _, _, err = call(*_arguments(folders, "--missing", "skip", "--on-error", "skip"))
    assert re.search(r"^3 samples × 2 methods \(2 pairs left out\) in \d", err, re.MULTILINE)
    code, _, err = call(*_arguments(folders, "--missing", "zero", "--on-error", "skip"))
    assert code == 1
    assert "3 samples × 2 methods (1 pair left out) in " in err


def test_a_directory_in_place_of_a_prediction(folders, call):
    (folders / "poor" / "a.png").unlink()
    (folders / "poor" / "a.png").mkdir()
    code, _, err = call(*_arguments(folders))
    assert code == 2
    assert f"missing in poor (1):\n  a\n  {folders / 'poor' / 'a.png'} is a directory" in err
    assert f"(poor: a; {folders / 'poor' / 'a.png'} is a directory); " in _one_error(err)


def test_curves_alone_need_a_place(folders, call):
    code, out, err = call(*_arguments(folders, "--metrics", "pr_curve"))
    assert (code, out) == (2, "")
    assert _one_error(err) == (
        "error: --metrics pr_curve asks for curves alone, which are no numbers of a table: "
        "--out RUN_DIR keeps them in curves.csv"
    )
    run = folders / "run"
    code, _, err = call(*_arguments(folders, "--metrics", "pr_curve", "--out", run))
    assert code == 0
    assert f"curves (precision.curve, recall.curve) are in {run / 'curves.csv'}\n" in err
    with open(run / "curves.csv", newline="") as file:
        row = next(csv.DictReader(file))
    assert (row["recall.curve"], row["recall.curve:n_used"]) == ("1.0", "3")
    code, _, err = call(*_arguments(folders, "--metrics", "mae,recall.pooled_curve"))
    assert code == 0
    assert "curves (recall.pooled_curve) are kept with --out RUN_DIR alone\n" in err


def test_kernels_that_are_not_compiled_yet_are_announced(folders, call, tmp_path, monkeypatch):
    from fastsegmetrics.kernels import levels

    if not hasattr(levels.level_table, "py_func"):
        assert compiling() is None
        return
    empty = tmp_path / "cache"
    empty.mkdir()
    monkeypatch.setattr("fastsegmetrics.warmup._cache_directory", lambda: str(empty))
    line = f"compiling the kernels, once, which takes a while; kept in {empty}\n"
    assert line in call(*_arguments(folders))[2]
    assert line not in call(*_arguments(folders, "--quiet"))[2]
    with use_backend("reference"):
        assert compiling() is None
    monkeypatch.setattr("fastsegmetrics.warmup._cache_directory", lambda: None)
    assert compiling() == "no folder can be written, so every process compiles its own"
    monkeypatch.setattr("fastsegmetrics.warmup._cache_directory", lambda: str(empty))
    (empty / "levels.level_table-1.py311.nbi").write_bytes(b"")
    assert compiling() is None
    assert line not in call(*_arguments(folders))[2]


def _photographs(folders, *names):
    random = np.random.RandomState(1)
    for name in names:
        shape = read_mask(folders / "gt" / f"{name}.png").shape
        np.save(folders / f"{name}.npy", random.randint(0, 256, (*shape, 3)).astype(np.uint8))
        (folders / "rgb").mkdir(exist_ok=True)
        (folders / f"{name}.npy").rename(folders / "rgb" / f"{name}.npy")


def test_photographs(folders, call):
    _photographs(folders, "a", "b", "c")
    more = ["--metrics", "photo,mae", "--image", folders / "rgb"]
    code, out, err = call(*_arguments(folders, *more, "--format", "json"))
    assert code == 0
    assert "photographs   3 images\n" in err
    values = json.loads(out)["methods"]["poor"]["metrics"]
    assert values["c_beta_w"]["n_used"] + values["c_beta_w"]["n_undefined"] == 3
    assert values["mae"]["value"] == pytest.approx(1.75 / 3)


def test_missing_photographs_are_listed_first(folders, call):
    _photographs(folders, "b")
    code, out, err = call(*_arguments(folders, "--metrics", "photo", "--image", folders / "rgb"))
    assert (code, out) == (2, "")
    assert "without photograph (2):\n  a, c\n" in err
    assert _one_error(err) == (
        f"error: {folders / 'rgb'}: 2 photographs are missing (a and 1 more)"
    )


def test_the_installed_program_runs():
    program = Path(sys.executable).with_name("fastsegmetrics")
    if not program.exists():
        pytest.skip("fastsegmetrics is not installed here")
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"fastsegmetrics, version {__version__}\n"
    assert subprocess.run([program, "evaluat"], capture_output=True).returncode == 2
