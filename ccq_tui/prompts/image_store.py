"""The bytes of images in prompts, on disk by their content: until they are sent, and for a while after."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ccq_tui.bounded import UnfitFileError, read_bytes
from ccq_tui.prompts.images import LONGEST_NAME, MOST_BYTES, PromptImage, UnfitImageError, examined
from ccq_tui.stored import write_whole
from ccq_tui.text import one_line
from ccq_tui.words import bytes_counted

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
