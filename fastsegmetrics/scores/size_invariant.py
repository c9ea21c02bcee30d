"""The size-invariant error of one map, from the errors of its parts (Li et al., ICML 2024)."""

from __future__ import annotations


def balanced_error(
    mean_errors: float, n_targets: int, outside_error: float, n_outside: int, n_inside: int
) -> float:
    """Return (r · background error + Σ target errors) / (T + r), r = n_outside / n_inside.

    ``mean_errors`` is the sum over the targets' boxes of the mean |P − G| in each,
    ``outside_error`` the sum of |P − G| outside all boxes.  r times the background's mean error
    is its sum over ``n_inside``, so that boxes which cover the image are an ordinary case.
    """
    weight = n_outside / n_inside
    return (outside_error / n_inside + mean_errors) / (n_targets + weight)
