"""The terminal's side of a relay's HTTP; the rules are in `docs/dev/relay-protocol.md`."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Literal

import httpx2

from ccq_tui.config.carried import mapping
from ccq_tui.remote.pairings import Pairing
from ccq_tui.text import one_line
from ccq_tui.web.client import FAILURES, CallError, HttpClient, failure_words, read_bounded

CALL_SECONDS = 30.0
"""Most seconds for one call in all, with what it waits where the relay asks to."""
SILENCE_SECONDS = 25.0
"""Seconds without a byte after which a stream of events has ended; a relay sends one at least every 8."""
MOST_BYTES = 64_000_000
"""Most bytes of a relay's response to read."""

Record = dict[str, Any]
Status = Literal["pending", "answered", "ended"]


class RelayError(Exception):
    """A call to a relay failed; the message says why, for a person."""


class RelayUnreachable(RelayError):  # noqa: N818 - says what the relay is
    """No relay answered: no network, no process, no valid certificate, or something else is there."""


class Unpaired(RelayError):  # noqa: N818 - says what this machine is
    """The relay does not know the pairing's token, or no longer."""


class RelayRefused(RelayError):  # noqa: N818 - says what the relay did
    """The relay did not do what the call asks.

    Attributes:
        status: The HTTP status.
        field: The wrong field, or "".
    """

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        detail = one_line(str(problem.get("detail") or problem.get("title") or status), 300)
        super().__init__(f"the relay refused this: {detail}")
        self.status = status
        self.field = one_line(str(problem.get("field", "")), 300)


@dataclass(frozen=True, slots=True)
class RelayEvent:
    """A change at the relay.

    Attributes:
        kind: "added", "answered", "removed" or "status".
        seq: Its place among all changes of the pairing.
        id: The record.
    """

    kind: str
    seq: int
    id: str


