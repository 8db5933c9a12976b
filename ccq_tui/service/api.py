"""The service over HTTP: its API, the webhooks of its adapters, and the pages of its runs."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid4, uuid5

import prometheus_client
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.records import request_record
from ccq_tui.inbox.requests import Cancelled
from ccq_tui.inbox.schema import Given, RequestRecord
from ccq_tui.inbox.store.rows import stamp
from ccq_tui.inbox.verdicts import AlreadySettled, InboxError, InvalidOutcome, Unknown
from ccq_tui.processes import this_process
from ccq_tui.remote.relay.access import Guesses, RelayLimits, read_body, token_digest
from ccq_tui.remote.relay.app import api_routes, check_query, failure_handlers
from ccq_tui.remote.relay.endpoints import DONE, HEARTBEAT, SEND_SECONDS, Endpoint, last_event, number_in
from ccq_tui.remote.relay.problems import ProblemError, wrong
from ccq_tui.remote.relay.shapes import Done, checked, shape
from ccq_tui.service.page import MOST_EVENTS, STYLE, run_page
from ccq_tui.service.policy import NoRepositoryError
from ccq_tui.service.port import NewTicket, RefusedError, RetryLaterError, Webhook, WebhookCall, WebhookError
from ccq_tui.service.run import Happened, Run, RunEvent, RunState
from ccq_tui.service.service import Service
from ccq_tui.service.store import RunStoreError, UnknownRunError
from ccq_tui.service.telemetry import Telemetry
from ccq_tui.service.tokens import Token, page_sign, read_tokens

_logger = logging.getLogger(__name__)

API = "api"
"""The source of runs that the API creates; they are told to nobody, but to who follows their events."""
LIMITS = RelayLimits(body=1_000_000)
LOOK_SECONDS = 1.0
PERSON = ("person",)
RUN, RUN_REQUEST = "/runs/{run}", "/runs/{run}/requests/{request}"

NewRun: Any = shape(
    "NewRun",
    title=str,
    prompt=str,
    ticket=(str, ""),
    repository=(str, ""),
    url=(str, ""),
    about=(dict[str, list[str] | str], {}),
)
_RUN: dict[str, Any] = dict.fromkeys(
    ("id", "source", "ticket", "title", "url", "prompt", "repository", "machine", "session", "directory"), str
)
RunEntry: Any = shape(
    "RunEntry",
    **_RUN,
    branch=str,
    state=RunState,
    segment=int,
    result=str,
    created=str,
    changed=str,
    page=str,
)
RunEntries = shape("RunEntries", runs=list[RunEntry])
RunRequests = shape("RunRequests", requests=list[RequestRecord])
AnswerBody = shape("AnswerBody", answer=Given)
Health = shape("ServiceHealth", status=str, machine=str)


@dataclass
class ServiceParts:
    """What the endpoints work with.

    Attributes:
        service: The service, started.
        webhooks: What reads the webhooks at ``/webhooks/NAME``, by name.
        state: The directory of state, with the tokens.
        origin: The origin by which people reach pages.
        key: The key of the pages' addresses.
        telemetry: What counts.
        ending: Set when streams are to end.
    """

    service: Service
    webhooks: Mapping[str, Webhook]
    state: Path
    origin: str
    key: bytes
    telemetry: Telemetry
    ending: asyncio.Event = field(default_factory=asyncio.Event)
    guesses: Guesses = field(default_factory=lambda: Guesses(LIMITS))

    def page(self, run: Run) -> str:
        """Return the address of a run's page, which opens it without a token."""
        return page_address(self.origin, self.key, run)


@dataclass(frozen=True, slots=True)
class ServiceCall:
    """A call that may be made, with its checked body and the name of who makes it."""

    parts: ServiceParts
    request: Request
    name: str
    content: Mapping[str, Any]

    @property
    def service(self) -> Service:
        """The service."""
        return self.parts.service

    @property
    def actor(self) -> Actor:
        """Who makes it."""
        return Actor(Surface.PROGRAM, self.name, this_process())

    async def run(self) -> Run:
        """Return the run in the address; raises `UnknownRunError`."""
        return await asyncio.to_thread(self.service.store.get, self.request.path_params["run"])


def page_address(origin: str, key: bytes, run: Run) -> str:
    """Return the address of a run's page."""
    return f"{origin}/page/{run.id}/{page_sign(key, run.id)}"


def run_record(run: Run, page: str) -> dict[str, Any]:
    """Return a run in JSON."""
    return {**asdict(run), "created": stamp(run.created), "changed": stamp(run.changed), "page": page}


def event_record(event: RunEvent) -> dict[str, Any]:
    """Return an event in JSON."""
    return {**asdict(event), "at": stamp(event.at)}


# -- the API ----------------------------------------------------------------------------------------------


async def health(call: ServiceCall) -> Mapping[str, Any]:
    """Say that the service and its database are up."""
    await asyncio.to_thread(call.service.store.counts)
    return {"status": "ok", "machine": call.service.machine}


