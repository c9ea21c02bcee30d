"""Which implementation computes: the compiled kernels or their plain reference twins."""

from __future__ import annotations

import contextvars
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Literal, cast

from fastsegmetrics.errors import InputError

Backend = Literal["compiled", "reference"]
VARIABLE = "FASTSEGMETRICS_BACKEND"
_chosen: contextvars.ContextVar[str | None] = contextvars.ContextVar("backend", default=None)


def resolve(backend: str | None = None) -> Backend:
    """Return the backend in force: argument, then context manager, then environment variable."""
    # Three assignments and not a loop over the sources: every measurement asks.
    source, value = "backend", backend
    if value is None:
        source, value = "use_backend", _chosen.get()
    if value is None:
        source, value = VARIABLE, os.environ.get(VARIABLE) or "compiled"
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


def chosen(backend: Backend | None) -> AbstractContextManager[None]:
    """Return a context in which a per-call choice, if there is one, is in force."""
    return nullcontext() if backend is None else use_backend(backend)
