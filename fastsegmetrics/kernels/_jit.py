"""The one decorator of all kernels: compiled lazily, cached on disk, the GIL released."""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import caching
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache
from numba.core.compiler import Compiler
from numba.extending import lower_builtin, type_callable
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])

# What a truncated or overwritten cache file raises while it is unpickled.
_BROKEN = (EOFError, pickle.UnpicklingError, OSError, AttributeError, ImportError, IndexError,
           KeyError, TypeError, ValueError, MemoryError)  # fmt: skip


# The locators of Numba 0.60 have private names.
_Provided, _InTree = (
    getattr(caching, name, None) or getattr(caching, f"_{name}")
    for name in ("UserProvidedCacheLocator", "InTreeCacheLocator")
)


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


_announce: Callable[[], None] | None = None


def on_compiling(announce: Callable[[], None] | None) -> None:
    """Have `announce` called once, before the next kernel that no cache holds; None: no longer."""
    global _announce
    _announce = announce


def _compiling() -> None:
    # Numba asks the cache under its compiler lock: no two threads are here at a time.
    global _announce
    announce, _announce = _announce, None
    if announce is not None:
        announce()


class _ReadingCache(FunctionCache):  # type: ignore[misc]
    """Numba's function cache under our key, whose broken files are as none."""

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return (*super()._index_key(sig, codegen), _sources_digest())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except _BROKEN:
            self._found_broken()
            return None

    def _found_broken(self) -> None:
        self.disable()


class _Readable:
    """A place for a cache that only need be there, where Numba's must be writable."""

    def ensure_cache_path(self) -> None:
        path: str = self.get_cache_path()  # type: ignore[attr-defined]
        if not os.access(path, os.R_OK | os.X_OK):
            raise OSError(f"{path} cannot be read")


class _ReadableProvided(_Readable, _Provided):  # type: ignore[misc]
    """Where NUMBA_CACHE_DIR points."""


class _ReadableInTree(_Readable, _InTree):  # type: ignore[misc]
    """Beside the package."""


class _ReadableFiles(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_ReadableProvided, _ReadableInTree)


class _Shelf(_ReadingCache):
    """What another user compiled, as the one who made a container image: read, never written."""

    _impl_class = _ReadableFiles

    def save_overload(self, sig: Any, data: Any) -> None:
        """Leave it as it is."""


class _Cache(_ReadingCache):
    """A cache that never fails: what it cannot read or write, it does without."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        first = _Provided if numba.config.CACHE_DIR else _InTree
        own = isinstance(self._impl.locator, first)
        self._shelf = NullCache() if own else _shelf(function)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        if found is None:
            found = self._shelf.load_overload(sig, target_context)
        if found is None:
            _compiling()
        return found

    def _found_broken(self) -> None:
        try:
            self.flush()
        except OSError:
            self.disable()

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except (OSError, *_BROKEN):
            self.disable()


class _Unwritable(NullCache):  # type: ignore[misc]
    """No folder can be written (read-only installation, no HOME): what is kept is read, and the
    rest compiled every time."""

    def __init__(self, function: Any) -> None:
        self._shelf = _shelf(function)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self._shelf.load_overload(sig, target_context)
        if found is None:
            _compiling()
        return found


def _shelf(function: Any) -> Any:
    try:
        return _Shelf(function)
    except RuntimeError:
        return NullCache()


def _cache_of(function: Any) -> Any:
    try:
        return _Cache(function)
    except RuntimeError:
        return _Unwritable(function)


def kernel(function: Function) -> Function:
    """Compile `function` at its first call, in nopython mode, without the GIL, cached on disk.

    With ``NUMBA_DISABLE_JIT=1`` the function is returned as it is.  Called from another kernel it
    is compiled into it.
    """
    return _compiled(function)


def apart(function: Function) -> Function:
    """Compile as `kernel` does a function that writes to no array that it has under another name.

    Otherwise each loop first asks whether what it writes lies where it reads: of a loop over a
    dozen vectors that question takes a quarter of the time.
    """
    return _compiled(function, pipeline_class=_Apart)


class _Apart(Compiler):  # type: ignore[misc]
    """Numba's compiler, which tells LLVM that arguments do not overlap."""

    def define_pipelines(self) -> Any:
        self.state.flags.noalias = True
        return super().define_pipelines()


def _compiled(function: Function, **options: Any) -> Function:
    # error_model: Python semantics for division would put a branch that raises into every loop
    # and keep LLVM from vectorising; kernels guard their divisions themselves.  No fastmath: the
    # sums and quotients must be the IEEE ones.
    compiled = numba.njit(nogil=True, error_model="numpy", **options)(function)
    if hasattr(compiled, "enable_caching"):
        compiled._cache = _cache_of(function)
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


def word_at(values: NDArray[np.uint8], start: int) -> Any:
    """Return the eight bytes of a row of bytes from `start` on as one word, wherever that lies.

    A row that begins anywhere is read in words from its first byte on; a view as words would have
    to begin at a multiple of eight.
    """
    return values[start : start + 8].copy().view(np.uint64)[0]


@type_callable(word_at)  # type: ignore[untyped-decorator]
def _type_of_word_at(context: Any) -> Callable[..., Any]:
    def typer(values: Any, start: Any) -> Any:
        bytes_in_a_row = isinstance(values, types.Array) and values.dtype == types.uint8
        if bytes_in_a_row and values.ndim == 1 and values.layout == "C":
            return types.uint64
        return None

    return typer


@lower_builtin(word_at, types.Array, types.Integer)  # type: ignore[untyped-decorator]
def _lower_word_at(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    values = context.make_array(signature.args[0])(context, builder, arguments[0])
    first = builder.gep(values.data, [arguments[1]])
    word = builder.load(builder.bitcast(first, ir.IntType(64).as_pointer()))
    word.align = 1
    return word


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
    """Return where a kernel's machine code will be kept, or None where it cannot be."""
    cache = getattr(compiled, "_cache", None)
    path = cache.cache_path if isinstance(cache, _Cache) else None
    return os.fspath(path) if path else None
