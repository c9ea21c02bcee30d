"""The functions of ``surface_distance`` (DeepMind) on the kernels of this package.

Change the import and nothing else::

    import fastsegmetrics.compat.surface_distance as surface_distance

Arguments, dictionaries and numbers are the same.  ``docs/differences.md`` lists what is not.
"""

from __future__ import annotations

from fastsegmetrics.compat.surface_distance.metrics import (
    compute_average_surface_distance,
    compute_dice_coefficient,
    compute_robust_hausdorff,
    compute_surface_dice_at_tolerance,
    compute_surface_distances,
    compute_surface_overlap_at_tolerance,
)

__all__ = [
    "compute_average_surface_distance",
    "compute_dice_coefficient",
    "compute_robust_hausdorff",
    "compute_surface_dice_at_tolerance",
    "compute_surface_distances",
    "compute_surface_overlap_at_tolerance",
]
