"""The table of keys that people read and the one that the panel obeys name the same keys."""

from __future__ import annotations

import re
from pathlib import Path

from ccq_tui.questions.keys import KEY_TABLE

PAGE = Path(__file__).parents[3] / "docs" / "question-panel.md"
NAMES = {"↑": "up", "↓": "down", "←": "left", "→": "right", "Esc": "escape", "/": "slash"}


def textual_name(key: str) -> str:
    """Turn a key as people read it, such as ``Shift+↑``, into Textual's name for it."""
    parts = key.split("+")
    return "+".join([part.lower() for part in parts[:-1]] + [NAMES.get(parts[-1], parts[-1].lower())])


def documented() -> set[str]:
    table = re.search(r"^\| key .*?(?=\n\n)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert table
    columns = [row.split("|")[1] for row in table[0].split("\n")[2:]]
    keys: set[str] = set()
    for column in columns:
        keys |= {textual_name(key) for key in re.findall(r"`([^`]+)`", column)}
        if "-" in column:
            first, last = re.findall(r"`(\d)`", column)
            keys |= {str(digit) for digit in range(int(first), int(last) + 1)}
    return keys


def test_every_key_of_the_panel_is_documented_and_no_other() -> None:
    assert documented() == {key for row in KEY_TABLE for key in row.keys}
