"""Run work in threads and hand its results back in order, with little in flight at a time."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from itertools import islice
from typing import Generic, TypeVar

from fastsegmetrics.arguments import integer

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")

MOST_WORKERS = 8

# Tasks in flight per worker. Results wait in order behind a slow image, so that a few more than
# one are needed to keep the other workers busy meanwhile; memory is bounded by it.
_WINDOW = 4

# A task is as many items as take this long: with one small image each (2 ms), two workers were
# 1.56 times as fast as one, with eight 1.68 times, where two bare threads reached 1.75.
_TASK_SECONDS = 0.02
_MOST_ITEMS = 8


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
    return default_workers() if workers is None else integer("workers", workers, 1)


def in_order(
    work: Callable[[Item], Outcome], items: Iterable[Item], workers: int, count: int
) -> Generator[tuple[Item, Outcome], None, None]:
    """Apply `work` to every item and yield each item with its outcome, in the order of the items.

    The caller's thread only waits, with one worker too: an interrupt arrives in the main thread,
    and inside a compiled kernel it would end as a SystemError. Exceptions of `work` are raised
    here, after the items in flight have ended; so is what interrupts the caller.

    Parameters
    ----------
    work : callable
        Called from several threads at once, in copies of the caller's context: the backend that is
        in force for the caller is so for it.
    items : iterable
        Taken as needed, in the caller's thread.
    workers : int
        Number of threads.
    count : int
        Number of items that are expected: tasks become smaller towards the end, so that no worker
        is left with a long one while the others have none.
    """
    source = iter(items)
    size = 1
    left = count
    pool = ThreadPoolExecutor(workers, thread_name_prefix="fastsegmetrics")
    window: deque[Future[_Chunk[Item, Outcome]]] = deque()
    try:
        while True:
            while len(window) < workers * _WINDOW:
                share = max(1, left // (2 * workers))
                chunk = list(islice(source, min(size, share)))
                if not chunk:
                    break
                left -= len(chunk)
                window.append(pool.submit(copy_context().run, _work_through, work, chunk))
            if not window:
                return
            done = window.popleft().result()
            yield from done.outcomes
            if done.error is not None:
                raise done.error
            size = done.better_size()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class _Chunk(Generic[Item, Outcome]):
    """What became of some consecutive items: their outcomes, and what ended them early."""

    def __init__(self) -> None:
        self.outcomes: list[tuple[Item, Outcome]] = []
        self.error: Exception | None = None
        self.seconds = 0.0

    def better_size(self) -> int:
        """Number of such items that take about `_TASK_SECONDS`."""
        per_item = self.seconds / max(1, len(self.outcomes))
        return max(1, min(_MOST_ITEMS, int(_TASK_SECONDS / max(per_item, 1e-9))))


def _work_through(work: Callable[[Item], Outcome], items: list[Item]) -> _Chunk[Item, Outcome]:
    chunk: _Chunk[Item, Outcome] = _Chunk()
    start = time.perf_counter()
    for item in items:
        try:
            chunk.outcomes.append((item, work(item)))
        except Exception as error:
            chunk.error = error
            break
    chunk.seconds = time.perf_counter() - start
    return chunk
