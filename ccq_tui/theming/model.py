"""The fields of a theme file."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, field_validator
from textual.color import Color, ColorParseError
from textual.theme import Theme

from ccq_tui.theming.own_colours import complete

STYLES = {"bold", "b", "italic", "i", "underline", "u", "reverse", "r", "strike", "dim", "none", "not"}
AUTOMATIC = ("text", "link-color")
"""Beginnings of variables that may be "auto" (black or white); so may those ending in "-foreground"."""


class ThemeFile(BaseModel):
    """The fields of a theme file; all but ``name`` and ``primary`` may be left out."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")
    """The name for ``--theme``."""
    dark: bool = True
    """Whether the background is darker than the text."""
    primary: str
    """Focus, links, the current tab."""
    secondary: str | None = None
    """Less important than primary: headings, notes."""
    accent: str | None = None
    """Things that should catch the eye: the sign of a question."""
    success: str | None = None
    """Successes."""
    warning: str | None = None
    """Things to be careful with."""
    error: str | None = None
    """Errors."""
    foreground: str | None = None
    """Text."""
    background: str | None = None
    """The screen."""
    surface: str | None = None
    """Fields and lists on the screen."""
    panel: str | None = None
    """The panel at the bottom."""
    boost: str | None = None
    """A faint layer over another colour."""
    variables: dict[str, str] = Field(default_factory=dict)
    """The program's own colours (``ccq-...``) and Textual's theme variables."""

    @field_validator(
        "primary", "secondary", "accent", "success", "warning", "error", "foreground", "background",
        "surface", "panel", "boost",
    )  # fmt: skip
    @classmethod
    def _colours_are_colours(cls, value: str | None) -> str | None:
        if value is not None and not _is_colour(value):
            raise ValueError(f"must be a colour such as '#86aee3', not {value!r}")
        return value

    @field_validator("variables")
    @classmethod
    def _variables_are_css(cls, value: dict[str, str]) -> dict[str, str]:
        """Check variables, which go into the style sheet as they are: a bad value there stops the program."""
        for name, text in value.items():
            _check_variable(name, text)
        return value

    def to_theme(self) -> Theme:
        """Return Textual's theme, with the program's own colours filled in."""
        return complete(Theme(**self.model_dump()))


def _is_colour(text: str) -> bool:
    try:
        Color.parse(text)
    except ColorParseError:
        return False
    return True


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
