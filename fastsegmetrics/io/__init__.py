"""Read maps, masks and photographs from files: the registry of formats and three doors.

A format is one module of this package with the functions ``decode(data: bytes) -> np.ndarray``
(2-D) and ``decode_colour(data: bytes) -> np.ndarray`` (H, W, 3; red, green, blue), and one row of
`FORMATS`.  Modules are imported when the first file of theirs is read.
"""

from __future__ import annotations

import functools
import importlib
import os
import stat
from types import ModuleType
from typing import NamedTuple

import numpy as np

from fastsegmetrics.errors import FormatError


class Format(NamedTuple):
    """One row of the registry.

    `signatures` are the first bytes of a file of this format; a format without any is found by
    its suffix.  `full_range` says that an integer sample's scale is that of its type (65535 is
    white in an image file), false where values are taken as stored (an array file).
    """

    name: str
    suffixes: tuple[str, ...]
    signatures: tuple[bytes, ...]
    module: str
    full_range: bool


FORMATS = (
    Format("PNG", (".png",), (b"\x89PNG",), "images", True),
    Format("JPEG", (".jpg", ".jpeg", ".jpe"), (b"\xff\xd8\xff",), "images", True),
    Format("BMP", (".bmp", ".dib"), (b"BM",), "images", True),
    Format("TIFF", (".tif", ".tiff"), (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"), "images", True),
    Format("NPY", (".npy",), (b"\x93NUMPY",), "npy", False),
)
#: Lower-case file name endings that are taken for a map or a mask.
SUFFIXES = tuple(suffix for row in FORMATS for suffix in row.suffixes)


# What waits for nobody: a named pipe without a writer opens at once, and is refused by its kind.
_OPENING = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


class WholeFile:
    """A regular file read at once; `read_map`, `read_mask` and `read_image` take it for its path.

    With as few calls of the system as there can be, since each gives the interpreter's lock away:
    another thread takes it, and to get it back costs some 90 us; a file object makes ten.

    Parameters
    ----------
    path : path-like
        The file.

    Attributes
    ----------
    data : bytes
        Its content: OpenCV's own reader fails on non-ASCII paths on some systems.
    status : os.stat_result
        Among others its size and the time of its last change, as it was opened.

    Raises
    ------
    OSError
        The file is missing or cannot be opened.
    FormatError
        It is no regular file.
    """

    __slots__ = ("_path", "data", "status")

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        file = os.open(self._path, _OPENING)
        try:
            self.status = os.fstat(file)
            if not stat.S_ISREG(self.status.st_mode):
                directory = stat.S_ISDIR(self.status.st_mode)
                kind = "a directory" if directory else "a pipe or another special file"
                raise FormatError(f"{printable(path)}: this is {kind}, not an image file")
            self.data = _all_bytes(file, self.status.st_size)
        finally:
            os.close(file)

    def __fspath__(self) -> str:
        return self._path

    @property
    def name(self) -> str:
        """The file's name without its folder."""
        return os.path.basename(self._path)


def read_map(path: str | os.PathLike[str]) -> np.ndarray:
    """Read a prediction map.

    The format is told by the file's content, not by its suffix: a PNG named ``.jpg`` is read as
    the PNG it is.

    Parameters
    ----------
    path : path-like
        A PNG, JPEG, BMP, TIFF or NPY file.  Channels that are identical count as grey, an alpha
        channel that is opaque everywhere counts as none, an EXIF orientation is not applied.

    Returns
    -------
    np.ndarray
        Two-dimensional: uint8 from 8-bit and shallower image files (1 to 4 bits are expanded to
        0..255); float64 v / 65535 from 16-bit ones; float TIFF and NPY as stored.

    Raises
    ------
    FormatError
        When the file is missing, truncated, corrupt, of an unknown format, coloured or not
        opaque; the message names the file and the reason.

    Examples
    --------
    >>> from fastsegmetrics.io import read_map
    >>> read_map("predictions/cat.png").dtype       # doctest: +SKIP
    dtype('uint8')
    """
    samples, row = _read(path)
    if row.full_range and samples.dtype == np.uint16:
        return samples / 65535.0
    return samples


def read_mask(path: str | os.PathLike[str]) -> np.ndarray:
    """Read a ground-truth mask.

    Parameters
    ----------
    path : path-like
        As for `read_map`.

    Returns
    -------
    np.ndarray
        Two-dimensional: uint8 from image files, float TIFF and NPY as stored.  A 16-bit sample v
        becomes ``ceil(v / 257)``, so that foreground stays "greater than 128 on a scale of 255"
        exactly (v > 128 * 257, and likewise for any other whole threshold), and a 16-bit file
        whose values are on another scale (0 and 1, 0 and 255) ends with the maximum 1 that is an
        error further on, rather than as an empty mask.

    Raises
    ------
    FormatError
        As for `read_map`.

    Examples
    --------
    >>> from fastsegmetrics.io import read_mask
    >>> read_mask("truth/cat.png").max()            # doctest: +SKIP
    255
    """
    samples, row = _read(path)
    if row.full_range and samples.dtype == np.uint16:
        return ((samples.astype(np.uint32) + 256) // 257).astype(np.uint8)
    return samples


def read_image(path: str | os.PathLike[str]) -> np.ndarray:
    """Read a photograph.

    Parameters
    ----------
    path : path-like
        A PNG, JPEG, BMP, TIFF or NPY file of 8-bit samples, in colour or grey.  An alpha channel
        that is opaque everywhere counts as none, an EXIF orientation is not applied.

    Returns
    -------
    np.ndarray
        uint8 of shape (H, W, 3): red, green, blue.  A grey file has three equal channels.

    Raises
    ------
    FormatError
        When the file is missing, truncated, corrupt, of an unknown format, not opaque, or of other
        than 8-bit samples; the message names the file and the reason.

    Examples
    --------
    >>> from fastsegmetrics.io import read_image
    >>> read_image("photographs/cat.jpg").shape      # doctest: +SKIP
    (480, 640, 3)
    """
    pixels, _ = _read(path, "decode_colour")
    if pixels.dtype != np.uint8:
        raise FormatError(
            f"{printable(path)}: a photograph must have 8-bit samples; these are {pixels.dtype}"
        )
    return pixels


def printable(path: str | os.PathLike[str] | bytes) -> str:
    """Return a path as text that can be stored and printed, bytes that are no Unicode as escapes.

    Examples
    --------
    >>> printable("maps/cat.png")
    'maps/cat.png'
    """
    text = os.fsdecode(path)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def suffix_of(name: str, suffixes: tuple[str, ...] = SUFFIXES) -> str | None:
    """Return the known suffix that the file name `name` ends with, as written there, or None."""
    lower = name.lower()
    # No known suffix ends with another one.
    for suffix in suffixes:
        if lower.endswith(suffix):
            return name[len(name) - len(suffix) :]
    return None


def _read(path: str | os.PathLike[str], door: str = "decode") -> tuple[np.ndarray, Format]:
    file = path if isinstance(path, WholeFile) else _whole_file(path)
    try:
        if not file.data:
            raise FormatError("the file is empty (0 bytes)")
        row = _recognise(file.data, path)
        return getattr(_module(row.module), door)(file.data), row
    except FormatError as error:
        raise FormatError(f"{printable(path)}: {error}") from error.__cause__


def _whole_file(path: str | os.PathLike[str]) -> WholeFile:
    try:
        return WholeFile(path)
    except FileNotFoundError:
        raise FormatError(f"{printable(path)}: there is no such file") from None
    except OSError as error:
        raise FormatError(f"{printable(path)}: cannot be opened ({error.strerror})") from error


def _all_bytes(file: int, size: int) -> bytes:
    """Read what should be `size` bytes; asked for one more, a read of just so many is the last."""
    data = os.read(file, size + 1)
    if len(data) == size:
        return data
    parts = [data]
    while parts[-1]:
        parts.append(os.read(file, 1 << 20))
    return b"".join(parts)


@functools.cache
def _module(name: str) -> ModuleType:
    return importlib.import_module(f"fastsegmetrics.io.{name}")


def _recognise(data: bytes, path: str | os.PathLike[str]) -> Format:
    for row in FORMATS:
        if data.startswith(row.signatures):
            return row
    lower = os.fsdecode(path).lower()
    for row in FORMATS:
        if not row.signatures and lower.endswith(row.suffixes):
            return row
    known = ", ".join(row.name for row in FORMATS)
    raise FormatError(f"the content is none of {known} (it starts with {data[:8]!r})")
