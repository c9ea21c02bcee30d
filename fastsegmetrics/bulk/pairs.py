"""Find the files of a ground-truth folder and of prediction folders, and pair them by name."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from fastsegmetrics.bulk.names import suggest
from fastsegmetrics.errors import InputError
from fastsegmetrics.io import SUFFIXES, printable, suffix_of, volumes

# Companions that file managers leave behind; they are nobody's data, so nobody is told of them.
_COMPANIONS = frozenset(("thumbs.db", "ehthumbs.db", "desktop.ini"))


class FolderIndex(dict[str, Path]):
    """Path of each file by its key; `ignored` are the other files met in the folder, sorted, and
    `directories` are the folders in it that are named as a file, by the key of such a file."""

    ignored: list[str]
    directories: dict[str, Path]


class PairList(NamedTuple):
    """Which prediction belongs to which ground truth.

    Attributes
    ----------
    samples : tuple of str
        Key of every ground truth, sorted by code point.
    truths : dict of str to Path
        Ground-truth file by key.
    predictions : dict of str to dict of str to Path
        By method, the prediction of each key that has one.
    missing, extra : dict of str to list of str
        By method, keys of ground truths without a prediction and of predictions without a ground
        truth, sorted.
    hints : dict of str to str
        For methods of which names are unmatched for one recognised reason: what to try.
    ignored_truths : list of str
        Files in the ground-truth folder, relative to it and sorted, that are of no format that is
        read or lack the given name parts.
    ignored : dict of str to list of str
        The same by method.
    directories : dict of str to list of Path
        By method, folders that are named as a missing prediction should be.
    images : dict of str to Path
        Photograph of each key that has one; empty if no folder of them was given.
    missing_images : list of str
        Keys of ground truths without a photograph, if a folder of them was given.
    image_hint : str
        Where they are missing for one recognised reason: what to try.
    """

    samples: tuple[str, ...]
    truths: dict[str, Path]
    predictions: dict[str, dict[str, Path]]
    missing: dict[str, list[str]]
    extra: dict[str, list[str]]
    hints: dict[str, str]
    ignored_truths: list[str]
    ignored: dict[str, list[str]]
    directories: dict[str, list[Path]]
    images: dict[str, Path]
    missing_images: list[str]
    image_hint: str


def index_folder(
    root: str | os.PathLike[str],
    *,
    prefix: str = "",
    suffix: str = "",
    suffixes: tuple[str, ...] = SUFFIXES,
) -> FolderIndex:
    """Find all image and array files below a folder.

    Parameters
    ----------
    root : path-like
        The folder; nested folders are searched too, links to folders followed.
    prefix, suffix : str
        What every wanted file name begins with, and ends with before its extension; left off in
        the keys.  Other files are ignored.
    suffixes : tuple of str
        Extensions of the files wanted, in lower case.

    Returns
    -------
    FolderIndex
        A dict from key to path, in code-point order of the keys.  A key is the path relative to
        `root` without extension, `prefix` and `suffix`, with "/" between folders, in Unicode
        normal form C (a macOS volume writes names in form D).  Hidden files and folders, among
        them the ``._name`` companions of macOS, are passed over.

    Raises
    ------
    InputError
        When `root` is no folder, cannot be read or holds no wanted file, or when two files have
        one key.

    Examples
    --------
    >>> list(index_folder("maps", suffix="_pred"))     # doctest: +SKIP
    ['indoor/chair', 'indoor/table']
    """
    folder = Path(root)
    if not folder.is_dir():
        kind = "is a file; a folder is needed" if folder.exists() else "there is no such folder"
        raise InputError(f"{printable(folder)}: {kind}")
    prefix, suffix = (unicodedata.normalize("NFC", part) for part in (prefix, suffix))
    found: dict[str, str] = {}
    directories: dict[str, Path] = {}
    ignored: list[str] = []
    hint = ""
    for within, name, is_file in _entries(folder):
        stem = _stem(_normal(name), prefix, suffix, suffixes)
        if stem is None:
            ignored += [within + name] * is_file
            hint = hint or _other_command(name, suffixes)
            continue
        key = _normal(within) + stem
        path = within + name
        if not is_file:
            directories[key] = folder / path
            continue
        if key in found:
            first, second = sorted((found[key], path))
            raise InputError(
                f"{printable(folder)}: {printable(first)} and {printable(second)} have one name "
                f"without extension; move one away"
            )
        found[key] = path
    ignored.sort()
    if not found:
        wanted = f"{prefix}*{suffix}" if prefix or suffix else ""
        others = f" ({counted_with_first(ignored, 'other file')})" if ignored else ""
        named = f" named {wanted}" if wanted else ""
        raise InputError(
            f"{printable(folder)}: holds no file{named} of {', '.join(suffixes)}{others}{hint}"
        )
    index = FolderIndex((key, folder / found[key]) for key in sorted(found))
    index.ignored = ignored
    index.directories = directories
    return index


def counted_with_first(names: list[str], noun: str) -> str:
    """Say how many names there are, and the first of them.

    Examples
    --------
    >>> counted_with_first(["a.webp", "b.webp"], "other file")
    '2 other files, the first a.webp'
    """
    if len(names) == 1:
        return f"1 {noun}, {printable(names[0])}"
    return f"{len(names):,} {noun}s, the first {printable(names[0])}"


def pair(
    gt_root: str | os.PathLike[str],
    pred_roots: Mapping[str, str | os.PathLike[str]],
    *,
    image_root: str | os.PathLike[str] | None = None,
    gt_prefix: str = "",
    gt_suffix: str = "",
    pred_prefix: str = "",
    pred_suffix: str = "",
    image_prefix: str = "",
    image_suffix: str = "",
    suffixes: tuple[str, ...] = SUFFIXES,
) -> PairList:
    """Pair every ground truth with its prediction by each method, by name without extension.

    Parameters
    ----------
    gt_root : path-like
        Folder of the ground truths.
    pred_roots : mapping of str to path-like
        Method name to folder of predictions.
    image_root : path-like, optional
        Folder of the photographs; those without a ground truth do not matter.
    gt_prefix, gt_suffix, pred_prefix, pred_suffix, image_prefix, image_suffix : str
        Parts of the file names to leave off before comparing, as in `index_folder`.
    suffixes : tuple of str
        Extensions of truths and predictions, in lower case.

    Returns
    -------
    PairList
        Everything found; what is missing or extra is listed, not raised.

    Raises
    ------
    InputError
        When a folder cannot be indexed, or shares not a single name with the ground truth; the
        message proposes what would make names match.

    Examples
    --------
    >>> pairs = pair("gt", {"mine": "maps"})           # doctest: +SKIP
    >>> pairs.missing["mine"]                          # doctest: +SKIP
    ['cat', 'dog']
    """
    truths = index_folder(gt_root, prefix=gt_prefix, suffix=gt_suffix, suffixes=suffixes)
    images: dict[str, Path] = {}
    missing_images: list[str] = []
    image_hint = ""
    if image_root is not None:
        found = index_folder(image_root, prefix=image_prefix, suffix=image_suffix)
        images = {key: found[key] for key in truths if key in found}
        missing_images = [key for key in truths if key not in found]
        others = [key for key in found if key not in truths]
        if missing_images and others:
            given = ("", "", image_prefix, image_suffix)
            image_hint = suggest(missing_images, others, given, "photographs")
    pairs = PairList(
        tuple(truths), dict(truths), {}, {}, {}, {}, truths.ignored, {}, {}, images, missing_images,
        image_hint,
    )  # fmt: skip
    given = (gt_prefix, gt_suffix, pred_prefix, pred_suffix)
    for method, root in pred_roots.items():
        index = index_folder(root, prefix=pred_prefix, suffix=pred_suffix, suffixes=suffixes)
        missing = [key for key in truths if key not in index]
        extra = [key for key in index if key not in truths]
        hint = suggest(missing, extra, given) if missing and extra else ""
        if len(extra) == len(index):
            several = len(index) > 1
            none = f"none of its {len(index)} files has" if several else "its one file has not"
            raise InputError(
                f"{printable(root)}: {none} the name of a ground truth "
                f"in {printable(gt_root)} (it has {extra[0]!r}, the ground truth {missing[0]!r})"
                f"{'; ' + hint if hint else ''}"
            )
        pairs.predictions[method] = {key: index[key] for key in truths if key in index}
        pairs.missing[method] = missing
        pairs.extra[method] = extra
        pairs.ignored[method] = index.ignored
        found_as = index.directories
        pairs.directories[method] = [found_as[key] for key in missing if key in found_as]
        if hint:
            pairs.hints[method] = hint
    return pairs


def _entries(root: Path) -> Iterator[tuple[str, str, bool]]:
    """Yield (folder relative to root, with a "/" at its end unless empty; name; is it a file)."""

    def fail(error: OSError) -> None:
        raise InputError(
            f"{printable(error.filename)}: cannot be listed ({error.strerror})"
        ) from error

    top = os.fspath(root)
    seen = set()
    for directory, folders, names in os.walk(top, onerror=fail, followlinks=True):
        status = os.stat(directory)
        if (status.st_dev, status.st_ino) in seen:
            # A link back up (the same folder met twice): its files are indexed already.
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        # In order, so that it does not hang on the file system which of two links is met first.
        folders[:] = sorted(folder for folder in folders if not folder.startswith("."))
        relative = os.path.relpath(directory, top).replace(os.sep, "/")
        within = "" if relative == "." else relative + "/"
        for name in folders:
            yield within, name, False
        for name in names:
            if not name.startswith(".") and name.lower() not in _COMPANIONS:
                yield within, name, True


def _stem(name: str, prefix: str, suffix: str, suffixes: tuple[str, ...]) -> str | None:
    ending = suffix_of(name, suffixes)
    if ending is None:
        return None
    stem = name[: len(name) - len(ending)]
    if len(stem) <= len(prefix) + len(suffix):
        return None
    if not (stem.startswith(prefix) and stem.endswith(suffix)):
        return None
    return stem[len(prefix) : len(stem) - len(suffix)]


def _other_command(name: str, suffixes: tuple[str, ...]) -> str:
    """Return what to say where a folder holds nothing but files that another command measures."""
    if suffix_of(name, suffixes) is not None:
        return ""
    if suffixes == SUFFIXES and suffix_of(name, volumes.SUFFIXES) is not None:
        return "; label volumes are measured with labels=N (in Python by evaluate_volumes)"
    if suffixes == volumes.SUFFIXES and suffix_of(name) is not None:
        return "; `evaluate` measures images"
    return ""


def _normal(name: str) -> str:
    """Return the name in normal form C, bytes that are no Unicode as escapes."""
    return name if name.isascii() else unicodedata.normalize("NFC", printable(name))
