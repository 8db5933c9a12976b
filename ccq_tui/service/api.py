"""The service over HTTP: its API, the webhooks of its adapters, and the board of its runs."""

import asyncio
import hmac
import json
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

import prometheus_client
from fastapi import Depends, FastAPI, Query
from pydantic import BeforeValidator, Field
from sse_starlette import ServerSentEvent
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.records import request_record
from ccq_tui.inbox.requests import AnsweredRequest, Cancelled
from ccq_tui.inbox.schema import Given, RequestRecord
from ccq_tui.inbox.store.rows import StoredRequest, stamp
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import AlreadySettled, InboxError, InvalidOutcome, Unknown
from ccq_tui.remote.relay.endpoints import PAGE
from ccq_tui.service import authority
from ccq_tui.service.authority import NotAllowedError
from ccq_tui.service.people import LINK, UNKNOWN, Participant, RunAct, TicketRole
from ccq_tui.service.policy import NoRepositoryError
from ccq_tui.service.port import NewTicket, TicketMessage
from ccq_tui.service.run import OVER, UNLINKED, Happened, Run, RunEvent, RunState
from ccq_tui.service.service import Service
from ccq_tui.service.store import RunStoreError, UnknownRunError
from ccq_tui.service.telemetry import Telemetry
from ccq_tui.service.tokens import Scope, is_over, page_sign, read_tokens
from ccq_tui.text import one_line
from ccq_tui.timeouts import set_within
from ccq_tui.web import api as web
from ccq_tui.web.bodies import Done, shape
from ccq_tui.web.guards import CallLimits, Guesses, read_body, token_digest
from ccq_tui.web.problems import ProblemError, wrong

_logger = logging.getLogger(__name__)

API = "api"
"""The source of runs that the API creates; their events are not sent, but can be followed."""
FILES = Path(__file__).with_name("page")
LIMITS = CallLimits(1_000_000)
MOST_EVENTS = 500
MOST_TEXT = 300
POLL_SECONDS = 1.0
READ: web.Roles = [Scope.READ]
MAY_ANSWER: web.Roles = [Scope.ANSWER]
MAY_START: web.Roles = [Scope.START]
LINKED = "Bearer page."
"""How a page calls whose address is its right: then the run's id, a dot, and what signs it."""
READS_ALONE = "This token may read, but not answer."
READY, RUN, RUN_REQUEST = "/ready", "/runs/{run}", "/runs/{run}/requests/{request}"

api = web.new_router()

_TEXT: Any = Annotated[str, Field(min_length=1)]
NewRun: Any = shape(
    "NewRun",
    title=_TEXT,
    prompt=_TEXT,
    ticket=(str, ""),
    repository=(str, ""),
    url=(str, ""),
    about=(dict[str, list[str] | str], {}),
)
_RUN: Any = {one.name: str for one in fields(Run) if one.name != "link"}
_RUN |= {"people": dict[str, dict[str, str]], "segment": int, "state": RunState, "page": str}
_WAITS: Any = shape("WaitingQuestion", request=str, kind=str, text=str, asked_at=str)
RunEntry: Any = shape("RunEntry", **_RUN, questions=int, waiting=list[_WAITS], done=bool)
RunEntries = shape("RunEntries", runs=list[RunEntry], counts=dict[RunState, int])
_WHOLE: Any = {"here": bool, "asked": dict[str, Any] | None, "refused": dict[str, str]}
WholeRun = shape("WholeRun", RunEntry, **_WHOLE, events=list[dict[str, Any]])
RunMessage = shape("RunMessage", text=_TEXT, meant=(str, ""), id=(str, ""))
MarkDone = shape("MarkDone", done=(bool, True))
RunRequests = shape("RunRequests", requests=list[RequestRecord])
AnswerBody = shape("AnswerBody", answer=Given)


@dataclass
class ServiceParts:
    """What the endpoints work with.

    Attributes:
        service: The service, started.
        state: The directory of state, with the tokens.
        page: Returns the address of a run's page, which opens it without a token.
        key: The key of the pages' addresses.
        telemetry: What counts.
        ending: Set when streams are to end.
    """

    service: Service
    state: Path
    page: Callable[[Run], str]
    key: bytes
    telemetry: Telemetry
    ending: asyncio.Event = field(default_factory=asyncio.Event)
    guesses: Guesses = field(default_factory=lambda: Guesses(LIMITS))


