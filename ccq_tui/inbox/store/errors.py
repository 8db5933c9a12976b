"""SQLite's errors as errors for a person."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ccq_tui.inbox.verdicts import InboxBusy, InboxUnavailable

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_WORDS = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "it may not be written",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_PERM: "it may not be read",
    sqlite3.SQLITE_IOERR: "the disk does not read or write it",
    sqlite3.SQLITE_CORRUPT: "it is damaged",
    sqlite3.SQLITE_NOTADB: "it is damaged",
}


def is_busy(error: BaseException) -> bool:
    """Whether another process holds the database."""
    return isinstance(error, sqlite3.Error) and _code(error) in _BUSY


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself is at fault; our own checks raise errors without a code."""
    return _code(error) in _DAMAGE or type(error) is sqlite3.DatabaseError


def failure(error: sqlite3.Error, path: Path) -> InboxUnavailable:
    """Return an error of SQLite as one for a person."""
    if is_busy(error):
        return InboxBusy(f"{path}: another process holds the inbox; try again")
    return InboxUnavailable(f"{path}: {_WORDS.get(_code(error), str(error))}")


def _code(error: sqlite3.Error) -> int:
    """Return the primary code; the extended ones have it in their lowest byte."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
