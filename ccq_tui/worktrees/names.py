"""The rules for names of worktrees, and made-up names."""

from __future__ import annotations

import re
from collections.abc import Callable

LONGEST = 64
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
RULE = (
    'letters, digits, ".", "_" and "-", beginning with a letter, a digit or "_"; '
    'parts may be separated by "/"'
)
_FIRST = (
    *("amber", "bold", "brisk", "calm", "clear", "clever", "deep", "eager", "early", "gentle", "golden"),
    *("keen", "kind", "late", "light", "lucid", "mild", "neat", "quick", "quiet", "silver", "still"),
    *("sunny", "swift", "tidy", "warm", "wide", "wise"),
)
_SECOND = (
    *("alder", "badger", "birch", "brook", "cedar", "comet", "crane", "delta", "falcon", "fern", "finch"),
    *("harbor", "heron", "island", "lark", "maple", "marten", "meadow", "otter", "pine", "plover", "raven"),
    *("reef", "river", "robin", "spruce", "swan", "tern", "willow", "wren"),
)
TRIES = 50


def problem_of(name: str) -> str:
    """Return what is wrong with a name that a person wrote, or ""."""
    if len(name) > LONGEST:
        return f"it has more than {LONGEST} characters"
    parts = name.split("/")
    if not all(_PART.fullmatch(part) for part in parts):
        return f"a name has {RULE}"
    # Git does not allow these in a branch.
    if ".." in name or any(part.endswith((".lock", ".")) for part in parts):
        return 'git takes no ".." in a branch, and no part that ends in "." or ".lock"'
    return ""


def folder_of(name: str) -> str:
    """Return the name of a worktree's directory, in one piece."""
    return name.replace("/", "+")


def branch_of(folder: str) -> str:
    """Return the branch of the worktree in a directory of this name."""
    return f"worktree-{folder}"


def made_up(in_use: Callable[[str], bool]) -> str:
    """Generate a name that can be read aloud and is not in use."""
    # Imported here: nothing else needs it, and every start imports this module.
    import secrets

    for _ in range(TRIES):
        name = f"{secrets.choice(_FIRST)}-{secrets.choice(_SECOND)}"
        if not in_use(name):
            return name
    return f"{secrets.choice(_FIRST)}-{secrets.choice(_SECOND)}-{secrets.token_hex(4)}"
