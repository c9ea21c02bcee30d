"""What scoring one pair costs beside decoding the two PNG files it came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import cv2
import numpy as np

import fastsegmetrics as fsm
from fastsegmetrics.catalog import METRICS
from speed.contents import pair, photograph
from speed.contestants import by_sides
from speed.rows import Row
from speed.timing import in_turn

#: The scores of pysodmetrics: what no photograph is needed for, and what it has of those.
_PEERS = ",".join(
    name
    for name, row in METRICS.items()
    if row.score.family not in ("targets", "surface") and not row.score.needs_image
)
#: Metrics, their names in the table, and the largest share of the decoding time they may take.
SUITES = {
    "sweep": ("whole sweep family", 0.15),
    "sod": ("paper table (MAE, S, E, F, weighted F)", 1.0),
    f"{_PEERS},c_beta_w": ("everything of the peer's module, 257 levels of MSIoU included", 15.0),
}
#: The size that the target for everything is for.
_FOR_EVERYTHING = (512, 512)


def png(image: np.ndarray) -> np.ndarray:
    """Return an image as the bytes of a PNG file, with OpenCV's own settings."""
    return cv2.imencode(".png", image)[1]


def run(sizes: list[tuple[int, int]], contents: list[str], seconds: float) -> Iterator[Row]:
    """Yield time of `Evaluator.update` (nothing prepared) over time of two `cv2.imdecode`."""
    for size in sizes:
        for content in contents:
            pred, gt = pair(content, size)
            files = png(pred), png(gt)
            calls: dict[str, Callable[[], object]] = {"decode": _decoder(files)}
            for suite in SUITES:
                image = photograph(gt) if "c_beta_w" in suite else None
                calls[suite] = _updater(fsm.Evaluator(suite), pred, gt, image)
            times = in_turn(calls, least_rounds=9, seconds=5 * seconds)
            for suite, (name, most) in SUITES.items():
                wanted = suite in ("sweep", "sod") or size == _FOR_EVERYTHING
                yield Row(
                    "decoding", name, times.ratio(suite, "decode"), "ratio",
                    "at most" if wanted else "", most if wanted else None,
                    by_sides(size), content,
                    {"update": 1e3 * times.median(suite), "decode": 1e3 * times.median("decode")},
                )  # fmt: skip


def _decoder(files: tuple[np.ndarray, ...]) -> Callable[[], object]:
    return lambda: [cv2.imdecode(data, cv2.IMREAD_GRAYSCALE) for data in files]


def _updater(
    evaluator: fsm.Evaluator, pred: np.ndarray, gt: np.ndarray, image: np.ndarray | None
) -> Callable[[], object]:
    return lambda: evaluator.update(pred, gt, image=image)
