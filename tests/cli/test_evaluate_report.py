"""`fastsegmetrics evaluate`: what standard error says, and that it does not speak Python."""

from __future__ import annotations

import re

import pytest

from fastsegmetrics import use_backend
from fastsegmetrics.bulk.console import RunReport, as_options
from fastsegmetrics.warmup import on_compiling
from tests.cli.commands import arguments_of, one_error, write, write_photographs


def test_missing_and_extra_names_are_all_listed_first(folders, call):
    (folders / "poor" / "a.png").unlink()
    (folders / "poor" / "c.png").unlink()
    write(folders / "good" / "z.png", [[0]])
    code, out, err = call(*arguments_of(folders))
    assert (code, out) == (2, "")
    assert "missing in poor (2):\n  a, c\n" in err
    assert "without ground truth in good, ignored (1):\n  z\n" in err
    assert one_error(err) == (
        "error: 2 predictions are missing (poor: a and 1 more); --missing skip leaves them out, "
        "--missing zero scores an all-zero map"
    )


def test_files_of_formats_that_are_not_read_are_told_of(folders, call):
    """A truth among them would be missing from the data set without a word."""
    for folder, names in (("gt", ["d.webp"]), ("good", ["d.webp", "e.gif", "b.txt"])):
        for name in names:
            (folders / folder / name).write_bytes(b"")
    code, _, err = call(*arguments_of(folders))
    assert code == 0
    assert "ground truth  3 maps (ignored: 1 other file, d.webp)\n" in err
    assert "good          3 predictions (ignored: 3 other files, the first b.txt)\n" in err


def test_progress_in_a_log_is_lines(folders, call, monkeypatch):
    monkeypatch.setattr("fastsegmetrics.bulk.progress._LINE_EVERY", 0.0)
    code, _, err = call(*arguments_of(folders, "--progress"))
    assert code == 0
    lines = [line for line in err.splitlines() if " samples, " in line]
    assert [line.partition(",")[0] for line in lines] == [f"{i} of 3 samples" for i in (1, 2, 3)]
    assert all(re.search(r"\d/s, \d:\d\d:\d\d left$", line) for line in lines)


def test_quiet_says_nothing(folders, call):
    code, out, err = call(*arguments_of(folders, "--quiet"))
    assert code == 0
    assert out
    assert err == ""


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
        ("workers must be an integer", "--workers must be an integer"),
        ("a/b.nii: spacing must be None", "a/b.nii: --spacing must be None"),
        (
            "label must say which label of the volumes",
            "--label must say which label of the volumes",
        ),
        ("the label must be known", "the label must be known"),
        ("(surfaces=False leaves them out)", "(--no-surfaces leaves them out)"),
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
    code, _, err = call(*arguments_of(folders))
    assert code == 2
    assert (
        "hint for poor: did you mean --pred-suffix _p (2 of 2 missing names would match)?\n" in err
    )
    write(folders / "gt" / "a.png", [[0, 1]])
    code, _, err = call(*arguments_of(folders, "--missing", "skip", "--on-error", "skip"))
    assert code == 1
    assert "pass --gt-threshold 0 if it holds 0 and 1" in err
    assert not re.search(r"(missing|suffix|threshold)=", err)


def test_what_was_left_out_is_counted(folders, call):
    (folders / "poor" / "a.png").unlink()
    (folders / "good" / "b.png").write_bytes(b"")
    _, _, err = call(*arguments_of(folders, "--missing", "skip", "--on-error", "skip"))
    assert re.search(r"^3 samples × 2 methods \(2 pairs left out\) in \d", err, re.MULTILINE)
    code, _, err = call(*arguments_of(folders, "--missing", "zero", "--on-error", "skip"))
    assert code == 1
    assert "3 samples × 2 methods (1 pair left out) in " in err


def test_a_directory_in_place_of_a_prediction(folders, call):
    (folders / "poor" / "a.png").unlink()
    (folders / "poor" / "a.png").mkdir()
    code, _, err = call(*arguments_of(folders))
    assert code == 2
    assert f"missing in poor (1):\n  a\n  {folders / 'poor' / 'a.png'} is a directory" in err
    assert f"(poor: a; {folders / 'poor' / 'a.png'} is a directory); " in one_error(err)


def test_kernels_that_are_compiled_are_announced(folders, call, monkeypatch, capsys):
    """The first one that no cache holds, once; what the hook hears is in test_embedding."""
    listening = []
    monkeypatch.setattr("fastsegmetrics.kernels._jit.on_compiling", listening.append)
    monkeypatch.setattr("fastsegmetrics.warmup._cache_directory", lambda: "/kept")
    report = RunReport(on_compiling=on_compiling)
    report.started(3, 0)
    (announce,) = listening
    announce()
    report.ended()
    assert listening[1:] == [None]
    line = "compiling kernels, once, which takes a while; kept in /kept\n"
    assert capsys.readouterr().err == line
    listening.clear()
    assert call(*arguments_of(folders, "--quiet"))[0] == 0
    assert listening == [None]
    with use_backend("reference"):
        on_compiling(print)
    assert listening == [None]


def test_missing_photographs_are_listed_first(folders, call):
    write_photographs(folders, "b")
    code, out, err = call(*arguments_of(folders, "--metrics", "photo", "--image", folders / "rgb"))
    assert (code, out) == (2, "")
    assert "without photograph (2):\n  a, c\n" in err
    assert one_error(err) == (f"error: {folders / 'rgb'}: 2 photographs are missing (a and 1 more)")
