"""What each call does; the OpenAPI document is made of them too."""

import json
import logging
import mimetypes
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Query
from sse_starlette import ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

import ccq_tui
from ccq_tui.remote.relay import members, records, shapes
from ccq_tui.remote.relay.access import Access, RelayLimits
from ccq_tui.remote.relay.members import Grant, Invitation, devices_of, pushes_of
from ccq_tui.remote.relay.push import Pusher
from ccq_tui.remote.relay.records import Record, question_answered, questions_of, utc
from ccq_tui.remote.relay.store import RelayStore, StoreError, change_record, records_in, records_of
from ccq_tui.timeouts import set_within
from ccq_tui.web import api as web
from ccq_tui.web.bodies import Done
from ccq_tui.web.guards import token_digest
from ccq_tui.web.problems import ProblemError, not_found, too_many, wrong

REQUEST = "/request/{pairingId}/{id}"
TERMINAL: web.Roles = ["terminal"]
DEVICE: web.Roles = ["device"]
BOTH = TERMINAL + DEVICE
NO_GRANT = Grant(pairing="", role="device", device="", name="", sealed=False)
PAGE = Path(__file__).parent.parent / "page"
mimetypes.add_type("application/manifest+json", ".webmanifest")
_logger = logging.getLogger(__name__)

api = web.new_router()


@dataclass(frozen=True, slots=True)
class RelayParts:
    """What the endpoints work with."""

    store: RelayStore
    access: Access
    limits: RelayLimits
    pusher: Pusher


@dataclass(frozen=True, slots=True)
class RelayCall:
    """A call that may be made.

    Attributes:
        relay: The relay.
        request: The call as it came.
        grant: What its token is for; nobody's where it needs none.
    """

    relay: RelayParts
    request: Request
    grant: Grant

    @property
    def store(self) -> RelayStore:
        """The relay's store."""
        return self.relay.store

    @property
    def id(self) -> str:
        """The id in the address."""
        return str(self.request.path_params["id"])


Call = Annotated[RelayCall, Depends(web.entered)]


def relay_app(relay: RelayParts) -> FastAPI:
    """Return the application.

    Args:
        relay: What its endpoints work with.
    """

    async def enter(request: Request, roles: list[Any]) -> RelayCall:
        pairing = request.path_params.get("pairingId")
        grant = await relay.access.grant(request, roles, pairing) if roles else NO_GRANT
        return RelayCall(relay, request, grant)

    page = [Mount("/", StaticFiles(directory=PAGE, html=True))] if PAGE.is_dir() else []
    return web.api_app(api, "ccq-tui relay", enter, relay.limits.body, page, {StoreError: _unreachable})


async def _unreachable(_request: Request, error: Exception) -> Response:
    _logger.warning("the store failed: %s", error)
    why = "The store cannot be reached; try again."
    return ProblemError(503, why, headers={"Retry-After": "2"}).response()


@api.get("/health", response_model=shapes.Health)
async def health(call: Call) -> web.Answer:
    """Say that the relay is up."""
    await call.store.newest("")
    return {"status": "ok", "time": utc(time.time()), "version": ccq_tui.__version__}


@api.get("/questions/{pairingId}", tags=DEVICE, response_model=shapes.PlainQuestions)
@api.get("/question/{pairingId}", tags=DEVICE, response_model=shapes.PlainQuestions)
async def get_questions(call: Call) -> web.Answer:
    """List pending questions, oldest first."""
    found = await records_in(call.store, call.grant.pairing)
    asked = [(one.parts, questions_of(one).items()) for _, one in found if one.status == "pending"]
    return {"questions": [each for parts, all_ in asked for id_, each in all_ if id_ not in parts]}


@api.post("/question/{pairingId}/{id}/answer", tags=DEVICE, response_model=Done)
async def answer_question(call: Call, given: Annotated[web.Sent, web.shaped(shapes.QuestionAnswer)]) -> None:
    """Answer a question."""
    _check_pairing(call, given)
    if given.get("questionId", call.id) != call.id:
        raise wrong("questionId", "the address names another question")
    found = await records_in(call.store, call.grant.pairing)
    asks = next((one.id for _, one in found if call.id in questions_of(one)), call.id)
    fields = {name: given[name] for name in ("selectedIndices", "skipped", "other", "note") if name in given}
    takes = partial(question_answered, id_=call.id)
    await _answer(call, asks, takes, {"selectedIndices": [], "skipped": False} | fields)


@api.post("/request", tags=TERMINAL, response_model=Done)
async def post_request(call: Call, given: Annotated[web.Sent, web.shaped(shapes.RequestPost)]) -> None:
    """Publish a request."""
    _check_pairing(call, given)
    request, pairing, now = given["request"], call.grant.pairing, time.time()
    content, id_, expires = _part(call, request, "body", where="request."), request["id"], request["expires"]
    ends, most = records.expiry(expires, now), call.relay.limits.pending
    if await call.store.count(records_of(pairing)) >= most:
        found = [one for _, one in await records_in(call.store, pairing)]
        pending = sum(one.status == "pending" for one in found)
        if (pending >= most or len(found) >= 10 * most) and all(one.id != id_ for one in found):
            raise too_many(f"The pairing has {len(found)} records: remove some of them first.", 60)
    record = Record(id=id_, posted=now, expires=expires, ends=ends, content=content)
    await _change(call, partial(records.posted, new=record), id_)


