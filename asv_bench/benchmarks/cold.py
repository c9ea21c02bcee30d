"""Import and first results in fresh processes."""

from __future__ import annotations

from fastsegmetrics import Evaluator

from .scenes import pair

_FIRST = """
import numpy as np
import fastsegmetrics as fsm
pred = np.arange(7500, dtype=np.uint8).reshape(75, 100)
evaluator = fsm.Evaluator({metrics!r})
evaluator.update(pred, np.where(np.roll(pred, 300) > 128, 255, 0).astype(np.uint8))
evaluator.result()
"""

_EMPTY_CACHE = """
import os, tempfile
directory = tempfile.TemporaryDirectory()
os.environ["NUMBA_CACHE_DIR"] = directory.name
"""


class Import:
    repeat = 10
    number = 1
    warmup_time = 0

    def timeraw_package(self) -> str:
        return "import fastsegmetrics"

    def timeraw_command_line(self) -> str:
        return "import fastsegmetrics.cli"


class FirstResult:
    params = ("mae", "sod", "sweep")
    param_names = ("metrics",)
    repeat = 3
    number = 1
    warmup_time = 0

    def setup(self, metrics: str) -> None:
        # Here for its effect on the disk: the kernels are in the cache afterwards.
        Evaluator(metrics).update(*pair("smooth", 64))

    def timeraw_cached(self, metrics: str) -> str:
        return _FIRST.format(metrics=metrics)

    def timeraw_uncached(self, metrics: str) -> tuple[str, str]:
        return _FIRST.format(metrics=metrics), _EMPTY_CACHE
