"""The pictures: one per kind, of every method's curve, without a window system."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.errors import InputError, MissingExtraError
from fastsegmetrics.reporting import plots


def _results(metrics):
    truth = np.array([[0, 0, 255, 255]], np.uint8)
    results = {}
    for method, pred in (("a", [[0, 99, 200, 255]]), ("b", [[20, 0, 255, 90]])):
        evaluator = fsm.Evaluator(metrics)
        evaluator.update(np.array(pred, np.uint8), truth)
        results[method] = evaluator.result()
    return results


def test_three_pictures_with_the_curves_of_all_methods(tmp_path, monkeypatch):
    figure = pytest.importorskip("matplotlib.figure")
    drawn = []

    def record(self, path, **_):
        axes = self.axes[0]
        lines = [(line.get_label(), *line.get_data()) for line in axes.get_lines()]
        drawn.append((path.name, axes.get_xlabel(), lines))

    monkeypatch.setattr(figure.Figure, "savefig", record)
    results = _results(plots.METRICS)
    files = plots.save_curves(results, tmp_path)
    assert [path.name for path in files] == ["pr.png", "roc.png", "f_beta.png"]
    assert [name for name, _, _ in drawn] == ["pr.png", "roc.png", "f_beta.png"]
    assert [label for _, label, _ in drawn] == [
        "recall", "false-positive rate", "threshold (level ≥ t)",
    ]  # fmt: skip
    for (_, _, lines), (x, y) in zip(
        drawn, (("recall", "precision"), ("fpr", "recall"), (None, "f_beta")), strict=True
    ):
        assert [line[0] for line in lines] == ["a", "b"]
        for method, xs, ys in lines:
            curves = results[method].curves
            np.testing.assert_array_equal(ys, curves[f"{y}.curve"])
            expected = np.arange(256) if x is None else curves[f"{x}.curve"]
            np.testing.assert_array_equal(xs, expected)


def test_another_file_format(tmp_path):
    pytest.importorskip("matplotlib")
    files = plots.save_curves(_results(plots.METRICS), tmp_path, suffix="pdf")
    assert all(path.read_bytes().startswith(b"%PDF") for path in files)


def test_a_curve_that_was_not_computed(tmp_path):
    pytest.importorskip("matplotlib")
    with pytest.raises(InputError, match=r"'a' has no curve 'precision'; add precision\.curve"):
        plots.save_curves(_results("mae"), tmp_path)


def test_without_matplotlib(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"fastsegmetrics\[plot\]"):
        plots.save_curves({}, tmp_path)
