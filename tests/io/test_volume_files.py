"""Label volumes from files: spacing, units, whole floats, grids that differ."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

from fastsegmetrics.errors import FormatError, MissingExtraError
from fastsegmetrics.io import volumes
from fastsegmetrics.io.volumes import Volume, check_one_grid, read_lengths, read_volume

LABELS = np.arange(24).reshape(2, 3, 4) % 5
AFFINE = np.array([[0, 0, 2.5, -10], [-0.5, 0, 0, 3], [0, 0.75, 0, 7], [0, 0, 0, 1.0]])


def nifti(path, values, affine=AFFINE, unit="mm"):
    nibabel = pytest.importorskip("nibabel")
    image = nibabel.Nifti1Image(values, affine)
    image.header.set_xyzt_units(unit)
    nibabel.save(image, path)
    return path


@pytest.mark.parametrize("name", ["a.nii", "a.nii.gz", "ä.NII.GZ"])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32])
def test_nifti(tmp_path, name, dtype) -> None:
    written = nifti(tmp_path / "x.nii.gz" if "gz" in name.lower() else tmp_path / "x.nii",
                    LABELS.astype(dtype))  # fmt: skip
    path = written.rename(tmp_path / name)
    volume = read_volume(path)
    assert volume.values.dtype.kind in "ui"
    np.testing.assert_array_equal(volume.values, LABELS)
    # In the order of the array's axes, whatever the scanner's.
    assert volume.spacing == (0.5, 0.75, 2.5)
    assert volume.unit == "mm"
    np.testing.assert_allclose(volume.affine, AFFINE)


def test_the_spacing_of_a_header_in_single_precision_is_the_decimal_meant(tmp_path) -> None:
    affine = np.diag([0.8, 0.9765625, 3.3, 1.0])
    volume = read_volume(nifti(tmp_path / "a.nii.gz", LABELS.astype(np.uint8), affine))
    assert volume.spacing == (0.8, 0.9765625, 3.3)


def test_lengths_are_read_without_the_voxels(tmp_path) -> None:
    whole = nifti(tmp_path / "a.nii.gz", np.zeros((90, 80, 70, 1), np.uint8), unit="micron")
    told = read_volume(whole).lengths
    assert told == read_lengths(whole) == ((0.5, 0.75, 2.5), "µm")
    np.savez(tmp_path / "b.npz", volume=np.array(["no labels"]), spacing=(3, 1), unit="mm")
    assert read_lengths(tmp_path / "b.npz") == ((3.0, 1.0), "mm")
    np.savez(tmp_path / "c.npz", LABELS)
    (tmp_path / "d.npy").write_bytes(b"nobody looks")
    assert read_lengths(tmp_path / "c.npz") == read_lengths(tmp_path / "d.npy") == (None, None)
    cut = (tmp_path / "b.npz").read_bytes()[:300]
    for name in ("cut.npz", "cut.nii"):
        (tmp_path / name).write_bytes(cut)
        for read in (read_lengths, read_volume):
            with pytest.raises(FormatError, match=rf"{name}: cannot be read"):
                read(tmp_path / name)


def test_nifti_units_and_trailing_axes(tmp_path) -> None:
    values = LABELS.astype(np.uint8)
    for unit, told in (("micron", "µm"), ("meter", "m"), ("unknown", None)):
        path = nifti(tmp_path / f"{unit}.nii", values[..., None], unit=unit)
        volume = read_volume(path)
        assert (volume.unit, volume.values.shape) == (told, (2, 3, 4))
        assert volume.spacing == (0.5, 0.75, 2.5)


def test_damaged_nifti(tmp_path) -> None:
    path = nifti(tmp_path / "a.nii", np.ones((9, 9, 9), np.uint8))
    path.write_bytes(path.read_bytes()[:600])
    with pytest.raises(FormatError, match=r"a\.nii: cannot be read as NIfTI"):
        read_volume(path)
    (tmp_path / "b.nii.gz").write_bytes(b"no gzip")
    with pytest.raises(FormatError, match=r"b\.nii\.gz: cannot be read as NIfTI"):
        read_volume(tmp_path / "b.nii.gz")


def test_nifti_without_nibabel(tmp_path, monkeypatch) -> None:
    (tmp_path / "a.nii").write_bytes(b"x")
    monkeypatch.setitem(sys.modules, "nibabel", None)
    with pytest.raises(MissingExtraError, match=r"fastsegmetrics\[volumes\]"):
        read_volume(tmp_path / "a.nii")


def test_numpy_files(tmp_path) -> None:
    np.save(tmp_path / "a.npy", LABELS)
    plain = read_volume(tmp_path / "a.npy")
    np.testing.assert_array_equal(plain.values, LABELS)
    assert plain[1:] == (None, None, None)
    np.savez(tmp_path / "b.npz", LABELS > 2)
    assert read_volume(tmp_path / "b.npz").values.dtype == bool
    np.savez(tmp_path / "c.npz", volume=LABELS * 1.0, spacing=(5, 1, 1), unit="mm", other=1)
    told = read_volume(tmp_path / "c.npz")
    assert (told.spacing, told.unit) == ((5.0, 1.0, 1.0), "mm")
    assert told.values.dtype == np.uint8
    np.testing.assert_array_equal(told.values, LABELS)


@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [
        (0, 255, np.uint8),
        (-1, 255, np.int16),
        (0, 32768, np.int32),
        (-(2**31) - 1, 0, np.int64),
        (0, 2**53 - 1, np.int64),
    ],
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_whole_floats_become_the_least_integers(tmp_path, monkeypatch, low, high, dtype, order):
    monkeypatch.setattr(volumes, "_PIECE", 7)
    floats = np.zeros((3, 4, 2), np.float64, order=order)
    floats[0, 3, 1], floats[2, 1, 0], floats[1, 2, 1] = low, high, -0.0
    np.save(tmp_path / "a.npy", floats)
    found = read_volume(tmp_path / "a.npy").values
    assert (found.dtype, found.shape) == (dtype, (3, 4, 2))
    np.testing.assert_array_equal(found, floats)
    floats[2, 3, 0] = 0.25
    np.save(tmp_path / "b.npy", floats)
    with pytest.raises(FormatError, match=r"b\.npy: .* whole labels; it holds 0\.25"):
        read_volume(tmp_path / "b.npy")


def npy_bytes() -> bytes:
    stream = io.BytesIO()
    np.save(stream, LABELS)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda f: np.save(f / "x.npy", LABELS + 0.5), r"whole labels; it holds 0\.5"),
        (lambda f: np.save(f / "x.npy", [1.0, np.nan]), "whole labels; it holds nan"),
        (lambda f: np.save(f / "x.npy", [1.0, np.inf]), "whole labels; it holds inf"),
        (lambda f: np.save(f / "x.npy", [2.0**60]), "whole labels"),
        (lambda f: np.save(f / "x.npy", LABELS * 1j), "integer labels; its type is complex128"),
        (lambda f: np.save(f / "x.npy", np.zeros((0, 3), int)), "no voxel"),
        (lambda f: (f / "x.npy").write_bytes(b"nothing"), "cannot be read"),
        (lambda f: np.savez(f / "x.npz", a=LABELS, b=LABELS), r"holds \['a', 'b'\]"),
        (lambda f: np.savez(f / "x.npz", LABELS, spacing=(1, 1)), "spacing must be 3 numbers"),
        (lambda f: np.savez(f / "x.npz", LABELS, spacing=(1, 0, 1)), "spacing must be 3 numbers"),
        (lambda f: (f / "x.npz").write_bytes(npy_bytes()), "cannot be read"),
        (lambda f: np.savez(f / "x.npz", LABELS, spacing="wide"), "cannot be read .*'wide'"),
        (lambda f: (f / "x.npy").mkdir(), "this is no file"),
        (lambda f: (f / "x.png").write_bytes(b"x"), r"must end in one of \.nii\.gz"),
        (lambda f: None, "x: there is no such file|must end in one of"),
    ],
)
def test_refused_files(tmp_path, make, words) -> None:
    make(tmp_path)
    path = next(iter(tmp_path.iterdir()), tmp_path / "x")
    with pytest.raises(FormatError, match=words) as caught:
        read_volume(path)
    assert str(path) in str(caught.value)


def volume(values=LABELS, spacing=(0.5, 0.75, 2.5), unit="mm", affine=AFFINE) -> Volume:
    return Volume(values, spacing, unit, affine)


def test_one_grid() -> None:
    turned = AFFINE.copy()
    # The far corner of the first axis moves by as much as is let pass: .005 of .5.
    turned[1, 3] += 0.0049
    check_one_grid(volume(), volume(affine=turned))
    check_one_grid(volume(unit=None), volume())
    plain = volume(spacing=None, unit=None, affine=None)
    check_one_grid(plain, plain)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"values": LABELS[..., :2]}, r"one shape; they have \(2, 3, 2\) and \(2, 3, 4\)"),
        ({"affine": AFFINE + 0.006 * np.eye(4)[:, [3, 0, 1, 2]].T}, "one grid; .* corner"),
        ({"affine": AFFINE @ np.diag([1, 1, 1.01, 1])}, r"one grid; .* 0\.075 mm apart"),
        ({"affine": AFFINE @ np.diag([-1, 1, 1, 1])}, "one grid"),
        ({"affine": AFFINE * np.nan}, "one grid"),
        ({"affine": None}, "the truth says where its grid lies and the prediction does not"),
        ({"unit": "µm"}, "units µm and mm"),
    ],
)
def test_two_grids(other, words) -> None:
    with pytest.raises(FormatError, match=words):
        check_one_grid(volume(**other), volume())


def test_two_spacings() -> None:
    with pytest.raises(FormatError, match="spacings None and"):
        check_one_grid(volume(spacing=None, affine=None), volume(affine=None))
