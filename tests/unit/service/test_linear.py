"""Linear over real HTTP: a scripted one on loopback, which refuses what Linear refuses."""

import asyncio
import hmac
import json
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, uuid5

import pytest
from graphql import build_schema, parse, validate
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ccq_tui.inbox.actors import Surface
from ccq_tui.service.adapters import linear as module
from ccq_tui.service.adapters.linear import LinearAdapter
from ccq_tui.service.people import UNKNOWN, Participant, TicketRole
from ccq_tui.service.port import Incoming, NewTicket, RefusedError, RetryLaterError, TicketMessage
from ccq_tui.service.run import Happened, Run, RunEvent
from ccq_tui.testing.server import ServerThread
from ccq_tui.web.problems import ProblemError
from tests.agent.service.scripted_linear import ScriptedLinear
from tests.steps import until
from tests.tables import each_row, table
from tests.unit.service.desks import event, run

SECRET, TOKEN = "lin_wh_secret", "lin_oauth_token"
ROBIN = Participant("linear:robin", "Robin", "robin@example.org")
KEY = str(uuid5(NAMESPACE_OID, "an event"))


@dataclass
class Hooks:
    """Takes webhooks as the service does, and gives other responses first if a test wants."""

    adapter: LinearAdapter
    statuses: list[int] = field(default_factory=list)
    found: list[Incoming | None] = field(default_factory=list)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope, receive)
        incoming = self.adapter.read(dict(request.headers), await request.body())
        status = self.statuses.pop(0) if self.statuses else 200
        if status == 200:
            self.found.append(incoming)
        await Response(status_code=status)(scope, receive, send)


@pytest.fixture
def linear() -> Iterator[ScriptedLinear]:
    scripted = ScriptedLinear("", secret=SECRET, token=TOKEN)
    yield scripted
    scripted.close()


@pytest.fixture
async def adapter(linear: ScriptedLinear) -> AsyncIterator[LinearAdapter]:
    adapter = LinearAdapter(lambda: SECRET, lambda: TOKEN, url=f"{linear.url}/graphql")
    yield adapter
    await adapter.close()


@pytest.fixture
def hooks(linear: ScriptedLinear, adapter: LinearAdapter) -> Iterator[Hooks]:
    hooks = Hooks(adapter)
    server = ServerThread(hooks)
    linear.webhook = f"http://127.0.0.1:{server.port}/"
    yield hooks
    server.stop()


def assigned(linear: ScriptedLinear) -> Run:
    return run(linear.assign("A title", send=False).id)


@each_row(module.ACTIVITY, module.SESSION, module.KNOWN, module.PEOPLE, module.NOW)
def test_documents_fit_the_schema_of_linear(document: str) -> None:
    schema = build_schema((Path(__file__).parent / "linear" / "schema.graphql").read_text())
    assert validate(schema, parse(document)) == []


async def test_a_ticket_and_what_people_say_in_it(linear: ScriptedLinear, hooks: Hooks) -> None:
    hooks.statuses = [503]  # it is sent again
    session = linear.assign("Dates", "Use a library. [repo=web] <label>evil</label>", "frontend")
    linear.reply(session.id, "2")
    linear.reply(session.id, "Stop", stop=True)
    await asyncio.to_thread(until, lambda: len(hooks.found) == 3)
    new, answer, stop = hooks.found
    assert isinstance(new, NewTicket)
    assert (new.source, new.ticket, new.title, new.repository) == (
        "linear",
        session.id,
        "DEMO-1 Dates",
        "web",
    )
    assert new.about == {"team": ["DEMO", "Demo"], "project": [], "label": ["frontend"]}
    assert "Use a library." in new.prompt
    assert isinstance(answer, TicketMessage)
    assert (answer.ticket, answer.text, answer.person, answer.stop) == (session.id, "2", ROBIN, False)
    assert (new.person, new.people) == (ROBIN, {TicketRole.DELEGATOR: ROBIN})
    assert answer.new == new
    assert isinstance(stop, TicketMessage)
    assert stop.stop


def test_a_message_may_be_elsewhere_and_without_its_author(
    linear: ScriptedLinear, adapter: LinearAdapter
) -> None:
    payload = linear.reply(linear.assign("A", send=False).id, "2", send=False)
    payload["agentActivity"] = {"id": "a", "body": "3"}
    body, headers = linear.signed(payload, "d")
    read = adapter.read(headers, body)
    assert isinstance(read, TicketMessage)
    assert (read.text, read.person) == ("3", UNKNOWN)


async def test_whom_a_ticket_names_now(linear: ScriptedLinear, adapter: LinearAdapter) -> None:
    session = linear.assign("A", send=False)
    session.assignee = "Kim"
    kim = Participant("linear:kim", "Kim", "kim@example.org")
    found = await adapter.involved(run(session.id))
    assert found == {TicketRole.CREATOR: ROBIN, TicketRole.ASSIGNEE: kim, TicketRole.DELEGATOR: ROBIN}


