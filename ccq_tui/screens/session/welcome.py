"""The first screen of a session: versions, place, requests elsewhere, keys, and one tip."""

from __future__ import annotations

from datetime import date

from ccq_tui import __version__
from ccq_tui.config.keymap import key_of, with_keys
from ccq_tui.screens.session.ui import SessionUi
from ccq_tui.screens.session.view import SessionView, mode_words, short_path
from ccq_tui.text import one_line

TASK = "Type a task and press Enter."
LENGTH = 60
"""Most characters of a name from a file or the CLI."""
TIPS = (
    "{panel} hides a question and shows it again; nothing typed is lost.",
    "{overview} shows all sessions by what they need.",
    "{new_session} opens another session beside this one.",
    "{block_up} marks a block: copy it, fold it, open its links.",
    "{search} finds words in the transcript.",
    "{unfold} unfolds long outputs and thinking.",
    "{history} searches earlier prompts.",
    "{editor} opens the prompt in your editor.",
    "{mode} changes what Claude may do without asking.",
    "{palette} finds every command and action by its words.",
    "/park stops Claude's process; its questions keep waiting.",
    "/rewind restores files and conversation to a prompt.",
)
"""Tips, with the actions whose keys they name."""


class Welcome:
    """Shows the first screen in the empty transcript, until something is said."""

    def __init__(self, ui: SessionUi) -> None:
        self._ui = ui
        self._past = bool(ui.launch.resume or ui.launch.continue_last)

    @property
    def counts_waiting(self) -> bool:
        """Whether it stays until the first prompt, and says how much waits elsewhere."""
        return not (self._past or self._ui.launch.prompt)

    def changed(self) -> None:
        """Show the facts known so far; a resumed conversation has its past to show instead."""
        transcript, view = self._ui.transcript, self._ui.view
        if self._past or not self._ui.live:
            return
        words = welcome_text(view, today())
        if words != transcript.welcome:
            transcript.welcome = words


def today() -> int:
    """Return the day, as a number that grows."""
    return date.today().toordinal()


def waiting_words(requests: int) -> str:
    """Say how many requests wait in other sessions, also of other terminals and other askers."""
    return f"{requests} {'request waits' if requests == 1 else 'requests wait'} elsewhere"


def welcome_text(view: SessionView, day: int) -> str:
    """Return the first screen's text, with a tip for the day."""
    cli = f" · Claude Code {one_line(view.cli_version, LENGTH)}" if view.cli_version else ""
    model = " · ".join(part for part in (one_line(view.model, LENGTH), mode_words(view.mode)) if part)
    branch = f" · git {one_line(view.branch, LENGTH)}" if view.branch else ""
    place = one_line(short_path(view.cwd), 3 * LENGTH) + branch
    lines = [f"ccq-tui {__version__}{cli}", model or "Starting Claude Code…", place, ""]
    if view.waiting_beside:
        lines += [f"{waiting_words(view.waiting_beside)} · {key_of('waiting')} goes there"]
    lines += [TASK, f"/ commands · @ files · {key_of('help')} all keys"]
    return "\n".join([*lines, "", f"Tip: {with_keys(TIPS[day % len(TIPS)])}"])