@api.get("/requests/{pairingId}", tags=BOTH, response_model=shapes.RequestEntries)
async def get_requests(call: Call) -> web.Answer:
    """List requests, oldest first."""
    # The number first: an event that comes in between is sent again rather than missed.
    seq = await call.store.newest(records_of(call.grant.pairing))
    states = ("pending", "answered", "ended")[: 3 if call.grant.role == "terminal" else 2]
    found = await records_in(call.store, call.grant.pairing)
    return {"requests": [_entry(seq, one) for seq, one in found if one.status in states], "seq": seq}


@api.get(REQUEST, tags=BOTH, response_model=shapes.RequestEntry)
async def get_request(call: Call, wait: Annotated[int, Query(ge=0, le=25)] = 0) -> web.Answer:
    """Get a request, and wait while it is pending."""
    ends = time.monotonic() + wait
    group = records_of(call.grant.pairing)
    with call.store.news.listening(group) as news:
        while True:
            news.clear()
            if (entry := await call.store.get(group, call.id)) is None:
                raise not_found()
            record, left = Record.model_validate_json(entry.text), ends - time.monotonic()
            if record.status != "pending" or left <= 0 or call.store.news.is_closing:
                return _entry(entry.seq, record)
            await set_within(news, left)
            await call.relay.access.check_again(call.request)


@api.post(f"{REQUEST}/answer", tags=DEVICE, response_model=Done)
async def answer_request(call: Call, given: Annotated[web.Sent, web.shaped(shapes.AnswerPost)]) -> None:
    """Answer a request."""
    await _answer(call, call.id, records.answered, _part(call, given, "answer", ("skipped",)))


@api.put(f"{REQUEST}/status", tags=TERMINAL, response_model=Done)
async def put_status(call: Call, given: Annotated[web.Sent, web.shaped(shapes.StatusPut)]) -> None:
    """Say what became of a request."""
    content = _part(call, given, "statement")
    change = {"status": given["status"], "statement": content.get("statement", content)}
    unanswered = given.get("unanswered", False)
    await _change(call, partial(records.stated, **change, now=time.time(), unanswered=unanswered))


@api.delete(REQUEST, tags=TERMINAL, response_model=Done)
async def delete_request(call: Call) -> None:
    """Remove a request."""
    await _change(call, records.removed)


@api.get("/events/{pairingId}", tags=BOTH, response_class=web.EventStream)
async def get_events(call: Call, after: web.Count = None) -> Response:
    """Follow what changes, as server-sent events."""
    group, last = records_of(call.grant.pairing), web.last_event(call.request, after)
    newest = await call.store.newest(group)
    start = newest if last is None else min(last, newest)
    return web.EventStream(_events(call, group, start), ping=0, send_timeout=web.SEND_SECONDS)


@api.post("/pairings", response_model=shapes.NewPairing)
async def post_pairing(call: Call, given: Annotated[web.Sent, web.shaped(shapes.PairingPost)]) -> web.Answer:
    """Make a pairing."""
    await _redeemed(call, given, "terminal")
    sealed = given["mode"] == "sealed"
    pairing, token = await members.new_pairing(call.store, sealed, given["name"], given["invitation"])
    return {"pairingId": pairing, "token": token}


@api.post("/invitations", tags=TERMINAL, response_model=shapes.Invited)
async def post_invitation(
    call: Call, given: Annotated[web.Sent, web.shaped(shapes.InvitationPost)]
) -> web.Answer:
    """Invite a device."""
    _check_pairing(call, given)
    expires = time.time() + members.INVITATION_SECONDS
    invited = Invitation(
        role="device", pairing=call.grant.pairing, sealed=call.grant.sealed, expires=expires,
        proof_hash=given["proofHash"], wrapped=given.get("wrapped", ""),
    )  # fmt: skip
    if not await members.invite(call.store, given["invitation"], invited):
        raise ProblemError(409, "This invitation exists already: make another one.", field="invitation")
    return {"expires": utc(expires)}


@api.post("/pair", response_model=shapes.Paired)
async def pair(call: Call, given: Annotated[web.Sent, web.shaped(shapes.PairPost)]) -> web.Answer:
    """Redeem an invitation."""
    invited = await _redeemed(call, given, "device")
    if await call.store.count(devices_of(invited.pairing)) >= call.relay.limits.devices:
        raise ProblemError(
            409, f"The pairing has {call.relay.limits.devices} devices: revoke one, then invite again."
        )
    device, token = await members.join(call.store, invited, given["name"], given["invitation"])
    mode = "sealed" if invited.sealed else "plain"
    ids = {"pairingId": invited.pairing, "deviceId": device}
    return ids | {"token": token, "mode": mode, "wrapped": invited.wrapped}