@dataclass(frozen=True, slots=True)
class ServiceCall:
    """A call that may be made, who makes it, and whether that may answer."""

    parts: ServiceParts
    request: Request
    person: Participant
    answers: bool

    @property
    def surface(self) -> Surface:
        """Where it is made: a browser names the page's origin when it sends something."""
        return Surface.PAGE if "origin" in self.request.headers else Surface.PROGRAM

    def record(self, run: Run) -> dict[str, Any]:
        """Return a run in JSON; the address of its page, which answers, is for who may answer."""
        times = {"created": stamp(run.created), "changed": stamp(run.changed)}
        record = {**asdict(run), **times, "page": self.parts.page(run) if self.answers else ""}
        del record["link"]
        return record | ({"people": {}} if self.is_linked else {})

    @property
    def is_linked(self) -> bool:
        """Whether the address of a run's page is its only right."""
        return self.person.id.startswith(LINK)

    async def run(self) -> Run:
        """Return the run in the address; raises `UnknownRunError`."""
        return await asyncio.to_thread(self.parts.service.store.get, self.request.path_params["run"])


Call = Annotated[ServiceCall, Depends(web.entered)]
Limit = Annotated[int, Query(ge=0, le=1_000)]
States = Annotated[tuple[RunState, ...], Query(), BeforeValidator(lambda texts: filter(None, texts))]


def page_address(origin: str, key: bytes, run: Run) -> str:
    """Return the address of a run's page, or "" for none."""
    return "" if run.link == UNLINKED else f"{origin}/page/{run.id}/{page_sign(key, run)}"


# -- the API ----------------------------------------------------------------------------------------------


@api.get("/health", response_model=shape("ServiceHealth", status=str, machine=str))
async def health(call: Call) -> web.Answer:
    """Say that the service is alive."""
    return {"status": "ok", "machine": call.parts.service.machine}


@api.get(READY, response_model=shape("ServiceReady", status=str, machine=str, sessions=str))
async def ready(call: Call) -> web.Answer:
    """Say that the service can write into its database, and what its sessions run as."""
    service = call.parts.service
    await asyncio.to_thread(service.store.check)
    return {"status": "ok", "machine": service.machine, "sessions": service.isolation.words}


@api.post("/runs", tags=MAY_START, response_model=RunEntry)
async def post_run(call: Call, given: Annotated[web.Sent, web.shaped(NewRun)]) -> web.Answer:
    """Create a run; the same ticket again is the same run."""
    fields = {"ticket": str(uuid4())} | {name: one for name, one in given.items() if one}
    ticket = NewTicket(API, **fields, people={TicketRole.CREATOR: call.person}, person=call.person)
    policy = call.parts.service.policy
    if why := policy.refusal(call.person, RunAct.START, policy.choose(ticket), ticket.people):
        raise NotAllowedError(why)
    run = await call.parts.service.incoming(ticket)
    assert run is not None  # noqa: S101 - a ticket always has a run
    [entry] = await _entries(call, [run])
    return entry


@api.get("/runs", tags=READ, response_model=RunEntries)
async def get_runs(call: Call, state: States = (), machine: str = "", limit: Limit = 100) -> web.Answer:
    """List runs with the questions that wait in them, the one that changed last first."""
    store = call.parts.service.store
    found = await asyncio.to_thread(store.list, state, machine, limit or 100)
    return {"runs": await _entries(call, found), "counts": await asyncio.to_thread(store.counts)}


@api.get(RUN, tags=READ, response_model=WholeRun)
async def get_run(call: Call, after: web.Count = None) -> web.Answer:
    """Get a run, what the caller may not do in it, and what happened in it after an event, newest first."""
    run, service = await call.run(), call.parts.service
    newest = partial(service.store.events, run.id, after or 0, MOST_EVENTS, newest=True)
    events = await asyncio.to_thread(newest)
    if call.is_linked:  # who did what is for the audit
        events = [one for one in events if one.kind is not Happened.ACTED]
    asked = await asyncio.to_thread(service.store.asked, [run.id])
    [entry] = await _entries(call, [run])
    return entry | {
        "here": run.machine in ("", service.machine),
        "asked": {**asked[0].body, "meant": _target_of(asked[0]), "event": asked[0].id} if asked else None,
        "refused": _refusals(call, run) if call.answers else dict.fromkeys(RunAct, READS_ALONE),
        "events": [one.record for one in events],
    }


