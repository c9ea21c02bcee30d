"""Plain data as text for programs: lines of CSV, strict JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from typing import Any


def csv_text(lines: Iterable[Iterable[Any]]) -> str:
    r"""Return lines of CSV, floats to the last digit.

    Examples
    --------
    >>> csv_text([["method", "mae"], ["a, b", 0.1]])
    'method,mae\n"a, b",0.1\n'
    """
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(lines)
    return stream.getvalue()


def json_text(value: Any, indent: int = 1) -> str:
    r"""Return strict JSON with a line break at its end, other letters as they are.

    Raises
    ------
    ValueError
        On NaN and infinities, for which `results.json_ready` puts what JSON has.

    Examples
    --------
    >>> json_text({"β²": 0.3})
    '{\n "β²": 0.3\n}\n'
    """
    return json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False) + "\n"
