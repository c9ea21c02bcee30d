"""Stage 1 for label images: integers of any type become codes of one byte, or one sentence says
why they cannot.

Labels are checked here, before any kernel counts them.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sized
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend
from fastsegmetrics.errors import InputError
from fastsegmetrics.represent import numeric, sealed, words

#: A table of this many labels squared takes 128 MB.
MOST_LABELS = 4096
#: A range of label values up to which a table, and not a search, finds a value's code.
_TABLE = 1 << 16
#: The code of a value that is no label; codes of labels are below 4096.
_UNKNOWN = 0xFFFF


class LabelSet(NamedTuple):
    """The labels that count, in the order of every table of them, and the one that is ignored."""

    values: tuple[int, ...]
    #: Pixels whose *truth* is this label are left out; the prediction is not asked.
    ignored: int | None

    @property
    def known(self) -> tuple[int, ...]:
        """All values that the truth may hold."""
        if self.ignored is None or self.ignored in self.values:
            return self.values
        return (*self.values, self.ignored)

    def __str__(self) -> str:
        first, last, n = self.values[0], self.values[-1], len(self.values)
        run = self.values == tuple(range(first, first + n))
        if run and n > 1:
            return f"{first}..{last}"
        return ", ".join(map(str, self.values[:8])) + (", …" if n > 8 else "")


class LabelPair(NamedTuple):
    """Two label images as flat codes, C-contiguous and read-only.

    Of uint8, codes differ in their low `bits` bits, which may be all that is looked at; of uint16
    `bits` is 0 and the codes are 0…n − 1, in the truth n for what is ignored.
    """

    pred: NDArray[Any]
    gt: NDArray[Any]
    #: int64[n]: the code of each label of the set, in its order.
    codes: NDArray[np.int64]
    bits: int


def label_set(labels: int | Iterable[int], ignore_label: int | None = None) -> LabelSet:
    """Return the labels of a task, checked.

    Parameters
    ----------
    labels : int or iterable of int
        A number n of classes, meaning 0…n − 1, or the distinct label values in any order.
    ignore_label : int, optional
        Pixels whose truth is this label are left out.  It may be one of `labels`.

    Raises
    ------
    InputError
        When there is no label, one is named twice or is no integer, or there are more than 4096.
    """
    if isinstance(labels, str) or not (_is_integer(labels) or isinstance(labels, Iterable)):
        raise InputError(
            f"labels must be a number of classes or the label values; received {labels!r}"
        )
    # Counted before they are listed: there may be a thousand million of them.
    if _is_integer(labels):
        _check_number(max(int(labels), 0))  # type: ignore[arg-type]
        labels = range(int(labels))  # type: ignore[arg-type]
    elif isinstance(labels, Sized):
        _check_number(len(labels))
    values = list(labels)  # type: ignore[arg-type]
    for value in values:
        if not _is_integer(value) or abs(value) > 2**62:
            raise InputError(f"labels must be integers of at most 62 bits; received {value!r}")
    _check_number(len(values))
    chosen = tuple(int(value) for value in values)
    if len(set(chosen)) < len(chosen):
        twice = next(value for value in chosen if chosen.count(value) > 1)
        raise InputError(f"labels must be distinct; {twice} is named twice")
    if ignore_label is not None and not _is_integer(ignore_label):
        raise InputError(f"ignore_label must be an integer or None; received {ignore_label!r}")
    return LabelSet(chosen, None if ignore_label is None else int(ignore_label))


def _check_number(n: int) -> None:
    if not 0 < n <= MOST_LABELS:
        raise InputError(f"labels must name 1 to {MOST_LABELS} classes; received {n} of them")


def check_background(background: int | None, labels: LabelSet) -> None:
    """Refuse a background that is none of the labels."""
    if background is not None and background not in labels.values:
        raise InputError(
            f"background must be one of the labels ({labels}); received {background!r}"
        )


def label_pair(pred: Any, gt: Any, labels: LabelSet) -> LabelPair:
    """Return two label images as codes.

    Parameters
    ----------
    pred, gt : array_like of integers or booleans, any shape, the same for both
        Every value must be a label of the set; the truth may hold the ignored one.  What the
        prediction holds where the truth is ignored is not asked.
    labels : LabelSet
        What `label_set` returns.

    Raises
    ------
    InputError
        On floats, different shapes, no pixel, or a value that is no label (with the first of
        them and its place).
    """
    p, g = _integers(pred, "pred"), _integers(gt, "gt")
    if p.shape != g.shape:
        hint = " (the one is the other's transpose)" if p.shape == g.shape[::-1] else ""
        raise InputError(f"pred and gt must have one shape; received {p.shape} and {g.shape}{hint}")
    # Counting needs no order: volumes in Fortran's, as NIfTI has them, are counted as they lie.
    turn = p.flags.f_contiguous and g.flags.f_contiguous
    p8 = _as_bytes(p.T if turn else p, labels, None)
    g8 = None if p8 is None else _as_bytes(g.T if turn else g, labels, labels.ignored)
    if p8 is None or g8 is None:
        return _coded(p, g, labels)
    return LabelPair(flat(p8), flat(g8), np.array(labels.values), _telling_bits(labels))


class WidePair(NamedTuple):
    """Two label images as flat unsigned integers of one width above 8 bits, not checked yet."""

    pred: NDArray[Any]
    gt: NDArray[Any]
    #: The labels are first…last, and in the truth `ignored`, which is `first` where none is.
    first: int
    last: int
    ignored: int
    bits: int


def wide_pair(pred: Any, gt: Any, labels: LabelSet) -> WidePair | None:
    """Return two label images of one wide type, to be checked while they are counted.

    None where they are something else, or the labels are not a run of numbers up to 255: then
    `label_pair` codes them, or says what is wrong.
    """
    p, g = _integers(pred, "pred"), _integers(gt, "gt")
    first, last = min(labels.values), max(labels.values)
    run = last - first + 1 == len(labels.values) and min(labels.known) >= 0
    if not run or max(labels.known) > 255:
        return None
    if p.shape != g.shape or p.dtype != g.dtype or p.itemsize == 1 or not p.dtype.isnative:
        return None
    turn = p.flags.f_contiguous and g.flags.f_contiguous
    # Read as unsigned, a negative number is a large one: one comparison finds both.
    unsigned = f"u{p.itemsize}"
    p, g = (flat(image.T if turn else image).view(unsigned) for image in (p, g))
    ignored = first if labels.ignored is None else labels.ignored
    return WidePair(p, g, first, last, ignored, _telling_bits(labels))


def _is_integer(value: object) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))


def _integers(array: Any, name: str) -> NDArray[Any]:
    values = numeric(array, name)
    if values.dtype.kind == "b":
        values = values.view(np.uint8)
    if values.dtype.kind not in "ui":
        raise InputError(
            f"{name} must hold integer labels; received dtype {values.dtype} (round and convert it "
            f"first, for example {name}.astype(np.int32))"
        )
    if values.size == 0:
        raise InputError(f"{name} must have at least one pixel; received shape {values.shape}")
    return values


def _as_bytes(
    values: NDArray[Any], labels: LabelSet, ignored: int | None
) -> NDArray[np.uint8] | None:
    """Return values as bytes if that is what they and all labels are; None where some is not."""
    first, last = min(labels.values), max(labels.values)
    extra = first if ignored is None else ignored
    if min(labels.known) < 0 or max(labels.known) > 255:
        return None
    if values.dtype != np.uint8:
        narrow = _narrowed(values)
        if narrow is None:
            return None
        values = narrow
    if last - first + 1 == len(labels.values):
        outside = contingency().any_outside(flat(values), first, last, extra)
    else:
        allowed = np.zeros(256, bool)
        allowed[[*labels.values, extra]] = True
        row = flat(values)
        outside = contingency().any_unknown(row, words(row), allowed)
    return None if outside else values


def _narrowed(values: NDArray[Any]) -> NDArray[np.uint8] | None:
    """Return integers as a row of bytes; None where one is no byte."""
    if values.dtype == np.int8:
        return None if values.min() < 0 else values.view(np.uint8)
    row = flat(values.astype(values.dtype.newbyteorder("="), copy=False))
    narrow = np.empty(row.size, np.uint8)
    # Read as unsigned, a negative number is a large one: one comparison finds both.
    large = contingency().narrow(row.view(f"u{row.itemsize}"), narrow)
    return None if large else narrow


def _telling_bits(labels: LabelSet) -> int:
    """Return the least number of low bits that tell all known bytes apart."""
    known = labels.known
    return next(b for b in range(9) if len({value % (1 << b) for value in known}) == len(known))


def _coded(pred: NDArray[Any], gt: NDArray[Any], labels: LabelSet) -> LabelPair:
    """Give every label its place in the set as its code, and the ignored truth the next one."""
    n = len(labels.values)
    p, g = _codes(pred, labels.values), _codes(gt, labels.values)
    ignored = np.zeros(gt.shape, bool) if labels.ignored is None else gt == labels.ignored
    _refuse((g == _UNKNOWN) & ~ignored, gt, labels, "gt")
    _refuse((p == _UNKNOWN) & ~ignored, pred, labels, "pred")
    g[ignored], p[ignored] = n, 0
    if n >= 256:
        return LabelPair(flat(p), flat(g), np.arange(n), 0)
    return LabelPair(
        flat(p.astype(np.uint8)), flat(g.astype(np.uint8)), np.arange(n), n.bit_length()
    )


def _codes(values: NDArray[Any], labels: tuple[int, ...]) -> NDArray[np.uint16]:
    """Return each value's place among the labels, or that it has none."""
    order = np.argsort(labels)
    ascending = np.array(labels, np.int64)[order]
    if values.dtype == np.uint64:
        # Beyond every label, and no negative number by its bits.
        values = np.minimum(values, np.uint64(2**63 - 1))
    numbers = values.astype(np.int64)
    low, high = int(ascending[0]), int(ascending[-1])
    if high - low >= _TABLE:
        place = np.searchsorted(ascending, numbers).clip(max=len(labels) - 1)
        return np.where(ascending[place] == numbers, order[place], _UNKNOWN).astype(np.uint16)
    table = np.full(high - low + 2, _UNKNOWN, np.uint16)
    table[ascending - low] = order
    numbers[(numbers < low) | (numbers > high)] = high + 1
    codes: NDArray[np.uint16] = table[numbers - low]
    return codes


def _refuse(bad: NDArray[np.bool_], values: NDArray[Any], labels: LabelSet, name: str) -> None:
    if not bad.any():
        return
    where = tuple(int(i) for i in np.unravel_index(int(np.argmax(bad)), bad.shape))
    if name == "pred":
        also = " where gt is not ignored" if labels.ignored is not None else ""
    elif labels.ignored is None:
        also = " (ignore_label=… leaves out the pixels of one more)"
    else:
        also = f" or ignore_label={labels.ignored}"
    raise InputError(
        f"{name} must hold only the labels {labels}{also}; {int(bad.sum())} value(s) break this, "
        f"the first {values[where].item()!r} at {where}"
    )


def flat(values: NDArray[Any]) -> NDArray[Any]:
    """Return a C-contiguous read-only row of pixels: one array type, so one kernel each."""
    return sealed(values).reshape(-1)


def contingency() -> ModuleType:
    """Return the kernels of contingency tables, or their twins under the reference backend."""
    if backend.resolve() == "reference":
        from fastsegmetrics.reference import contingency as rooms
    else:
        from fastsegmetrics.kernels import contingency as rooms  # type: ignore[no-redef]
    return rooms
