"""Pictures of where the difficulty-weighted score is lost, in the run directory.

Each pair gets four grey PNG files, ``maps/<method>/<kind>/<sample>.png``: the weight W, and what
region, structure and boundary lose at each pixel (`DifficultyMaps`).  All have one scale, so that
pictures of any image, kind and method compare: black is 0, white is `WHITE` and more.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import represent
from fastsegmetrics.bulk.files import replace_file
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.io.png_writer import png_bytes
from fastsegmetrics.target import Target

MAPS = "maps"
KINDS = ("weight", "region", "structure", "boundary")
#: W is at most 2, as the raw difficulty is between 1 and 2; so are the losses of region and
#: boundary.  That of structure is more where prediction and truth are opposite (SSIM < 0, W > 1).
WHITE = 2.0

_UNFIT = re.compile(r'[%/\\:*?"<>|\x00-\x1f]|^\.')


class HeatMaps:
    """Draws the maps of a run; called from any thread.

    Parameters
    ----------
    directory : Path
        The run directory.
    conventions : Conventions
        Those of the run.
    """

    def __init__(self, directory: Path, conventions: Conventions) -> None:
        self._directory = directory / MAPS
        self._conventions = conventions

    def paths(self, method: str, sample: str) -> list[Path]:
        """Where the maps of a pair are, in the order of `KINDS`."""
        folder = self._directory / file_name(method)
        return [folder / kind / f"{sample}.png" for kind in KINDS]

    def absent(self, method: str, sample: str) -> bool:
        """Whether a map of a pair is not there; one that is, is whole."""
        return not all(path.is_file() for path in self.paths(method, sample))

    def draw(self, method: str, sample: str, values: Any, target: Target) -> None:
        """Write the four maps of a pair.

        Parameters
        ----------
        method, sample : str
            Their names.
        values : array_like, shape (H, W)
            The prediction.
        target : Target
            The truth with its photograph.

        Raises
        ------
        InputError
            A file cannot be written.
        """
        from fastsegmetrics.statistics.difficulty import difficulty_maps

        pred = represent.prediction(values, self._conventions, target.shape)
        _, maps = difficulty_maps(pred, target, self._conventions)
        for path, kind in zip(self.paths(method, sample), KINDS, strict=True):
            replace_file(path, png_bytes(grey_of(getattr(maps, kind))))


def file_name(name: str) -> str:
    """Return a name with %XX for what a file's may not hold; two names stay two, "%" being one.

    Examples
    --------
    >>> file_name("indoor/chair: 100%")
    'indoor%2Fchair%3A 100%25'
    """
    return _UNFIT.sub(lambda found: f"%{ord(found[0]):02X}", name)


def grey_of(values: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return a map as grey levels: 0 is 0, `WHITE` and more is 255.

    Examples
    --------
    >>> grey_of(np.array([[0.0, 1.0, 2.0, 3.5]])).tolist()
    [[0, 128, 255, 255]]
    """
    return np.rint(np.minimum(values, WHITE) * (255 / WHITE)).astype(np.uint8)
