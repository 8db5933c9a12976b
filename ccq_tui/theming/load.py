"""The search for theme files, and the installation of their themes in an app."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from textual.app import App
from textual.theme import BUILTIN_THEMES, Theme

from ccq_tui.config.errors import SettingsError, meant
from ccq_tui.config.paths import config_dir, expanded
from ccq_tui.theming.own_colours import textual_theme
from ccq_tui.theming.read import read_theme

MOST_FILES = 200


DEFAULT_THEME = "ccq-dark"
COLOURLESS_THEME = "ccq-mono"
"""The theme without colours: it shows everything with signs, words and text styles."""
PACKAGE = Path(__file__).parent.parent


class FoundThemes(NamedTuple):
    """The themes in files.

    Attributes:
        themes: The program's own, the person's, and the wanted one; of one name, the later one must win.
        problems: A line for each file that cannot be used.
        wanted: The name of the theme that the settings want, or "" if its file cannot be used.
        file: Its file, if the settings name one.
    """

    themes: list[Theme]
    problems: list[str]
    wanted: str
    file: Path | None

    def setting(self, name: str) -> str:
        """Return the settings' name for a theme: its file if that is elsewhere."""
        return str(self.file) if self.file and name == self.wanted else name


def load_themes(wanted: str = DEFAULT_THEME) -> FoundThemes:
    """Read the theme files there are, and the one that ``wanted`` names, if it names a file."""
    file = expanded(wanted) if wanted.endswith(".toml") or "/" in wanted else None
    place = config_dir() / "themes"
    # Path.glob raises PermissionError below a directory that cannot be entered.
    own = sorted(place.glob("*.toml"))[:MOST_FILES] if os.path.isdir(place) else []  # noqa: PTH112
    themes, problems, name = [], [], "" if file else wanted
    for path in (*shipped(), *own, *([file] if file else ())):
        try:
            themes.append(read_theme(path))
        except SettingsError as error:
            first, *more = error.problems
            problems.append(f"Theme {first}" + (f" (and {len(more)} more)" if more else ""))
        else:
            name = themes[-1].name if path == file else name
    return FoundThemes(themes, problems, name, file)


def shipped() -> list[Path]:
    """Find the themes inside the package when it was installed, or beside it in a checkout."""
    installed = PACKAGE / "themes"
    return sorted((installed if installed.is_dir() else PACKAGE.parent / "themes").glob("*.toml"))


def install(app: App[Any], wanted: str = DEFAULT_THEME) -> list[str]:
    """Give an app all themes, switch it to one, and return a notice for each problem."""
    themes, problems, name, _ = load_themes(wanted)
    for theme in themes:
        app.register_theme(theme)
    if app.no_color and choose(app, COLOURLESS_THEME):
        return problems
    if not (name and choose(app, name)):
        if name:
            names = [*(theme.name for theme in themes), *sorted(BUILTIN_THEMES)]
            said = f"Theme {wanted!r} does not exist; {DEFAULT_THEME} is used; {meant(wanted, names)}"
            problems.append(said)
        # A broken installation may have lost its themes.
        choose(app, DEFAULT_THEME if DEFAULT_THEME in app.available_themes else "textual-dark")
    return problems


def choose(app: App[Any], name: str) -> bool:
    """Use a theme from now on, and return whether it exists."""
    if name not in app.available_themes:
        return False
    if name in BUILTIN_THEMES and app.available_themes[name] is BUILTIN_THEMES[name]:
        app.register_theme(textual_theme(name))
    app.theme = name
    return True


def theme_names() -> list[str]:
    """List the themes that ``--theme`` can name, the program's own and the person's first."""
    return list(dict.fromkeys([theme.name for theme in load_themes().themes] + sorted(BUILTIN_THEMES)))
