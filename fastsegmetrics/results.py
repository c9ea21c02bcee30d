"""Stage 5: per-image values first, aggregates computed from them, and the contract they obey."""

from __future__ import annotations

import contextlib
import csv
import functools
import hashlib
import io
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import fastsegmetrics
from fastsegmetrics.catalog import Direction, Metric, resolve
from fastsegmetrics.errors import InputError, MissingExtraError
from fastsegmetrics.halves import in_half

if TYPE_CHECKING:
    import pandas

    from fastsegmetrics.conventions import Conventions


@dataclass(frozen=True)
class Aggregate:
    """One number of a data set, with the count of what it is made of.

    Attributes
    ----------
    name : str
        The metric's name in the catalogue.
    value : float
        NaN when no sample could be used.
    n_expected : int
        Samples that the data set has.
    n_used : int
        Samples that `value` is made of.
    n_undefined, n_infinite : int
        Samples evaluated and left out because their value is undefined (NaN) or infinite.
    direction : {"higher", "lower"}
        Which values are better.
    """

    name: str
    value: float
    n_expected: int
    n_used: int
    n_undefined: int
    n_infinite: int
    direction: Direction

    def __float__(self) -> float:
        return self.value

    def __format__(self, specification: str) -> str:
        return format(self.value, specification) if specification else str(self)


