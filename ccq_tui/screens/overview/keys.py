"""The keys of the overview and of the statistics over it; what it finds by letters is typed behind /."""

from __future__ import annotations

from ccq_tui.key_uses import KeyUse, by_key

OVERVIEW = "Overview"
OVERVIEW_KEYS = (
    KeyUse(("up", "k", "ctrl+p"), "up", "Move up"),
    KeyUse(("down", "j", "ctrl+n"), "down", "Move down"),
    KeyUse(("left", "h", "shift+tab"), "left", "To the group before"),
    KeyUse(("right", "l", "tab"), "right", "To the next group"),
    KeyUse(("shift+up",), "step_up", "Move up, to the first"),
    KeyUse(("shift+down",), "step_down", "Move down, to the last"),
    KeyUse(("pageup",), "page_up", "A page up"),
    KeyUse(("pagedown",), "page_down", "A page down"),
    KeyUse(("home",), "first", "To the first"),
    KeyUse(("end",), "last", "To the last"),
    KeyUse(("enter",), "open", "Go to the session; one without a process is resumed"),
    KeyUse(("d",), "mark", "Mark it as done, or take that back"),
    KeyUse(("r",), "retry", "Start it again where it has no process"),
    KeyUse(("n",), "new", "Open another session"),
    KeyUse(("ctrl+r",), "earlier", "Resume an earlier session"),
    KeyUse(("s",), "statistics", "How long agents waited for you"),
    KeyUse(("slash",), "find", "Find"),
    KeyUse(("f2",), "inbox", "To the inbox"),
    KeyUse(("escape",), "empty", "Empty the words to find, then leave"),
    KeyUse(("f5",), "leave", "Leave"),
)
OVERVIEW_ACTIONS = by_key(OVERVIEW_KEYS)

STATISTICS = "Statistics"
STATISTICS_KEYS = (
    KeyUse(("up", "k", "shift+up"), "up", "A line up"),
    KeyUse(("down", "j", "shift+down"), "down", "A line down"),
    KeyUse(("pageup",), "page_up", "A page up"),
    KeyUse(("pagedown", "space"), "page_down", "A page down"),
    KeyUse(("home",), "first", "To the top"),
    KeyUse(("end",), "last", "To the end"),
    KeyUse(("left", "h"), "shorter", "A shorter time"),
    KeyUse(("right", "l"), "longer", "A longer time"),
    KeyUse(("escape", "s", "f5"), "leave", "Leave"),
)
STATISTICS_ACTIONS = by_key(STATISTICS_KEYS)
