"""The question about a session that another ccq-tui runs: leave it there, fork it, or have it parked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from textual.app import App

from ccq_tui.config import Launch
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.durable import DurableInbox
from ccq_tui.screens.pickers import Picker, PickRow
from ccq_tui.supervisor.ownership import owned_elsewhere, request_parking, resumes

HEADING = "This session is open in another ccq-tui"
BOTH = "Process {pid} runs it. Running it twice would split the conversation."


class OwnershipPrompt:
    """Checks first, so that nothing is opened in vain; the claim keeps a session from being run twice."""

    def __init__(self, app: App[Any], inbox: Callable[[], DurableInbox]) -> None:
        self._app = app
        self._inbox = inbox

    async def alone(self, launch: Launch) -> Launch | None:
        """Return the launch that disturbs no other process, or None to start nothing; for a worker."""
        said = ""
        while resumes(launch) and (taken := await owned_elsewhere(self._inbox(), launch)):
            rows = (
                PickRow("leave", "Leave it there"),
                PickRow("fork", "Fork a copy", "under a new id; the other session is unchanged"),
                PickRow("park", "Park it there", "then continue it here"),
            )
            picker = Picker(HEADING, rows, about=said or BOTH.format(pid=taken.owner.pid))
            match await self._app.push_screen_wait(picker):
                case "fork":
                    return replace(launch, fork=True, resume=taken.session_id, continue_last=False)
                case "park":
                    launch = replace(launch, resume=taken.session_id, continue_last=False)
                    said = await request_parking(self._inbox(), taken.session_id, Actor.here(Surface.PANEL))
                case _:
                    return None
        return launch
