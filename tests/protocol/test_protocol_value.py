"""A protocol as a value: text, plain data, TOML, hash, words, and paths that make no sense."""

from __future__ import annotations

import dataclasses

import pytest

import fastsegmetrics as fsm
from fastsegmetrics.catalog import METRICS, protocol_metrics, resolve
from fastsegmetrics.protocol.options import Adaptive, Components, Dynamic, Fixed, Hungarian, Whole
from fastsegmetrics.protocol.report_options import Report
from fastsegmetrics.protocol.score_options import Score
from fastsegmetrics.protocol.value import Protocol, load, split_list

PLAIN = Protocol.parse("soft / whole / pixelwise / mae / raw")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("soft/whole/pixelwise/mae/raw", "soft / whole / pixelwise / mae / raw"),
        ("fixed(t=0.50)/region/pixelwise/iou/raw", "fixed / whole / pixelwise / iou / raw"),
        ("fixed( t = .25 , keep = >= ) / edge / pixelwise / iou / raw",
         "fixed(t=0.25, keep=>=) / whole(form=edge) / pixelwise / iou / raw"),
        ("dynamic(over=bins,n=10) / components(on=both) / opdc(distance=4) / hiou / mean",
         "dynamic(over=bins, n=10) / components(on=both) / opdc(distance=4) / hiou / mean"),
        ("fixed / components(min_area=9, small=largest) / pixelwise / dice / "
         "raw(by=size, limits=10:20.5, quantiles=0.25:0.75)",
         "fixed / components(min_area=9, small=largest) / pixelwise / dice / "
         "raw(by=size, limits=10:20.5, quantiles=0.25:0.75)"),
        ("dynamic / whole / pixelwise / f_beta / max(average=pooled,of=dataset)",
         "dynamic / whole / pixelwise / f_beta / max(average=pooled)"),
    ],
)  # fmt: skip
def test_texts(text, shown) -> None:
    protocol = Protocol.parse(text)
    assert str(protocol) == shown
    assert Protocol.parse(shown) == protocol
    assert Protocol.from_dict(protocol.to_dict()) == protocol
    assert Protocol.from_dict(protocol.to_dict()).hash == protocol.hash
    assert hash(Protocol.parse(shown)) == hash(protocol)


def test_every_metric_of_the_catalogue_is_a_protocol_of_its_own() -> None:
    own = [metric for metric in METRICS.values() if metric.protocol is not None]
    assert len({metric.protocol for metric in own}) == len(own)
    for metric in own:
        protocol = metric.protocol
        assert Protocol.parse(str(protocol)) == protocol
        assert protocol.direction == metric.direction
        assert protocol.needs_image == metric.score.needs_image
        words = protocol.words()
        words["score"] = metric.path.score
        assert words == metric.path.to_dict()
        assert resolve([protocol]) == (metric,)


def test_numbers_that_are_equal_make_one_protocol() -> None:
    assert Fixed(1) == Fixed(1.0)
    assert str(Fixed(1)) == str(Fixed(1.0)) == "fixed(t=1)"
    one = Protocol(Fixed(1), Whole(), PLAIN.matching, Score("iou"), Report())
    other = Protocol(Fixed(1.0), Whole(), PLAIN.matching, Score("iou"), Report())
    assert one.hash == other.hash
    assert Components(connectivity=4.0).to_dict()["connectivity"] == 4
    assert type(Components(connectivity=4.0).connectivity) is int


@pytest.mark.parametrize(
    "report",
    [
        Report(by="column.5", part="05"),
        Report(by="column.a:b", part="1:2"),
        Report(by="column.x y.z", part="1e3"),
        Report(by="halves.ä", part="hard"),
        Report(by="column.s", part="true", quantiles=(0.0, 1 / 3)),
    ],
)
def test_names_of_columns_and_strata_are_read_as_they_were_written(report) -> None:
    path = PLAIN.replace(report=report)
    assert Protocol.parse(str(path)) == path == Protocol.from_dict(path.to_dict())
    assert Protocol.parse(str(path)).hash == path.hash


@pytest.mark.parametrize("name", ["a/b", "a,b", "a)", "(a", " a", "a\n", "a=1"])
def test_names_that_no_text_can_hold_are_refused(name) -> None:
    with pytest.raises(fsm.InputError, match="by must be"):
        Report(by=f"column.{name}")
    with pytest.raises(fsm.InputError, match="part must be text"):
        Report(by="column.a", part=name)
    with pytest.raises(fsm.InputError, match=r"part must be text.* received 5"):
        Report(by="column.a", part=5)


