"""Read label volumes with the grid they lie on: NIfTI (extra ``volumes``), NPY and NPZ."""

from __future__ import annotations

import itertools
import os
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.errors import FormatError, MissingExtraError
from fastsegmetrics.io import printable

#: Lower-case file name endings that are taken for a volume.
SUFFIXES = (".nii.gz", ".nii", ".npy", ".npz")

#: Two grids are one if no voxel lies further from itself than this share of the least spacing.
SAME_GRID = 0.01
#: Voxels of a piece of floats that is made integer at once.
_PIECE = 1 << 22
#: What damaged NPY and NPZ files raise.
_DAMAGED = (
    OSError, ValueError, EOFError, KeyError, AttributeError, TypeError, zipfile.BadZipFile,
    zlib.error,
)  # fmt: skip
_UNITS = {"mm": "mm", "meter": "m", "micron": "µm", "unknown": None}


class Lengths(NamedTuple):
    """What a file says of its lengths; None where it does not."""

    spacing: tuple[float, ...] | None
    unit: str | None


class Volume(NamedTuple):
    """A label volume and its grid.

    Attributes
    ----------
    values : ndarray of integers or booleans, any number of axes
    spacing : tuple of float, or None
        Along each axis of the array; None where the file does not say.
    unit : str or None
        Of the spacing; None where the file does not say.
    affine : ndarray of float64, shape (4, 4), or None
        From array places to the scanner's space, where the file says.
    """

    values: NDArray[Any]
    spacing: tuple[float, ...] | None
    unit: str | None
    affine: NDArray[np.float64] | None

    @property
    def lengths(self) -> Lengths:
        """What the file says of spacing and unit."""
        return Lengths(self.spacing, self.unit)


def read_lengths(path: str | os.PathLike[str]) -> Lengths:
    """Read what a file says of its spacing and unit, and none of its voxels.

    Raises
    ------
    FormatError
        When they cannot be read.
    MissingExtraError
        When nibabel is needed and not installed (extra ``volumes``).
    """
    name = os.fsdecode(path)
    lower = name.lower()
    if lower.endswith(".npy"):
        return Lengths(None, None)
    try:
        if not lower.endswith(".npz"):
            return _nifti_lengths(_load_nifti(name))
        # Opened here, as np.load leaves the file of a damaged archive open.
        with open(name, "rb") as stream, np.load(stream, allow_pickle=False) as file:
            told = {key: file[key] for key in ("spacing", "unit") if key in file.files}
        return _numpy_lengths(told)
    except FormatError as error:
        raise FormatError(f"{printable(path)}: {error}") from error.__cause__
    except _DAMAGED as error:
        raise FormatError(f"{printable(path)}: cannot be read ({error})") from error


def read_volume(path: str | os.PathLike[str]) -> Volume:
    """Read a label volume.

    Parameters
    ----------
    path : path-like
        ``.nii``, ``.nii.gz``; ``.npy``; ``.npz`` with one array, or one named ``volume``, and
        optionally ``spacing`` and ``unit``.  Floats that are all whole numbers are read as
        integers, which is how some tools store labels.  Axes beyond the third of a NIfTI file
        that have length 1 are left off; its spacing is the shortest decimal that its header's
        single precision stands for (0.8, not 0.800000011920929).

    Raises
    ------
    FormatError
        When the file cannot be read, or its values are no labels; the message names the file and
        the reason.
    MissingExtraError
        When nibabel is needed and not installed (extra ``volumes``).
    """
    name = os.fsdecode(path)
    lower = name.lower()
    try:
        if not lower.endswith(SUFFIXES):
            raise FormatError(f"the name must end in one of {', '.join(SUFFIXES)}")
        if not os.path.isfile(path):
            kind = "this is no file" if os.path.exists(path) else "there is no such file"
            raise FormatError(kind)
        if lower.endswith((".npy", ".npz")):
            return _read_numpy(name, lower.endswith(".npz"))
        return _read_nifti(name)
    except FormatError as error:
        raise FormatError(f"{printable(path)}: {error}") from error.__cause__


def check_one_grid(pred: Volume, gt: Volume) -> None:
    """Refuse two volumes that do not lie on one grid.

    Raises
    ------
    FormatError
        When shapes, units or spacings differ, one tells its place and the other does not, or a
        corner of the one lies further than a hundredth of the least spacing from the other's.
    """
    if pred.values.shape != gt.values.shape:
        raise FormatError(
            f"prediction and truth must have one shape; they have {pred.values.shape} and "
            f"{gt.values.shape}"
        )
    if (pred.affine is None) != (gt.affine is None):
        placed, other = ("prediction", "truth") if gt.affine is None else ("truth", "prediction")
        raise FormatError(f"the {placed} says where its grid lies and the {other} does not")
    if pred.unit and gt.unit and pred.unit != gt.unit:
        raise FormatError(f"prediction and truth have units {pred.unit} and {gt.unit}")
    if pred.affine is not None and gt.affine is not None and gt.spacing is not None:
        ends = [(0, n - 1) for n in (*gt.values.shape, 1, 1)[:3]]
        corners = np.array([(*corner, 1.0) for corner in itertools.product(*ends)])
        moved = corners @ (pred.affine - gt.affine).T
        furthest = float(np.sqrt((moved[:, :3] ** 2).sum(axis=1)).max())
        # Also refused where an affine holds a NaN.
        if not furthest <= SAME_GRID * min(gt.spacing):
            raise FormatError(
                f"prediction and truth must lie on one grid; their affines put a corner "
                f"{furthest:.3g} {gt.unit or 'units'} apart (resample one first)"
            )
    elif pred.spacing != gt.spacing:
        raise FormatError(f"prediction and truth have spacings {pred.spacing} and {gt.spacing}")


