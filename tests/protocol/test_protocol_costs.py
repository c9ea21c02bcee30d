"""Assignments by a cost of the user's: by hand, by brute force, and wherever a protocol runs."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.bulk.stored_runs import combine, load_summary
from fastsegmetrics.catalog import protocol_metrics
from fastsegmetrics.protocol import costs, extract, match, register_cost
from fastsegmetrics.protocol.options import Hungarian
from fastsegmetrics.protocol.value import Protocol
from tests.bulk.benchmark import write
from tests.protocol.worked_scene import drawn

PATH = "fixed / components(on=both, encoding=mask) / hungarian(cost=areas{}) / {} / raw"


# Two and four pixels, of which each has the other's size predicted in its place.
GT = drawn("##....", "......", "####..")
PRED = drawn("####..", "......", "##....")


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    """A registry of this test's own."""
    own = dict(costs._registered)
    monkeypatch.setattr(costs, "_registered", own)
    return own


@pytest.fixture
def areas():
    @register_cost("areas")
    def difference(pred, gt):
        apart = np.abs(pred.areas[:, None] - gt.areas[None, :])
        return np.where(apart > 1, np.inf, apart)

    return difference


def pairs_by(table, **options) -> tuple[tuple[int, int], ...]:
    """Match single pixels by a table of costs, predictions first, under both backends."""
    table = np.array(table)
    costs._registered.pop("table", None)
    register_cost("table")(lambda pred, gt: table)
    pred, truth = (np.zeros((3, 9), bool) for _ in range(2))
    pred[0, : 2 * table.shape[0] : 2] = truth[2, : 2 * table.shape[1] : 2] = True
    found = []
    for backend in ("compiled", "reference"):
        with fsm.use_backend(backend):
            sides = extract.components(truth, 8), extract.components(pred, 8)
            found.append(match.match(Hungarian(cost="table", **options), *sides).pairs)
    assert found[0] == found[1]
    return found[0]


def test_pairs_by_hand() -> None:
    """Pairs are told truth first."""
    three = [[5, 1], [2, 9], [9, 9]]
    assert pairs_by(three) == ((0, 1), (1, 0))
    assert pairs_by(three, limit=2) == ((1, 0),)
    assert pairs_by(np.transpose(three)) == ((0, 1), (1, 0))
    # Of truth 0 the costs are 1 and 0, of truth 1 they are 9 and 2: at most 3 for both.
    two = [[1, 9], [0, 2]]
    assert pairs_by(two) == ((0, 0), (1, 1))
    assert pairs_by(two, limit=2) == ((0, 0),)
    assert pairs_by(two, limit=2, limited="before") == ((0, 1),)


def test_infinite_costs_are_no_pairs() -> None:
    inf = math.inf
    assert pairs_by([[inf, inf], [inf, inf]]) == ()
    assert pairs_by([[inf, inf], [inf, inf]], limit=3, limited="before") == ()
    # Two pairs at 100 rather than one at −7.
    assert pairs_by([[-7.0, 50], [50, inf]]) == ((0, 1), (1, 0))
    assert pairs_by([[1.0, inf, inf], [inf, inf, inf]]) == ((0, 0),)
    assert pairs_by([[True, False], [False, True]]) == ((0, 1), (1, 0))


@pytest.mark.parametrize("seed", range(30))
def test_as_many_pairs_as_may_be_at_the_least_cost(seed) -> None:
    random = np.random.default_rng(seed)
    n, m = map(int, random.integers(1, 5, 2))
    table = random.integers(-3, 7, (n, m)).astype(float)
    table[random.random((n, m)) < 0.5] = math.inf
    ways = {
        way for way in itertools.permutations([*range(m), *[-1] * n], n)
        if all(j < 0 or table[i, j] < math.inf for i, j in enumerate(way))
    }  # fmt: skip
    best = min((-sum(j >= 0 for j in way), _total(table, enumerate(way))) for way in ways)
    found = [(i, j) for j, i in pairs_by(table)]
    assert (-len(found), _total(table, found)) == best


def _total(table, pairs) -> float:
    return sum(table[i, j] for i, j in pairs if j >= 0)


def test_a_side_without_targets_asks_no_cost() -> None:
    @register_cost("never")
    def never(pred, gt):
        raise AssertionError

    path = "fixed / components(on=both) / hungarian(cost=never) / target_recall / raw"
    name = Protocol.parse(path).name
    assert fsm.measure(PRED & False, GT, path)[name] == 0.0
    assert math.isnan(fsm.measure(PRED & False, GT & False, path)[name])


def measured(path: str, pred=PRED, gt=GT, **choices) -> float:
    return fsm.measure(pred, gt, path, **choices)[Protocol.parse(path).name]


@pytest.mark.parametrize("backend", ["compiled", "reference"])
def test_measured_by_hand(areas, backend) -> None:
    by_place = PATH.replace("cost=areas", "cost=distance")
    assert measured(by_place.format("", "iou"), backend=backend) == 0.5
    assert measured(PATH.format("", "iou"), backend=backend) == 0.0
    assert measured(PATH.format("", "target_recall"), backend=backend) == 1.0
    # Of two and four pixels against four and four, two find one of their size.
    other = drawn("####..", "......", "####..")
    assert measured(PATH.format("", "target_recall"), other, backend=backend) == 0.5
    assert measured(PATH.format("", "target_precision"), other, backend=backend) == 0.5
    # The four that are found wholly, the two that are missed, and four that are none.
    empty = PATH.format(", unmatched=empty", "recall")
    assert measured(empty, other, backend=backend) == (1 + 0 + 0) / 3
    soft = np.where(PRED, 0.75, 0.25)
    path = PATH.format("", "mae").replace("fixed", "soft").replace("=mask", "=mask, cut=0.5")
    # Two and four pixels at .75 that are none, and as many that are and have 0.
    value = measured(path, soft, stretch=False, backend=backend)
    assert value == pytest.approx((2 * 0.75 + 4 + 4 * 0.75 + 2) / 2 / 18)
    curve = "dynamic(over=bins, n=4) / components(on=both) / hungarian(cost=areas) / target_f1 / "
    # Of P > 0 all is one target, of P > .75 nothing, between them are those of the mask.
    assert measured(curve + "max", soft, stretch=False, backend=backend) == 1.0