def test_minus_zero_is_zero() -> None:
    one, other = (PLAIN.replace(representation=f"fixed(t={t})") for t in ("0", "-0.0"))
    assert (one, one.hash, str(one)) == (other, other.hash, str(other))


def test_hashes_are_kept() -> None:
    """They stand in contracts: another number here is a change that the changelog tells."""
    assert PLAIN.hash == "3d784f8517f99922"
    assert METRICS["f_beta.max"].protocol.hash == "40a5c724070c20c1"


def test_values_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        PLAIN.score = Score("iou")


def test_identifiers() -> None:
    shown = {name: METRICS[name].protocol.identifiers for name in ("mae", "hce", "ms_iou.mean")}
    assert shown == {
        "mae": "S1-1 S2-1a S3-1 S4-1 S5-1",
        "hce": "S1-2 S2-1c S3-1 S4-7 S5-1",
        "ms_iou.mean": "S1-4 S2-1b S3-1 S4-6 S5-2",
    }


def test_differences() -> None:
    other = PLAIN.replace(representation="fixed", report="raw(by=size)")
    assert PLAIN.differences(other) == {
        "representation": ("soft", "fixed"), "report": ("raw", "raw(by=size)"),
    }  # fmt: skip
    assert PLAIN.differences(PLAIN) == {}


NONSENSE = {
    "soft / whole / pixelwise / e_measure / raw": "compares partitions",
    "soft / whole / pixelwise / ms_iou / raw": "compares partitions",
    "soft / edge / pixelwise / mae / raw": "a soft map has no edge",
    "fixed / whole / pixelwise / auc / auc": "area under a curve over thresholds: take dynamic",
    "dynamic / whole / pixelwise / auc / raw": "its curves are those of fpr and recall, raw",
    "dynamic / whole / pixelwise / auc / auc(rule=step)": "rule=step draws no area of auc",
    "fixed / whole / pixelwise / iou / survival": "take hiou",
    "dynamic / whole / pixelwise / iou / max(rule=step)": "rule=step draws no area",
    "adaptive(of=target) / whole / pixelwise / iou / raw": "needs the targets of the truth",
    "fixed / skeleton / pixelwise / iou / raw": "a skeleton has no area",
    "fixed / whole / pixelwise / hce / raw": "the form must be skeleton",
    "fixed / boundary / pixelwise / c_beta / raw": "looks at regions",
    "fixed / components(encoding=mask) / pixelwise / precision / raw": "take encoding=box",
    "soft / components(on=both) / opdc / s_measure / raw": "need a threshold",
    "fixed / components(on=both, cut=0.5) / opdc / iou / raw": "leave it out",
    "fixed / components(on=both, empty=whole) / opdc / iou / raw": "cannot be matched",
    "fixed / components(on=both) / pixelwise / iou / raw": "have to be matched",
    "fixed / components / opdc / iou / raw": "matches targets of both sides",
    "fixed / whole / greedy / iou / raw": "matches targets of both sides",
    "fixed / whole / pixelwise / hiou / raw": "counts targets of both sides",
    "fixed / components(on=both) / opdc(unmatched=empty) / hiou / raw": "leave unmatched out",
    "fixed / components(on=both) / shooting / hiou / raw": "shooting makes no pairs for hiou",
    "fixed / components(on=both) / shooting / iou / raw": "shooting makes no pairs for iou",
    "fixed / components(on=both) / greedy / hiou_loc_perception / raw": "take opdc",
    "fixed / whole / pixelwise / iou / max": "has one value: take raw",
    "fixed / whole / pixelwise / iou / raw(of=image)": "leave of out",
    "dynamic(over=bins, n=1) / whole / pixelwise / iou / auc": "at least two thresholds",
    "fixed / whole / pixelwise / mae / raw(average=pooled)": "no counts that could be pooled",
    "fixed / whole / pixelwise / iou / raw(average=targets)": "a value for each target",
    "dynamic / components(on=both) / opdc / iou / max(of=target)": "change with the threshold",
    "dynamic / whole / pixelwise / iou / max(of=target)": "needs targets",
    "dynamic / whole / pixelwise / iou / max(of=image, average=pooled)": "of must be dataset",
    "soft / components / pixelwise / iou / raw(average=balanced)": "mae of components",
    "dynamic / components / pixelwise / mae / raw(average=balanced)": "one value per target",
    "fixed / whole / pixelwise / iou / raw(limits=5)": "limits divide sizes",
    "dynamic / whole / pixelwise / iou / raw(quantiles=0.5)": "quantiles need one value",
    "soft / components / pixelwise / mae / raw(average=balanced, by=size)": "no strata",
    "soft / whole / nearest / hd / raw": "compares partitions",
    "soft / band / pixelwise / mae / raw": "a soft map has no band",
    "fixed / boundary / pixelwise / hd95 / raw": "from point to point: take nearest",
    "fixed / boundary / nearest(within=2) / hd95 / raw": "hd95 has no limit",
    "fixed / boundary / nearest(within=2) / nsd / raw": "nsd has the conventions' tolerance",
    "fixed / boundary / nearest / boundary_f / raw": r"take nearest\(within=2\)",
    "fixed / boundary / pixelwise / boundary_f / raw": r"take nearest\(within=2\)",
    "fixed / components(on=both) / opdc / boundary_f / raw": r"take nearest\(within=2\)",
    "fixed / boundary / nearest / iou / raw": "iou measures no distance of points",
    "fixed / components(on=both) / nearest / hd / raw": "have to be matched",
    "fixed / boundary / pixelwise / boundary_iou / raw": "it must be band",
    "fixed / whole / pixelwise / cl_dice / raw": "it must be skeleton",
    "fixed / boundary / nearest / hd / raw(average=pooled)": "no counts that could be pooled",
}


