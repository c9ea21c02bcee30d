"""Costs by which predicted targets are assigned to true ones: those that are here, and the user's.

A protocol is text, and a function is none: a cost of one's own is registered under a name, and the
protocol holds the name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastsegmetrics.errors import InputError

if TYPE_CHECKING:
    from fastsegmetrics.protocol.extract import Regions

#: The costs that need not be registered, in words.
WORDS = {"distance": "centroid distance", "overlap": "1 − IoU", "dice": "1 − Dice"}
#: From this size on, a cost added to others would leave nothing of them.
_LARGEST = 1e100

Cost: TypeAlias = "Callable[[Regions, Regions], ArrayLike]"
Given = TypeVar("Given", bound=Callable[..., Any])

_registered: dict[str, Cost] = {}


def register_cost(name: str) -> Callable[[Given], Given]:
    """Name a cost, so that protocols can assign targets by it: ``hungarian(cost=NAME)``.

    The name stands for the function in this process alone: whoever reads the protocol elsewhere
    must register it there too, and a contract says no more of it than its name.

    Parameters
    ----------
    name : str
        A lower-case letter, then lower-case letters, digits and ``_``; none of ``distance``,
        ``overlap`` and ``dice``, nor one that another function has.

    Returns
    -------
    callable
        Decorator of ``cost(pred, gt)``, which returns it as it is.  The function gets the P
        predicted and the G true targets of a pair of maps (`extract.Regions`: ``areas``
        int64[P], ``centroids`` float64[P, 2] in pixels, row and column; ``labels`` int32[H, W];
        ``found``, with a box and a label of each) and returns real[P, G], lower for what rather
        belongs together, +inf for what must not be matched.  It is called only where both sides
        have a target, from several threads at once, and must not change what it gets.

    Raises
    ------
    InputError
        When the name is none, or another function has it; when a pair is measured, for a cost of
        another shape, or one that is NaN, −inf or larger than 1e100.

    Notes
    -----
    Assigned are as many pairs as may be matched, and of all ways to do so that of the least total
    cost.  With ``limited=before`` a pair left alone costs the limit, as with the other costs.

    Examples
    --------
    >>> import numpy as np
    >>> import fastsegmetrics as fsm
    >>> from fastsegmetrics.protocol import register_cost
    >>> @register_cost("row_distance")
    ... def rows_apart(pred, gt):
    ...     return np.abs(pred.centroids[:, None, 0] - gt.centroids[None, :, 0])
    >>> path = "fixed / components(on=both) / hungarian(cost=row_distance) / target_recall / raw"
    >>> gt = np.array([[1, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 1]], bool)
    >>> fsm.measure(gt[:, ::-1], gt, path)[fsm.Protocol.parse(path).name]
    1.0
    """
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise InputError(
            f"the name of a cost must be a lower-case letter, then lower-case letters, digits and "
            f"_; received {name!r}"
        )
    if name in WORDS:
        raise InputError(f"a cost must have a name of its own; {name!r} is the package's")

    def register(function: Given) -> Given:
        if not callable(function):
            raise InputError(f"a cost must be a function of two sets; received {function!r}")
        if _registered.setdefault(name, function) is not function:
            raise InputError(f"a cost must have a name of its own; {name!r} is registered already")
        return function

    return register


def require(name: object) -> None:
    """Check that a cost is known here.

    Raises
    ------
    InputError
        When it is not.
    """
    if name not in (*WORDS, *_registered):
        raise InputError(
            f"hungarian: cost must be one of {', '.join((*WORDS, *_registered))}, or be registered "
            f"here by protocol.register_cost; received {name!r}"
        )


def words(name: str) -> str:
    """Return a cost in words."""
    return WORDS.get(name) or f"the user's cost {name}"


def matrix(name: str, pred: Regions, gt: Regions) -> NDArray[np.float64]:
    """Return the costs of all pairs by a registered function, float64[P, G].

    Raises
    ------
    InputError
        When the name is not registered here, or the function returned no such matrix.
    """
    require(name)
    found = np.asarray(_registered[name](pred, gt))
    shape = len(pred.found), len(gt.found)
    if found.dtype.kind not in "biuf" or found.shape != shape:
        raise InputError(
            f"cost {name} must return real numbers of shape {shape}, predicted × true targets; "
            f"received {found.dtype} of shape {found.shape}"
        )
    costs = np.ascontiguousarray(found, np.float64)
    refused = ~((np.abs(costs) <= _LARGEST) | (costs == math.inf))
    if refused.any():
        i, j = np.argwhere(refused)[0].tolist()
        raise InputError(
            f"cost {name} must return numbers up to {_LARGEST:g}, or +inf; received {costs[i, j]} "
            f"for prediction {i} and truth {j}"
        )
    return costs