async def post_run(call: ServiceCall) -> Mapping[str, Any]:
    """Create a run; the same ticket again is the same run."""
    said = {"ticket": str(uuid4())} | {name: one for name, one in call.content.items() if one}
    run = await call.service.incoming(NewTicket(API, **said))
    assert run is not None  # noqa: S101 - a ticket always has a run
    return run_record(run, call.parts.page(run))


async def get_runs(call: ServiceCall) -> Mapping[str, Any]:
    """List runs, the one that changed last first."""
    query = call.request.query_params
    state = query.get("state", "")
    if state and state not in list(RunState):
        raise wrong("state", f"one of {', '.join(RunState)}")
    states = (RunState(state),) if state else ()
    most = number_in(call.request, "limit", 1_000)
    found = await asyncio.to_thread(call.service.store.list, states, query.get("machine", ""), most or 100)
    return {"runs": [run_record(one, call.parts.page(one)) for one in found]}


async def get_run(call: ServiceCall) -> Mapping[str, Any]:
    """Get a run."""
    run = await call.run()
    return run_record(run, call.parts.page(run))


async def get_requests(call: ServiceCall) -> Mapping[str, Any]:
    """List what of a run waits for a person on this machine, oldest first."""
    return {"requests": [request_record(one) for one in await call.service.requests(await call.run())]}


async def answer(call: ServiceCall) -> Mapping[str, Any]:
    """Answer a request of a run; the first answer wins."""
    place, data = call.request.path_params, dict(call.content["answer"])
    data.pop("version", None)
    match await call.service.answer(place["run"], place["request"], data, call.actor):
        case Unknown():
            raise ProblemError(404, "This run has no such request on this machine.")
        case AlreadySettled(outcome=outcome) as settled:
            status = 410 if isinstance(outcome, Cancelled) else 409
            raise ProblemError(status, f"{settled.words}; nothing was changed.")
    return DONE


async def stop(call: ServiceCall) -> Mapping[str, Any]:
    """Stop a run at once."""
    if not await call.service.stop(call.request.path_params["run"], call.actor):
        raise ProblemError(409, "The run has ended already.")
    return DONE


async def adopt(call: ServiceCall) -> Mapping[str, Any]:
    """Take over the runs of a machine that is gone, by their pushed branches."""
    machine = call.request.path_params["machine"]
    if machine == call.service.machine:
        raise ProblemError(409, "This machine is not gone: it has its runs.")
    adopted = await call.service.adopt(machine)
    return {"runs": [run_record(one, call.parts.page(one)) for one in adopted]}


async def get_events(call: ServiceCall) -> Response:
    """Follow what happens in a run, or in all, as server-sent events from the first one on."""
    run_id, after = call.request.path_params.get("run"), last_event(call.request) or 0
    if run_id is not None:
        await call.run()
    return EventSourceResponse(_events(call, run_id, after), ping=0, send_timeout=SEND_SECONDS)


async def _events(call: ServiceCall, run_id: str | None, after: int) -> AsyncIterator[ServerSentEvent]:
    silent = 0.0
    yield ServerSentEvent(comment="connected")
    while not call.parts.ending.is_set():
        found = await asyncio.to_thread(call.service.store.events, run_id, after)
        for event in found:
            after = event.number
            yield ServerSentEvent(json.dumps(event_record(event)), event=event.kind, id=str(after))
        if found:
            silent = 0.0
            continue
        if silent >= HEARTBEAT:
            silent = 0.0
            yield ServerSentEvent(comment="ping")
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                await call.parts.ending.wait()
        except TimeoutError:
            silent += LOOK_SECONDS


async def metrics(call: ServiceCall) -> Response:
    """Get the counts of runs and of what happened, as Prometheus reads them."""
    counts = await asyncio.to_thread(call.service.store.counts)
    return Response(call.parts.telemetry.text(counts), media_type=prometheus_client.CONTENT_TYPE_LATEST)


ENDPOINTS = (
    Endpoint("GET", "/health", (), health, returns=Health),
    Endpoint("POST", "/runs", PERSON, post_run, NewRun, RunEntry),
    Endpoint("GET", "/runs", PERSON, get_runs, returns=RunEntries, query=("state", "machine", "limit")),
    Endpoint("GET", RUN, PERSON, get_run, returns=RunEntry),
    Endpoint("GET", f"{RUN}/requests", PERSON, get_requests, returns=RunRequests),
    Endpoint("POST", f"{RUN_REQUEST}/answer", PERSON, answer, AnswerBody, Done),
    Endpoint("POST", f"{RUN}/stop", PERSON, stop),
    Endpoint("GET", f"{RUN}/events", PERSON, get_events, returns=None, query=("after",)),
    Endpoint("GET", "/events", PERSON, get_events, returns=None, query=("after",)),
    Endpoint("POST", "/machines/{machine}/adopt", PERSON, adopt, returns=RunEntries),
    Endpoint("GET", "/metrics", PERSON, metrics, returns=None),
)


