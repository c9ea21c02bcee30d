"""Twin of ``kernels.capped_distance``: from the nearest pixels of all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.distance import nearest_foreground

CAP = 223 * 223
NEAR = 18
HERE = 40


def capped_squares(mask: NDArray[np.uint8]) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """Return min(squared distance, CAP), and where the foreground lies from pixels near it."""
    rows, columns = nearest_foreground(mask)
    own_row, own_column = np.asarray(np.indices(mask.shape))
    down, right = rows - own_row, columns - own_column
    squares = down**2 + right**2
    if not mask.any():
        squares[:] = CAP
    toward = np.where(squares <= NEAR, 9 * down + right, 0) + HERE
    return np.minimum(squares, CAP).astype(np.uint16), toward.astype(np.uint8)
