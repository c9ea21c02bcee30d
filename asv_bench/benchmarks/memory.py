"""Peak memory: of one pair, and of a run that must not grow with the number of images."""

from __future__ import annotations

from fastsegmetrics import Evaluator, Plan

from .scenes import as_float, pair


class OnePair:
    params = (("u1", "f8"), (512, 1024, 4096))
    param_names = ("dtype", "side")

    def setup(self, dtype: str, side: int) -> None:
        pred, gt = pair("smooth", side)
        self.pair = (pred if dtype == "u1" else as_float(pred, dtype)), gt

    def peakmem_measure(self, dtype: str, side: int) -> None:
        Plan("sweep").measure(*self.pair)


class ManyImages:
    params = (100, 2000)
    param_names = ("images",)

    def setup(self, images: int) -> None:
        self.pair = pair("smooth", 512)

    def peakmem_update(self, images: int) -> None:
        evaluator = Evaluator("sweep")
        for _ in range(images):
            evaluator.update(*self.pair)
        evaluator.result()
