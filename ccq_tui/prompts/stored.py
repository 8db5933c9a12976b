"""Small files that only their owner may read, written so that a reader never sees half of one."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def private_dir(directory: Path) -> None:
    """Make a directory that only its owner may enter."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)


def write_whole(path: Path, text: str) -> None:
    """Put a text into a file at once; whoever reads it meanwhile sees the old one or the new one.

    Args:
        path: The file; its directory is made.
        text: What it will hold.

    Raises:
        OSError: It could not be written; the old file stands.
    """
    private_dir(path.parent)
    # mkstemp gives 0600.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
