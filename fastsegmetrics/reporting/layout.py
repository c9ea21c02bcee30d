"""Cells as lines of text: columns aligned for people, or a Markdown table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def aligned(lines: Sequence[Sequence[str]], *, right: bool = False) -> list[str]:
    """Return lines whose cells stand below each other: the first on the left, the rest alike.

    Parameters
    ----------
    lines : sequence of sequence of str
        The same number of cells in each.
    right : bool
        Whether all columns but the first are aligned on the right.

    Examples
    --------
    >>> aligned([["metric", "a"], ["mae", "0.25"]], right=True)
    ['metric     a', 'mae     0.25']
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if right and place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def markdown(lines: Iterable[Sequence[str]], *, right: bool = False) -> str:
    r"""Return a table as GitHub-flavoured Markdown; arguments as for `aligned`, the head first.

    Examples
    --------
    >>> markdown([["metric", "a|b"], ["mae", "0.25"]])
    '| metric | a\\|b |\n| --- | --- |\n| mae | 0.25 |\n'
    """
    head, *rest = ([cell.replace("|", r"\|") for cell in line] for line in lines)
    rule = ["---", *("---:" if right else "---" for _ in head[1:])]
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, rule, *rest))
