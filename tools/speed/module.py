"""The whole of the peer's module in a few figures, from the rows of its classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from speed.contestants import WAYS
from speed.rows import Row, geometric_mean, shown
from speed.spatial import CONTENTS

LEAST_COLD = 50.0
LEAST_WARM = 100.0
WORDS = {
    "native": "functions, nothing prepared",
    "compat": "import changed",
    "warm": "functions, truth prepared",
}


def counted(rows: Sequence[Row], way: str) -> list[Row]:
    """Return a way's rows of 8-bit maps, of the contents that all sections measure."""
    return [
        row
        for row in rows
        if row.section == way and row.content in CONTENTS and "float64" not in row.name
    ]


def class_of(name: str) -> str:
    """Return the peer's class that a row measures; "" where it measures several together."""
    if name.startswith("paper table"):
        return ""
    named = name.partition("(")[2].partition(",")[0].rstrip(")")
    return "FmeasureV2" if not named or named.endswith("Handler") else named


def run(rows: Sequence[Row], *, complete: bool) -> Iterator[Row]:
    """Yield each row's geometric mean and worst cell, and the whole module's geometric mean.

    The module's mean, at each size and of all together, counts each class once, though
    `FmeasureV2` has a row for every handler; the mean of all rows stands below it.  Only what is
    `complete`, every class at every size and content, has a target.
    """
    for way in WAYS:
        found = counted(rows, way)
        for name in dict.fromkeys(row.name for row in found):
            own = [row for row in found if row.name == name]
            worst = min(own, key=lambda row: row.figure)
            place = f"worst {shown(worst.figure, 'x')} {worst.content}"
            mean = geometric_mean(row.figure for row in own)
            yield Row("module", f"{name}: {WORDS[way]}", mean, "x", size=worst.size, content=place)
    for way in WAYS:
        found = counted(rows, way)
        if found:
            least = LEAST_WARM if way == "warm" else LEAST_COLD
            goal = ("at least", least) if complete else ("", None)
            name = f"whole module: {WORDS[way]}"
            for size in dict.fromkeys(row.size for row in found):
                mean = _by_class([row for row in found if row.size == size])
                yield Row("module", name, mean, "x", *goal, size)
            yield Row("module", name, _by_class(found), "x", *goal, "all sizes")
    for way in WAYS:
        found = counted(rows, way)
        if found:
            mean = geometric_mean(row.figure for row in found)
            yield Row("module", f"whole module, each handler a row: {WORDS[way]}", mean, "x")


def _by_class(rows: Sequence[Row]) -> float:
    by_class: dict[str, list[float]] = {}
    for row in rows:
        if class_of(row.name):
            by_class.setdefault(class_of(row.name), []).append(row.figure)
    return geometric_mean(geometric_mean(figures) for figures in by_class.values())
