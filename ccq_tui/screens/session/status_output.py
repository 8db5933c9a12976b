"""The person's own status line command, run after changes, and its output."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

from rich.text import Text
from textual.widgets import Static

from ccq_tui.agent.events import ContextUsage, TurnEnded
from ccq_tui.agent.options import session_options
from ccq_tui.agent.status_line import (
    MOST_LINES,
    StatusFacts,
    StatusLineError,
    run_status_command,
    status_command,
    status_data,
)
from ccq_tui.runtime.events import SessionEvent
from ccq_tui.screens.session.ui import SessionUi
from ccq_tui.widgets.palette import palette_of

_logger = logging.getLogger(__name__)

PAUSE = 0.3
"""Seconds from a change to the command, and so the least between two runs."""
LOW_SCREEN = 20
"""Screen height in lines below which one line of the command is shown."""


class StatusOutputLine(Static):
    """The command's last output; hidden while that is empty."""

    DEFAULT_CSS = """
    StatusOutputLine {
        height: auto;
        padding: 0 1;
        background: $panel;
        display: none;
    }
    """

    def __init__(self) -> None:
        super().__init__("", markup=False)
        self.said = ""

    def show(self, text: str) -> None:
        """Show other lines; "" for none."""
        if text != self.said:
            self.said = text
            self.display = bool(text)
            self.refresh(layout=True)

    def render(self) -> Text:
        lines = self.said.split("\n")[: 1 if self.app.size.height < LOW_SCREEN else MOST_LINES]
        return Text("\n".join(lines), palette_of(self).muted, no_wrap=True, overflow="ellipsis")


class StatusOutput:
    """Gives the command the known facts, and shows its output."""

    def __init__(self, ui: SessionUi, line: StatusOutputLine) -> None:
        self._ui = ui
        self.line = line
        self._facts = StatusFacts()
        self._told: StatusFacts | None = None
        self._began = ui.clock()
        self._busy = False
        self._failed = ""
        """Reason of the command's last failure: the log has each reason once."""

    def take(self, event: SessionEvent) -> None:
        """Remember the facts that the command may use."""
        match event:
            case ContextUsage(percentage, tokens, limit):
                self._facts = replace(self._facts, percentage=percentage, tokens=tokens, limit=limit)
            case TurnEnded():
                self._facts = replace(self._facts, worked=self._facts.worked + event.worked)
            case _:
                pass

    def changed(self) -> None:
        """Run the command soon, if its input has changed."""
        if self._busy or not self._ui.in_front or not self._ui.launch.settings.status_line:
            return
        if self._known() != self._told:
            self._busy = True
            self._ui.start(self._run, "status line", group="status line")

    def _known(self) -> StatusFacts:
        view = self._ui.view
        return replace(
            self._facts,
            session_id=view.session_id,
            title=view.title,
            model=view.model,
            version=view.cli_version,
            mode=view.mode,
            effort=view.effort,
            style=view.style,
            cost=view.cost or 0.0,
        )

    async def _run(self) -> None:
        try:
            await asyncio.sleep(PAUSE)
            self._told = self._known()
            options = session_options(self._ui.launch)
            command = await asyncio.to_thread(status_command, options)
            said = ""
            if command:
                seconds = self._ui.clock() - self._began
                data = await asyncio.to_thread(status_data, options, self._told, seconds)
                said = await run_status_command(command, data, options)
            self._failed = ""
            self.line.show(said)
        except StatusLineError as error:
            self.line.show("")
            if str(error) != self._failed:
                self._failed = str(error)
                _logger.warning("The status line command gave nothing: %s", error)
        finally:
            self._busy = False
        self.changed()
