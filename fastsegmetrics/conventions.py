"""The choices that shape a number, as one frozen value: the heart of the evaluation contract."""

from __future__ import annotations

import dataclasses
import difflib
import math
from typing import Any, Literal

from fastsegmetrics.arguments import integer, number, one_of
from fastsegmetrics.errors import InputError

Policy = Literal["published", "strict"]
BothEmpty = Literal["perfect", "undefined"]
OneEmpty = Literal["infinite", "diagonal"]

#: What may be chosen, by name; the other conventions are numbers and switches.
CHOICES: dict[str, tuple[object, ...]] = {
    "policy": ("published", "strict"),
    "both_empty": ("perfect", "undefined"),
    "one_empty": ("infinite", "diagonal"),
    "pred_scale": (None, 1, 255),
    "e_denominator": ("N-1", "N"),
    "resize": ("error", "bilinear"),
    "missing": ("error", "skip", "zero"),
}

#: Where the numbers lie, from and to, both included.
NUMBERS: dict[str, tuple[float, float]] = {
    "gt_threshold": (-math.inf, math.inf),
    "beta2": (0.0, math.inf),
    "weighted_beta2": (0.0, math.inf),
    "alpha": (0.0, 1.0),
    "tolerance": (0.0, math.inf),
}


@dataclasses.dataclass(frozen=True)
class Conventions:
    """Every convention that can change a value.

    Parameters
    ----------
    policy : {"published", "strict"}
        ``"published"`` gives the literature's number in degenerate cases, ``"strict"`` the
        mathematically right one (``docs/empty_cases.md``).
    both_empty : {"perfect", "undefined"}
        Under ``"strict"`` only: the value of F, IoU, Dice, precision and recall when neither the
        truth nor the binarised prediction has a foreground pixel: 1 or NaN.  So of the surface
        scores, whose distances are 0 or NaN then.
    one_empty : {"infinite", "diagonal"}
        The distances of the surface scores when only one of them has a foreground pixel: infinite,
        which no mean holds, or the length √(H² + W²) of the image's diagonal.
    stretch : bool
        Stretch each prediction to [0, 1] by its own minimum and maximum, as the saliency
        literature does.  A constant map is left as it is.  Target and surface scores never stretch
        (``Score.stretched`` in the catalogue, and their representation, say so).
    pred_scale : {None, 1, 255}
        Full scale of the prediction's numbers.  ``None``: 255 for integers, 1 for floats.
    gt_threshold : float or None
        Foreground iff the truth's value is greater than this.  ``None``: booleans as they are,
        8-bit masks > 128.
    clip : bool
        Clip predictions to their scale instead of refusing values outside it.
    beta2 : float
        β² of the F-measure ``f_beta`` (0.3 in the saliency literature); ``f1`` always uses 1.
    weighted_beta2 : float
        β² of the weighted F-measure (1 in the literature).
    alpha : float
        Weight of the object term of the S-measure, in [0, 1].
    e_denominator : {"N-1", "N"}
        Divisor of the E-measure: the literature's programs divide by N − 1, the definition by N.
    tolerance : float
        Distance in pixels up to which a surface point counts as right for ``nsd`` (2: there is no
        customary value; it should be what annotators differ by).
    bins : int
        Number n of thresholds i/n, i = 0…n − 1, of the target scores' curves.
    resize : {"error", "bilinear"}
        What is done, by folder runs, with a prediction whose size is not its truth's.
    missing : {"error", "skip", "zero"}
        What is done, by folder runs, with a truth that has no prediction: ``"zero"`` scores an
        all-zero map in its place.

    Raises
    ------
    InputError
        When a value is none of its parameter's choices.

    Examples
    --------
    >>> Conventions(policy="strict").both_empty
    'perfect'
    """

    policy: Policy = "published"
    both_empty: BothEmpty = "perfect"
    one_empty: OneEmpty = "infinite"
    stretch: bool = True
    pred_scale: Literal[None, 1, 255] = None
    gt_threshold: float | None = None
    clip: bool = False
    beta2: float = 0.3
    weighted_beta2: float = 1.0
    alpha: float = 0.5
    e_denominator: Literal["N-1", "N"] = "N-1"
    tolerance: float = 2.0
    bins: int = 10
    resize: Literal["error", "bilinear"] = "error"
    missing: Literal["error", "skip", "zero"] = "error"

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            object.__setattr__(self, name, one_of(name, getattr(self, name), choices))
        for name in ("stretch", "clip"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name} must be True or False; received {getattr(self, name)!r}")
        if self.both_empty == "undefined" and self.policy != "strict":
            raise InputError(
                f"both_empty='undefined' needs policy='strict'; received policy={self.policy!r}"
            )
        for name, bounds in NUMBERS.items():
            if name != "gt_threshold" or self.gt_threshold is not None:
                object.__setattr__(self, name, number(name, getattr(self, name), *bounds))
        object.__setattr__(self, "bins", integer("bins", self.bins, 1))

    @classmethod
    def of(cls, **choices: Any) -> Conventions:
        """Build from keywords, naming the nearest parameter when one is unknown."""
        known = {field.name for field in dataclasses.fields(cls)}
        for name in choices:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise InputError(f"unknown argument {name!r}{hint}")
        return cls(**choices)

    def to_dict(self) -> dict[str, object]:
        """Return the choices by name, in declaration order."""
        return dataclasses.asdict(self)
