"""A theme file: its fields, and its reader, which names the line and the cause of an error."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator
from textual.color import Color, ColorParseError
from textual.theme import Theme

from ccq_tui.bounded import UnfitFileError, parse_toml, read_text, toml_place
from ccq_tui.config.errors import explain
from ccq_tui.theming.own_colours import complete

LONGEST_CAUSE = 300

STYLES = {"bold", "b", "italic", "i", "underline", "u", "reverse", "r", "strike", "dim", "none", "not"}
AUTOMATIC = ("text", "link-color")
"""Beginnings of variables that may be "auto" (black or white); so may those ending in "-foreground"."""


def _is_colour(text: str) -> bool:
    try:
        Color.parse(text)
    except ColorParseError:
        return False
    return True


def _colour(value: str) -> str:
    if not _is_colour(value):
        raise ValueError(f"must be a colour such as '#86aee3', not {value!r}")
    return value


Colour = Annotated[str, AfterValidator(_colour)]


class ThemeFile(BaseModel):
    """The fields of a theme file; all but ``name`` and ``primary`` may be left out."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")
    """The name for ``--theme``."""
    dark: bool = True
    """Whether the background is darker than the text."""
    primary: Colour
    """Focus, links, the current tab."""
    secondary: Colour | None = None
    """Less important than primary: headings, notes."""
    accent: Colour | None = None
    """Things that should catch the eye: the sign of a question."""
    success: Colour | None = None
    """Successes."""
    warning: Colour | None = None
    """Things to be careful with."""
    error: Colour | None = None
    """Errors."""
    foreground: Colour | None = None
    """Text."""
    background: Colour | None = None
    """The screen."""
    surface: Colour | None = None
    """Fields and lists on the screen."""
    panel: Colour | None = None
    """The panel at the bottom."""
    boost: Colour | None = None
    """A faint layer over another colour."""
    variables: dict[str, str] = Field(default_factory=dict)
    """The program's own colours (``ccq-...``) and Textual's theme variables."""

    @field_validator("variables")
    @classmethod
    def _variables_are_css(cls, value: dict[str, str]) -> dict[str, str]:
        """Check variables, which go into the style sheet as they are: a bad value there stops the program."""
        for name, text in value.items():
            _check_variable(name, text)
        return value


def _check_variable(name: str, text: str) -> None:
    if name.endswith("-style"):
        if not text.split() or not set(text.split()) <= STYLES:
            raise ValueError(f"{name} must be text styles such as 'bold underline', not {text!r}")
        return
    colour, _, share = text.partition(" ")
    if share and not (share.endswith("%") and share[:-1].isdecimal()):
        raise ValueError(f"{name} must be a colour, with a share such as '30%' at most, not {text!r}")
    automatic = name.startswith(AUTOMATIC) or name.endswith("-foreground")
    if not (automatic and colour == "auto") and not _is_colour(colour):
        raise ValueError(f"{name} must be a colour such as '#86aee3', not {text!r}")


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
        given = ThemeFile.model_validate({"name": path.stem, **values})
    except ValidationError as error:
        wrong = error.errors(include_url=False)
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise ThemeFileError(path, _say(wrong[0]) + more, _line(text, wrong[0])) from error
    return complete(Theme(**given.model_dump()))


def _say(error: Any) -> str:
    place = ".".join(str(part) for part in error["loc"])
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
