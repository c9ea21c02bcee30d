"""The one decorator of all kernels: compiled lazily, cached on disk, the GIL released."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, TypeVar, cast

import numba
from numba import types
from numba.core.caching import FunctionCache
from numba.extending import lower_builtin, type_callable

Function = TypeVar("Function", bound=Callable[..., Any])

# What a truncated or overwritten cache file raises while it is unpickled.
_BROKEN = (EOFError, pickle.UnpicklingError, OSError, AttributeError, ImportError, IndexError,
           KeyError, TypeError, ValueError, MemoryError)  # fmt: skip


@functools.cache
def _sources_digest() -> str:
    """Fingerprint of all that kernels are made of.

    Numba keys its cache by the decorated function's own file, so that an edit of a function it
    calls in another file would go unseen.
    """
    package = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for room in ("kernels", "scores"):
        for path in sorted((package / room).glob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


class _Cache(FunctionCache):  # type: ignore[misc]
    """Numba's function cache that never fails: what it cannot read or write, it does without."""

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return (*super()._index_key(sig, codegen), _sources_digest())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except _BROKEN:
            try:
                self.flush()
            except OSError:
                self.disable()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except (OSError, *_BROKEN):
            self.disable()


def kernel(function: Function) -> Function:
    """Compile `function` at its first call, in nopython mode, without the GIL, cached on disk.

    With ``NUMBA_DISABLE_JIT=1`` the function is returned as it is.  Called from another kernel it
    is compiled into it.
    """
    # error_model: Python semantics for division would put a branch that raises into every loop
    # and keep LLVM from vectorising; kernels guard their divisions themselves.  No fastmath: the
    # sums and quotients must be the IEEE ones.
    compiled = numba.njit(nogil=True, error_model="numpy")(function)
    if hasattr(compiled, "enable_caching"):
        # No directory can be written (read-only installation, no HOME): compile every time.
        with contextlib.suppress(RuntimeError):
            compiled._cache = _Cache(function)
    return cast(Function, compiled)


def fused(a: float, b: float, c: float) -> float:
    """Return a·b + c rounded once, in loops whole vectors of them; three numbers of one precision.

    Half the operations of a sum of products, and everywhere the same bits: what LLVM may contract
    by itself differs between processors.  One without the instruction (x86 before 2013) calls the
    C library for each, and plain Python rounds twice.
    """
    return a * b + c


@type_callable(fused)  # type: ignore[untyped-decorator]
def _type_of_fused(context: Any) -> Callable[..., Any]:
    def typer(a: Any, b: Any, c: Any) -> Any:
        return a if isinstance(a, types.Float) and a == b == c else None

    return typer


@lower_builtin(fused, types.Float, types.Float, types.Float)  # type: ignore[untyped-decorator]
def _lower_fused(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.fma(*arguments)


def formulas(module: ModuleType) -> SimpleNamespace:
    """Compile the pure functions of a score module, so that kernels can call them.

    Numba refuses a call from compiled code to a plain function; here each formula is compiled with
    its neighbours' compiled forms in their place.  They are cached as part of the kernels that
    they are compiled into.
    """
    names = dict(vars(module))
    plain = {
        name: value
        for name, value in names.items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    }
    for name, function in plain.items():
        twin = FunctionType(function.__code__, names, name, function.__defaults__)
        names[name] = numba.njit(nogil=True, error_model="numpy")(twin)
    return SimpleNamespace(**{name: names[name] for name in plain})


def cache_directory(compiled: Any) -> str | None:
    """Return where a kernel's machine code is cached, or None where it is not."""
    path = getattr(getattr(compiled, "_cache", None), "cache_path", None)
    return os.fspath(path) if path else None
