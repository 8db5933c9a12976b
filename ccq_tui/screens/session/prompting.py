"""The part of the screen where the person talks to the agent, and interrupts it."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from ccq_tui.agent.events import AgentEvent, PromptReturned
from ccq_tui.screens.session.remembering import Remembering
from ccq_tui.widgets.prompt import Prompt


class Prompting(Remembering):
    """Sends prompts, takes back what was not sent, interrupts."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "interrupt", "Interrupt Claude", show=False, id="interrupt"),
        Binding("ctrl+g", "edit_prompt", "Edit the prompt in $EDITOR", show=False, id="editor"),
        Binding("ctrl+r", "search_history", "Search earlier prompts", show=False, id="history"),
    ]

    def handle(self, event: AgentEvent) -> None:
        """Put a prompt that was not sent back into its field."""
        super().handle(event)
        if isinstance(event, PromptReturned):
            self.dock.prompt.put_back(event.text)
            self.transcript.add_notice(
                f"A prompt was not sent and is back in its field: {event.reason}", "warning"
            )

    @on(Prompt.Submitted)
    def _send(self, event: Prompt.Submitted) -> None:
        if not self.take_command(event.text):
            self.say(event.text)

    def say(self, text: str) -> None:
        """Show a prompt at once, and send it; the session keeps it while it starts or works."""
        self.transcript.add_prompt(text.rstrip())
        self.session.send(text.rstrip())

    def action_search_history(self) -> None:
        """Search the earlier prompts, or go on to the next that was found."""
        if self.dock.prompt.display:
            self.dock.prompt.search()

    def action_edit_prompt(self) -> None:
        """Edit the prompt in the person's editor."""
        self.edit(self.dock.prompt.text, self.dock.prompt.put)

    def action_interrupt(self) -> None:
        """Interrupt the turn; where that would withdraw a hidden request, ask once."""
        if not self.view.busy:
            return
        if self.dock.line.items and not self.pressed_again("escape"):
            self.dock.notices.say("Esc again interrupts Claude and withdraws what waits · F2 shows it")
            return
        self.session.interrupt()
