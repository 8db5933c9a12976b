"""The sessions that are open in this terminal: each has a stack of screens of its own, a mode of Textual."""

import asyncio
import itertools
from collections import UserList
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from textual.app import App
from textual.widget import AwaitMount

from ccq_tui.compat.textual.nodes import begin_behind
from ccq_tui.config.keymap import key_of, with_keys
from ccq_tui.config.launch import Launch
from ccq_tui.heights import is_low
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.open_request import Signal
from ccq_tui.inbox.waiting_line import count_of
from ccq_tui.runtime.runtime import Runtime
from ccq_tui.runtime.session import SupervisedSession
from ccq_tui.runtime.view import sign_and_word
from ccq_tui.runtime.worktree_cleanup import EndedSession
from ccq_tui.screens.list_screen import ListScreen
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.session.notifications import notification_of
from ccq_tui.screens.session.ui import ProgramAction
from ccq_tui.widgets.lifetime import is_live
from ccq_tui.widgets.strip import StripEntry
from ccq_tui.words import SHORT, waiting
from ccq_tui.worktrees.model import worktree_at

WAITS, NEWS = "waits", "news"
"""Kinds of news of a session that is not shown."""
INBOX = "inbox"
"""Owner of news of a request from outside our sessions."""
ANNOUNCED_SECONDS = 20.0
ANOTHER = " · {new_session} in the prompt opens another"
ALONE = f"This is the only session here{ANOTHER}"


