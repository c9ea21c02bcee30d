"""Stage 4 of one pair: a (local) map or partition against a (local) truth."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend as backends
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.protocol.extract import Map, Mask, borrowed, map_input
from fastsegmetrics.protocol.match import TargetCounts
from fastsegmetrics.protocol.options import Matching, Nearest
from fastsegmetrics.represent import MaskPair, sealed
from fastsegmetrics.scores import alignment, boundary, confusion, surface
from fastsegmetrics.scores.confusion import ScoreRule
from fastsegmetrics.statistics.boundary import near_points
from fastsegmetrics.statistics.rule import score_rule
from fastsegmetrics.statistics.surface_distances import point_distances

Counts = NDArray[np.float64]
_OF_PAIRS = ("hiou_seg_merge", "hiou_seg_interference", "hiou_seg_perception")


class Setting(NamedTuple):
    """What a score may look at beside the two maps."""

    conventions: Conventions
    image: NDArray[np.uint8] | None

    @property
    def strict(self) -> bool:
        """Whether degenerate cases are scored by the strict policy."""
        return self.conventions.policy == "strict"

    @property
    def perfect(self) -> bool:
        """Whether nothing against nothing is perfect; of what has no published number for it."""
        return self.conventions.both_empty == "perfect"

    @property
    def rule(self) -> ScoreRule:
        """How degenerate counts are scored."""
        return score_rule(self.conventions)


def pixel_counts(p: Map | Mask, g: Mask) -> Counts:
    """Return tp, fp, fn and tn; of a soft map the sums of P and of 1 − P over truth and rest."""
    if p.dtype == bool:
        tp, fp = int(np.count_nonzero(p & g)), int(np.count_nonzero(p & ~g))
    else:
        on, off = p[g].astype(np.float64), p[~g].astype(np.float64)
        tp, fp = math.fsum(on.tolist()), math.fsum(off.tolist())  # type: ignore[assignment]
    n = int(np.count_nonzero(g))
    return np.array([tp, fp, n - tp, g.size - n - fp], np.float64)


def skeleton_counts(b: Mask, g: Mask, b_skeleton: Mask, g_skeleton: Mask) -> Counts:
    """Return how much of each skeleton the other side covers: (found, missed, right, wrong)."""
    sides = ((g_skeleton, b), (b_skeleton, g))
    found = [np.count_nonzero(s & side) for one, other in sides for s, side in
             ((one, other), (one, ~other))]  # fmt: skip
    return np.array(found, np.float64)


def of_counts(name: str, counts: Counts, rule: ScoreRule, *, skeleton: bool = False) -> float:
    """Return a confusion or alignment score of four counts."""
    if skeleton:
        return _of_skeletons(name, *counts.tolist(), rule=rule)
    tp, fp, fn, tn = counts.tolist()
    if name == "e_measure":
        return float(alignment.e_measure(tp, fp, fn, tn, rule))
    return float(getattr(confusion, name)(tp, fp, fn, tn, rule))


def _of_skeletons(
    name: str, found: float, missed: float, right: float, wrong: float, *, rule: ScoreRule
) -> float:
    if found + missed + right + wrong == 0:
        return rule.both_empty
    recall = found / (found + missed) if found + missed else 0.0
    precision = right / (right + wrong) if right + wrong else 0.0
    if name in ("recall", "precision"):
        return recall if name == "recall" else precision
    beta2 = 1.0 if name == "f1" else rule.beta2
    whole = beta2 * precision + recall
    return (1.0 + beta2) * precision * recall / whole if whole else 0.0


def of_targets(name: str, counts: Counts, rule: ScoreRule) -> float:
    """Return a score of target counts, in the order of `match.TargetCounts`.

    Undefined where neither side has a target; a share of nothing is 0 elsewhere, but strictly
    undefined if it is an error of pairs and there is no pair.
    """
    found = TargetCounts(*counts.tolist())
    if name == "false_alarm":
        return found.false_pixels / found.pixels
    total = found.matched + found.missed + found.false
    if not total or (name in _OF_PAIRS and rule.strict and not found.matched):
        return math.nan
    part, whole = {
        "target_precision": (found.matched, found.matched + found.false),
        "target_recall": (found.matched, found.matched + found.missed),
        "target_f1": (2 * found.matched, found.matched + total),
        "hiou_loc": (found.matched, total),
        "hiou_seg": (found.overlap, found.matched),
        "hiou": (found.overlap, found.matched),
        "hiou_seg_merge": (found.merge, found.matched),
        "hiou_seg_interference": (found.interference, found.matched),
        "hiou_seg_perception": (found.perception, found.matched),
        "hiou_loc_many_to_one": (found.false - found.lone_predictions, total),
        "hiou_loc_one_to_many": (found.missed - found.lone_truths, total),
        "hiou_loc_interference": (found.lone_predictions, total),
        "hiou_loc_perception": (found.lone_truths, total),
    }[name]
    share = part / whole if whole else 0.0
    return share * (found.matched / total) if name == "hiou" else share


def of_points(name: str, p: Mask, g: Mask, matching: Matching, setting: Setting) -> float:
    """Return a score of the distances of two sets of points, each to its nearest of the other.

    Parameters
    ----------
    name : str
        A score of the mode "surface".
    p, g : ndarray of bool, shape (H, W)
        The points: what of the prediction and of the truth is compared.
    matching : option
        Of `Nearest` the largest distance of what is found.
    setting : Setting
        The conventions.
    """
    pred, gt = (sealed(side).view(np.uint8) for side in (p, g))
    found = point_distances(MaskPair(pred, gt, (1.0, 1.0)))
    sides = found.pred_to_gt, found.gt_to_pred
    if name == "nsd":
        return surface.near_share(*sides, setting.conventions.tolerance, perfect=setting.perfect)
    if name == "boundary_f":
        assert isinstance(matching, Nearest)  # no other is valid
        near = near_points(found, matching.limit(g.shape))
        return boundary.f_of_found(*near, perfect=setting.perfect)
    one_empty = surface.distance_of_one(setting.conventions.one_empty, g.shape)
    return surface.distance(
        surface.DISTANCES[name], *sides, perfect=setting.perfect, one_empty=one_empty
    )


def of_outlines(name: str, p: Mask, g: Mask, p_form: Mask, g_form: Mask, setting: Setting) -> float:
    """Return what two masks share of their bands, or of each other's skeletons."""
    if name == "boundary_iou":
        shared, union = np.count_nonzero(p_form & g_form), np.count_nonzero(p_form | g_form)
        return boundary.overlap(int(shared), int(union), perfect=setting.perfect)
    found, missed, right, wrong = map(int, skeleton_counts(p, g, p_form, g_form))
    return boundary.f_of_found(right, right + wrong, found, found + missed, perfect=setting.perfect)


