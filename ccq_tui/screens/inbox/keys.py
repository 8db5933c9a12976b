"""The keys of the inbox screen; all other letters find a request."""

from __future__ import annotations

from ccq_tui.filtered_list import LIST_KEYS
from ccq_tui.key_uses import KeyUse, by_key

INBOX = "Inbox"
INBOX_KEYS = (
    *LIST_KEYS,
    KeyUse(("k",), "up", "Move up"),
    KeyUse(("j",), "down", "Move down"),
    KeyUse(("right", "a", "l"), "answer", "Answer it here"),
    KeyUse(("enter",), "go_to", "Go to its session; one without a process is resumed"),
    KeyUse(("slash",), "find", "Find, also with letters that are keys"),
    KeyUse(("g",), "regroup", "Put the requests of a session together"),
    KeyUse(("p",), "park", "Park its session, whichever ccq-tui runs it"),
    KeyUse(("ctrl+d",), "decline", "Decline it; the same key or y once more does"),
    KeyUse(("c", "f8"), "copy", "Copy the question and what you began to answer"),
    KeyUse(("ctrl+up",), "scroll_up", "Scroll what is known of it up"),
    KeyUse(("ctrl+down",), "scroll_down", "Scroll what is known of it down"),
    KeyUse(("escape",), "empty", "Empty the words to find, then leave"),
    KeyUse(("q", "f2"), "leave", "Leave"),
)
INBOX_ACTIONS = by_key(INBOX_KEYS)
