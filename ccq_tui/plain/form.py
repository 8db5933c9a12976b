"""Fills in question sets and forms line by line."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import cast

from ccq_tui.answering.grammar import Names, TypedError, read_line
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.elicitations import link_to_open
from ccq_tui.inbox.layout import QUOTED
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import DraftUpdated
from ccq_tui.inbox.requests import FormRequest
from ccq_tui.plain.dialog import End, RequestDialog
from ccq_tui.plain.lines import Interrupted, Lines
from ccq_tui.plain.question import help_text, label_of, prompt_of, text_of
from ccq_tui.plain.tables import as_sentences
from ccq_tui.questions import Answer, Answered, Declined, Dismissed, Kind
from ccq_tui.questions.flow import following, go_on, turn_by, turn_to
from ccq_tui.questions.model import same_words
from ccq_tui.questions.moves import page_taken_over
from ccq_tui.questions.prose import answer_line
from ccq_tui.questions.state import Draft, PanelState, resting_focus
from ccq_tui.text import one_line

LEAVE = "Leave? The draft is kept."
WITH_TEXT = ("o", "n", "c")
"""The commands that take a text, on their line or on the next one."""


async def fill_in(opened: OpenRequest, lines: Lines, actor: Actor, leave: str = LEAVE) -> End:
    """Ask one question at a time, review the answers, and settle the request.

    Ctrl+C, and going back from the first question, ask whether to leave.

    Args:
        opened: A question set or form; its draft is typed on.
        lines: Where it is shown and answered.
        actor: Who answers.
        leave: The question whether to leave it.

    Raises:
        InboxError: The answers could not be kept.
    """
    filling = _Filling(RequestDialog(opened, lines, actor, leave))
    return await filling.dialog.run(filling.talk)


class _Filling:
    """One set or form being filled in."""

    def __init__(self, dialog: RequestDialog) -> None:
        self.dialog = dialog
        self._lines = dialog.lines
        self._state = self._opened()
        self._from_review = False
        """Whether the question in front was opened from the review, and leads back to it."""
        self._draft = dialog.opened.draft
        """The draft as last read or kept here."""

    def _opened(self) -> PanelState:
        """Return the draft without what belongs to the surface that it was typed on."""
        state = cast("PanelState", self.dialog.opened.shown)
        tab = state.tab if state.tab in state.all_tabs else state.all_tabs[0]
        state = replace(state, hidden=False, outcome=None, stray=None, doubt=None)
        return replace(state, tab=tab, focus=resting_focus(state.pages, tab))

    async def talk(self) -> End:
        """Ask until there is an end."""
        with ExitStack() as ending:
            ending.callback(self.dialog.opened.changed.subscribe(self._changed))
            self._introduce()
            shown: int | None = None
            while True:
                if shown != self._state.tab:
                    self._show()
                shown = self._state.tab
                try:
                    end = await self._heard()
                except Interrupted:
                    end = await self._left()
                if end is not None:
                    return end
                self._warn()

    def _changed(self, change: object) -> None:
        """Say that another surface changed the draft."""
        if isinstance(change, DraftUpdated):
            how = "; t takes it over, and drops what was typed here" if change.stale else ""
            self._lines.note(f"The draft was {change.words}{how}.")

    def _take_over(self) -> None:
        """Go on from the draft of another surface, at the question in front."""
        opened, tab = self.dialog.opened, self._state.tab
        if opened.draft is not self._draft:
            self._draft, self._state = opened.draft, turn_to(self._opened(), tab)

    async def _heard(self) -> End | None:
        """Hear a line and do what it says; keep the draft, or send the answers."""
        line = await self.dialog.hear(prompt_of(self._state))
        self._take_over()
        before = self._state
        end = await self._obey(line)
        outcome, self._state = self._state.outcome, replace(self._state, outcome=None)
        if outcome is not None and await self.dialog.settle(outcome):
            answers = outcome.answers if isinstance(outcome, Answered) else ()
            given = f": {answer_line(*answers)}" if len(answers) == 1 else ""
            link = link_to_open(self.dialog.opened.request, outcome)
            self._lines.note(f"{type(outcome).__name__}{given}.{link and f' Open it yourself: {link}'}")
            return End.HERE
        if self._state != before:
            self._draft = self._state
            self.dialog.keep(self._state)
        return end

    async def _left(self) -> End | None:
        return End.LEFT if await self.dialog.leaves() else None

    def _introduce(self) -> None:
        self.dialog.opened.show()
        questions = self._state.questions
        for said in (questions.title, questions.intro):
            if said:
                self._lines.say("form" if questions.is_form else "questions", as_sentences(said))
        request = self.dialog.opened.request
        for name, value in request.context.items() if isinstance(request, FormRequest) else ():
            self._lines.say("about", f"{name}: {value}")
        pages = [self._state.pages[tab] for tab in self._state.asked_tabs]
        if count := sum(page.answered or page.skipped for page in pages):
            self._lines.note(f"A draft is here: {count} of {len(pages)} answered, nothing sent.")
        self._warn()

    def _warn(self) -> None:
        """Say what is wrong with the draft, once."""
        if problem := self._state.notice or self._state.aside:
            self._lines.note(f"{problem}.".replace("..", "."))
            self._state = replace(self._state, notice="", aside="")

    def _show(self) -> None:
        self._lines.say(label_of(self._state), text_of(self._state))

    async def _obey(self, line: str) -> End | None:
        word, _, rest = line.partition(" ")
        command = self._command(word.lower(), rest)
        if command == "b" and self._state.tab == self._state.all_tabs[0]:
            return await self._left()
        if command in WITH_TEXT:
            await self._write(command, rest.strip())
        elif command == "d":
            await self._decline()
        elif command:
            self._steer(command)
        elif self._state.in_review:
            self._turn_back(line)
        else:
            await self._answer(line)
        return None

    def _steer(self, command: str) -> None:
        """Turn to another question or the review, or show more."""
        match command:
            case "?":
                self._lines.say("help", help_text(self._state))
            case "b":
                self._from_review = False
                self._state = turn_by(self._state, -1)
            case "r" if not self._state.in_review:
                self._state = turn_to(self._state, len(self._state.pages))
            case "r":
                self._show()
            case "t":
                self.dialog.opened.take_over()
                self._take_over()
                self._show()
            case "y":
                self._state = go_on(replace(self._state, review_row=len(self._state.pages)))

    def _command(self, word: str, rest: str) -> str:
        """Return the command that a line is, or "" for an answer."""
        state, question = self._state, self._state.page.question
        if state.in_review:
            known = "y?brd"
        else:
            known = ("br" if state.needs_review else "b") + "?d" + ("" if question.closed else "o")
            if any(same_words(word, option.title) for option in question.options):
                return ""  # its label comes first
        if state.questions.takes_prose:
            known += "c" if state.in_review else "nc"
        known += "t" if self.dialog.opened.stale is not None else ""
        if word not in known or len(word) != 1 or (rest and word not in WITH_TEXT):
            return ""
        # A text may well begin with one letter and a blank.
        return "" if rest and not state.in_review and question.kind is Kind.TEXT else word

    def _turn_back(self, line: str) -> None:
        tabs = {str(number): tab for number, tab in enumerate(self._state.asked_tabs, 1)}
        if line in tabs:
            self._state, self._from_review = turn_to(self._state, tabs[line]), True
        else:
            self._lines.note(f"y confirms; a number from 1 to {len(tabs)} goes back to that question.")

    async def _write(self, command: str, text: str) -> None:
        text = text or await self.dialog.hear("Your text, an empty line goes back:")
        if not text:
            return
        if command == "o":
            self._take(Answer(other=text))
        elif command == "n":
            self._state = self._state.with_draft(note=text)
            self._lines.note("The note is kept beside the answer.")
        else:
            self._state = replace(self._state, discussion=text)
            self._state = replace(self._state, outcome=self._state.discussed)

    async def _answer(self, line: str) -> None:
        page = self._state.page
        if not line:
            self._pass_on()
            return
        try:
            answer = read_line(page.question, line)
        except TypedError as error:
            self._lines.note(f"{error}.")
            return
        if answer.other and not page.is_field and not self._state.needs_review:
            question = (
                f"“{one_line(answer.other, QUOTED)}” is none of the options. Send it as your own words?"
            )
            if not await self.dialog.confirms(question, "sends it"):
                return
        if answer.given:
            self._take(answer)
        else:
            self._skip()

    def _pass_on(self) -> None:
        """Keep the answer there is, or go on without one."""
        page = self._state.page
        if page.is_field and (page.draft.other.strip() or page.question.options):
            self._turned(go_on(self._state))
        elif page.answered or page.proposed:
            self._take(page.answer())
        elif page.question.required or not self._state.needs_review:
            self._lines.note(f"An answer is needed · {Names.of(page.question).allowed}.")
        elif page.question.optional:
            self._skip()
        else:
            self._turned(turn_by(self._state, 1))

    def _skip(self) -> None:
        skipped = Draft(note=self._state.page.draft.note, taken=True)
        state = self._state.with_page(draft=skipped)
        self._turned(turn_to(state, following(state)) if state.needs_review else go_on(state))

    def _take(self, answer: Answer) -> None:
        """Put an answer into the draft, and go on."""
        page = self._state.page
        # A text that is not chosen stays where the review names it.
        kept = "" if answer.other or page.is_field or not self._state.needs_review else page.draft.other
        fresh = replace(page, draft=Draft(other=kept, note=page.draft.note), filter="")
        self._turned(go_on(self._state.shown_as(page_taken_over(fresh, answer))))

    def _turned(self, state: PanelState) -> None:
        """Take the state after an answer; a question of the review leads back to it."""
        if self._from_review and state.tab != self._state.tab:
            state, self._from_review = turn_to(state, len(state.pages)), False
        self._state = state

    async def _decline(self) -> None:
        form = self._state.questions.is_form
        how = "y declines, x dismisses it undecided" if form else "y declines"
        said = (await self.dialog.hear(f"Decline all of it? {how}, anything else goes back:")).lower()
        if said in ("y", "yes"):
            self._state = replace(self._state, outcome=Declined())
        elif said == "x" and form:
            self._state = replace(self._state, outcome=Dismissed())
