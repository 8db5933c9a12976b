"""The themes of a running program, and the line of the settings file that keeps the chosen one."""

from __future__ import annotations

import asyncio
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
from ccq_tui.theming.load import DEFAULT_THEME, load_themes, shipped, theme_file
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
    """The themes of an app: reads the person's own again, and switches between all."""

    def __init__(self, app: App[Any], wanted: str) -> None:
        self._app = app
        self._file = theme_file(wanted)
        self._file_theme = ""

    async def read(self) -> list[str]:
        """Take the themes as their files are now, show the one in use so, and return what is wrong."""
        files = [self._file] if self._file else []
        themes, problems = await asyncio.to_thread(load_themes, files)
        if self._file and not any(str(self._file) in problem for problem in problems):
            self._file_theme = themes[-1].name
        before = self._app.current_theme
        for theme in themes:
            self._app.register_theme(theme)
        if self._app.current_theme != before:
            # Only a change of the name makes Textual look at a theme again.
            self._app.theme = DEFAULT_THEME if before.name != DEFAULT_THEME else "textual-dark"
            self._app.theme = before.name
        return problems

    def all(self) -> list[tuple[str, str]]:
        """List all themes, the program's own, the person's, then Textual's, each with a description."""
        ours = {path.stem for path in shipped()}
        names = sorted(self._app.available_themes, key=lambda name: (_rank(name, ours), name))
        return [(name, self._about(name, ours)) for name in names]

    def _about(self, name: str, ours: set[str]) -> str:
        shade = "dark" if self._app.available_themes[name].dark else "light"
        whose = ABOUT.get(name, "") if name in ours else "Textual's" if name in BUILTIN_THEMES else "yours"
        return f"{shade} · {whose}" if whose else shade

    def choose(self, name: str) -> bool:
        """Use a theme from now on, and return whether it exists."""
        app = self._app
        if name not in app.available_themes:
            return False
        if name in BUILTIN_THEMES and app.available_themes[name] is BUILTIN_THEMES[name]:
            app.register_theme(textual_theme(name))
        app.theme = name
        return True

    def setting(self, name: str) -> str:
        """Return the settings' name for a theme: its file if that is elsewhere."""
        return str(self._file) if self._file and name == self._file_theme else name


def _rank(name: str, ours: set[str]) -> int:
    return 0 if name == DEFAULT_THEME else 1 if name in ours else 3 if name in BUILTIN_THEMES else 2
