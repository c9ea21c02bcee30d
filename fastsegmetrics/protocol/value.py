"""A metric as a path through five option sets: a frozen value that is written, read and hashed."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fastsegmetrics.errors import InputError
from fastsegmetrics.protocol import option, options, validity
from fastsegmetrics.protocol.options import Components, Dynamic, Matching, Representation, Target
from fastsegmetrics.protocol.report_options import Report
from fastsegmetrics.protocol.score_options import LOWER, OF_PHOTOGRAPHS, Score
from fastsegmetrics.statistics.targets import N_QUALITIES

STAGES = ("representation", "target", "matching", "score", "report")

#: The options of each stage.
KINDS: dict[str, tuple[type[option.Option], ...]] = {
    "representation": (options.Soft, options.Fixed, options.Adaptive, options.Dynamic),
    "target": (options.Whole, options.Components),
    "matching": (
        options.Pixelwise, options.Nearest, options.Overlap, options.Hungarian, options.OPDC,
        options.Greedy, options.Shooting,
    ),
    "score": (Score,),
    "report": (Report,),
}  # fmt: skip


@dataclass(frozen=True)
class Protocol:
    """One path through the five stages.

    Equal paths are equal values with one text, one hash and one number.  The constants of the
    scores (β², α, …) and the policy of degenerate cases are not part of it: they are the
    `Conventions` it runs under.

    Parameters
    ----------
    representation, target, matching, score, report : Option
        One option of each stage.

    Raises
    ------
    InputError
        When the path makes no sense; the message says why.

    Examples
    --------
    >>> path = Protocol.parse("fixed / components(form=skeleton) / pixelwise / recall / raw")
    >>> path.target.connectivity, path.identifiers
    (8, 'S1-2 S2-2c S3-1 S4-2 S5-1')
    >>> Protocol.parse(str(path)) == path
    True
    """

    representation: Representation
    target: Target
    matching: Matching
    score: Score
    report: Report

    def __post_init__(self) -> None:
        why = validity.reason(self)
        if why is not None:
            raise InputError(f"the path makes no sense: {why}")

    @classmethod
    def parse(cls, text: str) -> Protocol:
        """Read the short text: five stages with `` / `` between, parameters in parentheses.

        Raises
        ------
        InputError
            When the text has another shape or the path makes no sense.
        """
        if not isinstance(text, str):
            raise InputError(f"the text of a protocol must be a string; received {text!r}")
        stages = [part.strip() for part in text.split("/")]
        if len(stages) != len(STAGES) or not all(stages):
            raise InputError(f"a protocol must be written {' / '.join(STAGES)}; received {text!r}")
        return cls.from_dict(dict(zip(STAGES, stages, strict=True)))

    @classmethod
    def from_dict(cls, stages: Mapping[str, Any]) -> Protocol:
        """Read what `to_dict` returned; a stage may also be its short text, or be left out.

        Stages left out are ``fixed``, ``whole``, ``pixelwise`` and ``raw``; the score is needed.

        Raises
        ------
        InputError
            When a stage is unknown, has another shape, or the path makes no sense.
        """
        for name in stages:
            if name not in STAGES:
                raise InputError(
                    f"the stages of a protocol are {', '.join(STAGES)}; received {name!r}"
                )
        if "score" not in stages:
            raise InputError("a protocol needs a score; received none")
        told = {"representation": "fixed", "target": "whole", "matching": "pixelwise",
                "report": "raw", **stages}  # fmt: skip
        return cls(**{name: _stage(name, told[name]) for name in STAGES})

    def __str__(self) -> str:
        return " / ".join([str(getattr(self, name)) for name in STAGES])

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return every parameter of every stage as plain data."""
        return {name: getattr(self, name).to_dict() for name in STAGES}

    @property
    def hash(self) -> str:
        """First 16 hexadecimal digits of the SHA-256 of all parameters."""
        text = json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def name(self) -> str:
        """What it is called where nobody names it: its score and the half of its hash."""
        return f"{self.score.name}@{self.hash[:8]}"

    def to_toml(self, name: str = "") -> str:
        """Return the stages as TOML, as a table of this name if there is one."""
        head = f"[{json.dumps(name, ensure_ascii=False)}]\n" if name else ""
        lines = (f"{stage} = {json.dumps(str(getattr(self, stage)))}\n" for stage in STAGES)
        return head + "".join(lines)

    @property
    def identifiers(self) -> str:
        """The five places in the design paper's numbering, ``S1-1 S2-1a S3-1 S4-1 S5-1``."""
        return " ".join(getattr(self, name).identifier for name in STAGES)

    @property
    def direction(self) -> Literal["higher", "lower"]:
        """Whether higher or lower values are better."""
        return "lower" if self.score.name in LOWER else "higher"

    @property
    def needs_image(self) -> bool:
        """Whether it looks at the photograph."""
        return self.score.name in OF_PHOTOGRAPHS

    @property
    def has_curve(self) -> bool:
        """Whether there is a value for each of several thresholds."""
        return isinstance(self.representation, Dynamic)

    @property
    def tells_curve(self) -> bool:
        """Whether what is told is a curve and not a number."""
        return self.report.summary == "survival" or (
            self.has_curve and self.report.summary == "raw"
        )

    def n_points(self, bins: int) -> int:
        """Return the length of the curve that is told, under conventions with so many bins."""
        if isinstance(self.representation, Dynamic):
            return self.representation.steps(bins)
        return N_QUALITIES

    def words(self) -> dict[str, str]:
        """Return each stage in the words of its convention."""
        report = self.report.words_for(
            curve=self.has_curve,
            targets=isinstance(self.target, Components) and self.score.mode != "targets",
            pair=self.score.mode == "curves",
        )
        told = {name: getattr(self, name).words for name in STAGES[:4]}
        return {**told, "report": report}

    def differences(self, other: Protocol) -> dict[str, tuple[str, str]]:
        """Return the stages in which two protocols differ, with both texts."""
        pairs = {name: (str(getattr(self, name)), str(getattr(other, name))) for name in STAGES}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}

    def replace(self, **stages: Any) -> Protocol:
        """Return the path with other stages, each as an option or as its short text."""
        read = {name: _stage(name, stage) for name, stage in stages.items()}
        return dataclasses.replace(self, **read)


