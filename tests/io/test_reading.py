"""The two doors: format by content, names of files, NPY, and what cannot be opened."""

from __future__ import annotations

import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import cv2
import numpy as np
import pytest
from file_writers import png

from fastsegmetrics import io
from fastsegmetrics.errors import FastSegMetricsError, FormatError
from fastsegmetrics.io import WholeFile, read_image, read_map, read_mask, volumes
from fastsegmetrics.io.png_writer import png_bytes

VALUES = np.array([[0, 128, 129, 255, 7]], np.uint8)


def failure(path, door=read_map):
    with pytest.raises(FormatError) as caught:
        door(path)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("name", ["x.png", "x.PNG", "x.jpg", "x.JPEG", "x.TiF", "x", "x.dat"])
@pytest.mark.parametrize("door", [read_map, read_mask])
def test_content_decides_not_the_suffix(tmp_path, name, door):
    path = tmp_path / name
    path.write_bytes(png(VALUES))
    np.testing.assert_array_equal(door(path), VALUES)
    np.testing.assert_array_equal(door(str(path)), VALUES)
    np.testing.assert_array_equal(door(os.fsencode(path)), VALUES)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_names_beyond_ascii(tmp_path, form):
    folder = tmp_path / unicodedata.normalize(form, "Größe 实验 é")
    folder.mkdir()
    path = folder / "маска ✓.png"
    path.write_bytes(png(VALUES))
    np.testing.assert_array_equal(read_map(path), VALUES)
    path.write_bytes(b"\x89PNG")
    assert "маска ✓.png: " in failure(path)


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes exist on Linux only")
def test_name_that_is_no_unicode_stays_printable(tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9.png")
    Path(os.fsdecode(path)).write_bytes(b"")
    for spelled in (path, os.fsdecode(path)):
        assert (
            failure(spelled)
            .encode("utf-8")
            .endswith(b"caf\\udce9.png: the file is empty (0 bytes)")
        )


def test_nothing_that_can_be_read(tmp_path):
    assert failure(tmp_path) == f"{tmp_path}: this is a directory, not an image file"
    assert failure(tmp_path / "no.png") == f"{tmp_path / 'no.png'}: there is no such file"
    assert "cannot be opened (Not a directory)" in failure(__file__ + "/x.png")
    path = tmp_path / "text.png"
    path.write_bytes(b"<html>404</html>")
    assert failure(path).endswith(
        "the content is none of PNG, JPEG, BMP, TIFF, NPY (it starts with b'<html>40')"
    )


def test_failures_are_value_errors_of_the_library(tmp_path):
    with pytest.raises(ValueError, match="no such file"):
        read_mask(tmp_path / "no.png")
    assert issubclass(FormatError, FastSegMetricsError)


def test_registry_is_lower_case_and_lazy():
    assert io.SUFFIXES == (
        ".png", ".jpg", ".jpeg", ".jpe", ".bmp", ".dib", ".tif", ".tiff", ".npy",
    )  # fmt: skip
    assert io.suffix_of("a.b.JPeG") == ".JPeG"
    assert io.suffix_of("png") is None
    assert io.suffix_of("scan.NII.gz", volumes.SUFFIXES) == ".NII.gz"
    for suffixes in (io.SUFFIXES, volumes.SUFFIXES):
        assert not [s for s in suffixes for t in suffixes if s != t and s.endswith(t)]
    code = (
        "import sys, fastsegmetrics.io, fastsegmetrics.bulk.pairs\n"
        "assert not {'cv2', 'numba', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_format_without_a_signature_goes_by_its_suffix(tmp_path, monkeypatch):
    row = io.Format("RAW", (".raw",), (), "npy", False)
    monkeypatch.setattr(io, "FORMATS", (*io.FORMATS, row))
    path = tmp_path / "x.RAW"
    path.write_bytes(b"anything")
    assert "NPY header" in failure(path)


# --- NPY


def saved(folder, array, **options):
    path = folder / "x.npy"
    np.save(path, array, **options)
    return path


@pytest.mark.parametrize(
    "dtype", ["?", "u1", "i1", "u2", "<i4", ">i4", "i8", "f2", "<f4", ">f4", "<f8", ">f8"]
)
@pytest.mark.parametrize("door", [read_map, read_mask])
def test_arrays_are_taken_as_stored(tmp_path, dtype, door):
    array = (np.arange(15).reshape(3, 5) % 7).astype(dtype)
    for layout in (array, np.asfortranarray(array), array[:, ::-1], array[::2]):
        values = door(saved(tmp_path, layout))
        assert values.dtype == array.dtype
        np.testing.assert_array_equal(values, layout)


def test_uint16_array_has_no_scale_of_its_own(tmp_path):
    array = np.array([[0, 1, 255]], np.uint16)
    assert read_map(saved(tmp_path, array)).tolist() == [[0, 1, 255]]
    assert read_mask(saved(tmp_path, array)).tolist() == [[0, 1, 255]]


def test_long_header(tmp_path):
    path = tmp_path / "x.npy"
    with path.open("wb") as file:
        np.lib.format.write_array(file, np.eye(3), version=(2, 0))
    np.testing.assert_array_equal(read_map(path), np.eye(3))


@pytest.mark.parametrize(
    ("array", "reason"),
    [
        (np.zeros((2, 3, 1)), "its shape is (2, 3, 1)"),
        (np.zeros(4), "its shape is (4,)"),
        (np.zeros((2, 2), complex), "its dtype is complex128"),
        (np.array([["a"]]), "its dtype is <U1"),
        (np.zeros((1, 1), [("a", "f4")]), "its dtype is [('a', '<f4')]"),
    ],
)
def test_arrays_that_are_no_map(tmp_path, array, reason):
    assert reason in failure(saved(tmp_path, array))


def test_pickles_stay_closed(tmp_path):
    array = np.array([[{}]], object)
    assert "its dtype is object" in failure(saved(tmp_path, array, allow_pickle=True))


def test_npy_of_wrong_length(tmp_path):
    path = saved(tmp_path, np.zeros((30, 40), np.float32))
    data = path.read_bytes()
    for length in (6, 8, 10, 60, 127):
        path.write_bytes(data[:length])
        assert "NPY header is truncated" in failure(path)
    path.write_bytes(data[:-1])
    assert failure(path).endswith(
        "the NPY file is truncated: an array of shape (30, 40) and dtype float32 takes 4928 bytes, "
        "the file has 4927"
    )
    path.write_bytes(data + b"\0")
    assert "the NPY file is corrupt" in failure(path)
    path.write_bytes(data.replace(b"(30", b"(3("))
    assert "NPY header" in failure(path)
    path.write_bytes(data[:8] + b"\xf0\x0f" + data[10:])
    message = failure(path).removeprefix(str(path))
    assert message.startswith(": the NPY header is truncated or of an unknown kind (")
    assert len(message) < 180
    huge = data[:128].replace(b"(30, 40), }" + b" " * 10, b"(3000000000, 40000), }")
    assert len(huge) == 129
    path.write_bytes(huge[:-2] + b"\n")
    assert "takes 480000000000128 bytes, the file has 128" in failure(path)


# --- Real files


@pytest.mark.skipif("FASTSEGMETRICS_DATA" not in os.environ, reason="no real maps at hand")
def test_real_maps_are_what_opencv_decodes():
    root = Path(os.environ["FASTSEGMETRICS_DATA"])
    paths = sorted(p for p in root.rglob("*.png") if "images" not in p.parts)
    assert len(paths) > 100
    for path in paths:
        pixels = cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_UNCHANGED)
        expected = pixels if pixels.ndim == 2 else pixels[..., 0]
        np.testing.assert_array_equal(read_map(path), expected, err_msg=str(path))


@pytest.mark.parametrize("read", [read_map, read_mask, read_image])
def test_a_file_read_already_stands_for_its_path(tmp_path, read):
    path = tmp_path / "é" / "x.png"
    path.parent.mkdir()
    path.write_bytes(png_bytes(np.array([[0, 77, 255]], np.uint8)))
    file = WholeFile(path)
    assert file.data == path.read_bytes()
    assert (file.name, os.fspath(file)) == ("x.png", str(path))
    assert (file.status.st_size, file.status.st_mtime_ns) == (
        len(file.data),
        path.stat().st_mtime_ns,
    )
    expected = read(path)
    path.write_bytes(b"something else")
    np.testing.assert_array_equal(read(file), expected)
    with pytest.raises(FormatError, match=r"x\.png: the content is none of PNG"):
        read(WholeFile(path))


def test_a_file_that_is_not_there_is_the_systems_error_to_who_opens_it_himself(tmp_path):
    with pytest.raises(FileNotFoundError):
        WholeFile(tmp_path / "no.png")
    with pytest.raises(FormatError, match=r": this is a directory, not an image file"):
        WholeFile(tmp_path)
