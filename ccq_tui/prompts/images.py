"""Images of a prompt: the facts in their bytes, and the names that stand for them in its text."""

import hashlib
import os
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ccq_tui.bounded import UnfitFileError, read_bytes
from ccq_tui.stored import write_whole
from ccq_tui.text import one_line
from ccq_tui.words import bytes_counted

MOST_BYTES = 5 * 1024 * 1024 // 4 * 3
"""Most bytes of an image: the API takes 5 MiB in base64."""
MOST_PIXELS = 8_000
"""Most pixels a side that the API takes."""
MOST_IMAGES = 20
"""Most images in one prompt: with more, the API wants each of them smaller."""
MOST_TOGETHER = 15_000_000
"""Most bytes of all images in a prompt: a request of the API holds 32 MB, earlier images included."""
LONGEST_NAME = 40
HEADER_BYTES = 512 * 1024
"""Bytes to search for the header of an image: photographs have previews before their size."""
MEDIA_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_CHIP = re.compile(r"\[image (\d{1,6}): [^\[\]\n]{1,60} \d{1,5}×\d{1,5}, \d{1,4}(?:\.\d)? (?:bytes?|kB|MB)\]")


class UnfitImageError(ValueError):
    """An image that cannot be sent; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class PromptImage:
    """An image that is kept to be sent.

    Attributes:
        name: Its name.
        digest: The SHA-256 of its bytes, by which it is kept.
        media_type: The type of its bytes, whatever its name says.
        width: Pixels.
        height: Pixels.
        size: Bytes.
    """

    name: str
    digest: str
    media_type: str
    width: int
    height: int
    size: int

    def __post_init__(self) -> None:
        """Refuse what is no image: these facts are also read from files."""
        numbers = all(isinstance(one, int) for one in (self.width, self.height, self.size))
        if not (isinstance(self.name, str) and numbers and re.fullmatch(r"[0-9a-f]{64}", self.digest)):
            raise ValueError("not the facts of an image")
        if self.media_type not in MEDIA_TYPES:
            raise ValueError("not a type of images")


def examined(data: bytes, name: str) -> PromptImage:
    """Return the image that some bytes are; raises `UnfitImageError` for one that the API refuses."""
    called = one_line(name, LONGEST_NAME).translate(str.maketrans("[]", "()")).strip() or "image"
    found = header(data[:HEADER_BYTES])
    if found is None:
        raise UnfitImageError(f"{called} is not a PNG, JPEG, GIF or WebP image · convert it to one of these")
    media_type, width, height = found
    if max(width, height) > MOST_PIXELS:
        raise UnfitImageError(
            f"{called} has {width}×{height} pixels; Claude takes {MOST_PIXELS:,} a side · make it smaller"
        )
    if len(data) > MOST_BYTES:
        raise UnfitImageError(
            f"{called} has {bytes_counted(len(data))}; "
            f"Claude takes up to {bytes_counted(MOST_BYTES)} · make it smaller"
        )
    return PromptImage(called, hashlib.sha256(data).hexdigest(), media_type, width, height, len(data))


def header(data: bytes) -> tuple[str, int, int] | None:
    """Return media type, width and height from an image's first bytes; None if it is no image."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR":
        found = "image/png", int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    elif data[:6] in (b"GIF87a", b"GIF89a"):
        found = "image/gif", _little(data[6:8]), _little(data[8:10])
    elif data.startswith(b"\xff\xd8\xff"):
        found = "image/jpeg", *_jpeg_sides(data)
    elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        found = "image/webp", *_webp_sides(data)
    else:
        return None
    return found if found[1] and found[2] else None


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")


def _jpeg_sides(data: bytes) -> tuple[int, int]:
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        if marker == 0xFF:  # a fill byte
            place += 1
        # Frames that have the size of the picture: all of C0 to CF but tables and extensions.
        elif 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:
            return int.from_bytes(data[place + 7 : place + 9]), int.from_bytes(data[place + 5 : place + 7])
        else:
            place += 2 + max(2, int.from_bytes(data[place + 2 : place + 4]))
    return 0, 0


def _webp_sides(data: bytes) -> tuple[int, int]:
    match data[12:16]:
        case b"VP8X" if len(data) >= 30:
            return _little(data[24:27]) + 1, _little(data[27:30]) + 1
        case b"VP8L" if data[20:21] == b"\x2f" and len(data) >= 25:
            bits = _little(data[21:25])
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 " if data[23:26] == b"\x9d\x01\x2a":
            return _little(data[26:28]) & 0x3FFF, _little(data[28:30]) & 0x3FFF
        case _:
            return 0, 0


