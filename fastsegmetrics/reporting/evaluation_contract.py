"""What a segmentation report has to say about how it measured, as a file beside its numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fastsegmetrics
from fastsegmetrics.errors import InputError
from fastsegmetrics.reporting.plain import json_text

if TYPE_CHECKING:
    from fastsegmetrics.results import Contract

#: The named conventions of a 95th percentile of surface distances.
HD95_CONVENTIONS = ("max", "pooled", "mean", "inverse_cdf")
NOT_STATED = "not stated"
#: What stands for the convention where several are reported, each under a name of its own.
BY_NAME = "by name"


@dataclass(frozen=True, kw_only=True)
class EvaluationContract:
    """The choices that decide what the numbers of a report mean; write it before comparing.

    Parameters
    ----------
    foreground : str
        What is foreground: the structure, and the values that mean it.
    alignment : str
        How prediction and truth came to one grid: resampling, cropping, registration.
    ignored_regions : str
        Which pixels are left out, and by whose label.
    spacing : sequence of float or "per case"
        In the order of the arrays' axes.
    unit : str
        Of the spacing and of every distance and size.
    threshold : str or float
        What turned probabilities into a mask.
    postprocessing : str
    boundary : str
        What the surface points are.
    empty_masks : str
        What a score is where one mask or both are empty.
    hd95 : {"max", "pooled", "mean", "inverse_cdf", "by name", "not used"}
        "by name" where several are reported, each under a name of its own.
    aggregation : str
        The axis of every mean: cases, classes, pixels pooled, ….
    sampling_unit : str
        The independent unit of splits and intervals: case, patient, video.
    tuned_on : str
        The data that every threshold and setting was chosen on.
    test_set : str
        The locked data that the numbers are of.

    Raises
    ------
    InputError
        When a text is empty, `spacing` is not positive, or `hd95` is no convention.

    Notes
    -----
    What is not given is "not stated", in the file too; `unstated` lists it.

    Examples
    --------
    >>> contract = EvaluationContract(foreground="tumour, label 2", threshold=0.5, hd95="pooled")
    >>> contract.to_dict()["threshold"], contract.unstated[:3]
    (0.5, ('alignment', 'ignored_regions', 'spacing'))
    """

    foreground: str = NOT_STATED
    alignment: str = NOT_STATED
    ignored_regions: str = NOT_STATED
    spacing: Any = NOT_STATED
    unit: str = NOT_STATED
    threshold: str | float = NOT_STATED
    postprocessing: str = NOT_STATED
    boundary: str = NOT_STATED
    empty_masks: str = NOT_STATED
    hd95: str = NOT_STATED
    aggregation: str = NOT_STATED
    sampling_unit: str = NOT_STATED
    tuned_on: str = NOT_STATED
    test_set: str = NOT_STATED

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            number = field.name == "threshold" and isinstance(value, (int, float))
            if number and not math.isfinite(value):
                raise InputError(f"threshold must be a text or a finite number; received {value!r}")
            if field.name == "spacing" or number:
                continue
            if not isinstance(value, str) or not value.strip():
                raise InputError(f"{field.name} must be a text that says it; received {value!r}")
        if self.hd95 not in (*HD95_CONVENTIONS, BY_NAME, "not used", NOT_STATED):
            allowed = ", ".join(map(repr, (*HD95_CONVENTIONS, BY_NAME, "not used")))
            raise InputError(f"hd95 must be one of {allowed}; received {self.hd95!r}")
        object.__setattr__(self, "spacing", _spacing(self.spacing))

    @property
    def unstated(self) -> tuple[str, ...]:
        """Names of what the contract does not say."""
        return tuple(f.name for f in fields(self) if getattr(self, f.name) == NOT_STATED)

    def to_dict(self) -> dict[str, Any]:
        """Return the contract as plain data, with the version of this package."""
        told = {field.name: getattr(self, field.name) for field in fields(self)}
        if isinstance(self.spacing, tuple):
            told["spacing"] = list(self.spacing)
        return {**told, "fastsegmetrics": fastsegmetrics.__version__}

    def to_json(self) -> str:
        """Return the contract as strict JSON, one line a choice."""
        return json_text(self.to_dict(), indent=2)

    def write(self, path: str | Path) -> None:
        """Write the contract as a JSON file in UTF-8."""
        Path(path).write_text(self.to_json(), encoding="utf-8")


def contract_of_maps(contract: Contract) -> EvaluationContract:
    """Return what a report says of maps that were measured under a contract.

    Parameters
    ----------
    contract : Contract
        That of an `Evaluator` or of a folder run.

    Examples
    --------
    >>> told = contract_of_maps(fastsegmetrics.Evaluator("mae,hd95").result().contract)
    >>> told.hd95, told.unit, told.unstated
    ('max', 'pixel', ('postprocessing', 'tuned_on', 'test_set'))
    """
    chosen, rows = contract.conventions, contract.metrics.values()
    limit = chosen["gt_threshold"]
    values = "booleans as they are, 8-bit values > 128" if limit is None else f"values > {limit:g}"
    resized = chosen["resize"] == "bilinear"
    percentiles = sorted({_HD95[score] for score in map(_score, rows) if score in _HD95})
    representations = [str(row["representation"]) for row in rows]
    stretched = ""
    if chosen["stretch"] and any("never stretched" not in told for told in representations):
        stretched = "; P stretched by its own minimum and maximum unless it says never"
    targets = " ".join(str(row["target"]) for row in rows)
    borders = [told for word, told in _BOUNDARIES.items() if word in targets]
    borders += [str(row["matching"]) for row in rows if _score(row) == "boundary_f"]
    if any(_score(row) == "nsd" for row in rows):
        borders.append(f"NSD within {chosen['tolerance']:g} pixels")
    return EvaluationContract(
        foreground=f"truth: {values}; prediction: by the threshold",
        alignment=(
            "predictions of another size resized bilinearly to their truth, counted"
            if resized
            else "truth and prediction of one size, no resampling"
        ),
        ignored_regions="none",
        spacing=(1.0, 1.0),
        unit="pixel",
        threshold=_listed(representations) + stretched,
        boundary=_listed(borders) or "none",
        empty_masks=(
            f"policy {chosen['policy']}, both empty {chosen['both_empty']}, distances of one empty "
            f"{chosen['one_empty']}, missing predictions {chosen['missing']}; "
            f"undefined and infinite values counted"
        ),
        hd95=(percentiles or ["not used"])[0] if len(percentiles) < 2 else BY_NAME,
        aggregation=_listed(str(row["report"]) for row in rows),
        sampling_unit="image",
    )


_BOUNDARIES = {
    "boundary": "pixels with a 4-neighbour outside, outside the image is background",
    "band": "bands of erosions by a 3 x 3 box, outside the image is background",
}
_HD95 = {
    "hd95": "max", "hd95_pooled": "pooled", "hd95_mean": "mean", "hd95_inverse_cdf": "inverse_cdf",
}  # fmt: skip


def _score(row: Mapping[str, object]) -> str:
    """Return the name of a path's fourth stage, without its arguments."""
    stages = str(row.get("protocol", "")).split(" / ")
    return stages[3].split("(")[0].strip() if len(stages) > 3 else ""


def _listed(texts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(texts))


def _spacing(value: Any) -> Any:
    if isinstance(value, str) and value in (NOT_STATED, "per case"):
        return value
    try:
        given = tuple(float(number) for number in value)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"spacing must be one number per axis or 'per case'; received {value!r}"
        ) from error
    if not given or not all(math.isfinite(number) and number > 0 for number in given):
        raise InputError(f"spacing must be finite and above 0; received {value!r}")
    return given
