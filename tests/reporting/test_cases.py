"""Summaries of cases under the name of their axis; the evaluation contract."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.reporting.evaluation_contract import contract_of_maps

EMPTY = np.zeros((4, 5), bool)
ONE = EMPTY.copy()
ONE[1, 2] = True


def two_images() -> fsm.Cases:
    """The paper's pair: a missed lone pixel, and a perfect target of 99."""
    cases = fsm.Cases()
    cases.add("small", fsm.overlap([[0] * 100], [[1] + [0] * 99]), unit="Ann")
    cases.add("large", fsm.overlap([[1] * 99 + [0]], [[1] * 99 + [0]]), unit="Ben")
    return cases


def test_macro_and_micro_have_their_own_names() -> None:
    cases = two_images()
    mean = cases.mean_over_cases("dice")
    assert (mean.name, mean.value) == ("dice, mean over cases", 0.5)
    assert (mean.n_cases, mean.n_used, mean.n_undefined, mean.n_infinite) == (2, 2, 0, 0)
    assert float(mean) == 0.5
    assert cases.pooled("dice") == 198 / 199
    assert cases.values("iou") == {"small": 0.0, "large": 1.0}
    assert cases["large"].dice == 1.0
    assert list(cases) == ["small", "large"]
    assert len(cases) == 2


def test_infinite_and_undefined_cases_are_counted_apart() -> None:
    cases = fsm.Cases()
    cases.add(1, fsm.overlap(ONE, EMPTY, both_empty="undefined"))
    cases.add(2, fsm.overlap(EMPTY, EMPTY, both_empty="undefined"))
    cases.add(3, fsm.overlap(ONE, ONE, both_empty="undefined"))
    mean = cases.mean_over_cases("relative_size_difference")
    assert (mean.value, mean.n_used, mean.n_undefined, mean.n_infinite) == (0.0, 1, 1, 1)
    assert cases.mean_over_cases("dice").n_undefined == 1
    assert cases.pooled("dice") == 2 / 3


def test_correct_empties_kept_apart() -> None:
    """Ninety of a hundred truths are empty and found so: their mean hides the ten misses."""
    cases = fsm.Cases()
    for i in range(100):
        cases.add(i, fsm.overlap(EMPTY, ONE if i < 10 else EMPTY))
    assert cases.mean_over_cases("dice").value == 0.9
    strata = cases.split(lambda found: found.truth_is_empty)
    assert {name: len(part) for name, part in strata.items()} == {False: 10, True: 90}
    assert strata[False].mean_over_cases("dice").value == 0.0
    assert strata[True].mean_over_cases("dice").value == 1.0
    named = cases.split({i: "first" if i < 50 else "second" for i in range(100)})
    assert named["first"].mean_over_cases("dice").value == 0.8
    assert named["second"].units() == {i: i for i in range(50, 100)}
    with pytest.raises(fsm.InputError, match=r"^by must name the stratum of every case; 1 has"):
        cases.split({0: "first"})


def labelled() -> fsm.Cases:
    """Class 2 is in the second image alone, where a quarter of it is found; class 3 is nowhere."""
    # Background: 1, and 1/4, in no mean of classes.
    cases = fsm.Cases()
    for case, pred, gt in (
        ("a", [0, 0, 1, 1], [0, 0, 1, 1]),
        ("b", [0, 1, 2, 0, 0, 0], [0, 1, 2, 2, 2, 2]),
    ):
        cases.add(case, fsm.label_overlap(pred, gt, labels=4, background=0))
    return cases


def test_three_means_of_classes() -> None:
    cases = labelled()
    # Each image's mean over its classes: 1, and (1 + 1/4)/2.
    assert cases.mean_over_cases("mean_iou").value == (1 + 0.625) / 2
    # Each class's mean over its images: 1, 1/4.
    assert cases.mean_over_cases("iou", 1).value == 1.0
    two = cases.mean_over_cases("iou", 2)
    assert (two.name, two.value, two.n_used, two.n_undefined) == (
        "iou[2], mean over cases", 0.25, 1, 1,
    )  # fmt: skip
    assert math.isnan(cases.mean_over_cases("iou", 3).value)
    assert cases.mean_over_classes_and_cases("iou") == (1 + 0.25) / 2
    # All pixels together.
    assert cases.pooled("iou", 2) == 0.25
    assert cases.pooled("mean_iou") == (1 + 0.25) / 2
    assert cases.pooled("pixel_accuracy") == 7 / 10
    assert cases.mean_over_cases("pixel_accuracy").value == (1 + 0.5) / 2


