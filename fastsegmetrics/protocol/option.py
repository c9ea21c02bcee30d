"""What all options are: values that are written as ``kind(parameter=value, …)``."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import math
import numbers
import re
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypeVar

from fastsegmetrics.errors import InputError

#: Parameters that are text, also where they look like numbers.
_TEXTS = frozenset({"by", "part"})
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")

Kind = TypeVar("Kind", bound="Option")


class Option:
    """One choice of one stage; subclasses are frozen dataclasses of plain values."""

    kind: ClassVar[str]

    @property
    def words(self) -> str:
        """The convention in words."""
        raise NotImplementedError

    def __str__(self) -> str:
        """Return the short text: parameters at their defaults are left out."""
        return _text(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the kind and every parameter as plain data."""
        values = {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)  # type: ignore[arg-type]
        }
        told = {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}
        return {"kind": self.kind, **told}


# A contract writes the paths of all its metrics, which share most of their options: 20 ms of a run
# of the sweep family without.
@functools.lru_cache(maxsize=1024)
def _text(option: Option) -> str:
    told = [
        f"{field.name}={_written(value)}"
        for field in dataclasses.fields(option)  # type: ignore[arg-type]
        if (value := getattr(option, field.name)) != _resting(option, field)
    ]
    return f"{option.kind}({', '.join(told)})" if told else option.kind


def _resting(option: Option, field: dataclasses.Field[Any]) -> Any:
    """What a parameter would be if the text left it out: some defaults depend on the others."""
    try:
        first = dataclasses.replace(option, **{field.name: field.default})  # type: ignore[type-var]
    except InputError:  # the default does not go with the other parameters
        return field.default
    return getattr(first, field.name)


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return ":".join(map(_written, value))
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)


def made(stage: str, kinds: Iterable[type[Kind]], kind: str, values: Mapping[str, Any]) -> Kind:
    """Return the option of a kind, or say which kinds and parameters a stage has.

    Raises
    ------
    InputError
        When the kind, a parameter or a value is unknown.
    """
    by_kind = {option.kind: option for option in kinds}
    if kind not in by_kind:
        raise InputError(f"{stage} must be one of {', '.join(by_kind)}; {unknown(kind, by_kind)}")
    chosen = by_kind[kind]
    known = [field.name for field in dataclasses.fields(chosen)]  # type: ignore[arg-type]
    for name in values:
        if name not in known:
            takes = f"takes {', '.join(known)}" if known else "takes no parameter"
            raise InputError(f"{stage} {kind} {takes}; {unknown(name, known)}")
    plain = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
    return chosen(**plain)


def unknown(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about a name that is none of those known."""
    by_case = {one.lower(): one for one in known}
    near = difflib.get_close_matches(name.lower(), list(by_case), 1)
    hint = f" (did you mean {by_case[near[0]]}?)" if near else ""
    return f"received {name!r}{hint}"


def read(stage: str, text: str) -> tuple[str, dict[str, Any]]:
    """Split ``kind(parameter=value, …)`` into the kind and its parameters.

    Raises
    ------
    InputError
        When the text has another shape.
    """
    found = re.fullmatch(r"\s*([\w.]+)\s*(?:\((.*)\))?\s*", text, re.DOTALL)
    if found is None:
        raise InputError(f"{stage} must be written kind(parameter=value, …); received {text!r}")
    values: dict[str, Any] = {}
    for part in (found[2] or "").split(","):
        if not part.strip():
            continue
        name, sign, value = part.partition("=")
        if not sign or not value.strip():
            raise InputError(
                f"{stage} {found[1]} takes parameter=value with commas between; received "
                f"{part.strip()!r}"
            )
        if name.strip() in values:
            raise InputError(f"{stage} {found[1]} is given {name.strip()!r} twice")
        text = value.strip()
        values[name.strip()] = text if name.strip() in _TEXTS else _value(text)
    return found[1], values


def _value(text: str) -> Any:
    if ":" in text and all(_NUMBER.fullmatch(part) for part in text.split(":")):
        return tuple(float(part) for part in text.split(":"))
    if _NUMBER.fullmatch(text):
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    return text


def one_of(option: Option, name: str, choices: tuple[object, ...]) -> None:
    """Check a parameter that has few values."""
    value = getattr(option, name)
    if isinstance(value, bool) or value not in choices:
        allowed = ", ".join(str(choice) for choice in choices)
        raise InputError(f"{option.kind}: {name} must be one of {allowed}; received {value!r}")
    # The choice itself and not its equal, so that 4 and 4.0 make one protocol.
    object.__setattr__(option, name, choices[choices.index(value)])


def the_number(option: Option, name: str, low: float, high: float, *, whole: bool = False) -> None:
    """Check a parameter that is a number, and keep it as an int or a float."""
    value = getattr(option, name)
    object.__setattr__(option, name, checked(option.kind, name, value, low, high, whole=whole))


def checked(
    kind: str, name: str, value: Any, low: float, high: float, *, whole: bool = False
) -> float | int:
    """Return a number within its bounds as an int or a float."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not real or not math.isfinite(value) or not low <= value <= high or (whole and value % 1):
        sort = "an integer" if whole else "a number"
        raise InputError(
            f"{kind}: {name} must be {sort} in [{low:g}, {high:g}]; received {value!r}"
        )
    return int(value) if whole else float(value) + 0.0  # 0 and not -0, which has another text
