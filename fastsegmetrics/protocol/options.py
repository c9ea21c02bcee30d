"""The option sets of stages 1 to 3: what the prediction is seen as, what is compared, with what.

Every option is a frozen value with a short text, a place in the design paper's numbering and the
words of its convention; nothing else in the package says these things again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from fastsegmetrics.errors import InputError
from fastsegmetrics.protocol import costs
from fastsegmetrics.protocol.option import Option, one_of, the_number


@dataclass(frozen=True)
class _OfMaps(Option):
    """What all representations share: ``stretch="never"`` reads the map as it is, whatever the
    conventions say of others."""

    stretch: Literal["", "never"] = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        one_of(self, "stretch", ("", "never"))

    @property
    def _reading(self) -> str:
        return ", P never stretched" if self.stretch else ""


@dataclass(frozen=True)
class Soft(_OfMaps):
    """Stage 1: the map as it is."""

    kind: ClassVar[str] = "soft"
    identifier: ClassVar[str] = "S1-1"

    @property
    def words(self) -> str:
        """The convention in words."""
        return f"soft: P in [0, 1]{self._reading}"


@dataclass(frozen=True)
class Fixed(_OfMaps):
    """Stage 1: one partition, ``P > t`` or ``P >= t``."""

    kind: ClassVar[str] = "fixed"
    identifier: ClassVar[str] = "S1-2"

    t: float = 0.5
    keep: Literal[">", ">="] = ">"

    def __post_init__(self) -> None:
        super().__post_init__()
        the_number(self, "t", 0.0, 1.0)
        one_of(self, "keep", (">", ">="))

    @property
    def words(self) -> str:
        """The convention in words."""
        return f"fixed: P {self.keep.replace('>=', '≥')} {self.t:g}{self._reading}"


@dataclass(frozen=True)
class Adaptive(_OfMaps):
    """Stage 1: one partition at ``min(factor · mean P, cap)``, of the map or of each local map."""

    kind: ClassVar[str] = "adaptive"
    identifier: ClassVar[str] = "S1-3"

    factor: float = 2.0
    cap: float = 1.0
    of: Literal["image", "target"] = "image"

    def __post_init__(self) -> None:
        super().__post_init__()
        the_number(self, "factor", 0.0, 1e6)
        the_number(self, "cap", 0.0, 1.0)
        one_of(self, "of", ("image", "target"))

    @property
    def words(self) -> str:
        """The convention in words."""
        local = " of each target's map" if self.of == "target" else ""
        return f"adaptive: P ≥ min({self.factor:g}·mean P, {self.cap:g}){local}{self._reading}"


@dataclass(frozen=True)
class Dynamic(_OfMaps):
    """Stage 1: a sequence of partitions, over 8-bit levels or over bins of [0, 1].

    Levels: ``level >= t`` for t = 0…n − 1 (n 256 or 257), level = ⌊255·P⌋.  Bins: ``P > i/n`` for
    i = 0…n − 1 (``keep=">="`` for ``P >= i/n``), thresholds as
    ``linspace(0, 1, n, endpoint=False)`` rounds them; n is the conventions' ``bins`` unless given.
    """

    kind: ClassVar[str] = "dynamic"
    identifier: ClassVar[str] = "S1-4"

    over: Literal["levels", "bins"] = "levels"
    n: int = 0
    keep: Literal["", ">", ">="] = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self, "over", ("levels", "bins"))
        default = ">=" if self.over == "levels" else ">"
        object.__setattr__(self, "keep", self.keep or default)
        if self.over == "levels":
            object.__setattr__(self, "n", self.n or 256)
            one_of(self, "n", (256, 257))
            one_of(self, "keep", (">=",))
        else:
            the_number(self, "n", 0, 1 << 16, whole=True)
            one_of(self, "keep", (">", ">="))

    def steps(self, bins: int) -> int:
        """Return the number of thresholds, under conventions that say how many bins there are."""
        return self.n or bins

    @property
    def words(self) -> str:
        """The convention in words."""
        if self.over == "levels":
            sequence = f"level ≥ t for t = 0…{self.n - 1}, level = ⌊255·P⌋"
        else:
            sign = self.keep.replace(">=", "≥")
            sequence = f"P {sign} t for t = i·(1/n), i = 0…n − 1, n = {self.n or 'bins'}"
        return f"dynamic: {sequence}{self._reading}"


Representation: TypeAlias = Soft | Fixed | Adaptive | Dynamic

Form = Literal["region", "edge", "boundary", "skeleton", "band"]
#: The forms of a target, with the letter that they add to the identifier.
FORMS: dict[str, str] = {"region": "a", "edge": "b", "skeleton": "c", "boundary": "d", "band": "e"}
_FORM_WORDS = {
    "region": "region",
    "edge": "edge (Sobel)",
    "boundary": "inner boundary",
    "skeleton": "region and skeleton",
    "band": "inner band of max(1, round(0.02·diagonal)) px",
}


@dataclass(frozen=True)
class Whole(Option):
    """Stage 2: the image is one target."""

    kind: ClassVar[str] = "whole"

    form: Form = "region"

    def __post_init__(self) -> None:
        one_of(self, "form", tuple(FORMS))

    @property
    def identifier(self) -> str:
        """Place in the paper's numbering: S2-1 and a letter for the form."""
        return f"S2-1{FORMS[self.form]}"

    @property
    def words(self) -> str:
        """The convention in words."""
        return f"whole map, {_FORM_WORDS[self.form]}"


