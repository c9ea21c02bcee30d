"""A run directory takes no other file's place and is not among the files that a run reads."""

from __future__ import annotations

import numpy as np
import pytest

from fastsegmetrics import cli
from fastsegmetrics.bulk.run import evaluate_folders
from fastsegmetrics.bulk.run_directory import run_directory
from fastsegmetrics.errors import InputError
from fastsegmetrics.io.png_writer import png_bytes


@pytest.fixture
def folders(tmp_path):
    for folder in ("gt", "maps"):
        (tmp_path / folder).mkdir()
        data = png_bytes(np.array([[0, 255, 255]], np.uint8))
        (tmp_path / folder / "a.png").write_bytes(data)
    return tmp_path


def _call(folders, out):
    return cli.main(["evaluate", "--gt", str(folders / "gt"), "--pred", f"m={folders / 'maps'}",
                     "--metrics", "mae", "--out", str(out)])  # fmt: skip


@pytest.mark.parametrize(
    "name", ["summary.json", "contract.json", "evaluation.json", "per_image.csv", "curves.csv"]
)
def test_files_of_something_else_stay(folders, capsys, name):
    other = folders / "other"
    other.mkdir()
    (other / name).write_text("precious")
    (other / "notes.txt").write_text("x")
    assert _call(folders, other) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        f"error: {other}: holds {name} but no run.sqlite, so a run here would replace a file of "
        f"something else; take another run directory\n"
    )
    assert (other / name).read_text() == "precious"
    assert sorted(path.name for path in other.iterdir()) == sorted([name, "notes.txt"])


def test_a_folder_with_other_files_and_a_run_of_before_are_taken(folders):
    other = folders / "other"
    other.mkdir()
    (other / "notes.txt").write_text("x")
    for _ in range(2):
        assert _call(folders, other) == 0
    assert (other / "notes.txt").read_text() == "x"


def test_a_run_directory_without_a_name(folders, capsys, monkeypatch):
    monkeypatch.chdir(folders)
    before = sorted(folders.rglob("*"))
    assert _call(folders, "") == 2
    assert capsys.readouterr().err == "error: Invalid value for '--out': a folder must be named\n"
    assert cli.main(["demo", "--out", "", "--n", "1"]) == 2
    with pytest.raises(InputError, match=r"^the run directory must have a name; received ''$"):
        evaluate_folders("gt", {"m": "maps"}, out="")
    assert sorted(folders.rglob("*")) == before


@pytest.mark.parametrize(
    ("out", "relation", "content", "folder"),
    [
        ("gt", "is", "the ground truths", "gt"),
        ("gt/run", "lies in", "the ground truths", "gt"),
        ("maps", "is", "the predictions of 'm'", "maps"),
        ("gt/../maps/deep/run", "lies in", "the predictions of 'm'", "maps"),
        ("linked/run", "lies in", "the predictions of 'm'", "maps"),
    ],
)
def test_a_run_directory_among_the_files_read(folders, monkeypatch, out, relation, content, folder):
    monkeypatch.chdir(folders)
    (folders / "linked").symlink_to(folders / "maps", target_is_directory=True)
    before = sorted(folders.rglob("*"))
    with pytest.raises(InputError) as caught:
        evaluate_folders("gt", {"m": "maps"}, metrics="mae", out=out)
    assert str(caught.value) == (
        f"{out}: a run directory must not be among the files read, and this {relation} the folder "
        f"of {content}, {folder}"
    )
    assert sorted(folders.rglob("*")) == before


def test_the_photographs_are_files_read_too(folders):
    read = {"the ground truths": folders / "gt", "the photographs": folders / "rgb"}
    with pytest.raises(InputError, match="this lies in the folder of the photographs"):
        run_directory(folders / "rgb" / "run", read)
    # Also where no metric needs them and they are not opened.
    with pytest.raises(InputError, match="this is the folder of the photographs"):
        evaluate_folders(folders / "gt", {"m": folders / "maps"}, metrics="mae",
                         image=folders / "rgb", out=folders / "rgb")  # fmt: skip
    # A name that begins with the folder's is beside it, and a folder read may lie below the run.
    assert run_directory(folders / "rgb_run", read) == folders / "rgb_run"
    assert run_directory(folders, read) == folders
