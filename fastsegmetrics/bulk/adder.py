"""Add measurements up beside the thread that everything else of a run happens in."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from fastsegmetrics.bulk.store import StoredPair
    from fastsegmetrics.evaluate import Evaluator
    from fastsegmetrics.results import Result

Value = TypeVar("Value")


class Adder:
    """Adds to the evaluators of a run in one thread, one sample after the other.

    Adding runs kernels. An interrupt arrives in the main thread, and inside a kernel it ends as a
    SystemError rather than a KeyboardInterrupt.

    Parameters
    ----------
    evaluators : mapping of str to Evaluator
        By method; in nobody else's hands from now on.
    """

    def __init__(self, evaluators: Mapping[str, Evaluator]) -> None:
        self._evaluators = evaluators
        self.plan = next(iter(evaluators.values())).plan
        # The caller's choice of backend does not reach into threads by itself.
        self._context = contextvars.copy_context()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="fastsegmetrics-add")
        self._adding: Future[None] | None = None

    def add(self, rows: list[StoredPair]) -> None:
        """Begin to add the measurements of some rows, as soon as the last ones are added."""
        self._wait()
        self._adding = self._submit(lambda: self._add(rows))

    def results(self, n_expected: int) -> dict[str, Result]:
        """What all the measurements add up to, by method."""
        self._wait()
        beside = tuple(self._evaluators.values())
        return self._submit(
            lambda: {
                method: evaluator.result(n_expected=n_expected, beside=beside)
                for method, evaluator in self._evaluators.items()
            }
        ).result()

    def _add(self, rows: list[StoredPair]) -> None:
        for row in rows:
            if row.measurement is not None:
                measured = self.plan.measurement_from_bytes(row.measurement)
                self._evaluators[row.method].add(measured, sample_id=row.sample)

    def _wait(self) -> None:
        if self._adding is not None:
            self._adding.result()

    def _submit(self, work: Callable[[], Value]) -> Future[Value]:
        return self._pool.submit(self._context.run, work)

    def __enter__(self) -> Adder:
        return self

    def __exit__(self, *exc: object) -> None:
        self._pool.shutdown()
