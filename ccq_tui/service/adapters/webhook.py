"""Any program: it sends tickets as signed CloudEvents, and is sent what happens in their runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import httpx2
import standardwebhooks
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ccq_tui.remote.client import FAILURES, HERE
from ccq_tui.service.port import (
    Incoming,
    NewTicket,
    RefusedError,
    RetryLaterError,
    TicketMessage,
    WebhookCall,
    WebhookError,
)
from ccq_tui.service.run import Run
from ccq_tui.text import one_line

CALL_SECONDS = 15.0
SECRET_SECONDS = 20.0
MEDIA_TYPE = "application/cloudevents+json"
_Text = Annotated[str, Field(min_length=1, max_length=200_000)]


class _Exact(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Ticket(_Exact):
    title: _Text
    prompt: _Text
    url: str = ""
    repository: str = ""
    about: dict[str, str | list[str]] = Field(default_factory=dict)


class _Message(_Exact):
    text: _Text
    author: str = ""


class _Stop(_Exact):
    author: str = ""


class _CloudEvent(BaseModel):
    model_config = ConfigDict(strict=True)

    specversion: Literal["1.0"]
    id: Annotated[str, Field(min_length=1, max_length=300)]
    type: Literal["ccq.ticket", "ccq.message", "ccq.stop"]
    subject: Annotated[str, Field(min_length=1, max_length=300, description="The ticket's id")]
    data: dict[str, Any] = Field(default_factory=dict)


class WebhookAdapter:
    """Reads and sends CloudEvents with signatures of Standard Webhooks; to be closed with `close`.

    Args:
        secret: Returns the secret of both sides, ``whsec_…``; raises `ValueError` without one.
        url: Where to send what happens, or "" to send nothing.
    """

    name = "webhook"

    def __init__(self, secret: Callable[[], str], url: str = "") -> None:
        self._secret = secret
        self._url = url
        self._http = httpx2.AsyncClient(
            timeout=CALL_SECONDS,
            verify=url.startswith("https:"),
            trust_env=urlsplit(url).hostname not in HERE,
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    def read(self, headers: Mapping[str, str], body: bytes) -> WebhookCall:
        """Verify and read a webhook; raises `WebhookError`."""
        try:
            signing = standardwebhooks.Webhook(self._secret())
        except (ValueError, RuntimeError) as error:
            raise WebhookError(503, f"The webhook has no usable secret here: {error}.") from error
        try:
            signing.verify(body, dict(headers), json_parse=False)
        except (standardwebhooks.WebhookVerificationError, ValueError) as error:
            raise WebhookError(401, f"The signature does not fit: {error}.") from error
        try:
            event = _CloudEvent.model_validate_json(body)
            return WebhookCall(f"{self.name}:{headers['webhook-id'][:300]}", self._incoming(event))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise WebhookError(400, f"{place or 'The body'} is wrong: {first['msg']}.") from error

    def _incoming(self, event: _CloudEvent) -> Incoming:
        if event.type == "ccq.ticket":
            return NewTicket(self.name, event.subject, **_Ticket.model_validate(event.data).model_dump())
        message = event.id
        if event.type == "ccq.stop":
            author = _Stop.model_validate(event.data).author
            return TicketMessage(self.name, event.subject, message, "", author, stop=True)
        said = _Message.model_validate(event.data)
        return TicketMessage(self.name, event.subject, message, said.text, said.author)

    async def started(self, run: Run, key: str, page: str) -> None:
        """Send that work begins."""
        await self._send(run, key, "started", {"page": page})

    async def said(self, run: Run, key: str, kind: str, text: str, parameter: str) -> None:
        """Send what the session does."""
        await self._send(run, key, "said", {"kind": kind, "text": text, "parameter": parameter})

    async def asked(self, run: Run, key: str, text: str, options: tuple[str, ...]) -> None:
        """Send a question."""
        await self._send(run, key, "asked", {"text": text, "options": list(options)})

    async def answered(self, run: Run, key: str, text: str) -> None:
        """Send how a question was answered elsewhere."""
        await self._send(run, key, "answered", {"text": text})

    async def ended(self, run: Run, key: str, end: str, text: str) -> None:
        """Send the end."""
        await self._send(run, key, "ended", {"end": end, "text": text, "branch": run.branch})

    async def _send(self, run: Run, key: str, what: str, data: Mapping[str, Any]) -> None:
        if not self._url:
            return
        now = datetime.now(UTC)
        event = {"specversion": "1.0", "id": key, "source": f"/runs/{run.id}", "type": f"ccq.run.{what}"}
        event |= {"subject": run.ticket, "time": now.isoformat(), "datacontenttype": "application/json"}
        body = json.dumps(event | {"data": data})
        try:
            signed = standardwebhooks.Webhook(self._secret()).sign(key, now, body)
        except (ValueError, RuntimeError) as error:
            raise RetryLaterError(f"there is no usable secret: {error}", SECRET_SECONDS) from error
        headers = {
            "Content-Type": MEDIA_TYPE,
            "webhook-id": key,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": signed,
        }
        try:
            async with self._http.stream("POST", self._url, content=body, headers=headers) as response:
                _judge(response)
        except FAILURES as error:
            reason = one_line(str(error), 300) or type(error).__name__
            raise RetryLaterError(f"{one_line(self._url, 200)} cannot be reached: {reason}") from error


def _judge(response: httpx2.Response) -> None:
    """Raise what a response means, unless it was taken."""
    status = response.status_code
    if response.is_success:
        return
    if status == httpx2.codes.TOO_MANY_REQUESTS or status >= httpx2.codes.INTERNAL_SERVER_ERROR:
        after = response.headers.get("retry-after", "")
        raise RetryLaterError(f"HTTP {status}", min(float(after), 3600.0) if after.isdecimal() else 0.0)
    raise RefusedError(f"HTTP {status}")
