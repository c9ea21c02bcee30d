"""Enhanced-alignment measure of one binary partition, from its four counts.

Fan et al., "Enhanced-alignment measure for binary foreground map evaluation", IJCAI 2018; design
paper, appendix B.7.
"""

from __future__ import annotations

from fastsegmetrics.scores.confusion import EPS, ScoreRule


def _cell(count: float, b: float, g: float) -> float:
    alignment = 2.0 * b * g / (b * b + g * g + EPS)
    return count * (alignment + 1.0) * (alignment + 1.0) / 4.0


def e_measure(tp: float, fp: float, fn: float, tn: float, rule: ScoreRule) -> float:
    """Mean enhanced alignment of prediction and truth, both with their means taken off.

    Divided by N − 1 as the literature's programs do, which makes a perfect map score N/(N − 1);
    by N where the rule says so and for an image of one pixel.
    """
    n = tp + fp + fn + tn
    foreground = tp + fn
    predicted = tp + fp
    if rule.strict and foreground == 0 and predicted == 0:
        return 1.0
    if foreground == 0:
        total = n - predicted
    elif foreground == n:
        total = predicted
    else:
        b = predicted / n
        g = foreground / n
        total = (
            _cell(tp, 1.0 - b, 1.0 - g)
            + _cell(fp, 1.0 - b, -g)
            + _cell(fn, -b, 1.0 - g)
            + _cell(tn, -b, -g)
        )
    if rule.divide_by_n or n == 1:
        return total / n
    return total / (n - 1.0 + EPS)
