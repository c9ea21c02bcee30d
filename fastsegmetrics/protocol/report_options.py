"""The option set of stage 5: what is told of thresholds, targets, images and strata."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass
from typing import ClassVar, Literal

from fastsegmetrics.errors import InputError
from fastsegmetrics.protocol.option import Option, checked, one_of

#: Limits of the sizes small, medium and large in pixels, those of COCO: 32² and 96².
SIZE_LIMITS = (1024.0, 9216.0)
#: How an area is drawn through the points of a curve.
RULES: dict[str, str] = {
    "trapezoid": "trapezoids over the curve's own points, sorted stably by x, no end points",
    "step": "steps from recall 0, no interpolation (scikit-learn's average_precision_score)",
    "anchored": "trapezoids from (0, 0) (scikit-learn's roc_auc_score)",
}
_SUMMARIES = {
    "mean": "S5-2",
    "max": "S5-3",
    "auc": "S5-4",
    "survival": "S5-7",
}


def _require_word(name: str, text: object) -> None:
    """Check that a name can stand in the short text, from which it must be read again."""
    if not isinstance(text, str) or text != text.strip() or re.search(r"[,()=/\n]", text):
        raise InputError(
            f"report: {name} must be text without spaces around it and without , ( ) = /; "
            f"received {text!r}"
        )


@dataclass(frozen=True)
class Report(Option):
    """Stage 5: what becomes of the values of all thresholds, targets and images.

    Parameters
    ----------
    summary : {"raw", "mean", "max", "auc", "survival"}
        Of a curve over thresholds: the curve itself (for one partition its value), its mean, its
        maximum, the area under it.  Of matched targets: the share of targets whose pair is better
        than a quality, over all qualities.
    of : {"target", "image", "dataset"}, optional
        Whose curve is summarised.  By default the data set's where there is no other, else the
        image's; for ``"raw"`` there is nothing to choose.
    average : {"images", "targets", "pooled", "balanced"}
        Mean over targets, then over images; over all targets of all images; score of the pooled
        counts; or targets and the background outside them, this one weighted by its share.
    rule : {"trapezoid", "step", "anchored"}
        Of an area.
    by : str, optional
        Strata: ``"size"`` of the target (of the truth's foreground for a whole map),
        ``"column.NAME"``, a column of a table by sample, or ``"halves.NAME"``, the samples up to
        the middle of a column (``easy``) and those above it (``hard``).
    part : str
        The one stratum that is told; all are, by default.
    limits : tuple of float
        Where sizes are divided, in pixels; two limits make small < medium < large.
    quantiles : tuple of float
        Of the distribution over images (over targets with ``average="targets"``), to be told too.
    """

    kind: ClassVar[str] = "report"

    summary: Literal["raw", "mean", "max", "auc", "survival"] = "raw"
    of: Literal["", "target", "image", "dataset"] = ""
    average: Literal["images", "targets", "pooled", "balanced"] = "images"
    rule: Literal["trapezoid", "step", "anchored"] = "trapezoid"
    by: str = ""
    part: str = ""
    limits: tuple[float, ...] = SIZE_LIMITS
    quantiles: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        one_of(self, "summary", ("raw", *_SUMMARIES))
        one_of(self, "of", ("", "target", "image", "dataset"))
        one_of(self, "average", ("images", "targets", "pooled", "balanced"))
        one_of(self, "rule", tuple(RULES))
        if not self.as_it_is and not self.of:
            pooled = self.average in ("pooled", "targets")
            object.__setattr__(self, "of", "dataset" if pooled else "image")
        named = isinstance(self.by, str) and re.fullmatch(r"(column|halves)\.(.+)", self.by)
        if self.by not in ("", "size") and not named:
            raise InputError(
                f"report: by must be size, column.NAME or halves.NAME; received {self.by!r}"
            )
        if named:
            _require_word("by", named[2])
        _require_word("part", self.part)
        self._set_numbers("limits", 0.0, 1e12)
        known = self.strata
        if self.part and known is not None and self.part not in known:
            among = f"one of {', '.join(known)}" if known else "left out without by"
            raise InputError(f"report: part must be {among}; received {self.part!r}")
        self._set_numbers("quantiles", 0.0, 1.0)

    def _set_numbers(self, name: str, low: float, high: float) -> None:
        value = getattr(self, name)
        value = value if isinstance(value, (tuple, list)) else (value,)
        numbers = tuple(float(checked("report", name, one, low, high)) for one in value)
        if list(numbers) != sorted(set(numbers)) or (name == "limits" and not numbers):
            raise InputError(f"report: {name} must ascend; received {value!r}")
        object.__setattr__(self, name, numbers)

    @property
    def as_it_is(self) -> bool:
        """Whether nothing is summed up over thresholds."""
        return self.summary in ("raw", "survival")

    @property
    def column(self) -> str:
        """The column of a table whose values are the strata; "" where there is none."""
        kind, _, name = self.by.partition(".")
        return name if kind == "column" else ""

    @property
    def strata(self) -> tuple[str, ...] | None:
        """Names of the strata; None where a table's column says them."""
        if self.column:
            return None
        if self.by.startswith("halves."):
            return "easy", "hard"
        if not self.by:
            return ()
        if len(self.limits) == 2:
            return "small", "medium", "large"
        bounds = [0.0, *self.limits, math.inf]
        return tuple(f"{low:g}-{high:g}" for low, high in itertools.pairwise(bounds))

    def __str__(self) -> str:
        text = super().__str__()
        if "(" not in text:
            return self.summary
        inner = text[len("report(") : -1].split(", ")
        parts = [part for part in inner if not part.startswith("summary=")]
        return f"{self.summary}({', '.join(parts)})" if parts else self.summary

    def to_dict(self) -> dict[str, object]:
        """Return every parameter as plain data, the summary as the kind."""
        told = super().to_dict()
        told["kind"] = told.pop("summary")
        return told

    @property
    def identifier(self) -> str:
        """Place in the paper's numbering; strata and distributions are added to it."""
        parts = [_SUMMARIES.get(self.summary, "S5-1")]
        parts += ["S5-5"] if self.by else []
        parts += ["S5-6"] if self.quantiles else []
        return "+".join(parts)

    def words_for(self, *, curve: bool, targets: bool, pair: bool = False) -> str:
        """Return the convention in words, of a path with a curve, with targets, of two curves."""
        over = {
            "images": "mean over targets, mean over images" if targets else "mean over images",
            "targets": "mean over all targets of all images",
            "pooled": "counts pooled over all targets of all images"
            if targets
            else "counts pooled over the data set",
            "balanced": "mean over targets and background, mean over images",
        }[self.average]
        area = "" if self.summary != "auc" else f": {RULES[self.rule]}"
        words = self._summary_words(curve, over, pair) + area
        if self.by:
            words += f"; {self._strata_words()}"
        if self.quantiles:
            words += f"; quantiles {', '.join(f'{q:g}' for q in self.quantiles)}"
        return words

    def _strata_words(self) -> str:
        kind, _, column = self.by.partition(".")
        if kind == "halves" and self.part:
            bound = "above" if self.part == "hard" else "up to"
            return f"images {bound} the data set's middle {column}"
        sizes = ":".join(f"{limit:g}" for limit in self.limits)
        strata = {"size": f"by size ({sizes} px)", "column": f"by {column}",
                  "halves": f"by halves of {column}"}[kind]  # fmt: skip
        return f"{strata}, {self.part} alone" if self.part else strata

    def _summary_words(self, curve: bool, over: str, pair: bool) -> str:
        if self.summary == "raw":
            return f"{'curve' if curve else 'raw value'}, {over}"
        if self.summary == "survival":
            return (
                f"curve over quality q = i/256, i = 0…255: pairs with IoU > q over all targets of "
                f"both sides, {over}; its integral is the value"
            )
        told = {"mean": "mean over thresholds", "max": "maximum over thresholds", "auc": "area"}
        summary = told[self.summary]
        if self.average == "pooled":
            return f"{summary}, {over}"
        own_curves = "curves'" if pair else "curve's"
        if self.of == "dataset":
            return f"{summary} of the {own_curves} {over}"
        own = {"image": "per image", "target": "per target"}[self.of]
        return f"{summary} {own}, {over}"

    @property
    def words(self) -> str:
        """The convention in words, of a path with a curve where it summarises one."""
        return self.words_for(curve=self.summary != "raw", targets=False)
