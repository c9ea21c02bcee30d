"""Surface and boundary scores of maps: check values, thresholds, empty sides, one statistic."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

import fastsegmetrics as fsm
from fastsegmetrics import represent
from fastsegmetrics.catalog import METRICS, SUITES
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.protocol import measure, report
from fastsegmetrics.protocol.options import Nearest
from fastsegmetrics.protocol.value import Protocol
from fastsegmetrics.statistics import map_surfaces as statistics
from fastsegmetrics.target import Target
from tests.strategies import eight_bit_pairs, float_pairs

inf, nan = math.inf, math.nan
DISTANCES = ("hd", "hd95", "hd95_pooled", "hd95_mean", "hd95_inverse_cdf", "assd", "masd")
SHARES = ("nsd", "boundary_f", "boundary_iou", "cl_dice")

CORNER = np.zeros((12, 12), bool)
CORNER[1:4, 1:4] = True
CORNER_AND_PIXEL = CORNER.copy()
CORNER_AND_PIXEL[10, 10] = True
SQUARE = np.zeros((12, 12), bool)
SQUARE[3:9, 3:9] = True
FAR = np.hypot(9, 9) - np.hypot(2, 2)  # from (10, 10) to (3, 3)


@pytest.fixture(params=["compiled", "reference"])
def backend(request) -> str:
    return request.param


def surfaces(pred, gt, backend="compiled", **conventions) -> dict[str, float]:
    return fsm.measure(pred, gt, "surface", backend=backend, **conventions)


def test_the_suite() -> None:
    assert SUITES["surface"] == DISTANCES + SHARES
    assert set(SUITES["surface"]) <= set(SUITES["all"])
    for name in SUITES["surface"]:
        lower = name in DISTANCES
        assert METRICS[name].range == (0.0, inf if lower else 1.0)
        assert METRICS[name].direction == ("lower" if lower else "higher")
        assert METRICS[name].path.representation == "fixed: P > 0.5, P never stretched"


def test_a_far_pixel(backend) -> None:
    """Eight surface pixels and one more: 9 distances forth, of which the last is not 0; 8 back."""
    found = surfaces(np.uint8(CORNER_AND_PIXEL) * 128, CORNER, backend)
    expected = {
        "hd": FAR, "hd95": 0.6 * FAR, "hd95_pooled": 0.2 * FAR, "hd95_mean": 0.3 * FAR,
        "hd95_inverse_cdf": FAR, "assd": FAR / 17, "masd": FAR / 18, "nsd": 16 / 17,
        # Precision 8/9, recall 1; bands of one pixel, 8 and 9; skeletons of one pixel and of two.
        "boundary_f": 16 / 17, "boundary_iou": 8 / 9, "cl_dice": 0.8,
    }  # fmt: skip
    assert found == pytest.approx(expected, rel=1e-12)
    # The five conventions as the literature prints them.
    printed = [round(found[name], 4) for name in DISTANCES[:5]]
    assert printed == [9.8995, 5.9397, 1.9799, 2.9698, 9.8995]


def test_a_square_moved_by_one_column(backend) -> None:
    found = surfaces(np.roll(SQUARE, 1, axis=1) / 1.5, SQUARE, backend)
    # Of 20 surface pixels each, those of the rows in both lie on the other: 2 · 5; 10 are 1 off,
    # of which two corners: (3, 9) is next to (3, 8).
    assert [found[name] for name in ("hd", "hd95", "hd95_inverse_cdf")] == [1.0, 1.0, 1.0]
    assert found["assd"] == found["masd"] == 10 / 20
    assert (found["nsd"], found["boundary_f"]) == (1.0, 1.0)
    assert found["boundary_iou"] == 10 / 30


def test_a_line_and_one_of_its_pixels(backend) -> None:
    gt = np.eye(1, 9) == 1
    found = surfaces(np.full((1, 9), 255, np.uint8), gt, backend, tolerance=1)
    assert (found["hd"], found["assd"], found["masd"], found["nsd"]) == (8.0, 3.6, 2.0, 0.3)
    # ⌈.008 · √82⌉ = 1: two of nine are found.
    assert found["boundary_f"] == pytest.approx(2 * (2 / 9) / (11 / 9))


@pytest.mark.parametrize("tolerance", [0, 1, 1.5, 100])
def test_the_tolerance_is_a_convention(tolerance) -> None:
    pred = np.roll(SQUARE, (1, 2), axis=(0, 1))
    assert fsm.measure(pred, SQUARE, "nsd", tolerance=tolerance) == {
        "nsd": fsm.nsd(pred, SQUARE, tolerance)
    }
    evaluator = fsm.Evaluator("nsd", tolerance=tolerance)
    assert evaluator.contract.conventions["tolerance"] == tolerance
    assert evaluator.contract.hash != fsm.Evaluator("nsd").contract.hash
    assert fsm.Evaluator("nsd").contract.conventions["tolerance"] == 2.0


@pytest.mark.parametrize("tolerance", [-1, nan, inf, "2", True])
def test_tolerances_that_are_none(tolerance) -> None:
    with pytest.raises(fsm.InputError, match="tolerance must be a finite number of at least 0"):
        Conventions(tolerance=tolerance)


def test_maps_are_read_as_they_are() -> None:
    """A faint map has nothing above one half, whatever the conventions stretch."""
    faint = np.uint8(CORNER) * 100
    for stretch in (True, False):
        found = surfaces(faint, CORNER, stretch=stretch)
        assert found == {**dict.fromkeys(DISTANCES, inf), **dict.fromkeys(SHARES, 0.0)}
    assert surfaces(faint / np.float32(100), CORNER)["hd"] == 0.0
    with pytest.raises(fsm.InputError, match="pass pred_scale=1"):
        surfaces(np.uint8(CORNER), CORNER)
    assert surfaces(np.uint8(CORNER), CORNER, pred_scale=1)["hd"] == 0.0
    assert surfaces(CORNER[::-1], CORNER[::-1])["cl_dice"] == 1.0


@pytest.mark.parametrize(
    ("conventions", "distance", "share"),
    [
        ({}, 0.0, 1.0),
        ({"policy": "strict"}, 0.0, 1.0),
        ({"policy": "strict", "both_empty": "undefined"}, nan, nan),
    ],
)
def test_empty_sides(backend, conventions, distance, share) -> None:
    nothing = np.zeros((5, 7), np.uint8)
    block = nothing == 1
    block[1:3, 2:6] = True
    full = ~(block & False)
    both = surfaces(nothing, block & False, backend, **conventions)
    expected = {**dict.fromkeys(DISTANCES, distance), **dict.fromkeys(SHARES, share)}
    assert both == pytest.approx(expected, nan_ok=True)
    one = {**dict.fromkeys(DISTANCES, inf), **dict.fromkeys(SHARES, 0.0)}
    assert surfaces(nothing, block, backend, **conventions) == one
    assert surfaces(block, block & False, backend, **conventions) == one
    # The surface of a full image is its border: 20 of 35 pixels.
    perfect = {**dict.fromkeys(DISTANCES, 0.0), **dict.fromkeys(SHARES, 1.0)}
    assert surfaces(full, full, backend, **conventions) == perfect
    assert surfaces(full, block, backend, **conventions)["hd"] == fsm.hd(full, block)
    assert surfaces([[True]], [[True]], backend, **conventions) == perfect


def test_an_empty_side_as_far_as_the_diagonal(backend) -> None:
    nothing = np.zeros((5, 12), bool)
    block = nothing.copy()
    block[1:3, 2:6] = True
    expected = {**dict.fromkeys(DISTANCES, 13.0), **dict.fromkeys(SHARES, 0.0)}
    for pred, gt in ((nothing, block), (block, nothing)):
        assert surfaces(pred, gt, backend, one_empty="diagonal") == expected
    both = surfaces(nothing, nothing, backend, one_empty="diagonal")
    assert (both["hd"], both["nsd"]) == (0.0, 1.0)
    evaluator = fsm.Evaluator("hd95", one_empty="diagonal", backend=backend)
    for pred in (block, nothing):
        evaluator.update(pred, block)
    row = evaluator.result()["hd95"]
    assert (row.value, row.n_used, row.n_infinite) == (6.5, 2, 0)


def test_infinite_values_are_counted_and_left_out(backend) -> None:
    evaluator = fsm.Evaluator("surface", backend=backend)
    evaluator.update(np.roll(SQUARE, 1, axis=1), SQUARE)
    evaluator.update(SQUARE & False, SQUARE)
    evaluator.update(SQUARE, SQUARE)
    result = evaluator.result(n_expected=4)
    row = result["hd"]
    assert (row.value, row.n_used, row.n_infinite, row.n_undefined) == (0.5, 2, 1, 0)
    assert (result["nsd"].value, result["nsd"].n_used) == (2 / 3, 3)
    assert '"inf"' in result.to_json()


def by_functions(pred: np.ndarray, gt: np.ndarray) -> dict[str, float]:
    found = fsm.surface_distances(pred, gt)
    kinds = {"hd95": None, "hd95_pooled": "pooled", "hd95_mean": "mean",
             "hd95_inverse_cdf": "inverse_cdf"}  # fmt: skip
    return {
        "hd": found.hd,
        **{name: found.hd_percentile(95, kind) for name, kind in kinds.items()},
        "assd": found.assd,
        "masd": found.masd,
        "nsd": found.nsd(2.0),
        "boundary_f": float(fsm.boundary_f(pred, gt, 0.008, unit="diagonal")),
        "boundary_iou": float(fsm.boundary_iou(pred, gt)),
        "cl_dice": float(fsm.cl_dice(pred, gt)),
    }


@given(eight_bit_pairs())
def test_they_are_the_functions_of_the_mask(pair) -> None:
    pred, gt = pair
    assert surfaces(pred, gt) == by_functions(pred > 127, gt)


@given(float_pairs())
def test_both_backends_and_both_directions(pair) -> None:
    values, gt = pair
    compiled = surfaces(values[:, ::-1], gt[:, ::-1])
    assert surfaces(values[:, ::-1], gt[:, ::-1], "reference") == pytest.approx(compiled, rel=1e-12)
    swapped = surfaces(gt[:, ::-1], values[:, ::-1] > 0.5)
    assert swapped == pytest.approx(compiled, rel=1e-12)
    turned = surfaces(values.T, gt.T)
    for name in (*DISTANCES, "nsd", "boundary_f", "boundary_iou"):
        assert turned[name] == pytest.approx(compiled[name], rel=1e-12)


def test_wide_images_have_wide_bands_and_tolerances() -> None:
    """A diagonal of 316 px: δ = ⌈2.53⌉ = 3, bands of 6 px."""
    assert statistics.boundary_tolerance(0.008, (100, 300)) == 3.0
    assert statistics.band_width((100, 300)) == 6
    assert statistics.band_width((1, 1)) == 1
    gt = np.zeros((100, 300), bool)
    gt[20:80, 100:200] = True
    pred = np.roll(gt, 3, axis=1)
    found = surfaces(pred, gt)
    assert (found["hd"], found["boundary_f"]) == (3.0, 1.0)
    assert surfaces(np.roll(gt, 4, axis=1), gt)["boundary_f"] < 1.0
    # Frames of 60 × 100 pixels; overlaps row by row of the six at each end and of the rest.
    frame = 60 * 100 - 48 * 88
    shared = 12 * 97 + 48 * 6
    assert found["boundary_iou"] == shared / (2 * frame - shared)


def test_all_scores_are_of_one_statistic(monkeypatch) -> None:
    calls = []
    for name in ("surface_distances", "band", "skeleton_of"):
        found = getattr(statistics, name)
        monkeypatch.setattr(
            statistics, name, lambda *args, f=found, n=name: (calls.append(n), f(*args))[1]
        )
    target = Target(SQUARE)
    values = fsm.measure(CORNER, target, "surface")
    assert sorted(calls) == ["band", "band", "skeleton_of", "surface_distances"]
    calls.clear()
    # The truth's band and skeleton are kept.
    assert fsm.measure(CORNER, target, "surface") == values
    assert calls.count("band") == 1
    calls.clear()
    assert fsm.measure(CORNER, target, "hd95,nsd") == {n: values[n] for n in ("hd95", "nsd")}
    assert calls == ["surface_distances"]
    fsm.measure(SQUARE, target, "cl_dice", backend="reference")
    assert calls == ["surface_distances"]


def told(text: str, *pairs) -> report.Told:
    protocol, conventions = Protocol.parse(text), Conventions(stretch=False)
    samples = [
        measure.scored(
            protocol, represent.prediction(pred, conventions, gt.shape), Target(gt), conventions
        )
        for pred, gt in pairs
    ]
    return report.of_samples(protocol, samples, conventions)[""]


def test_other_paths_to_the_nearest_point() -> None:
    """Two targets, one found two columns off, one missed."""
    gt = np.zeros((14, 20), bool)
    gt[2:7, 2:7] = gt[10:13, 12:19] = True
    pred = np.zeros((14, 20))
    pred[2:7, 4:9] = 1
    of_targets = "fixed / components(form=boundary) / nearest / hd / raw(average=targets)"
    # In the box of the first target three of the five columns of the prediction are left.
    first = told(of_targets, (pred, gt))
    assert (first.value, first.n_used, first.n_infinite) == (2.0, 1, 1)
    matched = "fixed / components(on=both, form=boundary) / opdc / hd95 / raw"
    assert told(matched, (pred, gt)).value == 2.0
    assert told("fixed / skeleton / nearest / hd / raw", (gt, gt)).value == 0.0
    # All 25 pixels against themselves and 21: the farthest is (12, 18), seen from (6, 8).
    region = told("fixed / region / nearest / hd / raw", (pred, gt)).value
    assert region == math.hypot(12 - 6, 18 - 8)
    found = "fixed / boundary / nearest(within={}) / boundary_f / raw"
    near = [told(found.format(within), (pred[:9, :12], gt[:9, :12])).value for within in (1, 2)]
    assert (near[0] < 1, near[1]) == (True, 1.0)
    nothing = told("fixed / boundary / nearest / hd / raw", (pred * 0, gt))
    assert math.isnan(nothing.value)
    assert (nothing.n_infinite, nothing.reason) == (1, measure.INFINITE)
    far = Conventions(stretch=False, one_empty="diagonal")
    given = represent.prediction(pred * 0, far, gt.shape)
    path = Protocol.parse("fixed / boundary / nearest / hd / raw")
    sample = measure.scored(path, given, Target(gt), far)
    assert report.of_samples(path, [sample], far)[""].value == math.hypot(14, 20)


def test_a_protocol_counts_infinite_values_in_a_run() -> None:
    path = "fixed(t=0.4) / boundary / nearest / hd / raw(by=size, limits=20:30)"
    evaluator = fsm.Evaluator(fsm.protocol_metrics({"mine": Protocol.parse(path)}))
    for pred in (SQUARE, SQUARE & False):
        evaluator.update(pred, SQUARE)
    result = evaluator.result()
    for name in ("mine", "mine[large]"):
        assert (result[name].value, result[name].n_used, result[name].n_infinite) == (0.0, 1, 1)


def test_limits_of_what_is_found() -> None:
    assert Nearest().limit((3, 4)) == inf
    assert Nearest(within=2).limit((3, 4)) == 2.0
    assert Nearest(within=0.3, unit="diagonal").limit((3, 4)) == 2.0
    assert "⌈0.3·diagonal⌉ px" in Nearest(within=0.3, unit="diagonal").words
    with pytest.raises(fsm.InputError, match="unit=diagonal is of within"):
        Nearest(unit="diagonal")
    with pytest.raises(fsm.InputError, match=r"within must be a number in \[0, 1\]"):
        Nearest(within=2, unit="diagonal")
