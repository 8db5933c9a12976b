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

from ccq_tui.bounded import SETTINGS_BYTES, parse_toml
from ccq_tui.bridges.edited_file import USER, EditedFile, SettingsFileError
from ccq_tui.theming.load import DEFAULT_THEME, shipped

ABOUT = {
    "ccq-dark": "slate and soft colours",
    "ccq-light": "ink on warm paper",
    "ccq-contrast": "clear colours on black, 7:1 or more",
    "ccq-mono": "greys only",
    "ccq-cvd": "distinct for colour-blind eyes too",
}

LINE = re.compile(r"""^\s*["']?theme["']?\s*=\s*("(?:[^"\\\n]|\\.)*"|'[^'\n]*')""", re.MULTILINE)


def keep_theme(path: Path, theme: str) -> None:
    """Write a theme into a settings file, which may not exist yet; raises `SettingsFileError`."""
    file = EditedFile(USER, path, Path(path.anchor), SETTINGS_BYTES, backup=False)
    before = file.read()
    file.write(before, with_theme(before, theme))


def with_theme(text: str, theme: str) -> str:
    """Set the theme in the text of a settings file; comments, order and line ends stay.

    Raises `SettingsFileError` if the text is not TOML, or the line cannot be found for certain.
    """
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    body = text.removeprefix(mark)
    before = _parsed(body)
    if before is None:
        raise SettingsFileError("it is not TOML: correct it first")
    for changed in _candidates(body, json.dumps(theme, ensure_ascii=False), there="theme" in before):
        if _parsed(changed) == {**before, "theme": theme}:
            return mark + changed
    raise SettingsFileError("it sets the theme in a form that cannot be changed here: change it by hand")


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


def listed(app: App[Any]) -> list[tuple[str, str, tuple[str, ...]]]:
    """List all themes, ours, the person's, then Textual's, each with a description and three colours."""
    ours = {path.stem for path in shipped()}
    names = sorted(app.available_themes, key=lambda name: (_rank(name, ours), name))
    themes = [(name, app.available_themes[name]) for name in names]
    colours = {name: (one.primary, one.success, one.accent) for name, one in themes}
    return [(name, _about(app, name, ours), tuple(filter(None, colours[name]))) for name in names]


def _about(app: App[Any], name: str, ours: set[str]) -> str:
    shade = "dark" if app.available_themes[name].dark else "light"
    whose = ABOUT.get(name, "") if name in ours else "Textual's" if name in BUILTIN_THEMES else "yours"
    return f"{shade} · {whose}" if whose else shade


def _rank(name: str, ours: set[str]) -> int:
    return 0 if name == DEFAULT_THEME else 1 if name in ours else 3 if name in BUILTIN_THEMES else 2
