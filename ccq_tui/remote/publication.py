"""A request as it passes a relay: what is published, what answers and ends mean, and how both are sealed."""

import hmac
import json
import platform
import sys
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from math import isfinite
from typing import Any

from ccq_tui.answering.record import Record
from ccq_tui.config.carried import mapping
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.format import outcome_line
from ccq_tui.inbox.kinds import kind_of, parse_outcome
from ccq_tui.inbox.kinds.decisions import answer_to
from ccq_tui.inbox.layout import lines
from ccq_tui.inbox.records import request_record
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied, Request, RequestOutcome
from ccq_tui.inbox.store.rows import RequestState, SessionState, StoredRequest, StoredSession, stamp
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions import Declined, Dismissed, Expired
from ccq_tui.remote.pairings import Pairing
from ccq_tui.remote.seal import About, Sealed, Sealer, SealError, from_base64
from ccq_tui.text import one_line

LASTS = timedelta(days=7)
"""The time for which a request is at a relay."""
MOST_BODY = 200_000
"""Most bytes of a body: sealed, it is a third longer, and a relay takes 300,000."""

LASTING = "a device grants nothing that lasts: allow once, or decide at the terminal"
MOST_LINE = 300
MOST_NAME = 200
"""Most characters of a device's name to keep."""
ENDS: Mapping[type, str] = {
    Cancelled: "withdrawn",
    Expired: "expired",
    **dict.fromkeys((Declined, Denied, Dismissed), "declined"),
}
"""How a statement calls outcomes that are no answer."""
VALUES = ("input", "change", "requested_schema")
"""Fields of a record whose lists may be cut; numbers of options and choices must stay."""
RULES = ("when", "checks", "proposed", "skip")
"""Fields of a question that a page goes by: they are whole, or the question is not there."""


@dataclass(frozen=True, slots=True)
class Publication:
    """A request as a relay has it.

    Attributes:
        id: Its id there.
        expires: The time at which it expires, as the relay has it.
        body: What a person sees of it.
        session_id: The session that asks.
        content: ``body`` as it is sent: plain, or in its envelope.
    """

    id: str
    expires: str
    body: Record = field(default_factory=dict)
    session_id: str = ""
    content: Record = field(default_factory=dict)

    @property
    def posted(self) -> Record:
        """The request to publish."""
        return {"id": self.id, "expires": self.expires, **self.content}


def relay_id(pairing: Pairing, stored: StoredRequest) -> str:
    """Return the id of a request at a relay, a UUID that says nothing to who does not have the secret."""
    secret = pairing.key or pairing.token
    about = f"ccq-tui request\n{stored.request.id}\n{stamp(stored.asked_at)}\n{stored.asked_again}"
    made = hmac.digest(secret.encode(), about.encode("utf-8", "backslashreplace"), "sha256")
    return str(uuid.UUID(bytes=made[:16], version=4))


def body_of(stored: StoredRequest, session: StoredSession | None, machine: str, *, grants: bool) -> Record:
    """Return what a person sees of a request.

    Args:
        stored: The request, pending.
        session: The session that asks, or None if nothing is stored about it.
        machine: This machine's name for people.
        grants: Whether a device may grant what lasts.
    """
    request = stored.request
    # What changes while it waits would make it another publication.
    fixed = replace(stored, state=RequestState.PENDING, has_draft=False, deferred=False)
    record = request_record(fixed)
    if acts := kind_of(request).asked(request).acts:
        shown = zip(record["choices"], acts, strict=True)
        record["choices"] = [one for one, act in shown if grants or not act.lasts]
        record["prompt"] = clipped("\n".join(lines(kind_of(request).document(request, None))).strip())
    origin = request.origin
    ours = None if origin.is_foreign else session
    body = {
        "version": 1,
        "machine": machine,
        "session": {
            "id": request.session_id,
            "name": ours.name if ours else origin.called,
            "directory": ours.directory if ours else origin.directory,
            "parked": is_parked(session),
        },
        "context": stored.context,
        "cut": False,
        "request": record,
    }
    return fitted(body)


def is_parked(session: StoredSession | None) -> bool:
    """Whether a session waits without a process."""
    return session is not None and session.state is SessionState.PARKED


def fitted(body: Record) -> Record:
    """Return a body that fits, with long texts shortened; ``cut`` says whether any were."""
    whole, context = shortened(body, sys.maxsize), body["context"]
    # Most characters of a text, from the mildest cut to the hardest.
    for most in (20_000, 4_000, 800, 160, 40):
        # Of the text before the request, the end stays.
        end = f"…{context[1 - most :]}" if len(context) > most else context
        made = shortened({**body, "context": end}, most)
        if len(json.dumps(made, separators=(",", ":"), default=str)) <= MOST_BODY:
            return {**made, "cut": made != whole}
    bare: Record = {"input": {}, "change": {}, "requested_schema": {}, "questions": []}
    short = {name: bare.get(name, value) for name, value in made["request"].items()}
    return {**made, "request": short, "cut": True}


