"""The address of the server over HTTP, and the token that every request must bring."""

import errno
import os
import secrets
import stat
from pathlib import Path

from ccq_tui.config.paths import state_dir

HOST, PATH = "127.0.0.1", "/mcp"


def url_of(port: int) -> str:
    """Return the URL of a server."""
    return f"http://{HOST}:{port}{PATH}"


def token_file() -> Path:
    """Return the path of the token's file."""
    return state_dir() / "mcp-token"


class TokenError(Exception):
    """The file of the token cannot be used; the message says why, for a person."""


def read_token(file: Path) -> str:
    """Return the token that every request must bring; make its file, for its owner alone, at the first use.

    Raises `TokenError` if the file is not private, is not the person's own, or cannot be read or made.
    """
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            return _kept_token(file)
        with os.fdopen(descriptor, "w", encoding="ascii") as new:
            new.write(token := secrets.token_urlsafe(32))
    except OSError as error:
        why = "it is a link" if error.errno == errno.ELOOP else error.strerror
        raise TokenError(f"{file} cannot be used: {why}") from error
    return token


def _kept_token(file: Path) -> str:
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as kept:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid():
            raise TokenError(f"{file} is not a file of yours; remove it, and a new one is made")
        if found.st_mode & 0o077:
            raise TokenError(f"{file} can be read by others; run: chmod 600 {file}")
        token = kept.read(1000).decode("ascii", "replace").strip()
    if len(token) < 16:
        raise TokenError(f"{file} holds no token; remove it, and a new one is made")
    return token
