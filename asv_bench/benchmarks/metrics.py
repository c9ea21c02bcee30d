"""Each score of the catalogue alone, the suites, and the forms that a pair comes in."""

from __future__ import annotations

from fastsegmetrics import Evaluator, Plan, Target
from fastsegmetrics.catalog import SCORES, SUITES
from fastsegmetrics.compat import py_sod_metrics

from .scenes import CONTENTS, SIZES, as_float, pair, photograph


class Scores:
    """One score with all its reports, nothing prepared."""

    params = (tuple(SCORES), ("smooth", "noise"), SIZES)
    param_names = ("score", "content", "side")

    def setup(self, score: str, content: str, side: int) -> None:
        self.pair = pair(content, side)
        self.plan = Plan(score)
        self.image = photograph(*self.pair) if self.plan.needs_image else None
        self.time_measure(score, content, side)

    def time_measure(self, score: str, content: str, side: int) -> None:
        self.plan.measure(*self.pair, image=self.image)


class Suites:
    """A suite, on a truth seen for the first time and on a prepared one."""

    params = (tuple(SUITES), CONTENTS, SIZES)
    param_names = ("suite", "content", "side")

    def setup(self, suite: str, content: str, side: int) -> None:
        self.pred, self.gt = pair(content, side)
        self.evaluator = Evaluator(suite)
        image = photograph(self.pred, self.gt)
        self.image = image if self.evaluator.plan.needs_image else None
        self.target = Target(self.gt, image=self.image)
        self.time_update_on_prepared_target(suite, content, side)

    def time_update(self, suite: str, content: str, side: int) -> None:
        self.evaluator.update(self.pred, self.gt, image=self.image)

    def time_update_on_prepared_target(self, suite: str, content: str, side: int) -> None:
        self.evaluator.update(self.pred, self.target)


class Forms:
    """Other representations than 8-bit against 8-bit."""

    params = (("f4", "f8"), ("smooth", "noise"), SIZES)
    param_names = ("dtype", "content", "side")

    def setup(self, dtype: str, content: str, side: int) -> None:
        pred, gt = pair(content, side)
        self.pred, self.gt = as_float(pred, dtype), gt > 128
        self.plan = Plan("sweep")
        self.plan.measure(self.pred, self.gt)

    def time_measure(self, dtype: str, content: str, side: int) -> None:
        self.plan.measure(self.pred, self.gt)


class Compat:
    """The peer's classes on our kernels."""

    params = (("MAE", "Smeasure", "Emeasure", "Fmeasure"), SIZES)
    param_names = ("metric", "side")

    def setup(self, metric: str, side: int) -> None:
        self.pair = pair("smooth", side)
        self.time_step(metric, side)

    def time_step(self, metric: str, side: int) -> None:
        getattr(py_sod_metrics, metric)().step(*self.pair)


class Results:
    """What remains to be done when all images are in."""

    params = (("sod", "sweep"), (100, 2000))
    param_names = ("suite", "images")

    def setup(self, suite: str, images: int) -> None:
        self.evaluator = Evaluator(suite)
        measured = self.evaluator.plan.measure(*pair("smooth", 64))
        for _ in range(images):
            self.evaluator.add(measured)

    def time_result(self, suite: str, images: int) -> None:
        self.evaluator.result()
