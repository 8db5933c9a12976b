"""What is shown of a session beside its transcript: first screen, status lines, keys, terminal's title."""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from rich.text import Text
from textual.reactive import reactive
from textual.timer import Timer
from textual.widgets import Static

from ccq_tui import __version__
from ccq_tui.agent import events as ev
from ccq_tui.agent.problems import with_tested
from ccq_tui.bounded import begin
from ccq_tui.config.keymap import key_of, keymap
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.store.rows import StoredSession
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.input.keys import Hints, KeyPlace, key_line
from ccq_tui.runtime import status_line
from ccq_tui.runtime.facts import SessionFacts
from ccq_tui.runtime.view import TIMED, Surroundings, mode_words, pieces, short_path, terminal_title
from ccq_tui.screens.session.ui import SessionUi
from ccq_tui.screens.terminal import set_title
from ccq_tui.text import one_line
from ccq_tui.widgets.palette import palette_of
from ccq_tui.widgets.search_bar import SEARCH_KEYS
from ccq_tui.widgets.status_line import StatusLine
from ccq_tui.words import waiting
from ccq_tui.worktrees.model import MOST, git_directory

SILENCE = 15
"""Seconds without a sign of Claude after which the status line reports them."""
BY_PERSON = (
    ev.PromptAccepted,
    ev.PromptReturned,
    ev.ModeChanged,
    ev.ModelChanged,
    ev.EffortChanged,
    ev.TitleChanged,
)
"""Events that a person causes: no sign of Claude."""


def prompt_hints(state: ev.SessionState, waiting: int, *, queued: bool = False) -> Hints:
    """Return the keys to show while the prompt is open.

    ``waiting``: requests that an interrupt would withdraw, so that it takes two presses.
    ``queued``: ↑ takes back a prompt that is not read yet.
    """
    busy = state in (ev.SessionState.WORKING, ev.SessionState.AWAITING)
    over = state in (ev.SessionState.FAILED, ev.SessionState.ENDED)
    found = {"prompt": True, "waiting": waiting, "queued": queued, "over": over}
    words = frozenset(word for word, holds in found.items() if holds)
    enter = "" if over else "queue" if busy else "send"
    line, stop = key_line(KeyPlace.PROMPT, words, chosen=keymap().keys, enter=enter), key_of("interrupt")
    return (*line, (f"{stop} {stop}" if waiting else stop, "interrupt")) if busy else line


@dataclass(eq=False)
class Status:
    """Keeps the status line, the keys, the terminal's title and the empty transcript's words up to date."""

    _ui: SessionUi
    _line: StatusLine
    _inbox: Inbox

    def __post_init__(self) -> None:
        launch = self._ui.launch
        self._past = bool(launch.resume or launch.continue_last)
        """Whether a resumed conversation has its past to show in place of the first screen."""
        self.title = ""
        """The terminal's title as it was set last."""
        self._second_hand: Timer | None = None
        self._last_sign = self._ui.clock()
        self._calls: set[str] = set()
        self._compacting = False

    def take(self, event: ev.AgentEvent) -> None:
        """Note each sign of Claude; look at the branch after a turn, which may have changed it."""
        if not isinstance(event, BY_PERSON):
            self._last_sign = self._ui.clock()
            self._compacting = isinstance(event, ev.NoticeGiven) and event.text == ev.COMPACTING
        match event:
            case ev.ToolStarted(tool_use_id=call):
                self._calls.add(call)
            case ev.ToolFinished(tool_use_id=call):
                self._calls.discard(call)
            case ev.TurnEnded():
                self._calls.clear()
                self.read_branch()
            case ev.SessionLost():
                self._calls.clear()

    def begin(self, second_hand: Timer) -> None:
        """Count the seconds from now on, by a timer that calls `tick`."""
        self._second_hand = second_hand
        self.read_branch()
        if self.counts_waiting:
            self._ui.start(self._read_earlier, "earlier session", group="earlier session")

    @property
    def counts_waiting(self) -> bool:
        """Whether the first screen stays until the first prompt, and says how much waits elsewhere."""
        return not (self._past or self._ui.launch.prompt)

    async def _read_earlier(self) -> None:
        """Look for an earlier session of the directory."""
        directory, earlier = str(self._ui.view.cwd), list[StoredSession]()
        with suppress(InboxError):  # else its trouble is said elsewhere
            earlier = await self._inbox.run(lambda store: store.sessions.page(directory, 5))
        if names := [one.name for one in earlier if one.name and one.id != self._ui.view.session_id]:
            self._ui.surround(earlier=names[0])

    def changed(self) -> None:
        view, dock = self._ui.view, self._ui.dock
        if self._second_hand is not None:
            self._second_hand.resume()
        waiting = len(dock.line.asked.items)
        self._line.pieces = pieces(view, self._ui.around, self._ui.clock(), waiting, self._silent())
        title = terminal_title(view, waiting)
        if self._ui.in_front and title != self.title:
            self.title = title
            set_title(self._ui.app, title)
        dock.show_keys(self._keys())
        if not self._past and self._ui.live:
            self._ui.transcript.welcome = welcome_text(view, self._ui.around)

    def tick(self) -> None:
        """Draw what changes with time; pause the timer when nothing does."""
        self._ui.changed()
        if not (self._ui.view.state in TIMED or self._ui.session.limited) and self._second_hand is not None:
            self._second_hand.pause()

    def _silent(self) -> int:
        """Return the seconds without a sign of Claude, if notable; 0 in tools, retries and compactions."""
        busy = self._ui.view.retry or self._calls or self._compacting
        if self._ui.view.state is not ev.SessionState.WORKING or busy:
            return 0
        seconds = int(self._ui.clock() - self._last_sign)
        return seconds if seconds >= SILENCE else 0

    def _keys(self) -> Hints:
        if self._ui.search_bar.is_open:
            return SEARCH_KEYS
        dock = self._ui.dock
        queued = bool(dock.prompt.queued) and not dock.prompt.field.text
        return prompt_hints(self._ui.view.state, len(dock.line.items), queued=queued)

    def read_branch(self) -> None:
        """Read the branch of the session's directory, in a thread."""

        async def read() -> None:
            self._ui.surround(branch=await asyncio.to_thread(git_branch, self._ui.view.cwd))

        self._ui.start(read, "branch", group="branch", exclusive=True)


