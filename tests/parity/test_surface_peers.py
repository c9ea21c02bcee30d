"""Surface distances beside surface-distance, MedPy and SciPy; each test runs where its peer is."""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType

import numpy as np
import pytest
from scipy import ndimage

import fastsegmetrics as fsm
from fastsegmetrics.compat import medpy_binary, surface_distance

SEEDS = range(40)
KINDS = ("blobs", "noise", "shifted", "border")


@pytest.fixture(scope="module")
def deepmind() -> ModuleType:
    """The package as it is on PyPI since 2021, with the names that NumPy has dropped."""
    dropped = {"bool": np.bool_, "Inf": np.inf, "NaN": np.nan}
    for name, value in dropped.items():
        if name not in vars(np):
            setattr(np, name, value)
    return pytest.importorskip("surface_distance")


@pytest.fixture(scope="module")
def medpy() -> ModuleType:
    pytest.importorskip("medpy.metric.binary")
    return importlib.import_module("medpy.metric.binary")


def pair(seed: int) -> tuple[np.ndarray, np.ndarray, tuple[float, ...]]:
    """Two masks with foreground, and a spacing."""
    rng = np.random.default_rng(seed)
    n_axes = 2 + seed % 2
    shape = tuple(rng.integers(3, 17, n_axes))
    noise = ndimage.gaussian_filter(rng.random((2, *shape)), (0, *[1.5] * n_axes))
    kind = KINDS[seed // 2 % 4]
    first, second = noise > np.quantile(noise, 0.7, axis=range(1, n_axes + 1), keepdims=True)
    if kind == "noise":
        first, second = rng.random((2, *shape)) < 0.2
    if kind == "shifted":
        second = np.roll(first, (2, 1), (0, 1))
    if kind == "border":
        first[0] = second[:, -1] = True
    first[1, 1], second[2, 1] = True, True
    spacing = (1.0,) * n_axes if seed % 5 == 0 else tuple(rng.uniform(0.3, 4, n_axes))
    return first, second, spacing


@pytest.mark.filterwarnings("ignore:Please import:DeprecationWarning")
@pytest.mark.parametrize("seed", SEEDS)
def test_deepmind(deepmind, seed) -> None:
    pred, gt, spacing = pair(seed)
    theirs = deepmind.compute_surface_distances(gt, pred, spacing)
    ours = surface_distance.compute_surface_distances(gt, pred, spacing)
    assert list(ours) == list(theirs)
    for name in ours:
        expected = theirs[name]
        if name.startswith("surfel"):
            # Where only rounding tells distances apart, areas come in another order.
            np.testing.assert_allclose(np.sort(ours[name]), np.sort(expected), rtol=1e-12)
        else:
            np.testing.assert_allclose(ours[name], expected, rtol=1e-12, atol=0)
    for name, arguments in (
        ("compute_average_surface_distance", ()),
        ("compute_robust_hausdorff", (95,)),
        ("compute_robust_hausdorff", (50,)),
        ("compute_robust_hausdorff", (100,)),
        ("compute_robust_hausdorff", (0,)),
        ("compute_surface_overlap_at_tolerance", (1.01,)),
        ("compute_surface_dice_at_tolerance", (0,)),
        ("compute_surface_dice_at_tolerance", (2.02,)),
    ):
        value = getattr(deepmind, name)(theirs, *arguments)
        assert getattr(surface_distance, name)(ours, *arguments) == pytest.approx(value, rel=1e-12)
        assert getattr(surface_distance, name)(theirs, *arguments) == pytest.approx(
            value, rel=1e-12
        )
    dice = deepmind.compute_dice_coefficient(gt, pred)
    assert surface_distance.compute_dice_coefficient(gt, pred) == pytest.approx(dice, rel=1e-15)
    found = fsm.surface_distances(pred, gt, spacing=spacing, surface="elements")
    assert found.hd95 == pytest.approx(deepmind.compute_robust_hausdorff(theirs, 95), rel=1e-12)
    nsd = deepmind.compute_surface_dice_at_tolerance(theirs, 1.01)
    assert found.nsd(1.01) == pytest.approx(nsd, rel=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4)])
def test_deepmind_of_empty_masks(deepmind, shape) -> None:
    empty, full = np.zeros(shape, bool), np.ones(shape, bool)
    spacing = (1.0, 2.0, 3.0)[: len(shape)]
    for gt, pred in ((empty, full), (full, empty), (empty, empty), (full, full)):
        theirs = deepmind.compute_surface_distances(gt, pred, spacing)
        ours = surface_distance.compute_surface_distances(gt, pred, spacing)
        for name in theirs:
            np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-12)
        for name, arguments in (
            ("compute_average_surface_distance", ()),
            ("compute_robust_hausdorff", (95,)),
            ("compute_surface_overlap_at_tolerance", (1,)),
            ("compute_surface_dice_at_tolerance", (1,)),
        ):
            np.testing.assert_allclose(
                getattr(surface_distance, name)(ours, *arguments),
                getattr(deepmind, name)(theirs, *arguments),
            )
        np.testing.assert_allclose(
            surface_distance.compute_dice_coefficient(gt, pred),
            deepmind.compute_dice_coefficient(gt, pred),
        )


