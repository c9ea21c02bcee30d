"""What is no regular file is refused by name, and never waited for."""

from __future__ import annotations

import os

import numpy as np
import pytest

from fastsegmetrics.bulk.run import evaluate_folders
from fastsegmetrics.errors import FormatError
from fastsegmetrics.io import read_image, read_map, read_mask
from fastsegmetrics.io.png_writer import png_bytes

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")


@pytest.fixture
def pipe(tmp_path):
    for folder in ("gt", "m"):
        (tmp_path / folder).mkdir()
        data = png_bytes(np.array([[0, 255, 255]], np.uint8))
        (tmp_path / folder / "a.png").write_bytes(data)
    path = tmp_path / "m" / "a.png"
    path.unlink()
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("read", [read_map, read_mask, read_image])
def test_a_named_pipe_is_refused(pipe, read):
    with pytest.raises(FormatError) as caught:
        read(pipe)
    assert str(caught.value) == f"{pipe}: this is a pipe or another special file, not an image file"


def test_a_link_to_a_file_is_read(pipe, tmp_path):
    link = tmp_path / "link.png"
    link.symlink_to(tmp_path / "gt" / "a.png")
    assert read_map(link).tolist() == [[0, 255, 255]]


def test_a_folder_run_names_it(pipe, tmp_path):
    folders = (tmp_path / "gt", {"m": tmp_path / "m"})
    with pytest.raises(FormatError, match=r"m/a\.png: this is a pipe"):
        evaluate_folders(*folders)
    run = evaluate_folders(*folders, on_error="skip")
    assert [(one.sample, one.method) for one in run.skipped] == [("a", "m")]
