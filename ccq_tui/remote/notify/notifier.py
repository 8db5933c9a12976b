"""Sends a notification of each request that waits and nobody reacts to."""

import asyncio
import json
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, time
from enum import StrEnum
from pathlib import Path

from ccq_tui.bounded import JSON_BYTES, parse_json, read_text
from ccq_tui.config.settings import Settings
from ccq_tui.config.values import read_hours
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.port import Added, InboxChange, Settled
from ccq_tui.inbox.store.rows import Presence, StoredRequest
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.remote.notify.channels import deliver
from ccq_tui.remote.notify.notification import notification_of
from ccq_tui.remote.notify.program import run_program
from ccq_tui.remote.pairings import Pairing
from ccq_tui.remote.seal import digest
from ccq_tui.stored import write_whole
from ccq_tui.timeouts import set_within

_logger = logging.getLogger(__name__)

SUMMARY_SECONDS, RETRY_SECONDS = 30.0, 60.0
"""Seconds in which others are collected after a notification, and until the next try after a failure."""
POLL_SECONDS = 1.0
"""Seconds between two looks while a request may become due: a person leaves, quiet hours end."""


class Suppression(StrEnum):
    """The reason that a request gets no notification now."""

    NOTIFIED = "it had one"
    PRESENT = "a person is at a terminal"
    QUIET = "quiet hours"
    TOO_SOON = "another notification was sent just before"
    SETTLED = "it is settled"


