"""The folder of the pictures of the worst: a file for each, their index, and the legend."""

from __future__ import annotations

import csv
import io
import math
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.bulk.files import replace_file
from fastsegmetrics.bulk.heat_maps import file_name
from fastsegmetrics.bulk.run_directory import run_directory
from fastsegmetrics.bulk.sources import Sources
from fastsegmetrics.bulk.worst import Inspected
from fastsegmetrics.errors import InputError
from fastsegmetrics.io import printable
from fastsegmetrics.io.png_writer import png_bytes
from fastsegmetrics.reporting import overlay as pictures
from fastsegmetrics.statistics.boundary_map import BoundaryMap

INDEX, LEGEND = "index.csv", "legend.png"
COLUMNS = (
    "method", "rank", "sample", "metric", "value", "state", "picture", "tp", "fp", "fn",
    "mean_distance", "max_distance",
)  # fmt: skip


def check_choices(worst: int, limit: float, zoom: int) -> None:
    """Refuse what cannot be drawn."""
    for name, value, least in (("worst", worst, 1), ("zoom", zoom, pictures.LEAST_ZOOM)):
        if value < least:
            raise InputError(f"{name} must be at least {least}; received {value!r}")
    if not (math.isfinite(limit) and limit > 0):
        raise InputError(f"limit must be a finite number above 0; received {limit!r}")


def new_folder(out: str | Path, sources: Sources) -> Path:
    """Make the folder of the pictures, or refuse one that holds anything."""
    read = {f"the predictions of {method!r}": folder for method, folder in sources.preds.items()}
    read["the ground truths"] = sources.gt
    if sources.image is not None:
        read["the photographs"] = sources.image
    folder = run_directory(out, read, files=())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = sorted(os.listdir(folder))
    except OSError as error:
        raise InputError(f"{printable(folder)}: cannot be made ({error.strerror})") from error
    if held:
        raise InputError(
            f"{printable(folder)}: must be new or empty, so that it holds these pictures alone; "
            f"it holds {printable(held[0])}"
        )
    return folder


def write_picture(
    folder: Path,
    line: Inspected,
    drawn: NDArray[np.uint8],
    pred: NDArray[np.bool_],
    gt: NDArray[np.bool_],
    found: BoundaryMap,
) -> Inspected:
    """Write the picture of a line; return the line with its file and with what is counted of both
    masks and boundaries, of volumes not only where they are drawn."""
    name = f"{file_name(line.method)}/{line.rank:03d}_{file_name(line.sample)}.png"
    path = folder / name
    try:
        path.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"{printable(path.parent)}: cannot be made ({error.strerror})") from error
    replace_file(path, png_bytes(drawn))
    distances = found.distance[found.pred]
    return line._replace(
        state="drawn",
        picture=name,
        tp=int((pred & gt).sum()),
        fp=int((pred & ~gt).sum()),
        fn=int((gt & ~pred).sum()),
        mean_distance=float(distances.mean()) if distances.size else math.nan,
        max_distance=float(distances.max()) if distances.size else math.nan,
    )


def write_index(
    folder: Path, lines: list[Inspected], columns: tuple[str, ...], limit: float, unit: str
) -> None:
    """Write the index, and the legend with the scale of the distances."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([getattr(line, name) for name in columns] for line in lines)
    replace_file(folder / LEGEND, png_bytes(pictures.legend(limit, unit)))
    replace_file(folder / INDEX, printable(stream.getvalue()).encode("utf-8"))
