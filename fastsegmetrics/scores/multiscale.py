"""Multi-scale IoU from its counts (Ahmadzadeh et al., ICIP 2021; design paper, appendix B.8)."""

from __future__ import annotations

from typing import Any


def edge_coverage(shared: Any, edge_cells: Any) -> float:
    """Return the area under the coverage ratios of the scales, which are spread over [0, 1].

    ``edge_cells[k]`` cells of the truth hold an edge at scale k, in ``shared[k]`` of them the
    prediction has one too; a ratio is (shared + 1) / (edge cells + 1), the area the trapezoid's.
    There are at least two scales.
    """
    last = len(edge_cells) - 1
    before = (shared[0] + 1.0) / (edge_cells[0] + 1.0)
    area = 0.0
    for k in range(1, last + 1):
        ratio = (shared[k] + 1.0) / (edge_cells[k] + 1.0)
        area += (before + ratio) / 2.0
        before = ratio
    return area / last