@api.get("/devices/{pairingId}", tags=TERMINAL, response_model=shapes.DeviceEntries)
async def get_devices(call: Call) -> web.Answer:
    """List devices and terminals, oldest first."""
    return {"devices": await members.members_of(call.store, call.grant.pairing)}


@api.put("/devices/{pairingId}/{id}", tags=DEVICE, response_model=Done)
async def put_device(call: Call, given: Annotated[web.Sent, web.shaped(shapes.DevicePut)]) -> None:
    """Rename a device."""
    if call.id != call.grant.device:
        raise ProblemError(403, "A device may rename itself alone.")
    name = given["name"]
    await members.note(call.store, devices_of(call.grant.pairing), call.id, "name", name)
    await members.note(call.store, members.TOKENS, token_digest(call.request), "name", name)


@api.delete("/devices/{pairingId}/{id}", tags=BOTH, response_model=Done)
async def delete_device(call: Call) -> None:
    """Revoke a device."""
    if call.grant.role == "device" and call.id != call.grant.device:
        raise ProblemError(403, "A device may revoke itself alone.")
    await members.revoke(call.store, call.grant.pairing, call.id)


@api.get("/push/{pairingId}", tags=DEVICE, response_model=shapes.PushKey)
async def get_push(call: Call) -> web.Answer:
    """Get the key for Web Push."""
    return {"key": await call.relay.pusher.public_key(), "named": call.relay.pusher.is_named}


@api.post("/push/{pairingId}", tags=DEVICE, response_model=Done)
async def post_push(call: Call, given: Annotated[web.Sent, web.shaped(shapes.PushPost)]) -> None:
    """Subscribe to Web Push."""
    subscription = given["subscription"]
    call.relay.pusher.check(subscription)
    group = pushes_of(call.grant.pairing)
    await members.put(call.store, group, call.grant.device, json.dumps(subscription))


@api.delete("/push/{pairingId}", tags=DEVICE, response_model=Done)
async def delete_push(call: Call) -> None:
    """Forget the subscription."""
    await members.put(call.store, pushes_of(call.grant.pairing), call.grant.device, None)


@api.post("/notify/{pairingId}", tags=TERMINAL, response_model=shapes.PushResult)
async def notify(call: Call) -> web.Answer:
    """Notify all subscribed devices."""
    return await call.relay.pusher.notify(call.grant.pairing, call.request.headers.get("topic", ""))


async def _answer(call: RelayCall, id_: str, takes: Any, given: web.Sent) -> None:
    device = {"id": call.grant.device, "name": call.grant.name}
    await _change(call, partial(takes, given=given, device=device, now=time.time()), id_)


async def _change(call: RelayCall, rule: records.Rule, id_: str = "") -> None:
    await change_record(call.store, call.grant.pairing, id_ or call.id, rule)


async def _events(call: RelayCall, group: str, after: int) -> AsyncIterator[ServerSentEvent]:
    yield ServerSentEvent(comment="connected")
    with call.store.news.listening(group) as news:
        while not call.store.news.is_closing:
            news.clear()
            try:
                await call.relay.access.check_again(call.request)
            except ProblemError:
                return
            for seq, text in await call.store.events(group, after):
                event = json.loads(text)
                data = json.dumps({"seq": seq, "id": event["id"]})
                yield ServerSentEvent(data, event=event["name"], id=str(seq))
                after = seq
            # Seconds between two comments in a stream of events.
            if not await set_within(news, 7.5):
                yield ServerSentEvent(comment="ping")


async def _redeemed(call: RelayCall, given: web.Sent, role: str) -> Invitation:
    with call.relay.access.guessing(call.request):
        return await members.redeem(call.store, given["invitation"], given["proof"], role)


def _check_pairing(call: RelayCall, given: web.Sent) -> None:
    if given.get("pairingId", call.grant.pairing) != call.grant.pairing:
        raise not_found()


def _entry(seq: int, record: Record) -> dict[str, Any]:
    """Return a request as its clients get it."""
    head = {name: getattr(record, name) for name in ("id", "expires", "status", "answer", "statement")}
    return head | record.content | {"timestamp": utc(record.posted), "seq": seq}


def _part(
    call: RelayCall, given: Mapping[str, Any], plain: str, others: tuple[str, ...] = (), where: str = ""
) -> dict[str, Any]:
    """Return the one part that a body has; it is sealed in a sealed pairing alone; raises `ProblemError`."""
    allowed = ("sealed" if call.grant.sealed else plain, *others)
    found = [name for name in (plain, "sealed", *others) if name in given]
    if len(found) == 1 and found[0] in allowed:
        return {found[0]: given[found[0]]}
    other = next((name for name in found if name not in allowed), [allowed[0], *found][-1])
    raise wrong(where + other, f"it takes one of these alone: {', '.join(allowed)}")
