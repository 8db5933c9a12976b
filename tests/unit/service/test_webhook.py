"""The generic webhook: signed CloudEvents, in and out."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import standardwebhooks
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ccq_tui.service.adapters.webhook import WebhookAdapter
from ccq_tui.service.people import Participant, TicketRole
from ccq_tui.service.port import NewTicket, RefusedError, RetryLaterError, TicketMessage
from ccq_tui.service.run import Happened, Run
from ccq_tui.testing.server import ServerThread
from ccq_tui.web.problems import ProblemError
from tests.tables import each_row
from tests.unit.service.desks import event as happened

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
NOW = datetime.now(UTC)
RUN = Run("0123456789ab", "webhook", "T-1", "A ticket", "", "Do it", "repo", NOW, NOW, branch="ccq/run-1")
KEY = "7f0c8d3e-0f43-5c5f-9d0a-0f2b1d1c9a11"


def event(kind: str, data: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "specversion": "1.0",
        "id": "e1",
        "source": "/ci",
        "type": kind,
        "subject": "T-1",
        "data": data,
    } | more


def signed(body: bytes, at: datetime | None = None, secret: str = SECRET) -> dict[str, str]:
    at = at or datetime.now(UTC)
    signature = standardwebhooks.Webhook(secret).sign("m1", at, body.decode("utf-8", "replace"))
    return {"webhook-id": "m1", "webhook-timestamp": str(int(at.timestamp())), "webhook-signature": signature}


PROGRAM, ANN = Participant("webhook:"), Participant("webhook:Ann", "Ann")


def adapter(url: str = "") -> WebhookAdapter:
    return WebhookAdapter(lambda: SECRET, url)


@each_row(
    (
        event("ccq.ticket", {"title": "A", "prompt": "B", "repository": "repo", "about": {"team": "X"}}),
        NewTicket(
            "webhook",
            "T-1",
            "A",
            "B",
            "",
            "repo",
            {"team": "X"},
            people={TicketRole.CREATOR: PROGRAM},
            person=PROGRAM,
        ),
    ),
    (event("ccq.message", {"text": "2"}), TicketMessage("webhook", "T-1", "e1", "2", PROGRAM)),
    (event("ccq.stop", {"author": "Ann"}), TicketMessage("webhook", "T-1", "e1", "", ANN, stop=True)),
)
async def test_a_signed_event_is_read(fields: dict[str, Any], read: object) -> None:
    body = json.dumps(fields).encode()
    found = adapter().read(signed(body), body)
    assert found == read


GOOD = json.dumps(event("ccq.message", {"text": "2"})).encode()


@each_row(
    (GOOD, lambda _: {}, 401, "Missing required headers"),
    (GOOD, lambda body: signed(body, secret="whsec_AAAA"), 401, "No matching signature"),
    (GOOD, lambda body: signed(body) | {"webhook-signature": "nonsense"}, 401, "does not fit"),
    (GOOD, lambda body: signed(body, datetime.now(UTC) - timedelta(minutes=6)), 401, "too old"),
    (GOOD + b" ", lambda _: signed(GOOD), 401, "No matching signature"),
    (b"[]", signed, 400, "The body is wrong"),
    *(
        (json.dumps(one).encode(), signed, 400, text)
        for one, text in [
            (event("ccq.message", {"text": "2", "x": 1}), "x is wrong"),
            (event("ccq.message", {"text": 2}), "text is wrong"),
            (event("ccq.ticket", {"title": "A"}), "prompt is wrong"),
            (event("ccq.other", {}), "type is wrong"),
            (event("ccq.stop", {}, subject=""), "subject is wrong"),
        ]
    ),
)
async def test_a_bad_event_is_refused(
    body: bytes, headers: Callable[[bytes], dict[str, str]], status: int, text: str
) -> None:
    with pytest.raises(ProblemError, match=text) as refused:
        adapter().read(headers(body), body)
    assert refused.value.status == status


async def test_what_happens_is_sent_signed_and_refusals_are_told_apart() -> None:
    came: list[dict[str, Any]] = []
    answers = [200, 503, 301, 422, 410]

    async def take(request: Request) -> Response:
        body = await request.body()
        came.append(standardwebhooks.Webhook(SECRET).verify(body, dict(request.headers)))
        return Response(status_code=answers.pop(0), headers={"retry-after": "7"})

    server = ServerThread(Starlette(routes=[Route("/", take, methods=["POST"])]))
    out = adapter(f"http://127.0.0.1:{server.port}/")
    try:
        await out.send(RUN, happened(Happened.ASKED, "Which?", KEY, options=["A", "B"]), "")
        with pytest.raises(RetryLaterError) as later:
            await out.send(RUN, happened(Happened.ENDED, "Done.", end="response"), "")
        assert later.value.seconds == 7.0
        for status in ("301", "422"):
            with pytest.raises(RetryLaterError, match=status):
                await out.send(RUN, happened(Happened.ENDED, "Done.", end="response"), "")
        with pytest.raises(RefusedError, match="410"):
            await out.send(RUN, happened(Happened.STARTED), "")
    finally:
        server.stop()
    with pytest.raises(RetryLaterError, match="cannot be reached"):
        await out.send(RUN, happened(Happened.ANSWERED, "by Ann"), "")
    await out.close()
    assert (came[0]["id"], came[0]["type"], came[0]["subject"]) == (KEY, "ccq.run.asked", "T-1")
    assert came[0]["data"] == {"text": "Which?", "options": ["A", "B"]}
    assert came[1]["data"]["branch"] == "ccq/run-1"
