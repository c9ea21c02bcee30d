"""Overlap of label images: values worked by hand, every integer type, labels that are none."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastsegmetrics as fsm
from fastsegmetrics import represent_labels
from fastsegmetrics.reference import contingency as definitions

BACKENDS = ("compiled", "reference")
#: Truth: five pixels of 0, three of 1, one of 2, one ignored; the table stands below.
GT = np.array([[0, 0, 0, 1, 1], [0, 0, 2, 1, 255]], np.uint8)
PRED = np.array([[0, 0, 1, 1, 1], [0, 2, 1, 0, 2]], np.uint8)
TABLE = [[3, 1, 1], [1, 2, 0], [0, 1, 0]]


def overlap(pred=PRED, gt=GT, **arguments) -> fsm.LabelOverlap:
    return fsm.label_overlap(pred, gt, **{"labels": 3, "ignore_label": 255, **arguments})


@pytest.mark.parametrize("backend", BACKENDS)
def test_values_worked_by_hand(backend) -> None:
    found = overlap(backend=backend)
    assert found.table.tolist() == TABLE
    assert found.n_ignored == 1
    assert found.support.tolist() == [5, 3, 1]
    assert found.predicted.tolist() == [4, 4, 1]
    assert found.iou.tolist() == [3 / 6, 2 / 5, 0.0]
    assert found.dice.tolist() == [6 / 9, 4 / 7, 0.0]
    assert found.precision.tolist() == [3 / 4, 2 / 4, 0.0]
    assert found.recall.tolist() == [3 / 5, 2 / 3, 0.0]
    assert found.specificity.tolist() == [3 / 4, 4 / 6, 7 / 8]
    assert found.mean_iou == pytest.approx(0.3)
    assert found.mean_dice == pytest.approx((6 / 9 + 4 / 7) / 3)
    assert found.mean_precision == pytest.approx(1.25 / 3)
    assert found.mean_recall == found.mean_accuracy == pytest.approx((3 / 5 + 2 / 3) / 3)
    assert found.frequency_weighted_iou == pytest.approx((5 * 0.5 + 3 * 0.4) / 9)
    assert found.pixel_accuracy == 5 / 9
    # Chance: (5·4 + 3·4 + 1·1)/81.
    assert found.kappa == pytest.approx((5 / 9 - 33 / 81) / (1 - 33 / 81), rel=1e-15)
    assert found.micro_iou == 5 / (9 + 4)
    assert found.micro_dice == 5 / 9


def test_background_out_of_the_means_but_not_of_the_errors() -> None:
    found = overlap(background=0)
    assert found.iou.tolist() == overlap().iou.tolist()
    assert found.mean_iou == 0.2
    assert found.mean_accuracy == pytest.approx((2 / 3) / 2)
    assert found.frequency_weighted_iou == pytest.approx(3 * 0.4 / 4)
    assert found.micro_dice == 2 * 2 / (4 + 5)
    assert found.n_present == 2
    assert found.pixel_accuracy == 5 / 9


def test_a_class_that_is_nowhere_is_undefined_and_left_out() -> None:
    found = overlap(labels=(0, 1, 2, 7))
    assert math.isnan(found.iou[3])
    assert found.support.tolist() == [5, 3, 1, 0]
    assert found.mean_iou == pytest.approx(0.3)
    assert found.n_present == 3


def test_a_class_that_is_only_predicted_scores_zero() -> None:
    found = fsm.label_overlap([0, 0, 1], [0, 0, 0], labels=3)
    assert found.iou.tolist()[:2] == [2 / 3, 0.0]
    assert found.mean_iou == 1 / 3
    # Mean accuracy is over the classes of the truth alone.
    assert (found.mean_recall, found.mean_accuracy) == (1 / 3, 2 / 3)
    assert found.support.tolist() == [3, 0, 0]


def test_wrong_on_its_only_image_is_zero_of_one() -> None:
    """Class 1 is missed where it occurs and absent from 999 other images."""
    wrong = fsm.label_overlap([0, 0], [1, 0], labels=2)
    absent = fsm.label_overlap([0, 0], [0, 0], labels=2)
    pooled = wrong
    for _ in range(999):
        pooled = pooled.merged(absent)
    assert pooled.iou[1] == 0.0
    assert math.isnan(absent.iou[1])
    assert pooled.table.tolist() == [[1999, 0], [1, 0]]
    assert isinstance(pooled, fsm.LabelOverlap)


def test_undefined_where_nothing_counts() -> None:
    found = overlap(np.zeros((2, 3), int), np.full((2, 3), 255))
    names = ("mean_iou", "mean_accuracy", "frequency_weighted_iou", "pixel_accuracy", "kappa",
             "micro_iou", "micro_dice")  # fmt: skip
    assert all(math.isnan(getattr(found, name)) for name in names)
    assert (found.n_ignored, found.n_present) == (6, 0)
    assert math.isnan(fsm.label_overlap([1, 1], [1, 1], labels=2).kappa)


@pytest.mark.parametrize("dtype", ["u1", "i2", "u2", ">i4", ">u2", "i4", "u4", "i8", ">u8", "u8"])
@pytest.mark.parametrize("layout", ["plain", "fortran", "strided", "reversed", "read-only"])
def test_every_integer_type_and_layout(dtype, layout) -> None:
    def given_as(image: np.ndarray) -> np.ndarray:
        image = image.astype(dtype)
        if layout == "fortran":
            return np.asfortranarray(image)
        if layout == "strided":
            return np.repeat(image, 2, axis=1)[:, ::2]
        if layout == "reversed":
            return image[:, ::-1].copy()[:, ::-1]
        image.flags.writeable = layout != "read-only"
        return image

    pred, gt = given_as(PRED), given_as(GT)
    before = pred.tobytes(), gt.tobytes()
    assert overlap(pred, gt).table.tolist() == TABLE
    assert (pred.tobytes(), gt.tobytes()) == before


@pytest.mark.parametrize("dtypes", [("i8", "u1"), ("u1", "i4"), ("i4", "i8"), ("i8", "u8")])
def test_two_integer_types(dtypes) -> None:
    found = overlap(PRED.astype(dtypes[0]), GT.astype(dtypes[1]))
    assert found.table.tolist() == TABLE
    assert found.n_ignored == 1


def test_booleans_and_lists() -> None:
    gt, pred = [[True, False]], [[True, True]]
    assert fsm.label_overlap(pred, gt, labels=2).table.tolist() == [[0, 1], [0, 1]]
    assert fsm.label_overlap(np.array(pred), np.array(gt), labels=2).mean_iou == 0.25


#: Codes of one byte, of one byte with gaps, negative, far apart, over 256, beyond 32 bits.
LABELS = {
    "run": ((0, 1, 2), 255),
    "from one": ((1, 2, 3), None),
    "gaps": ((0, 4, 200), 7),
    "order": ((2, 0, 1), None),
    "ignored is a class": ((0, 1, 2), 0),
    "negative": ((0, 1, 2), -1),
    "heart": ((0, 205, 420, 500, 550, 600), None),
    "many": (tuple(range(300)), 999),
    "far": ((-(2**40), 3, 2**40), 2**35),
}


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("backend", BACKENDS)
@given(data=st.data())
def test_tables_by_counting(kind, backend, data) -> None:
    labels, ignored = LABELS[kind]
    known = labels if ignored is None else (*labels, ignored)
    shape = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3).map(tuple))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    gt = rng.choice(known, shape)
    pred = rng.choice(labels, shape)
    if data.draw(st.booleans()):
        # What is predicted where the truth is ignored is not asked.
        pred[gt == ignored] = 77
    found = fsm.label_overlap(pred, gt, labels=labels, ignore_label=ignored, backend=backend)
    expected = [
        [int(((gt == g) & (pred == p) & (g != ignored)).sum()) for p in labels[:9]]
        for g in labels[:9]
    ]
    assert found.table[:9, :9].tolist() == expected
    assert found.n_ignored == (0 if ignored is None else int((gt == ignored).sum()))
    assert found.table.sum() + found.n_ignored == gt.size


@given(st.data())
def test_every_score_by_its_definition(data) -> None:
    shape = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=4).map(tuple))
    n = data.draw(st.integers(1, 5))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    pred, gt = rng.integers(0, n, shape), rng.integers(0, n + 1, shape)
    found = fsm.label_overlap(pred, gt, labels=n, ignore_label=n)
    by_class = definitions.class_overlap(pred, gt, found.labels, n)
    for name in ("iou", "dice", "precision", "recall"):
        expected = [by_class[label][name] for label in found.labels]
        np.testing.assert_allclose(getattr(found, name), expected, rtol=1e-15)
    for name, value in definitions.agreement(pred, gt, found.labels, n).items():
        assert getattr(found, name) == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True)
    axes = tuple(rng.permutation(len(shape)))
    turned = fsm.label_overlap(pred.transpose(axes), gt.transpose(axes), labels=n, ignore_label=n)
    np.testing.assert_array_equal(turned.table, found.table)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", [np.uint8, np.int32])
def test_an_ignored_label_among_the_labels_takes_no_part(backend, dtype) -> None:
    gt = np.array([[0, 0, 1, 1, 1], [2, 2, 3, 3, 3]], dtype)
    pred = np.array([[0, 3, 1, 1, 3], [2, 1, 3, 0, 1]], dtype)
    found = fsm.label_overlap(
        pred, gt, labels=4, ignore_label=3, background=0, backend=backend
    )  # fmt: skip
    # Truths of 3 are left out; the 3 that is predicted for a 0 and a 1 misses those.
    assert found.table.tolist() == [[1, 0, 0, 1], [0, 2, 0, 1], [0, 1, 1, 0], [0, 0, 0, 0]]
    assert (found.n_ignored, found.ignored, found.support.tolist()) == (3, 3, [2, 3, 2, 0])
    assert found.iou.tolist()[:3] == [1 / 2, 2 / 4, 1 / 2]
    for name in ("iou", "dice", "precision", "recall", "specificity"):
        assert math.isnan(getattr(found, name)[3])
    assert found.precision.tolist()[:3] == [1.0, 2 / 3, 1.0]
    assert (found.mean_iou, found.n_present) == (0.5, 2)
    # TP 2 + 1; FP the 1 for a 2; FN a 1 and a 2.
    assert (found.micro_iou, found.pixel_accuracy) == (3 / 6, 4 / 7)
    assert found.merged(found).mean_iou == 0.5
    assert math.isnan(fsm.label_overlap([3], [3], labels=(3,), ignore_label=3).mean_iou)
    # One that is none of the labels is nobody's row.
    assert fsm.label_overlap([0, 1], [0, 9], labels=2, ignore_label=9).ignored is None


@given(st.data())
def test_an_ignored_class_by_its_definition(data) -> None:
    n = data.draw(st.integers(1, 5))
    ignored = data.draw(st.integers(0, n - 1))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    pred, gt = rng.integers(0, n, (2, 5, data.draw(st.integers(1, 9))))
    found = fsm.label_overlap(pred, gt, labels=n, ignore_label=ignored)
    by_class = definitions.class_overlap(pred, gt, found.labels, ignored)
    for name in ("iou", "dice", "precision", "recall"):
        expected = [by_class[label][name] for label in found.labels]
        np.testing.assert_allclose(getattr(found, name), expected, rtol=1e-15)
    assert math.isnan(found.iou[ignored])
    for name, value in definitions.agreement(pred, gt, found.labels, ignored).items():
        assert getattr(found, name) == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True)


@given(st.integers(1, 40), st.integers(0, 2**32 - 1), st.integers(1, 39))
def test_parts_add_up_to_the_whole(n_pixels, seed, at) -> None:
    rng = np.random.default_rng(seed)
    pred, gt = rng.integers(0, 4, (2, n_pixels + at))
    parts = [fsm.label_overlap(pred[s], gt[s], labels=4) for s in (slice(at), slice(at, None))]
    whole = fsm.label_overlap(pred, gt, labels=4)
    for pooled in (parts[0].merged(parts[1]), parts[1].merged(parts[0])):
        np.testing.assert_array_equal(pooled.table, whole.table)
        assert pooled.mean_iou == whole.mean_iou


@pytest.mark.parametrize(
    ("pred", "gt", "arguments", "words"),
    [
        (
            [0, 1], [0, 255], {"labels": 2},
            r"^gt must hold only the labels 0..1 \(ignore_label=… .*1 value.* first 255 at \(1,\)",
        ),
        (
            [0, 255], [0, 1], {"labels": 2, "ignore_label": 255},
            r"^pred must hold only the labels 0..1 where gt is not ignored; .* 255 at \(1,\)",
        ),
        (
            [0, 1], [0, 3], {"labels": 2, "ignore_label": 255},
            r"^gt must hold only the labels 0..1 or ignore_label=255; 1 value",
        ),
        ([0, -1], [0, 1], {"labels": 2}, r"^pred must hold only .* first -1 at \(1,\)"),
        ([0, 3], [0, 1], {"labels": (0, 1, 5)}, r"^pred must hold only the labels 0, 1, 5; "),
        ([0, 9], [0, 300], {"labels": (0, 300)}, r"^pred must hold only the labels 0, 300; "),
        ([[0, 1]], [[0], [1]], {"labels": 2}, r"one shape; .*transpose"),
        ([0.0, 1.0], [0, 1], {"labels": 2}, r"^pred must hold integer labels; received dtype flo"),
        ([], [], {"labels": 2}, "^pred must"),
        (np.zeros((0, 2), int), np.zeros((0, 2), int), {"labels": 2}, "at least one pixel"),
        ([0], [0], {"labels": 0}, "^labels must name 1 to 4096 classes; received 0"),
        ([0], [0], {"labels": 5000}, "^labels must name 1 to 4096 classes; received 5000"),
        ([0], [0], {"labels": 10**9}, "^labels must name 1 to 4096 classes; received 1000000000 o"),
        ([0], [0], {"labels": range(10**9)}, "^labels must name 1 to 4096 classes; received 10000"),
        ([0], [0], {"labels": -1}, "^labels must name 1 to 4096 classes; received 0 of them"),
        ([0], [0], {"labels": (0, 1, 1)}, "^labels must be distinct; 1 is named twice"),
        ([0], [0], {"labels": (0, True)}, "^labels must be integers of at most 62 bits; .* True"),
        ([0], [0], {"labels": (0, 2**63)}, "^labels must be integers of at most 62 bits"),
        ([0], [0], {"labels": "01"}, "^labels must be a number of classes or the label values"),
        ([0], [0], {"labels": None}, "^labels must be a number of classes or the label values"),
        ([0], [0], {"labels": 2, "ignore_label": 1.0}, "^ignore_label must be an integer"),
        ([0], [0], {"labels": 2, "background": 2}, "^background must be one of the labels"),
        (np.ma.array([0, 1]), [0, 1], {"labels": 2}, "masked array"),
    ],
)  # fmt: skip
def test_refused_images(pred, gt, arguments, words) -> None:
    with pytest.raises(fsm.InputError, match=words):
        fsm.label_overlap(pred, gt, **arguments)


def test_a_number_beyond_64_bits_is_no_negative_label() -> None:
    huge = np.array([2**64 - 1, 0], np.uint64)
    with pytest.raises(fsm.InputError, match=r"gt must hold only .* first 18446744073709551615"):
        fsm.label_overlap([0, 0], huge, labels=2, ignore_label=-1)


def test_a_negative_number_of_8_bits_is_no_large_label() -> None:
    for labels in (2, (0, 1, 255)):
        with pytest.raises(fsm.InputError, match=r"gt must hold only .* first -1 at \(1,\)"):
            fsm.label_overlap(
                np.zeros(2, np.int8), np.array([0, -1], np.int8), labels=labels, ignore_label=255
            )
    found = fsm.label_overlap(
        np.array([0, 5, 1], np.int8), np.array([0, -1, 1], np.int8), labels=2, ignore_label=-1
    )
    assert (found.table.tolist(), found.n_ignored) == ([[1, 0], [0, 1]], 1)


def test_refused_pools() -> None:
    one = fsm.label_overlap([0], [0], labels=2)
    for other in (
        fsm.label_overlap([0], [0], labels=3),
        fsm.label_overlap([0], [0], labels=2, background=0),
        fsm.multilabel_overlap([[0], [1]], [[0], [1]]),
    ):
        with pytest.raises(fsm.InputError, match="pooled overlaps must be of one kind"):
            one.merged(other)
    ignoring = fsm.label_overlap([0], [0], labels=2, ignore_label=1)
    with pytest.raises(
        fsm.InputError, match=r"must ignore the same of their labels; .* 1 and None"
    ):
        ignoring.merged(one)
    # An ignored label that is none of theirs is the same as none.
    outside = fsm.label_overlap([0], [0], labels=2, ignore_label=9)
    assert one.merged(outside).support.tolist() == [2, 0]


@pytest.mark.parametrize("backend", BACKENDS)
def test_multilabel(backend) -> None:
    gt = np.zeros((3, 4, 3), bool)
    gt[0, :2], gt[1, 1:3] = True, True
    pred = np.zeros_like(gt)
    pred[0, :2], pred[1, 2:] = True, True
    found = fsm.multilabel_overlap(pred, gt, backend=backend)
    assert found.labels == (0, 1, 2)
    assert found.iou.tolist()[:2] == [1.0, 1 / 3]
    assert math.isnan(found.iou[2])
    assert found.mean_dice == 0.75
    assert found.support.tolist() == [6, 6, 0]
    last = fsm.multilabel_overlap(np.moveaxis(pred, 0, -1), np.moveaxis(gt, 0, -1), channel_axis=-1)
    assert last.counts.fn.tolist() == found.counts.fn.tolist() == [0, 3, 0]
    pooled = found.merged(last)
    assert pooled.counts.tp.tolist() == [12, 6, 0]
    for arguments in ({"channel_axis": 3}, {"channel_axis": -4}):
        with pytest.raises(fsm.InputError, match="must have an axis of channels"):
            fsm.multilabel_overlap(pred, gt, **arguments)
    with pytest.raises(fsm.InputError, match="and one of pixels"):
        fsm.multilabel_overlap([0, 1], [0, 1])


def test_codes_need_few_bits() -> None:
    """Nineteen classes and 255 differ in five bits; the ignored one may need more."""
    for labels, ignored, bits in (((19), 255, 5), (16, 255, 5), (15, 255, 4), (2, None, 1),
                                  (1, None, 0), (256, None, 8), ((0, 128), None, 8)):  # fmt: skip
        chosen = represent_labels.label_set(labels, ignored)
        zeros = np.zeros(3, np.uint8)
        assert represent_labels.label_pair(zeros, zeros, chosen).bits == bits


def test_kernels_meet_one_kind_of_array() -> None:
    """Whatever is given: a second array type would compile the table again."""
    code = """
