"""Twin of ``kernels.target_sweep``: each target's counts by themselves, then their means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference import curves as one_map
from fastsegmetrics.scores import SWEEP_SCORES

if TYPE_CHECKING:
    from fastsegmetrics.scores.confusion import ScoreRule


def target_scores(
    starts: NDArray[np.int64],
    levels: NDArray[np.uint8],
    counts: NDArray[np.int64],
    sides: NDArray[np.int64],
    rule: ScoreRule,
    wanted: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Score every partition of every target's local map."""
    sums = np.zeros((len(SWEEP_SCORES), 4, 256))
    used = np.zeros(len(SWEEP_SCORES), np.int64)
    summaries = []
    for k in range(len(sides)):
        of_target = slice(starts[k], starts[k + 1])
        table = np.zeros((2, 256), np.int64)
        table[:, levels[of_target]] = counts[of_target].T
        curves, summary = one_map.sweep_scores(table, sides[k], rule, wanted)
        one_map.add_exactly(curves, sums, used)
        summaries.append(summary)
    return np.mean(summaries, axis=0), sums, used
