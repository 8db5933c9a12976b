"""Answers any request line by line, and walks through all that wait."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import cast

from ccq_tui.answering.grammar import TypedError, read_line
from ccq_tui.answering.interview import Interview
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.elicitations import link_to_open
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.layout import QUOTED
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import DraftUpdated
from ccq_tui.inbox.requests import AnsweredRequest, FormRequest, Request
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.plain.decision import decide
from ccq_tui.plain.dialog import End, RequestDialog
from ccq_tui.plain.lines import Interrupted, Lines
from ccq_tui.plain.question import command_of, help_text, label_of, prompt_of, text_of
from ccq_tui.plain.tables import as_sentences
from ccq_tui.questions import Answer, Answered
from ccq_tui.questions.prose import answer_line
from ccq_tui.questions.state import PanelState
from ccq_tui.text import one_line
from ccq_tui.words import SHORT, waiting

LEAVE = "Leave it for later? The draft is kept."
NEXT = "Continue with the next request? The draft is kept."


async def answer(opened: OpenRequest, lines: Lines, actor: Actor, leave: str = LEAVE) -> End:
    """Print a request, and see it answered or decided with one line after the other.

    Ctrl+C, and going back from the first question, ask whether to leave.

    Args:
        opened: The request; its draft is typed on, and settled with the answer.
        lines: Where it is shown and answered.
        actor: Who answers.
        leave: The question whether to leave it.

    Raises:
        InboxError: The answer could not be kept.
    """
    lines.ring()
    if not isinstance(opened.request, AnsweredRequest):
        return await decide(opened, lines, actor, leave)
    dialog = RequestDialog(opened, lines, actor, leave)
    return await dialog.run(_Talk(dialog).run)


class _Talk:
    """One set or form that is asked question by question."""

    def __init__(self, dialog: RequestDialog) -> None:
        self._dialog, self._lines, self._opened = dialog, dialog.lines, dialog.opened
        self._interview = self._begun()
        self._draft = self._opened.draft
        """The draft as last read or kept here."""
        self._shown: int | None = None

    def _begun(self) -> Interview:
        state = cast("PanelState", self._opened.shown)
        return Interview.of(state.questions, state)

    async def run(self) -> End:
        """Ask until there is an end."""
        with ExitStack() as ending:
            ending.callback(self._opened.changed.subscribe(self._changed))
            self._introduce()
            while True:
                self._warn()
                if self._shown != (tab := self._interview.state.tab):
                    self._lines.say(label_of(self._interview), text_of(self._interview))
                self._shown = tab
                try:
                    end = await self._heard()
                except Interrupted:
                    end = await self._left()
                if end is not None:
                    return end

    def _changed(self, change: object) -> None:
        """Say that another surface changed the draft."""
        if isinstance(change, DraftUpdated):
            how = "; “take” goes on from it, and drops what was typed here" if change.stale else ""
            self._lines.note(f"The draft was {change.words}{how}.")

    def _introduce(self) -> None:
        self._opened.show()
        state, request = self._interview.state, self._opened.request
        for said in filter(None, (state.questions.title, state.questions.intro)):
            self._lines.say("form" if state.questions.is_form else "questions", as_sentences(said))
        for name, value in request.context.items() if isinstance(request, FormRequest) else ():
            self._lines.say("about", f"{name}: {value}")
        if done := self._interview.count - len(self._interview.gaps):
            self._lines.note(f"A draft is here: {done} of {self._interview.count} answered, nothing sent.")

    def _warn(self) -> None:
        """Say what is wrong with the draft, once."""
        if problem := self._interview.problem:
            self._lines.note(f"{problem}.".replace("..", "."))
            quiet = replace(self._interview.state, notice="", aside="")
            self._interview = replace(self._interview, state=quiet)

    async def _heard(self) -> End | None:
        """Hear a line and do what it says; keep the draft, or send the answers."""
        asked = self._interview.question
        line = await self._dialog.hear(prompt_of(self._interview), secret=asked is not None and asked.secret)
        if self._opened.draft is not self._draft:  # that of another surface
            self._draft, self._interview = self._opened.draft, self._begun().at(self._interview.state.tab)
        before = self._interview.state
        try:
            then = await self._obeyed(line)
        except TypedError as error:
            self._lines.note(f"{error}.")
            return None
        if then is None:
            return await self._left()
        if then.outcome is not None and await self._dialog.settle(then.outcome):
            alone = isinstance(then.outcome, Answered) and len(then.state.pages) == 1
            given = f": {answer_line(then.state.page.seen)}" if alone else ""
            link = link_to_open(self._opened.request, then.outcome)
            self._lines.note(f"{type(then.outcome).__name__}{given}.{link and f' Open it yourself: {link}'}")
            return End.HERE
        self._interview = replace(then, state=replace(then.state, outcome=None))
        if self._interview.state != before:
            self._draft = self._interview.state
            self._dialog.keep(self._draft)
        return None

    async def _left(self) -> End | None:
        return End.LEFT if await self._dialog.leaves() else None

    async def _obeyed(self, line: str) -> Interview | None:
        """Return what a line makes of the interview, None to leave it; raises `TypedError`."""
        one = self._interview
        command, text = command_of(one, line, stale=self._opened.stale is not None)
        if command in ("other", "note", "reply"):
            return await self._written(command, text)
        match command:
            case "back":
                return None if one.state.tab == one.state.all_tabs[0] else one.back()
            case "review":
                self._shown = None
                return one.review()
            case "take":
                self._opened.take_over()
                self._draft, self._shown = self._opened.draft, None
                return self._begun().at(one.state.tab)
            case "decline":
                return await self._declined()
            case "help":
                self._lines.say("help", help_text(one, stale=self._opened.stale is not None))
                return one
        if one.question is None:
            return one.settle() if line == "y" else one.turn(int(line) if line.isdecimal() else 0)
        return await self._answered(line)

    async def _answered(self, line: str) -> Interview:
        one, page = self._interview, self._interview.state.page
        if not line:
            kept = page.answered or page.proposed or page.problem or (page.is_field and page.question.options)
            return one.keep() if kept else one.skip()
        then = one.answer(read_line(page.question, line))
        words = f"“{one_line(then.unsure, QUOTED)}” is none of the options. Send it as your own words?"
        return one if then.unsure and not await self._dialog.confirms(words, "sends it") else then

    async def _written(self, command: str, text: str) -> Interview:
        one = self._interview
        text = text or await self._dialog.hear("Your text, an empty line goes back:")
        if not text:
            return one
        if command == "note":
            self._lines.note("The note is kept beside the answer.")
            return one.note(text)
        return one.answer(Answer(other=text)) if command == "other" else one.reply(text)

    async def _declined(self) -> Interview:
        form = self._interview.state.questions.is_form
        how = "y declines, x dismisses it undecided" if form else "y declines"
        said = (await self._dialog.hear(f"Decline all of it? {how}, anything else goes back:")).lower()
        dismissed = said == "x" and form
        ends = dismissed or said in ("y", "yes")
        return self._interview.decline(dismiss=dismissed) if ends else self._interview


async def walk(inbox: Inbox, lines: Lines, actor: Actor, delivered: Callable[[Request, Store], str]) -> None:
    """Go through the requests that wait, oldest first, and answer them; new ones come last.

    Args:
        inbox: The inbox.
        lines: Where they are shown and answered.
        actor: Who answers.
        delivered: Says how an agent gets an answer.

    Raises:
        InboxError: The inbox cannot be read, or an answer not be kept.
    """
    seen: set[str] = set()
    while True:
        found = await inbox.run(lambda store: store.requests.waiting())
        left = [one for one in found if one.request.id not in seen]
        if not left:
            break
        seen.add(left[0].request.id)
        opened = await inbox.open(left[0].request.id)
        if opened is None or not opened.is_pending:
            continue
        place, name = len(seen), await inbox.run(partial(_asker, opened.request))
        lines.say(f"request {place} of {place - 1 + len(left)}", _head(opened.stored, name))
        end = await answer(opened, lines, actor, NEXT)
        if end is End.PARKED:
            break
        if end is End.HERE:
            lines.note(await inbox.run(partial(delivered, opened.request)))
    still = len(await inbox.run(lambda store: store.requests.waiting()))
    lines.note(f"{waiting(still, 'request')}." if still else "Nothing waits now.")


def _asker(request: Request, store: Store) -> str:
    """Name who asks."""
    if request.origin.is_foreign:
        return request.origin.called
    known = store.sessions.get(request.session_id)
    return f"session {(known.name if known else '') or request.session_id[:SHORT]}"


def _head(stored: StoredRequest, asker: str) -> str:
    said, called = stored.context.strip(), stored.request.origin.called
    before = f"\n{called} wrote before: {as_sentences(said)}" if said else ""
    return f"{kind_of(stored.request).title(stored.request)} from {asker}{before}"