@pytest.mark.parametrize("text", NONSENSE)
def test_paths_that_make_no_sense_say_why(text) -> None:
    with pytest.raises(fsm.InputError, match=NONSENSE[text]) as caught:
        Protocol.parse(text)
    assert str(caught.value).startswith("the path makes no sense: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("soft / whole / mae", "must be written representation / target"),
        ("sotf / whole / pixelwise / mae / raw", "did you mean soft"),
        ("soft / whole / pixelwise / maee / raw", "did you mean mae"),
        ("soft / whole / pixelwise / mae / maximum", "summary must be one of raw, mean"),
        ("fixed(0.5) / whole / pixelwise / iou / raw", "takes parameter=value"),
        (
            "fixed(level=0.5) / whole / pixelwise / iou / raw",
            "takes stretch, t, keep; received 'level'",
        ),
        ("soft(t=1) / whole / pixelwise / mae / raw", "takes stretch; received 't'"),
        ("soft / whole / pixelwise(a=1) / mae / raw", "takes no parameter"),
        ("fixed / boundary / nearest(unit=diagonal) / hd / raw", "unit=diagonal is of within"),
        ("fixed(t=2) / whole / pixelwise / iou / raw", r"t must be a number in \[0, 1\]"),
        ("fixed(t=0.1, t=0.2) / whole / pixelwise / iou / raw", "'t' twice"),
        ("fixed(keep=<) / whole / pixelwise / iou / raw", "keep must be one of >, >="),
        ("dynamic(n=100) / whole / pixelwise / iou / mean", "n must be one of 256, 257"),
        ("soft(stretch=always) / whole / pixelwise / mae / raw", "stretch must be one of , never"),
        ("dynamic(over=bins, n=2.5) / whole / pixelwise / iou / mean", "n must be an integer"),
        ("fixed / whole / pixelwise / iou(beta2=1) / raw", "its constants are conventions"),
        ("fixed / whole / pixelwise / iou / raw(limits=9:3)", "limits must ascend"),
        (
            "fixed / whole / pixelwise / iou / raw(by=shape)",
            "by must be size, column.NAME or",
        ),
        ("fixed / whole / pixelwise / iou / raw(part=small)", "part must be left out without by"),
        ("fixed / whole / pixelwise / iou / raw(by=size, part=tiny)", "one of small, medium"),
        ("fixed / whole) / pixelwise / iou / raw", "must be written kind"),
        (
            "fixed / edge(connectivity=4) / pixelwise / iou / raw",
            r"edge takes no parameter.* components\(form=edge",
        ),
        ("Fixed / whole / pixelwise / iou / raw", "did you mean fixed"),
        ("fixed / whole / pixelwise / IoU / raw", "did you mean iou"),
        ("fixed / whole / pixelwise / iou / raw(by=column.a=b)", "by must be text without spaces"),
        (None, "must be a string; received None"),
        (b"fixed / whole / pixelwise / iou / raw", "must be a string"),
    ],
)
def test_texts_that_are_none(text, words) -> None:
    with pytest.raises(fsm.InputError, match=words):
        Protocol.parse(text)