def test_rows_by_case_and_label() -> None:
    rows = list(labelled().rows(("dice", "support")))
    assert len(rows) == 8
    assert rows[6] == {"case": "b", "unit": "b", "label": 2, "dice": 0.4, "support": 4.0}
    assert list(two_images().rows(("iou",))) == [
        {"case": "small", "unit": "Ann", "iou": 0.0},
        {"case": "large", "unit": "Ben", "iou": 1.0},
    ]


def test_intervals_resample_the_unit() -> None:
    cases = fsm.Cases()
    for patient in range(4):
        for scan in range(3):
            gt = EMPTY.copy()
            gt[:, : patient + 1] = True
            cases.add((patient, scan), fsm.overlap(ONE, gt), unit=patient)
    found = cases.interval("recall", unit="patient", n_resamples=200)
    assert (found.unit, found.n_units, found.n_used) == ("patient", 4, 12)
    assert found.low <= found.value <= found.high
    assert found == fsm.bootstrap_mean(
        cases.values("recall").values(), units=[p for p, _ in cases], unit="patient",
        n_resamples=200,
    )  # fmt: skip
    compared = fsm.compare_methods(
        cases.values("recall"), cases.values("precision"), units=cases.units(), n_resamples=50
    )
    assert compared.difference.n_units == 4


def test_a_case_is_counted_once() -> None:
    cases, other = two_images(), fsm.Cases()
    with pytest.raises(fsm.InputError, match="'small' was added before"):
        cases.add("small", fsm.overlap(ONE, ONE))
    other.add("third", fsm.overlap(ONE, ONE), unit="Ann")
    cases.merge(other)
    assert cases.units() == {"small": "Ann", "large": "Ben", "third": "Ann"}
    with pytest.raises(fsm.InputError, match="'third' is in both"):
        cases.merge(other)
    assert len(cases) == 3


def test_surface_distances_by_case() -> None:
    line = np.ones((1, 9), bool)
    first = line & (np.arange(9) == 0)
    cases = fsm.Cases()
    cases.add("found", fsm.surface_distances(line, line), unit="Ann")
    cases.add("long", fsm.surface_distances(line, first), unit="Ben")
    cases.add("missed", fsm.surface_distances(line & False, line), unit="Ben")
    hd = cases.mean_over_cases("hd")
    assert (hd.value, hd.n_used, hd.n_infinite) == (4.0, 2, 1)
    # Of 9 and 1 points 2 and 1 lie within one pixel; nothing is near where nothing is predicted.
    nsd = cases.mean_over_cases(lambda found: found.nsd(1))
    assert (nsd.value, nsd.n_used) == (pytest.approx((1 + 0.3 + 0) / 3), 3)

    def hd95_pooled(found) -> float:
        return found.hd_percentile(95, "pooled")

    assert cases.mean_over_cases(hd95_pooled).name == "hd95_pooled, mean over cases"
    assert cases.values(hd95_pooled)["long"] == pytest.approx(7.55)
    found = cases.interval(hd95_pooled, unit="patient", n_resamples=50)
    assert (found.n_units, found.n_used, found.n_infinite) == (2, 2, 1)
    with pytest.raises(fsm.InputError, match=r"numbers \(nsd needs an argument: lambda found"):
        cases.values("nsd")
    with pytest.raises(fsm.InputError, match=r"^score must be an attribute with numbers; received"):
        cases.values(lambda found: "far")
    with pytest.raises(fsm.InputError, match=r"^cases must be overlaps of one kind to be pooled"):
        cases.pooled("hd")
    cases = two_images()
    cases.add("labels", labelled()["a"])
    with pytest.raises(fsm.InputError, match=r"they are \['LabelOverlap', 'Overlap'\]"):
        cases.pooled("iou")


def test_no_cases() -> None:
    cases = fsm.Cases()
    assert math.isnan(cases.pooled("dice"))
    assert math.isnan(cases.mean_over_cases("dice").value)
    assert math.isnan(cases.mean_over_classes_and_cases("iou"))


@pytest.mark.parametrize(
    ("score", "label", "words"),
    [
        ("dicee", None, "^score must be an attribute with numbers; received 'dicee'"),
        ("merged", None, "^score must be an attribute with numbers"),
        ("iou", None, "^label must say which class of 'iou' is meant"),
        ("iou", 9, r"^label must be one of \(0, 1, 2, 3\); received 9"),
        ("mean_iou", 1, "^label must be None for 'mean_iou'"),
    ],
)
def test_refused_scores(score, label, words) -> None:
    with pytest.raises(fsm.InputError, match=words):
        labelled().values(score, label)


