"""What each call does: one table of endpoints, which the OpenAPI document is made of too."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response

import ccq_tui
from ccq_tui.remote.relay import members, records, shapes
from ccq_tui.remote.relay.access import Access, RelayLimits, token_digest
from ccq_tui.remote.relay.members import Grant, Invitation, devices_of, pushes_of
from ccq_tui.remote.relay.problems import ProblemError, not_found, too_many, wrong
from ccq_tui.remote.relay.push import Pusher
from ccq_tui.remote.relay.records import Record, question_answered, questions_of, utc
from ccq_tui.remote.relay.store import RelayStore, change_record, records_in, records_of

LONGEST_WAIT = 25
HEARTBEAT = 7.5
"""Seconds between two comments in a stream of events."""
SEND_SECONDS = 20.0
"""Seconds after which a client that reads nothing is given up."""
REQUEST = "/request/{pairingId}/{id}"
TERMINAL, DEVICE, BOTH = ("terminal",), ("device",), ("terminal", "device")
DONE = {"success": True}
GIVEN_FIELDS = ("selectedIndices", "skipped", "other", "note")


@dataclass(frozen=True, slots=True)
class RelayParts:
    """What the endpoints work with."""

    store: RelayStore
    access: Access
    limits: RelayLimits
    pusher: Pusher


@dataclass(frozen=True, slots=True)
class RelayCall:
    """A call that may be made, with its checked body.

    Attributes:
        relay: The relay.
        request: The call as it came.
        grant: What its token is for; nobody's where it needs none.
        content: The body as it was sent.
    """

    relay: RelayParts
    request: Request
    grant: Grant
    content: dict[str, Any]

    @property
    def store(self) -> RelayStore:
        """The relay's store."""
        return self.relay.store

    @property
    def id(self) -> str:
        """The id in the address."""
        return str(self.request.path_params["id"])


def number_in(request: Request, name: str, most: int | None = None) -> int | None:
    """Return a number of a call's query; raises `ProblemError`."""
    text = request.query_params.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 16 and (most is None or int(text) <= most)):
        raise wrong(name, f"a number from 0 to {most}" if most else "a number from 0 on")
    return int(text)


