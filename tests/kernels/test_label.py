"""Component labelling against its twins and against SciPy's labels."""

import inspect

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import ndimage

from fastsegmetrics.kernels import label as kernels
from fastsegmetrics.reference import label as twins
from tests.strategies import shapes

KERNELS = ("find_runs", "runs_above", "label_runs", "paint_runs", "component_table")


def flat(mask):
    pixels = np.ascontiguousarray(mask).view(np.uint8).reshape(-1)
    return pixels, pixels[: pixels.size // 8 * 8].view(np.uint64), mask.shape[1]


def labelled(mask, connectivity):
    runs = kernels.find_runs(*flat(mask))
    labels, count = kernels.label_runs(runs, connectivity)
    return kernels.paint_runs(runs, labels, *mask.shape), count


@st.composite
def masks(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(shapes)
    return rng.random(shape) < draw(st.sampled_from([0.0, 0.2, 0.5, 0.7, 0.95, 1.0]))


def spiral(size):
    mask = np.zeros((size, size), bool)
    rows, columns = np.indices(mask.shape)
    ring = np.minimum.reduce([rows, columns, size - 1 - rows, size - 1 - columns])
    mask[ring % 2 == 0] = True
    for i in range(0, size // 2 - 1, 2):
        mask[i + 1, i] = False
        mask[i + 2, i + 1] = True
    return mask


ROWS, COLUMNS = np.indices((40, 53))
SHAPES = {
    "empty": np.zeros((40, 53), bool),
    "full": np.ones((40, 53), bool),
    "one_pixel": np.ones((1, 1), bool),
    "no_pixel": np.zeros((1, 1), bool),
    "row": np.arange(67)[None] % 3 > 0,
    "column": np.arange(67)[:, None] % 3 > 0,
    "line_45": ROWS == COLUMNS,
    "line_135": ROWS + COLUMNS == 39,
    "checkerboard": (ROWS + COLUMNS) % 2 == 0,
    "dots": (ROWS % 3 == 0) & (COLUMNS % 2 == 0),
    "comb": (COLUMNS % 2 == 0) | (ROWS == 39),
    "comb_hanging": (COLUMNS % 2 == 0) | (ROWS == 0),
    "comb_lying": (ROWS % 2 == 0) | (COLUMNS == 52),
    "border": (ROWS == 0) | (ROWS == 39) | (COLUMNS == 0) | (COLUMNS == 52),
    "spiral": spiral(41),
    "vees": (ROWS + np.abs(COLUMNS % 12 - 6)) % 5 == 0,
}


def test_every_kernel_has_its_twin():
    for name in KERNELS:
        kernel = getattr(kernels, name)
        original = getattr(kernel, "py_func", kernel)
        assert inspect.signature(original).parameters.keys() == (
            inspect.signature(getattr(twins, name)).parameters.keys()
        )


def compare_with_twins(mask, connectivity):
    runs = kernels.find_runs(*flat(mask))
    np.testing.assert_array_equal(runs, twins.find_runs(*flat(mask)))
    labels, count = kernels.label_runs(runs, connectivity)
    twin, twin_count = twins.label_runs(runs, connectivity)
    np.testing.assert_array_equal(labels, twin)
    assert count == twin_count
    image = kernels.paint_runs(runs, labels, *mask.shape)
    np.testing.assert_array_equal(image, twins.paint_runs(runs, labels, *mask.shape))
    np.testing.assert_array_equal(image, twins.label(mask, connectivity)[0])
    assert (image.dtype, labels.dtype) == (np.int32, np.int32)
    np.testing.assert_array_equal(
        kernels.component_table(runs, labels, count), twins.component_table(runs, labels, count)
    )


@pytest.mark.parametrize("connectivity", [4, 8])
@given(mask=masks())
def test_twins(mask, connectivity):
    compare_with_twins(mask, connectivity)


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("name", SHAPES)
def test_twins_on_shapes(name, connectivity):
    compare_with_twins(SHAPES[name], connectivity)


@pytest.mark.parametrize(
    ("name", "four", "eight"),
    [
        ("empty", 0, 0),
        ("full", 1, 1),
        ("one_pixel", 1, 1),
        ("row", 22, 22),
        ("column", 22, 22),
        ("line_45", 40, 1),
        ("line_135", 40, 1),
        ("checkerboard", 1060, 1),
        ("dots", 378, 378),
        ("comb", 1, 1),
        ("comb_hanging", 1, 1),
        ("comb_lying", 1, 1),
        ("border", 1, 1),
    ],
)
def test_numbers_of_components(name, four, eight):
    assert (labelled(SHAPES[name], 4)[1], labelled(SHAPES[name], 8)[1]) == (four, eight)


def test_table_of_an_l_and_a_dot():
    mask = np.zeros((6, 9), bool)
    mask[1:5, 2] = True
    mask[4, 2:6] = True
    mask[0, 8] = True
    runs = kernels.find_runs(*flat(mask))
    labels, count = kernels.label_runs(runs, 8)
    assert runs.tolist() == [[0, 8, 9], [1, 2, 3], [2, 2, 3], [3, 2, 3], [4, 2, 6]]
    assert labels.tolist() == [1, 2, 2, 2, 2]
    assert kernels.component_table(runs, labels, count).tolist() == [
        [1, 0, 8, 1, 9, 0, 8],
        [7, 1, 2, 5, 6, 6 + 16, 6 + 14],
    ]


def test_all_masks_of_four_by_four():
    crosses = {4: None, 8: np.ones((3, 3))}
    bits = np.arange(16)
    for code in range(0, 2**16, 7):
        mask = (code >> bits & 1).astype(bool).reshape(4, 4)
        for connectivity, structure in crosses.items():
            image, count = labelled(mask, connectivity)
            expected, number = ndimage.label(mask, structure)
            assert count == number
            # SciPy's numbering is not by first pixel everywhere: only the partition is compared.
            assert len(set(zip(image.flat, expected.flat))) == number + (not mask.all())
            firsts = [int(np.argmax(image == k + 1)) for k in range(count)]
            assert firsts == sorted(firsts)


def test_many_runs_and_a_read_only_mask():
    mask = np.zeros((300, 1000), bool)
    mask[::2, ::2] = True
    mask.flags.writeable = False
    image, count = labelled(mask, 4)
    assert count == 150 * 500
    np.testing.assert_array_equal(image[mask], np.arange(1, count + 1))


@given(masks(), st.sampled_from([np.uint8, np.float32, np.float64]), st.integers(0, 2**32 - 1))
def test_runs_above(mask, dtype, seed):
    levels = np.random.default_rng(seed).random(mask.shape)
    values = (np.where(mask, 1 + levels, levels) * 100).astype(dtype)
    limit = np.array(99 if dtype is np.uint8 else 100, dtype)
    integers = np.dtype(f"u{limit.itemsize}")
    flat_values, limit = values.view(integers).reshape(-1), limit.view(integers)[()]
    runs, highest = kernels.runs_above(flat_values, limit, mask.shape[1])
    twin, twin_highest = twins.runs_above(flat_values, limit, mask.shape[1])
    np.testing.assert_array_equal(runs, twin)
    np.testing.assert_array_equal(runs, kernels.find_runs(*flat(mask)))
    assert runs.dtype == twin.dtype == np.int32
    assert highest == twin_highest == values.max().view(integers)


@pytest.mark.parametrize("width", [31, 32, 33, 64, 97])
def test_runs_above_at_the_ends_of_blocks(width):
    values = np.zeros((5, width), np.uint8)
    values[0, 31:] = values[1] = values[2, :-1] = values[3, 1:] = 9
    values[4, ::2] = 9
    runs, highest = kernels.runs_above(values.reshape(-1), np.uint8(8), width)
    np.testing.assert_array_equal(runs, kernels.find_runs(*flat(values > 8)))
    assert highest == 9
    assert len(kernels.runs_above(values.reshape(-1), np.uint8(9), width)[0]) == 0
