"""Rates and distances of distinct objects that correspond to each other, by MedPy's conventions.

Objects are connected components.  Two correspond when they share a voxel and were chosen for each
other; none is chosen twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import represent
from fastsegmetrics.compat.medpy_binary import distances
from fastsegmetrics.compat.medpy_binary.distances import NoObjectError


class NoObjectRateError(NoObjectError, ZeroDivisionError):
    """No object to count: MedPy documents a `RuntimeError` and raises a `ZeroDivisionError`."""


class _Objects(NamedTuple):
    """A mask's components by their number, 0 being background, and the box of each."""

    image: NDArray[np.int32]
    boxes: list[tuple[slice, ...]]


def obj_tpr(result: Any, reference: Any, connectivity: int = 1) -> float:
    """Share of the result's objects that correspond to one of the reference.

    Parameters
    ----------
    result, reference : array_like, shape (…)
        Everything that is not 0 is foreground.
    connectivity : int
        Along how many axes at most a neighbour of the same object lies one step away.

    Returns
    -------
    float
        In [0, 1], higher is better.

    Raises
    ------
    NoObjectRateError
        When the result is empty; also a `RuntimeError` and a `ZeroDivisionError`.
    InputError
        When the shapes differ or an argument is refused.

    Examples
    --------
    >>> obj_tpr([1, 0, 1, 0, 1], [1, 0, 1, 0, 0])
    0.6666666666666666
    """
    mine, other = _both(result, reference, connectivity)
    if not mine.boxes:
        raise NoObjectRateError("result must contain an object; it has no foreground")
    return len(_chosen(mine, other)) / len(mine.boxes)


def obj_fpr(result: Any, reference: Any, connectivity: int = 1) -> float:
    """Share of the *reference's* objects that correspond to none of the result.

    That is a rate of misses, and what MedPy computes under this name.  Parameters and errors as for
    `obj_tpr`, but that it is the reference that must not be empty.  In [0, 1], lower is better.

    Examples
    --------
    >>> obj_fpr([1, 0, 1, 0, 0], [1, 0, 1, 0, 1])
    0.3333333333333333
    """
    mine, other = _both(result, reference, connectivity)
    if not other.boxes:
        raise NoObjectRateError("reference must contain an object; it has no foreground")
    return (len(other.boxes) - len(_chosen(mine, other))) / len(other.boxes)


def obj_asd(result: Any, reference: Any, voxelspacing: Any = None, connectivity: int = 1) -> float:
    """Mean distance of the surfaces of the *reference's* objects to those of their partners.

    MedPy measures this direction, against that of `asd`.

    Parameters
    ----------
    result, reference : array_like, shape (…)
        Everything that is not 0 is foreground.
    voxelspacing : float or sequence of float, optional
        Distance between neighbours along each axis; 1 by default.
    connectivity : int
        Along how many axes at most a neighbour lies one step away, of objects and of surfaces.

    Returns
    -------
    float
        In the unit of the spacing, lower is better; NaN when no objects correspond.

    Raises
    ------
    InputError
        When the shapes differ or an argument is refused.

    Examples
    --------
    >>> import numpy as np
    >>> obj_asd(np.ones((3, 3)), [[0, 1, 0], [0, 1, 0], [0, 1, 0]])
    0.3333333333333333
    """
    mine, other = _both(result, reference, connectivity, voxelspacing)
    return _mean(list(_of_partners(mine, other, voxelspacing, connectivity)))


def obj_assd(result: Any, reference: Any, voxelspacing: Any = None, connectivity: int = 1) -> float:
    """Mean of the distances of `obj_asd` and of those with the masks exchanged, in one list.

    Objects are chosen for each other anew the other way round.  Arguments, result and errors as for
    `obj_asd`.
    """
    mine, other = _both(result, reference, connectivity, voxelspacing)
    forth = _of_partners(mine, other, voxelspacing, connectivity)
    back = _of_partners(other, mine, voxelspacing, connectivity)
    return _mean([*forth, *back])


def _both(
    result: Any, reference: Any, connectivity: int, voxelspacing: Any = None
) -> tuple[_Objects, _Objects]:
    pair = represent.mask_pair(*distances.masks(result, reference), distances.steps(voxelspacing))
    distances.check_connectivity(connectivity)
    return _objects(pair.pred, connectivity), _objects(pair.gt, connectivity)


def _objects(mask: NDArray[np.uint8], connectivity: int) -> _Objects:
    from scipy import ndimage

    neighbours = ndimage.generate_binary_structure(mask.ndim, connectivity)
    image, _ = ndimage.label(mask, neighbours)
    return _Objects(image, ndimage.find_objects(image))


def _chosen(mine: _Objects, other: _Objects) -> dict[int, int]:
    """Return the partner of each of my objects that has one.

    Who meets a single object takes it, in the order of the numbers; then always comes who has the
    fewest left to take, of these the first.  Which one it takes is what `set.pop` gives: that
    decides distances, so that any other order would be other numbers than MedPy's.
    """
    meets: dict[int, list[int]] = {}
    for number, partner in _meetings(mine.image, other.image):
        meets.setdefault(number, []).append(partner)
    partners: dict[int, int] = {}
    taken: set[int] = set()
    for number, found in meets.items():
        if len(found) == 1 and found[0] not in taken:
            partners[number] = found[0]
            taken.add(found[0])
    waiting = [(number, set(found)) for number, found in meets.items() if len(found) > 1]
    while True:
        waiting = [(number, left) for number, found in waiting if (left := found - taken)]
        if not waiting:
            return partners
        waiting.sort(key=lambda entry: len(entry[1]))
        number, left = waiting.pop(0)
        partners[number] = left.pop()
        taken.add(partners[number])


def _meetings(mine: NDArray[np.int32], other: NDArray[np.int32]) -> list[list[int]]:
    """Return the pairs of numbers that share a voxel, ascending."""
    both = (mine != 0) & (other != 0)
    met: list[list[int]] = np.unique(np.stack([mine[both], other[both]], axis=1), axis=0).tolist()
    return met


def _of_partners(
    mine: _Objects, other: _Objects, voxelspacing: Any, connectivity: int
) -> Iterator[NDArray[np.float64]]:
    """Yield the distances of each partner's surface to that of my object, within their box."""
    for number, partner in _chosen(mine, other).items():
        boxes = mine.boxes[number - 1], other.boxes[partner - 1]
        box = tuple(slice(min(a.start, b.start), max(a.stop, b.stop)) for a, b in zip(*boxes))
        found = distances.directed(
            mine.image[box] == number, other.image[box] == partner, voxelspacing, connectivity
        )
        yield found.gt_to_pred


def _mean(parts: list[NDArray[np.float64]]) -> float:
    return float(np.concatenate(parts).mean()) if parts else float("nan")
