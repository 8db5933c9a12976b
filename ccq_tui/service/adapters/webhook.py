"""Any program: it sends tickets as signed CloudEvents, and is sent what happens in their runs."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import httpx2
import standardwebhooks
from pydantic import ConfigDict, Field

from ccq_tui.service.adapters.http import SECRET_SECONDS, HttpAdapter
from ccq_tui.service.people import Involved, Participant, TicketRole
from ccq_tui.service.port import Incoming, NewTicket, RefusedError, RetryLaterError, TicketMessage
from ccq_tui.service.run import Happened, Run, RunEvent
from ccq_tui.web.bodies import JsonBody, checked, shape
from ccq_tui.web.problems import ProblemError

DETAILS = ("kind", "text", "parameter", "options", "end")
MEDIA_TYPE = "application/cloudevents+json"
_Text = Annotated[str, Field(min_length=1, max_length=200_000)]
_Id = Annotated[str, Field(min_length=1, max_length=300)]
_ABOUT: Any = (dict[str, str | list[str]], {})
_OPTIONAL: Any = dict.fromkeys(("url", "repository", "author"), (str, ""))
_DATA = {
    "ccq.ticket": shape("TicketData", title=_Text, prompt=_Text, about=_ABOUT, **_OPTIONAL),
    "ccq.message": shape("MessageData", text=_Text, author=(str, "")),
    "ccq.stop": shape("StopData", author=(str, "")),
}


class _CloudEvent(JsonBody):
    model_config = ConfigDict(extra="ignore")

    specversion: Literal["1.0"]
    id: _Id
    type: Literal["ccq.ticket", "ccq.message", "ccq.stop"]
    subject: _Id
    data: dict[str, Any] = Field(default_factory=dict)


class WebhookAdapter(HttpAdapter):
    """Reads and sends CloudEvents with signatures of Standard Webhooks.

    Args:
        secret: Returns the secret of both sides, ``whsec_…``; raises `ValueError` without one.
        url: Where to send what happens, or "" to send nothing.
    """

    name = "webhook"

    def __init__(self, secret: Callable[[], str], url: str = "") -> None:
        super().__init__(url)
        self._secret = secret

    def read(self, headers: Mapping[str, str], body: bytes) -> Incoming:
        """Verify and read a webhook; raises `ProblemError`."""
        try:
            signing = standardwebhooks.Webhook(self._secret())
        except ValueError as error:
            raise ProblemError(503, f"The webhook has no usable secret here: {error}.") from error
        try:
            signing.verify(body, dict(headers), json_parse=False)
        except (standardwebhooks.WebhookVerificationError, ValueError) as error:
            raise ProblemError(401, f"The signature does not fit: {error}.") from error
        event = checked(_CloudEvent, body)
        kind, place = event["type"], (self.name, event["subject"])
        data = checked(_DATA[kind], json.dumps(event.get("data", {})).encode())
        author = data.pop("author", "")
        person = Participant(f"{self.name}:{author}", author)
        if kind == "ccq.ticket":
            return NewTicket(*place, **data, people={TicketRole.CREATOR: person}, person=person)
        return TicketMessage(*place, event["id"], data.get("text", ""), person, stop=kind == "ccq.stop")

    async def send(self, run: Run, event: RunEvent, page: str) -> None:
        """Send what happened as a CloudEvent."""
        kind, data = {Happened.PARKED: Happened.ENDED}.get(event.kind, event.kind), {"page": page}
        if event.kind is not Happened.STARTED:
            data = {name: one for name, one in event.body.items() if name in DETAILS}
        if kind == Happened.ENDED:
            data = {"end": "parked", **data, "branch": run.branch}
        await self._send(run, event.id, kind, data)

    async def involved(self, run: Run) -> Involved:
        """Return whom the ticket named: its program does not say who came later."""
        return run.people

    async def missed(self, run: Run) -> tuple[TicketMessage, ...]:  # noqa: ARG002
        """Return nothing: its program sends again what was not taken."""
        return ()

    async def _send(self, run: Run, key: str, what: str, data: Mapping[str, Any]) -> None:
        if not self._url:
            return
        now = datetime.now(UTC)
        event = {"specversion": "1.0", "id": key, "source": f"/runs/{run.id}", "type": f"ccq.run.{what}"}
        event |= {"subject": run.ticket, "time": now.isoformat(), "datacontenttype": "application/json"}
        body = json.dumps(event | {"data": data})
        try:
            signed = standardwebhooks.Webhook(self._secret()).sign(key, now, body)
        except ValueError as error:
            raise RetryLaterError(f"there is no usable secret: {error}", SECRET_SECONDS) from error
        headers = {"Content-Type": MEDIA_TYPE, "webhook-id": key, "webhook-signature": signed}
        headers["webhook-timestamp"] = str(int(now.timestamp()))
        response, _ = await self._post(body, headers)
        if response.status_code == httpx2.codes.GONE:
            raise RefusedError("it wants no more events (HTTP 410)")
        if not response.is_success:
            raise RetryLaterError(f"HTTP {response.status_code}")
