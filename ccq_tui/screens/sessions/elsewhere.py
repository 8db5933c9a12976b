"""The program that takes no session away from another one: it offers to copy it, or to have it parked."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from functools import partial

from textual import events, on

from ccq_tui.config import Launch, state_dir
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.prompts.drafts import directory_key, leave_text
from ccq_tui.screens.pickers import Picker, PickRow
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.session.recovering import Recovering
from ccq_tui.screens.sessions.informing import Informing
from ccq_tui.supervisor.ownership import owned_elsewhere, owners_elsewhere, request_parking, resumes
from ccq_tui.widgets.keys import text_of
from ccq_tui.widgets.lifetime import start_work

_logger = logging.getLogger(__name__)

"""Who asks for a session to be parked, for the history of the process that parks it."""

HEADING = "This session is open in another ccq-tui"
BOTH = "Process {pid} runs it. Both at once would each know only half of what is said."


class Elsewhere(Informing):
    """Asks before it does anything with a session that another ccq-tui runs.

    This is a look ahead, so that nothing is opened in vain: what keeps a session from being run twice is the
    claim that its start needs.
    """

    _typed = ""
    """What was typed before there was any screen to type into."""

    def on_key(self, event: events.Key) -> None:
        """Keep what is typed while the first session is looked for, before the list comes."""
        self._keep_typed(text_of(event))

    def on_paste(self, event: events.Paste) -> None:
        """Keep what is pasted then, too."""
        self._keep_typed(event.text)

    def _keep_typed(self, text: str) -> None:
        # A screen over the empty one keeps what is typed into it itself.
        if not self.sessions and len(self.screen_stack) == 1:
            self._typed += text

    async def open_session(self, launch: Launch) -> None:
        """Open a session and show it; of one that runs elsewhere a copy, or once it is parked there.

        Args:
            launch: What to start it with.
        """
        # Awaited here: what is typed meanwhile waits for the session's screen.
        if resumes(launch) and await owners_elsewhere(self.inbox, launch):
            start_work(
                self, partial(self._open_once, launch), name="open session", group="sessions", fatal=True
            )
        else:
            await super().open_session(launch)

    async def _open_once(self, launch: Launch) -> None:
        alone = await self._alone(launch)
        typed, self._typed = self._typed, ""
        if alone is not None:
            await super().open_session(replace(alone, draft=alone.draft + typed))
        elif not self.sessions:
            await self._keep(launch, "\n".join(filter(None, (launch.prompt, launch.draft + typed))))
            await self.action_quit()

    async def _keep(self, launch: Launch, typed: str) -> None:
        """Keep the prompt and what was typed for the next session of the directory."""
        place, key = (launch.state or state_dir()) / "drafts", directory_key(launch.settings.directory)
        try:
            await asyncio.to_thread(leave_text, place, key, typed)
        except OSError as error:
            _logger.warning("What was typed is not kept: %s", error.strerror)

    async def _replace(self, screen: SessionBase, launch: Launch) -> None:
        places = (at for at, one in enumerate(self.sessions, 1) if one.view.session_id == launch.resume)
        if launch.resume and not launch.fork and (number := next(places, None)):
            await self.show_session(number)
            self._say("It is open here already")
            return
        alone = await self._alone(launch)
        if alone is not None:
            await super()._replace(screen, alone)

    @on(SessionScreen.ElsewhereWanted)
    def _elsewhere_wanted(self, event: SessionScreen.ElsewhereWanted) -> None:
        if isinstance(event.screen, Recovering):
            start_work(self, partial(self._start_again, event.screen), name="elsewhere", group="sessions")

    async def _start_again(self, screen: Recovering) -> None:
        """Let a person choose what becomes of a session whose start another process won."""
        name = screen.view.session_id
        launch = screen.launch
        if name:
            launch = replace(launch, resume=name, continue_last=False, fork=False)
        alone = await self._alone(launch)
        if alone is not None and screen.is_attached:
            screen.session.restart(fork=alone.fork)

    async def _alone(self, launch: Launch) -> Launch | None:
        """Return with what no other process is disturbed, or None for nothing."""
        said = ""
        while resumes(launch) and (taken := await owned_elsewhere(self.inbox, launch)):
            rows = (
                PickRow("leave", "Leave it there"),
                PickRow("fork", "Fork a copy", "under a new id; the session over there stays as it is"),
                PickRow("park", "Have it parked there", "then it continues here"),
            )
            picker = Picker(HEADING, rows, about=said or BOTH.format(pid=taken.owner.pid))
            match await self.push_screen_wait(picker):
                case "fork":
                    return replace(launch, fork=True, resume=taken.session_id, continue_last=False)
                case "park":
                    launch = replace(launch, resume=taken.session_id, continue_last=False)
                    said = await request_parking(self.inbox, taken.session_id, Actor.here(Surface.PANEL))
                case _:
                    return None
        return launch
