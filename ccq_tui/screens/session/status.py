"""The status line, the keys under the prompt, and the terminal's title."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from textual.timer import Timer

from ccq_tui.agent.events import (
    COMPACTING,
    EffortChanged,
    ModeChanged,
    ModelChanged,
    NoticeGiven,
    PromptAccepted,
    PromptReturned,
    SessionLost,
    SessionState,
    TitleChanged,
    ToolFinished,
    ToolStarted,
    TurnEnded,
)
from ccq_tui.bounded import begin
from ccq_tui.config.keymap import key_of
from ccq_tui.inbox.port import DraftUpdated
from ccq_tui.runtime.events import SessionEvent
from ccq_tui.screens.session.ui import SessionUi
from ccq_tui.screens.session.view import TIMED
from ccq_tui.screens.terminal import set_title
from ccq_tui.widgets.hints import Hints
from ccq_tui.widgets.status_line import StatusLine

Wanted = tuple[tuple[str, str], ...]
"""Names of actions with what they do."""

_FIXED = {"send": "Enter", "take_back": "↑", "new_line": "Ctrl+J", "commands": "/", "files": "@"}
"""Actions whose keys cannot be chosen."""
_ALWAYS: Wanted = (
    ("help", "all keys"),
    ("new_line", "new line"),
    ("commands", "commands"),
    ("files", "files"),
    ("mode", "mode"),
    ("page_up", "scroll"),
    ("unfold", "unfold"),
    ("search", "search"),
    ("overview", "sessions"),
    ("editor", "editor"),
    ("quit", "quit"),
)
SILENCE = 15
"""Seconds without a sign of Claude after which the status line reports them."""
BY_PERSON = (
    PromptAccepted,
    PromptReturned,
    ModeChanged,
    ModelChanged,
    EffortChanged,
    TitleChanged,
    DraftUpdated,
)
"""Events that a person causes: no sign of Claude."""
_GONE = frozenset({SessionState.FAILED, SessionState.ENDED})


SEARCHING: Hints = (("Enter", "next match"), ("↑", "previous match"), ("Esc", "close the search"))
"""Keys to show while the transcript is searched: none of the prompt's apply then."""


def prompt_hints(state: SessionState, waiting: int, *, queued: bool = False) -> Hints:
    """Return the keys to show while the prompt is open.

    ``queued``: ↑ takes back a prompt that is not read yet.
    """
    busy = state in (SessionState.WORKING, SessionState.AWAITING)
    wanted: Wanted = (
        *((("panel", "answer"),) if waiting else ()),
        *((("interrupt", "interrupt"),) if busy else ()),
        *((("quit", "quit"),) if state in _GONE else (("send", "queue" if busy else "send"),)),
        *((("take_back", "withdraw"),) if queued else ()),
        *(hint for hint in _ALWAYS if state not in _GONE or hint[0] != "quit"),
    )
    return tuple((_FIXED.get(name) or key_of(name), does) for name, does in wanted)


@dataclass(eq=False)
class Status:
    """Keeps the status line, the keys and the terminal's title up to date."""

    _ui: SessionUi
    _line: StatusLine
    _searching: Callable[[], bool]
    _counts: Callable[[], bool]

    def __post_init__(self) -> None:
        self.title = ""
        """The terminal's title as it was set last."""
        self._second_hand: Timer | None = None
        self._counting = True
        self._heard = self._ui.clock()
        self._calls: set[str] = set()
        self._compacting = False

    def take(self, event: SessionEvent) -> None:
        """Note each sign of Claude; look at the branch after a turn, which may have changed it."""
        if not isinstance(event, BY_PERSON):
            self._heard = self._ui.clock()
            self._compacting = isinstance(event, NoticeGiven) and event.text == COMPACTING
        match event:
            case ToolStarted(tool_use_id=call):
                self._calls.add(call)
            case ToolFinished(tool_use_id=call):
                self._calls.discard(call)
            case TurnEnded():
                self._calls.clear()
                self.look_at_branch()
            case SessionLost():
                self._calls.clear()

    def begin(self, second_hand: Timer) -> None:
        """Count the seconds from now on, by a timer that calls `tick`."""
        self._second_hand = second_hand
        self.look_at_branch()

    def changed(self) -> None:
        view, dock = self._ui.view, self._ui.dock
        if not self._counting and self._second_hand is not None:
            self._counting = True
            self._second_hand.reset()
        waiting = len(dock.line.asked.items)
        self._line.show(view.pieces(self._ui.clock(), waiting, self._silent()))
        title = view.terminal_title(waiting)
        if self._ui.in_front and title != self.title:
            self.title = title
            set_title(self._ui.app, title)
        dock.show_keys(self._keys())

    def tick(self) -> None:
        """Draw what changes with time; pause the timer when nothing does."""
        self._ui.changed()
        if not (self._ui.view.state in TIMED or self._counts()) and self._second_hand is not None:
            self._counting = False
            self._second_hand.pause()

    def _silent(self) -> int:
        """Return the seconds without a sign of Claude, if notable; 0 in tools, retries and compactions."""
        busy = self._ui.view.retry or self._calls or self._compacting
        if self._ui.view.state is not SessionState.WORKING or busy:
            return 0
        seconds = int(self._ui.clock() - self._heard)
        return seconds if seconds >= SILENCE else 0

    def _keys(self) -> Hints:
        if self._searching():
            return SEARCHING
        dock = self._ui.dock
        queued = dock.prompt.has_queued and not dock.prompt.field.text
        return prompt_hints(self._ui.view.state, len(dock.line.items), queued=queued)

    def look_at_branch(self) -> None:
        """Read the branch of the session's directory, in a thread."""

        async def look() -> None:
            branch = await asyncio.to_thread(git_branch, self._ui.view.cwd)
            if branch != self._ui.view.branch:
                self._ui.view = replace(self._ui.view, branch=branch)
                self._ui.changed()

        self._ui.start(look, "branch", group="branch", exclusive=True)


MOST = 4096
"""Most bytes read of one of git's files."""
POINTER = "gitdir:"
REFERENCE = "ref: refs/heads/"


def git_branch(directory: Path) -> str:
    """Return the branch of a directory, the first digits of a commit, or "" outside of a repository.

    Reads files: not for the event loop.
    """
    try:
        for place in (directory, *directory.parents):
            git = place / ".git"
            if git.is_dir():
                return _named(_read(git / "HEAD"))
            if git.is_file():
                # A worktree or a submodule: the file says where git's directory is.
                pointer = _read(git).removeprefix(POINTER).strip()
                return _named(_read((place / pointer) / "HEAD"))
    except (OSError, ValueError):
        # Unreadable, or a path with a NUL: the line is without a branch.
        return ""
    return ""


def _read(path: Path) -> str:
    return begin(path, MOST).decode("utf-8", "replace").strip()


def _named(head: str) -> str:
    return head.removeprefix(REFERENCE) if head.startswith("ref:") else head[:7]
