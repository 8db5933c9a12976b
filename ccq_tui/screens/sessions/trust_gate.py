"""The question before a session in an untrusted directory, and the effects of its answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

from textual.app import App

from ccq_tui.commands.command import PickRow
from ccq_tui.config.errors import SettingsError
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.config.trust import Carried, TrustAnswer
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.prompts.unread import PromptDraft, directory_key
from ccq_tui.runtime.launches import with_notices
from ccq_tui.runtime.person import (
    ELSEWHERE_WORDS,
    OPEN_ELSEWHERE,
    ElsewhereAnswer,
    ElsewhereQuestion,
    TrustQuestion,
    alone,
    let_in,
)
from ccq_tui.runtime.runtime import Runtime
from ccq_tui.runtime.worktree_cleanup import EndedSession
from ccq_tui.screens.pickers import Picker
from ccq_tui.screens.sessions.open_sessions import OpenSessions
from ccq_tui.screens.trust import QUIT, TrustScreen
from ccq_tui.worktrees.model import WorktreeError

_logger = logging.getLogger(__name__)


class PersonHere:
    """The person at this terminal; a page with a question stays until all that was answered is done.

    Attributes:
        launch: The launch that is asked about.
        page: The page of the last question about trust, or None.
    """

    def __init__(self, app: App[Any], launch: Launch, leave: str = QUIT) -> None:
        self._app = app
        self._leave = leave
        self.launch = launch
        self.actor = Actor.here(Surface.PANEL)
        self.page: TrustScreen | None = None

    @property
    def typed(self) -> str:
        """What was typed for the prompt, with the draft that was there before."""
        return self.page.typed if self.page else self.launch.draft

    async def trusts(self, asked: TrustQuestion) -> TrustAnswer:
        """Show what the files of a directory would do, and return the answer."""
        self.close()
        self.launch = asked.launch
        self.page = TrustScreen(asked.carried, leave=self._leave, draft=self.typed)
        await self._app.push_screen(self.page)
        return await self.page.answer()

    async def elsewhere(self, asked: ElsewhereQuestion) -> ElsewhereAnswer:
        """Let the person choose from a list; closing it leaves the session where it is."""
        rows = [PickRow(one, *words) for one, words in ELSEWHERE_WORDS.items()]
        picker = Picker(OPEN_ELSEWHERE, rows, about=asked.words)
        chosen = await self._app.push_screen_wait(picker)
        return ElsewhereAnswer(chosen or ElsewhereAnswer.LEAVE)

    def close(self) -> None:
        """Close the page, and help that lies over it."""
        if self.page is not None and self.page.is_attached:
            self.page.pop_until_active()
            self.page.dismiss()


class TrustGate:
    """Asks before any file of a directory takes effect, and keeps what is typed meanwhile.

    Attributes:
        problem: Reason why there is no session at all, or "".
        unopened: The launch that was not started when the program ended at the question, or None.
    """

    def __init__(
        self,
        app: App[Any],
        runtime: Runtime,
        sessions: OpenSessions,
        obey: Callable[[Carried, Settings], Sequence[str]],
    ) -> None:
        self._app = app
        self._runtime = runtime
        self._sessions = sessions
        self._obey = obey
        self.problem = ""
        self.unopened: Launch | None = None
        self._open: dict[PersonHere, str] = {}
        """Who is asked, with what keeps a later session's first prompt meanwhile, or ""."""

    async def let_in(self, launch: Launch, leave: str = "") -> Launch | None:
        """Ask until nothing is left to trust, for a worker; return the launch to start, or None.

        ``leave`` names the row that starts nothing and ends nothing either. Without it the program ends if it
        has no session yet.
        """
        asked = launch.trusted.carried
        if asked is None:
            return launch
        first = not self._sessions
        person = PersonHere(self._app, launch, leave or (QUIT if first else "not now"))
        self._open[person] = keeper = str(uuid4()) if launch.prompt and not first else ""
        # In case the program is killed at the question.
        key = launch.resume or directory_key(launch.settings.directory)
        self._save(keeper, key, PromptDraft(launch.prompt))
        trusted, problem = None, ""
        try:
            trusted = await let_in(person, launch)
        except (SettingsError, WorktreeError) as error:
            problem = f"No session was started in {launch.settings.directory}: {error}"
        if person not in self._open:
            return None  # the program ends meanwhile, and has kept what was typed
        if trusted is None and first and (problem or not leave):
            self.problem = problem
            await self._app.action_quit()
            return None
        if trusted is not None and trusted.trusted.project_settings:
            trusted = with_notices(trusted, *self._obey(asked, trusted.settings))
        # Read last, and nothing is awaited from here to the session's screen: somebody may be typing on.
        typed = person.typed
        del self._open[person]
        person.close()
        self._save(keeper, "", PromptDraft())
        if trusted is not None:
            return replace(trusted, draft=typed)
        self._sessions.type_on(typed.removeprefix(launch.draft))
        over = EndedSession(person.launch)
        said = () if leave else await self._runtime.cleanup.clear(over, self._sessions.directories())
        self._sessions.note([problem] if problem else said)
        return None

    async def alone(self, launch: Launch) -> Launch | None:
        """Return the launch that disturbs no other process, or None to start nothing; for a worker."""
        return await alone(PersonHere(self._app, launch), launch, self._runtime.inbox)

    async def end(self) -> None:
        """Leave all questions as the program ends: keep what was typed, and let no shell get any of it."""
        asked, self._open = self._open, {}
        pages = [(person, person.page, keeper) for person, keeper in asked.items() if person.page is not None]
        for _, page, _ in pages:
            page.take_no_answer()
        for person, page, keeper in pages:
            await page.quiet()
            launch = self.unopened = person.launch
            await self.keep(launch.resume, launch, page.typed)
            self._save(keeper, "", PromptDraft())

    def _save(self, keeper: str, kept_for: str, draft: PromptDraft) -> None:
        if keeper:
            self._runtime.inbox.write_soon(lambda store: store.prompts.save(keeper, kept_for, draft))

    async def keep(self, session_id: str, launch: Launch, typed: str) -> None:
        """Keep the prompt and what was typed for a session, or for the next new one of the directory."""
        key = session_id or directory_key(launch.settings.directory)
        draft = PromptDraft("\n".join(filter(None, (launch.prompt, typed))))
        try:
            await self._runtime.inbox.run(lambda store: store.prompts.leave(key, draft))
        except InboxError as error:
            _logger.warning("What was typed is not kept: %s", error)
