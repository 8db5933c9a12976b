"""Answers any request line by line, and walks through all that wait."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from enum import StrEnum
from functools import partial

from ccq_tui.answering.document import question_blocks
from ccq_tui.answering.grammar import Names, TypedError, acts_to_type, allowed, read_line
from ccq_tui.answering.interview import Interview
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.elicitations import link_to_open
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.layout import QUOTED
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.requests import AnsweredRequest, FormRequest, PlanRequest, Request
from ccq_tui.inbox.store.rows import StoredDraft, StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import Accepted, AlreadySettled, InvalidOutcome
from ccq_tui.plain.lines import InputEnded, Interrupted, Lines
from ccq_tui.plain.tables import as_sentences, sentences
from ccq_tui.questions import Answer, Answered, Dismissed, Kind, Outcome
from ccq_tui.questions.model import Question
from ccq_tui.questions.prose import NO_ANSWER, PROPOSED, SKIPPED, UNSELECTED, answer_line, before_words
from ccq_tui.questions.state import Page, PanelState
from ccq_tui.text import one_line
from ccq_tui.words import SHORT, waiting


def label_of(interview: Interview) -> str:
    """Return the label of the question in front, its place among those that are asked, or of the review."""
    if (question := interview.question) is None:
        return "review"
    optional = " (optional)" if question.optional else ""
    return f"question {interview.number} of {interview.count}{optional}"


def text_of(interview: Interview) -> str:
    """Return the question in front with its options and an earlier answer, or all answers so far."""
    state = interview.state
    return "\n".join(_review(state) if state.in_review else _question(state))


def _question(state: PanelState) -> Iterator[str]:
    question = state.page.question
    yield from sentences(question_blocks(question))
    if question.placeholder:
        yield f"For example: {question.placeholder}"
    if state.page.unselected:
        yield f"{UNSELECTED}{state.page.unselected}"
    if (before := state.before) is not None:
        given, (verb, answer), when = before_words(before, question)
        yield f"You {verb} “{answer}” {when}{f' for “{given}”' if given else ''}."


def prompt_of(interview: Interview) -> str:
    """Return the prompt for the question in front, or for the review."""
    if (question := interview.question) is None:
        return "y confirms, a number goes back to that question, ? for help:"
    if question.acts:
        return f"{', '.join(acts_to_type(question))}, b decides later, ? for help:"
    rules, now = question.field, interview.state.page.seen
    words = [allowed(question, named=False)]
    if question.kind is Kind.TEXT and rules and not (rules.one_line or rules.format):
        words.append("a line that ends in \\ is continued")
    if question.kind is Kind.CHOICE and not question.closed:
        words.append(f"{'other' if _names(question, 'o') else 'o'} TEXT for your own words")
    if now.given:
        words.append(f"Enter keeps “{one_line(answer_line(now), QUOTED)}”")
    elif question.optional:
        words.append("Enter skips")
    hints = ", ".join([*words, "? for help"])
    return f"{hints[:1].upper()}{hints[1:]}:"


def _review(state: PanelState) -> Iterator[str]:
    yield "Your answers"
    for number, page in enumerate(state.asked_pages, 1):
        answer, empty = page.seen, SKIPPED if page.question.optional else NO_ANSWER
        proposed = f" ({PROPOSED})" if page.proposed else ""
        given = answer_line(answer)
        if page.question.options and given == answer.other:  # own words may read as several options
            given = f"“{given}”"
        rows = [page.question.text, given + proposed if answer.given else empty]
        rows += [f"Note: {page.draft.note}"] if page.draft.note else []
        rows += [f"{UNSELECTED}{page.unselected}"] if page.unselected else []
        yield f"{number}. {chr(10).join(rows)}".replace("\n", "\n   ")


WITH_TEXT = ("other", "note", "reply")
"""The commands that take a text, on their line or on the next one."""


def command_of(interview: Interview, line: str, *, stale: bool) -> tuple[str, str]:
    """Return the command that a line is, with its text; "" for an answer."""
    word, _, text = line.partition(" ")
    question, text, known = interview.question, text.strip(), _commands(interview, stale=stale)
    named = {letter: name for name, (letter, _) in known.items()}
    if not _takes_text(question):
        named |= {name: name for name in known}
    command = named.get(word.lower(), "")
    if not command or _names(question, word) or _names(question, line):
        return "", ""
    return ("", "") if text and (command not in WITH_TEXT or _takes_text(question)) else (command, text)


def _takes_text(question: Question | None) -> bool:
    """Whether a text answers, which may well be one of these words, or begin with one."""
    return question is not None and question.kind is Kind.TEXT


def _commands(interview: Interview, *, stale: bool) -> dict[str, tuple[str, str]]:
    """Return the commands that do something here, with the letter of each and what it does."""
    question, prose = interview.question, interview.state.questions.takes_prose
    commands = (
        ("back", "b", "back to the question before", True),
        ("review", "r", "review all answers", interview.has_review),
        ("other", "o", "answer in your own words", question and not (question.closed or question.secret)),
        ("note", "n", "a note beside the answer", question and prose),
        ("reply", "c", "reply to all of it in prose instead of answers", prose),
        ("take", "t", "continue with the draft of the other surface", stale),
        ("decline", "d", "decline", True),
        ("help", "?", "this help", True),
    )
    return {name: (letter, does) for name, letter, does, known in commands if known}


def _names(question: Question | None, text: str) -> bool:
    """Whether a text names an option, which comes before a command."""
    try:
        return question is not None and Names(question).place(text) is not None
    except TypedError:
        return True


def help_text(interview: Interview, *, stale: bool) -> str:
    """Say what can be typed."""
    question = interview.question
    lines = ["A line ends with Enter; a backslash at its end continues it on the next line."]
    if question is None:
        lines.append("y: confirm these answers. A number: go back to that question.")
    elif question.kind is Kind.CHOICE:
        lines.append("A mark, or a label in any case: that option. Several of a list with commas, as in 1,3.")
    else:
        lines.append("A line of two characters or more is your answer.")
    for name, (letter, does) in _commands(interview, stale=stale).items():
        takes = " TEXT" * (name in WITH_TEXT)
        short = "" if _names(question, letter) else f" or {letter}{takes}"
        lines.append(f"{letter if _takes_text(question) else f'{name}{takes}{short}'}: {does}.")
    sent = "Nothing is sent before you confirm it." if interview.has_review else "An answer is sent at once."
    return "\n".join([*lines, sent])


YES = ("y", "yes")
LEAVE = "Leave it for later? The draft is kept."
TEXT = "Your text, an empty line goes back:"
NOT_PENDING = "The request no longer waits"


class End(StrEnum):
    """The end of a dialog."""

    HERE = "here"
    """Settled here; `OpenRequest.outcome` returns the outcome."""
    ELSEWHERE = "elsewhere"
    """Settled on another surface, or withdrawn; the person was informed."""
    PARKED = "parked"
    """The input ended: the request waits, with its draft."""
    LEFT = "left"
    """The person left it: the request waits, with its draft."""


class _Settled(Exception):  # noqa: N818 - says what happened
    """The request was settled elsewhere, or is gone."""


async def walk_request(opened: OpenRequest, lines: Lines, actor: Actor, leave: str = LEAVE) -> End:
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
    talk = _Talk(opened, lines, actor, leave)
    try:
        with ExitStack() as ending:
            ending.callback(opened.changed.subscribe(talk.changed))
            return await talk.run()
    except _Settled:
        stored, how = opened.stored, NOT_PENDING
        if stored.outcome is not None and stored.settled_at is not None:
            how = AlreadySettled(stored.actor, stored.settled_at, stored.outcome).words
        lines.note(f"{how}; nothing was sent from here.")
        return End.ELSEWHERE
    except InputEnded:
        outlives = kind_of(opened.request).OUTLIVES
        waits = opened.shown.questions.kept if outlives else "it waits only as long as its session runs"
        lines.note(f"The input ended: nothing was sent, and {waits}.")
        return End.PARKED


class _Talk:
    """One request that is asked question by question; a decision is one question."""

    def __init__(self, opened: OpenRequest, lines: Lines, actor: Actor, leave: str) -> None:
        self._opened, self._lines, self._actor, self._leave = opened, lines, actor, leave
        self._interview = self._begun()
        self._draft = opened.draft
        """The draft as last read or kept here."""
        self._shown: int | None = None

    def _begun(self) -> Interview:
        self._asked = kind_of(self._opened.request).asked(self._opened.request)
        return Interview.of(self._asked.questions, self._opened.shown)

    async def run(self) -> End:
        """Ask until there is an end."""
        self._introduce()
        while True:
            if self._shown != (tab := self._interview.state.tab):
                self._show()
            self._shown = tab
            try:
                end = await self._take_line()
            except Interrupted:
                end = await self._left()
            if end is not None:
                return end

    async def _read_line(self, prompt: str, *, secret: bool = False) -> str:
        """Return the next line, stripped unless its blanks count; raises `_Settled` once it is of no use."""
        if not self._opened.is_pending:
            raise _Settled
        line = asyncio.ensure_future((self._lines.ask_secret if secret else self._lines.input)(prompt))
        outcome = asyncio.ensure_future(self._opened.outcome())
        try:
            await asyncio.wait((line, outcome), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (line, outcome):
                task.cancel()
            await asyncio.wait((line, outcome))
        if line.cancelled():
            raise _Settled
        return line.result() if secret or self._lines.whole else line.result().strip()

    async def _confirms(self, question: str, does: str) -> bool:
        """Ask whether to do something; only ``y`` does it."""
        return (await self._read_line(f"{question} y {does}, anything else goes back:")).lower() in YES

    async def _left(self) -> End | None:
        """Ask whether to leave the request; a second Ctrl+C leaves it."""
        with suppress(Interrupted):
            return End.LEFT if await self._confirms(self._leave, "leaves") else None
        return End.LEFT

    def changed(self, change: object) -> None:
        """Say that another surface changed the draft."""
        if isinstance(change, StoredDraft) and isinstance(self._opened.request, AnsweredRequest):
            how = "; “take” continues with it, and drops what was typed here" if change.stale else ""
            self._lines.note(f"The draft was {change.words}{how}.")

    def _introduce(self) -> None:
        self._opened.show()
        state, request = self._interview.state, self._opened.request
        for text in filter(None, (state.questions.title, state.questions.intro)):
            self._lines.say("form" if state.questions.is_form else "questions", as_sentences(text))
        for name, value in request.context.items() if isinstance(request, FormRequest) else ():
            self._lines.say("about", f"{name}: {value}")
        if done := self._interview.count - len(self._interview.state.gaps):
            self._lines.note(f"A draft is here: {done} of {self._interview.count} answered, nothing sent.")
        self._warn()

    def _warn(self) -> None:
        if problem := self._interview.problem:
            self._lines.note(f"{problem}.".replace("..", "."))

    def _show(self) -> None:
        one, request = self._interview, self._opened.request
        if one.question is None or not one.question.acts:
            self._lines.say(label_of(one), text_of(one))
            return
        shown, edited = request, one.state.edited
        if isinstance(request, PlanRequest) and edited:
            shown = replace(request, plan=edited)
        self._lines.say(kind_of(request).WORD, "\n".join(sentences(kind_of(request).document(shown, None))))
        for name, option, act in zip(
            acts_to_type(one.question), one.question.options, one.question.acts, strict=True
        ):
            self._lines.say(name, f"{option.label} ({act.where})" if act.where else option.label)

    async def _take_line(self) -> End | None:
        """Hear a line and do what it says; keep the draft, or send the answers."""
        asked = self._interview.question
        line = await self._read_line(prompt_of(self._interview), secret=asked is not None and asked.secret)
        if self._opened.draft is not self._draft:  # that of another surface
            self._draft, self._interview = self._opened.draft, self._begun().at(self._interview.state.tab)
        before = self._interview.state
        try:
            then = await self._obeyed(line)
            if then is None:
                return await self._left()
            if then.state.outcome is not None:
                await self._settle(then.state.outcome)
                return End.HERE
        except TypedError as error:
            self._lines.note(f"{error}.".replace(" · ", "; "))
            return None
        except InvalidOutcome as error:
            self._lines.note(f"Nothing was sent: {error.reason}.")
            return None
        self._interview = then
        if then.state != before and isinstance(self._opened.request, AnsweredRequest):
            self._draft = then.state
            self._opened.type(self._draft, self._actor)
            self._warn()
        return None

    async def _settle(self, outcome: Outcome | Dismissed) -> None:
        """Settle the request, and say how; raises `InvalidOutcome` if it does not take the outcome."""
        verdict = await self._opened.settle_by(outcome, self._actor, self._interview.state.edited)
        if not isinstance(verdict, Accepted):
            raise _Settled
        given, seen = "", self._interview.state.page.question.seen
        if isinstance(outcome, Answered) and len(outcome.answers) == 1:
            (one,) = outcome.answers
            given = f": {answer_line(replace(one, other=seen(one.other)))}"
            given += f"; note: {one.note}" * bool(one.note)
        link = link_to_open(self._opened.request, outcome)
        self._lines.note(f"{type(outcome).__name__}{given}.{link and f' Open it yourself: {link}'}")

    async def _obeyed(self, line: str) -> Interview | None:
        """Return what a line makes of the interview, None to leave it; raises `TypedError`."""
        one, stale = self._interview, self._opened.stale is not None
        command, text = ("", "") if self._lines.whole else command_of(one, line, stale=stale)
        match command:
            case "other" | "note" | "reply":
                return await self._written(command, text, line)
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
                self._lines.say("help", help_text(one, stale=stale))
                self._shown = None
                return one
        if one.question is None:
            return one.confirm() if line.lower() in YES else one.turn(int(line) if line.isdecimal() else 0)
        return await self._answered(line, one.state.page)

    async def _answered(self, line: str, page: Page) -> Interview:
        one, question = self._interview, page.question
        if not line:
            kept = page.answered or page.proposed or page.problem or (page.is_field and question.options)
            return one.keep() if kept else one.skip()
        given = read_line(question, line, self._asked.named_values(one.state.tab))
        if question.options and given.other == line and line[0] == "/" and line[1:].isalpha():
            raise TypedError(f"{line} is no answer: “back” goes back, “other {line}” answers so")
        if (act := question.act_of(given)) is not None and act.takes_words and not given.other:
            given = replace(given, other=await self._read_line(TEXT))
            if not given.other:
                return one
        then = one.answer_question(given)
        return await self._sure(then, then.unsure)

    async def _sure(self, then: Interview, words: str) -> Interview:
        """Return a step, unless it sends words at once that a line may not have meant so."""
        if not words or await self._confirms(f"“{one_line(words, QUOTED)}”:", "sends it"):
            return then
        kept = self._interview.keep_aside(then)
        if kept.state != self._interview.state:
            self._lines.note("Your words are kept, not sent.")
        return kept

    async def _written(self, command: str, given: str, line: str) -> Interview:
        one, text = self._interview, given or await self._read_line(TEXT)
        if text and command == "note":
            self._lines.note("The note is kept beside the answer.")
            return one.note(text)
        if not text:
            return one
        page = one.state.page
        chosen = page.as_answer().selected if page.question.multi_select else ()
        then = one.answer_question(Answer(chosen, other=text)) if command == "other" else one.reply(text)
        is_sentence = then.state.outcome is not None and given and line.lower().startswith(command)
        return await self._sure(then, text if is_sentence else "")

    async def _declined(self) -> Interview:
        one = self._interview
        form = one.state.questions.is_form
        how = "y declines, x dismisses it undecided" if form else "y declines"
        reply = (await self._read_line(f"Decline all of it? {how}, anything else goes back:")).lower()
        dismissed = form and reply == "x"
        return one.decline(dismiss=dismissed) if dismissed or reply in YES else one


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
        end = await walk_request(opened, lines, actor, "Continue with the next request? The draft is kept.")
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
    context, called = stored.context.strip(), stored.request.origin.called
    before = f"\n{called} wrote before: {as_sentences(context)}" if context else ""
    return f"{kind_of(stored.request).title(stored.request)} from {asker}{before}"
