"""Arguments of the spatial kernels, caught while a pair is measured: no row for each by hand."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from unittest import mock

import numpy as np

import fastsegmetrics.kernels
from fastsegmetrics import kernels, represent
from fastsegmetrics.functional import boundary, surface as functional
from fastsegmetrics.plan import Plan
from fastsegmetrics.target import Target

from .scenes import CONTENTS, SIZES, pair, photograph

#: Modules whose kernels have rows of their own, in ``kernels`` and ``matching`` beside this one.
BY_HAND = {
    "levels", "float_levels", "masks", "contingency", "curves", "chunks", "unfilter", "regions",
    "overlap", "proximity", "assign",
}  # fmt: skip

Call = tuple[Callable[..., object], tuple]


def public_kernels(module: str) -> dict[str, Callable[..., object]]:
    """Return the public kernels of a module of ``fastsegmetrics.kernels`` by name."""
    room = importlib.import_module(f"fastsegmetrics.kernels.{module}")
    return {
        name: value
        for name, value in vars(room).items()
        if not name.startswith("_")
        and callable(value)
        and not isinstance(value, type)
        and getattr(value, "__module__", None) == room.__name__
    }


def spatial_modules() -> list[str]:
    """Return the modules whose kernels are caught."""
    rooms = pkgutil.iter_modules(fastsegmetrics.kernels.__path__)
    return [
        room.name for room in rooms if not room.name.startswith("_") and room.name not in BY_HAND
    ]


def spatial_kernels() -> list[str]:
    """Return ``module.kernel`` of every kernel that is caught."""
    return [f"{module}.{name}" for module in spatial_modules() for name in public_kernels(module)]


def captured(pred: np.ndarray, gt: np.ndarray) -> dict[str, Call]:
    """Measure a pair, also as floats, with every metric and return the last call of each kernel."""
    calls: dict[str, Call] = {}
    image = photograph(pred, gt)
    plan = Plan("all,photo")

    def measure() -> None:
        _measure_hidden(pred)
        for values in (pred, pred / 255.0):
            plan.measure(values, Target(gt, image=image))
        _measure_surfaces(pred > 127, gt > 127)

    measure()  # what is compiled calls its neighbours directly, and is not touched by the watch
    with _watched(calls):
        measure()
    return calls


def _measure_hidden(pred: np.ndarray) -> None:
    """Measure a block in a photograph of noise, where no bound on patches helps, and a line.

    First, so that a content which has room for patches itself is caught instead.
    """
    height, width = pred.shape
    side = max(31, min(height, width) // 2)  # 31 pixels hold more patches than bounds are tried on
    block = np.zeros(pred.shape, bool)
    block[side // 2 : side // 2 + side, side // 2 : side // 2 + side] = True
    noise = np.random.default_rng(side).integers(0, 256, (height, width, 3), np.uint8)
    Plan("c_beta_w").measure(pred, Target(block, image=noise))
    Plan("c_beta").measure(pred, Target(np.eye(height, width) > 0))


def _measure_surfaces(pred: np.ndarray, gt: np.ndarray) -> None:
    """Measure surfaces near each other, and ones beyond all rows that are tried."""
    apart = np.zeros((2, *gt.shape), bool)
    apart[0, :, :8], apart[1, :, -8:] = True, True
    functional.surface_distances(*apart)
    for surface in ("elements", "voxels"):
        functional.surface_distances(pred, gt, surface=surface)
    boundary.boundary_f(pred, gt, 2, matching="one_to_one")
    boundary.cl_dice(pred[None], gt[None])
    # Which pairs need a distance field depends on their size; here all do.
    bits = kernels.surface.pack_volume(represent.mask_pair(pred, gt).gt[None], 0, True)
    box = np.array([[0, 1], [0, gt.shape[0]], [0, gt.shape[1]]])
    kernels.spaced_distance.squared_distances(bits, box, (1.0, 1.0, 1.0))


@contextlib.contextmanager
def _watched(calls: dict[str, Call]) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for module in spatial_modules():
            room = importlib.import_module(f"fastsegmetrics.kernels.{module}")
            for name, kernel in public_kernels(module).items():
                watched = _watcher(f"{module}.{name}", kernel, calls)
                stack.enter_context(mock.patch.object(room, name, watched))
        yield


def _watcher(
    name: str, kernel: Callable[..., object], calls: dict[str, Call]
) -> Callable[..., object]:
    def call(*arguments: object) -> object:
        calls[name] = kernel, arguments
        return kernel(*arguments)

    return call


class SpatialKernels:
    params = (tuple(spatial_kernels()), CONTENTS, SIZES)
    param_names = ("kernel", "content", "side")

    def setup(self, kernel: str, content: str, side: int) -> None:
        found = captured(*pair(content, side))
        if kernel not in found:
            # Nothing in this content needs it: a blank map has no edge to follow.
            raise NotImplementedError
        self.kernel, self.arguments = found[kernel]

    def time_call(self, kernel: str, content: str, side: int) -> None:
        self.kernel(*self.arguments)
