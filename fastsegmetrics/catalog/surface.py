"""Scores of how far the borders of P > 0.5 and of the truth are apart, in pixels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from fastsegmetrics.catalog.rows import Metric, Report, Score
from fastsegmetrics.protocol.options import Fixed, Matching, Nearest, Pixelwise, Target, Whole
from fastsegmetrics.protocol.report_options import Report as Reporting

_EMPTY = "both empty: {both} or NaN (both_empty); one empty: {one}"
_HUTTENLOCHER = (
    "Huttenlocher, Klanderman and Rucklidge, Comparing Images Using the Hausdorff Distance, "
    "IEEE TPAMI 15, 1993"
)
_AVERAGE = "average distances as in Heimann et al., IEEE TMI 28, 2009 (SLIVER07)"
_PERCENTILE = "95 % Hausdorff distance"
_SIDES = "d(∂P, ∂G), d(∂G, ∂P)"

_POINTS: tuple[Target, Matching] = (Whole("boundary"), Nearest())


def _distance(name: str, title: str, formula: str, citation: str = _HUTTENLOCHER) -> Score:
    return Score(
        name, title, "surface", "lower", 0.0, float("inf"), formula,
        _EMPTY.format(both=0, one="inf, or the image's diagonal (one_empty)"), citation,
        stretched=False,
    )  # fmt: skip


def _share(name: str, title: str, formula: str, citation: str) -> Score:
    return Score(
        name, title, "surface", "higher", 0.0, 1.0, formula, _EMPTY.format(both=1, one=0),
        citation, stretched=False,
    )  # fmt: skip


#: What of `statistics.map_surfaces` a score is made of.
Part = Literal["distances", "band", "lines"]
#: Each score, its part, and stages 2 and 3.
_ROWS: tuple[tuple[Score, Part, tuple[Target, Matching]], ...] = (
    *(
        (_distance(*told), "distances", _POINTS)
        for told in (
            ("hd", "Hausdorff distance", f"max of {_SIDES}, in px"),
            (
                "hd95", _PERCENTILE,
                f"larger of the linear 95th percentiles of {_SIDES}, in px",
            ),
            (
                "hd95_pooled", f"pooled {_PERCENTILE}",
                f"linear 95th percentile of {_SIDES} together, in px",
            ),
            (
                "hd95_mean", f"mean {_PERCENTILE}",
                f"mean of the linear 95th percentiles of {_SIDES}, in px",
            ),
            (
                "hd95_inverse_cdf", f"{_PERCENTILE} without interpolation",
                f"larger of the first distances that 95 % of {_SIDES} do not exceed, in px",
            ),
            (
                "assd", "average symmetric surface distance", f"mean of {_SIDES} together, in px",
                _AVERAGE,
            ),
            (
                "masd", "mean average surface distance", f"mean of the means of {_SIDES}, in px",
                _AVERAGE,
            ),
        )
    ),
    (
        _share(
            "nsd", "normalised surface distance (surface Dice)",
            f"share of {_SIDES} together ≤ tolerance",
            "Nikolov et al., J. Med. Internet Res. 23, 2021",
        ),
        "distances", _POINTS,
    ),
    (
        _share(
            "boundary_f", "boundary F-score", "2pr/(p + r), p and r the shares of ∂P and ∂G found",
            "Csurka et al., BMVC 2013; δ as in Perazzi et al., CVPR 2016 (DAVIS)",
        ),
        "distances", (Whole("boundary"), Nearest(within=0.008, unit="diagonal")),
    ),
    (
        _share(
            "boundary_iou", "boundary IoU", "|B_P ∩ B_G|/|B_P ∪ B_G|, B the band",
            "Cheng et al., Boundary IoU, CVPR 2021",
        ),
        "band", (Whole("band"), Pixelwise()),
    ),
    (
        _share(
            "cl_dice", "centre-line Dice",
            "2pr/(p + r), p the share of P's skeleton in G, r of G's in P",
            "Shit et al., clDice, CVPR 2021",
        ),
        "lines", (Whole("skeleton"), Pixelwise()),
    ),
)  # fmt: skip

SCORES: dict[str, Score] = {score.name: score for score, _, _ in _ROWS}
#: What of the statistic each score is made of.
PART_OF: dict[str, Part] = {score.name: part for score, part, _ in _ROWS}

_REPORT = Report.along("", Fixed(stretch="never"), Reporting(), "column", "")


def rows() -> Iterator[Metric]:
    """Yield every score with its one report."""
    for score, _, stages in _ROWS:
        yield Metric.along(score, _REPORT, *stages)
