"""Run work in threads and hand its results back in order, with little in flight at a time."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from fastsegmetrics.errors import InputError

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")

MOST_WORKERS = 8

# Items in flight per worker. Results wait in order behind a slow image, so that a few more than
# one are needed to keep the other workers busy meanwhile; memory is bounded by it.
_WINDOW = 8


def default_workers() -> int:
    """Number of processors this process may use, at most 8 (a disk rarely feeds more)."""
    try:
        usable = len(os.sched_getaffinity(0))
    except AttributeError:
        usable = os.cpu_count() or 1
    return max(1, min(MOST_WORKERS, usable))


def check_workers(workers: int | None) -> int:
    """`workers`, or the default for None.

    Raises
    ------
    InputError
        Not an integer of at least 1.
    """
    if workers is None:
        return default_workers()
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise InputError(f"workers must be an integer of at least 1; received {workers!r}")
    return workers


def in_order(
    work: Callable[[Item], Outcome], items: Iterable[Item], workers: int
) -> Iterator[tuple[Item, Outcome]]:
    """Apply `work` to every item and yield each item with its outcome, in the order of the items.

    One worker is the caller's own thread. Exceptions of `work` are raised here, after the items
    in flight have ended; so is what interrupts the caller.

    Parameters
    ----------
    work : callable
        Called from several threads at once.
    items : iterable
        Taken as needed, in the caller's thread.
    workers : int
        Number of threads.
    """
    if workers == 1:
        for item in items:
            yield item, work(item)
        return
    pool = ThreadPoolExecutor(workers, thread_name_prefix="fastsegmetrics")
    window: deque[tuple[Item, Future[Outcome]]] = deque()
    try:
        for item in items:
            window.append((item, pool.submit(work, item)))
            if len(window) >= workers * _WINDOW:
                first, future = window.popleft()
                yield first, future.result()
        while window:
            first, future = window.popleft()
            yield first, future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
