"""Times of several contestants taken in turn, so that a shared machine's moods cancel out."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

#: A slice of one contestant lasts at least this long: far above the clock's and a call's cost.
_SLICE = 0.002


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
    calls = {}
    for name, call in contestants.items():
        call()
        start = clock()
        call()
        once = clock() - start
        calls[name] = max(1, round(_SLICE / max(once, 1e-6)))
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
                start = clock()
                for _ in range(n):
                    call()
                rounds[name].append((clock() - start) / n)
            done += 1
    finally:
        if collecting:
            gc.enable()
    return Times(rounds)
