"""The metrics of targets of pyirstdmetrics and of its compat module, made alike and compared."""

from __future__ import annotations

import numpy as np

#: Kept sums that are integers.
COUNTS = ("tp_objs", "fp_objs", "fn_objs", "fp_area", "total_area", "total_objs",
          "num_tgts_for_itf_err", "num_tgts_for_pcp_err", "num_tgts_for_m2s_err",
          "num_tgts_for_s2m_err")  # fmt: skip

TARGETWISE = {
    "opdc": lambda of, bins: of.MatchingBasedMetrics(bins),
    "distance": lambda of, bins: of.MatchingBasedMetrics(
        bins, matching_method=of.DistanceOnlyMatching()
    ),
    "other limits": lambda of, bins: of.MatchingBasedMetrics(
        bins, matching_method=of.OPDCMatching(0.3, 6)
    ),
    "any overlap": lambda of, bins: of.MatchingBasedMetrics(
        bins, matching_method=of.OPDCMatching(0.0, 2)
    ),
    "errors": lambda of, bins: of.HierarchicalIoUBasedErrorAnalysis(bins),
    "detection": lambda of, bins: of.ProbabilityDetectionAndFalseAlarmRate(bins),
    "shooting": lambda of, bins: of.ShootingRuleBasedProbabilityDetectionAndFalseAlarmRate(bins),
    "wide shots": lambda of, bins: of.ShootingRuleBasedProbabilityDetectionAndFalseAlarmRate(
        bins, 2, 7
    ),
}


def assert_same(mine, theirs) -> None:
    for name in COUNTS:
        if hasattr(theirs, name):
            assert np.array_equal(getattr(mine, name), getattr(theirs, name)), name
    found, expected = mine.get(), theirs.get()
    assert list(found) == list(expected)
    for name, curve in expected.items():
        assert found[name].dtype == curve.dtype
        np.testing.assert_allclose(found[name], curve, rtol=1e-12, atol=1e-14, err_msg=name)


def updated(mine, theirs, pred, truth) -> bool:
    """Update both; False where the peer has no number."""
    try:
        theirs.update(pred, truth)
    except UnboundLocalError:  # no true target, and the phantom is matched
        return False
    mine.update(pred, truth)
    return True


#: Kept sums that are not integers.
SUMS = ("tp_ious", "seg_mrg_err", "seg_itf_err", "seg_pcp_err")


def kept(of, kind: str, bins: int, pred: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return all that a metric keeps of one image, one after another; NaN without a number."""
    metric = TARGETWISE[kind](of, bins)
    names = [name for name in (*COUNTS, *SUMS) if hasattr(metric, name)]
    try:
        metric.update(pred, truth)
    except UnboundLocalError:
        return np.full(sum(np.size(getattr(metric, name)) for name in names), np.nan)
    return np.concatenate([np.ravel(getattr(metric, name)) for name in names])
