"""What all one-liners share: the plan of a request, and the common half of their docstrings."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from fastsegmetrics import catalog
from fastsegmetrics.catalog import Wanted
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.plan import Plan

Function = TypeVar("Function", bound=Callable[..., Any])


@functools.lru_cache(maxsize=64)
def _kept_plan(
    metrics: Wanted | tuple[Wanted, ...], choices: tuple[tuple[str, type, Any], ...]
) -> Plan:
    return Plan(metrics, Conventions.of(**{name: value for name, _, value in choices}))


def plan_for(metrics: Wanted | tuple[Wanted, ...], conventions: dict[str, Any]) -> Plan:
    """Return the plan of a request, kept for the next call of the same."""
    # A plan and checked conventions take longer to make than a small image to measure.
    # The types are part of the key: 1 equals True and must not pass for it.
    choices = tuple((name, type(value), value) for name, value in conventions.items())
    try:
        return _kept_plan(metrics, choices)
    except TypeError:  # a value that cannot be hashed: the conventions say which
        return Plan(metrics, Conventions.of(**conventions))


_IMAGE = """    image : array_like of uint8, shape (H, W, 3), optional
        The RGB photograph; a `Target` brings its own.
"""
_COMMON = """

    Parameters
    ----------
    pred : array_like, shape (H, W)
        Prediction: integers in 0…255, booleans, or floats in [0, 1].
    gt : array_like or Target, shape (H, W)
        Ground truth: booleans, or integers in 0…255 of which > 128 is foreground.
{own}{image}    backend : {{"compiled", "reference"}}, optional
        Which implementation computes.
    **conventions
        Fields of `Conventions`: ``policy``, ``stretch``, ``gt_threshold``, ``pred_scale``, ….

    Returns
    -------
    {returns}
        In [{low:g}, {high:g}]; {better}.

    Raises
    ------
    InputError
        When shapes differ, an array is empty or not 2-D, or its values are off their scale.

    Notes
    -----
    {title}: {formula}.  Degenerate cases: {empty}.  Source: {citation}.

    Examples
    --------
    >>> import numpy as np
    >>> pred = np.array([[0, 204, 51, 255]], np.uint8)
    >>> gt = np.array([[False, False, True, True]])
    >>> {example}
"""


def documented(
    returns: str, example: str, name: str | None = None, *, own: str = "", better: str = ""
) -> Callable[[Function], Function]:
    """Complete a docstring from the score's row in the catalogue, so that it is said once.

    `own` is what it says of the parameter that no other function has, `better` what is said of
    the direction where there are two.
    """

    def complete(function: Function) -> Function:
        score = catalog.SCORES[name or function.__name__]
        assert function.__doc__ is not None
        function.__doc__ = function.__doc__.rstrip() + _COMMON.format(
            returns=returns,
            own="".join(f"    {line}\n" for line in own.splitlines()),
            image=_IMAGE if score.needs_image else "",
            low=score.low,
            high=score.high,
            better=better or f"{score.direction} is better",
            title=score.title[0].upper() + score.title[1:],
            formula=score.formula,
            empty=score.empty,
            citation=score.citation,
            example=example,
        )
        return function

    return complete
