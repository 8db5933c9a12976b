"""The log file: rotating, private to its owner, without what people and models wrote to each other.

Contents of messages, and texts of exceptions, which may quote them, belong on level DEBUG, which is off
unless ``log_level = "debug"`` asks for it.
"""

import io
import logging
import os
import traceback
from collections.abc import Iterator
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import cast

from ccq_tui.config.paths import log_dir

FILE = "ccq-tui.log"
LIMIT = 2 * 1024 * 1024
BACKUPS = 3
OURS = ("ccq_tui", "asyncio", "py.warnings")
"""Loggers written at every level; other libraries' records may quote messages and need ``debug``."""

_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class DiscreetFormatter(logging.Formatter):
    """Writes exceptions as types and places only: their texts may quote what people and models wrote."""

    def __init__(self, *, verbose: bool) -> None:
        super().__init__("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s")
        self._verbose = verbose

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the base class's name
        """Format a record's line, without the tasks and exceptions that asyncio lists below its own."""
        if record.name == "asyncio" and not self._verbose:
            record.message = record.message.partition("\n")[0]
        return super().formatMessage(record)

    def formatException(self, ei: _ExcInfo) -> str:  # noqa: N802 - the base class's name
        """Format an exception with its causes."""
        if self._verbose:
            return super().formatException(ei)
        return "\n".join(_described(ei[1])) if ei[1] is not None else ""


def _described(error: BaseException) -> Iterator[str]:
    """Yield an exception and its frames, then its causes and the members of a group, each once."""
    seen: set[int] = set()
    left = [error]
    while left and len(seen) < 20:
        shown = left.pop()
        if id(shown) in seen:
            continue
        seen.add(id(shown))
        yield f"{type(shown).__module__}.{type(shown).__qualname__}"
        for frame, line in traceback.walk_tb(shown.__traceback__):
            yield f"  {frame.f_code.co_filename}:{line} {frame.f_code.co_name}"
        left += shown.exceptions if isinstance(shown, BaseExceptionGroup) else ()
        before = shown.__cause__ or (None if shown.__suppress_context__ else shown.__context__)
        left += [before] if before is not None else []


class PrivateFileHandler(RotatingFileHandler):
    """A rotating file that only its owner can read, from its first byte on.

    A record that the disk refuses is lost. The base class would write it to standard error with its arguments
    and a traceback: onto the screen, or to the program that runs this one.
    """

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the base class's name
        """Drop a record that could not be written."""

    def close(self) -> None:
        """Close the file, even if the disk refuses the buffered rest."""
        with suppress(OSError):
            super().close()

    def _open(self) -> io.TextIOWrapper:
        def private(path: str, flags: int) -> int:
            return os.open(path, flags, 0o600)

        stream = open(self.baseFilename, self.mode, encoding=self.encoding, opener=private)  # noqa: SIM115
        return cast("io.TextIOWrapper", stream)


def log_path() -> Path:
    """Return the log file, which may not exist."""
    return log_dir() / FILE


def start_logging(
    level: str = "info", formatter: type[DiscreetFormatter] = DiscreetFormatter, name: str = FILE
) -> Path | None:
    """Write the program's records from a level on to a log file; return the file.

    Return None if it cannot be written: a missing log must not keep anybody from working.
    """
    stop_logging()
    # Without any handler Python itself writes warnings to standard error, which is the screen.
    logging.getLogger().addHandler(logging.NullHandler())
    path = log_dir() / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = PrivateFileHandler(
            path, maxBytes=LIMIT, backupCount=BACKUPS, encoding="utf-8", errors="replace"
        )
    except OSError:
        return None
    handler.setFormatter(formatter(verbose=level == "debug"))
    for logged in ("",) if level == "debug" else OURS:
        logger = logging.getLogger(logged)
        logger.addHandler(handler)
        logger.setLevel(level.upper())
    logging.captureWarnings(capture=True)
    return path


def current_log() -> Path | None:
    """Return the open log file, or None."""
    return next((Path(handler.baseFilename) for _, handler in _open_logs()), None)


def stop_logging() -> None:
    """Close the log file, if one is open."""
    logging.captureWarnings(capture=False)
    for logger, handler in list(_open_logs()):
        logger.removeHandler(handler)
        handler.close()
        logger.setLevel(logging.NOTSET if logger.name in OURS else logging.WARNING)


def _open_logs() -> Iterator[tuple[logging.Logger, PrivateFileHandler]]:
    for logger in map(logging.getLogger, ("", *OURS)):
        for handler in logger.handlers:
            if isinstance(handler, PrivateFileHandler):
                yield logger, handler
