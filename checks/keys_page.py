"""Writes docs/keys.md from the table of keys: ``python -m checks.keys_page``."""

from pathlib import Path

from ccq_tui.input.keynames import shown_key
from ccq_tui.input.keys import KeyPlace, listed_at, rows_at
from ccq_tui.screens.help import COMMANDS, SECTIONS, TEXT

PAGE = Path(__file__).parents[1] / "docs" / "keys.md"
HEAD = """# Keys

Every key by the place where it works, as F1 lists them; F1 begins with the place in which it was pressed,
and also has the keys that edit a text. A key with a name in the last column is yours
[to choose](configuration.md#keys); the others are fixed. `python3 tasks.py docs` writes this page.
"""


def page() -> str:
    """Return the page."""
    places = (*(one for one in SECTIONS if one not in (COMMANDS, TEXT)), KeyPlace.FORM)
    return HEAD + "".join(_section(KeyPlace(place)) for place in places)


def _section(place: KeyPlace) -> str:
    lines = [f"\n## {place}\n", "| key | what it does | setting |", "|---|---|---|"]
    for does, keys in listed_at(place).items():
        names = dict.fromkeys(row.setting for row in rows_at(place) if row.does == does and row.setting)
        shown = " ".join(f"`{shown_key(key)}`" for key in keys)
        lines.append(f"| {shown} | {does} | {' '.join(f'`{name}`' for name in names)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