@dataclass(frozen=True)
class Components(Option):
    """Stage 2: each connected component is a target.

    Parameters
    ----------
    form : {"region", "edge", "boundary", "skeleton", "band"}
        What of a target is compared.
    on : {"gt", "both"}
        Whether the truth alone is parsed, or the prediction too, so that targets can be matched.
    connectivity : {4, 8}
        Which pixels touch.
    min_area : int
        Smaller components are no targets.
    small : {"drop", "largest"}
        If all components of the truth are smaller: there is no target, or all of the largest area
        are targets.
    empty : {"undefined", "whole"}
        A truth without a target: nothing to score, or the whole image is the one target.
    encoding : {"mask", "box"}
        What of the maps belongs to a target: its own pixels, or its bounding box (of a matched
        pair the box around both).  The rest of the image is zero in both maps, and counted.
    cut : float, optional
        For a soft map parsed on both sides: the components of the prediction are those of P > cut.
    """

    kind: ClassVar[str] = "components"

    form: Form = "region"
    on: Literal["gt", "both"] = "gt"
    connectivity: Literal[4, 8] = 8
    min_area: int = 1
    small: Literal["drop", "largest"] = "drop"
    empty: Literal["undefined", "whole"] = "undefined"
    encoding: Literal["mask", "box"] = "box"
    cut: float | None = None

    def __post_init__(self) -> None:
        one_of(self, "form", tuple(FORMS))
        one_of(self, "on", ("gt", "both"))
        one_of(self, "connectivity", (4, 8))
        the_number(self, "min_area", 1, 1 << 40, whole=True)
        one_of(self, "small", ("drop", "largest"))
        one_of(self, "empty", ("undefined", "whole"))
        one_of(self, "encoding", ("mask", "box"))
        if self.cut is not None:
            the_number(self, "cut", 0.0, 1.0)

    @property
    def identifier(self) -> str:
        """Place in the paper's numbering: S2-2 and a letter for the form."""
        return f"S2-2{FORMS[self.form]}"

    @property
    def words(self) -> str:
        """The convention in words."""
        side = "the truth" if self.on == "gt" else "truth and prediction"
        rules = [f"{self.connectivity}-connected"]
        if self.min_area > 1:
            rules.append(f"≥ {self.min_area} pixels")
        if self.small == "largest":
            rules.append("else the largest")
        if self.cut is not None:
            rules.append(f"the prediction's of P > {self.cut:g}")
        form = "" if self.form == "region" else f", {_FORM_WORDS[self.form]}"
        shape = "boxes" if self.encoding == "box" else "masks"
        return f"components of {side} ({', '.join(rules)}), as {shape}{form}"


Target: TypeAlias = Whole | Components

Unmatched = Literal["drop", "empty"]
_UNMATCHED_WORDS = {"drop": "", "empty": "; unmatched targets against an empty map"}


@dataclass(frozen=True)
class Pixelwise(Option):
    """Stage 3: what is at one place belongs together."""

    kind: ClassVar[str] = "pixelwise"
    identifier: ClassVar[str] = "S3-1"

    @property
    def words(self) -> str:
        """The convention in words."""
        return "pixelwise"


@dataclass(frozen=True)
class Nearest(Option):
    """Stage 3: each point of either side belongs to the nearest point of the other.

    For shares of points that are found, `within` is the largest distance, in pixels, or as a share
    of the image's diagonal that is rounded up to pixels (``unit="diagonal"``).
    """

    kind: ClassVar[str] = "nearest"
    identifier: ClassVar[str] = "S3-7"

    within: float | None = None
    unit: Literal["pixel", "diagonal"] = "pixel"

    def __post_init__(self) -> None:
        one_of(self, "unit", ("pixel", "diagonal"))
        if self.within is not None:
            the_number(self, "within", 0.0, 1e9 if self.unit == "pixel" else 1.0)
        elif self.unit == "diagonal":
            raise InputError("nearest: unit=diagonal is of within, which is not given")

    def limit(self, shape: tuple[int, int]) -> float:
        """Return the largest distance in pixels, in an image of a shape; inf if there is none."""
        if self.within is None:
            return math.inf
        if self.unit == "pixel":
            return self.within
        return float(math.ceil(self.within * math.hypot(*shape)))

    @property
    def words(self) -> str:
        """The convention in words."""
        if self.within is None:
            return "nearest point of the other side"
        limit = f"⌈{self.within:g}·diagonal⌉" if self.unit == "diagonal" else f"{self.within:g}"
        return f"nearest point of the other side, found if within δ = {limit} px"