def test_the_contract_is_a_file(tmp_path) -> None:
    contract = fsm.EvaluationContract(
        foreground="tumour: label 2", alignment="one grid, no resampling",
        ignored_regions="truth 255", spacing=(2.5, 0.5, 0.5), unit="mm", threshold=0.5,
        postprocessing="none", boundary="6-neighbour erosion, outside is background",
        empty_masks="both empty 1, one empty 0; distances inf", hd95="max",
        aggregation="mean over cases, then classes", sampling_unit="patient",
        tuned_on="validation split", test_set="held-out 2024 – 100 scans",
    )  # fmt: skip
    assert contract.unstated == ()
    contract.write(tmp_path / "contract.json")
    read = json.loads((tmp_path / "contract.json").read_text("utf-8"))
    assert read["spacing"] == [2.5, 0.5, 0.5]
    assert read["threshold"] == 0.5
    assert read["test_set"].endswith("– 100 scans")
    assert read.pop("fastsegmetrics") == fsm.__version__
    assert fsm.EvaluationContract(**read) == contract


@pytest.mark.parametrize(
    ("metrics", "hd95", "boundary"),
    [
        ("mae,f_beta.max", "not used", "none"),
        ("hd95_pooled,hd", "pooled", "pixels with a 4-neighbour outside"),
        ("boundary_iou", "not used", "bands of erosions by a 3 x 3 box"),
        ("surface", "by name", "pixels with a 4-neighbour outside"),
    ],
)
def test_the_contract_of_maps(metrics, hd95, boundary) -> None:
    told = contract_of_maps(fsm.Evaluator(metrics).result().contract)
    assert (told.hd95, told.boundary.split(",")[0]) == (hd95, boundary)
    assert (told.spacing, told.unit, told.sampling_unit) == ((1.0, 1.0), "pixel", "image")
    assert told.unstated == ("postprocessing", "tuned_on", "test_set")


def test_conventions_in_the_contract_of_maps() -> None:
    plain = contract_of_maps(fsm.Evaluator("mae,hd").result().contract)
    assert plain.foreground.startswith("truth: booleans as they are, 8-bit values > 128;")
    assert plain.threshold == (
        "soft: P in [0, 1]; fixed: P > 0.5, P never stretched; "
        "P stretched by its own minimum and maximum unless it says never"
    )
    assert plain.aggregation == "raw value, mean over images"
    chosen = fsm.Evaluator(
        "hd", gt_threshold=10, resize="bilinear", missing="zero", one_empty="diagonal",
        policy="strict", both_empty="undefined", stretch=False,
    )  # fmt: skip
    near = fsm.Evaluator("nsd,boundary_f", tolerance=1.5).result().contract
    assert contract_of_maps(near).boundary.split("; ")[1:] == [
        "nearest point of the other side, found if within δ = ⌈0.008·diagonal⌉ px",
        "NSD within 1.5 pixels",
    ]
    told = contract_of_maps(chosen.result().contract)
    assert told.foreground == "truth: values > 10; prediction: by the threshold"
    assert "resized bilinearly" in told.alignment
    assert told.threshold == "fixed: P > 0.5, P never stretched"
    assert told.empty_masks == (
        "policy strict, both empty undefined, distances of one empty diagonal, missing predictions "
        "zero; undefined and infinite values counted"
    )


def test_what_is_not_stated_says_so() -> None:
    contract = fsm.EvaluationContract()
    assert len(contract.unstated) == 14
    assert set(contract.to_dict().values()) == {"not stated", fsm.__version__}
    assert fsm.EvaluationContract(spacing=np.array([2.5, 0.5])).spacing == (2.5, 0.5)
    assert "spacing" not in fsm.EvaluationContract(spacing="per case").unstated


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"hd95": "95"}, "^hd95 must be one of 'max', .*, 'inverse_cdf', 'by name', 'not used'"),
        ({"spacing": (1, 0)}, "^spacing must be finite and above 0"),
        ({"spacing": 1.0}, "^spacing must be one number per axis or 'per case'"),
        ({"spacing": "unknown"}, "^spacing must be one number per axis"),
        ({"foreground": ""}, "^foreground must be a text that says it"),
        ({"aggregation": None}, "^aggregation must be a text that says it"),
        ({"threshold": math.nan}, "^threshold must be a text or a finite number; received nan"),
        ({"threshold": None}, "^threshold must be a text that says it"),
    ],
)
def test_refused_contracts(choice, words) -> None:
    with pytest.raises(fsm.InputError, match=words):
        fsm.EvaluationContract(**choice)
