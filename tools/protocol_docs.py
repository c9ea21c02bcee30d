"""The text of docs/protocols.md: the option sets, the paper's table, and pictures."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from fastsegmetrics.catalog import METRICS, Metric, protocol_metrics
from fastsegmetrics.protocol.score_options import MODES
from fastsegmetrics.protocol.value import KINDS, STAGES, Protocol
from fastsegmetrics.reporting import protocols as written

#: Paths that no metric of the catalogue takes.
UNEXPLORED = {
    "structure of matched targets": "soft / components(on=both, cut=0.5) / hungarian / s_measure / "
    "raw",
    "skeleton recall per target": "fixed / components(form=skeleton) / pixelwise / recall / "
    "raw(average=targets)",
    "effort per target": "fixed / components(form=skeleton) / pixelwise / hce / "
    "raw(average=targets)",
    "alignment by size": "adaptive / components / pixelwise / e_measure / raw(by=size)",
    "hIoU over ten bins": "dynamic(over=bins, n=10) / components(on=both) / opdc / hiou / "
    "mean(average=pooled)",
    "surfaces of matched targets": "fixed / components(on=both, form=boundary) / opdc / hd95 / "
    "raw(average=targets)",
}
#: Scores whose paths are drawn.
_DRAWN = ("mae", "f_beta", "ap", "weighted_f", "s_measure", "e_measure", "ms_iou", "hce", "c_beta",
          "difficulty", "hd95", "boundary_f", "si_mae", "si_f_beta", "hiou", "pd")  # fmt: skip

_HEAD = """\
# Protocols

<!-- Made from the option sets and the catalogue by tools/make_docs.py. -->

A metric is a path through five option sets, and the path is a value: it is written, compared,
hashed, and it runs. Every metric of [the table](metrics.md) is such a value, and so is every other
path that makes sense. [Five stages](five_stages.md) says what the stages are; the
[guide](guide.md#protocols) shows how protocols are used.

## The short text

    representation / target / matching / score / report

Each stage is `kind(parameter=value, …)`; parameters at their defaults are left out, lists of
numbers are written `0.25:0.5:0.75`. `region`, `edge`, `boundary`, `skeleton` and `band` alone are
the whole map in that form. Signs like `>` and parentheses need quotes in a shell. In TOML, each
table is a protocol and its keys are the stages (`score` must be there), or the one key `path` with
the whole text:

```toml
[thin-parts]
representation = "fixed(t=0.4)"
target = "components(form=skeleton, min_area=9)"
score = "recall"
report = "raw(by=size)"

[same-with-boxes]
path = "fixed(t=0.4) / components(min_area=9) / pixelwise / recall / raw(by=size)"
```

The maps of a target are as large as the image. Outside its pixels (`encoding=mask`) or its box
(`encoding=box`; of a matched pair the box around both) they are zero, and that counts: in the mean
of an error, and as true negatives.

A path that makes no sense is refused in one sentence that says why. The policy of degenerate cases,
the stretch and the constants of the scores (β², α, …) are no part of a path: they are the
[conventions](conventions.md) it runs under, and both are in the contract of a result.

The cost of `hungarian` is `distance`, `overlap`, `dice`, or a function of one's own that
`fastsegmetrics.protocol.register_cost` gave a name: [how](guide.md#protocols). A report by
`column.NAME` runs where the samples are put into strata by that column
([how](guide.md#strata)); halves of a column, and a `part` of it alone, are told by
`fastsegmetrics.protocol.report.of_samples`, which takes the column.
"""


def page() -> str:
    """Return the whole text of docs/protocols.md."""
    named = {name: Protocol.parse(text) for name, text in UNEXPLORED.items()}
    rows = [metric for metric in METRICS.values() if metric.protocol is not None]
    others = protocol_metrics(named)
    parts = [_HEAD, *_options(), *_table_one(rows, others), *_pictures(rows, others)]
    return "\n".join(parts)


def _options() -> Iterator[str]:
    yield "## The option sets\n"
    yield "Identifiers count the options in the order in which the design paper introduces them; of"
    yield "its own numbers its text prints S1-1 and S4-2, this one for hIoU too: target counts"
    yield "are a confusion matrix of targets. Beyond the paper's sets are the boundary (S2-…d) and"
    yield "the band (S2-…e), greedy matching (S3-5), the shooting rule (S3-6), the nearest point"
    yield "(S3-7), distances of points (S4-9), shared outlines (S4-10), strata (S5-5),"
    yield "distributions (S5-6) and survival (S5-7).\n"
    for number, stage in enumerate(STAGES, 1):
        yield f"### {number} {stage}\n"
        if stage == "score":
            yield "| identifier | way of scoring | scores |\n| --- | --- | --- |"
            for mode in MODES.values():
                names = ", ".join(f"`{name}`" for name in mode.scores)
                yield f"| {mode.identifier} | {mode.words} | {names} |"
        elif stage == "report":
            yield "| identifier | kind |\n| --- | --- |"
            yield "| S5-1 | `raw` |\n| S5-2 | `mean` |\n| S5-3 | `max` |\n| S5-4 | `auc` |"
            yield "| S5-5 | `by=size`, `by=column.NAME`, `by=halves.NAME` |"
            yield "| S5-6 | `quantiles=…` |\n| S5-7 | `survival` |\n"
            (option,) = KINDS[stage]
            yield f"Parameters: {_parameters(option)}."
        else:
            yield "| identifier | kind | parameters |\n| --- | --- | --- |"
            for option in KINDS[stage]:
                identifier = {"whole": "S2-1", "components": "S2-2"}.get(option.kind)
                shown = identifier or option.identifier  # type: ignore[attr-defined]
                yield f"| {shown} | `{option.kind}` | {_parameters(option)} |"
        yield ""
    yield "The form of a target adds a letter: a `region`, b `edge`, c `skeleton`, d `boundary`,"
    yield "e `band`.\n"


def _parameters(option: type) -> str:
    told = []
    for field in dataclasses.fields(option):
        if field.name == "summary":
            continue
        default = field.default
        shown = ":".join(f"{v:g}" for v in default) if isinstance(default, tuple) else default
        told.append(f"`{field.name}`" if shown in ("", None) else f"`{field.name}={shown}`")
    return ", ".join(told) or "–"


def _table_one(rows: list[Metric], others: tuple[Metric, ...]) -> Iterator[str]:
    head = "| metric | 1 | 2 | 3 | 4 | 5 | text | hash |\n|" + " --- |" * 8
    yield "## Every metric as its five stages\n"
    yield "The design paper's Table 1, for the whole catalogue.\n"
    yield head
    yield from (f"| {' | '.join(cells)} |" for cells in written.table(rows))
    yield "\n## Paths that nobody takes\n"
    yield "They need no new operation, and they run: `fastsegmetrics evaluate --protocol TEXT`.\n"
    yield head
    yield from (
        f"| {' | '.join(cells)} |"
        for cells in written.table(o for o in others if not o.report.name)
    )
    yield ""


def _pictures(rows: list[Metric], others: tuple[Metric, ...]) -> Iterator[str]:
    yield "## Pictures\n"
    yield "`fastsegmetrics protocols show --format mermaid NAME` draws any of them.\n"
    drawn = {name: [row for row in rows if row.score.name == name] for name in _DRAWN}
    drawn["paths that nobody takes"] = list(others)
    for name, members in drawn.items():
        yield f"### {name} as a picture\n"
        yield f"```mermaid\n{written.picture(members)}```\n"
