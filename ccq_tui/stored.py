"""Small private files, written atomically and, where needed, by one process at a time."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock
from pathlib import Path


def private_dir(directory: Path) -> None:
    """Make a directory that only its owner may enter."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)


def write_whole(path: Path, content: str | bytes, mode: int | None = None, *, synced: bool = False) -> None:
    """Replace a file's content atomically, and make its directory; on OSError the old file stays.

    Only its owner may read it, unless ``mode`` says otherwise. A power failure may cost all of it, unless it
    is ``synced``.
    """
    private_dir(path.parent)
    # mkstemp gives 0600.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode(errors="backslashreplace"))
            if synced:
                file.flush()
                os.fsync(handle)
        if mode is not None:
            Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


@contextmanager
# Seconds to wait for another process that writes.
def locked(path: Path, seconds: float = 2.0, *, shared: bool = False) -> Iterator[bool]:
    """Keep other processes from taking a lock; wait for one that has it.

    ``path`` is a directory, or a lock file, made beside the file that is written. The lock ends with its
    process. Several processes may have one that is ``shared``. Yields whether this process has it; raises
    OSError.
    """
    private_dir(path.parent)
    made = 0 if path.is_dir() else os.O_CREAT
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | made, 0o600)
    ends = time.monotonic() + seconds
    done = False
    try:
        while not done:
            try:
                flock(handle, (LOCK_SH if shared else LOCK_EX) | LOCK_NB)
                done = True
            except BlockingIOError:
                if time.monotonic() >= ends:
                    break
                time.sleep(0.01)
        yield done
    finally:
        os.close(handle)
