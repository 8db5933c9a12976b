"""Small images, made byte by byte."""

import struct
import zlib


def png(width: int = 64, height: int = 48, shade: int = 0) -> bytes:
    """A PNG of one colour a line."""
    rows = b"".join(b"\0" + bytes([shade, line % 256, 90]) * width for line in range(height))
    facts = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", facts)
        + _chunk(b"IDAT", zlib.compress(rows))
        + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def gif(width: int, height: int) -> bytes:
    """The beginning of a GIF."""
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0;"


def jpeg(width: int, height: int, before: int = 16) -> bytes:
    """The beginning of a JPEG with so many bytes before its frame."""
    filler = b"\xff\xe0" + struct.pack(">H", before + 2) + bytes(before)
    frame = b"\xff\xc2" + struct.pack(">HBHHB", 17, 8, height, width, 3) + bytes(9)
    return b"\xff\xd8" + filler + b"\xff" + frame + b"\xff\xd9"


def webp(width: int, height: int, kind: bytes = b"VP8X") -> bytes:
    """The beginning of a WebP of one of its three kinds."""
    match kind:
        case b"VP8X":
            body = bytes(4) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
        case b"VP8L":
            body = b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14)
        case _:
            body = bytes(3) + b"\x9d\x01\x2a" + struct.pack("<HH", width, height)
    return b"RIFF" + struct.pack("<I", len(body) + 12) + b"WEBP" + kind + struct.pack("<I", len(body)) + body