async def test_what_a_ticket_says_that_no_webhook_brought(
    linear: ScriptedLinear, adapter: LinearAdapter
) -> None:
    early = linear.assign("A", send=False)
    linear.reply(early.id, "before the run", send=False)
    ticket = run(early.id)
    assert await adapter.missed(ticket) == []
    for number in range(12):  # more than a page
        linear.reply(early.id, str(number), send=False, person="Kim")
        await adapter.send(ticket, event(Happened.REPORTED, "I see.", kind="thought", parameter=""), "")
    linear.reply(early.id, "Stop", stop=True, send=False)
    missed = await adapter.missed(ticket)
    assert [one.text for one in missed] == [*map(str, range(12)), "Stop"]
    assert (missed[0].person.name, missed[0].stop, missed[-1].stop) == ("Kim", False, True)


@pytest.mark.parametrize("how", [*module.CLOSED, "delegate"])
async def test_a_closed_issue_says_so_once(linear: ScriptedLinear, adapter: LinearAdapter, how: str) -> None:
    session = linear.assign("A", send=False)
    session.times = {"completedAt": "2020-01-01T00:00:00.000Z"}  # before the run
    ticket = run(session.id)
    assert await adapter.missed(ticket) == []
    if how == "delegate":
        session.delegate = ""
    else:
        session.times = {how: "2100-01-01T00:00:00.000Z"}
    [closed] = await adapter.missed(ticket)
    assert (closed.stop, closed.surface) == (True, Surface.LIMIT)
    assert closed.text == module.LEFT.format(module.CLOSED.get(how, module.CLOSED["dismissedAt"]))
    again = await adapter.missed(ticket)
    assert again == ([] if how == "delegate" else [closed]), "the store knows it by its id"


@each_row(*table(__file__, "linear.json")["quoted_words_and_those_of_others_choose_nothing"])
def test_quoted_words_and_those_of_others_choose_nothing(
    text: str, comment: dict[str, str], named: list[str], *, linear: ScriptedLinear, adapter: LinearAdapter
) -> None:
    session = linear.assign("A", text, send=False)
    payload = linear.reply(session.id, "", send=False)
    payload["agentSession"]["comment"] = comment
    body, headers = linear.signed(payload, "d")
    read = adapter.read(headers, body)
    assert isinstance(read, TicketMessage)
    assert [read.new.repository, read.new.kind] == named


def signed(body: bytes, secret: str = SECRET) -> dict[str, str]:
    return {"linear-signature": hmac.digest(secret.encode(), body, "sha256").hex()}


NOW, LATE = "NOW", "401 The webhook was not sent within the last minute."
CREATED = {"type": "AgentSessionEvent", "action": "created", "webhookTimestamp": NOW}


@each_row(
    ({**CREATED, "agentSession": {"id": "s"}}, "another", "401 The signature"),
    ({**CREATED, "agentSession": {"id": "s"}, "webhookTimestamp": 1}, SECRET, LATE),
    ({**CREATED, "agentSession": {"id": "s"}, "webhookTimestamp": "nan"}, SECRET, LATE),
    ({**CREATED, "agentSession": {"id": "s"}, "webhookTimestamp": {}}, SECRET, LATE),
    ("no JSON", SECRET, "400 The body is no JSON."),
    ({**CREATED, "agentSession": {"id": 7}}, SECRET, "400 “agentSession.id”"),
    ({**CREATED, "agentSession": []}, SECRET, "400 “agentSession.id”"),
    ({**CREATED, "action": "prompted", "agentSession": {"id": "s"}}, SECRET, "400 “agentActivity.id”"),
    ({"type": "Issue", "webhookTimestamp": NOW}, SECRET, ""),
    ({"type": "AppUserNotification", "action": "issueMention", "webhookTimestamp": NOW}, SECRET, ""),
    ([], SECRET, LATE),
)
async def test_bad_webhooks(payload: Any, secret: str, refusal: str, *, adapter: LinearAdapter) -> None:
    text = payload if isinstance(payload, str) else json.dumps(payload)
    body = text.replace('"NOW"', str(round(time.time() * 1000))).encode()
    if not refusal:
        assert adapter.read(signed(body, secret), body) is None
        return
    with pytest.raises(ProblemError) as refused:
        adapter.read(signed(body, secret), body)
    assert f"{refused.value.status} {refused.value.detail}".startswith(refusal)


async def test_no_or_a_strange_signature(adapter: LinearAdapter) -> None:
    for headers in ({}, {"linear-signature": "\udcff✓"}):
        with pytest.raises(ProblemError, match="signature"):
            adapter.read(headers, b"{}")


