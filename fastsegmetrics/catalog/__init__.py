"""The table of named metrics: each one a path through the five stages, and nothing else."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from fastsegmetrics.catalog import protocols, spatial, surface, sweep, targets, words
from fastsegmetrics.catalog.rows import Direction, Half, Metric, Path, Report, Score
from fastsegmetrics.catalog.sweep import AREA_RULES, REPORTS
from fastsegmetrics.errors import InputError
from fastsegmetrics.protocol.value import Protocol, is_text, split_list

__all__ = ["ALIASES", "AREA_RULES", "METRICS", "REPORTS", "SCORES", "SUITES", "Direction",
           "Half", "Metric", "Path", "Report", "Score", "protocol_metrics", "resolve"]  # fmt: skip

SCORES: dict[str, Score] = {
    **sweep.SCORES, **spatial.SCORES, **targets.SCORES, **surface.SCORES
}  # fmt: skip
METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (*sweep.rows(), *spatial.rows(), *targets.rows(), *surface.rows())
}
_BY_PROTOCOL = {row.protocol: row for row in METRICS.values() if row.protocol is not None}

#: Other names of the field for the same scores, and for what is read side by side.
ALIASES: dict[str, tuple[str, ...]] = {
    "tpr": ("recall",),
    "sensitivity": ("recall",),
    "tnr": ("specificity",),
    "oa": ("accuracy",),
    "wfm": ("weighted_f",),
    "niou": ("pixel_iou.bin",),
    "surface_dice": ("nsd",),
    "target_recall": ("pd_opdc",),
    "pr_curve": ("precision.curve", "recall.curve"),
    "roc_curve": ("recall.curve", "fpr.curve"),
    "difficulty_halves": ("difficulty.hard", "difficulty.easy"),
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
    "surface": tuple(surface.SCORES),
    "sweep": tuple(metric.name for metric in sweep.rows()),
    "all": tuple(name for name, row in METRICS.items() if not row.score.needs_image),
    "photo": tuple(name for name, row in METRICS.items() if row.score.needs_image),
}  # fmt: skip


#: What can be asked for: names, or protocols beside them.
Wanted: TypeAlias = str | Protocol | Metric


def resolve(metrics: Wanted | Iterable[Wanted]) -> tuple[Metric, ...]:
    """Return the rows that a request names, each once, in the order asked for.

    Parameters
    ----------
    metrics : str, Protocol, Metric, or iterable of them
        A suite (``"sod"``, ``"cod"``, ``"dis"``, ``"irstd"``, ``"surface"``, ``"sweep"``,
        ``"all"``: everything that needs no photograph, ``"photo"``: what needs one), metrics
        (``"f_beta.max"``), scores, which stand for all their reports (``"iou"``), or protocols in
        their short text; a string may list several with commas.  A `Protocol` that a metric of the
        catalogue has is that metric; any other is called by its score and hash, or as
        `protocol_metrics` was told.

    Raises
    ------
    InputError
        When a name is unknown; the nearest known ones are suggested.

    Examples
    --------
    >>> [metric.name for metric in resolve("mae,f_beta.max")]
    ['mae', 'f_beta.max']
    >>> [metric.name for metric in resolve("soft / whole / pixelwise / mae / raw")]
    ['mae']
    """
    if isinstance(metrics, str):
        wanted: list[Wanted] = list(split_list(metrics))
    elif isinstance(metrics, Iterable):
        wanted = list(metrics)
    else:
        wanted = [metrics]
    found: dict[str, Metric] = {}
    for one in wanted:
        if isinstance(one, str):
            rows: Iterable[Metric] = _expand(one.strip())
        elif isinstance(one, Protocol):
            rows = _of_protocol(one)
        elif isinstance(one, Metric):
            rows = (one,)
        else:
            raise InputError(f"metrics must be names; received {one!r}")
        for row in rows:
            if found.setdefault(row.name, row) != row:
                raise InputError(f"metrics must have names of their own; two are {row.name!r}")
    if not found:
        raise InputError(f"metrics must name at least one metric; received {metrics!r}")
    return tuple(found.values())


def protocol_metrics(named: Mapping[str, Protocol]) -> tuple[Metric, ...]:
    """Return the metrics that protocols are, called by the names given.

    Parameters
    ----------
    named : mapping of str to Protocol
        Protocols by the names that their metrics get.

    Returns
    -------
    tuple of Metric
        To be asked for wherever metrics are, in the order of `named`.

    Raises
    ------
    InputError
        When a name is empty or one of the catalogue's, or a value is no protocol.
    """
    for name in named:
        if name in METRICS or name in SUITES or name in SCORES or name in ALIASES:
            raise InputError(f"a protocol must have a name of its own; {name!r} is the catalogue's")
    return protocols.rows(named)


def _of_protocol(protocol: Protocol) -> tuple[Metric, ...]:
    own = _BY_PROTOCOL.get(protocol)
    if own is not None:
        return (own,)
    return protocols.rows({protocol.name: protocol})


def _expand(name: str) -> list[Metric]:
    if not name:
        raise InputError("metrics must be names with one comma between; received an empty name")
    if is_text(name):
        return list(_of_protocol(Protocol.parse(name)))
    if name in SUITES:
        return [METRICS[member] for member in SUITES[name]]
    if name in METRICS:
        return [METRICS[name]]
    if name in SCORES:
        return [row for row in METRICS.values() if row.score.name == name]
    head, dot, report = name.partition(".")
    if head in ALIASES:
        return [row for other in ALIASES[head] for row in _expand(other + dot + report)]
    known = frozenset((*SUITES, *METRICS, *SCORES, *ALIASES))
    near: Sequence[str] = words.meant(name, known)
    if not near and any(map(str.isspace, name)):
        raise InputError(f"metrics must be names with one comma between; received {name!r}")
    own = [row.name for row in METRICS.values() if row.score.name == head.lower()]
    if not near and own:  # a score that is there, by a report that it has not
        near = difflib.get_close_matches(name.lower(), own, 3, cutoff=0.0)
    elif not near:
        near = difflib.get_close_matches(name.lower(), sorted(known), 3)
    hint = f"did you mean {' or '.join(near)}?" if near else "`fastsegmetrics metrics` lists them"
    raise InputError(f"unknown metric {name!r}; {hint}")
