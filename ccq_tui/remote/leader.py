"""One process of a machine publishes its inbox and notifies devices; once it has ended, another does."""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ccq_tui.bounded import read_text
from ccq_tui.config.paths import state_dir
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.remote.pairings import Pairing, PairingsError, read_pairings
from ccq_tui.stored import locked, write_whole
from ccq_tui.text import one_line

if TYPE_CHECKING:
    from ccq_tui.remote.publisher import Publisher

_logger = logging.getLogger(__name__)

LOCK, SIGN, PAIRINGS, INBOX = "leader.lock", "relay-sign", "pairings.json", "inbox.db"
"""Files in the directory of state."""
POLL_SECONDS = 2.0
"""Seconds between looks at whether another process leads, and at the pairings."""


def relay_sign(state: Path | None = None) -> str:
    """Return what the leading process says of its relays, in a few words; "" if all are reached.

    The file's time of change says since when.
    """
    try:
        return one_line(read_text((state or state_dir()) / SIGN), 60)
    except (OSError, ValueError):
        return ""


def sign_of(publishers: "Mapping[Pairing, Publisher]") -> str:
    """Return a few words for the status line while a relay is not reached, else ""."""
    # A relay of this machine that is not reached is off, as the person wants it.
    down = [one for key, one in publishers.items() if one.problem and (one.is_unpaired or not key.is_home)]
    if not down:
        return ""
    return "phone: pair it again" if all(one.is_unpaired for one in down) else "phone: relay unreachable"


class Leader:
    """Publishes and notifies for all processes of a machine, while no other process does; for one event loop.

    Nothing heavy is imported unless there is a pairing or a channel for notifications.

    Args:
        settings: The settings.
        state: The directory of state; None for that of the system.
        inbox: The inbox to use; None to open one when it is needed.
        on_sign: Called with `relay_sign` whenever that has changed.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        state: Path | None = None,
        inbox: Inbox | None = None,
        on_sign: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._settings = settings
        self._state = state or state_dir()
        self._inbox = inbox
        self._on_sign = on_sign
        self._sign = ""
        self._pairings: tuple[Pairing, ...] = ()
        self._changed_at: int | None = None
        """When the file of pairings was changed that was read last, in nanoseconds; None for no file."""

    async def run(self) -> None:
        """Lead whenever nobody else does, until cancelled."""
        while True:
            self._read_pairings()
            if self._is_needed:
                try:
                    with locked(self._state / LOCK, 0.0) as alone:
                        if alone:
                            await self._lead()
                except OSError as error:
                    _logger.warning("No process can lead: %s", error)
            self._show(relay_sign(self._state))
            await asyncio.sleep(POLL_SECONDS)

    @property
    def _is_needed(self) -> bool:
        return bool(self._pairings or self._settings.notify_urls or self._settings.on_request)

    def _read_pairings(self) -> bool:
        """Read the pairings if their file has changed; return whether it has."""
        file, before = self._state / PAIRINGS, self._changed_at
        try:
            self._changed_at = file.stat().st_ctime_ns  # of its rights, too
        except FileNotFoundError:
            self._changed_at = None
        if self._changed_at == before:
            return False
        try:
            self._pairings = read_pairings(file)
        except PairingsError as error:
            _logger.warning("The pairings stay as they are: %s", error)
        return True

    async def _lead(self) -> None:
        """Publish and notify until there is nothing to do."""
        from ccq_tui.remote.notify.notifier import Notifier

        _logger.info("This process publishes the inbox")
        inbox = self._inbox
        try:
            inbox = inbox or await Inbox.connect(self._state / INBOX)
            notifier = Notifier(inbox, self._settings, lambda: self._pairings, self._state)
            async with _running(notifier.run):
                while self._is_needed:
                    await self._publish(inbox)
        except InboxError as error:
            _logger.warning("The inbox cannot be published: %s", error)
        finally:
            (self._state / SIGN).unlink(missing_ok=True)
            if inbox is not None and self._inbox is None:
                await inbox.close()

    async def _publish(self, inbox: Inbox) -> None:
        """Publish for all pairings until their file changes; then all begin anew, without a wait."""
        from ccq_tui.remote.publisher import Publisher

        grants = self._settings.device_grants
        publishers = {one: Publisher(inbox, one, grants=grants) for one in self._pairings}
        async with _running(*(one.run for one in publishers.values())):
            while not self._read_pairings():
                sign = sign_of(publishers)
                if sign != relay_sign(self._state):
                    write_whole(self._state / SIGN, sign)
                self._show(sign)
                await asyncio.sleep(POLL_SECONDS)

    def _show(self, sign: str) -> None:
        if sign != self._sign:
            self._sign = sign
            self._on_sign(sign)


@asynccontextmanager
async def _running(*parts: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """Run parts until the block ends."""
    tasks = [asyncio.create_task(_lasting(part)) for part in parts]
    try:
        yield
    finally:
        while left := [task for task in tasks if task.cancel()]:
            # Seconds after which a part is cancelled again: a call that fails just then loses the cancel.
            await asyncio.wait(left, timeout=0.5)


async def _lasting(run: Callable[[], Awaitable[None]]) -> None:
    """Run a part to its end, and again after a failure of our own."""
    while True:
        try:
            return await run()
        except Exception:
            _logger.exception("A part of what the leader does failed, and is started again soon")
            # Seconds after which a part that failed by our own fault is started again.
            await asyncio.sleep(60.0)


class LeaderThread:
    """A leader in a thread of its own, with an inbox of its own: no screen waits for anything it does.

    Args:
        settings: The settings.
        state: The directory of state; None for that of the system.
        on_sign: Called in the event loop that makes it, while that runs; see `Leader`.
    """

    def __init__(self, settings: Settings, state: Path | None, on_sign: Callable[[str], None]) -> None:
        caller = asyncio.get_running_loop()

        def tell(sign: str) -> None:
            with suppress(RuntimeError):  # the caller's loop has ended
                caller.call_soon_threadsafe(on_sign, sign)

        self._loop = asyncio.new_event_loop()
        self._leading = self._loop.create_task(Leader(settings, state=state, on_sign=tell).run())
        self._thread = threading.Thread(target=self._run, name="leader", daemon=True)
        self._thread.start()

    def stop(self, seconds: float = 2.0) -> None:
        """End it, and wait for it, at most ``seconds``."""
        with suppress(RuntimeError):  # it has ended
            self._loop.call_soon_threadsafe(self._leading.cancel)
        self._thread.join(seconds)

    def _run(self) -> None:
        with suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._leading)
        self._loop.close()