@dataclass(frozen=True)
class _OfTargets(Option):
    """What all rules that match targets share: what becomes of a target without a partner."""

    unmatched: Unmatched = "drop"

    def __post_init__(self) -> None:
        one_of(self, "unmatched", ("drop", "empty"))

    @property
    def _rest(self) -> str:
        return _UNMATCHED_WORDS[self.unmatched]


@dataclass(frozen=True)
class Overlap(_OfTargets):
    """Stage 3: truths in label order, each takes the free prediction of the largest IoU ≥ `iou`.

    Above one half at most one prediction qualifies, whatever the order.
    """

    kind: ClassVar[str] = "overlap"
    identifier: ClassVar[str] = "S3-2"

    iou: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        the_number(self, "iou", 1e-9, 1.0)

    @property
    def words(self) -> str:
        """The convention in words."""
        return f"overlap: IoU ≥ {self.iou:g}{self._rest}"


@dataclass(frozen=True)
class Hungarian(_OfTargets):
    """Stage 3: the one-to-one assignment of least total cost, of which pairs below `limit` stand.

    ``cost="distance"``: between centroids, in pixels; ``cost="overlap"`` and ``"dice"``: 1 − IoU
    and 1 − Dice, of which 1 (no common pixel) is no pair; any other is a function of the user's,
    see `costs.register_cost`.  ``limited="after"`` assigns everything
    and undoes the pairs beyond the limit; ``"before"`` lets no pair beyond it take part: what it
    leaves alone costs the limit, so that nothing far away decides what is near.
    """

    kind: ClassVar[str] = "hungarian"
    identifier: ClassVar[str] = "S3-3"

    cost: str = "distance"
    limit: float | None = None
    limited: Literal["after", "before"] = "after"

    def __post_init__(self) -> None:
        super().__post_init__()
        costs.require(self.cost)
        if self.limit is not None:
            the_number(self, "limit", 0.0, 1e9)
        one_of(self, "limited", ("after", "before"))
        if self.limited == "before" and self.limit is None:
            raise InputError("hungarian: limited must be after where there is no limit")

    @property
    def words(self) -> str:
        """The convention in words."""
        pairs = "pairs" if self.limited == "after" else "of none but pairs"
        limit = "" if self.limit is None else f", {pairs} < {self.limit:g}"
        return f"minimum-cost assignment by {costs.words(self.cost)}{limit}{self._rest}"


@dataclass(frozen=True)
class OPDC(_OfTargets):
    """Stage 3: overlap first, then distance (the rule of hIoU).

    Assignment by centroid distance, of which pairs of IoU ≥ `iou` stand; among what is left
    another one, of which pairs nearer than `distance` stand.
    """

    kind: ClassVar[str] = "opdc"
    identifier: ClassVar[str] = "S3-4"

    iou: float = 0.5
    distance: float = 3.0

    def __post_init__(self) -> None:
        super().__post_init__()
        the_number(self, "iou", 0.0, 1.0)
        the_number(self, "distance", 0.0, 1e9)

    @property
    def words(self) -> str:
        """The convention in words."""
        return f"OPDC: IoU ≥ {self.iou:g}, then distance < {self.distance:g} px{self._rest}"


@dataclass(frozen=True)
class Greedy(_OfTargets):
    """Stage 3: truths in label order, each takes the first free prediction nearer than `limit`."""

    kind: ClassVar[str] = "greedy"
    identifier: ClassVar[str] = "S3-5"

    limit: float = 3.0

    def __post_init__(self) -> None:
        super().__post_init__()
        the_number(self, "limit", 0.0, 1e9)

    @property
    def words(self) -> str:
        """The convention in words."""
        return f"greedy: first centroid nearer than {self.limit:g} px{self._rest}"


@dataclass(frozen=True)
class Shooting(Option):
    """Stage 3: a truth is hit by any predicted pixel in its neighbourhood; no pairs are made.

    Hit within the square of half-size `near` of any of its pixels; predicted pixels outside those
    of half-size `far` of all truths are false.
    """

    kind: ClassVar[str] = "shooting"
    identifier: ClassVar[str] = "S3-6"

    near: int = 1
    far: int = 4

    def __post_init__(self) -> None:
        the_number(self, "near", 0, 1 << 16, whole=True)
        the_number(self, "far", 0, 1 << 16, whole=True)

    @property
    def words(self) -> str:
        """The convention in words."""
        near, far = (2 * size + 1 for size in (self.near, self.far))
        return (
            f"shooting: a truth is hit by a predicted pixel in its {near} × {near} neighbourhood, "
            f"predicted pixels are false in no {far} × {far} one"
        )


Matching: TypeAlias = Pixelwise | Nearest | Overlap | Hungarian | OPDC | Greedy | Shooting
