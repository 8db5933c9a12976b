"""The service over HTTP: its API, the webhooks of its adapters, and the pages of its runs."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qsl
from uuid import uuid4

import prometheus_client
from fastapi import Depends, FastAPI, Query
from pydantic import BeforeValidator, Field
from sse_starlette import ServerSentEvent
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.records import request_record
from ccq_tui.inbox.requests import Cancelled
from ccq_tui.inbox.schema import Given, RequestRecord
from ccq_tui.inbox.store.rows import stamp
from ccq_tui.inbox.verdicts import AlreadySettled, InboxError, InvalidOutcome, Unknown
from ccq_tui.service.authority import NotAllowedError
from ccq_tui.service.page import MOST_EVENTS, STYLE, meant_by, run_page
from ccq_tui.service.people import LINK, Participant, RunAct, TicketRole
from ccq_tui.service.policy import NoRepositoryError
from ccq_tui.service.port import NewTicket, TicketMessage, Webhook
from ccq_tui.service.run import OVER, UNLINKED, WORKS, Happened, Run, RunEvent, RunState
from ccq_tui.service.service import Service
from ccq_tui.service.store import RunStoreError, UnknownRunError
from ccq_tui.service.telemetry import Telemetry
from ccq_tui.service.tokens import Scope, Token, is_over, page_sign, read_tokens
from ccq_tui.web.api import (
    SEND_SECONDS,
    Answer,
    Count,
    EventStream,
    Roles,
    Sent,
    api_app,
    entered,
    last_event,
    new_router,
    shaped,
)
from ccq_tui.web.bodies import Done, shape
from ccq_tui.web.guards import CallLimits, Guesses, read_body, token_digest
from ccq_tui.web.problems import ProblemError, wrong

_logger = logging.getLogger(__name__)

API = "api"
"""The source of runs that the API creates; their events are not sent, but can be followed."""
LIMITS = CallLimits(1_000_000)
LOOK_SECONDS = 1.0
HEARTBEAT_SECONDS = 7
"""Seconds between two comments in a stream of events."""
EFFECT_SECONDS = 3.0
"""Most seconds that a page waits for the effect of what was sent from it."""
READ: Roles = [Scope.READ]
MAY_ANSWER: Roles = [Scope.ANSWER]
MAY_START: Roles = [Scope.START]
NOBODY = Token(name="", scopes=[], until="")
READY, RUN, RUN_REQUEST = "/ready", "/runs/{run}", "/runs/{run}/requests/{request}"

api = new_router()

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
RunEntry: Any = shape("RunEntry", **_RUN)
RunEntries = shape("RunEntries", runs=list[RunEntry])
RunRequests = shape("RunRequests", requests=list[RequestRecord])
AnswerBody = shape("AnswerBody", answer=Given)
Health = shape("ServiceHealth", status=str, machine=str)
Ready = shape("ServiceReady", status=str, machine=str, sessions=str)


@dataclass
class ServiceParts:
    """What the endpoints work with.

    Attributes:
        service: The service, started.
        webhooks: What reads the webhooks at ``/webhooks/NAME``, by name.
        state: The directory of state, with the tokens.
        page: Returns the address of a run's page, which opens it without a token.
        key: The key of the pages' addresses.
        telemetry: What counts.
        ending: Set when streams are to end.
    """

    service: Service
    webhooks: Mapping[str, Webhook]
    state: Path
    page: Callable[[Run], str]
    key: bytes
    telemetry: Telemetry
    ending: asyncio.Event = field(default_factory=asyncio.Event)
    guesses: Guesses = field(default_factory=lambda: Guesses(LIMITS))


@dataclass(frozen=True, slots=True)
class ServiceCall:
    """A call that may be made, with the token of who makes it."""

    parts: ServiceParts
    request: Request
    token: Token

    @property
    def person(self) -> Participant:
        """Who makes it."""
        return Participant(f"token:{self.token['name']}", self.token["name"])

    def record(self, run: Run) -> dict[str, Any]:
        """Return a run in JSON; the address of its page, which answers, is for who may answer."""
        return run_record(run, self.parts.page(run) if Scope.ANSWER in self.token["scopes"] else "")

    async def run(self) -> Run:
        """Return the run in the address; raises `UnknownRunError`."""
        return await asyncio.to_thread(self.parts.service.store.get, self.request.path_params["run"])


Call = Annotated[ServiceCall, Depends(entered)]
Limit = Annotated[int, Query(ge=0, le=1_000)]
State = Annotated[RunState | None, BeforeValidator(lambda text: text or None)]


def page_address(origin: str, key: bytes, run: Run) -> str:
    """Return the address of a run's page, or "" for none."""
    return "" if run.link == UNLINKED else f"{origin}/page/{run.id}/{page_sign(key, run)}"


