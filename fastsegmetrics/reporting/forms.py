"""The forms that results are printed in, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fastsegmetrics.reporting import table as tables
from fastsegmetrics.reporting.plain import json_text

if TYPE_CHECKING:
    from fastsegmetrics.results import Aggregate


def printed(
    aggregates: Mapping[str, Mapping[str, Aggregate]],
    as_json: Any,
    form: str,
    *,
    digits: int = 3,
    width: int | None = None,
    styled: bool = False,
    rows_are: str = "Method",
    comparable: bool = True,
) -> str:
    """Return results as text.

    Parameters
    ----------
    aggregates : mapping of str to mapping of str to Aggregate
        By method, by metric.
    as_json : object
        The same, ready for JSON.
    form : {"table", "markdown", "latex", "csv", "json"}
        What is wanted.
    digits : int
        Digits of the values in tables.
    width : int, optional
        Columns of the terminal, for "table".
    styled : bool
        Whether the terminal shows bold, for "table".
    rows_are : str
        What heads the rows, if it is not methods.
    comparable : bool
        Whether one of them can be the best.
    """
    if form == "json":
        return json_text(as_json)
    if form == "csv":
        return tables.to_csv(aggregates)
    table = tables.build(aggregates, digits=digits, rows_are=rows_are, comparable=comparable)
    if form == "markdown":
        return tables.to_markdown(table)
    if form == "latex":
        return tables.to_latex(table)
    from fastsegmetrics.reporting.terminal import to_text

    return to_text(table, width=width, styled=styled)