def of_maps(name: str, mode: str, p: Map | Mask, g: Mask, setting: Setting) -> float:
    """Return a score that looks at where the values are.

    Parameters
    ----------
    name, mode : str
        The score, and which of ``score_options.MODES`` it is.
    p : ndarray, shape (H, W)
        A map in [0, 1], or a partition.
    g : ndarray of bool, shape (H, W)
        The truth.
    setting : Setting
        Conventions and photograph.
    """
    return float(_SCORERS[mode](p.astype(np.float64), g, setting)[name])


_Values = dict[str, float]


def _error(p: Map, g: Mask, setting: Setting) -> _Values:
    return {"mae": float(np.abs(p - g).mean())}


def _structure(p: Map, g: Mask, setting: Setting) -> _Values:
    alpha = setting.conventions.alpha
    if _by_pixels():
        from fastsegmetrics.reference.metrics import s_measure

        found = s_measure(p, g, alpha)
    else:
        from fastsegmetrics.kernels.curves import structure_scores
        from fastsegmetrics.statistics.sweep import pair_statistics

        pair = pair_statistics(map_input(p), borrowed(g), setting.conventions)
        found = structure_scores(
            pair.moments, pair.split_row, pair.split_column, pair.height, pair.width, float(alpha)
        )
    return dict(zip(("s_measure", "s_object", "s_region"), map(float, found), strict=True))


def _weighted(p: Map, g: Mask, setting: Setting) -> _Values:
    conventions = setting.conventions
    if _by_pixels():
        from fastsegmetrics.reference.weighted import weighted_f

        f, precision, recall = weighted_f(
            p, g, beta2=conventions.weighted_beta2, strict=setting.strict,
            both_empty=setting.rule.both_empty,
        )  # fmt: skip
    else:
        from fastsegmetrics.statistics.weighted import weighted_statistics

        found = weighted_statistics(map_input(p), borrowed(g), conventions)
        f, precision, recall = (
            found.f(conventions.weighted_beta2), found.precision, found.recall,
        )  # fmt: skip
    return {"weighted_f": f, "weighted_precision": precision, "weighted_recall": recall}


def coverage(p: Mask, g: Mask) -> float:
    """Return the multi-scale coverage of one form by another, over cells of 1, 2, … 512 pixels."""
    from fastsegmetrics.reference.edges import shrink

    ratios = []
    for k in range(10):
        there = shrink(g, 2**k)
        ratios.append((np.count_nonzero(shrink(p, 2**k) & there) + 1) / (there.sum() + 1))
    return float(np.add(ratios[1:], ratios[:-1]).mean() / 2)


def _effort(p: Map, g: Mask, setting: Setting) -> _Values:
    from fastsegmetrics.statistics.effort import effort_statistics

    parts = effort_statistics(map_input(p), borrowed(g), setting.conventions)
    names = ("hce_fp_points", "hce_fp_regions", "hce_fn_points", "hce_fn_regions")
    return {"hce": float(sum(parts)), **dict(zip(names, map(float, parts), strict=True))}


def _context(p: Map, g: Mask, setting: Setting) -> _Values:
    if _by_pixels():
        from fastsegmetrics.reference.context import context_measures

        plain, aware = context_measures(p, g, setting.image, strict=setting.strict)
    else:
        from fastsegmetrics.statistics.context import context_statistics

        found = context_statistics(
            map_input(p), borrowed(g, setting.image), setting.conventions,
            degree=setting.image is not None,
        )  # fmt: skip
        plain, aware = found.c_beta(setting.strict), found.c_beta_w(setting.strict)
    return {"c_beta": plain, "c_beta_w": aware}


def _difficulty(p: Map, g: Mask, setting: Setting) -> _Values:
    assert setting.image is not None  # the door has seen to it
    if _by_pixels():
        from fastsegmetrics.reference.difficulty import difficulty

        found = difficulty(p, g, setting.image)
    else:
        from fastsegmetrics.statistics.difficulty import difficulty_statistics

        all_found = difficulty_statistics(
            map_input(p), borrowed(g, setting.image), setting.conventions
        )
        found = all_found.score, all_found.region, all_found.structure, all_found.boundary
    parts = ("", "_region", "_structure", "_boundary")
    return {f"difficulty{part}": value for part, value in zip(parts, found, strict=True)}


def _by_pixels() -> bool:
    return backends.resolve() == "reference"


_SCORERS: dict[str, Callable[[Map, Mask, Setting], _Values]] = {
    "error": _error,
    "structure": _structure,
    "weighted": _weighted,
    "effort": _effort,
    "context": _context,
    "difficulty": _difficulty,
}
