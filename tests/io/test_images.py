"""JPEG, BMP and TIFF: values, and everything that makes a file refused."""

from __future__ import annotations

import struct
import zlib

import cv2
import numpy as np
import pytest
from file_writers import bmp, tiff

from fastsegmetrics.errors import FormatError
from fastsegmetrics.io import read_map, read_mask

RNG = np.random.default_rng(3)
GREY = RNG.integers(0, 256, (11, 21), np.uint8)
SMALL = (np.arange(12, dtype=np.uint8) * 20).reshape(3, 4)


@pytest.fixture
def read(tmp_path):
    def write_and_read(data, door=read_map):
        path = tmp_path / "x.any"
        path.write_bytes(data)
        return door(path)

    return write_and_read


@pytest.fixture
def refused(tmp_path):
    def write_and_fail(data):
        path = tmp_path / "x.any"
        path.write_bytes(data)
        with pytest.raises(FormatError) as caught:
            read_map(path)
        message = str(caught.value)
        assert message.startswith(f"{path}: ")
        assert "\n" not in message
        return message

    return write_and_fail


def encoded(extension, image, *options):
    done, data = cv2.imencode(extension, image, list(options))
    assert done
    return data.tobytes()


BLOCKS = np.zeros((32, 48), np.uint8)
BLOCKS[:16, :24] = 200
BLOCKS[16:, 40:] = 96


# --- JPEG


@pytest.mark.parametrize("progressive", [0, 1])
@pytest.mark.parametrize("channels", [1, 3])
def test_jpeg_of_flat_blocks_is_exact(read, progressive, channels):
    image = BLOCKS if channels == 1 else np.stack([BLOCKS] * 3, axis=2)
    data = encoded(".jpg", image, cv2.IMWRITE_JPEG_PROGRESSIVE, progressive,
                   cv2.IMWRITE_JPEG_QUALITY, 100)  # fmt: skip
    values = read(data)
    assert values.dtype == np.uint8
    np.testing.assert_array_equal(values, BLOCKS)


def test_jpeg_mask_with_ringing_keeps_its_values(read):
    disk = np.hypot(*np.ogrid[-20:20, -30:30]) < 15
    data = encoded(".jpg", disk.astype(np.uint8) * 255, cv2.IMWRITE_JPEG_QUALITY, 60)
    values = read(data, read_mask)
    assert set(np.unique(values)) - {0, 255}
    np.testing.assert_array_equal(values > 128, disk)


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_exif_orientation_does_not_rotate(read, orientation):
    exif = b"Exif\0\0II*\0" + struct.pack("<IHHHIII", 8, 1, 0x112, 3, 1, orientation, 0)
    data = encoded(".jpg", BLOCKS, cv2.IMWRITE_JPEG_QUALITY, 100)
    segment = b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif
    np.testing.assert_array_equal(read(data[:2] + segment + data[2:]), BLOCKS)


def test_coloured_jpeg(refused):
    red = np.zeros((16, 16, 3), np.uint8)
    red[:, :, 2] = 255
    assert "channels differ first at row 0, column 0 (R, G, B = (25" in refused(
        encoded(".jpg", red)
    )