def _read_numpy(name: str, archive: bool) -> Volume:
    try:
        with open(name, "rb") as stream:
            loaded = np.load(stream, allow_pickle=False)
            if not archive:
                return Volume(_labels(loaded), None, None, None)
            with loaded:
                arrays = {key: loaded[key] for key in loaded.files}
        steps, unit = _numpy_lengths(arrays)
    except _DAMAGED as error:
        raise FormatError(f"cannot be read ({error})") from error
    arrays = {key: array for key, array in arrays.items() if key not in ("spacing", "unit")}
    if "volume" not in arrays and len(arrays) != 1:
        raise FormatError(f"must hold one array or one named volume; it holds {sorted(arrays)}")
    values = _labels(arrays.get("volume", next(iter(arrays.values()))))
    if steps is not None and (len(steps) != values.ndim or not all(0 < s < np.inf for s in steps)):
        raise FormatError(f"spacing must be {values.ndim} numbers above 0; it is {steps}")
    return Volume(values, steps, unit, None)


def _numpy_lengths(arrays: Mapping[str, NDArray[Any]]) -> Lengths:
    spacing, unit = arrays.get("spacing"), arrays.get("unit")
    steps = None if spacing is None else tuple(np.asarray(spacing, float).ravel().tolist())
    return Lengths(steps, None if unit is None else str(unit))


def _load_nifti(name: str) -> Any:
    try:
        import nibabel
    except ImportError as error:
        raise MissingExtraError("nibabel", "volumes", "reading NIfTI") from error
    try:
        return nibabel.load(name)
    except Exception as error:
        # nibabel raises whatever the damage happens to break.
        raise FormatError(f"cannot be read as NIfTI ({error})") from error


def _nifti_lengths(image: Any) -> Lengths:
    try:
        unit = _UNITS.get(image.header.get_xyzt_units()[0])
        zooms, shape = image.header.get_zooms(), image.shape
    except Exception as error:
        raise FormatError(f"cannot be read as NIfTI ({error})") from error
    # The header holds 0.8 in single precision, 0.800000011920929 to a double: the shortest decimal
    # that it stands for is meant, or a step of one voxel would exceed a tolerance of 0.8.
    return Lengths(tuple(float(str(zoom)) for zoom in zooms[: _n_axes(shape)]), unit)


def _n_axes(shape: tuple[int, ...]) -> int:
    """Return the number of axes without those beyond the third that have length 1 at the end."""
    n = len(shape)
    while n > 3 and shape[n - 1] == 1:
        n -= 1
    return n


def _read_nifti(name: str) -> Volume:
    image = _load_nifti(name)
    spacing, unit = _nifti_lengths(image)
    try:
        values = np.asanyarray(image.dataobj)
        affine = np.array(image.affine, np.float64)
    except Exception as error:
        raise FormatError(f"cannot be read as NIfTI ({error})") from error
    first: tuple[Any, ...] = (..., *[0] * (values.ndim - _n_axes(values.shape)))
    values = values[first]
    if spacing is None or not all(0 < step < np.inf for step in spacing):
        raise FormatError(f"its spacing must be finite and above 0; it is {spacing}")
    return Volume(_labels(values), spacing, unit, affine)


def _labels(values: NDArray[Any]) -> NDArray[Any]:
    """Return integers and booleans as they are, whole floats as the least integers that hold them.

    By pieces of what may be a mapped file: 512 × 512 × 512 floats and their int64 are 1.6 GB.
    """
    if values.size == 0:
        raise FormatError(f"the volume has no voxel (its shape is {values.shape})")
    if values.dtype.kind in "bui":
        return values
    if values.dtype.kind != "f":
        raise FormatError(f"the volume must hold integer labels; its type is {values.dtype}")
    # As NIfTI has them; pieces of the first axis lie together then.
    turn = values.ndim > 1 and values.flags.f_contiguous
    turned = values.T if turn else np.atleast_1d(values)
    low, high = float(values.min()), float(values.max())
    labels = np.empty(turned.shape, _least_type(low, high))
    step = max(1, _PIECE * len(turned) // turned.size)
    for start in range(0, len(turned), step):
        piece = turned[start : start + step]
        # Beyond 2⁵³ a float does not tell neighbouring integers apart.  NaN equals nothing.
        whole = (np.abs(piece) < 2.0**53) & (piece == np.floor(piece))
        if not whole.all():
            first = piece[~whole].flat[0]
            raise FormatError(f"the volume must hold whole labels; it holds {float(first)!r}")
        labels[start : start + step] = piece
    return labels.T if turn else labels.reshape(values.shape)


def _least_type(low: float, high: float) -> type[np.integer[Any]]:
    for kind in (np.uint8, np.int16, np.int32):
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return kind
    return np.int64
