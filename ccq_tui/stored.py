"""Small private files, written atomically and, where needed, by one process at a time."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LOCK_SECONDS = 2.0
"""Seconds to wait for another process that writes."""


def private_dir(directory: Path) -> None:
    """Make a directory that only its owner may enter."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)


def write_whole(path: Path, content: str | bytes, mode: int | None = None) -> None:
    """Replace a file's content atomically, and make its directory; on OSError the old file stays.

    Only its owner may read it, unless ``mode`` says otherwise.
    """
    private_dir(path.parent)
    # mkstemp gives 0600.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode(errors="backslashreplace"))
        if mode is not None:
            Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Keep other processes from writing, where the system can; wait up to two seconds for one that writes.

    ``path`` is the lock file, made beside the file that is written. Yields whether nobody else writes now, as
    far as the system can tell; raises OSError.
    """
    try:
        import fcntl
    except ImportError:  # not on Windows
        yield True
        return
    private_dir(path.parent)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield _is_locked(lambda: fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB))
    finally:
        os.close(handle)


def _is_locked(lock: Callable[[], None]) -> bool:
    ends = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            lock()
        except BlockingIOError:
            if time.monotonic() >= ends:
                return False
            time.sleep(0.01)
        else:
            return True
