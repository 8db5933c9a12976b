"""The desk: it asks in tickets what waits in the inbox, and takes the answers that people give there."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from ccq_tui.answering.document import Passage, PassageKind, question_blocks
from ccq_tui.answering.grammar import TypedError, acts_to_type, allowed, button, read_line
from ccq_tui.answering.interview import Interview
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.layout import lines
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import Added, InboxChange, Settled
from ccq_tui.inbox.requests import (
    AnsweredRequest,
    Cancelled,
    DecidedRequest,
    PlanRequest,
    Request,
    RequestOutcome,
)
from ccq_tui.inbox.verdicts import AlreadySettled, InboxError, InvalidOutcome
from ccq_tui.questions import Answer, Answered, Expired, Kind
from ccq_tui.questions.marks import marks
from ccq_tui.questions.model import Asked, Question, same_words
from ccq_tui.questions.prose import answer_line
from ccq_tui.service import authority
from ccq_tui.service.people import RunAct
from ccq_tui.service.port import TicketMessage
from ccq_tui.service.run import Happened, Run
from ccq_tui.service.runs import Runs
from ccq_tui.service.store import MOST_RUNS, PROMPT, lasting
from ccq_tui.text import fenced, one_line, safe

_logger = logging.getLogger(__name__)

AT_ONCE_SECONDS = 2.0
"""Seconds after an answer in a ticket in which what another person writes there was meant as one, too."""
ELSEWHERE = "_It is decided in ccq-tui, not here: on {}, or on a device that is paired with it._"
MOST_SHOWN = 300
"""Most characters of an answer in a sentence about it."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """The question that a ticket was asked last; the number of a decision is 1.

    Attributes:
        request: Its request.
        number: Its place among the questions of that, from 1.
    """

    request: Request
    number: int


class Desk:
    """Asks one question at a time in each ticket, and keeps the answers in the draft of their request.

    Args:
        service: The service.
    """

    def __init__(self, service: Runs) -> None:
        self._service = service
        self._asked: dict[str, _Asked] = {}
        """What each run's ticket was asked last, also once that was settled elsewhere."""
        self._answered: dict[str, tuple[Actor, float]] = {}
        """Who answered last, in each run, and when."""
        self._one = asyncio.Lock()
        """One thing at a time: what was asked last decides what a message means."""

    async def follow(self) -> None:
        """Ask in tickets what waits in the inbox of this machine, until cancelled; first what waits already.

        A request of a run that was settled is recorded as ANSWERED; then the run advances.
        """
        changes: asyncio.Queue[InboxChange] = asyncio.Queue()
        ended = self._service.inbox.subscribe(changes.put_nowait)
        try:
            await self._retry(self._catch_up)
            while True:
                change = await changes.get()
                if isinstance(change, Added | Settled):
                    await self._retry(partial(self._handle, change))
        finally:
            ended()

    async def take(self, run: Run, message: TicketMessage) -> bool:
        """Take a message to a run of this machine; return whether it was meant for a waiting request.

        It may be taken again after a failure, with the same effect. Else it is a prompt for the session.
        Raises `InboxError`.
        """
        async with self._one:
            # Noted first: taken again, it must not answer the next question, nor what the session asks of it.
            target = message.meant or await lasting(self._service.store.assign, message, "")
            first, at = self._answered.get(run.id, (_actor_of(message), 0.0))
            is_late = time.monotonic() - at < AT_ONCE_SECONDS
            if not target and is_late and first.name != _actor_of(message).name:
                await self._say(run, message, _how(first))
                return True
            if not target:
                asked = await self._question_for(run, message.text)
                target = f"{asked.request.id}:{asked.number}" if asked else PROMPT
                target = await lasting(self._service.store.assign, message, target)
            if target == PROMPT:
                return False
            request_id, _, number = target.rpartition(":")
            await self._apply(run, message, request_id, int(number))
            return True

    # -- the inbox ------------------------------------------------------------------------------------------

    async def _retry(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do something, again while the inbox is away."""
        while True:
            try:
                async with self._one:
                    return await work()
            except InboxError as error:
                _logger.warning("Tickets are asked later: %s", error)
                # Seconds between two tries while the inbox is away.
                await asyncio.sleep(2.0)

    async def _catch_up(self) -> None:
        """Ask and record what was not while no service ran."""
        last = await lasting(partial(self._service.store.events, limit=1, newest=True))
        # So long before the last event something can have been settled unrecorded, as a disk was full.
        since = (last[0].at if last else datetime.now(UTC)) - timedelta(hours=1)
        for stored in await self._service.inbox.run(lambda store: store.requests.unsettled_before(since)):
            if stored.outcome is not None:
                await self._settled(Settled(stored.request, stored.outcome, stored.actor))
        events = await lasting(self._service.store.current, Happened.ASKED)
        asked = {event.body["request"]: event for event in events}
        for stored in await self._service.inbox.run(lambda store: store.requests.waiting(limit=MOST_RUNS)):
            request = stored.request
            if (event := asked.get(request.id)) is not None:
                self._asked.setdefault(event.run, _Asked(request, event.body["number"]))
            elif (run := await self._run_of(request.session_id)) is not None:
                await self._ask(run)

    async def _handle(self, change: Added | Settled) -> None:
        if isinstance(change, Settled):
            await self._settled(change)
        elif (run := await self._run_of(change.request.session_id)) is not None:
            await self._ask(run)

    async def _run_of(self, session_id: str) -> Run | None:
        """Return the run of this machine that a session belongs to."""
        run = await lasting(self._service.store.of_session, session_id)
        return run if run is not None and run.machine == self._service.machine else None

    async def _settled(self, change: Settled) -> None:
        """Record how a request was settled, and continue its run."""
        run = await self._run_of(change.request.session_id)
        if run is None:
            return
        asked = self._asked.get(run.id)
        elsewhere = change.actor is None or change.actor.surface is not Surface.TICKET
        elsewhere = elsewhere and not isinstance(change.outcome, Cancelled)
        if asked is not None and asked.request.id == change.request.id and not elsewhere:
            del self._asked[run.id]
        if not isinstance(change.outcome, Cancelled):
            given = _given(change.request, change.outcome)
            text = f"{_how(change.actor)}: {given}"
            body = {"request": change.request.id, "text": text, "here": not elsewhere}
            await self._service.record(run.id, Happened.ANSWERED, change.request.id, body)
            if change.actor is not None:
                request_id, act = change.request.id, act_of(change.request)
                details = {"request": request_id, "text": given}
                await authority.acted(self._service, run, request_id, act, change.actor, **details)
            # Beside this: it may ask the desk what a message means.
            self._service.runtime.run_beside(self._service.advance(run))
        await self._ask(run)

    # -- asking ---------------------------------------------------------------------------------------------

    async def _question_for(self, run: Run, text: str) -> _Asked | None:
        """Return the question that a message to a ticket answers, or None."""
        if (asked := await self._ask(run)) is not None:
            return asked
        asked = self._asked.pop(run.id, None)
        return asked if asked and _selects(_offered(asked.request), asked.number, text) else None

    async def _ask(self, run: Run) -> _Asked | None:
        """Ask the next question of the oldest request, unless one was asked that waits; return it."""
        waiting = await self._service.requests(run)
        asked = self._asked.get(run.id)
        if not waiting or (asked is not None and asked.request.id in {one.request.id for one in waiting}):
            return asked if waiting else None
        opened = await self._service.inbox.open(waiting[0].request.id)
        if opened is None or not opened.is_pending:
            return None
        return await self._put(run, opened.request, _interview(opened).review())

    async def _put(
        self, run: Run, request: Request, one: Interview, again: str = "", why: str = ""
    ) -> _Asked:
        """Ask the question in front, once more after the message ``again``, for a reason (``why``)."""
        text, labels = question_asked(request, one, why)
        if isinstance(request, DecidedRequest) and not self._service.policy.allows_anybody(run.repository):
            text, labels = f"{decision_shown(request)}\n\n{ELSEWHERE.format(run.machine)}", []
        number = one.state.tab + 1
        self._asked[run.id] = asked = _Asked(request, number)
        body = {"request": request.id, "number": number, "of": one.count, "text": text, "options": labels}
        body["decides"] = isinstance(request, DecidedRequest)
        # A call that a stop withdrew asks anew, in another segment.
        what = f"{request.id}:{number}:{run.segment}{again and f':{again}'}"
        await self._service.record(run.id, Happened.ASKED, what, body)
        return asked

    # -- answers --------------------------------------------------------------------------------------------

    async def _apply(self, run: Run, message: TicketMessage, request_id: str, number: int) -> None:
        """Let a message answer a question; the next one is asked, or the request settled."""
        actor = _actor_of(message)
        opened = await self._service.inbox.open(request_id)
        stored = await self._service.inbox.run(lambda store: store.requests.get(request_id))
        if opened is None or stored is None or stored.outcome is not None:
            settled = stored.actor if stored is not None else None
            if settled is None or (settled.surface, settled.name) != (actor.surface, actor.name):
                await self._say(run, message, _how(settled))
            return
        request, act = opened.request, act_of(opened.request)
        if await authority.refuses(self._service, run, message, act):
            return
        one = _interview(opened).at(number - 1)
        try:
            then = _replied(one, _offered(request), number, message.text)
            if then.state.outcome is None:
                opened.type(then.state, actor)
                if not then.problem:
                    self._answered[run.id] = actor, time.monotonic()
                await self._service.inbox.run(lambda _store: None)  # it is on disk now
                await self._put(run, request, then, message.id if then.problem else "", then.problem)
                return
            verdict = await opened.settle_by(then.state.outcome, actor)
            self._answered[run.id] = actor, time.monotonic()
        except (TypedError, InvalidOutcome) as error:
            why = error.reason if isinstance(error, InvalidOutcome) else str(error)
            await self._put(run, request, one, message.id, why)
            return
        if isinstance(verdict, AlreadySettled):
            await self._say(run, message, _how(verdict.actor))

    async def _say(self, run: Run, message: TicketMessage, how: str) -> None:
        body = {"kind": "thought", "text": f"{how}; nothing was sent from here.", "parameter": ""}
        await self._service.record(run.id, Happened.REPORTED, f"message {message.id}", body)


def _actor_of(message: TicketMessage) -> Actor:
    """Return who says a message, and where."""
    return Actor.here(message.surface, one_line(message.person.name, MOST_SHOWN), message.person.id)


def act_of(request: Request) -> RunAct:
    """Return what an answer to a request does."""
    return RunAct.ALLOW if isinstance(request, DecidedRequest) else RunAct.ANSWER


def _interview(opened: OpenRequest) -> Interview:
    """Go on from the newest draft, with nothing that lasts, which is for the person at the machine."""
    if opened.stale is not None:
        opened.take_over()
    return Interview.of(_offered(opened.request).questions, opened.shown, reviews=False)


def _replied(one: Interview, asked: Asked, number: int, text: str) -> Interview:
    """Return what a message that answers a question makes of the interview; raises `TypedError`."""
    if one.state.tab != number - 1:
        raise TypedError("the question that this answers is no longer asked")
    if one.state.questions.is_form and same_words(text, "decline") and not _selects(asked, number, text):
        return one.decline()
    return one.answer_question(_read(asked, number, text))


def _offered(request: Request) -> Asked:
    return kind_of(request).asked(request).offered(lasting=False)


def _read(asked: Asked, number: int, text: str) -> Answer:
    return read_line(asked.questions.questions[number - 1], text.strip(), asked.named_values(number - 1))


def _selects(asked: Asked, number: int, text: str) -> bool:
    """Whether a text can only be meant for a question: it names its options."""
    try:
        answer = _read(asked, number, text)
    except TypedError:
        return False
    return bool(answer.selected and not answer.note)


def _how(actor: Actor | None) -> str:
    return f"Answered {actor.where if actor else 'elsewhere'}"


def _given(request: Request, outcome: RequestOutcome) -> str:
    """Say an outcome in one line."""
    match outcome:
        case Answered(answers) if isinstance(request, AnsweredRequest):
            pairs = zip(request.questions.questions, answers, strict=True)
            words = "; ".join(f"{one.header or one.text}: {answer_line(answer)}" for one, answer in pairs)
        case Expired():
            words = "nobody answered in time, and nothing was chosen"
        case _:
            text = getattr(outcome, "text", "")
            words = f"{type(outcome).__name__.lower()}{text and f', “{text}”'}"
    return one_line(words, MOST_SHOWN)


MOST_TEXT = 8_000
"""Most characters of a text that is shown."""


Asking = tuple[str, list[str]]
"""What a ticket is asked: Markdown, and the labels to choose one of, if one is to be chosen."""


def question_asked(request: Request, interview: Interview, why: str = "") -> Asking:
    """Return how the question in front is asked.

    Args:
        request: The request.
        interview: The way through it, with the answers so far.
        why: Why it is asked again, or "".
    """
    question = interview.state.page.question
    one_of = question.kind is Kind.CHOICE and not question.multi_select
    named = list(enumerate(marks(question))) if one_of and not question.acts else []
    names = [(button(question, place), mark) for place, mark in named]
    # What would come back as another text is chosen by its mark.
    options = [name if name == safe(name) else mark for name, mark in names]
    ways = list(zip(question.options, question.acts, strict=False))
    options += [one.label for one, act in ways if not act.takes_words]
    parts = _decision(request, question) if question.acts else _question(interview)
    again = f"**Nothing was sent:** {_line(why)}" if why else ""
    return "\n\n".join(part for part in (again, *parts) if part.strip()), options


def decision_shown(request: Request) -> str:
    """Return what a permission or a plan is about."""
    if isinstance(request, PlanRequest):
        return f"**Claude proposes a plan**\n\n{safe(request.plan, limit=MOST_TEXT)}"
    whole = "\n".join(lines(kind_of(request).document(request, None))).strip("\n")
    return fenced(safe(whole, limit=MOST_TEXT))


def _decision(request: Request, question: Question) -> Iterator[str]:
    yield decision_shown(request)
    ways = zip(question.options, question.acts, strict=True)
    yield "\n".join(f"- **{act.key}** {_line(one.label)}" for one, act in ways)
    yield f"_Reply with {', '.join(acts_to_type(question))}._"


def _question(interview: Interview) -> Iterator[str]:
    state, page, number = interview.state, interview.state.page, interview.number
    question = page.question
    if interview.count > 1:
        header = f" · {_line(question.header)}" if question.header else ""
        yield f"**Question {number} of {interview.count}{header}**"
    if number == 1:
        yield from (safe(one, limit=MOST_TEXT) for one in (state.questions.title, state.questions.intro))
    head, description, *options = question_blocks(question)
    yield safe(head.text, limit=MOST_TEXT)
    yield safe(description.text, limit=MOST_TEXT)
    yield "\n".join(_option(one) for one in options if one.text or one.part is PassageKind.OPTION)
    given = ((one.question, one.as_answer()) for one in state.asked_pages if one is not page and one.answered)
    rows = [f"- {_line(one.header or one.text)}: {_line(answer_line(answer))}" for one, answer in given]
    yield "\n".join(["Answers so far:", *rows] if rows else [])
    proposed = f" “{_line(answer_line(page.as_answer()))}” is proposed." if page.proposed else ""
    yield f"_{_hint(question)}{proposed}_"


def _option(block: Passage) -> str:
    """Draw an option, or the preview of the one before it."""
    if block.part is PassageKind.OPTION:
        about = f" {_line(block.text)}" if block.text.startswith(" ") else _line(block.text)
        return f"{block.mark}. **{_line(block.name)}**{about}"
    return "\n   " + fenced(safe(block.text, limit=MOST_TEXT)).replace("\n", "\n   ") + "\n"


def _line(text: str) -> str:
    return one_line(text, 400)


def _hint(question: Question) -> str:
    own = question.kind is Kind.CHOICE and not question.closed
    hint = f"Reply: {_line(allowed(question, named=False))}."
    hint += " Anything else is an answer in your own words." if own else ""
    hint += " “-” skips it." if question.optional else ""
    return f"{hint} “decline” declines all of it." if question.field is not None else hint