class Notifier:
    """The notifications of one machine; one process runs it at a time.

    Args:
        inbox: The inbox.
        settings: The person's settings.
        pairings: Returns the pairings of the inbox.
        state: The directory of the program's state.
        now: Returns the time, in the person's zone.
    """

    def __init__(
        self,
        inbox: Inbox,
        settings: Settings,
        pairings: Callable[[], tuple[Pairing, ...]],
        state: Path,
        *,
        now: Callable[[], datetime] = lambda: datetime.now().astimezone(),
    ) -> None:
        self._inbox = inbox
        self._settings = settings
        self._pairings = pairings
        self._file = state / "notified.json"
        self._now = now
        self._quiet = read_hours(settings.notify_quiet)
        self._waiting: dict[str, StoredRequest] = {}
        self._notified: set[str] = set()
        self._ran: set[str] = set()
        """The requests for which the person's program was run."""
        self._reasons: dict[str, Suppression] = {}
        """The reason of each request that is in the log."""
        self._free_at = 0.0
        self._news = asyncio.Event()
        self._slots = asyncio.Semaphore(4)

    async def run(self) -> None:
        """Notify until cancelled; then the person's programs that still run are killed."""
        await asyncio.to_thread(self._load)
        async with asyncio.TaskGroup() as self._programs:
            unsubscribe = self._inbox.subscribe(self._changed)
            try:
                self._news.set()
                while True:
                    await set_within(self._news, await self._check())
            finally:
                unsubscribe()

    def _changed(self, change: InboxChange) -> None:
        if isinstance(change, Added | Settled):
            self._news.set()

    async def _check(self) -> float | None:
        """Do what is due; return the seconds until the next look, or None to wait for news."""
        try:
            if self._news.is_set():
                self._news.clear()
                await self._update()
            return await self._notify(self._pairings())
        except InboxError as error:
            _logger.warning("Notifications wait for the inbox: %s", error)
            self._news.set()
            await asyncio.sleep(RETRY_SECONDS)
            return None

    async def _update(self) -> None:
        """Read what waits, and run the person's program for what is new."""
        found = await self._inbox.run(lambda store: store.requests.waiting(limit=10_000))
        self._waiting = {one.request.id: one for one in found}
        for name in self._reasons.keys() - self._waiting.keys():
            if name not in self._notified:
                self._note_reason(name, Suppression.SETTLED)
            del self._reasons[name]
        self._notified &= self._waiting.keys()
        new = [one for one in found if one.request.id not in self._ran]
        if new and self._settings.on_request:
            self._ran = set(self._waiting)
            for stored in new:
                self._programs.create_task(self._run_program(stored))
            await self._save()

    async def _run_program(self, stored: StoredRequest) -> None:
        async with self._slots:
            if problem := await run_program(self._settings.on_request, stored):
                _logger.warning("on_request failed for %r: %s", stored.request.id, problem)

    # -- notifications --------------------------------------------------------------------------------------

    async def _notify(self, pairings: Sequence[Pairing]) -> float | None:
        """Send one notification of what is due; return the seconds until the next look, as `_check`."""
        if not (self._waiting and (pairings or self._settings.notify_urls)):
            return None
        presences = await self._inbox.run(lambda store: store.listeners.presences())
        now = self._now()  # after the proofs, of which none is in its future
        due = []
        for name, stored in self._waiting.items():
            reason = suppression(
                stored.asked_at.timestamp(), presences, now, notified=name in self._notified,
                wait=self._settings.notify_wait, quiet=self._quiet, free_at=self._free_at,
            )  # fmt: skip
            if reason is None:
                due.append(stored)
            else:
                self._note_reason(name, reason)
        if due:
            await self._send(due, pairings)
        return None if self._waiting.keys() <= self._notified else POLL_SECONDS

    def _note_reason(self, name: str, reason: Suppression) -> None:
        if self._reasons.get(name) is not reason:
            self._reasons[name] = reason
            _logger.info("No notification of %r now: %s", name, reason)

    async def _send(self, due: Sequence[StoredRequest], pairings: Sequence[Pairing]) -> None:
        """Send one notification of what is due; one that no channel took is due again after a while."""
        urls, with_text = self._settings.notify_urls, self._settings.notify_text
        is_sealed = any(one.is_sealed for one in pairings)
        found = await self._inbox.run(
            lambda store: [(one, store.sessions.get(one.request.session_id)) for one in due]
        )
        notification = notification_of(found, with_text=with_text, with_topic=with_text or not is_sealed)
        if pairings:
            topic = digest("\n".join(one.request.id for one in due))[:32]
            notification = replace(notification, page=f"{pairings[0].public}/", topic=topic)
        receipts = await deliver(notification, urls, pairings)
        is_sent = any(one.sent for one in receipts)  # a pairing may have no device yet
        self._free_at = self._now().timestamp() + (SUMMARY_SECONDS if is_sent else RETRY_SECONDS)
        if is_sent:
            names = [one.request.id for one in due]
            self._notified.update(names)
            await self._save()
            _logger.info("Notified of %r", names)

    # -- what survives this process -------------------------------------------------------------------------

    def _load(self) -> None:
        try:
            found = parse_json(read_text(self._file, JSON_BYTES)) if self._file.exists() else {}
            self._notified, self._ran = (set(map(str, found.get(name, ()))) for name in ("notified", "ran"))
        except (ValueError, AttributeError, TypeError) as error:
            _logger.warning("Notifications may come twice: %s: %s", self._file, type(error).__name__)

    async def _save(self) -> None:
        content = {"version": 1, "notified": sorted(self._notified), "ran": sorted(self._ran)}
        try:
            await asyncio.to_thread(write_whole, self._file, json.dumps(content))
        except OSError as error:
            _logger.warning("Notifications may come twice: %s: %s", self._file, error.strerror)


def suppression(
    asked: float,
    presences: Iterable[Presence],
    now: datetime,
    *,
    notified: bool = False,
    wait: float,
    quiet: tuple[time, time] | None = None,
    free_at: float = 0.0,
) -> Suppression | None:
    """Return why a request gets no notification now, or None if it gets one.

    Args:
        asked: The time of asking, in seconds since 1970.
        presences: What all terminal programs know of their persons.
        now: The time, in the person's zone.
        notified: Whether it had one.
        wait: Seconds without a reaction, while a person is at a terminal, before a notification.
        quiet: The first and the last time of the hours without notifications, or None.
        free_at: The time until which requests are collected for one summary, in seconds since 1970.
    """
    if notified:
        return Suppression.NOTIFIED
    at = now.timestamp()
    # A terminal in focus, or, where it does not report that, for a while; a time to come is a clock's error.
    there = (one for one in presences if one.focused or (one.focused is None and at - one.at < wait))
    proofs = [one.at for one in there if one.at <= at]
    if proofs and at < max(asked, *proofs) + wait:
        return Suppression.PRESENT
    if quiet is not None:
        (first, last), clock = quiet, now.time()
        if first <= clock < last if first < last else clock >= first or clock < last:
            return Suppression.QUIET
    return Suppression.TOO_SOON if at < free_at else None
