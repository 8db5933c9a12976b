"""The reader of a theme file, which names the line and the cause of an error in a bad one."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from textual.theme import Theme

from ccq_tui.bounded import UnfitFileError, parse_toml, read_text, toml_place
from ccq_tui.config.errors import explain
from ccq_tui.theming.model import ThemeFile

LONGEST_CAUSE = 300


class ThemeFileError(ValueError):
    """A theme file that cannot be used."""

    def __init__(self, path: Path, cause: str, line: int = 0) -> None:
        self.path, self.line = path, line
        super().__init__(f"Theme {path}{f':{line}' if line else ''}: {_short(cause)}")


def read_theme(path: Path) -> Theme:
    """Read one theme file; raises `ThemeFileError`."""
    try:
        text = read_text(path)
    except UnfitFileError as error:
        raise ThemeFileError(path, str(error)) from error
    try:
        values = parse_toml(text)
    except tomllib.TOMLDecodeError as error:
        cause, line, _ = toml_place(error, text)
        raise ThemeFileError(path, f"is not TOML: {cause}", line) from error
    try:
        return ThemeFile.model_validate({"name": path.stem, **values}).to_theme()
    except ValidationError as error:
        wrong = error.errors(include_url=False)
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise ThemeFileError(path, _say(wrong[0]) + more, _line(text, wrong[0])) from error


def _say(error: Any) -> str:
    place = ".".join(str(part) for part in error["loc"])
    if error["type"] == "missing":
        return f"{place}: is missing"
    return f"{place}: {'is not known' if error['type'] == 'extra_forbidden' else explain(error)}"


def _line(text: str, error: Any) -> int:
    """Find the line of an error: the one that begins with the innermost name of its place."""
    names = [str(part) for part in error["loc"]]
    if error["type"] == "value_error":
        # The message of a wrong variable begins with its name.
        names.append(str(error["ctx"]["error"]).partition(" ")[0])
    for name in reversed(names):
        if found := re.search(rf"""^\s*\[?\s*["']?{re.escape(name)}["']?\s*[=\]]""", text, re.MULTILINE):
            return text.count("\n", 0, found.end()) + 1
    return 0


def _short(cause: str) -> str:
    return cause if len(cause) <= LONGEST_CAUSE else f"{cause[:LONGEST_CAUSE]}…"
