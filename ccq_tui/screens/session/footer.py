"""Which keys the line under the prompt shows: those that apply now, the most useful first."""

from __future__ import annotations

from ccq_tui.agent.events import SessionState
from ccq_tui.config.keymap import Keymap

Hints = tuple[tuple[str, str], ...]
Wanted = tuple[tuple[str, str], ...]
"""Names of actions with what they do."""

_FIXED = {"send": "Enter", "take_back": "↑", "new_line": "Ctrl+J", "commands": "/", "files": "@"}
"""Actions whose keys cannot be chosen."""
_ALWAYS: Wanted = (
    ("help", "all keys"),
    ("new_line", "new line"),
    ("commands", "commands"),
    ("files", "files"),
    ("mode", "mode"),
    ("page_up", "scroll"),
    ("unfold", "unfold"),
    ("search", "search"),
    ("overview", "sessions"),
    ("editor", "editor"),
    ("quit", "quit"),
)
_GONE = frozenset({SessionState.FAILED, SessionState.ENDED})


SEARCHING: Hints = (("Enter", "next place"), ("↑", "place before"), ("Esc", "close the search"))
"""While the transcript is searched no key of the prompt holds."""


def prompt_hints(state: SessionState, waiting: int, keymap: Keymap, *, queued: bool = False) -> Hints:
    """Choose the keys to show while the prompt is open.

    Args:
        state: What the session is doing.
        waiting: How many requests wait, with their panel hidden or not open yet.
        keymap: The keys that hold.
        queued: Whether ↑ takes back a prompt that Claude has not read.

    Returns:
        Keys as they are shown, and what they do.
    """
    busy = state in (SessionState.WORKING, SessionState.AWAITING)
    wanted: Wanted = (
        *((("panel", "answer"),) if waiting else ()),
        *((("interrupt", "interrupt"),) if busy else ()),
        *((("quit", "quit"),) if state in _GONE else (("send", "queue" if busy else "send"),)),
        *((("take_back", "take back"),) if queued else ()),
        *(hint for hint in _ALWAYS if state not in _GONE or hint[0] != "quit"),
    )
    shown = ((_FIXED.get(name) or keymap.shown(name), does) for name, does in wanted)
    return tuple((key, does) for key, does in shown if key)
