"""Stage 5: the samples of a data set in strata, by the size of their target or by a table."""

from __future__ import annotations

import csv
import hashlib
import json
import os
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fastsegmetrics.errors import InputError
from fastsegmetrics.protocol.report_options import SIZE_LIMITS, Report

#: The per-image column of the size: foreground pixels of the truth.
SIZE = "target_size"
#: The stratum of truths without a foreground.
NO_TARGET = "no target"


@dataclass(frozen=True)
class Strata:
    """How samples are told apart; make one with `sizes`, `column` or `parse`.

    Attributes
    ----------
    by : str
        What is told of it: ``"size"``, or the name of a column.
    limits : tuple of float
        Where sizes are divided, in pixels; empty for a column.
    of_sample : mapping of str to str
        By sample, its stratum; empty for sizes.
    """

    by: str
    limits: tuple[float, ...] = ()
    of_sample: Mapping[str, str] | None = None

    @classmethod
    def sizes(cls, limits: Iterable[float] = SIZE_LIMITS) -> Strata:
        """Return strata by the foreground pixels of the truth.

        Parameters
        ----------
        limits : iterable of float
            Ascending, in pixels.  Two of them make small < medium < large; a size at a limit is
            above it.  By default those of COCO, 32² and 96².

        Raises
        ------
        InputError
            When the limits are none, or do not ascend.

        Examples
        --------
        >>> strata = Strata.sizes((10, 100))
        >>> [strata.of("a", size) for size in (0, 9, 10, 500)]
        ['no target', 'small', 'medium', 'large']
        """
        told = tuple(limits) if isinstance(limits, Iterable) else (limits,)
        return cls("size", Report(by="size", limits=told).limits)

    @classmethod
    def column(cls, path: str | Path, column: str) -> Strata:
        """Return strata by a column of a CSV file.

        Parameters
        ----------
        path : path
            A file with a header line; samples are named in its column ``sample``, or in its first.
        column : str
            Which column says the stratum, as text.

        Raises
        ------
        InputError
            When the file cannot be read, lacks the column or has it twice, or names a sample twice
            or not at all.
        """
        rows = _rows(path)
        head, *body = rows or [[]]
        if column not in head:
            raise InputError(
                f"{path}: has no column {column!r} (it has {', '.join(head) or 'none'})"
            )
        if head.count(column) > 1:
            raise InputError(f"{path}: has {head.count(column)} columns {column!r}")
        names, values = head.index("sample") if "sample" in head else 0, head.index(column)
        of_sample: dict[str, str] = {}
        for number, row in enumerate(body, 2):
            if len(row) != len(head):
                raise InputError(f"{path}, line {number}: has {len(row)} fields, not {len(head)}")
            name, value = row[names].strip(), row[values].strip()
            if not name or not value:
                raise InputError(f"{path}, line {number}: the sample or its {column} is empty")
            if name in of_sample:
                raise InputError(f"{path}, line {number}: the sample {name!r} is there twice")
            of_sample[name] = value
        return cls(column, (), of_sample)

    @classmethod
    def parse(cls, text: str) -> Strata:
        """Read ``size``, ``size:100:1000`` or ``FILE.csv:COLUMN``.

        Raises
        ------
        InputError
            When it is none of them.
        """
        if not isinstance(text, str):
            raise InputError(
                f"strata must be size, size:LIMIT:LIMIT or FILE.csv:COLUMN; received {text!r}"
            )
        kind, *rest = text.split(":")
        if kind == "size":
            try:
                return cls.sizes([float(part) for part in rest]) if rest else cls.sizes()
            except ValueError as error:
                raise InputError(
                    f"strata must be size, size:LIMIT:LIMIT or FILE.csv:COLUMN; received {text!r} "
                    f"({error})"
                ) from error
        # A path may hold a colon, as that of a Windows drive does; the column is after the last.
        place, sign, column = text.rpartition(":")
        if not (place and sign and column):
            raise InputError(
                f"strata must be size, size:LIMIT:LIMIT or FILE.csv:COLUMN; received {text!r}"
            )
        return cls.column(place, column)

    @property
    def by_size(self) -> bool:
        """Whether the size of the target decides."""
        return self.of_sample is None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all strata, sizes ascending, values of a column in alphabetical order."""
        if self.of_sample is None:
            return (*(Report(by="size", limits=self.limits).strata or ()), NO_TARGET)
        return tuple(sorted(set(self.of_sample.values())))

    def of(self, sample: str | None, size: float) -> str:
        """Return the stratum of a sample.

        Raises
        ------
        InputError
            When a table does not hold it, or it has no name.
        """
        if self.of_sample is None:
            return self.names[bisect_right(self.limits, size)] if size else NO_TARGET
        if sample is None:
            raise InputError(f"strata by {self.by} need the name of every sample, its sample_id")
        if sample not in self.of_sample:
            raise InputError(f"strata by {self.by} must hold every sample; {sample!r} is missing")
        return self.of_sample[sample]

    def require(self, samples: Iterable[str]) -> None:
        """Check that a table holds every sample.

        Raises
        ------
        InputError
            When one is missing, with their number and the first.
        """
        known = self.of_sample
        missing = [] if known is None else [name for name in samples if name not in known]
        if missing:
            n = f"{len(missing)} {'is' if len(missing) == 1 else 'are'} missing, the first"
            raise InputError(f"strata by {self.by} must hold every sample; {n} {missing[0]!r}")

    def to_dict(self) -> dict[str, object]:
        """Return what shapes numbers, for a contract: of a table the SHA-256 of its column."""
        if self.of_sample is None:
            return {"by": "size", "limits": list(self.limits), "of": "foreground pixels"}
        text = json.dumps(sorted(self.of_sample.items()), ensure_ascii=False)
        return {"by": self.by, "table": hashlib.sha256(text.encode()).hexdigest()[:16]}


def _rows(path: str | Path) -> list[list[str]]:
    try:
        # Spreadsheets begin a file with a byte-order mark.
        with open(path, encoding="utf-8-sig", newline="") as stream:
            return [row for row in csv.reader(stream) if row]
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: cannot be read ({error.strerror})") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{os.fspath(path)}: is no CSV file in UTF-8 ({error})") from error