class RelayClient(AbstractAsyncContextManager["RelayClient"]):
    """Calls one relay for one pairing; an async context manager, for one event loop.

    Every call takes at most `CALL_SECONDS`, and raises `RelayUnreachable`, `Unpaired` or `RelayRefused`.
    To make one reads files of certificates, and takes some 20 ms.
    """

    def __init__(self, pairing: Pairing) -> None:
        self.pairing = pairing
        headers = {"Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {pairing.token}"} if pairing.token else {}
        place, trusted = pairing.relay, pairing.certificate
        try:
            self._http = HttpClient(place, CALL_SECONDS, certificate=trusted, headers=headers)
        except OSError as error:
            raise RelayUnreachable(f"the certificate {trusted} cannot be read") from error

    async def __aexit__(self, *_error: object) -> None:
        """Close all connections."""
        await self._http.aclose()

    # -- requests -------------------------------------------------------------------------------------------

    async def publish(self, request: Mapping[str, Any]) -> None:
        """Publish a request: `id`, `expires`, and `body` or `sealed`; the same again changes nothing.

        `RelayRefused` with status 409 means that another content has the id.
        """
        await self._call("POST", "/request", {"pairingId": self.pairing.id, "request": request})

    async def requests(self) -> tuple[list[Record], int]:
        """Return the records of all requests, oldest first, and the number of the newest event."""
        found = await self._call("GET", f"/requests/{self.pairing.id}")
        records, seq = found.get("requests"), found.get("seq")
        if not isinstance(records, list) or not isinstance(seq, int):
            raise RelayUnreachable("the relay's answer cannot be read")
        return [one for one in records if isinstance(one, dict)], seq

    async def request(self, record_id: str) -> Record | None:
        """Return the record of a request, or None."""
        return await self._call("GET", f"/request/{self.pairing.id}/{record_id}", may_miss=True) or None

    async def put_status(
        self, record_id: str, status: Status, statement: Mapping[str, Any], *, unanswered: bool = False
    ) -> None:
        """Put a request's status, with `statement` or `sealed`; "pending" drops its answer.

        With ``unanswered``, one with an answer is left as it is: `RelayRefused` with status 409.
        """
        path = f"/request/{self.pairing.id}/{record_id}/status"
        await self._call("PUT", path, {"status": status, **statement, "unanswered": unanswered})

    async def delete_request(self, record_id: str) -> None:
        """Delete the record of a request, if it is there."""
        await self._call("DELETE", f"/request/{self.pairing.id}/{record_id}", may_miss=True)

    async def events(self, *, after: int) -> AsyncIterator[RelayEvent]:
        """Yield the changes after a number, without end.

        Raises `RelayUnreachable` when the stream ends or is silent for `SILENCE_SECONDS`.
        """
        quiet = httpx2.Timeout(CALL_SECONDS, connect=10.0, read=SILENCE_SECONDS)
        path = f"/events/{self.pairing.id}"
        try:
            async with self._http.stream("GET", path, params={"after": after}, timeout=quiet) as response:
                if response.is_error:
                    raise _refusal(response, await read_bounded(response, MOST_BYTES))
                async for one in httpx2.EventSource(response, max_event_size=10_000):
                    data = _json(one.data) or {}
                    if isinstance(seq := data.get("seq"), int):
                        yield RelayEvent(one.event, seq, str(data.get("id")))
        except FAILURES as error:
            raise RelayUnreachable(f"the relay {failure_words(error)}") from error
        raise RelayUnreachable("the relay ended the stream of events")

    # -- pairing and notifying ------------------------------------------------------------------------------

    async def new_pairing(self, *, invitation: str, proof: str, sealed: bool, name: str) -> tuple[str, str]:
        """Redeem an invitation of ``ccq-tui relay invite``; return the new pairing's id and a token.

        The client's own pairing has neither yet.
        """
        mode = "sealed" if sealed else "plain"
        fields = {"invitation": invitation, "proof": proof, "mode": mode, "name": name}
        found = await self._call("POST", "/pairings", fields)
        return str(found.get("pairingId", "")), str(found.get("token", ""))

    async def invite(self, *, invitation: str, proof_hash: str, wrapped: str = "") -> str:
        """Invite one device; return the time at which the invitation expires."""
        fields = {"pairingId": self.pairing.id, "invitation": invitation, "proofHash": proof_hash}
        found = await self._call("POST", "/invitations", fields | {"wrapped": wrapped})
        return str(found.get("expires", ""))

    async def devices(self) -> list[Record]:
        """Return the devices and terminals of the pairing."""
        found = (await self._call("GET", f"/devices/{self.pairing.id}")).get("devices")
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []

    async def revoke(self, device_id: str) -> None:
        """Revoke the token of a device or a terminal, if it is there."""
        await self._call("DELETE", f"/devices/{self.pairing.id}/{device_id}", may_miss=True)

    async def notify(self, topic: str = "") -> tuple[int, list[str]]:
        """Send an empty Web Push to every subscribed device; return how many got it, and why others not."""
        found = await self._call("POST", f"/notify/{self.pairing.id}", headers={"Topic": topic})
        sent, failed = found.get("sent"), found.get("failed")
        if not isinstance(sent, int) or not isinstance(failed, list):
            raise RelayUnreachable("the relay's answer cannot be read")
        return sent, [str(mapping(one).get("reason")) for one in failed]

    # -- calls ----------------------------------------------------------------------------------------------

    async def _call(
        self,
        method: str,
        path: str,
        fields: Mapping[str, Any] | None = None,
        *,
        may_miss: bool = False,
        headers: Mapping[str, str] | None = None,
    ) -> Record:
        """Make a call, and again after the time that a busy relay asks for.

        Returns nothing for what is not there, if it ``may_miss``.
        """
        # ASCII: a model's text may hold half of a character, which UTF-8 does not have.
        content = None if fields is None else json.dumps(fields, separators=(",", ":"), default=str).encode()
        try:
            response, body = await self._http.call(
                method, path, content, headers=headers, most=MOST_BYTES, again=True
            )
        except CallError as error:
            raise RelayUnreachable(f"the relay {error}") from error
        if response.is_success and (found := _json(body)) is not None:
            return found
        refusal = _refusal(response, body)
        if may_miss and isinstance(refusal, RelayRefused) and refusal.status == httpx2.codes.NOT_FOUND:
            return {}
        raise refusal


UNPAIRED = "the relay does not know this machine: pair again, by ccq-tui phone or ccq-tui pair URL CODE"


def _refusal(response: httpx2.Response, body: bytes) -> RelayError:
    """Return the error that a response stands for; only a relay writes problem documents."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    problem = _json(body) if kind == "application/problem+json" else None
    if problem is None:
        return RelayUnreachable(f"what answers there is no relay (HTTP {response.status_code})")
    if response.status_code == httpx2.codes.UNAUTHORIZED:
        return Unpaired(UNPAIRED)
    return RelayRefused(response.status_code, problem)


def _json(body: str | bytes) -> Record | None:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