def facts(image: PromptImage) -> str:
    """Return an image's name with its size."""
    return f"{image.name} {image.width}×{image.height}, {bytes_counted(image.size)}"


def label(image: PromptImage, known: Mapping[str, PromptImage], text: str) -> str:
    """Return a name for an image in a prompt that no other image has, with a number new to the text."""
    number = max({int(found[1]) for found in _CHIP.finditer(text)}, default=0) + 1
    while known.get(name := f"[image {number}: {facts(image)}]", image) != image:
        number += 1
    return name


def excess(images: Collection[PromptImage]) -> str:
    """Return why these images cannot go with one prompt, or ""."""
    if len(images) > MOST_IMAGES:
        return f"A prompt takes up to {MOST_IMAGES} images · send the rest with the next one"
    if (size := sum(image.size for image in images)) > MOST_TOGETHER:
        most = bytes_counted(MOST_TOGETHER)
        return f"These images have {bytes_counted(size)}; a prompt takes {most} · send some with the next one"
    return ""


def names_in(text: str) -> list[str]:
    """Return the parts of a text that look like names of images, in their order."""
    return [found[0] for found in _CHIP.finditer(text)]


def named(text: str, images: Mapping[str, PromptImage]) -> dict[str, PromptImage]:
    """Return the images whose names are in a text, in its order."""
    return {name: images[name] for name in names_in(text) if name in images}


def adopted(
    texts: Sequence[str], images: Mapping[str, PromptImage], known: Mapping[str, PromptImage]
) -> tuple[tuple[str, ...], dict[str, PromptImage]]:
    """Rename the images of texts from elsewhere whose names other images have here."""
    found: dict[str, PromptImage] = {}
    for name, image in images.items():
        if known.get(name, image) == image:
            found[name] = image
            continue
        other = label(image, {**known, **images, **found}, "\n".join(texts))
        texts = [text.replace(name, other) for text in texts]
        found[other] = image
    return tuple(texts), found


def as_json(images: Mapping[str, PromptImage]) -> dict[str, Any]:
    """Return images by name, as JSON data."""
    return {name: asdict(image) for name, image in images.items()}


def from_json(content: object) -> dict[str, PromptImage]:
    """Read images by name; invalid ones are left out."""
    if not isinstance(content, Mapping):
        return {}
    read = ((name, _image(one)) for name, one in content.items())
    return {name: image for name, image in read if image is not None and _CHIP.fullmatch(name)}


def _image(content: object) -> PromptImage | None:
    try:
        return PromptImage(**content) if isinstance(content, Mapping) else None
    except (TypeError, ValueError):
        return None


MOST_KEPT = 300_000_000
"""Most bytes of all images; beyond it the oldest are deleted."""


class ImageStore:
    """The directory of images. Its methods read and write: call them in a thread."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def path(self, image: PromptImage) -> Path:
        """Return the file of an image."""
        return self._directory / image.digest

    def has(self, image: PromptImage) -> bool:
        """Return whether an image is still kept."""
        return self.path(image).is_file()

    def add(self, data: bytes, name: str) -> PromptImage:
        """Keep an image; raises `UnfitImageError` for one that the API does not take, and OSError."""
        image = examined(data, name)
        path = self.path(image)
        if path.is_file():
            os.utime(path)
        else:
            write_whole(path, data)
            self._drop_oldest()
        return image

    def add_file(self, path: Path) -> PromptImage:
        """Keep a copy of an image's file; raises as `add` does."""
        name = one_line(path.name, LONGEST_NAME)
        # Twice the limit: an image that is a little too large is then refused by its pixels or its size.
        try:
            data = read_bytes(path, 2 * MOST_BYTES)
        except UnfitFileError as error:
            too_large = f"Claude takes up to {bytes_counted(MOST_BYTES)} · make it smaller"
            words = too_large if path.is_file() else "drop a file"
            raise UnfitImageError(f"{name} {error}; {words}") from error
        except OSError as error:
            raise UnfitImageError(f"{name} cannot be read: {error.strerror}") from error
        return self.add(data, path.name)

    def _drop_oldest(self) -> None:
        files = []
        for path in self._directory.iterdir():
            with suppress(OSError):
                known = path.stat()
                files.append((known.st_mtime, known.st_size, path))
        over = sum(size for _, size, _ in files) - MOST_KEPT
        for _, size, path in sorted(files)[:-1]:
            if over <= 0:
                return
            path.unlink(missing_ok=True)
            over -= size