def run_record(run: Run, page: str) -> dict[str, Any]:
    """Return a run in JSON."""
    record = {**asdict(run), "created": stamp(run.created), "changed": stamp(run.changed), "page": page}
    del record["link"]
    return record


def event_record(event: RunEvent) -> dict[str, Any]:
    """Return an event in JSON."""
    return {**asdict(event), "at": stamp(event.at)}


# -- the API ----------------------------------------------------------------------------------------------


@api.get("/health", response_model=Health)
async def health(call: Call) -> Answer:
    """Say that the service is alive."""
    return {"status": "ok", "machine": call.parts.service.machine}


@api.get(READY, response_model=Ready)
async def ready(call: Call) -> Answer:
    """Say that the service can write into its database, and what its sessions run as."""
    service = call.parts.service
    await asyncio.to_thread(service.store.check)
    return {"status": "ok", "machine": service.machine, "sessions": service.isolation.words}


@api.post("/runs", tags=MAY_START, response_model=RunEntry)
async def post_run(call: Call, given: Annotated[Sent, shaped(NewRun)]) -> Answer:
    """Create a run; the same ticket again is the same run."""
    said = {"ticket": str(uuid4())} | {name: one for name, one in given.items() if one}
    ticket = NewTicket(API, **said, people={TicketRole.CREATOR: call.person}, person=call.person)
    policy = call.parts.service.policy
    if why := policy.refusal(call.person, RunAct.START, policy.choose(ticket), ticket.people):
        raise NotAllowedError(why)
    run = await call.parts.service.incoming(ticket)
    assert run is not None  # noqa: S101 - a ticket always has a run
    return call.record(run)


@api.get("/runs", tags=READ, response_model=RunEntries)
async def get_runs(call: Call, state: State = None, machine: str = "", limit: Limit = 100) -> Answer:
    """List runs, the one that changed last first."""
    states = (state,) if state else ()
    found = await asyncio.to_thread(call.parts.service.store.list, states, machine, limit or 100)
    return {"runs": [call.record(one) for one in found]}


@api.get(RUN, tags=READ, response_model=RunEntry)
async def get_run(call: Call) -> Answer:
    """Get a run."""
    run = await call.run()
    return call.record(run)


@api.get(f"{RUN}/requests", tags=READ, response_model=RunRequests)
async def get_requests(call: Call) -> Answer:
    """List what of a run waits for a person on this machine, oldest first."""
    return {"requests": [request_record(one) for one in await call.parts.service.requests(await call.run())]}


@api.post(f"{RUN_REQUEST}/answer", tags=MAY_ANSWER, response_model=Done)
async def answer(call: Call, given: Annotated[Sent, shaped(AnswerBody, exact=True)]) -> None:
    """Answer a request of a run; the first answer wins."""
    place, data = call.request.path_params, dict(given["answer"])
    data.pop("version", None)
    match await call.parts.service.answer(place["run"], place["request"], data, call.person):
        case Unknown():
            raise ProblemError(404, "This run has no such request on this machine.")
        case AlreadySettled(outcome=outcome) as settled:
            status = 410 if isinstance(outcome, Cancelled) else 409
            raise ProblemError(status, f"{settled.words}; nothing was changed.")


@api.post(f"{RUN}/stop", tags=MAY_ANSWER, response_model=Done)
async def stop(call: Call) -> None:
    """Stop a run at once."""
    if not await call.parts.service.stop(call.request.path_params["run"], call.person):
        raise ProblemError(409, "The run has ended already.")


@api.get(f"{RUN}/events", tags=READ, response_class=EventStream)
@api.get("/events", tags=READ, response_class=EventStream)
async def get_events(call: Call, after: Count = None) -> Response:
    """Follow what happens in a run, or in all, as server-sent events from the first one on."""
    run_id, last = call.request.path_params.get("run"), last_event(call.request, after) or 0
    if run_id is not None:
        await call.run()
    return EventStream(_events(call, run_id, last), ping=HEARTBEAT_SECONDS, send_timeout=SEND_SECONDS)


