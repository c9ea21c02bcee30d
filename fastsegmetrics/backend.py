"""Which implementation computes: the compiled kernels or their plain reference twins."""

from __future__ import annotations

import contextvars
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, cast

from fastsegmetrics.errors import InputError

Backend = Literal["compiled", "reference"]
VARIABLE = "FASTSEGMETRICS_BACKEND"
_chosen: contextvars.ContextVar[Backend | None] = contextvars.ContextVar("backend", default=None)


def resolve(backend: str | None = None) -> Backend:
    """Return the backend in force: argument, then context manager, then environment variable."""
    if backend is None:
        chosen_before = _chosen.get()
        if chosen_before is not None:
            return chosen_before
        source, value = VARIABLE, os.environ.get(VARIABLE) or "compiled"
    else:
        source, value = "backend", backend
    if value not in ("compiled", "reference"):
        raise InputError(f"{source} must be 'compiled' or 'reference'; received {value!r}")
    return cast(Backend, value)


@contextmanager
def use_backend(backend: Backend) -> Iterator[None]:
    """Select the backend for everything that runs inside the ``with`` block, in this context.

    Parameters
    ----------
    backend : {"compiled", "reference"}
        The Numba kernels, or the plain NumPy twins written straight from the definitions.

    Raises
    ------
    InputError
        When `backend` is neither.

    Examples
    --------
    >>> import numpy as np, fastsegmetrics as fsm
    >>> truth = np.array([[True, False, False]])
    >>> with fsm.use_backend("reference"):
    ...     fsm.mae(truth, truth)
    0.0
    """
    token = _chosen.set(resolve(backend))
    try:
        yield
    finally:
        _chosen.reset(token)


class chosen:
    """A context for one call, in which its choice is in force, or else the one outside.

    Looked up once: all that the call does asks again, and to ask the environment takes longer than
    a kernel takes on a small image.
    """

    __slots__ = ("_backend", "_token")

    def __init__(self, backend: Backend | None) -> None:
        self._backend = backend

    def __enter__(self) -> None:
        self._token = _chosen.set(resolve(self._backend))

    def __exit__(self, *raised: object) -> None:
        _chosen.reset(self._token)
