"""Finds theme files, and gives their themes to an app."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from textual.app import App
from textual.theme import BUILTIN_THEMES, Theme

from ccq_tui.config.errors import explain
from ccq_tui.config.paths import config_dir, expanded
from ccq_tui.theming.model import ThemeFile
from ccq_tui.theming.palette import complete

DEFAULT_THEME = "ccq-dark"
PACKAGE = Path(__file__).parent.parent


def load_themes(extra: Iterable[Path] = ()) -> tuple[list[Theme], list[str]]:
    """Read the themes that come with the program and the person's own.

    Args:
        extra: More theme files.

    Returns:
        The themes, of which a later one of the same name is meant to win, and a line for each bad file.
    """
    themes, problems = [], []
    own = config_dir() / "themes"
    for path in [*shipped(), *sorted(own.glob("*.toml")), *extra]:
        try:
            themes.append(read_theme(path))
        except ValueError as error:
            problems.append(f"Theme {path}: {error}")
    return themes, problems


def shipped() -> list[Path]:
    """Find the themes inside the package when it was installed, or beside it in a checkout.

    Returns:
        The files, by name.
    """
    installed = PACKAGE / "themes"
    return sorted((installed if installed.is_dir() else PACKAGE.parent / "themes").glob("*.toml"))


def read_theme(path: Path) -> Theme:
    """Read one theme file.

    Args:
        path: The file.

    Returns:
        The theme.

    Raises:
        ValueError: The file cannot be read, or says something that is not allowed.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        return ThemeFile.model_validate({"name": path.stem, **values}).to_theme()
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise ValueError("; ".join(_say(entry) for entry in error.errors(include_url=False))) from error


def install(app: App[Any], wanted: str = DEFAULT_THEME) -> list[str]:
    """Give an app all themes and switch it to one.

    Args:
        app: The app.
        wanted: The name of a theme, Textual's own included, or the path of a theme file.

    Returns:
        A notice for each thing that was wrong; the default theme is then used.
    """
    file = _as_path(wanted)
    themes, problems = load_themes([file] if file else [])
    if wanted in BUILTIN_THEMES:
        themes.insert(0, complete(BUILTIN_THEMES[wanted]))
    for theme in themes:
        app.register_theme(theme)
    if file:
        good = not any(str(file) in problem for problem in problems)
        app.theme = themes[-1].name if good else _fallback(app)
    elif wanted in app.available_themes:
        app.theme = wanted
    else:
        problems.append(_unknown(wanted, app.available_themes))
        app.theme = _fallback(app)
    return problems


def theme_names() -> list[str]:
    """List the themes that ``--theme`` can name.

    Returns:
        The names, the program's own and the person's first.
    """
    return list(dict.fromkeys([theme.name for theme in load_themes()[0]] + sorted(BUILTIN_THEMES)))


def _as_path(wanted: str) -> Path | None:
    return expanded(wanted) if wanted.endswith(".toml") or "/" in wanted else None


def _fallback(app: App[Any]) -> str:
    """Name the default theme, or Textual's own where a broken installation has lost its themes."""
    return DEFAULT_THEME if DEFAULT_THEME in app.available_themes else "textual-dark"


def _unknown(wanted: str, names: Iterable[str]) -> str:
    known = sorted(names)
    close = difflib.get_close_matches(wanted, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}."
    return f"Theme {wanted!r} is not known, so it is {DEFAULT_THEME}; {hint}"


def _say(error: Any) -> str:
    place = ".".join(str(part) for part in error["loc"])
    text = "is not known" if error["type"] == "extra_forbidden" else explain(error)
    return f"{place}: {text}"
