"""The lists to choose a theme from, and to say how long it is meant."""

from __future__ import annotations

import json
import os

from ccq_tui.config import user_config
from ccq_tui.config.settings import ENV_PREFIX
from ccq_tui.screens.pickers import Picker, PickRow
from ccq_tui.theming.live import LiveThemes

VARIABLE = f"{ENV_PREFIX}THEME"


def theme_picker(themes: LiveThemes, current: str) -> Picker:
    """Make the list of themes.

    Args:
        themes: The themes; each is shown while the cursor is on it.
        current: The one in use.
    """
    rows = [PickRow(name, name, about, current=name == current) for name, about in themes.all()]
    return Picker("Theme", rows, about="Esc puts the old one back", choose="use it", preview=themes.look_at)


def keep_picker(name: str, setting: str) -> Picker:
    """Make the list that asks how long a theme is meant.

    Args:
        name: The theme.
        setting: How the settings would name it.
    """
    line = f"theme = {json.dumps(setting, ensure_ascii=False)}"
    about = f"writes {line} into {user_config()}"
    if os.environ.get(VARIABLE):
        about += f"; {VARIABLE} goes before it"
    return Picker(
        f"The theme is {name}. For how long?",
        [PickRow("once", "Until ccq-tui ends"), PickRow("always", "From now on", about)],
        choose="take it",
    )
