"""Precision–recall, ROC and F-measure curves as pictures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from fastsegmetrics.results import Result


class Plot(NamedTuple):
    """One picture: file stem, title, the curve on each axis ("" for the threshold), labels."""

    stem: str
    title: str
    x: str
    y: str
    x_label: str
    y_label: str


PLOTS = (
    Plot("pr", "Precision–recall", "recall", "precision", "recall", "precision"),
    Plot("roc", "ROC", "fpr", "recall", "false-positive rate", "true-positive rate"),
    Plot("f_beta", "F-measure", "", "f_beta", "threshold (level ≥ t)", "Fβ"),
)
#: Metrics that a run needs for all pictures.
METRICS = "pr_curve,roc_curve,f_beta.curve"


def save_curves(
    results: Mapping[str, Result], directory: str | Path, *, suffix: str = "png"
) -> list[Path]:
    """Draw the curves of all methods, one picture per kind.

    Parameters
    ----------
    results : mapping of str to Result
        With the mean curves named in `METRICS`.
    directory : path
        Where ``pr``, ``roc`` and ``f_beta`` are written.
    suffix : str
        A format that matplotlib writes, as "png" or "pdf".

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    InputError
        A curve is missing.
    MissingExtraError
        matplotlib is not installed.
    """
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    written = []
    for plot in PLOTS:
        # Figure without pyplot: no global state, no window system.
        figure = Figure(figsize=(4.2, 3.6), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        for method, result in results.items():
            y = _curve(result, plot.y, method)
            x = _curve(result, plot.x, method) if plot.x else np.arange(len(y), dtype=float)
            axes.plot(x, y, label=method, linewidth=1.4)
        axes.set(title=plot.title, xlabel=plot.x_label, ylabel=plot.y_label, ylim=(0, 1.02))
        axes.grid(linewidth=0.4, alpha=0.5)
        axes.legend(frameon=False)
        path = Path(directory) / f"{plot.stem}.{suffix}"
        figure.savefig(path, dpi=200)
        written.append(path)
    return written


def require_matplotlib() -> None:
    """See whether curves can be drawn at all.

    Raises
    ------
    MissingExtraError
        matplotlib is not installed.
    """
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plot", "drawing curves") from error


def _curve(result: Result, name: str, method: str) -> NDArray[np.float64]:
    for known in (name, f"{name}.curve"):
        if known in result.curves:
            return np.asarray(result.curves[known])
    raise InputError(f"the result of {method!r} has no curve {name!r}; add {name}.curve to metrics")