@pytest.mark.parametrize("progressive", [0, 1])
def test_truncated_jpeg(refused, read, progressive):
    data = encoded(".jpg", GREY, cv2.IMWRITE_JPEG_PROGRESSIVE, progressive)
    for length in (3, 4, 12, 100, len(data) // 2, len(data) - 2, len(data) - 1):
        assert "the JPEG is truncated" in refused(data[:length])
    whole = read(data)
    for more in (b"\0" * 9, b"\xff\xd8 second image"):
        np.testing.assert_array_equal(read(data + more), whole)


def test_end_marker_of_a_thumbnail_hides_no_truncation(refused, read):
    thumbnail = encoded(".jpg", BLOCKS[:8, :8])
    data = encoded(".jpg", GREY)
    with_it = data[:2] + b"\xff\xe1" + struct.pack(">H", len(thumbnail) + 2) + thumbnail + data[2:]
    np.testing.assert_array_equal(read(with_it), read(data))
    assert "without its end-of-image marker" in refused(with_it[:-2])


def test_jpeg_without_segments(refused):
    data = encoded(".jpg", GREY)
    assert "no segment begins at byte 20" in refused(data[:20] + b"\0" + data[20:])
    filled = data[:2] + b"\xff\x01" + b"\xff\xff" + data[2:]
    assert "truncated" in refused(filled[:40])


# --- BMP


@pytest.mark.parametrize(
    ("bits", "row", "expected"),
    [
        (1, b"\xa5", [255, 0, 255, 0, 0, 255, 0, 255]),
        (4, b"\x1f\x2e\x00\x80", [17, 255, 34, 238, 0, 0, 136, 0]),
        (8, bytes(range(0, 160, 20)), list(range(0, 160, 20))),
    ],
)
def test_bmp_with_a_grey_palette(read, bits, row, expected):
    step = 255 // (2**bits - 1)
    palette = b"".join(bytes([i * step] * 3 + [0]) for i in range(2**bits))
    values = read(bmp([row, row, bytes(len(row))], 8, 3, bits, palette), read_mask)
    assert values.tolist() == [[0] * 8, expected, expected]


def test_bmp_of_1_bit_with_white_first(read):
    palette = bytes([255, 255, 255, 0, 0, 0, 0, 0])
    assert read(bmp([b"\xa0"], 4, 1, 1, palette)).tolist() == [[0, 255, 0, 255]]


def test_bmp_of_24_and_32_bits(read):
    assert read(bmp([bytes([9, 9, 9, 7, 7, 7])], 2, 1, 24)).tolist() == [[9, 7]]
    assert read(bmp([bytes([9, 9, 9, 0, 7, 7, 7, 0])], 2, 1, 32)).tolist() == [[9, 7]]
    np.testing.assert_array_equal(read(encoded(".bmp", GREY)), GREY)


def test_coloured_bmp(refused):
    message = refused(bmp([bytes([9, 9, 9, 3, 2, 1])], 2, 1, 24))
    assert "row 0, column 1 (R, G, B = (1, 2, 3))" in message


def test_truncated_bmp(refused, read):
    data = encoded(".bmp", GREY)
    for length in (2, 20, 30, 60, len(data) // 2, len(data) - 1):
        assert "the BMP is truncated" in refused(data[:length])
    unsized = data[:2] + bytes(4) + data[6:]
    np.testing.assert_array_equal(read(unsized), GREY)
    assert "the BMP is truncated" in refused(unsized[:-1])


def test_bmp_run_length_coded(read, refused):
    palette = b"".join(bytes([i] * 3 + [0]) for i in range(256))
    runs = bytes([3, 200, 1, 7, 0, 0, 4, 50, 0, 1])
    data = bytearray(bmp([runs], 4, 2, 8, palette, compression=1))
    data = data[: 54 + 1024 + len(runs)]
    data[2:6] = struct.pack("<I", len(data))
    assert read(bytes(data)).tolist() == [[50] * 4, [200, 200, 200, 7]]
    assert "truncated" in refused(bytes(data[:-3]))


def test_bmp_of_impossible_size(refused):
    assert "impossible size 0 x 3" in refused(bmp([b""], 0, 3, 8))


def test_bmp_with_the_oldest_header(read, refused):
    body = bytes([5, 5, 5, 6, 6, 6, 0, 0])
    head = struct.pack("<IHHIIHHHH", 26 + len(body), 0, 0, 26, 12, 2, 1, 1, 24)
    assert read(b"BM" + head + body).tolist() == [[5, 6]]
    assert "needs 34 bytes, the file has 33" in refused(b"BM" + head + body[:-1])


# --- TIFF


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("dtype", ["u1", "u2", "f4", "f8"])
def test_tiff_samples(read, order, dtype):
    samples = SMALL / 255 if dtype[0] == "f" else SMALL.astype(int) * (257 if dtype == "u2" else 1)
    values = read(tiff(samples.astype(dtype), order))
    expected = {"u1": samples, "u2": samples / 65535}.get(dtype, samples.astype(dtype))
    np.testing.assert_array_equal(values, expected)
    assert values.dtype == {"u1": "u1", "u2": "f8"}.get(dtype, dtype)


def test_tiff_16_bit_mask(read):
    samples = np.array([[0, 128 * 257, 128 * 257 + 1, 65535]], np.uint16)
    assert read(tiff(samples), read_mask).tolist() == [[0, 128, 129, 255]]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("compression", [1, 5, 8, 32773])
def test_tiff_compressions(read, dtype, compression):
    samples = RNG.integers(0, np.iinfo(dtype).max, (40, 30), dtype)
    data = encoded(".tif", samples, cv2.IMWRITE_TIFF_COMPRESSION, compression)
    np.testing.assert_array_equal(read(data), samples if dtype == np.uint8 else samples / 65535)


def test_tiff_of_equal_channels(read):
    np.testing.assert_array_equal(read(encoded(".tif", np.stack([GREY] * 3, axis=2))), GREY)


def test_tiff_of_1_bit_and_white_first(read):
    bits = dict(data=b"\xa0\x50\xf0", changes=((258, 1),))
    expected = [[255, 0, 255, 0], [0, 255, 0, 255], [255] * 4]
    assert read(tiff(SMALL, **bits)).tolist() == expected
    white_first = dict(data=b"\xa0\x50\xf0", changes=((258, 1), (262, 0)))
    assert read(tiff(SMALL, **white_first)).tolist() == [[255 - v for v in r] for r in expected]
    np.testing.assert_array_equal(read(tiff(SMALL, changes=((262, 0),))), 255 - SMALL)


def test_tiff_that_would_be_read_in_two_ways(refused):
    deep = tiff(SMALL.astype(np.uint16), changes=((262, 0),))
    assert "16-bit samples with 0 for white" in refused(deep)
    assert "orientation 6" in refused(tiff(SMALL, changes=((274, 6),)))


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4"])
def test_tiff_of_signed_samples(refused, dtype):
    assert f"int{8 * int(dtype[1])} samples" in refused(tiff(SMALL.astype(dtype)))


def test_image_larger_than_opencv_takes(refused):
    """OpenCV raises rather than returning None."""
    wide = tiff(SMALL[:1, :1], changes=((256, 2**21), (257, 1), (278, 1)), data=bytes(2**21))
    assert "OpenCV cannot decode this TIFF" in refused(wide)


def test_tiff_of_a_kind_opencv_has_not(refused):
    assert "TIFF" in refused(tiff((SMALL / 255).astype(np.float16)))


@pytest.mark.parametrize("compression", [1, 5, 8])
def test_truncated_tiff(refused, compression):
    samples = RNG.integers(0, 256, (40, 30), np.uint8)
    for data in (
        encoded(".tif", samples, cv2.IMWRITE_TIFF_COMPRESSION, compression),
        tiff(samples),
    ):
        for length in (5, 9, 30, len(data) // 2, len(data) - 1):
            assert "TIFF is truncated" in refused(data[:length])


def test_tiff_with_too_little_data(refused):
    assert "take 12 bytes, it holds 6" in refused(tiff(SMALL, data=SMALL.tobytes()[:6]))
    half = zlib.compress(SMALL.tobytes()[:6])
    assert "it holds 6" in refused(tiff(SMALL, data=half, compression=8))
    damaged = bytearray(zlib.compress(SMALL.tobytes()))
    damaged[-1] ^= 1
    assert "the TIFF is corrupt" in refused(tiff(SMALL, data=bytes(damaged), compression=8))


def test_tiff_pages(read, refused):
    one = tiff(SMALL, following=0)
    second_at = len(one)
    directory = tiff(SMALL)[8 : 8 + 2 + 12 * 10 + 4]
    two = tiff(SMALL, following=second_at) + directory
    assert "has 2 pages" in refused(two)
    thumbnail = struct.pack("<HHHIII", 1, 254, 4, 1, 1, 0)
    with_thumbnail = tiff(SMALL, following=second_at) + thumbnail
    np.testing.assert_array_equal(read(with_thumbnail), SMALL)
    assert "directory leads past" in refused(tiff(SMALL, following=10**6))


def test_tiff_without_size_or_lengths(refused):
    empty = b"II*\0" + struct.pack("<IHI", 8, 0, 0)
    assert "its size or its data are missing" in refused(empty)
    lengthless = tiff(SMALL)
    at = lengthless.index(struct.pack("<HHI", 279, 4, 1))
    two_places = lengthless[:at] + struct.pack("<HHI", 279, 4, 0) + lengthless[at + 8 :]
    assert "TIFF" in refused(two_places[:-3])


def test_tiff_of_places_without_lengths(refused):
    two = struct.pack("<II", 150, 156)
    data = tiff(SMALL, data=two + SMALL.tobytes())
    at = data.index(struct.pack("<HHI", 273, 4, 1))
    listed = struct.pack("<HHII", 273, 4, 2, len(data) - 12 - 8)
    assert "places without lengths" in refused(data[:at] + listed + data[at + 12 :])


def test_tiff_without_values_for_a_tag(refused):
    data = tiff(SMALL)
    at = data.index(struct.pack("<HHI", 277, 4, 1))
    none = data[:at] + struct.pack("<HHI", 277, 4, 0) + data[at + 8 :]
    assert "the TIFF is corrupt" in refused(none)


def test_big_tiff(read, refused):
    tags = {256: 4, 257: 3, 258: 8, 259: 1, 262: 1, 277: 1, 278: 3, 279: 12}
    start = 16 + 8 + 20 * (len(tags) + 1) + 8
    tags[273] = start
    out = b"II+\0" + struct.pack("<HHQQ", 8, 0, 16, len(tags))
    for tag, value in sorted(tags.items()):
        out += struct.pack("<HHQQ", tag, 4, 1, value)
    data = out + struct.pack("<Q", 0) + SMALL.tobytes()
    np.testing.assert_array_equal(read(data), SMALL)
    assert "truncated" in refused(data[:-1])
