"""The search for theme files, and the installation of their themes in an app."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from textual.app import App
from textual.theme import BUILTIN_THEMES, Theme

from ccq_tui.config.paths import config_dir, expanded
from ccq_tui.theming.own_colours import textual_theme
from ccq_tui.theming.read import ThemeFileError, read_theme

MOST_FILES = 200


def own_files() -> list[Path]:
    """Find the person's own themes, by name."""
    themes = config_dir() / "themes"
    # Path.glob raises PermissionError below a directory that cannot be entered.
    return sorted(themes.glob("*.toml"))[:MOST_FILES] if os.path.isdir(themes) else []  # noqa: PTH112


DEFAULT_THEME = "ccq-dark"
COLOURLESS_THEME = "ccq-mono"
"""The theme without colours: it shows everything with signs, words and text styles."""
PACKAGE = Path(__file__).parent.parent


def load_themes(extra: Iterable[Path] = ()) -> tuple[list[Theme], list[str]]:
    """Read the program's own themes, the person's and ``extra`` ones, and a line for each bad file.

    Of several with the same name, the later one must win.
    """
    themes, problems = [], []
    for path in (*shipped(), *own_files(), *extra):
        try:
            themes.append(read_theme(path))
        except ThemeFileError as error:
            problems.append(str(error))
    return themes, problems


def shipped() -> list[Path]:
    """Find the themes inside the package when it was installed, or beside it in a checkout."""
    installed = PACKAGE / "themes"
    return sorted((installed if installed.is_dir() else PACKAGE.parent / "themes").glob("*.toml"))


def install(app: App[Any], wanted: str = DEFAULT_THEME) -> list[str]:
    """Give an app all themes, switch it to one, and return a notice for each problem."""
    file = theme_file(wanted)
    themes, problems = load_themes([file] if file else [])
    if wanted in BUILTIN_THEMES:
        themes.insert(0, textual_theme(wanted))
    for theme in themes:
        app.register_theme(theme)
    if app.no_color and COLOURLESS_THEME in app.available_themes:
        app.theme = COLOURLESS_THEME
    elif file:
        good = not any(str(file) in problem for problem in problems)
        app.theme = themes[-1].name if good else _fallback(app)
    elif wanted in app.available_themes:
        app.theme = wanted
    else:
        problems.append(_unknown(wanted, themes))
        app.theme = _fallback(app)
    return problems


def theme_names() -> list[str]:
    """List the themes that ``--theme`` can name, the program's own and the person's first."""
    return list(dict.fromkeys([theme.name for theme in load_themes()[0]] + sorted(BUILTIN_THEMES)))


def theme_file(wanted: str) -> Path | None:
    """Return the path of a theme file, or None for the name of a theme."""
    return expanded(wanted) if wanted.endswith(".toml") or "/" in wanted else None


def _fallback(app: App[Any]) -> str:
    """Name the default theme, or Textual's own if a broken installation has lost its themes."""
    return DEFAULT_THEME if DEFAULT_THEME in app.available_themes else "textual-dark"


def _unknown(wanted: str, themes: Iterable[Theme]) -> str:
    ours = {path.stem for path in shipped()}
    names = sorted({theme.name for theme in themes})
    close = difflib.get_close_matches(wanted, [*names, *BUILTIN_THEMES], n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    told = {
        "There are": [name for name in names if name in ours],
        "yours": [name for name in names if name not in ours],
        "Textual's": sorted(BUILTIN_THEMES.keys() - set(names)),
    }
    lists = "\n".join(f"{whose}: {', '.join(some)}" for whose, some in told.items() if some)
    return f"Theme {wanted!r} does not exist; {DEFAULT_THEME} is used.{hint}\n{lists}"
