"""What there is to choose from in the lists of themes, and of how long one is meant."""

from __future__ import annotations

import json
import os

from ccq_tui.config import user_config
from ccq_tui.config.settings import ENV_PREFIX
from ccq_tui.screens.pickers import PickRow
from ccq_tui.theming.live import LiveThemes

VARIABLE = f"{ENV_PREFIX}THEME"
ALWAYS = "always"
BACK = "Esc puts the old one back"


def theme_rows(themes: LiveThemes, current: str) -> list[PickRow]:
    """Return a row for each theme.

    Args:
        themes: The themes.
        current: The one in use.
    """
    return [PickRow(name, name, about, current=name == current) for name, about in themes.all()]


def how_long(name: str, setting: str) -> tuple[str, list[PickRow]]:
    """Return the question how long a theme is meant, and its rows.

    Args:
        name: The theme.
        setting: How the settings would name it.
    """
    line = f"theme = {json.dumps(setting, ensure_ascii=False)}"
    about = f"writes {line} into {user_config()}"
    if os.environ.get(VARIABLE):
        about += f"; {VARIABLE} goes before it"
    rows = [PickRow("once", "Until ccq-tui ends"), PickRow(ALWAYS, "From now on", about)]
    return f"The theme is {name}. For how long?", rows