def git_branch(directory: Path) -> str:
    """Return the branch of a directory, the first digits of a commit, or "" outside of a repository.

    Reads files: not for the event loop.
    """
    try:
        for place in (directory, *directory.parents):
            if (git := git_directory(place) or place / ".git").is_dir():
                head = begin(git / "HEAD", MOST).decode("utf-8", "replace").strip()
                return head.removeprefix("ref: refs/heads/") if head.startswith("ref:") else head[:7]
    except (OSError, ValueError):
        return ""  # unreadable, or a path with a NUL: the line is without a branch
    return ""


_logger = logging.getLogger(__name__)

PAUSE = 0.3
"""Seconds from a change to the command, and so the least between two runs."""
KNOWN = attrgetter(
    *("session_id", "title", "model", "cli_version", "mode", "effort", "style"),
    *("cost", "worked", "context", "filled"),
)
"""The facts whose change runs the command again."""


class StatusOutput(Static):
    """Gives the command the known facts, and shows its last output; hidden while that is empty."""

    DEFAULT_CSS = """
    StatusOutput {
        height: auto;
        padding: 0 1;
        background: $panel;
    }
    """
    text: reactive[str] = reactive("", layout=True)

    def __init__(self, ui: SessionUi) -> None:
        super().__init__(markup=False)
        self._ui, self._began = ui, ui.clock()
        self._ran_for: tuple[object, ...] = ()
        self._is_busy = False
        self._failed = ""
        """Reason of the command's last failure: the log has each reason once."""

    def watch_text(self) -> None:
        self.display = bool(self.text)

    def render(self) -> Text:
        # Screen height in lines below which one line of the command is shown.
        lines = self.text.split("\n")[: 1 if self.app.size.height < 20 else status_line.MOST_LINES]
        return Text("\n".join(lines), palette_of(self).muted, no_wrap=True, overflow="ellipsis")

    def changed(self) -> None:
        """Run the command soon, if its input has changed."""
        if self._is_busy or not self._ui.in_front or not self._ui.launch.settings.status_line:
            return
        if KNOWN(self._ui.view) != self._ran_for:
            self._is_busy = True
            self._ui.start(self._run_command, "status line", group="status line")

    async def _run_command(self) -> None:
        try:
            await asyncio.sleep(PAUSE)
            self._ran_for = KNOWN(self._ui.view)
            launch = self._ui.launch
            command = await asyncio.to_thread(status_line.status_command, launch)
            output = ""
            if command:
                seconds = self._ui.clock() - self._began
                data = await asyncio.to_thread(status_line.status_data, launch, self._ui.view, seconds)
                output = await status_line.run_status_command(command, data, launch)
            self._failed = ""
            self.text = output
        except status_line.StatusLineError as error:
            self.text = ""
            if str(error) != self._failed:
                self._failed = str(error)
                _logger.warning("The status line command gave nothing: %s", error)
        finally:
            self._is_busy = False
        self.changed()


LENGTH = 60
"""Most characters of a name from a file or the CLI."""


def welcome_text(view: SessionFacts, around: Surroundings) -> str:
    """Return the first screen's text: who is there, and up to three ways to begin that hold now."""
    cli = f" · Claude Code {with_tested(one_line(view.cli_version, LENGTH))}" if view.cli_version else ""
    model = " · ".join(part for part in (one_line(view.model, LENGTH), mode_words(view.mode)) if part)
    branch = f" · git {one_line(around.branch, LENGTH)}" if around.branch else ""
    place = short_path(view.cwd) + branch
    beside, earlier = around.waiting_beside, one_line(around.earlier, LENGTH)
    starters = [
        (key_of("waiting"), f"{waiting(beside, 'request')} elsewhere" if beside else ""),
        ("/resume", f"continue “{earlier}”" if earlier else ""),
        ("/", "commands"),
        ("@", "files in the prompt"),
        (key_of("help"), "all keys"),
    ]
    ways = [f"{key:9}{words}" for key, words in starters if words][:3]
    head = f"ccq-tui {__version__}{cli}"
    return "\n".join([head, model or "Starting Claude Code…", place, "", *ways])