def test_deepminds_areas(deepmind) -> None:
    tables = importlib.import_module("surface_distance.lookup_tables")
    from fastsegmetrics.statistics.surface_distances import area_table

    for spacing in ((1.0, 1.0, 1.0), (2.5, 0.5, 0.7), (0.3, 4.0, 1.1)):
        theirs = tables.create_table_neighbour_code_to_surface_area(spacing)
        np.testing.assert_allclose(area_table(spacing), theirs, rtol=1e-12, atol=1e-15)
    theirs = tables.create_table_neighbour_code_to_contour_length((0.7, 3.0))
    np.testing.assert_allclose(area_table((0.7, 3.0)), theirs, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("connectivity", [1, 2, 3])
def test_medpy(medpy, seed, connectivity) -> None:
    pred, gt, spacing = pair(seed)
    for voxelspacing in (None, 0.7, spacing):
        for name in ("hd", "hd95", "asd", "assd"):
            arguments = pred, gt, voxelspacing, connectivity
            theirs = getattr(medpy, name)(*arguments)
            assert getattr(medpy_binary, name)(*arguments) == pytest.approx(theirs, rel=1e-12)


def test_medpys_conventions_are_named(medpy) -> None:
    for seed in SEEDS:
        pred, gt, spacing = pair(seed)
        found = fsm.surface_distances(pred, gt, spacing=spacing)
        assert found.hd_percentile(95, "pooled") == pytest.approx(
            medpy.hd95(pred, gt, spacing), rel=1e-12
        )
        assert found.assd == pytest.approx(medpy.assd(pred, gt, spacing), rel=1e-12)
        assert found.hd == pytest.approx(medpy.hd(pred, gt, spacing), rel=1e-12)


def test_medpy_of_lines(medpy) -> None:
    rng = np.random.default_rng(1)
    pred, gt = rng.random((2, 30)) < 0.3
    block = np.zeros((2, 3, 4, 2, 5), bool)
    block[0, 1:, 1:3, :, 2:] = block[1, :2, 2:, 1:, 1:4] = True
    for masks in ((pred, gt), block):
        for name in ("hd", "hd95", "asd", "assd"):
            theirs = getattr(medpy, name)(*masks)
            assert getattr(medpy_binary, name)(*masks) == pytest.approx(theirs, rel=1e-12)


def objects(seed: int) -> tuple[np.ndarray, np.ndarray, tuple[float, ...]]:
    """Two masks of many small objects that meet in all ways, and a spacing."""
    rng = np.random.default_rng(seed)
    shape = ((60,), (8, 9), (21, 33), (5, 6, 7), (3, 4, 5, 2))[seed % 5]
    first, second = rng.random((2, *shape)) < rng.choice([0.2, 0.4, 0.6, 0.75], 2).reshape(
        2, *[1] * len(shape)
    )
    return first, second, tuple(rng.uniform(0.5, 2, len(shape)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(100))
def test_medpys_objects(medpy, seed) -> None:
    pred, gt, spacing = objects(seed)
    for connectivity in (1, 2):
        for name in ("obj_tpr", "obj_fpr"):
            arguments = pred, gt, connectivity
            assert getattr(medpy_binary, name)(*arguments) == getattr(medpy, name)(*arguments)
        for voxelspacing in (None, spacing):
            for name in ("obj_asd", "obj_assd"):
                arguments = pred, gt, voxelspacing, connectivity
                theirs = getattr(medpy, name)(*arguments)
                ours = getattr(medpy_binary, name)(*arguments)
                assert ours == pytest.approx(theirs, rel=1e-12, nan_ok=True)


@pytest.mark.filterwarnings("ignore")
def test_medpys_objects_where_there_are_none(medpy) -> None:
    empty, full = np.zeros((3, 4), bool), np.ones((3, 4), bool)
    apart = empty.copy()
    apart[0, 0] = True
    for pred, gt in ((empty, full), (full, empty), (empty, empty), (apart, np.roll(apart, 2))):
        for name in ("obj_tpr", "obj_fpr", "obj_asd", "obj_assd"):
            try:
                expected = getattr(medpy, name)(pred, gt)
            except ZeroDivisionError:
                with pytest.raises(ZeroDivisionError):
                    getattr(medpy_binary, name)(pred, gt)
            else:
                ours = getattr(medpy_binary, name)(pred, gt)
                assert ours == pytest.approx(expected, nan_ok=True)


def test_all_of_medpys_functions(medpy) -> None:
    theirs = {
        name: value
        for name, value in vars(medpy).items()
        if inspect.isfunction(value)
        and value.__module__ == medpy.__name__
        and not name.startswith("_")
    }
    assert set(theirs) == set(medpy_binary.__all__)
    for name, function in theirs.items():
        ours = inspect.signature(getattr(medpy_binary, name)).parameters.values()
        expected = inspect.signature(function).parameters.values()
        assert [(p.name, p.default) for p in ours] == [(p.name, p.default) for p in expected]


@pytest.mark.parametrize("seed", SEEDS)
def test_scipys_transform(seed) -> None:
    pred, gt, spacing = pair(seed)
    found = fsm.surface_distances(pred, gt, spacing=spacing)
    edges = [mask & ~ndimage.binary_erosion(mask) for mask in (pred, gt)]
    for ours, own, other in zip((found.pred_to_gt, found.gt_to_pred), edges, edges[::-1]):
        theirs = ndimage.distance_transform_edt(~other, sampling=spacing)[own]
        np.testing.assert_allclose(ours, np.sort(theirs), rtol=1e-12)