def test_a_wrong_option_is_refused() -> None:
    with pytest.raises(fsm.InputError, match="target must be a short text or have a kind"):
        PLAIN.replace(target=Score("iou"))
    with pytest.raises(fsm.InputError, match="stages of a protocol are"):
        PLAIN.replace(stage="soft")
    with pytest.raises(fsm.InputError, match="needs a score"):
        Protocol.from_dict({"target": "whole"})


def test_toml(tmp_path) -> None:
    path = tmp_path / "mine.toml"
    first = Protocol.parse("dynamic(over=bins, n=4) / boundary / pixelwise / dice / mean")
    second = first.replace(
        representation=Adaptive(1.5), target=Components(on="both"),
        matching=Hungarian(limit=5), report="raw",
    )  # fmt: skip
    path.write_text(
        first.to_toml("plain")
        + second.to_toml("a name")
        + f'[whole]\npath = "{PLAIN}"\n[defaults]\nscore = "iou"\n'
        + '[tables]\nscore = "iou"\nrepresentation = { kind = "fixed", t = 0.25 }\n'
    )
    found = load(path)
    assert list(found) == ["plain", "a name", "whole", "defaults", "tables"]
    assert found["plain"] == first
    assert found["a name"] == second
    assert found["whole"] == PLAIN
    assert str(found["defaults"]) == "fixed / whole / pixelwise / iou / raw"
    assert found["tables"].representation == Fixed(0.25)
    path.write_text(first.to_toml())
    assert load(path) == {"mine": first}
    path.write_bytes(b"\xef\xbb\xbf" + first.to_toml("ü").replace("\n", "\r\n").encode())
    assert load(path) == {"ü": first}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no protocol"),
        ("x = ", "is no TOML"),
        ('[a]\nscore = "nothing"', "mine.toml, a: score must be one of"),
        ('[a]\nscore = "iou"\npath = "b"', "without stages beside it"),
        ("a = 3", "must be a table of stages"),
        ("[a]\nscore = 3", "short text or have a kind"),
    ],
)
def test_toml_that_holds_none(tmp_path, text, words) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(fsm.InputError, match=words):
        load(path)


def test_toml_that_is_not_there(tmp_path) -> None:
    with pytest.raises(fsm.InputError, match=r"none\.toml: cannot be read"):
        load(tmp_path / "none.toml")


def test_requests_by_protocol() -> None:
    text = "fixed(t=0.3, keep=>=) / whole / pixelwise / iou / raw"
    assert split_list(f"mae,{text},iou.bin") == ["mae", text, "iou.bin"]
    name = Protocol.parse(text).name
    assert name == f"iou@{Protocol.parse(text).hash[:8]}"
    assert [m.name for m in resolve(f"mae,{text},iou.bin")] == ["mae", name, "iou.bin"]
    by_size = Protocol.parse(text).replace(report="raw(by=size, quantiles=0.5)")
    assert [m.name for m in protocol_metrics({"low": by_size})] == [
        "low", "low[q0.5]", "low[small]", "low[small q0.5]", "low[medium]", "low[medium q0.5]",
        "low[large]", "low[large q0.5]",
    ]  # fmt: skip
    with pytest.raises(fsm.InputError, match="name of its own"):
        protocol_metrics({"mae": PLAIN})
    by_column = Protocol.parse(text).replace(report="raw(by=column.weather, part=fog)")
    with pytest.raises(fsm.InputError, match="leave part out"):
        protocol_metrics({"low": by_column})
    with pytest.raises(fsm.InputError, match="without commas"):
        protocol_metrics({"a,b": PLAIN})
    with pytest.raises(fsm.InputError, match="must be Protocol values"):
        protocol_metrics({"a": text})
    other = by_size.replace(representation="soft")
    with pytest.raises(fsm.InputError, match="two are 'low'"):
        resolve([*protocol_metrics({"low": by_size}), *protocol_metrics({"low": other})])


def test_dynamic_is_said_once() -> None:
    assert Dynamic() == Dynamic(keep=">=")
    assert Dynamic("bins", 8).keep == ">"
    assert Dynamic("bins").steps(10) == 10
    assert Dynamic("bins", 8).steps(10) == 8
    assert Dynamic(n=257).steps(10) == 257


def test_the_formula_of_a_target_score_is_said_once() -> None:
    text = "fixed / components(on=both) / opdc / hiou / raw"
    (row,) = resolve(text)
    assert row.path.score == "target counts: hiou_seg · hiou_loc"
    (row,) = resolve(text.replace("hiou", "iou"))
    assert row.path.score.endswith("intersection over union = tp/(tp + fp + fn)")
