"""The pages of keys that people read and the table that the program obeys say the same."""

from __future__ import annotations

import re
from pathlib import Path

from ccq_tui.input.keys import KeyPlace, listed_at
from tests.keys_page import PAGE, page

PANEL = Path(__file__).parents[3] / "docs" / "question-panel.md"
NAMES = {"↑": "up", "↓": "down", "←": "left", "→": "right", "Esc": "escape", "/": "slash"}


def textual_name(key: str) -> str:
    """Turn a key as people read it, such as ``Shift+↑``, into Textual's name for it."""
    parts = key.split("+")
    return "+".join([part.lower() for part in parts[:-1]] + [NAMES.get(parts[-1], parts[-1].lower())])


def documented() -> set[str]:
    table = re.search(r"^\| key .*?(?=\n\n)", PANEL.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
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
    assert documented() == {key for keys in listed_at(KeyPlace.QUESTION).values() for key in keys}


def test_the_page_of_all_keys_is_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python3 tasks.py docs writes it"
