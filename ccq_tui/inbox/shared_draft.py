"""One draft on several surfaces: what another one changed is shown here, and nothing typed here is lost."""

from __future__ import annotations

from dataclasses import replace

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.draft_fields import fields_of, open_field, texts_of, untouched, with_fields
from ccq_tui.inbox.port import DraftUpdated
from ccq_tui.inbox.waiting_line import Draft
from ccq_tui.questions.state import PanelState


def followed(mine: Draft, change: DraftUpdated, at: float) -> Draft:
    """Return the draft of a surface once another one has changed it.

    Each field is taken as it is on disk, unless

    - its text is open here: it is somebody's who writes, - or it was changed here and that is not on disk
    yet: it is newer, and will be news there.

    Where the cursor is, and what is open, stays. A surface keeps the draft that it shows then like any other
    change of it: only so it is known that the change was taken.
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
    # Nothing is decided with what nobody has seen: keys begin anew as in a panel that has just come.
    guard = replace(after.guard, shown_at=at, text_known=after.typing)
    return replace(after, notice="", warned=None, guard=guard)


def replaced(before: Draft, after: Draft, change: DraftUpdated) -> str:
    """Return the texts that were typed here and that another surface replaced, or ""."""
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
