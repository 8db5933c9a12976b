"""The outbox: it sends the events of runs to their tickets, in order, until each is delivered."""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.service.port import RefusedError, RetryLaterError
from ccq_tui.service.run import Happened, Run, RunEvent
from ccq_tui.service.runs import Runs
from ccq_tui.service.store import lasting
from ccq_tui.text import one_line, safe
from ccq_tui.timeouts import set_within

_logger = logging.getLogger(__name__)

POLL_SECONDS = 5.0
"""Seconds after which it looks for events that other processes recorded."""
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 600.0
"""Seconds between the first two tries, and most between two, unless the other side wants more."""
MOST_SECONDS = 3 * 86_400.0
"""Seconds in which nothing of a run could be sent before its events count as refused."""
UNSENT = (Happened.ACTED, Happened.REFUSED)
MOST_TEXT = 600
"""Most characters of a question that is asked again, shorter, where its ticket refused it."""
SHORTER = "_Here is its beginning. Reply in your own words, or answer all of it in ccq-tui._"
REFUSED = "Its ticket refuses the question ({}): it is to be answered here"


class Outbox:
    """Sends the events of runs to their tickets: each run's in order, one at a time.

    Args:
        service: The service.
        page: Returns the address of a run's page, or "".
    """

    def __init__(self, service: Runs, page: Callable[[Run], str]) -> None:
        self._service = service
        self._page = page
        self._news = asyncio.Event()
        self._busy: set[str] = set()
        """The runs whose events are being sent, or wait for the next try."""

    async def run(self) -> None:
        """Send the events that are not sent yet, until cancelled."""
        async with asyncio.TaskGroup() as sending:
            while True:
                self._news.clear()
                for run_id, events in groupby(await self._unsent(), attrgetter("run")):
                    if run_id not in self._busy:
                        self._busy.add(run_id)
                        sending.create_task(self._send(run_id, list(events)))
                await set_within(self._news, POLL_SECONDS)

    def notice(self) -> None:
        """Look for unsent events now."""
        self._news.set()

    async def _unsent(self) -> list[RunEvent]:
        store, sources = self._service.store, tuple(self._service.adapters)
        found = await lasting(store.unsent, sources, self._service.machine, tuple(self._busy), 200)
        return sorted(found, key=attrgetter("run", "number"))

    async def _send(self, run_id: str, events: list[RunEvent]) -> None:
        """Send the events of a run, each until its ticket has it or refuses it."""
        pause, reported, since = FIRST_PAUSE, "", time.monotonic()
        try:
            while events:
                try:
                    too_long = time.monotonic() - since > MOST_SECONDS
                    await self._send_one(events[0], last=too_long)
                    del events[0]
                    pause, reported, since = FIRST_PAUSE, "", since if too_long else time.monotonic()
                    continue
                except RetryLaterError as error:
                    problem, wanted = str(error), error.seconds
                except Exception as error:
                    problem, wanted = f"an error in the program: {error!r}", LONGEST_PAUSE
                    _logger.exception("The events of run %s could not be sent", run_id)
                if problem != reported:
                    _logger.warning("The events of run %s are sent later: %s", run_id, problem)
                reported = problem
                await asyncio.sleep(max(pause, wanted))
                pause = min(2 * pause, LONGEST_PAUSE)
        finally:
            self._busy.discard(run_id)
            self.notice()

    async def _send_one(self, event: RunEvent, *, last: bool) -> None:
        """Send an event; with ``last``, what passes by itself counts as a refusal, too."""
        store, problem = self._service.store, ""
        run = await lasting(store.get, event.run)
        adapter = self._service.adapters[run.source]
        try:
            if event.kind not in UNSENT and not event.body.get("here"):  # it was answered in the ticket
                await adapter.send(run, event, self._page(run))
        except RefusedError as error:
            problem = str(error)
            if event.kind is Happened.ASKED:
                text = f"{safe(str(event.body['text']), limit=MOST_TEXT)}\n\n{SHORTER}"
                with suppress(RefusedError):
                    await adapter.send(run, replace(event, body={"text": text, "options": []}), "")
        except RetryLaterError as error:
            if not last:
                raise
            problem = str(error)
        if problem:
            await self._refused(run, event, problem)
        await lasting(store.mark_sent, event.id, problem)

    async def _refused(self, run: Run, event: RunEvent, problem: str) -> None:
        """Tell the operator what a ticket did not take; of a question, in the inbox too."""
        _logger.warning("The ticket of run %s refuses an event (%s): %s", run.id, event.kind, problem)
        if event.kind is Happened.ASKED:
            line = one_line(REFUSED.format(problem), MOST_TEXT)
            with suppress(InboxError):
                await self._service.inbox.run(
                    lambda store: store.sessions.upsert(run.session, last_line=line)
                )
        body = {"text": problem, "event": event.kind}
        await self._service.record(run.id, Happened.REFUSED, event.id, body)
