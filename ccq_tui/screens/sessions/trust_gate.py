"""The question before a session in an untrusted directory, and the effects of its answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol
from uuid import uuid4

from textual.screen import Screen

from ccq_tui.config.errors import SettingsError
from ccq_tui.config.launch import Launch, trusting
from ccq_tui.config.settings import Settings
from ccq_tui.config.trust import Carried
from ccq_tui.config.trust_question import Row
from ccq_tui.inbox.durable import DurableInbox
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.prompts.unread import PromptDraft, directory_key
from ccq_tui.runtime.launches import made, with_notices, without_files
from ccq_tui.runtime.worktree_cleanup import EndedSession, WorktreeCleanup
from ccq_tui.screens.sessions.open_sessions import OpenSessions
from ccq_tui.screens.trust import QUIT, TrustScreen
from ccq_tui.worktrees.model import WorktreeError

_logger = logging.getLogger(__name__)


class TrustHost(Protocol):
    """The parts of the program that the question about trust needs."""

    clock: Callable[[], float]

    def push_screen(self, screen: Screen[Any], /) -> Awaitable[object]:
        """Show a screen."""

    async def action_quit(self) -> None:
        """End the program."""

    def obey(self, carried: Carried, settings: Settings) -> Sequence[str]:
        """Apply settings of the whole program; return what a person should know."""


class TrustGate:
    """Asks before any file of a directory takes effect, and keeps what is typed meanwhile.

    Attributes:
        problem: Reason why there is no session at all, or "".
        unopened: The launch that was not started when the program ended at the question, or None.
    """

    def __init__(
        self,
        host: TrustHost,
        sessions: OpenSessions,
        inbox: Callable[[], DurableInbox],
        cleanup: WorktreeCleanup,
    ) -> None:
        self._host = host
        self._inbox = inbox
        self._sessions = sessions
        self._cleanup = cleanup
        self.problem = ""
        self.unopened: Launch | None = None
        self._open: dict[TrustScreen, tuple[Launch, str]] = {}

    async def let_in(self, launch: Launch, leave: str = "") -> Launch | None:
        """Ask until nothing is left to trust, for a worker.

        Return the launch to start, or None.

        ``leave`` names the row that starts nothing and ends nothing either. Without it the program ends if it
        has no session yet.
        """
        wanted: Launch | None = launch
        # A worktree that is made after the answer can carry other files than its repository.
        while wanted is not None and wanted.trusted.carried is not None:
            wanted = await self._ask(wanted, wanted.trusted.carried, leave)
        return wanted

    async def _ask(self, launch: Launch, carried: Carried, leave: str) -> Launch | None:
        host, first = self._host, not self._sessions
        words = leave or (QUIT if first else "not now")
        asking = TrustScreen(carried, leave=words, draft=launch.draft, clock=host.clock)
        keeper = "" if first else await self._keep(launch)
        self._open[asking] = launch, keeper
        await host.push_screen(asking)
        trusted, problem = None, ""
        try:
            trusted = await self._answered(launch, asking)
        except (SettingsError, WorktreeError) as error:
            problem = f"No session was started in {launch.settings.directory}: {error}"
        if asking not in self._open:
            return None  # the program ends meanwhile, and has kept what was typed
        if trusted is None and first and (problem or not leave):
            self.problem = problem
            await host.action_quit()
            return None
        asking.pop_until_active()  # help may lie over it
        # Read last: somebody may be typing on.
        typed = asking.typed
        del self._open[asking]
        if trusted is not None:
            self._sessions.await_session()
            asking.dismiss()
            await self._drop(keeper)
            return replace(trusted, draft=typed)
        asking.dismiss()
        await self._drop(keeper)
        self._sessions.type_on(typed.removeprefix(launch.draft))
        self._sessions.note([problem] if problem else () if leave else await self._cleared(launch))
        return None

    async def _cleared(self, launch: Launch) -> Sequence[str]:
        """Clear away the remains of a session that never began."""
        return await self._cleanup.clear(EndedSession(launch), self._sessions.directories())

    async def _answered(self, launch: Launch, asking: TrustScreen) -> Launch | None:
        """Return the launch after the answer, or None; raises `SettingsError` and `WorktreeError`."""
        answer = await asking.answer()
        if answer is Row.LEAVE or launch.trusted.carried is None:
            return None
        if answer is Row.WITHOUT:
            return await asyncio.to_thread(without_files, launch)
        trusted = await asyncio.to_thread(trusting, launch)
        notices = self._host.obey(launch.trusted.carried, trusted.settings)
        return await asyncio.to_thread(made, with_notices(trusted, *notices))

    async def end(self) -> None:
        """Leave all questions as the program ends: keep what was typed, and let no shell get any of it."""
        asked, self._open = self._open, {}
        for asking in asked:
            asking.take_no_answer()
        for asking, (launch, keeper) in asked.items():
            await asking.quiet()
            key = _kept_for(launch)
            kept = "" if keeper else launch.prompt
            draft = PromptDraft("\n".join(filter(None, (kept, asking.typed))))
            await self._on_disk(partial(_leave, key, draft, keeper))
            self.unopened = launch

    async def _keep(self, launch: Launch) -> str:
        """Put a session's first prompt on disk, in case the program is killed at the question.

        Return its keeper, or "" if there is none.
        """
        if not launch.prompt:
            return ""
        keeper, key, draft = str(uuid4()), _kept_for(launch), PromptDraft(launch.prompt)
        await self._on_disk(lambda store: store.prompts.save(keeper, key, draft))
        return keeper

    async def _drop(self, keeper: str) -> None:
        """Remove the prompt that `_keep` put on disk."""
        if keeper:
            await self._on_disk(lambda store: store.prompts.save(keeper, "", PromptDraft()))

    async def _on_disk(self, work: Callable[[Store], None]) -> None:
        try:
            await self._inbox().run(work)
        except InboxError as error:
            _logger.warning("What was typed could not be kept: %s", error)


def _leave(key: str, draft: PromptDraft, keeper: str, store: Store) -> None:
    store.prompts.leave(key, draft, keeper)


def _kept_for(launch: Launch) -> str:
    """Return what the draft for the next session like this is kept for."""
    return launch.resume or directory_key(launch.settings.directory)
