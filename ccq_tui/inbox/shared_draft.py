"""One draft on several surfaces: each shows the changes of the others and loses nothing typed on itself."""

from __future__ import annotations

from dataclasses import replace

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.draft_fields import fields_of, open_field, texts_of, untouched, with_fields
from ccq_tui.inbox.port import DraftUpdated
from ccq_tui.inbox.waiting_line import Draft
from ccq_tui.questions.state import PanelState


def followed(mine: Draft, change: DraftUpdated, at: float) -> Draft:
    """Return the draft of a surface after another one has changed it.

    Each field takes its value on disk, unless

    - its text is open here, because a person is writing it, or
    - it was changed here and is not on disk yet: it is newer, and will be news there.

    The cursor and the open text stay. The surface must save the draft that it then shows like any other
    change: only this records that it took the change.
    """
    theirs = change.draft
    if mine.outcome is not None or (isinstance(mine, PanelState) and mine.arriving is not None):
        return mine
    own, new, known = fields_of(mine), fields_of(theirs), change.known
    if own.keys() != new.keys():
        return mine
    if known is None:
        known = {name: (value,) for name, value in fields_of(untouched(theirs)).items()}
    names = {
        name
        for name, value in new.items()
        if value != own[name] and own[name] in known.get(name, ()) and name != open_field(mine)
    }
    if not names:
        return mine
    after = with_fields(mine, theirs, names)
    if isinstance(after, PanelState):
        return replace(after, changed_at=at, notice="", warned_at=None)
    # Nobody may decide on text that nobody has seen: keys count as in a panel that has just opened.
    guard = replace(after.guard, shown_at=at, text_known=after.typing)
    return replace(after, notice="", warned=None, guard=guard)


def replaced(before: Draft, after: Draft, change: DraftUpdated) -> str:
    """Return the texts typed here that another surface replaced, or ""."""
    texts, kept = texts_of(before), texts_of(after)
    gone = [
        text
        for name, text in texts.items()
        if change.typed.get(name) == text and text.strip() and text not in kept[name]
    ]
    return "\n\n".join(gone)


def draft_words(actor: Actor | None) -> str:
    """Say that a draft was changed, and who did it."""
    return f"The draft was changed {actor.where_from_here if actor else 'on another surface'}"