async def _entries(call: ServiceCall, runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return runs with what waits in them, and whether the person is done with them.

    The questions of another machine's run are known by what its ticket was asked.
    """
    service = call.parts.service
    here = [run for run in runs if run.machine == service.machine]

    def read(store: Store) -> tuple[dict[str, list[StoredRequest]], set[str]]:
        waiting = {one.id: store.requests.waiting(one.session) for one in here if one.state not in OVER}
        sessions = {one.id: store.sessions.get(one.session) for one in here if one.state in OVER}
        return waiting, {name for name, session in sessions.items() if session and session.done}

    waiting, done = await service.inbox.run(read)
    found = {name: [each for one in stored for each in _questions(one)] for name, stored in waiting.items()}
    others = [one.id for one in runs if one not in here and one.state not in OVER]
    for event in await asyncio.to_thread(service.store.asked, others):
        found[event.run] = _asked_elsewhere(event)
    waits = [(one, found.get(one.id, [])) for one in runs]
    return [
        {**call.record(one), "waiting": asked, "questions": len(asked), "done": one.id in done}
        for one, asked in waits
    ]


def _questions(stored: StoredRequest) -> list[dict[str, str]]:
    """Return the questions of a request; a permission or a plan is one."""
    request, kind = stored.request, kind_of(stored.request)
    texts = [kind.summary(request)]
    if isinstance(request, AnsweredRequest) and request.questions.questions:
        texts = [one.text or one.header for one in request.questions.questions]
    head = {"request": request.id, "kind": kind.WORD, "asked_at": stamp(stored.asked_at)}
    return [{**head, "text": one_line(text, MOST_TEXT)} for text in texts]


def _asked_elsewhere(event: RunEvent) -> list[dict[str, str]]:
    body, kind = event.body, "permission" if event.body.get("decides") else "question"
    head = {"request": body["request"], "kind": kind, "asked_at": stamp(event.at)}
    return [{**head, "text": one_line(str(body["text"]), MOST_TEXT)}] * (body["of"] - body["number"] + 1)


def _refusals(call: ServiceCall, run: Run) -> dict[str, str]:
    """Return what the caller may not do in a run, with the reasons."""
    policy = call.parts.service.policy
    reasons = {act: policy.refusal(call.person, act, run.repository, run.people) for act in RunAct}
    if call.is_linked and run.state in OVER:
        reasons[RunAct.PROMPT] = "The run is over, and its page continues nothing. Write in its ticket."
    return {act: why for act, why in reasons.items() if why}


def _target_of(question: RunEvent) -> str:
    """Return what `TicketMessage.meant` is for an answer to a question."""
    return f"{question.body['request']}:{question.body['number']}"


@api.get(f"{RUN}/requests", tags=READ, response_model=RunRequests)
async def get_requests(call: Call) -> web.Answer:
    """List what of a run waits for a person on this machine, oldest first."""
    return {"requests": [request_record(one) for one in await call.parts.service.requests(await call.run())]}


@api.post(f"{RUN_REQUEST}/answer", tags=MAY_ANSWER, response_model=Done)
async def answer(call: Call, given: Annotated[web.Sent, web.shaped(AnswerBody, exact=True)]) -> None:
    """Answer a request of a run; the first answer wins."""
    place, data = call.request.path_params, dict(given["answer"])
    data.pop("version", None)
    details = (data, call.person, call.surface)
    match await call.parts.service.answer_request(place["run"], place["request"], *details):
        case Unknown():
            raise ProblemError(404, "This run has no such request on this machine.")
        case AlreadySettled(outcome=outcome) as settled:
            status = 410 if isinstance(outcome, Cancelled) else 409
            raise ProblemError(status, f"{settled.words}; nothing was changed.")


@api.post(f"{RUN}/stop", tags=MAY_ANSWER, response_model=Done)
async def stop(call: Call) -> None:
    """Stop a run at once."""
    if not await call.parts.service.stop(call.request.path_params["run"], call.person, call.surface):
        raise ProblemError(409, "The run has ended already.")


@api.post(f"{RUN}/messages", tags=MAY_ANSWER, response_model=Done)
async def post_message(call: Call, given: Annotated[web.Sent, web.shaped(RunMessage)]) -> None:
    """Say something to a run: an answer to a question that its ticket was asked, or more to do."""
    run, service, target = await call.run(), call.parts.service, given.get("meant", "")
    if not (text := given["text"].strip()):
        raise wrong("text", "it is empty")
    act = RunAct.PROMPT
    if target:
        events = partial(service.store.events, run.id, limit=MOST_EVENTS, newest=True)
        asked = [one for one in await asyncio.to_thread(events) if one.kind is Happened.ASKED]
        if (question := next((one for one in asked if _target_of(one) == target), None)) is None:
            raise ProblemError(409, "The run no longer asks this.")
        act = RunAct.ALLOW if question.body.get("decides") else RunAct.ANSWER
    elif run.state in OVER and (why := _refusals(call, run).get(act)):
        raise NotAllowedError(why)
    await authority.check(service, run, call.person, act, call.surface)
    # Not the id of another's message to come.
    name = f"page {run.id} {given.get('id') or uuid4()}"
    place = (run.source, run.ticket, name, text, call.person)
    message = TicketMessage(*place, surface=call.surface, meant=target)
    if not target:
        shown = {"kind": "thought", "text": f"Written {message.actor.where}: {text}", "parameter": ""}
        await service.record(run.id, Happened.REPORTED, message.id, shown)
    await service.incoming(message)


@api.post(f"{RUN}/done", tags=MAY_ANSWER, response_model=Done)
async def mark_done(call: Call, given: Annotated[web.Sent, web.shaped(MarkDone)]) -> None:
    """Say that a person is done with a run that has ended, or no longer is; its session is marked, too."""
    run, done, service = await call.run(), given.get("done", True), call.parts.service
    if call.is_linked:
        raise NotAllowedError("The address of a page is no right to mark it as done.")
    if run.state not in OVER:
        raise ProblemError(409, f"The run is {run.state}: stop it first.")
    await authority.check(service, run, call.person, RunAct.STOP, call.surface)
    actor = Actor.here(call.surface, call.person.name)

    def mark(store: Store) -> bool:
        store.sessions.set_done(run.session, done, actor)
        return store.sessions.get(run.session) is not None

    if not await service.inbox.run(mark):
        raise ProblemError(409, f"The run has no session on {service.machine}, which could be marked.")


@api.get(f"{RUN}/events", tags=READ, response_class=web.EventStream)
@api.get("/events", tags=READ, response_class=web.EventStream)
async def get_events(call: Call, after: web.Count = None) -> Response:
    """Follow what happens in a run, or in all, as server-sent events from the first one on."""
    if call.is_linked:
        raise NotAllowedError("The address of a page is no right to follow all that happens.")
    run_id, last = call.request.path_params.get("run"), web.last_event(call.request, after) or 0
    if run_id is not None:
        await call.run()
    return web.EventStream(_events(call, run_id, last), ping=7, send_timeout=web.SEND_SECONDS)


async def _events(call: ServiceCall, run_id: str | None, after: int) -> AsyncIterator[ServerSentEvent]:
    yield ServerSentEvent(comment="connected")
    while not call.parts.ending.is_set():
        found = await asyncio.to_thread(call.parts.service.store.events, run_id, after)
        for event in found:
            after = event.number
            yield ServerSentEvent(json.dumps(event.record), event=event.kind, id=str(after))
        if not found:
            await set_within(call.parts.ending, POLL_SECONDS)


@api.get("/metrics", tags=READ, response_class=PlainTextResponse)
async def metrics(call: Call) -> Response:
    """Get the counts of runs and of what happened, as Prometheus reads them."""
    counts = await asyncio.to_thread(call.parts.service.store.counts)
    return Response(call.parts.telemetry.text(counts), media_type=prometheus_client.CONTENT_TYPE_LATEST)


def service_app(parts: ServiceParts) -> FastAPI:
    """Return the application of the service.

    Args:
        parts: What it works with.
    """

    async def enter(request: Request, roles: list[Any]) -> ServiceCall:
        person, answers = await _caller(parts, request, Scope(*roles)) if roles else (UNKNOWN, False)
        return ServiceCall(parts, request, person, answers)

    async def board(_request: Request) -> Response:
        return FileResponse(FILES / "board.html")

    failures = (UnknownRunError, NotAllowedError, NoRepositoryError, InboxError, RunStoreError)
    more = [
        Route("/webhooks/{name}", partial(_taken, parts), methods=["POST"]),
        *(Route(path, board) for path in ("/", "/page/{run}/{sign}")),
        Mount("/board", StaticFiles(directory=FILES)),
        Mount("/static", StaticFiles(directory=PAGE)),
    ]
    return web.api_app(api, "ccq-tui service", enter, LIMITS.body, more, dict.fromkeys(failures, _refused))


async def _linked(parts: ServiceParts, given: str) -> Run | None:
    """Return the run whose page an address opens, or None."""
    run_id, _, sign = given.removeprefix(LINKED).partition(".")
    try:
        run = await asyncio.to_thread(parts.service.store.get, run_id)
    except UnknownRunError:
        return None
    late = datetime.now(UTC) - timedelta(seconds=parts.service.policy.limits.link)
    is_open = run.link != UNLINKED and not (run.state in OVER and run.changed < late)
    is_signed = hmac.compare_digest(page_sign(parts.key, run).encode(), sign.encode("utf-8", "replace"))
    return run if is_open and is_signed else None


async def _caller(parts: ServiceParts, request: Request, scope: Scope) -> tuple[Participant, bool]:
    """Return who calls, by a token or a page's address, and if that may answer; raises `ProblemError`."""
    given = request.headers.get("authorization", "")
    is_linked = given.startswith(LINKED)
    if is_linked and (run := await _linked(parts, given)) is not None:
        if request.path_params.get("run") == run.id and scope is not Scope.START:
            return Participant(f"{LINK}{run.id}"), True
        raise ProblemError(403, "The address of a page is a right to its run alone.")
    # Looked up by its digest, which shows nothing of a token however long that takes.
    tokens = await asyncio.to_thread(read_tokens, parts.state)
    token = tokens.get(token_digest(request))
    if token is not None and not is_over(token):
        if scope in token["scopes"]:
            return Participant(f"token:{token['name']}", token["name"]), Scope.ANSWER in token["scopes"]
        raise ProblemError(403, f"This token may {' and '.join(token['scopes'])}, but not {scope}.")
    with parts.guesses.guessing(request):
        if is_linked:
            raise ProblemError(404, "No run has this page, or it opens no more.")
        why = "The token is missing or unknown: make one by ccq-tui serve token NAME."
        raise ProblemError(401, why, headers={"WWW-Authenticate": "Bearer"})


async def _refused(_request: Request, error: Exception) -> Response:
    match error:
        case UnknownRunError():
            problem = ProblemError(404, str(error))
        case NotAllowedError():
            problem = ProblemError(403, str(error))
        case NoRepositoryError():
            problem = ProblemError(400, str(error), field="repository")
        case InvalidOutcome(field=name, reason=reason):
            problem = wrong(f"answer.{name}" if name else "answer", reason)
        case _:
            _logger.warning("A call failed: %s", error)
            problem = ProblemError(503, f"{error}; try again.", headers={"Retry-After": "2"})
    return problem.response()


# -- webhooks ---------------------------------------------------------------------------------------------


async def _taken(parts: ServiceParts, request: Request) -> Response:
    """Take a webhook; one that could not be taken may come again."""
    name = request.path_params["name"]
    if (reader := parts.service.adapters.get(name)) is None:
        raise ProblemError(404, "No adapter of this name is configured.")
    body = await read_body(request, LIMITS.body)
    try:
        incoming = reader.read(request.headers, body)
    except ProblemError as error:
        parts.telemetry.webhook(name, "refused")
        _logger.warning("A webhook of %s was refused: %s", name, error.detail)
        raise
    if incoming is not None:
        await parts.service.incoming(incoming)
    parts.telemetry.webhook(name, "ignored" if incoming is None else "taken")
    return Response(status_code=200)
