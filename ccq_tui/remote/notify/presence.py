"""Proof that a person is at a terminal: a small private file of each terminal program.

Only a key press or a report of the terminal's focus is proof. A program that has no proof yet has no file.
Its content is whether the terminal is in focus, and its time of change that of the last proof.
"""

import asyncio
import json
import logging
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ccq_tui.bounded import parse_json, read_bytes
from ccq_tui.processes import Owner, alive, this_process
from ccq_tui.stored import write_whole

_logger = logging.getLogger(__name__)

KEY_SECONDS = 2.0
"""Fewest seconds between two writings while keys come."""


@dataclass(frozen=True, slots=True)
class Presence:
    """What one terminal program knows of its person.

    Attributes:
        focused: Whether its terminal is in focus; None if the terminal never reported that.
        at: The time of the last proof, in seconds since 1970.
    """

    focused: bool | None
    at: float


class PresenceFile:
    """The file of this process, written in a thread.

    Args:
        directory: The directory of these files.
    """

    def __init__(self, directory: Path) -> None:
        owner = this_process()
        self._path = directory / f"{owner.pid}@{owner.start}"
        self._focused: bool | None = None
        self._written_at = float("-inf")
        self._lock = threading.Lock()

    def pressed(self) -> None:
        """Note a key press, which proves the focus of a terminal that reports it."""
        focused = None if self._focused is None else True
        if focused != self._focused or time.monotonic() - self._written_at >= KEY_SECONDS:
            self.focus_reported(focused)

    def focus_reported(self, focused: bool | None) -> None:
        """Note the terminal's report of its focus, or None for a key in one that never reported it."""
        self._focused, self._written_at = focused, time.monotonic()
        asyncio.get_running_loop().run_in_executor(None, self._write)

    def end(self) -> None:
        """Remove the file."""
        with suppress(OSError):  # a reader removes what is left
            self._path.unlink()

    def _write(self) -> None:
        with self._lock:  # whichever thread is last writes the newest
            try:
                write_whole(self._path, json.dumps(self._focused))
            except OSError as error:
                _logger.warning("The presence of a person was not written: %s", error.strerror)


def read_presences(directory: Path) -> list[Presence]:
    """Return what each running terminal program knows of its person; remove the files of others.

    After an error, which is logged, nothing is proven: a notification too many is better than a lost one.
    """
    try:
        read = [_read(path) for path in directory.glob("[0-9]*@*")]
    except (OSError, ValueError) as error:
        _logger.warning("Presence is taken as unproven, as it cannot be read: %s", type(error).__name__)
        return []
    return [one for one in read if one is not None]


def _read(path: Path) -> Presence | None:
    pid, _, start = path.name.partition("@")
    if not alive(Owner(int(pid), start)):
        path.unlink(missing_ok=True)
        return None
    focused = parse_json(read_bytes(path, 100))
    if not isinstance(focused, bool | None):
        raise ValueError("a damaged file of presence")  # noqa: TRY004 (as for what is no JSON)
    return Presence(focused, path.stat().st_mtime)
