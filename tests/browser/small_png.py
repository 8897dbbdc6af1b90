"""A picture of a page in 256 colours: a third of the bytes, and nobody sees the difference."""

import struct
import zlib
from collections import Counter
from collections.abc import Iterator

Colour = bytes


def small(picture: bytes) -> bytes:
    """The same picture with a palette. It takes what Chromium writes: eight bits, no interlace."""
    width, height, depth = read_head(picture)
    rows = list(
        unfiltered(
            zlib.decompress(b"".join(data for kind, data in chunks(picture) if kind == b"IDAT")), width * depth, depth
        )
    )
    pixels = [[row[at : at + 3] for at in range(0, width * depth, depth)] for row in rows]
    counted = Counter(pixel for row in pixels for pixel in row)
    palette = [colour for colour, _ in counted.most_common(256)]
    index = {colour: nearest(colour, palette) for colour in counted}
    packed = zlib.compress(b"".join(b"\0" + bytes(index[pixel] for pixel in row) for row in pixels), 9)
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = ((b"IHDR", head), (b"PLTE", b"".join(palette)), (b"IDAT", packed), (b"IEND", b""))
    return picture[:8] + b"".join(chunk(kind, data) for kind, data in parts)


def read_head(picture: bytes) -> tuple[int, int, int]:
    """Width, height, and bytes for a pixel."""
    width, height, bits, kind, *_, interlaced = struct.unpack(">IIBBBBB", picture[16:29])
    assert (bits, interlaced) == (8, 0)
    return width, height, {2: 3, 6: 4}[kind]


def chunks(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Each part of the file with its kind."""
    at = 8
    while at < len(picture):
        (size,) = struct.unpack(">I", picture[at : at + 4])
        yield picture[at + 4 : at + 8], picture[at + 8 : at + 8 + size]
        at += size + 12


def chunk(kind: bytes, data: bytes) -> bytes:
    """A part of the file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def unfiltered(data: bytes, length: int, depth: int) -> Iterator[bytes]:
    """The rows as they were before each was written as what it differs by."""
    above = bytes(length)
    for at in range(0, len(data), length + 1):
        how, row = data[at], bytearray(data[at + 1 : at + 1 + length])
        for place in range(length):
            left = row[place - depth] if place >= depth else 0
            corner = above[place - depth] if place >= depth else 0
            row[place] = row[place] + guess(how, left, above[place], corner) & 255 if how else row[place]
        above = bytes(row)
        yield above


def guess(how: int, left: int, up: int, corner: int) -> int:
    """What a byte was compared with."""
    if how == 4:
        way = left + up - corner
        return min((left, up, corner), key=lambda each: abs(way - each))
    return (0, left, up, (left + up) // 2)[how]


def nearest(colour: Colour, palette: list[Colour]) -> int:
    """The place of a colour in the palette, or of the one that is most like it."""
    if colour in palette:
        return palette.index(colour)
    return min(range(len(palette)), key=lambda at: sum((a - b) ** 2 for a, b in zip(colour, palette[at])))
