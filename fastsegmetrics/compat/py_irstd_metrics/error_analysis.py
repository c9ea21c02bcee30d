"""What the two factors of hierarchical IoU lack, by kinds of errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastsegmetrics.compat.py_irstd_metrics.matchings import OPDCMatching
from fastsegmetrics.compat.py_irstd_metrics.pairs import TargetPair, quotient, thresholds_of
from fastsegmetrics.compat.py_irstd_metrics.phantoms import with_phantoms

_OF_PAIRS = "seg_iou", "seg_mrg_err", "seg_itf_err", "seg_pcp_err"
_OF_ALL = "loc_iou", "loc_s2m_err", "loc_m2s_err", "loc_itf_err", "loc_pcp_err"


class HierarchicalIoUBasedErrorAnalysis:
    """The factors of hierarchical IoU and the errors that take each of them from 1.

    Parameters
    ----------
    num_bins : int
        1: the threshold 0.5; else that many thresholds, from 0 up.
    overlap_threshold : float
        Least IoU of a pair, in [0, 1).
    distance_threshold : float
        In pixels, exclusive.

    Attributes
    ----------
    tp_objs, fp_objs, fn_objs : ndarray of int64, shape (num_bins,)
        Matched pairs, unmatched predictions, unmatched true targets.
    tp_ious, seg_mrg_err, seg_itf_err, seg_pcp_err : ndarray of float64, shape (num_bins,)
        Sums over the pairs of IoU and of the errors' shares of the union.
    num_tgts_for_itf_err, num_tgts_for_pcp_err, num_tgts_for_m2s_err, num_tgts_for_s2m_err
        Unmatched targets by kind.
    fp_area, total_area
        Stay 0, as the peer's do.

    Examples
    --------
    >>> import numpy as np
    >>> from fastsegmetrics.compat import py_irstd_metrics as irstd
    >>> metric = irstd.HierarchicalIoUBasedErrorAnalysis()
    >>> metric.update(np.array([[0.9, 0.6, 0.2]]), np.array([[True, False, False]]))
    >>> metric.get()["seg_itf_err"]
    array([0.5])
    """

    def __init__(
        self, num_bins: int = 1, overlap_threshold: float = 0.5, distance_threshold: float = 3
    ) -> None:
        self.matching_method = OPDCMatching(overlap_threshold, distance_threshold)
        self.thresholds = thresholds_of(num_bins)
        n = len(self.thresholds)
        self.tp_objs, self.fp_objs, self.fn_objs, self.fp_area = np.zeros((4, n), np.int64)
        self.total_area = 0
        self.tp_ious, self.seg_mrg_err, self.seg_itf_err, self.seg_pcp_err = np.zeros((4, n))
        self.num_tgts_for_itf_err, self.num_tgts_for_pcp_err = np.zeros((2, n), np.int64)
        self.num_tgts_for_m2s_err, self.num_tgts_for_s2m_err = np.zeros((2, n), np.int64)

    def update(self, prob: ArrayLike, mask: ArrayLike) -> None:
        """Add one image; see `MatchingBasedMetrics.update`."""
        pair, limits = TargetPair(prob, mask), self.matching_method.limits
        counts, shares = pair.counts(self.thresholds, "opdc", limits)
        counts, shares = with_phantoms(pair, self.thresholds, counts, shares, limits)
        spurious, missed, interference, perception = counts[:, (1, 2, 4, 5)].T
        self.tp_objs += counts[:, 0]
        self.fp_objs += spurious
        self.fn_objs += missed
        self.num_tgts_for_itf_err += interference
        self.num_tgts_for_pcp_err += perception
        self.num_tgts_for_m2s_err += spurious - interference
        self.num_tgts_for_s2m_err += missed - perception
        self.tp_ious += shares[:, 0]
        self.seg_mrg_err += shares[:, 1]
        self.seg_itf_err += shares[:, 2]
        self.seg_pcp_err += shares[:, 3]

    def get(self) -> dict[str, NDArray[np.float64]]:
        """Return the two factors and their errors: float64[num_bins] each.

        ``seg_iou``, ``seg_mrg_err`` (merge), ``seg_itf_err`` (interference) and ``seg_pcp_err``
        (perception) are means over matched pairs; ``loc_iou``, ``loc_s2m_err`` (one to many),
        ``loc_m2s_err`` (many to one), ``loc_itf_err`` and ``loc_pcp_err`` are shares of pairs and
        unmatched targets.
        """
        pairs = self.tp_objs
        total = pairs + self.fp_objs + self.fn_objs
        of_pairs = self.tp_ious, self.seg_mrg_err, self.seg_itf_err, self.seg_pcp_err
        of_all = (
            pairs,
            self.num_tgts_for_s2m_err,
            self.num_tgts_for_m2s_err,
            self.num_tgts_for_itf_err,
            self.num_tgts_for_pcp_err,
        )
        return {
            **dict(zip(_OF_PAIRS, quotient(of_pairs, pairs), strict=True)),
            **dict(zip(_OF_ALL, quotient(of_all, total), strict=True)),
        }
