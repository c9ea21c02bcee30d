"""Maps behind the scores that look at the photograph: which pixels are hard, and what they cost."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend as backends, represent
from fastsegmetrics.functional.shared import plan_for
from fastsegmetrics.statistics import camouflage, difficulty
from fastsegmetrics.statistics.difficulty import DifficultyMaps


def camouflage_degree(
    gt: Any,
    *,
    image: Any | None = None,
    gt_threshold: float | None = None,
    backend: backends.Backend | None = None,
) -> NDArray[np.float64]:
    """Camouflage degree of each pixel: how well it could be made of what surrounds the object.

    It weighs the foreground in `c_beta_w`.

    Parameters
    ----------
    gt : array_like or Target, shape (H, W)
        Ground truth: booleans, or integers in 0…255 of which > 128 is foreground.  A `Target`
        brings its photograph and keeps the map.
    image : array_like of uint8, shape (H, W, 3), optional
        The RGB photograph; a `Target` brings its own.
    gt_threshold : float, optional
        Foreground iff the value is greater than this; for a `Target`, what it was made with.
    backend : {"compiled", "reference"}, optional
        Which implementation computes.

    Returns
    -------
    ndarray of float64, shape (H, W)
        In [0, 1], 1 where nothing tells the pixel from its surroundings; 0 off the foreground, and
        everywhere if foreground or surroundings have no room for a patch of 7 × 7.  Read-only.

    Raises
    ------
    InputError
        When there is no photograph, or one of another size or kind; when `gt` is refused.

    Notes
    -----
    Each patch of the foreground is replaced by the nearest patch around it, in 8-bit Lab and place;
    D = (exp(8s) − 1)/(exp 8 − 1), s = 1 − ΔE₂₀₀₀/100 of the rebuilt and the true pixel.  Source:
    design paper (Beyond Pixel Overlap, 2026), appendix B.10.

    Examples
    --------
    >>> import numpy as np
    >>> gt = np.zeros((32, 40), bool)
    >>> gt[8:24, 10:30] = True
    >>> image = np.full((32, 40, 3), 90, np.uint8)
    >>> degree = camouflage_degree(gt, image=image)      # a grey object on the same grey
    >>> degree[9:22, 12:27].min().item(), degree[0, 0].item()
    (1.0, 0.0)
    """
    target = plan_for("c_beta_w", {"gt_threshold": gt_threshold}).target_of(gt, image)
    with backends.chosen(backend):
        if backends.resolve() == "reference":
            from fastsegmetrics.reference import context

            assert target.image is not None
            found = context.camouflage_degree(target.image, target.mask.view(np.bool_))
            found.setflags(write=False)
            return found
        return camouflage.camouflage_degree(target)


def difficulty_maps(
    pred: Any,
    gt: Any,
    *,
    image: Any | None = None,
    backend: backends.Backend | None = None,
    **conventions: Any,
) -> DifficultyMaps:
    """Maps of the difficulty-weighted score: the weight, and what each part of it loses where.

    Parameters
    ----------
    pred : array_like, shape (H, W)
        Prediction: integers in 0…255, booleans, or floats in [0, 1].
    gt : array_like or Target, shape (H, W)
        Ground truth: booleans, or integers in 0…255 of which > 128 is foreground.
    image : array_like of uint8, shape (H, W, 3), optional
        The RGB photograph; a `Target` brings its own.
    backend : {"compiled", "reference"}, optional
        Which implementation computes.
    **conventions
        Fields of `Conventions`: ``policy``, ``stretch``, ``gt_threshold``, ``pred_scale``, ….

    Returns
    -------
    DifficultyMaps
        ``weight``, ``region``, ``structure`` and ``boundary``, float64 (H, W).  `weight` has mean
        1, and is 1 everywhere where the truth is empty, full or below a thousandth of the image; 0
        is nothing lost in the other three.

    Raises
    ------
    InputError
        When there is no photograph, or one of another size or kind; when shapes differ, an array is
        empty or not 2-D, or its values are off their scale.

    Notes
    -----
    `difficulty` has the numbers, ``fastsegmetrics evaluate --difficulty-maps`` writes these maps of
    a data set as pictures.  Definition: docs/conventions.md.

    Examples
    --------
    >>> import numpy as np
    >>> gt = np.zeros((16, 16), bool)
    >>> gt[5:11, 5:11] = True
    >>> grey = np.where(gt, 110, np.where(np.arange(16) < 8, 100, 60)).astype(np.uint8)
    >>> maps = difficulty_maps(np.roll(gt, 1, axis=1), gt, image=np.dstack([grey] * 3))
    >>> maps.weight[7, 5].round(6).item(), maps.weight[0, 0].round(6).item()
    (1.312327, 0.774765)
    >>> maps.region[7, 4:12].round(2).tolist()       # one column missed, one too many
    [0.0, 1.31, 0.0, 0.0, 0.0, 0.0, 0.0, 1.2]
    """
    plan = plan_for("difficulty", conventions)
    target = plan.target_of(gt, image, pred)
    given = represent.prediction(pred, plan.conventions, target.shape)
    with backends.chosen(backend):
        return difficulty.difficulty_maps(given, target, plan.conventions)[1]
