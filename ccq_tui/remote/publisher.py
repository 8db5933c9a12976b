"""Keeps one pairing's relay and the inbox the same."""

import asyncio
import logging
import random
from datetime import UTC, datetime

import httpx2

from ccq_tui.answering.record import Record
from ccq_tui.config.carried import mapping
from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.port import Added, Delivered, InboxChange, InboxRenewed, SessionNoted, Settled
from ccq_tui.inbox.store.rows import RequestState, StoredRequest, StoredSession
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError, InvalidOutcome
from ccq_tui.remote.client import RelayClient, RelayError, RelayRefused, RelayUnreachable, Status, Unpaired
from ccq_tui.remote.pairings import Pairing
from ccq_tui.remote.publication import LASTS, Channel, Publication, ended, is_parked, relay_id, statement

_logger = logging.getLogger(__name__)

FEWEST_SECONDS, MOST_SECONDS = 2.0, 60.0
"""Seconds to leave a relay alone after failures, or half of that by chance."""


class Publisher:
    """Publishes what waits in an inbox at one relay, takes the answers over, and says what became of them.

    Args:
        inbox: The inbox.
        pairing: The pairing with the relay.
        grants: Whether a device may grant what lasts.

    Attributes:
        problem: Why the relay is not reached, for a person, or "".
        is_unpaired: Whether that is because the relay no longer knows the pairing.
    """

    def __init__(self, inbox: Inbox, pairing: Pairing, *, grants: bool = False) -> None:
        self.problem = ""
        self.is_unpaired = False
        self._inbox = inbox
        self._pairing = pairing
        self._channel = Channel(pairing, grants=grants)
        self._there: dict[str, Publication] = {}
        """What may be at the relay, by the ids of requests in the inbox."""
        self._due: dict[str, None] = {}
        """The requests that may differ here and there, newest last."""
        self._wake = asyncio.Event()

    async def run(self) -> None:
        """Keep both the same until cancelled, or until the relay no longer knows the pairing."""
        unsubscribe, failures = self._inbox.subscribe(self._inbox_changed), 0
        try:
            while not self.is_unpaired:
                failures += 1
                try:
                    async with RelayClient(self._pairing) as client:
                        seq = await self._begin(client)
                        failures = 0
                        self._note("")
                        async with asyncio.TaskGroup() as tasks:
                            tasks.create_task(self._listen(client, seq))
                            tasks.create_task(self._work(client))
                except* Unpaired as group:
                    self.is_unpaired = True
                    self._note(str(group.exceptions[0]))
                except* RelayError as group:
                    if failures:  # a connection that ends is no problem: the next one may begin at once
                        self._note(str(group.exceptions[0]))
                except* InboxError as group:
                    _logger.warning("The inbox cannot be published: %s", group.exceptions[0])
                pause = min(MOST_SECONDS, FEWEST_SECONDS * 2.0 ** min(failures, 10))
                await asyncio.sleep(0.0 if self.is_unpaired else pause * random.uniform(0.5, 1.0))  # noqa: S311
        finally:
            unsubscribe()

    def _note(self, problem: str) -> None:
        if problem != self.problem:
            _logger.info("The relay %s: %s", self._pairing.relay, problem or "reached")
            self.problem = problem

    # -- what may differ ------------------------------------------------------------------------------------

    def _inbox_changed(self, change: InboxChange) -> None:
        match change:
            case Added(request) | Settled(request):
                self._mark_due(request.id)
            case Delivered(request_id):
                self._mark_due(request_id)
            case SessionNoted(session_id):
                self._mark_due(*(key for key, one in self._there.items() if one.session_id == session_id))
            case InboxRenewed():
                self._mark_due(*self._there)

    def _mark_due(self, *keys: str) -> None:
        for key in keys:
            self._due.pop(key, None)
            self._due[key] = None
        self._wake.set()

    async def _begin(self, client: RelayClient) -> int:
        """Compare everything here and there; return the number of the relay's newest event."""
        self._due, self._there = {}, {}
        records, seq = await client.requests()
        # Most pending requests that a relay takes.
        pending = await self._inbox.run(lambda store: store.requests.waiting(limit=1_000))
        asked = {relay_id(self._pairing, stored) for stored in pending}
        over = {str(one.get("id")): one for one in records if one.get("status") != "ended"}
        over = {name: one for name, one in over.items() if name not in asked}
        if over:
            since = datetime.now(UTC) - LASTS
            for stored in await self._inbox.run(lambda store: store.requests.unsettled_before(since)):
                if over.pop(relay_id(self._pairing, stored), None):
                    self._there[stored.request.id] = self._channel.publication(stored, None)
            for name, record in over.items():
                self._there[name] = Publication(name, str(record.get("expires")))
        self._mark_due(*self._there, *(stored.request.id for stored in pending))
        return seq

    async def _listen(self, client: RelayClient, seq: int) -> None:
        async for event in client.events(after=seq):
            if event.seq != seq + 1:
                raise RelayUnreachable("the relay left out changes: everything is compared again")
            seq = event.seq
            if event.kind == "answered":
                self._mark_due(*(key for key, made in self._there.items() if event.id == made.id))

    async def _work(self, client: RelayClient) -> None:
        while True:
            while self._due:
                key, _ = self._due.popitem()
                try:
                    await self._bring(client, key)
                except RelayRefused as error:
                    if error.status >= httpx2.codes.INTERNAL_SERVER_ERROR:
                        raise RelayUnreachable(str(error)) from error
                    _logger.warning("A request differs from that at the relay: %s (%s)", error, error.field)
            self._wake.clear()
            await self._wake.wait()

    # -- one request ----------------------------------------------------------------------------------------

    async def _bring(self, client: RelayClient, key: str) -> None:
        """Make a request the same there as it is here."""
        stored, session = await self._inbox.run(lambda store: _found(store, key))
        known = self._there.get(key)
        if stored is not None and stored.state is RequestState.PENDING:
            made = self._channel.publication(stored, session)
            if known is not None and known.id != made.id:
                await self._end(client, known, None)  # it is asked again: no old answer is one to it
            self._there[key] = made
            await self._offer(client, stored, made, "parked" if is_parked(session) else "")
        elif known is not None:
            await self._end(client, known, stored)
            # States that nothing follows.
            if stored is None or stored.state in (RequestState.DELIVERED, RequestState.CANCELLED):
                del self._there[key]

    async def _offer(self, client: RelayClient, stored: StoredRequest, made: Publication, end: str) -> None:
        """Have a pending request pending at the relay, or take its answer."""
        if datetime.now(UTC) >= datetime.fromisoformat(made.expires):
            return  # by this machine's clock, whatever the relay has
        record = await client.request(made.id)
        if record is not None and not self._channel.has(record, made):
            await client.delete_request(made.id)
            record = None
        if record is None:
            record = {**made.posted, "status": "pending"}
            await client.publish(made.posted)
        status, given = record.get("status"), mapping(record.get("answer"))
        if status == "answered" and given:
            if not given.get("skipped"):
                await self._take(client, stored, made, record)
            return
        if status != "pending" or self._channel.statement(record, made).get("end", "") != end:
            await self._put(client, made, record, "pending", statement(end))

    async def _take(
        self, client: RelayClient, stored: StoredRequest, made: Publication, record: Record
    ) -> None:
        """Give an answer to the inbox, which decides whether it comes first; reopen the record otherwise."""
        try:
            await self._inbox.settle(stored.request.id, *self._channel.read(record, made, stored.request))
            self._mark_due(stored.request.id)
        except InvalidOutcome as error:
            _logger.info("An answer of a device was refused: %s", error.field or "it does not open")
            await self._put(client, made, record, "pending", statement(refused=str(error)))

    async def _end(self, client: RelayClient, made: Publication, stored: StoredRequest | None) -> None:
        """Say at the relay how a request ended; one that is not ``stored`` was withdrawn."""
        record = await client.request(made.id)
        stated = ended(stored) if stored is not None else statement("withdrawn")
        if record is None or self._channel.statement(record, made) == stated:
            return
        actor = stored.actor if stored is not None else None
        stands = actor is not None and actor.surface is Surface.DEVICE and record.get("answer")
        status: Status = "answered" if stands and not stated["taken"] else "ended"
        await self._put(client, made, record, status, stated)

    async def _put(
        self, client: RelayClient, made: Publication, record: Record, status: Status, stated: Record
    ) -> None:
        """Put a request's status, unless an answer came meanwhile that it would drop."""
        content = self._channel.stated(stated, record, made)
        unanswered = status == record.get("status") == "pending"
        try:
            await client.put_status(made.id, status, content, unanswered=unanswered)
        except RelayRefused as error:
            if error.status not in (httpx2.codes.NOT_FOUND, httpx2.codes.CONFLICT):
                raise


def _found(store: Store, key: str) -> tuple[StoredRequest | None, StoredSession | None]:
    stored = store.requests.get(key)
    return stored, store.sessions.get(stored.request.session_id) if stored is not None else None
