"""The slash command that a prompt names, and the commands whose names read like one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

# A second slash makes it a path.
_NAMED = re.compile(r"/([^\W\d][\w:.-]*)(?:\s|$)")
LONGEST = 60
"""Characters of a command's name; what is longer is none."""
MOST = 3


def named(text: str) -> str:
    """Return the name of the command that a prompt begins with, or "".

    Args:
        text: What is to be sent.
    """
    found = _NAMED.match(text.strip())
    return found[1] if found and len(found[1]) <= LONGEST else ""


def nearest(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that a mistyped one was most likely meant for, the likeliest first.

    Args:
        name: What was typed.
        names: The names that there are.
    """
    known = {one.lower(): one for one in names}
    typed = name.lower()
    begun = [one for one in sorted(known, key=len) if one.startswith(typed)]
    alike = get_close_matches(typed, known, MOST, 0.6)
    return tuple(known[one] for one in dict.fromkeys((*begun, *alike)))[:MOST]
