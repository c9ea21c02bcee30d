"""The table of named metrics: each one a path through the five stages, and nothing else."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from fastsegmetrics.catalog import spatial, sweep, targets
from fastsegmetrics.catalog.rows import Direction, Metric, Path, Report, Score
from fastsegmetrics.catalog.sweep import AREA_RULES, REPORTS
from fastsegmetrics.errors import InputError

__all__ = ["ALIASES", "AREA_RULES", "METRICS", "REPORTS", "SCORES", "SUITES", "Direction",
           "Metric", "Path", "Report", "Score", "resolve"]  # fmt: skip

SCORES: dict[str, Score] = {**sweep.SCORES, **spatial.SCORES, **targets.SCORES}
METRICS: dict[str, Metric] = {
    metric.name: metric for metric in (*sweep.rows(), *spatial.rows(), *targets.rows())
}

#: Other names of the field for the same scores, and for pairs of curves.
ALIASES: dict[str, tuple[str, ...]] = {
    "tpr": ("recall",),
    "sensitivity": ("recall",),
    "tnr": ("specificity",),
    "oa": ("accuracy",),
    "wfm": ("weighted_f",),
    "niou": ("pixel_iou.bin",),
    "target_recall": ("pd_opdc",),
    "pr_curve": ("precision.curve", "recall.curve"),
    "roc_curve": ("recall.curve", "fpr.curve"),
}

_EF = ("e_measure.adp", "e_measure.mean", "e_measure.max",
       "f_beta.adp", "f_beta.mean", "f_beta.max")  # fmt: skip
_HIOU = tuple(f"{name}.pooled_bin" for name in targets.SCORES if name.startswith("hiou"))
SUITES: dict[str, tuple[str, ...]] = {
    "sod": ("mae", "s_measure", *_EF, "weighted_f"),
    "cod": ("s_measure", *_EF, "weighted_f", "mae"),
    "dis": ("f_beta.max", "weighted_f", "mae", "s_measure", "e_measure.mean", "hce"),
    "irstd": ("pixel_iou.pooled_bin", "pixel_iou.bin", "pixel_f1.pooled_bin",
              "pd.pooled_bin", "fa.pooled_bin", *_HIOU),
    "sweep": tuple(metric.name for metric in sweep.rows()),
    "all": tuple(name for name, row in METRICS.items() if not row.score.needs_image),
    "photo": tuple(name for name, row in METRICS.items() if row.score.needs_image),
}  # fmt: skip


def resolve(metrics: str | Iterable[str]) -> tuple[Metric, ...]:
    """Return the rows that a request names, each once, in the order asked for.

    Parameters
    ----------
    metrics : str or iterable of str
        A suite (``"sod"``, ``"cod"``, ``"dis"``, ``"irstd"``, ``"sweep"``, ``"all"``: everything
        that needs no photograph, ``"photo"``: what needs one), metrics (``"f_beta.max"``), or
        scores, which stand for all their reports (``"iou"``); a string may list several with
        commas.

    Raises
    ------
    InputError
        When a name is unknown; the nearest known ones are suggested.

    Examples
    --------
    >>> [metric.name for metric in resolve("mae,f_beta.max")]
    ['mae', 'f_beta.max']
    """
    if isinstance(metrics, str):
        names = metrics.split(",")
    elif isinstance(metrics, Iterable):
        names = list(metrics)
    else:
        names = [metrics]
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"metrics must be names; received {name!r}")
    found: dict[str, Metric] = {}
    for name in names:
        for row in _expand(name.strip()):
            found[row.name] = row
    if not found:
        raise InputError(f"metrics must name at least one metric; received {metrics!r}")
    return tuple(found.values())


def _expand(name: str) -> list[Metric]:
    if not name:
        raise InputError("metrics must be names with one comma between; received an empty name")
    if name in SUITES:
        return [METRICS[member] for member in SUITES[name]]
    if name in METRICS:
        return [METRICS[name]]
    if name in SCORES:
        return [row for row in METRICS.values() if row.score.name == name]
    head, dot, report = name.partition(".")
    if head in ALIASES:
        return [row for other in ALIASES[head] for row in _expand(other + dot + report)]
    known = dict.fromkeys((*SUITES, *METRICS, *SCORES, *ALIASES))
    near = difflib.get_close_matches(name.lower(), known, 3)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    raise InputError(f"unknown metric {name!r}{hint}")