import numpy as np, fastsegmetrics as fsm
from fastsegmetrics.compat import medpy_binary
from fastsegmetrics.kernels import contingency
image = np.arange(36).reshape(6, 6) % 3
for given in (image, image.astype(np.uint8), image[:, ::-1], np.asfortranarray(image), image[1:]):
    frozen = given.copy()
    frozen.flags.writeable = False
    for one in (given, frozen):
        for labels in (3, (0, 1, 2, 9), (0, 1, 2, -5), 300):
            fsm.label_overlap(one, one, labels=labels)
        fsm.overlap(one > 0, one > 1)
        for axis in (0, 1):
            fsm.multilabel_overlap(one > 0, one > 1, channel_axis=axis)
        medpy_binary.dc(one, one)
for name, kernel in vars(contingency).items():
    assert len(getattr(kernel, "signatures", ())) <= 1, (name, kernel.signatures)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("dtype", ["i2", "u4", ">i8"])
@pytest.mark.parametrize("value", [-1, 256, 300])
def test_wide_integers_that_are_no_byte(dtype, value) -> None:
    gt = (np.arange(40) % 3).astype(dtype)
    assert fsm.label_overlap(gt, gt, labels=3).table.diagonal().tolist() == [14, 13, 13]
    if value < 0 and "u" in dtype:
        value += 2**32
    gt[33] = value
    with pytest.raises(fsm.InputError, match=rf"first {value} at \(33,\)"):
        fsm.label_overlap(gt, gt, labels=3)
