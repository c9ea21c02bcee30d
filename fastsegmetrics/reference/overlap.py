"""Twin of ``kernels.overlap``: overlaps counted pixel by pixel on label images."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.label import paint_runs


def overlaps(
    row_runs: NDArray[np.int32],
    row_labels: NDArray[np.int32],
    column_runs: NDArray[np.int32],
    column_labels: NDArray[np.int32],
    n_rows: int,
    n_columns: int,
) -> NDArray[np.int64]:
    """Return the components that share pixels, row-major: row, column, number of pixels."""
    height = max((int(runs[-1, 0]) for runs in (row_runs, column_runs) if len(runs)), default=-1)
    width = max((int(runs[:, 2].max()) for runs in (row_runs, column_runs) if len(runs)), default=0)
    rows = paint_runs(row_runs, row_labels, height + 1, width)
    columns = paint_runs(column_runs, column_labels, height + 1, width)
    table = np.zeros((n_rows + 1, n_columns + 1), np.int64)
    np.add.at(table, (rows, columns), 1)
    table = table[1:, 1:]
    return np.column_stack((*np.nonzero(table), table[table > 0]))
