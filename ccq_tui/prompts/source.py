"""The files that the prompt offers, listed again when the list is old."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from ccq_tui.prompts.files import list_files
from ccq_tui.prompts.fuzzy import Index

STALE_AFTER = 15.0
"""Seconds after which the files are listed again; the old list serves meanwhile."""


class FileSource:
    """The files of a directory, ready to be searched."""

    def __init__(self, directory: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._directory = directory
        self._clock = clock
        self._listed_at = float("-inf")
        self.index: Index | None = None
        """The files as they were listed last, or None before that."""
        self.cut = False
        """Whether there were more files than are looked at."""

    @property
    def stale(self) -> bool:
        """Whether it is time to list the files again."""
        return self._clock() - self._listed_at >= STALE_AFTER

    def refresh(self) -> None:
        """List the files; for a thread."""
        started = self._clock()
        files = list_files(self._directory)
        self.index, self.cut = Index(files.paths, paths=True), files.cut
        self._listed_at = max(started, self._clock())
