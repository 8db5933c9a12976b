"""The themes of a running program, and the line of the settings file that keeps the chosen one."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from textual.app import App
from textual.theme import BUILTIN_THEMES

from ccq_tui.bounded import SETTINGS_BYTES, parse_toml, read_bytes
from ccq_tui.stored import write_whole
from ccq_tui.theming.load import DEFAULT_THEME, ChangedThemes, ThemeWatch, shipped, theme_file
from ccq_tui.theming.own_colours import textual_theme

ABOUT = {
    "ccq-dark": "slate and soft colours",
    "ccq-light": "ink on warm paper",
    "ccq-contrast": "clear colours on black, 7:1 or more",
    "ccq-mono": "greys only",
    "ccq-cvd": "distinct for colour-blind eyes too",
}

LINE = re.compile(r"""^\s*["']?theme["']?\s*=\s*("(?:[^"\\\n]|\\.)*"|'[^'\n]*')""", re.MULTILINE)
PRIVATE = 0o600


class KeepError(Exception):
    """The settings file was left as it is; the message says why."""


def keep_theme(path: Path, theme: str) -> None:
    """Write a theme into a settings file, which may not exist yet; raises `KeepError`."""
    try:
        # Write the target of a link, not the link.
        real = path.resolve()
        real.parent.mkdir(parents=True, exist_ok=True)
        before = read_bytes(real, SETTINGS_BYTES).decode("utf-8") if real.exists() else ""
        mode = real.stat().st_mode & 0o777 if real.exists() else PRIVATE
        write_whole(real, with_theme(before, theme).encode(), mode)
    except UnicodeDecodeError as error:
        raise KeepError(f"{path} is not UTF-8 text") from error
    except OSError as error:
        raise KeepError(f"{path} cannot be written: {error.strerror}") from error
    except ValueError as error:
        raise KeepError(f"{path} {error}") from error


def with_theme(text: str, theme: str) -> str:
    """Set the theme in the text of a settings file; comments, order and line ends stay.

    Raises ValueError if the text is not TOML, or the line cannot be found for certain.
    """
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    body = text.removeprefix(mark)
    before = _parsed(body)
    if before is None:
        raise ValueError("is not TOML: correct it first")
    for changed in _candidates(body, json.dumps(theme, ensure_ascii=False), there="theme" in before):
        if _parsed(changed) == {**before, "theme": theme}:
            return mark + changed
    raise ValueError("sets the theme in a form that cannot be changed here: change it by hand")


def _candidates(text: str, value: str, *, there: bool) -> Iterator[str]:
    """Yield changed texts; the caller takes the first that parses to the wanted settings."""
    if there:
        for found in LINE.finditer(text):
            yield f"{text[: found.start(1)]}{value}{text[found.end(1) :]}"
        return
    end = "\r\n" if "\r\n" in text else "\n"
    added = f"theme = {value}{end}"
    yield (text if not text or text.endswith("\n") else text + end) + added
    yield f"{added}{end}{text}"  # at the end it would belong to a table


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return parse_toml(text)
    except tomllib.TOMLDecodeError:
        return None


class LiveThemes:
    """The themes of an app: it switches between them, and keeps the one in use as its file says."""

    def __init__(self, app: App[Any], wanted: str) -> None:
        self._app = app
        self._wanted = wanted
        self._file = theme_file(wanted)
        self._file_theme = app.theme if self._file else ""
        self._looking = False

    def watch(self) -> ThemeWatch:
        """Begin to watch the files that may matter; checks the disk, but reads no file."""
        return ThemeWatch([self._file] if self._file else [])

    def all(self) -> list[tuple[str, str]]:
        """List all themes, the program's own, the person's, then Textual's, each with a description."""
        ours = {path.stem for path in shipped()}
        names = sorted(self._app.available_themes, key=lambda name: (_rank(name, ours), name))
        return [(name, self._about(name, ours)) for name in names]

    def _about(self, name: str, ours: set[str]) -> str:
        shade = "dark" if self._app.available_themes[name].dark else "light"
        whose = ABOUT.get(name, "") if name in ours else "Textual's" if name in BUILTIN_THEMES else "yours"
        return f"{shade} · {whose}" if whose else shade

    def look_at(self, name: str) -> None:
        """Show a theme until `choose` or another one is called."""
        self._looking = True
        self._show(name)

    def choose(self, name: str) -> bool:
        """Use a theme from now on, and return whether it exists."""
        self._looking = False
        if name not in self._app.available_themes:
            return False
        self._wanted = self.setting(name)
        self._show(name)
        return True

    def leave(self, before: str) -> None:
        """End the preview, and put back the theme that was on before."""
        self._looking = False
        if self._app.theme != before:
            self._show(before)

    def setting(self, name: str) -> str:
        """Return the settings' name for a theme: its file if that is elsewhere."""
        return str(self._file) if self._file and name == self._file_theme else name

    def take(self, found: ChangedThemes) -> None:
        """Take themes from changed files, and show the one in use as it is now."""
        for path, theme in found.themes:
            self._app.register_theme(theme)
            if path == self._file:
                self._file_theme = theme.name
            wanted = theme.name == self._wanted or path == theme_file(self._wanted)
            if theme.name == self._app.theme or (wanted and not self._looking and not self._app.no_color):
                self._show(theme.name)

    def _show(self, name: str) -> None:
        app = self._app
        if name in BUILTIN_THEMES and app.available_themes[name] is BUILTIN_THEMES[name]:
            app.register_theme(textual_theme(name))
        if app.theme == name:
            # Only a change of the name makes Textual look at a theme again.
            app.theme = DEFAULT_THEME if name != DEFAULT_THEME else "textual-dark"
        app.theme = name


def _rank(name: str, ours: set[str]) -> int:
    return 0 if name == DEFAULT_THEME else 1 if name in ours else 3 if name in BUILTIN_THEMES else 2