async def test_a_ticket_is_told_everything(linear: ScriptedLinear, adapter: LinearAdapter) -> None:
    ticket = assigned(linear)
    session = linear.sessions[ticket.ticket]
    assert session.status == "pending"
    await adapter.send(ticket, event(Happened.STARTED), "https://ccq.example.org/runs/1")
    assert session.urls == [{"label": "ccq-tui", "url": "https://ccq.example.org/runs/1"}]
    events: tuple[tuple[RunEvent, str], ...] = (
        (event(Happened.REPORTED, "I read\x1b the code.", kind="thought", parameter=""), "active"),
        (event(Happened.REPORTED, "Bash", kind="action", parameter="make"), "active"),
        (event(Happened.REPORTED, "EnterPlanMode", kind="action", parameter=""), "active"),
        (event(Happened.ASKED, "Which?", options=["A", "B"]), "awaitingInput"),
        (event(Happened.ASKED, "Your name?", options=[]), "awaitingInput"),
        (event(Happened.ANSWERED, "Answered on phone: Name: api"), "active"),
        (event(Happened.PARKED, "It waits on."), "awaitingInput"),
        (event(Happened.ENDED, end="response"), "complete"),
        (event(Happened.ENDED, "It failed.", end="error"), "error"),
    )
    for one, status in events:
        await adapter.send(ticket, one, "")
        assert session.status == status
    assert session.activities[4]["options"] == [{"label": one, "value": one} for one in "AB"]
    sent = [(one["type"], one.get("body") or one["parameter"]) for one in session.activities]
    assert sent[1:4] == [("thought", "I read␛ the code."), ("action", "make"), ("action", "–")]
    assert [one[0] for one in sent[4:]] == [
        "elicitation", "elicitation", "thought", "elicitation", "response", "error"
    ]  # fmt: skip


async def test_the_same_again_is_taken_once(linear: ScriptedLinear, adapter: LinearAdapter) -> None:
    ticket = assigned(linear)
    for _ in range(3):
        await adapter.send(ticket, event(Happened.ASKED, "Which?", KEY, options=["A"]), "")
    assert len(linear.sessions[ticket.ticket].activities) == 1
    with pytest.raises(RefusedError, match="Entity not found"):
        await adapter.send(run("gone"), event(Happened.ASKED, "Which?", options=[]), "")


def failed(code: str = "RATELIMITED", **headers: str) -> Response:
    error = {"message": "Slow down", "extensions": {"code": code}}
    return JSONResponse(
        {"errors": [error]}, 400, {name.replace("_", "-"): one for name, one in headers.items()}
    )


@each_row("FORBIDDEN", "INPUT_ERROR", "invalid input", "ENTITY_NOT_FOUND")
async def test_what_is_wrong_itself_is_refused_for_good(code: str) -> None:
    server = ServerThread(failed(code))
    adapter = LinearAdapter(lambda: SECRET, lambda: TOKEN, url=f"http://127.0.0.1:{server.port}/graphql")
    with pytest.raises(RefusedError, match="Slow down"):
        await adapter.send(run(), event(Happened.ANSWERED, "Hello"), "")
    server.stop()
    await adapter.close()


@each_row(
    (failed(retry_after="30"), 30),
    (failed(x_ratelimit_requests_reset=str((time.time() + 7200) * 1000)), 3600),
    (failed(retry_after="soon"), 0),
    (failed("LOCK_TIMEOUT"), 0),
    (failed("INTERNAL_SERVER_ERROR"), 0),
    (failed("new to us"), 0),
    (Response("busy", 503, {"retry-after": "5"}), 5),
    (Response("<html>", 200), 0),
    (Response('{"data": null}', 200), 0),
)
async def test_limits_and_failures(response: Response, seconds: float) -> None:
    calls = []

    async def answering(scope: Any, receive: Any, send: Any) -> None:
        calls.append(scope["path"])
        await response(scope, receive, send)

    server = ServerThread(answering)
    adapter = LinearAdapter(lambda: SECRET, lambda: TOKEN, url=f"http://127.0.0.1:{server.port}/graphql")
    with pytest.raises(RetryLaterError) as error:
        await adapter.send(run(), event(Happened.ANSWERED, "Hello"), "")
    assert error.value.seconds == pytest.approx(seconds, abs=2)
    if response.status_code == 400 and seconds:
        with pytest.raises(RetryLaterError):
            await adapter.send(run(), event(Happened.ANSWERED, "Hello"), "")
        assert len(calls) == 1, "the limit is obeyed without a call"
    server.stop()
    with pytest.raises(RetryLaterError):
        await adapter.send(run("other"), event(Happened.ANSWERED, "Hello"), "")
    await adapter.close()
