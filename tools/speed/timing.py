"""Times of several contestants taken in turn, so that a shared machine's moods cancel out."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

#: A slice of one contestant lasts at least this long: far above the clock's and a call's cost.
_SLICE = 0.002
#: A shorter call is made before its slice as often as in it: what the contestant before left in the
#: caches and in the allocator cost up to a fifth of calls of a millisecond or less, 6 % still after
#: one call, and nobody's loop over a data set has it.
_SHORT = 0.02


class Times(NamedTuple):
    """Seconds per call by contestant, one entry per round."""

    rounds: dict[str, list[float]]

    def median(self, name: str) -> float:
        """Return the median seconds per call."""
        return statistics.median(self.rounds[name])

    def ratio(self, numerator: str, denominator: str) -> float:
        """Return the median over rounds of one time divided by the other's of the same round."""
        pairs = zip(self.rounds[numerator], self.rounds[denominator], strict=True)
        return statistics.median(a / b for a, b in pairs)


def in_turn(
    contestants: Mapping[str, Callable[[], object]],
    *,
    least_rounds: int = 5,
    seconds: float = 0.1,
    clock: Callable[[], float] = time.process_time,
) -> Times:
    """Time contestants A B C, A B C, … warm, for at least so many rounds and so many seconds.

    The default clock counts this process's own processor time, all threads together: what else
    runs on the machine then costs a contestant its caches, but not the time it waits for its turn.
    What waits for a disk or runs in several threads needs `time.perf_counter`.
    """
    calls, short = {}, set()
    for name, call in contestants.items():
        call()
        once = _seconds(call, clock)
        calls[name] = max(1, round(_SLICE / max(once, 1e-6)))
        if once < _SHORT:
            short.add(name)
    rounds: dict[str, list[float]] = {name: [] for name in contestants}
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        begin = time.perf_counter()
        done = 0
        while done < least_rounds or time.perf_counter() - begin < seconds:
            for name, call in contestants.items():
                n = calls[name]
                for _ in range(n if name in short else 0):
                    call()
                start = clock()
                for _ in range(n):
                    call()
                rounds[name].append((clock() - start) / n)
            done += 1
    finally:
        if collecting:
            gc.enable()
    return Times(rounds)


def beside(
    slow: str,
    contestants: Mapping[str, Callable[[], object]],
    *,
    patience: float = 4.0,
    seconds: float = 0.1,
    clock: Callable[[], float] = time.process_time,
) -> Times:
    """Time contestants in turn, one of which may take long.

    Where five rounds of it last longer than `patience` seconds there are as many as fit, at least
    one, and its first call counts as well: pure Python and NumPy have nothing to compile.
    """
    once = _seconds(contestants[slow], clock)
    count = int(patience / max(once, 1e-9))
    if count >= 5:
        return in_turn(contestants, seconds=seconds, clock=clock)
    others = {name: call for name, call in contestants.items() if name != slow}
    rounds: dict[str, list[float]] = {name: [] for name in contestants}
    for i in range(max(1, count)):
        rounds[slow].append(_seconds(contestants[slow], clock) if i else once)
        times = in_turn(others, least_rounds=3, seconds=seconds, clock=clock)
        for name in others:
            rounds[name].append(times.median(name))
    return Times(rounds)


def _seconds(call: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    call()
    return clock() - start