def service_app(parts: ServiceParts) -> Starlette:
    """Return the application of the service.

    Args:
        parts: What it works with.
    """

    async def call(endpoint: Endpoint, request: Request) -> ServiceCall:
        name = (await _token(parts, request)).name if endpoint.roles else ""
        check_query(endpoint, request)
        content: Mapping[str, Any] = {}
        if endpoint.body is not None:
            content = checked(endpoint.body, await read_body(request, LIMITS.body))
        return ServiceCall(parts, request, name, content)

    async def webhook(request: Request) -> Response:
        return await _taken(parts, request.path_params["name"], request)

    async def page(request: Request) -> Response:
        run_id = request.path_params["run"]
        given = request.path_params["sign"]
        if not hmac.compare_digest(page_sign(parts.key, run_id).encode(), given.encode("utf-8", "replace")):
            raise ProblemError(404, "No run has this page.")
        store, service = parts.service.store, parts.service
        run = await asyncio.to_thread(store.get, run_id)
        events = await asyncio.to_thread(store.events, run_id, 0, MOST_EVENTS)
        return HTMLResponse(run_page(run, events, await service.requests(run)))

    async def style(_request: Request) -> Response:
        return Response(STYLE, media_type="text/css")

    refusals = (WebhookError, UnknownRunError, NoRepositoryError, InboxError, RunStoreError)
    return Starlette(
        routes=[
            *api_routes(ENDPOINTS, "ccq-tui service", call),
            Route("/webhooks/{name}", webhook, methods=["POST"]),
            Route("/page/{run}/{sign}", page),
            Route("/page.css", style),
        ],
        exception_handlers=failure_handlers() | dict.fromkeys(refusals, _refused),
    )


async def _token(parts: ServiceParts, request: Request) -> Token:
    """Return the token of a call; raises `ProblemError`."""
    given = token_digest(request)
    for one in await asyncio.to_thread(read_tokens, parts.state):
        if hmac.compare_digest(one.digest, given):
            return one
    with parts.guesses.guessing(request):
        raise ProblemError(
            401,
            "The token is missing or unknown: make one by ccq-tui serve token NAME.",
            headers={"WWW-Authenticate": "Bearer"},
        )


async def _refused(_request: Request, error: Exception) -> Response:
    match error:
        case WebhookError(status=status):
            problem = ProblemError(status, str(error))
        case UnknownRunError():
            problem = ProblemError(404, str(error))
        case NoRepositoryError():
            problem = ProblemError(400, str(error), field="repository")
        case InvalidOutcome(field=name, reason=reason):
            problem = wrong(f"answer.{name}" if name else "answer", reason)
        case _:
            _logger.warning("A call failed: %s", error)
            problem = ProblemError(503, f"{error}; try again.", headers={"Retry-After": "2"})
    return problem.response()


# -- webhooks ---------------------------------------------------------------------------------------------


async def _taken(parts: ServiceParts, name: str, request: Request) -> Response:
    """Take a webhook once; one that could not be taken may come again."""
    reader, store = parts.webhooks.get(name), parts.service.store
    if reader is None:
        raise ProblemError(404, "No adapter of this name is configured.")
    try:
        delivery = reader.read(request.headers, await read_body(request, LIMITS.body))
    except WebhookError as error:
        parts.telemetry.webhook(name, "refused")
        _logger.warning("A webhook of %s was refused: %s", name, error)
        raise
    if delivery.incoming is None or await asyncio.to_thread(store.seen, delivery.id):
        parts.telemetry.webhook(name, "ignored")
        return Response(status_code=200)
    try:
        await parts.service.incoming(delivery.incoming)
    except NoRepositoryError as error:
        parts.telemetry.webhook(name, "refused")
        await _say_why(parts, name, delivery, str(error))
        return Response(status_code=200)
    except BaseException:
        await asyncio.shield(asyncio.to_thread(store.unsee, delivery.id))
        raise
    parts.telemetry.webhook(name, "taken")
    return Response(status_code=200)


async def _say_why(parts: ServiceParts, name: str, delivery: WebhookCall, problem: str) -> None:
    """Tell a ticket that becomes no run why; one that cannot be told may be sent again."""
    incoming, adapter = delivery.incoming, parts.service.adapters.get(name)
    _logger.warning("A ticket of %s becomes no run: %s", name, problem)
    if adapter is None or incoming is None:
        return
    from datetime import UTC, datetime

    now = datetime.now(UTC)
    nobody = Run("", name, incoming.ticket, "", "", "", "", now, now, state=RunState.FAILED)
    key = str(uuid5(NAMESPACE_URL, f"{delivery.id} {Happened.ENDED}"))
    try:
        async with asyncio.timeout(4.0):  # the sender waits for 5 seconds
            await adapter.ended(nobody, key, "error", problem)
    except (RetryLaterError, RefusedError, TimeoutError) as error:
        _logger.warning("The ticket could not be told: %s", error)