@dataclass(frozen=True)
class Contract:
    """Everything that shaped a number, as data: two runs compare only if these agree.

    ``hash`` covers the conventions and the metrics' five stages, not the package versions.
    """

    conventions: Mapping[str, object]
    metrics: Mapping[str, Mapping[str, object]]
    versions: Mapping[str, str]
    strata: Mapping[str, object] | None = None

    @classmethod
    def of(
        cls,
        metrics: tuple[Metric, ...],
        conventions: Conventions,
        strata: Mapping[str, object] | None = None,
    ) -> Contract:
        """Describe a set of metrics under a set of conventions."""
        rows = {
            metric.name: {
                **metric.path.to_dict(),
                **({} if metric.protocol is None else {"protocol": str(metric.protocol)}),
                "direction": metric.direction,
                "empty_cases": metric.score.empty,
                "citation": metric.score.citation,
            }
            for metric in metrics
        }
        return cls(conventions.to_dict(), rows, dict(_versions()), strata)

    @property
    def hash(self) -> str:
        """First 16 hexadecimal digits of the SHA-256 of conventions and metrics."""
        told = {"conventions": dict(self.conventions), "metrics": self.metrics, **self._strata}
        text = json.dumps(told, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_dict(self) -> dict[str, object]:
        """Return the contract, with its hash, as plain data."""
        return {
            "hash": self.hash,
            "conventions": dict(self.conventions),
            "metrics": {name: dict(row) for name, row in self.metrics.items()},
            "versions": dict(self.versions),
            **self._strata,
        }

    @property
    def _strata(self) -> dict[str, object]:
        return {} if self.strata is None else {"strata": dict(self.strata)}


class Result(Mapping[str, Aggregate]):
    """The aggregates of one method on one data set, and the per-image values behind them.

    Attributes
    ----------
    aggregates : dict of str to Aggregate
        By metric name; the result itself is a mapping with the same content.
    curves : dict of str to ndarray, shape (256,), for ``ms_iou`` (257,), of targets (bins,)
        The curves asked for and the mean curves that maxima and areas were taken from, thresholds
        0…255 (0…256, those of ``bins``) ascending.  Under the strict policy the curves of areas,
        over the images that have both classes, are not among them.
    curve_counts : dict of str to int
        How many images each curve is made of.
    per_image : dict of str to ndarray, shape (n,)
        Per-image values by column name, in the order of `sample_ids`.
    sample_ids : list of str or int
        Sorted names; samples added without a name keep their order and are numbered.
    contract : Contract
        What shaped the numbers.
    middle_levels : dict of str to float
        By per-image column, the level that splits the data set into an easy and a hard half, where
        a metric asks for one: images up to it are easy.
    strata : dict of str to Result
        The results of the strata that hold samples, where they were asked for.
    """

    def __init__(
        self,
        aggregates: dict[str, Aggregate],
        curves: dict[str, NDArray[np.float64]],
        curve_counts: dict[str, int],
        per_image: dict[str, NDArray[np.float64]],
        sample_ids: list[str | int],
        contract: Contract,
        middle_levels: dict[str, float] | None = None,
    ) -> None:
        self.aggregates = aggregates
        self.curves = curves
        self.curve_counts = curve_counts
        self.per_image = per_image
        self.sample_ids = sample_ids
        self.contract = contract
        self.middle_levels = middle_levels or {}
        self.strata: dict[str, Result] = {}

    def __getitem__(self, name: str) -> Aggregate:
        try:
            return self.aggregates[name]
        except KeyError:
            raise KeyError(self._absent(name)) from None

    def _absent(self, name: str) -> str:
        """Say what a name that is no aggregate stands for."""
        try:
            rows = [row.name for row in resolve(name)]
        except InputError as error:
            return str(error)
        held = [repr(row) for row in rows if row in self.aggregates]
        curves = [f"curves[{row!r}]" for row in rows if row in self.curves]
        if held or curves:
            return f"{name!r} is here as {', '.join([*held, *curves])}"
        return f"{name!r} is not among the metrics asked for"

    def __iter__(self) -> Iterator[str]:
        return iter(self.aggregates)

    def __len__(self) -> int:
        return len(self.aggregates)

    def __repr__(self) -> str:
        lines = [f"Result of {len(self.sample_ids)} samples, contract {self.contract.hash}"]
        for row in self.aggregates.values():
            arrow = "↑" if row.direction == "higher" else "↓"
            lines.append(f"  {row.name} {arrow} {row.value:.6g} ({row.n_used}/{row.n_expected})")
        return "\n".join(lines)

    def to_dict(self, *, per_image: bool = True) -> dict[str, object]:
        """Return everything as plain data (floats stay floats, also NaN and infinities)."""
        told: dict[str, object] = {
            "contract": self.contract.to_dict(),
            "aggregates": {name: dict(vars(row)) for name, row in self.aggregates.items()},
            "curves": {name: curve.tolist() for name, curve in self.curves.items()},
            "curve_counts": dict(self.curve_counts),
            "middle_levels": dict(self.middle_levels),
        }
        if self.strata:
            told["strata"] = {
                name: {
                    "n_samples": len(part.sample_ids),
                    "aggregates": {metric: dict(vars(row)) for metric, row in part.items()},
                }
                for name, part in self.strata.items()
            }
        if per_image:
            told["sample_ids"] = list(self.sample_ids)
            told["per_image"] = {name: column.tolist() for name, column in self.per_image.items()}
        return told

    def to_json(self, *, per_image: bool = True, indent: int | None = None) -> str:
        """Return strict JSON: NaN as null, infinities as the strings "inf" and "-inf"."""
        told = json_ready(self.to_dict(per_image=per_image))
        return json.dumps(told, indent=indent, ensure_ascii=False, allow_nan=False)

    def to_csv(self, *, per_image: bool = True) -> str:
        """Return the per-image values, or the aggregates, as CSV with a header line."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if per_image:
            writer.writerow(["sample", *self.per_image])
            for i, sample in enumerate(self.sample_ids):
                row = (repr(float(column[i])) for column in self.per_image.values())
                writer.writerow([sample, *row])
        else:
            writer.writerow(list(Aggregate.__dataclass_fields__))
            for aggregate in self.aggregates.values():
                writer.writerow(vars(aggregate).values())
        return text.getvalue()

    def to_pandas(self) -> pandas.DataFrame:
        """Return the per-image values as a data frame indexed by sample.

        Raises
        ------
        MissingExtraError
            When pandas is not installed (extra ``pandas``).
        """
        try:
            import pandas
        except ImportError as error:
            raise MissingExtraError("pandas", "pandas", "Result.to_pandas") from error
        index = pandas.Index(self.sample_ids, name="sample")
        return pandas.DataFrame(self.per_image, index=index)


def aggregate(metric: Metric, values: NDArray[np.float64], n_expected: int) -> Aggregate:
    """Average a per-image column; the exactly rounded sum makes it free of order."""
    finite = values[np.isfinite(values)]
    n = int(finite.size)
    mean = math.fsum(finite.tolist()) / n if n else math.nan
    undefined = int(np.isnan(values).sum()) if n < len(values) else 0
    return Aggregate(
        metric.name, mean, n_expected, n, undefined, len(values) - n - undefined, metric.direction
    )


def aggregate_half(
    metric: Metric,
    per_image: Mapping[str, NDArray[np.float64]],
    middle_levels: Mapping[str, float],
    n_expected: int,
) -> Aggregate:
    """Average a per-image column over a half of the images; one without a level is undefined."""
    assert metric.column is not None
    assert metric.report.half is not None
    column, hard = metric.report.half
    levels = per_image[column]
    unknown = np.isnan(levels)
    values = np.where(unknown, math.nan, per_image[metric.column])
    return aggregate(
        metric, values[unknown | in_half(levels, middle_levels[column], hard)], n_expected
    )


def json_ready(value: Any) -> Any:
    """Return plain data that strict JSON can hold: NaN as null, infinities as strings."""
    if isinstance(value, dict):
        return {key: json_ready(item) for key, item in value.items()}
    if isinstance(value, list):
        return [json_ready(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


#: The distributions that bring OpenCV.
_OPENCV = ("opencv-python-headless", "opencv-python", "opencv-contrib-python-headless",
           "opencv-contrib-python")  # fmt: skip


@functools.cache
def _versions() -> dict[str, str]:
    from importlib import metadata

    versions = {"fastsegmetrics": fastsegmetrics.__version__}
    distributions = {"numpy": ("numpy",), "numba": ("numba",), "opencv": _OPENCV}
    for package, names in distributions.items():
        versions[package] = "not installed"
        for name in names:
            with contextlib.suppress(metadata.PackageNotFoundError):
                versions[package] = metadata.version(name)
                break
    return versions
