"""Opens, after questions, resumes, replaces and closes the sessions of this terminal."""

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from uuid import uuid4

from textual.app import App

from ccq_tui.config.errors import SettingsError
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.config.trust import Carried
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.place import Place, taking_words
from ccq_tui.inbox.requests import Request
from ccq_tui.inbox.store.rows import CommandKind
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.prompts.unread import PromptDraft, directory_key
from ccq_tui.runtime.launches import SessionSpec, launch_of, launch_to_resume, with_notices
from ccq_tui.runtime.person import alone, let_in, may_run_elsewhere, resumes, runs_elsewhere
from ccq_tui.runtime.runtime import Runtime
from ccq_tui.runtime.session import SupervisedSession
from ccq_tui.runtime.worktree_cleanup import EndedSession
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.model import NewSession, SessionRow
from ccq_tui.screens.sessions.open_sessions import OpenSessions, ended
from ccq_tui.screens.sessions.trust import QUIT, PersonHere
from ccq_tui.widgets.lifetime import start_work
from ccq_tui.worktrees.model import WorktreeError

UNOPENED = "No session was opened · {copy_draft} copies its prompt"
OPENING = "a session that opens"
_logger = logging.getLogger(__name__)


@dataclass(eq=False)
class SessionManager:
    """Asks the questions before a session is opened, and clears up after one that is closed.

    Attributes:
        new: The new session that a person began to describe.
        records: The sessions that Claude Code keeps of a directory, or of all (""), as they were read last.
        ending: Whether the program is ending, and opens no more sessions.
        problem: Reason why there is no session at all, or "".
        unopened: The launch that was not started when the program ended at the question about trust, or None.
    """

    _app: App[Any]
    _runtime: Runtime
    sessions: OpenSessions
    _obey: Callable[[Carried, Settings], Sequence[str]]
    new: NewSession = field(default_factory=NewSession)
    records: dict[str, tuple[SessionRow, ...]] = field(default_factory=dict)
    ending: bool = False
    problem: str = ""
    unopened: Launch | None = None
    _asked: list[PersonHere] = field(default_factory=list)

    @property
    def inbox(self) -> Inbox:
        """The inbox of all sessions, opened at the first use."""
        return self._runtime.inbox

    @property
    def launch(self) -> Launch:
        """The launch that sessions are opened like: that of the session on the screen, or the first."""
        front = self.sessions.front
        return self._runtime.launch if front is None else front.launch

    def work(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """Do something that asks or waits, beside the keys."""
        start_work(self._app, work, name=name, group="sessions")

    # -- opening --------------------------------------------------------------------------------------------

    async def open(self, launch: Launch) -> None:
        """Open a session and show it; what has to be asked before is asked beside the keys."""
        open_it = partial(self.open_asking, launch)
        taken = resumes(launch) and await may_run_elsewhere(self.inbox, launch)
        if taken or launch.trusted.carried is not None:
            start_work(self._app, open_it, name="open session", group="sessions", fatal=True)
        else:
            await open_it()  # awaited here: what is typed meanwhile waits for the session's screen

    async def open_asking(
        self,
        launch: Launch,
        leave: str = "",
        *,
        behind: bool = False,
        instead_of: SessionScreen | None = None,
    ) -> str:
        """Open a session, shown or behind, once no other process runs it and its directory is trusted.

        For a worker; ``leave`` is as in `let_in`. It takes the place of one that was not used. Returns why
        there is none, in words, or "".
        """
        if self.ending:
            return ""  # all sessions are being closed; what was answered is delivered by the next start
        trusted, undisturbing = None, await self.alone(launch)
        typed, self.sessions.typed = launch.draft + self.sessions.typed, ""
        if undisturbing is not None:
            trusted = await self.let_in(replace(undisturbing, draft=typed), leave)
        if trusted is not None:
            await (self.sessions.add_behind if behind else self.sessions.add)(trusted)
            if instead_of is not None and instead_of in self.sessions and instead_of.unused:
                await self.close(instead_of.session)
            return ""
        if undisturbing is None and not (leave or self.sessions):
            await self._keep(replace(launch, resume=""), typed)
            await self._app.action_quit()
        if self.sessions.front is not None and not self.ending:
            unsent = "\n".join(filter(None, (launch.prompt, typed)))
            self.sessions.front.dock.keep_to_copy(unsent, UNOPENED)
        return "it runs in another ccq-tui" if undisturbing is None else "you did not trust its directory"

    async def open_new(self, spec: SessionSpec, base: Launch | None = None) -> str:
        """Open another session, like ``base`` or the one on the screen; return why not, in words, or ""."""
        front, first = self.sessions.front, "Creating the worktree" if spec.plan else "Starting a session"
        self.sessions.say(f"{first}…", 60.0, OPENING)
        try:
            launch = await asyncio.to_thread(launch_of, spec, base or self.launch, asked=bool(self.sessions))
            self.new = NewSession()
            await self.open_asking(launch)
        except (SettingsError, WorktreeError) as error:
            return f"No session was started in {spec.directory}: {error}"
        finally:
            if front is not None:
                front.dock.notices.hush(OPENING)
        return ""

    # -- asking first ---------------------------------------------------------------------------------------

    async def let_in(self, launch: Launch, leave: str = "") -> Launch | None:
        """Ask until nothing is left to trust, for a worker; return the launch to start, or None.

        No file of a directory takes effect before, and what is typed meanwhile is kept. ``leave`` names the
        row that starts nothing and ends nothing either. Without it the program ends if it has no session yet.
        """
        asked = launch.trusted.carried
        if asked is None:
            return launch
        first = not self.sessions
        keeper = str(uuid4()) if launch.prompt and not first else ""
        person = PersonHere(self._app, launch, leave or (QUIT if first else "not now"), keeper)
        self._asked.append(person)
        # In case the program is killed at the question.
        self._save(keeper, _kept_for(launch), PromptDraft(launch.prompt))
        trusted, problem = None, ""
        try:
            trusted = await let_in(person, launch)
        except (SettingsError, WorktreeError) as error:
            problem = f"No session was started in {launch.settings.directory}: {error}"
        if self.ending:
            return None  # what was typed is kept
        if trusted is None and first and (problem or not leave):
            self.problem = problem
            await self._app.action_quit()
            return None
        if trusted is not None and trusted.trusted.project_settings:
            trusted = with_notices(trusted, *self._obey(asked, trusted.settings))
        # Read last, and nothing is awaited from here to the session's screen: keys may still come.
        typed = person.typed
        self._asked.remove(person)
        person.close()
        self._save(keeper, "", PromptDraft())
        if trusted is not None:
            return replace(trusted, draft=typed)
        self.sessions.type_on(typed.removeprefix(launch.draft))
        over = EndedSession(person.launch)
        notices = () if leave else await self._runtime.cleanup.clear(over, self.sessions.directories())
        self.sessions.note([problem] if problem else notices)
        return None

    async def alone(self, launch: Launch) -> Launch | None:
        """Return the launch that disturbs no other process, or None to start nothing; for a worker."""
        return await alone(PersonHere(self._app, launch), launch, self.inbox)

    async def leave_questions(self) -> None:
        """Leave all questions as the program ends: keep what was typed, and let no shell get any of it."""
        pages = [(person, person.page) for person in self._asked if person.page is not None]
        for _, page in pages:
            page.answer.cancel()  # and with it the work that waits for it
        for person, page in pages:
            await page.quiet()
            self.unopened = person.launch
            await self._keep(person.launch, page.typed)
            self._save(person.keeper, "", PromptDraft())

    def _save(self, keeper: str, kept_for: str, draft: PromptDraft) -> None:
        if keeper:
            self.inbox.write_soon(lambda store: store.prompts.save(keeper, kept_for, draft))

    async def _keep(self, launch: Launch, typed: str) -> None:
        """Keep the prompt and what was typed for a session, or for the next new one of the directory."""
        draft = PromptDraft("\n".join(filter(None, (launch.prompt, typed))))
        try:
            await self.inbox.run(lambda store: store.prompts.leave(_kept_for(launch), draft))
        except InboxError as error:
            _logger.warning("What was typed is not kept: %s", error)

    # -- resuming -------------------------------------------------------------------------------------------

    def open_for(self, row: SessionRow) -> SessionScreen | None:
        """Return the screen of a session, if it is open here."""
        return self.sessions.by_mode(row.key) or self.sessions.known(row.session_id)

    async def go_to(self, row: SessionRow, base: Launch | None = None) -> str:
        """Show a session, resumed if it rests, with the first request that waits in it.

        Returns the reason in words if that cannot be, or "".
        """
        if (screen := self.open_for(row)) is None:
            return await self.resume(row, base)
        await self.sessions.show(screen)
        for one in screen.session.waiting[:1]:
            screen.dock.unfold(one.request.id)
        return ""

    async def resume(
        self, row: SessionRow, base: Launch | None = None, *, fork: bool = False, behind: bool = False
    ) -> str:
        """Open a session that rests, or a fork of one, shown or behind; return why not, in words, or "".

        The rest of the command line of ``base`` applies to it.
        """
        front, like = self.sessions.front, base or self.launch
        try:
            launch = await asyncio.to_thread(
                launch_to_resume, row.session_id, row.directory, like, fork=fork or bool(base and base.fork)
            )
        except (SettingsError, OSError) as error:
            return f"{row.quoted} was not started in {row.directory}: {error}"
        if base is not None:
            launch = replace(launch, prompt=base.prompt, notices=(*launch.notices, *base.notices))
        elif front is not None and launch.settings.directory == front.launch.settings.directory:
            # A session works in that directory already: nothing more is asked.
            launch = replace(launch, trusted=replace(launch.trusted, carried=None))
        leave, unused = "" if base is not None else "not now", None if behind else front
        if why := await self.open_asking(launch, leave, behind=behind, instead_of=unused):
            return f"{row.quoted} was not started: {why}"
        try:
            # Once opened again it is no longer done, even if the key before marked it so.
            await self.inbox.run(
                lambda store: store.sessions.set_done(row.session_id, False, Actor.here(Surface.INBOX))
            )
        except InboxError as error:
            self.sessions.say(f"{row.quoted} may still be marked as done: {error}", seconds=20.0)
        return ""

    async def park(self, rests: SessionRow) -> str:
        """Park a session, whichever process runs it; return in words how that went."""
        try:
            done = await self._runtime.say(CommandKind.PARK, rests.session_id, Actor.here(Surface.INBOX))
        except InboxError as error:
            return f"{rests.quoted} was not paused: {error}"
        return f"{rests.quoted} {done.words or 'is paused: it waits without a process'}"

    async def mark(self, row: SessionRow) -> str:
        """Mark a session as done, or take that back; return in words how that went."""
        actor = Actor.here(Surface.INBOX)
        try:
            await self.inbox.run(lambda store: store.sessions.set_done(row.session_id, not row.done, actor))
        except InboxError as error:
            return f"The mark could not be saved: {error}"
        return "Marked as not done" if row.done else "Marked as done · d undoes it"

    async def deliver(self, row: SessionRow, request: Request, done: str) -> str:
        """Have an answer reach its asker; return in words what was ``done``, and how it gets there."""
        name = row.quoted
        if self.sessions.known(row.session_id) is not None:
            return f"{done} · {name} continues"
        if row.place is Place.FOREIGN:
            return f"{done} · {await asyncio.to_thread(taking_words, request.origin)}"
        if row.place is Place.ELSEWHERE or await runs_elsewhere(self.inbox, row.session_id):
            return f"{done} · the ccq-tui that runs {name} delivers it"
        if row.place.is_lost:
            return "Not delivered: its session is gone"
        return await self.resume(row, behind=True) or f"{done} · {name} starts in the background"

    def touch(self, opened: OpenRequest) -> None:
        """Start the time limits of a request's session again."""
        if (screen := self.sessions.known(opened.request.session_id)) is not None:
            screen.dock.touch()

    # -- closing -----------------------------------------------------------------------------------------

    async def close(self, session: SupervisedSession) -> None:
        """End a session and take it away; with the last one the program ends. For a worker."""
        closed = self.sessions.own(session)
        if closed is None:
            return
        if len(self.sessions) == 1:
            await self._app.action_quit()
            return
        await closed.end()
        self._runtime.forget(session)
        await self.sessions.take_out(closed)
        self.sessions.note(await self._runtime.cleanup.clear(ended(closed), self.sessions.directories()))

    # -- starting again -------------------------------------------------------------------------------------

    async def start_again(self, session: SupervisedSession) -> None:
        """Let a person choose what to do with a session whose start another process won; for a worker."""
        own = self.sessions.own(session)
        if own is None:
            return
        launch = own.launch
        if name := own.view.session_id:
            launch = replace(launch, resume=name, continue_last=False, fork=False)
        undisturbing = await self.alone(launch)
        if undisturbing is not None and own.is_attached:
            own.session.restart(fork=undisturbing.fork)

    async def restart(self, row: SessionRow) -> str:
        """Start a session again that has no process, behind what is shown; return in words how that went."""
        if (screen := self.sessions.by_mode(row.key)) is None:
            return await self.resume(row, behind=True) or "It continues here · Enter shows it"
        wait = screen.session.start_again()
        return f"It has just failed · try again in {math.ceil(wait)} s" if wait else "It is restarting"


def _kept_for(launch: Launch) -> str:
    return launch.resume or directory_key(launch.settings.directory)
