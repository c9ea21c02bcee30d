"""PNG of every kind: its values, and everything that makes a file refused."""

from __future__ import annotations

import struct
import zlib

import cv2
import numpy as np
import pytest
from file_writers import PNG_SIGNATURE, chunk, png, png_header, png_rows

import fastsegmetrics.backend as backends
from fastsegmetrics.errors import FormatError
from fastsegmetrics.io import png_rows as png_rows_reader, read_map, read_mask
from fastsegmetrics.io.containers import png as png_container

RNG = np.random.default_rng(5)
GREY = RNG.integers(0, 256, (11, 21), np.uint8)
FLAT = np.zeros((13, 40), np.uint8)
FLAT[3:9, 5:30] = 255
FLAT[6, 7] = 90
EVERY_FILTER = (0, 1, 2, 3, 4)


@pytest.fixture(params=["compiled", "reference"])
def backend(request):
    """Own reader and OpenCV, for the kinds of which both are used."""
    with backends.use_backend(request.param):
        yield request.param


@pytest.fixture
def read(tmp_path):
    def write_and_read(data, door=read_map):
        path = tmp_path / "x.png"
        path.write_bytes(data)
        return door(path)

    return write_and_read


@pytest.fixture
def refused(tmp_path):
    def write_and_fail(data):
        path = tmp_path / "x.png"
        path.write_bytes(data)
        with pytest.raises(FormatError) as caught:
            read_map(path)
        message = str(caught.value)
        assert message.startswith(f"{path}: ")
        assert "\n" not in message
        return message

    return write_and_fail


@pytest.mark.parametrize("filters", [(kind,) for kind in EVERY_FILTER] + [EVERY_FILTER, (4, 2)])
@pytest.mark.parametrize("samples", [GREY, FLAT, GREY[:1], GREY[:, :1], GREY[:1, :1], GREY[:, :8]])
def test_grey_of_8_bits(read, backend, samples, filters):
    values = read(png(samples, filters=filters))
    assert values.dtype == np.uint8
    np.testing.assert_array_equal(values, samples)