def shortened(value: Any, most: int, *, is_free: bool = False, depth: int = 0) -> Any:
    """Return a value of JSON with texts of at most ``most`` characters, and short lists in `VALUES`."""
    if depth > 30:
        return "…"
    items = max(8, most // 20) if is_free else None
    match value:
        case str():
            return clipped(value, most)
        case Mapping():
            made = {}
            for name, one in islice(value.items(), items):
                is_rule = name in RULES and not (is_free or isinstance(one, str))
                limit, free = (sys.maxsize if is_rule else most), is_free or name in VALUES
                made[clipped(str(name), 200)] = shortened(one, limit, is_free=free, depth=depth + 1)
            return made
        case list() | tuple():
            return [shortened(one, most, is_free=is_free, depth=depth + 1) for one in value[:items]]
        case float() if not isfinite(value):
            return str(value)
        case _:
            return value


def clipped(text: str, most: int = 4_000) -> str:
    """Shorten a text, and replace halves of characters."""
    if len(text) > most:
        text = f"{text[: most - 1]}…"
    return text.encode("utf-8", "replace").decode("utf-8")


# -- statements ---------------------------------------------------------------------------------------------


def statement(end: str = "", refused: str = "", **more: Any) -> Record:
    """Return a statement, of now unless ``at`` is given."""
    made = {"end": end, "by": "", "device": "", "taken": False, "text": ""}
    return {**made, "refused": one_line(refused, MOST_LINE), "at": stamp(datetime.now(UTC)), **more}


def ended(stored: StoredRequest) -> Record:
    """Return the statement of a settled request: how it ended, by whom, and whether the session has it."""
    outcome = stored.outcome
    if outcome is None:
        return statement("withdrawn")
    return statement(
        ENDS.get(type(outcome), "answered"),
        by=stored.actor.where if stored.actor else "",
        device=stored.actor.device if stored.actor else "",
        taken=stored.state is RequestState.DELIVERED,
        text=one_line(outcome_line(stored.request, outcome), MOST_LINE),
        at=stamp(stored.settled_at or stored.asked_at),
    )


# -- answers ----------------------------------------------------------------------------------------------


def read_answer(answer: Mapping[str, Any], request: Request, *, grants: bool = False) -> RequestOutcome:
    """Return the outcome that an answer to a whole request stands for.

    Args:
        answer: Its public JSON, or that of a refusal.
        request: The request.
        grants: Whether a device may grant what lasts.
    """
    outcome = parse_outcome(request, answer)
    offered = kind_of(request).asked(request).offered(lasting=grants)
    if isinstance(outcome, Allowed) and not answer_to(offered, outcome).selected:
        raise InvalidOutcome("choice", LASTING)
    return outcome


# -- sealed or plain ---------------------------------------------------------------------------------------


class Channel:
    """Writes what goes to the relay of a pairing, and reads what comes from there.

    Args:
        pairing: The pairing.
        grants: Whether a device may grant what lasts.
    """

    def __init__(self, pairing: Pairing, *, grants: bool = False) -> None:
        self._pairing = pairing
        self._grants = grants
        self._machine = platform.node()
        self._sealer = Sealer(from_base64(pairing.key), pairing.id) if pairing.is_sealed else None

    def publication(self, stored: StoredRequest, session: StoredSession | None) -> Publication:
        """Return a request as it is published; ``session`` is who asks, if anything is stored about it."""
        body = body_of(stored, session, self._machine, grants=self._grants)
        expires = (stored.asked_at + LASTS).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        name = relay_id(self._pairing, stored)
        content = self._closed("body", body, About(Sealed.REQUEST, name, expires))
        return Publication(name, expires, body, stored.request.session_id, content)

    def has(self, record: Mapping[str, Any], made: Publication) -> bool:
        """Whether a record is of this request; its session may have had another name then."""
        holder = record if self._sealer is not None else mapping(record.get("body"))
        body = self._opened(holder, About(Sealed.REQUEST, made.id, made.expires))
        return body.get("request") == made.body["request"] and record.get("expires") == made.expires

    def stated(self, statement: Record, record: Mapping[str, Any], made: Publication) -> Record:
        """Return the field of a call that puts a statement on a record."""
        return self._closed("statement", statement, _about(Sealed.STATEMENT, record, made))

    def statement(self, record: Mapping[str, Any], made: Publication) -> Record:
        """Return the statement of a record; nothing if there is none, or it is not ours."""
        return self._opened(mapping(record.get("statement")), _about(Sealed.STATEMENT, record, made))

    def read(
        self, record: Mapping[str, Any], made: Publication, request: Request
    ) -> tuple[RequestOutcome, Actor]:
        """Return the outcome that the answer of a record stands for, and the device that gave it.

        Raises `InvalidOutcome` with the reason, for the person at the device.
        """
        given = mapping(record.get("answer"))
        try:
            content = self._read(given, _about(Sealed.ANSWER, record, made))
        except SealError as error:
            raise InvalidOutcome("", f"the answer cannot be opened: {error}; answer again") from error
        answer = content.get("answer")
        if not isinstance(answer, Mapping):
            raise InvalidOutcome("answer", "an object is needed")
        outcome = read_answer(answer, request, grants=self._grants)
        return outcome, self.actor(given, str(content.get("name") or ""))

    @staticmethod
    def actor(given: Mapping[str, Any], name: str = "") -> Actor:
        """Return the device that gave the answer in a record; ``name`` if the answer has one."""
        device = mapping(given.get("device"))
        named = name or str(device.get("name", ""))
        return Actor(Surface.DEVICE, named[:MOST_NAME], device=str(device.get("id", ""))[:MOST_NAME])

    def _closed(self, name: str, content: Record, about: About) -> Record:
        return {"sealed": self._sealer.seal(content, about)} if self._sealer else {name: content}

    def _read(self, holder: Mapping[str, Any], about: About) -> Record:
        return self._sealer.open(str(holder.get("sealed", "")), about) if self._sealer else dict(holder)

    def _opened(self, holder: Mapping[str, Any], about: About) -> Record:
        try:
            return self._read(holder, about)
        except SealError:
            return {}


def _about(kind: Sealed, record: Mapping[str, Any], made: Publication) -> About:
    """Return what a text on a record is bound to: the request as devices see it, by whichever name."""
    return About(kind, made.id, made.expires, str(record.get("sealed") or ""))