def last_event(request: Request) -> int | None:
    """Return the number after which a call wants events, as a browser or its query gives it."""
    last = request.headers.get("last-event-id", "")
    return int(last) if last.isascii() and last.isdigit() and len(last) < 16 else number_in(request, "after")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A call of the protocol.

    Attributes:
        method: Its method.
        path: Its path.
        roles: Who may make it; nobody in particular if empty.
        handle: Does it; its docstring says what.
        body: What it takes, if it takes a body.
        returns: What it returns as JSON; None for a text.
        query: What its query may have.
        media: The media type of the text.
    """

    method: str
    path: str
    roles: tuple[str, ...]
    handle: Callable[[Any], Awaitable[Mapping[str, Any] | Response]]
    body: type[shapes.Body] | None = None
    returns: type[shapes.Body] | None = shapes.Done
    query: tuple[str, ...] = ()
    media: str = "text/event-stream"


async def health(call: RelayCall) -> Mapping[str, Any]:
    """Say that the relay is up."""
    await call.store.newest("")
    return {"status": "ok", "time": utc(time.time()), "version": ccq_tui.__version__}


async def get_questions(call: RelayCall) -> Mapping[str, Any]:
    """List pending questions, oldest first."""
    found = await records_in(call.store, call.grant.pairing)
    asked = [(one.parts, questions_of(one).items()) for _, one in found if one.status == "pending"]
    return {"questions": [each for parts, all_ in asked for id_, each in all_ if id_ not in parts]}


async def answer_question(call: RelayCall) -> Mapping[str, Any]:
    """Answer a question."""
    found = await records_in(call.store, call.grant.pairing)
    asks = next((one.id for _, one in found if call.id in questions_of(one)), call.id)
    if call.content.get("questionId", call.id) != call.id:
        raise wrong("questionId", "the address names another question")
    said: dict[str, Any] = {"selectedIndices": [], "skipped": False} | call.content
    given = {name: one for name, one in said.items() if name in GIVEN_FIELDS}
    return await _answer(call, asks, partial(question_answered, id_=call.id), given)


async def post_request(call: RelayCall) -> Mapping[str, Any]:
    """Publish a request."""
    given, pairing, now = call.content["request"], call.grant.pairing, time.time()
    content, id_, expires = _part(call, given, "body", where="request."), given["id"], given["expires"]
    ends, most = records.expiry(expires, now), call.relay.limits.pending
    if await call.store.count(records_of(pairing)) >= most:
        found = [one for _, one in await records_in(call.store, pairing)]
        pending = sum(one.status == "pending" for one in found)
        if (pending >= most or len(found) >= 10 * most) and all(one.id != id_ for one in found):
            raise too_many(f"The pairing has {len(found)} records: remove some of them first.", 60)
    record = Record(id=id_, posted=now, expires=expires, ends=ends, content=content)
    return await _change(call, partial(records.posted, new=record), id_)


async def get_requests(call: RelayCall) -> Mapping[str, Any]:
    """List requests, oldest first."""
    # The number first: an event that comes in between is sent again rather than missed.
    seq = await call.store.newest(records_of(call.grant.pairing))
    states = ("pending", "answered", "ended")[: 3 if call.grant.role == "terminal" else 2]
    found = await records_in(call.store, call.grant.pairing)
    return {"requests": [_entry(seq, one) for seq, one in found if one.status in states], "seq": seq}


async def get_request(call: RelayCall) -> Mapping[str, Any]:
    """Get a request, and wait while it is pending."""
    ends = time.monotonic() + (number_in(call.request, "wait", LONGEST_WAIT) or 0)
    group = records_of(call.grant.pairing)
    with call.store.news.listening(group) as news:
        while True:
            news.clear()
            if (entry := await call.store.get(group, call.id)) is None:
                raise not_found()
            record, left = Record.model_validate_json(entry.text), ends - time.monotonic()
            if record.status != "pending" or left <= 0 or call.store.news.is_closing:
                return _entry(entry.seq, record)
            await _woken(news, left)
            await call.relay.access.check_again(call.request)


async def answer_request(call: RelayCall) -> Mapping[str, Any]:
    """Answer a request."""
    given = _part(call, call.content, "answer", ("skipped",))
    return await _answer(call, call.id, records.answered, given)


async def put_status(call: RelayCall) -> Mapping[str, Any]:
    """Say what became of a request."""
    content = _part(call, call.content, "statement")
    given = {"status": call.content["status"], "statement": content.get("statement", content)}
    is_unanswered = call.content.get("unanswered", False)
    rule = partial(records.stated, **given, now=time.time(), unanswered=is_unanswered)
    return await _change(call, rule)


async def delete_request(call: RelayCall) -> Mapping[str, Any]:
    """Remove a request."""
    return await _change(call, records.removed)


async def get_events(call: RelayCall) -> Response:
    """Follow what changes, as server-sent events."""
    group, after = records_of(call.grant.pairing), last_event(call.request)
    newest = await call.store.newest(group)
    start = newest if after is None else min(after, newest)
    return EventSourceResponse(_events(call, group, start), ping=0, send_timeout=SEND_SECONDS)


async def post_pairing(call: RelayCall) -> Mapping[str, Any]:
    """Make a pairing."""
    await _redeemed(call, "terminal")
    sealed, name = call.content["mode"] == "sealed", call.content["name"]
    pairing, token = await members.new_pairing(call.store, sealed, name, call.content["invitation"])
    return {"pairingId": pairing, "token": token}


async def post_invitation(call: RelayCall) -> Mapping[str, Any]:
    """Invite a device."""
    expires = time.time() + members.INVITATION_SECONDS
    invited = Invitation(
        role="device", pairing=call.grant.pairing, sealed=call.grant.sealed, expires=expires,
        proof_hash=call.content["proofHash"], wrapped=call.content.get("wrapped", ""),
    )  # fmt: skip
    if not await members.invite(call.store, call.content["invitation"], invited):
        raise ProblemError(409, "This invitation exists already: make another one.", field="invitation")
    return {"expires": utc(expires)}


async def pair(call: RelayCall) -> Mapping[str, Any]:
    """Redeem an invitation."""
    invited = await _redeemed(call, "device")
    if await call.store.count(devices_of(invited.pairing)) >= call.relay.limits.devices:
        raise ProblemError(
            409, f"The pairing has {call.relay.limits.devices} devices: revoke one, then invite again."
        )
    content = call.content
    device, token = await members.join(call.store, invited, content["name"], content["invitation"])
    mode = "sealed" if invited.sealed else "plain"
    ids = {"pairingId": invited.pairing, "deviceId": device}
    return ids | {"token": token, "mode": mode, "wrapped": invited.wrapped}


async def get_devices(call: RelayCall) -> Mapping[str, Any]:
    """List devices and terminals, oldest first."""
    return {"devices": await members.members_of(call.store, call.grant.pairing)}


async def put_device(call: RelayCall) -> Mapping[str, Any]:
    """Rename a device."""
    if call.id != call.grant.device:
        raise ProblemError(403, "A device may rename itself alone.")
    name = call.content["name"]
    await members.note(call.store, devices_of(call.grant.pairing), call.id, "name", name)
    await members.note(call.store, members.TOKENS, token_digest(call.request), "name", name)
    return DONE


async def delete_device(call: RelayCall) -> Mapping[str, Any]:
    """Revoke a device."""
    if call.grant.role == "device" and call.id != call.grant.device:
        raise ProblemError(403, "A device may revoke itself alone.")
    await members.revoke(call.store, call.grant.pairing, call.id)
    return DONE


async def get_push(call: RelayCall) -> Mapping[str, Any]:
    """Get the key for Web Push."""
    return {"key": await call.relay.pusher.public_key(), "named": call.relay.pusher.is_named}


async def post_push(call: RelayCall) -> Mapping[str, Any]:
    """Subscribe to Web Push."""
    subscription = call.content["subscription"]
    call.relay.pusher.check(subscription)
    group = pushes_of(call.grant.pairing)
    await members.put(call.store, group, call.grant.device, json.dumps(subscription))
    return DONE


async def delete_push(call: RelayCall) -> Mapping[str, Any]:
    """Forget the subscription."""
    await members.put(call.store, pushes_of(call.grant.pairing), call.grant.device, None)
    return DONE


async def notify(call: RelayCall) -> Mapping[str, Any]:
    """Notify all subscribed devices."""
    return await call.relay.pusher.notify(call.grant.pairing, call.request.headers.get("topic", ""))


ENDPOINTS = (
    Endpoint("GET", "/health", (), health, returns=shapes.Health),
    Endpoint("GET", "/questions/{pairingId}", DEVICE, get_questions, returns=shapes.PlainQuestions),
    Endpoint("GET", "/question/{pairingId}", DEVICE, get_questions, returns=shapes.PlainQuestions),
    Endpoint("POST", "/question/{pairingId}/{id}/answer", DEVICE, answer_question, shapes.QuestionAnswer),
    Endpoint("POST", "/request", TERMINAL, post_request, shapes.RequestPost),
    Endpoint("GET", "/requests/{pairingId}", BOTH, get_requests, returns=shapes.RequestEntries),
    Endpoint("GET", REQUEST, BOTH, get_request, returns=shapes.RequestEntry, query=("wait",)),
    Endpoint("DELETE", REQUEST, TERMINAL, delete_request),
    Endpoint("POST", f"{REQUEST}/answer", DEVICE, answer_request, shapes.AnswerPost),
    Endpoint("PUT", f"{REQUEST}/status", TERMINAL, put_status, shapes.StatusPut),
    Endpoint("GET", "/events/{pairingId}", BOTH, get_events, returns=None, query=("after",)),
    Endpoint("POST", "/pairings", (), post_pairing, shapes.PairingPost, shapes.NewPairing),
    Endpoint("POST", "/invitations", TERMINAL, post_invitation, shapes.InvitationPost, shapes.Invited),
    Endpoint("POST", "/pair", (), pair, shapes.PairPost, shapes.Paired),
    Endpoint("GET", "/devices/{pairingId}", TERMINAL, get_devices, returns=shapes.DeviceEntries),
    Endpoint("PUT", "/devices/{pairingId}/{id}", DEVICE, put_device, shapes.DevicePut),
    Endpoint("DELETE", "/devices/{pairingId}/{id}", BOTH, delete_device),
    Endpoint("GET", "/push/{pairingId}", DEVICE, get_push, returns=shapes.PushKey),
    Endpoint("POST", "/push/{pairingId}", DEVICE, post_push, shapes.PushPost),
    Endpoint("DELETE", "/push/{pairingId}", DEVICE, delete_push),
    Endpoint("POST", "/notify/{pairingId}", TERMINAL, notify, returns=shapes.PushResult),
)


async def _answer(call: RelayCall, id_: str, takes: Any, given: dict[str, Any]) -> Mapping[str, Any]:
    device = {"id": call.grant.device, "name": call.grant.name}
    return await _change(call, partial(takes, given=given, device=device, now=time.time()), id_)


async def _change(call: RelayCall, rule: records.Rule, id_: str = "") -> Mapping[str, Any]:
    await change_record(call.store, call.grant.pairing, id_ or call.id, rule)
    return DONE


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
            if not await _woken(news, HEARTBEAT):
                yield ServerSentEvent(comment="ping")


async def _woken(news: asyncio.Event, seconds: float) -> bool:
    """Wait for news; return whether there is any."""
    try:
        async with asyncio.timeout(seconds):
            return await news.wait()
    except TimeoutError:
        return False


async def _redeemed(call: RelayCall, role: str) -> Invitation:
    with call.relay.access.guessing(call.request):
        return await members.redeem(call.store, call.content["invitation"], call.content["proof"], role)


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
