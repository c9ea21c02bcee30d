"""The door of binary masks: what passes, and the one sentence for what does not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fastsegmetrics import represent
from fastsegmetrics.errors import InputError

MASK = np.array([[0, 1, 0, 0, 1], [0, 0, 0, 1, 1]], bool)


@pytest.mark.parametrize(
    "given",
    [
        MASK,
        MASK.tolist(),
        MASK.astype(np.uint8),
        MASK.astype(np.uint8) * np.uint8(255),
        MASK.astype(">i4"),
        MASK.astype(np.int64),
        MASK.astype(np.float32),
        np.asfortranarray(MASK),
        np.repeat(MASK, 2, axis=1)[:, ::2],
        MASK[:, ::-1].copy()[:, ::-1],
    ],
    ids=["bool", "list", "0-1", "0-255", "big-endian", "int64", "float", "fortran", "strided",
         "reversed"],
)  # fmt: skip
def test_forms_of_one_mask(given) -> None:
    before = np.array(given).tobytes()
    for pair in (represent.mask_pair(given, MASK), represent.mask_pair(MASK, given)):
        for mask in pair[:2]:
            assert mask.dtype == np.uint8
            assert mask.flags.c_contiguous
            assert not mask.flags.writeable
            assert mask.tolist() == MASK.astype(int).tolist()
    assert np.array(given).tobytes() == before


@pytest.mark.parametrize("shape", [(3,), (1, 1), (2, 1, 4), (2, 1, 3, 2)])
def test_any_number_of_axes(shape) -> None:
    ones = np.ones(shape, np.uint8)
    pair = represent.mask_pair(ones, np.zeros(shape), spacing=2)
    assert pair.pred.shape == pair.gt.shape == shape
    assert pair.spacing == (2.0,) * len(shape)


def test_spacing_in_the_order_of_the_axes() -> None:
    for given in ((2.5, 1), [2.5, 1], np.array([2.5, 1]), np.array([2.5, 1], np.float32)):
        assert represent.mask_pair(MASK, MASK, spacing=given).spacing == (2.5, 1.0)
    assert represent.mask_pair(MASK, MASK, spacing=np.float32(0.5)).spacing == (0.5, 0.5)


@pytest.mark.parametrize(
    "spacing",
    [(1.0,), (1.0, 1.0, 1.0), (), 0, -1.0, (1, 0), (1, -2), math.nan, (1, math.inf), True,
     (True, 1), None, "1", ("1", "2"), [[1, 2]], ((1, 1), (1, 1))],
    ids=repr,
)  # fmt: skip
def test_refused_spacings(spacing) -> None:
    with pytest.raises(InputError, match=r"^spacing must be") as caught:
        represent.mask_pair(MASK, MASK, spacing=spacing)
    assert repr(spacing) in str(caught.value)


@pytest.mark.parametrize(
    ("pred", "gt", "sentence"),
    [
        (
            MASK,
            MASK.T,
            r"^pred and gt must have one shape; received \(2, 5\) and \(5, 2\) .*tr",
        ),
        (MASK[:1], MASK, r"^pred and gt must have one shape; received \(1, 5\) and \(2, 5\)$"),
        (MASK, MASK[..., None], "one shape"),
        (MASK, np.zeros((0, 5)), r"^gt must have at least one pixel"),
        (np.bool_(True), MASK, r"^pred must have at least 1 axes"),
        (MASK, 2 * MASK, r"^gt must be a binary mask .* 4 value\(s\) .* first 2 at \(0, 1\)"),
        (MASK * np.uint8(254), MASK, r"^pred must be a binary mask"),
        (MASK * 255, MASK, r"^pred must be a binary mask"),
        (MASK * np.uint8(254) + np.uint8(1), MASK, r"^pred must be a binary mask"),
        (MASK * np.int8(-1), MASK, r"^pred must be a binary mask"),
        (MASK * 0.5, MASK, r"^pred must be a binary mask"),
        (np.where(MASK, np.nan, 0), MASK, r"^pred must be a binary mask"),
        (MASK, MASK.astype(str), r"^gt must be an array of booleans"),
        (MASK, [[1, 0], [1]], r"^gt must be"),
        (np.ma.array(MASK, mask=MASK), MASK, "masked array"),
    ],
)
def test_refused_masks(pred, gt, sentence) -> None:
    with pytest.raises(InputError, match=sentence):
        represent.mask_pair(pred, gt)


def test_a_limit_on_the_axes() -> None:
    with pytest.raises(InputError, match=r"pred must have 2 or 3 axes; received shape \(5,\)"):
        represent.mask_pair(MASK[0], MASK[0], n_axes=(2, 3))
