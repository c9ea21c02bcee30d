"""Context measure, plain and camouflage-aware, from the sums of its two terms.

Wang et al., "Context-measure: contextualizing metric for camouflage", 2025; design paper,
appendix B.10.
"""

from __future__ import annotations

import math

from fastsegmetrics.scores.confusion import EPS

#: e / (e − 1): the reverse term of a perfect prediction is 1.
_FULL = math.e / (math.e - 1.0)


def context_measure(
    forward: float, mass: float, reverse: float, weight: float, beta2: float, both_empty: float
) -> tuple[float, float, float]:
    """Context measure with its forward and reverse terms.

    Parameters
    ----------
    forward, mass
        Σ P·(K⋆G) and Σ P.
    reverse, weight
        Σ (1 − exp(−K⋆P))·(G + D) over the truth and Σ (G + D); D = 0 in the plain measure.
    beta2
        β²: 1 in the plain measure, 1.2 in the camouflage-aware one.
    both_empty
        The score where neither map holds anything.
    """
    f = forward / (mass + EPS)
    r = _FULL * reverse / (weight + EPS)
    if mass == 0.0 and weight == 0.0:
        return both_empty, f, r
    return (1.0 + beta2) * f * r / (beta2 * f + r + EPS), f, r
