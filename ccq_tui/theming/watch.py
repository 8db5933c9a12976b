"""A watch for theme files that are written while the program runs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from textual.theme import Theme

from ccq_tui.config.paths import config_dir
from ccq_tui.theming.read import ThemeFileError, read_theme

MOST_FILES = 200
Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class ChangedThemes:
    """The content of files that changed.

    Attributes:
        themes: The themes, by their files.
        problems: A line for each file that cannot be used.
    """

    themes: tuple[tuple[Path, Theme], ...] = ()
    problems: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.themes or self.problems)


def own_files() -> list[Path]:
    """Find the person's own themes, by name."""
    themes = config_dir() / "themes"
    # Path.glob raises PermissionError below a directory that cannot be entered.
    return sorted(themes.glob("*.toml"))[:MOST_FILES] if os.path.isdir(themes) else []  # noqa: PTH112


class ThemeWatch:
    """A watch for changes of theme files; it reads from the disk, so never use it on the event loop."""

    def __init__(self, extra: Iterable[Path] = ()) -> None:
        self._extra = tuple(extra)
        self._stamps = self._look()

    def changed(self) -> ChangedThemes:
        """Read the files that were written since the last call; a deleted one is no change."""
        before, self._stamps = self._stamps, self._look()
        themes, problems = [], []
        for path, stamp in self._stamps.items():
            if before.get(path) == stamp:
                continue
            try:
                themes.append((path, read_theme(path)))
            except ThemeFileError as error:
                problems.append(str(error))
        return ChangedThemes(tuple(themes), tuple(problems))

    def _look(self) -> dict[Path, Stamp]:
        stamps = {}
        for path in (*own_files(), *self._extra):
            try:
                found = path.stat()
            except OSError:
                continue  # gone between the two looks
            stamps[path] = (found.st_mtime_ns, found.st_size, found.st_ino)
        return stamps
