"""Means over images, as every ``get_results`` takes them."""

from __future__ import annotations

from typing import Any

import numpy as np


def mean_of(results: list[Any]) -> Any:
    """Return the mean over images, NaN (without NumPy's warning) when there is none."""
    if not results:
        return np.float64(np.nan)
    return np.mean(np.array(results, np.float64), axis=0)
