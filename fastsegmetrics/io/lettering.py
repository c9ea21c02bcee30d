"""Words in a picture, lettered by OpenCV."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray


def write_text(picture: NDArray[np.uint8], text: str, row: int, column: int) -> None:
    """Write a line of ASCII in black into a picture (H, W, 3), its baseline starting at a place."""
    cv2.putText(
        picture, text, (column, row), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (0, 0, 0), 1, cv2.LINE_AA
    )
