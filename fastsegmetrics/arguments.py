"""What is asked of arguments that are no arrays; a refusal is one sentence for all of them."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

from fastsegmetrics.errors import InputError


def one_of(name: str, value: Any, choices: Sequence[Any]) -> Any:
    """Return the choice that an argument is.

    The choice itself and not its equal, so that 1 and 1.0 make one contract; True is no 1.

    Raises
    ------
    InputError
        When it is none of them.

    Examples
    --------
    >>> one_of("pred_scale", 255.0, (None, 1, 255))
    255
    """
    plain = value is None or isinstance(value, str) or _is_real(value)
    if plain and value in choices:
        return choices[choices.index(value)]
    allowed = " or ".join(map(repr, choices))
    if len(choices) > 2:
        allowed = f"one of {', '.join(map(repr, choices))}"
    raise InputError(f"{name} must be {allowed}; received {value!r}")


def number(name: str, value: Any, low: float = -math.inf, high: float = math.inf) -> float:
    """Return an argument as a float.

    Raises
    ------
    InputError
        When it is no finite number from `low` to `high`.

    Examples
    --------
    >>> number("alpha", 1, 0.0, 1.0)
    1.0
    """
    if _is_real(value) and math.isfinite(value) and low <= value <= high:
        return float(value)
    bounds = ""
    if low > -math.inf:
        bounds = f" of at least {low:g}" if high == math.inf else f" in [{low:g}, {high:g}]"
    raise InputError(f"{name} must be a finite number{bounds}; received {value!r}")


def integer(name: str, value: Any, least: int) -> int:
    """Return an argument as an int.

    Raises
    ------
    InputError
        When it is no integer, or less than `least`.

    Examples
    --------
    >>> integer("bins", 10, 1)
    10
    """
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= least:
        return int(value)
    raise InputError(f"{name} must be an integer of at least {least}; received {value!r}")


def _is_real(value: Any) -> bool:
    # NumPy's booleans are no numbers.Real.
    return isinstance(value, numbers.Real) and not isinstance(value, bool)