def test_a_data_set_and_its_strata(areas, tmp_path) -> None:
    truths = {"a": GT, "b": GT, "c": GT}
    maps = {"a": PRED, "b": drawn("####..", "......", "####.."), "c": GT & False}
    (tmp_path / "sky.csv").write_text("sample,sky\na,blue\nb,grey\nc,grey\n")
    strata = fsm.Strata.column(tmp_path / "sky.csv", "sky")
    metrics = protocol_metrics({"found": Protocol.parse(PATH.format("", "target_recall"))})
    evaluator = fsm.Evaluator(metrics, strata=strata)
    for name, gt in truths.items():
        evaluator.update(maps[name], gt, sample_id=name)
        write(tmp_path / "gt" / f"{name}.png", gt * 255)
        write(tmp_path / "maps" / f"{name}.png", maps[name] * 255)
    expected = {"": (1 + 1 / 2 + 0) / 3, "blue": 1.0, "grey": (1 / 2 + 0) / 2}
    found = [evaluator.result()]
    for workers in (1, 2):
        run = fsm.evaluate_folders(
            tmp_path / "gt", {"m": tmp_path / "maps"}, metrics=metrics, strata=strata,
            workers=workers, out=tmp_path / f"run{workers}",
        )  # fmt: skip
        found.append(run["m"])
    for result in found:
        told = {"": result, **result.strata}
        assert {name: one["found"].value for name, one in told.items()} == expected
        row = result.contract.metrics["found"]
        assert row["matching"] == "minimum-cost assignment by the user's cost areas"
        assert "hungarian(cost=areas)" in str(row["protocol"])


def test_it_is_written_and_read_as_any_path(areas) -> None:
    path = Protocol.parse(PATH.format(", limit=2", "iou"))
    assert str(path.matching) == "hungarian(cost=areas, limit=2)"
    for again in (
        Protocol.parse(str(path)),
        Protocol.from_dict(path.to_dict()),
        pickle.loads(pickle.dumps(path)),
    ):
        assert again == path
        assert again.hash == path.hash
    assert path.hash != path.replace(matching="hungarian(limit=2)").hash
    assert path.identifiers == "S1-2 S2-2a S3-3 S4-2 S5-1"


def test_a_path_read_where_its_cost_is_not_registered(areas, registry, tmp_path) -> None:
    text = PATH.format("", "target_recall")
    path = Protocol.parse(text)
    write(tmp_path / "gt" / "a.png", GT * 255)
    write(tmp_path / "maps" / "a.png", PRED * 255)
    fsm.evaluate_folders(
        tmp_path / "gt", {"m": tmp_path / "maps"}, metrics=text, out=tmp_path / "run"
    )
    registry.clear()
    sentence = (
        r"^hungarian: cost must be one of distance, overlap, dice, or be registered here by "
        r"protocol\.register_cost; received 'areas'$"
    )
    with pytest.raises(fsm.InputError, match=sentence):
        Protocol.parse(text)
    with pytest.raises(fsm.InputError, match=sentence):  # as in another process
        fsm.Evaluator(path).update(PRED, GT)
    # A finished run is shown all the same.
    shown = combine({"run": load_summary(tmp_path / "run")})
    assert shown.unnamed == {path.name: text}
    assert shown.aggregates["m"][path.name].value == 1.0


def test_names(areas) -> None:
    assert register_cost("areas")(areas) is areas
    with pytest.raises(fsm.InputError, match="'areas' is registered already"):
        register_cost("areas")(lambda pred, gt: areas(pred, gt))
    with pytest.raises(fsm.InputError, match="'dice' is the package's"):
        register_cost("dice")
    for name in ("", "Areas", "1st", "a-b", "a b", "a=b", "é", "a\n", None, areas):
        with pytest.raises(fsm.InputError, match="name of a cost must be a lower-case letter"):
            register_cost(name)
    with pytest.raises(fsm.InputError, match="a function of two sets; received 3"):
        register_cost("three")(3)
    for cost in ("Distance", 3, ["areas"], None):
        with pytest.raises(fsm.InputError, match="cost must be one of distance, overlap, dice, a"):
            Hungarian(cost=cost)


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (np.zeros((2, 3)), r"of shape \(2, 2\), predicted × true .* float64 of shape \(2, 3\)"),
        (0.0, r"received float64 of shape \(\)"),
        (None, "received object of shape"),
        (np.zeros((2, 2), complex), "received complex128"),
        ([[0, 1], [math.nan, 1]], r"or \+inf; received nan for prediction 1 and truth 0$"),
        ([[0, -math.inf], [0, 1]], "received -inf for prediction 0 and truth 1$"),
        ([[0, 1e101], [0, 1]], r"up to 1e\+100, or \+inf; received 1e\+101 for prediction 0"),
    ],
)
def test_what_is_no_cost(returned, words) -> None:
    register_cost("broken")(lambda pred, gt: returned)
    with pytest.raises(fsm.InputError, match=f"^cost broken must return .*{words}"):
        measured(PATH.replace("areas", "broken").format("", "iou"))