class OpenSessions(UserList[SessionScreen]):
    """The screens of all sessions, in the order in which they were opened; all run while one is shown."""

    def __init__(self, app: App[Any], runtime: Runtime) -> None:
        super().__init__()
        self._app = app
        self._runtime = runtime
        self._numbers = itertools.count(1)
        self._changed: Signal[None] = Signal()
        self._strip = True
        """Whether the line of sessions is wanted."""
        self.typed = ""
        """What was typed before there was any session."""
        self._early_notices: list[tuple[str, str]] = []
        """Notices for the first session that is shown, each with its level."""
        self.begun = asyncio.Event()
        """Set once the first session is on the screen."""
        self.counts: Mapping[str, int] = {}
        """Number of waiting requests in each session of all terminals; `Notices` counts them."""
        self._trouble = ""

    @property
    def front(self) -> SessionScreen | None:
        """The session on the screen, a list over it or not; None before the first."""
        return self.by_mode(self._app.current_mode)

    def by_mode(self, mode: str) -> SessionScreen | None:
        return next((one for one in self if one.mode == mode), None)

    def own(self, session: SupervisedSession) -> SessionScreen | None:
        """Return the screen of a session, or None where it has been closed."""
        return next((one for one in self if one.session is session), None)

    def known(self, session_id: str) -> SessionScreen | None:
        """Return the session that has a Claude session id or resumes it, or None."""
        return next((one for one in self if session_id and one.session.known_id == session_id), None)

    def directories(self) -> Collection[Path]:
        """Return the directories of all sessions."""
        return {one.launch.settings.directory for one in self}

    def _entry(self, number: int, one: SessionScreen) -> StripEntry:
        """Return the entry of a session in the line of sessions."""
        waits, view = len(one.session.waiting), one.view
        return StripEntry(number, view.name, sign_and_word(view.state, waits)[0], waits, one is self.front)

    # -- opened, shown and taken away -----------------------------------------------------------------------

    async def add(self, launch: Launch) -> None:
        """Open a session in a directory that is trusted, and show it."""
        self.append(self._made(launch))
        await self._switch_to(self[-1])
        self.begun.set()
        notices, self._early_notices = self._early_notices, []
        for text, level in notices:
            self.note([text], level)
        self.list()

    async def add_behind(self, launch: Launch) -> None:
        """Open a session in a directory that is trusted, without showing it."""
        self.append(screen := self._made(launch))
        await begin_behind(self._app, screen.mode, screen)
        self.list()

    async def take_out(self, screen: SessionScreen) -> None:
        """Remove a session, which is not the only one."""
        at = self.index(screen)
        self.remove(screen)
        if self._app.current_mode == screen.mode:
            await self._app.switch_mode(self[max(0, at - 1)].mode)
        await self._app.remove_mode(screen.mode)
        self.list()

    def show(self, screen: SessionScreen) -> AwaitMount:
        """Show a session at once; its widgets are there when that has been awaited."""
        shown = self._switch_to(screen)
        self.list()
        return shown

    def _switch_to(self, screen: SessionScreen) -> AwaitMount:
        over = self._app.screen
        if isinstance(over, ListScreen) and over.makes_way:
            over.dismiss(None)  # else it would stay over the session that is left
        return self._app.switch_mode(screen.mode)

    def _made(self, launch: Launch) -> SessionScreen:
        screen = SessionScreen(self._runtime.add(launch), self._runtime.inbox)
        screen.mode = f"session {next(self._numbers)}"
        self._app.add_mode(screen.mode, lambda: screen)
        return screen

    # -- what is said of them, and in the one on the screen -------------------------------------------------

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call a listener at each change of a session; return a function that ends that."""
        return self._changed.subscribe(lambda _: listener())

    def list(self) -> None:
        """Show the state of all sessions in the one on the screen, and call the listeners."""
        front = self.front
        for one in self:  # hide news of the session on the screen, and of requests that no longer wait
            over = (WAITS, NEWS) if one is front else () if one.session.waiting else (WAITS,)
            for screen, kind in itertools.product(self, over):
                screen.dock.notices.hush(f"{one.mode} {kind}")
        if front is not None:
            beside, alone = self._waiting_elsewhere(front), len(self) < 2
            front.surround(waiting_beside=beside, alone=alone, trouble=self._trouble)
            if front.strip.is_attached:  # else the screen is being built, or goes away
                width, height = self._app.size
                front.strip.display = self._strip and not (alone or is_low(height))
                front.strip.list([self._entry(at, one) for at, one in enumerate(self, 1)], width)
        self._changed.emit(None)

    def toggle_strip(self) -> None:
        """Show or hide the line of sessions, in whichever one is on the screen; without room, show all."""
        if len(self) < 2:
            self.say(with_keys(ALONE))
        elif is_low(self._app.size.height):
            self._app.post_message(ProgramAction("overview"))
        else:
            self._strip = not self._strip
            self.list()

    def _waiting_elsewhere(self, screen: SessionScreen) -> int:
        """Return the number of requests that wait in other sessions than this one, in all terminals."""
        own = screen.session.record_id
        if not own and screen.session.launch.continue_last:
            return 0  # one of them is this session
        return sum(count for name, count in self.counts.items() if name != own)

    def say(self, text: str, seconds: float = 6.0, of: str = "") -> None:
        """Show a text above the keys of the session on the screen; "" hides the one of ``of``."""
        if (front := self.front) is not None and front.live:
            front.say(text, seconds, of)

    def announce(self, asker: str, news: str, request_id: str = "") -> None:
        """Show news from outside our sessions, also to a person who looks elsewhere."""
        of = f"{INBOX} {request_id}" if request_id else ""
        self.say(f"{news}{self.leads if request_id else ''}", ANNOUNCED_SECONDS, of)
        if (front := self.front) is not None and is_live(front):
            front.notifications.call(*notification_of(asker, [news]))

    def withdraw(self, request_id: str) -> None:
        """Hide the news of a request, wherever they are shown."""
        for screen in self:
            screen.dock.notices.hush(f"{INBOX} {request_id}")

    def tell_news(self, session: SupervisedSession, news: str) -> None:
        """Show in the session on the screen what happened in another one, until a person goes there.

        News of a waiting request also ends once that is answered.
        """
        screen = self.own(session)
        if screen is not None and screen is not self.front:
            of = f"{screen.mode} {WAITS if screen.session.waiting else NEWS}"
            self.say(f"◆ {screen.view.short_name}: {news}{self.leads}", ANNOUNCED_SECONDS, of)

    @property
    def leads(self) -> str:
        """The end of a line on something elsewhere: the key that goes there."""
        return f" · {key_of('waiting')}"

    async def go_to(self, number: int) -> None:
        """Show the session with a number."""
        if number > len(self):
            self.say(with_keys(f"No session {number}{ANOTHER}"))
        elif (screen := self[number - 1]) is not self.front:
            await self.show(screen)

    async def step(self, by: int) -> None:
        """Show the session ``by`` places further."""
        front = self.front
        if front is None or len(self) == 1:
            self.say(with_keys(ALONE))
        else:
            await self.show(self[(self.index(front) + by) % len(self)])

    async def go_to_waiting(self) -> None:
        """Show the session of the last news, else the next that waits, else all that waits elsewhere."""
        front, named = self.front, {one.session.record_id for one in self}
        news = front.dock.notices.owner if front is not None else ""
        named_in_news = next((one for one in self if news.startswith(f"{one.mode} ")), None)
        outside = any(count for name, count in self.counts.items() if name not in named)
        screens, at = self.data, self.index(front) + 1 if front is not None else 0
        around = [*screens[at:], *(() if outside else screens[: max(0, at - 1)])]
        following = next((one for one in around if one.session.waiting), None)
        if named_in_news is not None and named_in_news is not front:
            await self.show(named_in_news)
        elif following is not None and not news.startswith(INBOX):
            await self.show(following)
        elif front is not None and (news.startswith(INBOX) or self._waiting_elsewhere(front)):
            self._app.post_message(ProgramAction("waiting"))
        else:
            self.say("No other session waits for you")

    def note(self, lines: Iterable[str], level: str = "info") -> None:
        """Add a notice to the transcript of the session on the screen, or of the first, with a line each."""
        front, text = self.front, "\n".join(lines)
        if text and not self.begun.is_set():
            self._early_notices.append((text, level))
        elif text and front is not None and is_live(front):
            front.transcript.add_notice(text, level)

    def set_counts(self, counts: Mapping[str, int]) -> None:
        """Show the number of requests that wait in each session of all terminals."""
        self.counts = counts
        if self._app.is_running:
            self.list()

    def set_trouble(self, words: str) -> None:
        """Show in a few words what does not work beside the sessions; "" for nothing."""
        self._trouble = words
        if self._app.is_running:
            self.list()

    def greet(self, elsewhere: int) -> None:
        """Say how many requests wait elsewhere, unless the first screen of a new session does."""
        front = self.front
        if front is None or not front.status.counts_waiting:
            self.note([f"{waiting(elsewhere, 'request')} elsewhere{self.leads}"])

    def type_on(self, text: str) -> None:
        """Put text that was typed elsewhere into the prompt of the session on the screen."""
        front = self.front
        if text and front is not None and is_live(front):
            front.dock.prompt.field.type(text)


DEMO_LOST = "The demo is over, and its open questions with it · in sessions of your own they wait for you"


def parting_words(screens: Iterable[SessionScreen], *, kept: bool = True) -> list[str]:
    """Say how to come back to the sessions that end, and to their open questions.

    Nothing is ``kept`` of a demo: its questions end with it.
    """
    lines, lost = [], 0
    for screen in screens:
        asked = (item for item in screen.session.waiting if kind_of(item.request).OUTLIVES)
        count, view = sum(count_of(item.request) for item in asked), screen.view
        lost += count
        waits = f"{waiting(count, 'question')} in " if count else ""
        # A worktree's own words say how to return to it.
        began = view.title and not screen.transcript.greets and worktree_at(view.cwd) is None
        if kept and view.session_id and (count or began):
            name, key = view.short_name, view.session_id[:SHORT]
            lines.append(f"{waits}“{name}” · ccq-tui resume {key} opens it again")
    return lines if kept or not lost else [DEMO_LOST]


def ended(screen: SessionScreen) -> EndedSession:
    """Return what decides the fate of an ended session's worktree."""
    return EndedSession(screen.launch, screen.view.session_id)
