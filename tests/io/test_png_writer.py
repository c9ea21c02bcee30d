"""The PNG writer: OpenCV reads back what was written."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from fastsegmetrics.io.png_writer import png_bytes


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (5, 3)])
def test_pixels_come_back(shape):
    grey = np.random.RandomState(0).randint(0, 256, shape).astype(np.uint8)
    data = np.frombuffer(png_bytes(grey), np.uint8)
    np.testing.assert_array_equal(cv2.imdecode(data, cv2.IMREAD_UNCHANGED), grey)


@pytest.mark.parametrize("shape", [(1, 1, 3), (1, 7, 3), (7, 1, 3), (5, 3, 3)])
def test_colours_come_back(shape):
    colours = np.random.RandomState(0).randint(0, 256, shape).astype(np.uint8)
    data = np.frombuffer(png_bytes(colours[::-1]), np.uint8)
    found = cv2.imdecode(data, cv2.IMREAD_UNCHANGED)
    np.testing.assert_array_equal(found[..., ::-1], colours[::-1])
