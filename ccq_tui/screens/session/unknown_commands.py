"""Commands that nobody knows: kept in the prompt, for the model would be paid to guess what they mean."""

from __future__ import annotations

from ccq_tui.prompts.command_names import ALTERNATIVES, named, nearest
from ccq_tui.screens.session.completions import Completions
from ccq_tui.screens.session.ui import SessionUi

HELD_SECONDS = 0.8
"""A key that is held down has begun to repeat by then: its first repeat is no second press."""
SECONDS = 20.0
"""How long a text says why it was not sent."""


class UnknownCommands:
    """Keeps a prompt in its field that begins with a command nobody knows, until Enter comes again.

    Args:
        ui: The session's screen.
        completions: Knows all commands.
    """

    def __init__(self, ui: SessionUi, completions: Completions) -> None:
        self._ui = ui
        self._completions = completions
        self._kept = ""
        self._asked_at = float("-inf")

    def holds_back(self, text: str) -> bool:
        """Whether a text is not to be sent yet; says why. The Enter that follows is no repeat of this one."""
        words = self._objection(text)
        now = self._ui.clock()
        again = text == self._kept and now - self._asked_at >= HELD_SECONDS
        self._kept, self._asked_at = text, now
        if words and not again:
            self._ui.say(words, seconds=SECONDS)
            return True
        self._kept = ""
        return False

    def _objection(self, text: str) -> str:
        name = named(text)
        names = [one for command in self._completions.commands for one in (command.name, *command.aliases)]
        # What the CLI knows is not known before it has started.
        if not name or name in names or not self._completions.listed:
            return ""
        if name in ALTERNATIVES:
            return f"/{name} is not available here: {ALTERNATIVES[name]}"
        like = nearest(name, names)
        meant = f" · did you mean {' '.join(f'/{one}' for one in like)}?" if like else ""
        return f"There is no command /{name}{meant} · Enter again sends it as text"