@pytest.mark.parametrize("depth", [1, 2, 4])
@pytest.mark.parametrize("interlaced", [False, True])
def test_shallow_grey_spreads_over_0_to_255(read, backend, depth, interlaced):
    samples = RNG.integers(0, 2**depth, (7, 13), np.uint8)
    samples[0, :2] = 0, 2**depth - 1
    data = png(samples, depth, filters=EVERY_FILTER, interlaced=interlaced)
    for door in (read_map, read_mask):
        np.testing.assert_array_equal(read(data, door), samples * (255 // (2**depth - 1)))


def test_1_bit_of_a_width_that_fills_its_bytes(read, backend):
    samples = RNG.integers(0, 2, (5, 16), np.uint8)
    np.testing.assert_array_equal(read(png(samples, 1)), samples * 255)


def test_interlaced(read):
    np.testing.assert_array_equal(read(png(GREY, filters=(4, 1), interlaced=True)), GREY)
    np.testing.assert_array_equal(read(png(GREY[:2, :3], interlaced=True)), GREY[:2, :3])


def test_image_data_in_many_chunks(read, backend):
    np.testing.assert_array_equal(read(png(GREY, parts=7)), GREY)


@pytest.mark.parametrize("interlaced", [False, True])
def test_16_bit_map_is_divided_by_65535(read, interlaced):
    samples = np.array([[0, 1, 255, 256], [257, 32896, 65534, 65535]], np.uint16)
    values = read(png(samples, 16, interlaced=interlaced))
    assert values.dtype == np.float64
    assert values.tolist() == [[v / 65535 for v in row] for row in samples.tolist()]


def test_16_bit_mask_keeps_every_whole_threshold(read):
    samples = np.array([[0, 1, 256, 257], [258, 128 * 257, 128 * 257 + 1, 65535]], np.uint16)
    values = read(png(samples, 16), read_mask)
    assert values.dtype == np.uint8
    assert values.tolist() == [[0, 1, 1, 1], [2, 128, 129, 255]]
    for threshold in (0, 1, 2, 127, 128, 254):
        np.testing.assert_array_equal(values > threshold, samples > threshold * 257)


@pytest.mark.parametrize("top", [1, 255])
def test_16_bit_mask_of_another_scale_is_no_empty_mask(read, top):
    samples = np.array([[0, top]], np.uint16)
    assert read(png(samples, 16), read_mask).tolist() == [[0, 1]]


@pytest.mark.parametrize("depth", [8, 16])
def test_equal_channels_are_grey(read, depth):
    samples = RNG.integers(0, 2**depth, (5, 6)).astype(f"u{depth // 8}")
    rgb = np.stack([samples] * 3, axis=2)
    expected = samples if depth == 8 else samples / 65535
    np.testing.assert_array_equal(read(png(rgb, depth, colour=2, filters=EVERY_FILTER)), expected)


def test_differing_channels_are_named(refused):
    rgb = np.stack([GREY] * 3, axis=2)
    rgb[4, 9] = 10, 20, 30
    rgb[7, 2, 1] ^= 1
    message = refused(png(rgb, colour=2))
    assert "channels differ first at row 4, column 9 (R, G, B = (10, 20, 30))" in message
    assert "palette" not in message


@pytest.mark.parametrize("depth", [8, 16])
@pytest.mark.parametrize("colours", [1, 3])
def test_alpha_must_be_opaque(read, refused, depth, colours):
    top = 2**depth - 1
    samples = np.full((3, 4, colours + 1), 7, f"u{depth // 8}")
    samples[:, :, -1] = top
    colour = {1: 4, 3: 6}[colours]
    expected = 7 if depth == 8 else 7 / 65535
    np.testing.assert_array_equal(read(png(samples, depth, colour)), np.full((3, 4), expected))
    samples[2, 1, -1] = top - 1
    message = refused(png(samples, depth, colour))
    assert f"not opaque at row 2, column 1 (alpha {top - 1} of {top})" in message


def test_alpha_is_not_colour(refused):
    samples = np.zeros((2, 2, 4), np.uint8)
    samples[:, :, 3] = 255
    samples[1, 0, 2] = 9
    assert "row 1, column 0 (R, G, B = (0, 0, 9))" in refused(png(samples, colour=6))


@pytest.mark.parametrize("depth", [1, 2, 4, 8, 16])
def test_transparent_grey_level(read, refused, backend, depth):
    top = 2**depth - 1
    samples = np.array([[0, 0, top], [0, 0, 0]], np.uint16 if depth == 16 else np.uint8)
    data = png(samples, depth, before=chunk(b"tRNS", struct.pack(">H", top)))
    assert "transparent at row 0, column 2" in refused(data)
    samples[0, 2] = 0
    unused = png(samples, depth, before=chunk(b"tRNS", struct.pack(">H", top)))
    np.testing.assert_array_equal(read(unused), samples)


def test_transparent_colour_and_palette_entry(read, refused):
    rgb = np.full((2, 2, 3), 50, np.uint8)
    rgb[1, 1] = 9
    key = chunk(b"tRNS", struct.pack(">HHH", 9, 9, 9))
    assert "not opaque at row 1, column 1" in refused(png(rgb, colour=2, before=key))
    palette = chunk(b"PLTE", bytes([0, 0, 0, 255, 255, 255]))
    index = np.array([[0, 1]], np.uint8)
    half = palette + chunk(b"tRNS", bytes([255, 128]))
    assert "not opaque at row 0, column 1 (alpha 128" in refused(png(index, 8, 3, before=half))
    whole = palette + chunk(b"tRNS", bytes([255, 255]))
    assert read(png(index, 8, 3, before=whole)).tolist() == [[0, 255]]


@pytest.mark.parametrize("depth", [1, 2, 4, 8])
def test_grey_palette_is_expanded(read, depth):
    greys = [255, 3] if depth == 1 else [255, 3, 0, 128]
    palette = chunk(b"PLTE", bytes(g for grey in greys for g in (grey, grey, grey)))
    index = RNG.integers(0, len(greys), (6, 9), np.uint8)
    values = read(png(index, depth, 3, before=palette), read_mask)
    np.testing.assert_array_equal(values, np.array(greys, np.uint8)[index])


def test_index_mask_is_explained(refused):
    palette = chunk(b"PLTE", bytes([0, 0, 0, 128, 0, 0, 0, 128, 0]))
    message = refused(png(np.array([[0, 2], [1, 1]], np.uint8), 2, 3, before=palette))
    assert "row 0, column 1 (R, G, B = (0, 128, 0))" in message
    assert "class indices" in message
    assert "VOC" in message


def test_gamma_and_significant_bits_change_nothing(read, backend):
    before = chunk(b"gAMA", struct.pack(">I", 100000)) + chunk(b"sBIT", b"\x05")
    np.testing.assert_array_equal(read(png(GREY, before=before)), GREY)


def test_bytes_after_the_end_are_allowed(read, backend):
    np.testing.assert_array_equal(read(png(GREY) + b"and more"), GREY)


@pytest.mark.parametrize("parts", [1, 3])
def test_cut_anywhere_is_named(refused, parts):
    data = png(GREY, parts=parts)
    for length in (1, 4, 8, 20, 33, 40, len(data) // 2, len(data) - 13, len(data) - 12,
                   len(data) - 1):  # fmt: skip
        message = refused(data[:length])
        assert ("truncated" in message) == (length >= 8)


@pytest.mark.parametrize("n", range(4))
def test_wrong_checksum_of_one_of_several_chunks_is_named(refused, backend, n):
    data = bytearray(png(GREY, parts=4))
    at = -1
    for _ in range(n + 1):
        at = data.index(b"IDAT", at + 1)
    data[at + 6] ^= 1
    expected = f"the checksum of chunk IDAT at byte {at - 4} is wrong"
    assert expected in refused(bytes(data))


@pytest.mark.parametrize("place", ["header", "data", "unneeded"])
def test_wrong_checksum_is_named(refused, place):
    data = bytearray(png(GREY, before=chunk(b"tEXt", b"k\0v")))
    at = {"header": 20, "data": data.index(b"IDAT") + 30, "unneeded": data.index(b"tEXt") + 5}
    data[at[place]] ^= 1
    name = {"header": "IHDR", "data": "IDAT", "unneeded": "tEXt"}[place]
    assert f"the checksum of chunk {name} at byte" in refused(bytes(data))


def test_damaged_length_is_named(refused):
    data = bytearray(png(GREY, parts=2))
    at = data.index(b"IDAT") - 1
    data[at] += 3
    assert "checksum of chunk IDAT" in refused(bytes(data))
    data[at - 3] = 0x70
    assert "truncated: chunk IDAT" in refused(bytes(data))
    lost = png_header(2, 2) + bytes(40)
    assert "no chunk begins at byte 33" in refused(lost)


def short(rows_kept):
    row = 1 + GREY.shape[1]
    return zlib.compress(png_rows(GREY, 8)[: int(rows_kept * row)])


@pytest.mark.parametrize("rows_kept", [0, 0.5, 1, 5.5, 10, 10.9])
def test_too_few_pixels_in_a_whole_stream(refused, backend, rows_kept):
    refused(png(GREY, data=short(rows_kept)))


def test_row_of_the_end_is_named():
    with pytest.raises(FormatError, match="end in row 5 of 11"):
        png_rows_reader.inflated(png_container.read(png(GREY, data=short(5.5))))


@pytest.mark.parametrize("colour", [0, 2])
@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize("size", [(11, 21), (200, 300)])
def test_stream_cut_inside(refused, backend, colour, interlaced, size):
    """What OpenCV alone stands for (colour, interlaced) is refused by every version of it."""
    shape = size if colour == 0 else (*size, 3)
    samples = np.random.default_rng(1).integers(0, 256, shape, np.uint8)
    rows = zlib.compress(png_rows(samples, 8))
    assert len(rows) > samples.size * 0.9
    whole = png(samples, colour=colour, interlaced=interlaced)
    assert cv2.imdecode(np.frombuffer(whole, np.uint8), -1) is not None
    for data in (rows[: len(rows) // 2], rows[:-4], zlib.compress(png_rows(samples[:-1], 8))):
        refused(png(samples, colour=colour, data=data, interlaced=interlaced))


@pytest.mark.parametrize("damage", ["checksum", "middle"])
def test_damaged_stream(refused, backend, damage):
    stream = bytearray(zlib.compress(png_rows(GREY, 8, EVERY_FILTER)))
    if damage == "checksum":
        stream[-1] ^= 1
    else:
        stream[50] ^= 0xFF
        stream[60] ^= 0xFF
    assert "corrupt" in refused(png(GREY, data=bytes(stream)))


ROWS = png_rows(GREY, 8, EVERY_FILTER)
STREAM = zlib.compress(ROWS)


def outcome(stream):
    """The rows in a PNG of this image data, or what is said about them."""
    file = png_container.read(png(GREY, data=stream))
    try:
        return bytes(png_rows_reader.inflated(file))
    except FormatError as error:
        return str(error)


def by_zlib(stream):
    """What zlib says of it."""
    try:
        return zlib.decompress(stream)
    except zlib.error as error:
        return f"the PNG's image data are corrupt or cut off ({error})"


def another_header(stream, first, second):
    return bytes([first, second]) + stream[2:]


@pytest.mark.parametrize("stream", [
    another_header(STREAM, 0x78, 0x9D), another_header(STREAM, 0x79, 0x9C),
    another_header(STREAM, 0x88, 0x1C), another_header(STREAM, 0x78, 0xBB),
    STREAM[:-1], STREAM[:-4], STREAM[:-5], STREAM[:40], STREAM[:1], STREAM[:6] + STREAM[-4:],
    STREAM[:-1] + bytes([STREAM[-1] ^ 1]), STREAM[:30] + b"\xff\xff" + STREAM[32:], STREAM[2:-4],
])  # fmt: skip
def test_a_damaged_stream_is_zlibs_to_describe(stream):
    assert isinstance(by_zlib(stream), str)
    assert outcome(stream) == by_zlib(stream)


def test_a_whole_stream_of_too_little():
    assert outcome(zlib.compress(ROWS[:50])) == "the PNG's image data end in row 2 of 11"


@pytest.mark.parametrize("stream", [
    STREAM, zlib.compress(ROWS, 9), zlib.compress(ROWS, 0), STREAM + b"and more",
    another_header(STREAM, 0x08, 0x1D), zlib.compress(ROWS + b"one more row"),
])  # fmt: skip
def test_a_whole_stream_gives_the_same_rows(stream):
    assert outcome(stream).startswith(ROWS)


def test_zlib_reads_what_goes_on_behind_the_rows(monkeypatch):
    asked = []
    decompress = zlib.decompress
    monkeypatch.setattr(zlib, "decompress", lambda *a, **k: asked.append(1) or decompress(*a, **k))
    assert outcome(STREAM) == ROWS
    assert not asked
    assert outcome(zlib.compress(ROWS + b"one more row")) == ROWS + b"one more row"
    assert asked


@pytest.mark.parametrize("height", [1, 5])
def test_unknown_filter(refused, backend, height):
    rows = bytearray(png_rows(GREY[:height], 8))
    rows[-1 - GREY.shape[1]] = 5
    assert "corrupt" in refused(png(GREY[:height], data=zlib.compress(bytes(rows))))


def test_more_rows_than_announced_are_left(read, backend):
    data = zlib.compress(png_rows(GREY, 8))
    np.testing.assert_array_equal(read(png(GREY[:4], data=data)), GREY[:4])


def test_announced_size_takes_no_memory(refused):
    data = png_header(2**31 - 1, 2**31 - 1) + chunk(b"IDAT", b"x" * 99) + chunk(b"IEND", b"")
    assert "99 bytes of image data cannot hold 2147483647 x 2147483647" in refused(data)


def test_missing_and_impossible_parts(refused):
    end = chunk(b"IEND", b"")
    assert "0 bytes of image data cannot hold 2 x 3" in refused(png_header(2, 3) + end)
    assert "does not begin with its header" in refused(PNG_SIGNATURE + chunk(b"IDAT", b"") + end)
    assert "palette is missing" in refused(png(GREY, colour=3))
    assert "impossible header (0 x 3" in refused(png_header(0, 3) + end)
    assert "impossible header (2 x 2, 3 bits" in refused(png_header(2, 2, 3) + end)
    assert "colour type 5" in refused(png_header(2, 2, 8, 5) + end)
    assert "colour type 2" in refused(png_header(2, 2, 4, 2) + end)
    assert "signature" in refused(b"\x89PNG\n\x1a\n" + end)


def test_animation_is_refused(refused):
    before = chunk(b"acTL", struct.pack(">II", 2, 0))
    assert "animated" in refused(png(GREY, before=before))


def test_unknown_critical_chunk_is_refused(refused):
    rgb = np.zeros((2, 2, 3), np.uint8)
    refused(png(rgb, colour=2, before=chunk(b"ABCD", b"")))
