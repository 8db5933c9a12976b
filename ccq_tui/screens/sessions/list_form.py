"""What is typed in the list of sessions in place of its filter: a new session's fields, or a title."""

import asyncio
from functools import partial
from typing import Any

from ccq_tui.input.gate import NEVER, Face, Hand, KeyKind, Sign, Stroke, judge
from ccq_tui.input.keys import Hints, KeyPlace, actions_at, key_line
from ccq_tui.runtime.launches import proposed_name
from ccq_tui.screens.editor import edit_for
from ccq_tui.screens.list_screen import ListScreen
from ccq_tui.screens.sessions.listing import Listing
from ccq_tui.screens.sessions.model import (
    DIRECTORY,
    NEW_ROW,
    PROMPT,
    WORKTREE,
    NewSession,
    SessionList,
    SessionRow,
)
from ccq_tui.text import one_line
from ccq_tui.widgets.keys import keyboard_of
from ccq_tui.widgets.lifetime import start_work

AGAIN_OPENS = "The letter before these words opened this · Enter again opens a session with them"


class ListForm:
    """Has the field while it holds the fields of a new session or a session's title.

    Attributes:
        about: The new session, the session whose title is typed, or None while the field has the filter.
    """

    def __init__(self, around: ListScreen[Any, SessionList], listing: Listing) -> None:
        self._around, self._listing = around, listing
        self.about: NewSession | SessionRow | None = None
        self._filter = ""
        """The filter meanwhile."""
        self._doubtful = False
        """Whether the letter that opened the fields may have begun a word, so that Enter asks once."""
        self._opened_at = NEVER
        """When a letter opened the fields in which nothing is typed yet."""

    @property
    def new(self) -> NewSession | None:
        """The new session whose fields are open, or None."""
        return self.about if isinstance(self.about, NewSession) else None

    @property
    def hints(self) -> Hints:
        """The keys of what is open."""
        if self.new is None:
            return (("Enter", "rename"), ("Esc", "keep its title"))
        return key_line(KeyPlace.NEW, enter="open it", leave="keep as draft")

    def open(self) -> None:
        """Open the fields of the row for a new session."""
        around, opened = self._around, keyboard_of(self._around).key
        new = self._listing.manager.new
        self._opened_at = opened.at if opened.text else NEVER
        self.about, self._doubtful, self._filter = new, False, around.field.text
        around.finds = False
        new.at = PROMPT
        around.show(around.state.filtered("").on_key(NEW_ROW.key))
        self._to_field(new)

    def retitle(self, row: SessionRow) -> None:
        """Type another title of a session."""
        self.about, self._filter = row, self._around.field.text
        self._around.field.put(row.session)
        self._around.draw()

    def take_key(self, key: Stroke) -> bool:
        """Take a key while something is open; return whether it is done with."""
        around, action = self._around, actions_at(KeyPlace.NEW).get(key.name, "")
        if key.text and self._opened_at != NEVER:
            hand, self._opened_at = Hand(opened_at=self._opened_at), NEVER
            self._doubtful = judge(key, Face(KeyKind.TEXT, prompts=False), hand)[0].sign is Sign.DOUBT
        around.hands.note(key)
        match action, self.about:
            case "keep", _:
                self._leave()
            case "open", NewSession() as new:
                self._open(new)
            case "open", SessionRow() as row:
                title = one_line(around.field.text, 200).strip()
                self._leave()
                if title not in ("", row.session):
                    self._listing.do_to(row, partial(self._listing.rename, title=title))
            case (("field_next" | "field_before"), NewSession() as new) if (
                key.name not in ("up", "down") or new.at != PROMPT
            ):
                new.step(1 if action == "field_next" else -1)
                self._to_field(new)
            case "editor", NewSession() as new if new.at == PROMPT:
                edit_for(around, around.field.text, around.field.put, self._listing.say)
            case _:
                return self.new is None and bool(action and not key.text)
        return True

    def take_text(self) -> None:
        """Take what was typed into a field of a new session."""
        if (new := self.new) is None:
            return
        new.put(self._around.field.text)
        if new.at == WORKTREE and new.texts[WORKTREE].isspace():  # no name has a space
            start_work(self._around, partial(self._propose, new), name="name", group="look", exclusive=True)

    async def _propose(self, new: NewSession) -> None:
        """Make up the name of a worktree."""
        name = await asyncio.to_thread(proposed_name, new.texts[DIRECTORY], self._listing.directory)
        if new.texts[WORKTREE].isspace():  # else a name was typed meanwhile
            new.texts[WORKTREE] = name
            self._to_field(new)

    def _open(self, new: NewSession) -> None:
        """Open a new session, or take a backslash before Enter as a new line of its prompt."""
        around = self._around
        if new.at == PROMPT and around.field.goes_on():
            return
        if self._doubtful:
            self._doubtful = False
            self._listing.say(AGAIN_OPENS)
            return

        async def open_it() -> None:
            if (spec := await asyncio.to_thread(new.spec, self._listing.directory)) is not None:
                around.dismiss(partial(self._listing.manager.open_new, spec, self._listing.base))
            else:
                self._to_field(new)

        start_work(around, open_it, name="open", group="look", exclusive=True)

    def _to_field(self, new: NewSession) -> None:
        self._around.field.one_line = new.at != PROMPT
        self._around.field.put(new.texts[new.at])
        self._around.draw()

    def _leave(self) -> None:
        self.about, self._around.field.one_line = None, True
        self._around.field.put(self._filter)
        self._around.draw()