async def _events(call: ServiceCall, run_id: str | None, after: int) -> AsyncIterator[ServerSentEvent]:
    yield ServerSentEvent(comment="connected")
    while not call.parts.ending.is_set():
        found = await asyncio.to_thread(call.parts.service.store.events, run_id, after)
        for event in found:
            after = event.number
            yield ServerSentEvent(json.dumps(event_record(event)), event=event.kind, id=str(after))
        if not found:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await call.parts.ending.wait()


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
        token = await _owner(parts, request, Scope(*roles)) if roles else NOBODY
        return ServiceCall(parts, request, token)

    async def page(request: Request) -> Response:
        run, store = await _signed(parts, request), parts.service.store
        if request.method == "POST":
            await _said_on_page(parts.service, run, await read_body(request, LIMITS.body))
            return RedirectResponse(request.url.path, 303)
        events = await asyncio.to_thread(partial(store.events, run.id, limit=MOST_EVENTS, newest=True))
        kept = await asyncio.to_thread(store.kept, run)
        sending = any(one.meant or run.state not in WORKS for one in kept)  # else Claude reads it in time
        return HTMLResponse(run_page(run, events, sending=sending))

    refusals = (UnknownRunError, NotAllowedError, NoRepositoryError, InboxError, RunStoreError)
    more = [
        Route("/webhooks/{name}", partial(_taken, parts), methods=["POST"]),
        Route("/page/{run}/{sign}", page, methods=["GET", "POST"]),
        Route("/page.css", Response(STYLE, media_type="text/css")),
    ]
    return api_app(api, "ccq-tui service", enter, LIMITS.body, more, dict.fromkeys(refusals, _refused))


async def _signed(parts: ServiceParts, request: Request) -> Run:
    """Return the run of a page that is opened by its address; raises `ProblemError`."""
    given = request.path_params["sign"].encode("utf-8", "replace")
    no_page = ProblemError(404, "No run has this page, or it opens no more.")
    try:
        run = await asyncio.to_thread(parts.service.store.get, request.path_params["run"])
    except UnknownRunError as error:
        raise no_page from error
    late = datetime.now(UTC) - timedelta(seconds=parts.service.policy.limits.link)
    is_open = run.link != UNLINKED and not (run.state in OVER and run.changed < late)
    if not (hmac.compare_digest(page_sign(parts.key, run).encode(), given) and is_open):
        raise no_page
    return run


async def _said_on_page(service: Service, run: Run, body: bytes) -> None:
    """Take what was sent from a page, once, and wait a moment for its effect."""
    said, store = dict(parse_qsl(body.decode("utf-8", "replace"))), service.store
    text, meant, stop = said.get("text", "").strip(), said.get("meant", ""), "stop" in said
    if meant:
        events = await asyncio.to_thread(partial(store.events, run.id, limit=MOST_EVENTS, newest=True))
        if meant not in {meant_by(one) for one in events if one.kind is Happened.ASKED}:
            raise ProblemError(409, "The run no longer asks this. Go back, and open the page again.")
    if run.state in OVER and not meant:
        raise ProblemError(403, "The run is over, and its page continues nothing. Write in its ticket.")
    if not (text or stop):
        raise ProblemError(400, "No text was sent. Go back, and write one.", field="text")
    message = TicketMessage(
        run.source,
        run.ticket,
        f"page {run.id} {said.get('id') or uuid4()}",  # not the id of another's message to come
        text,
        Participant(f"{LINK}{run.id}"),
        stop,
        surface=Surface.PAGE,
        meant=meant,
    )
    if not (meant or stop):
        shown = {"kind": "thought", "text": f"On the page of the run: {text}", "parameter": ""}
        await service.record(run.id, Happened.SAID, f"page {message.id}", shown)
    await service.incoming(message)
    if run.machine in ("", service.machine):
        with suppress(TimeoutError):  # the page then says that it is on its way
            async with asyncio.timeout(EFFECT_SECONDS):
                await service.advance(run)


async def _owner(parts: ServiceParts, request: Request, scope: Scope) -> Token:
    """Return the token of a call; raises `ProblemError`."""
    # Looked up by its digest, which shows nothing of a token however long that takes.
    tokens = await asyncio.to_thread(read_tokens, parts.state)
    token = tokens.get(token_digest(request))
    if token is not None and not is_over(token):
        if scope in token["scopes"]:
            return token
        raise ProblemError(403, f"This token may {' and '.join(token['scopes'])}, but not {scope}.")
    with parts.guesses.guessing(request):
        raise ProblemError(
            401,
            "The token is missing or unknown: make one by ccq-tui serve token NAME.",
            headers={"WWW-Authenticate": "Bearer"},
        )


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
    if (reader := parts.webhooks.get(name)) is None:
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
