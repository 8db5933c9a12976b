"""Which keys the line of keys of the inbox screen shows."""

from __future__ import annotations

from ccq_tui.screens.inbox.listing import InboxList, Place
from ccq_tui.widgets.hints import Hints

ANSWER, GO = ("→", "answer here"), ("Enter", "go to session")
DECLINE, COPY, PARK = ("Ctrl+D", "decline"), ("c", "copy"), ("p", "park")
LIST: Hints = (("letters", "find"), ("g", "group"))


def key_hints(state: InboxList, way_back: str, *, finds: bool, declining: bool) -> Hints:
    """Return the keys that apply, the most useful first.

    Args:
        state: The list.
        way_back: Where Esc leads.
        finds: Whether letters are what to find.
        declining: Whether it is asked whether to decline a request.
    """
    row = state.under
    if declining:
        return (DECLINE, ("Esc", "keep it"))
    if finds:
        return (*((ANSWER, GO) if row else ()), ("Esc", "clear"), ("↑ ↓", "move"))
    back = ("Esc", way_back)
    if row is None:
        return (back,)
    match row.place:
        case Place.GONE:
            return (COPY, DECLINE, back, *LIST)
        case Place.ASKER:
            return (ANSWER, back, DECLINE, *LIST, COPY)
        case Place.OTHER:
            return (ANSWER, back, DECLINE, *LIST, PARK, COPY)
        case Place.HERE:
            return (ANSWER, GO, back, DECLINE, *LIST, PARK, COPY)
        case Place.RESTS:
            return (ANSWER, GO, back, DECLINE, *LIST, COPY)