def _stage(name: str, given: Any) -> Any:
    if name not in STAGES:
        raise InputError(f"the stages of a protocol are {', '.join(STAGES)}; received {name!r}")
    if isinstance(given, KINDS[name]):
        return given
    if isinstance(given, str):
        kind, values = option.read(name, given)
    elif isinstance(given, Mapping) and isinstance(given.get("kind"), str):
        values = {key: value for key, value in given.items() if key != "kind"}
        kind = given["kind"]
    else:
        raise InputError(f"{name} must be a short text or have a kind; received {given!r}")
    if name == "score":
        if values:
            raise InputError(f"score {kind} takes no parameter: its constants are conventions")
        return Score(kind)
    if name == "report":
        return option.made("report", (Report,), "report", {"summary": kind, **values})
    if name == "target" and kind in options.FORMS:
        if values:
            raise InputError(
                f"target {kind} takes no parameter, it is the whole map; targets are "
                f"components(form={kind}, …)"
            )
        return options.Whole(kind)  # type: ignore[arg-type]
    return option.made(name, KINDS[name], kind, values)


def is_text(name: str) -> bool:
    """Whether a name is the short text of a protocol rather than the name of a metric."""
    return "/" in name


def load(path: str | Path) -> dict[str, Protocol]:
    """Read the protocols of a TOML file by name.

    Each table is a protocol; its keys are the stages, each a short text or a table with a kind, or
    the one key ``path``, the whole short text.  Stages at the top of the file are one protocol
    that is called as the file.

    Raises
    ------
    InputError
        When the file cannot be read, is no TOML, or a protocol in it is none; the message names
        the file and the protocol.
    """
    place = Path(path)
    try:
        # Editors of Windows begin a file with a byte-order mark.
        loaded = _toml(place.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise InputError(f"{path}: is no TOML ({error})") from error
    tables = {place.stem: loaded} if "score" in loaded or "path" in loaded else loaded
    if not tables:
        raise InputError(f"{path}: holds no protocol")
    found = {}
    for name, table in tables.items():
        try:
            found[name] = _of_table(table)
        except InputError as error:
            raise InputError(f"{path}, {name}: {error}") from error
    return found


def _of_table(table: Any) -> Protocol:
    if not isinstance(table, Mapping):
        raise InputError(f"a protocol must be a table of stages; received {table!r}")
    if "path" not in table:
        return Protocol.from_dict(table)
    if len(table) > 1 or not isinstance(table["path"], str):
        raise InputError("path must be the whole short text, without stages beside it")
    return Protocol.parse(table["path"])


def _toml(text: str) -> dict[str, Any]:
    # Python has a reader of its own since 3.11.
    reader = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    loaded: dict[str, Any] = reader.loads(text)
    return loaded


def split_list(text: str) -> list[str]:
    """Split a list of names and protocols at the commas that stand outside parentheses."""
    return re.split(r",(?![^(]*\))", text)
