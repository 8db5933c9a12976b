"""A theme file: its fields and its reader."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError
from textual.color import Color, ColorParseError
from textual.theme import Theme

from ccq_tui.config.errors import PROBLEMS, SettingProblem, SettingsError
from ccq_tui.config.load import read_settings_file, unknown_settings, wrong_values
from ccq_tui.theming.own_colours import complete

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

    model_config = ConfigDict(frozen=True)

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

    @field_validator("variables", mode="before")
    @classmethod
    def _variables_are_css(cls, value: Any) -> Any:
        """Check variables, which go into the style sheet as they are: a bad value there stops the program."""
        if isinstance(value, dict):
            wrong = [(name, said) for name, text in value.items() if (said := _variable_problem(name, text))]
            if wrong:
                raise PydanticCustomError("variables", "wrong variables", {PROBLEMS: wrong})
        return value


def _variable_problem(name: str, text: Any) -> str:
    """Return what is wrong with a variable, or ""."""
    if not isinstance(text, str):
        return f"must be a text in quotes, not {text!r}"
    if name.endswith("-style"):
        known = text.split() and set(text.split()) <= STYLES
        return "" if known else f"must be text styles such as 'bold underline', not {text!r}"
    colour, _, share = text.partition(" ")
    if share and not (share.endswith("%") and share[:-1].isdecimal()):
        return f"must be a colour, with a share such as '30%' at most, not {text!r}"
    automatic = name.startswith(AUTOMATIC) or name.endswith("-foreground")
    known = (automatic and colour == "auto") or _is_colour(colour)
    return "" if known else f"must be a colour such as '#86aee3', not {text!r}"


def read_theme(path: Path) -> Theme:
    """Read one theme file; raises `SettingsError`."""
    file = read_settings_file(path, "user")
    if unknown := unknown_settings(file, ThemeFile.model_fields):
        raise SettingsError(unknown)
    try:
        given = ThemeFile.model_validate({"name": path.stem, **file.values})
    except ValidationError as error:
        problems = [SettingProblem(file.origin(name), said, name) for name, said in wrong_values(error)]
        raise SettingsError(problems) from error
    return complete(Theme(**given.model_dump()))
