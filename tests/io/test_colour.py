"""Photographs: red, green, blue of every format, and what is refused."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from file_writers import png, tiff

from fastsegmetrics.errors import FormatError
from fastsegmetrics.io import read_image, read_map, read_mask

RGB = np.random.default_rng(5).integers(0, 256, (5, 7, 3), np.uint8)
GREY = RGB[..., 0]


@pytest.fixture
def read(tmp_path):
    def write_and_read(data, name="x.any"):
        path = tmp_path / name
        path.write_bytes(data)
        pixels = read_image(path)
        assert pixels.dtype == np.uint8
        return pixels

    return write_and_read


@pytest.fixture
def refused(tmp_path):
    def write_and_fail(data, name="x.any", door=read_image):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(FormatError) as caught:
            door(path)
        message = str(caught.value)
        assert message.startswith(f"{path}: ")
        assert "\n" not in message
        return message

    return write_and_fail


def _encoded(extension, image):
    return cv2.imencode(extension, image)[1].tobytes()


@pytest.mark.parametrize("extension", [".png", ".bmp", ".tiff"])
def test_channels_are_red_green_blue(read, extension):
    np.testing.assert_array_equal(read(_encoded(extension, RGB[..., ::-1])), RGB)


def test_a_jpeg_of_one_colour(read):
    flat = np.full((16, 24, 3), (200, 40, 90), np.uint8)
    pixels = read(_encoded(".jpg", flat[..., ::-1]))
    assert pixels.shape == flat.shape
    assert np.abs(pixels.astype(int) - flat).max() <= 3


@pytest.mark.parametrize("extension", [".png", ".bmp", ".tiff", ".jpg"])
def test_grey_has_three_equal_channels(read, extension):
    flat = np.full((16, 24), 77, np.uint8)
    pixels = read(_encoded(extension, flat))
    np.testing.assert_array_equal(pixels, np.stack([flat] * 3, axis=2))


def test_shallow_grey_is_expanded(read):
    bits = GREY & 1
    np.testing.assert_array_equal(read(png(bits, depth=1))[..., 2], bits * 255)


def test_alpha_must_be_opaque(read, refused):
    opaque = np.dstack([RGB, np.full(GREY.shape, 255, np.uint8)])
    np.testing.assert_array_equal(read(png(opaque, colour=6)), RGB)
    opaque[3, 4, 3] = 254
    assert "not opaque at row 3, column 4" in refused(png(opaque, colour=6))
    grey = np.dstack([GREY, np.full(GREY.shape, 255, np.uint8)])
    np.testing.assert_array_equal(read(png(grey, colour=4)), np.stack([GREY] * 3, axis=2))


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_exif_orientation_does_not_rotate(read, orientation):
    flat = np.full((16, 40, 3), 90, np.uint8)
    flat[:, :16] = 200
    data = _encoded(".jpg", flat)
    exif = (b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0" + bytes([orientation])
            + b"\0\0\0\0\0\0")  # fmt: skip
    data = data[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + data[2:]
    pixels = read(data)
    assert pixels.shape == (16, 40, 3)
    assert abs(int(pixels[8, 4, 0]) - 200) <= 3


def test_more_than_8_bits_are_refused(refused):
    wide = RGB.astype(np.uint16) * 257
    assert refused(png(wide, depth=16, colour=2)).endswith(
        "a photograph must have 8-bit samples; these are uint16"
    )
    assert "these are float32" in refused(tiff(GREY.astype(np.float32)))


def test_damaged_files_are_named(refused):
    data = png(RGB, colour=2)
    assert "PNG" in refused(data[:-20])
    assert "the file is empty" in refused(b"")


# --- NPY


def _saved(array):
    import io

    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def test_arrays(read, refused):
    np.testing.assert_array_equal(read(_saved(RGB)), RGB)
    np.testing.assert_array_equal(read(_saved(np.asfortranarray(RGB))), RGB)
    np.testing.assert_array_equal(read(_saved(GREY)), np.stack([GREY] * 3, axis=2))
    assert "must be (H, W, 3) or (H, W); its shape is (5, 7, 4)" in refused(
        _saved(np.zeros((5, 7, 4), np.uint8))
    )
    assert "these are float64" in refused(_saved(RGB / 255))


@pytest.mark.parametrize("door", [read_map, read_mask])
def test_three_equal_channels_of_an_array_count_as_one(tmp_path, refused, door):
    path = tmp_path / "x.npy"
    for grey in (GREY, GREY / 255, GREY > 100):
        np.save(path, np.stack([grey] * 3, axis=2))
        np.testing.assert_array_equal(door(path), grey)
    holes = np.full((2, 3), np.nan)
    np.save(path, np.stack([holes] * 3, axis=2))
    np.testing.assert_array_equal(door(path), holes)
    colour = np.stack([GREY] * 3, axis=2)
    colour[2, 5] = (1, 2, 3)
    assert refused(_saved(colour), door=door).endswith(
        "a grey image is needed, and the array's channels differ first at row 2, column 5 (1, 2, 3)"
    )
