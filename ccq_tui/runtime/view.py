"""What the status line and the title say of a session."""

from dataclasses import dataclass
from pathlib import Path

from ccq_tui import signs
from ccq_tui.agent.events import SessionState
from ccq_tui.runtime.facts import TITLE_LENGTH, SessionFacts
from ccq_tui.text import one_line
from ccq_tui.words import counted, on_clock, plural
from ccq_tui.worktrees.model import worktree_at

SIGNS = {
    SessionState.QUEUED: (signs.QUEUED, "queued"),
    SessionState.STARTING: (signs.QUEUED, "starting"),
    SessionState.WORKING: (signs.WORKS, "working"),
    SessionState.AWAITING: (signs.WAITS, "waits for you"),
    SessionState.PARKED: (signs.PARKED, "paused"),
    SessionState.IDLE: (signs.IDLE, "ready"),
    SessionState.FAILED: (signs.FAILED, "failed"),
    SessionState.ENDED: (signs.STOPPED, "ended"),
}
TIMED = frozenset({SessionState.QUEUED, SessionState.STARTING, SessionState.WORKING, SessionState.AWAITING})
"""States whose duration is worth showing."""
BYPASS = "bypassPermissions"
MODES = {"default": "default mode", "acceptEdits": "accepts edits", "dontAsk": "denies what needs permission"}
"""Words for permission modes whose own name says too little."""
FULL = 70
"""Percentage of the context from which it matters more than the model."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A few words of a line.

    Attributes:
        text: The words.
        rank: Order of leaving out: the highest first, 0 never.
        shorter: Replacements, ever shorter, where even the pieces of rank 0 do not fit.
        alarm: Whether it must not be missed.
    """

    text: str
    rank: int = 0
    shorter: tuple[str, ...] = ()
    alarm: bool = False


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the screen of a session says beside the session's own facts.

    Attributes:
        branch: The git branch of the directory, or "".
        waiting_beside: Number of requests that wait in other sessions, in all terminals.
        alone: Whether no other session is open in this terminal, so that a name would tell nothing.
        earlier: The name of the session of the directory that changed last, or "".
        trouble: What does not work beside the sessions, in a few words, or "".
    """

    branch: str = ""
    waiting_beside: int = 0
    alone: bool = True
    earlier: str = ""
    trouble: str = ""


def pieces(
    view: SessionFacts, around: Surroundings, now: float, waiting: int = 0, silent: int = 0
) -> tuple[Piece, ...]:
    """Return the pieces of the status line, in order.

    ``silent``: seconds in which Claude should have said something.
    """
    sign, word = sign_and_word(view.state, waiting)
    waits = word == SIGNS[SessionState.AWAITING][1]
    timed = _timed(view, max(0, int(now - view.since)))
    read, written = view.tokens
    bypass, full = view.mode == BYPASS, (view.context or 0) >= FULL
    mode = "" if view.mode in (BYPASS, "default") else mode_words(view.mode)
    pieces: tuple[Piece, ...] = (
        Piece(f"{sign} {word}{timed}", shorter=(f"{sign} {word}", sign)),
        Piece("BYPASSES PERMISSIONS" if bypass else "", shorter=("BYPASSES",), alarm=True),
        Piece(view.retry, 1),
        Piece(f"nothing from Claude for {on_clock(silent)}" if silent else "", shorter=("silent",)),
        Piece(f"? {around.waiting_beside} elsewhere" if around.waiting_beside else "", 1),
        Piece(around.trouble, 3),
        Piece(_background(view, waits=waits), 2),
        Piece(mode, 4),
        Piece("" if around.alone else one_line(view.title, TITLE_LENGTH), 7),
        Piece(view.model.removeprefix("claude-"), 5),
        Piece(f"effort {view.effort}" if view.effort else "", 11),
        Piece(f"style {view.style}" if view.style else "", 11),
        Piece(f"context {view.context:.0f}%" if view.context is not None else "", 3 if full else 6),
        *_place(view.cwd, around.branch),
        Piece(f"${view.cost:.2f}" if view.cost is not None else "", 9),
    )
    if not waits:
        tokens = f"{counted(read)} tokens in, {counted(written)} out" if read or written else ""
        pieces += (Piece(tokens, 12),)
    return tuple(piece for piece in pieces if piece.text)


def _timed(view: SessionFacts, seconds: int) -> str:
    """Return the time in the present state; that of a person in minutes."""
    if view.state is SessionState.AWAITING:
        hours, minutes = divmod(seconds // 60, 60)
        return f" {hours} h {minutes} min" if hours else f" {minutes} min" if minutes else ""
    return f" {on_clock(seconds)}" if view.state in TIMED and seconds >= 1 else ""


def _place(cwd: Path, branch: str) -> tuple[Piece, Piece]:
    """Return its directory and branch; a worktree is known by its branch, and its path is long."""
    worktree, shown = worktree_at(cwd), f"git {branch}" if branch else ""
    if worktree is None:
        return Piece(short_path(cwd), 8), Piece(shown, 10)
    return Piece(short_path(worktree.root), 10), Piece(shown, 8)


def _background(view: SessionFacts, *, waits: bool) -> str:
    agents = [task.agent for task in view.tasks if task.background]
    if waits:
        return f"{len(agents)} in the background" if agents else ""
    counts = ((sum(agents), "agent"), (len(agents) - sum(agents), "command"))
    named = [plural(number, word) for number, word in counts if number]
    return f"{', '.join(named)} in the background" if named else ""


def terminal_title(view: SessionFacts, waiting: int) -> str:
    """Return the terminal's title."""
    asked = f" ? {waiting}" if waiting else ""
    return f"{sign_and_word(view.state, waiting)[0]}{asked} {view.short_name} · ccq-tui"


def sign_and_word(state: SessionState, waiting: int) -> tuple[str, str]:
    """Return the sign and the word of a state; an idle session in which something waits is awaiting."""
    return SIGNS[SessionState.AWAITING if waiting and state is SessionState.IDLE else state]


def short_path(path: Path) -> str:
    """Return a path for a line on the screen, with the home directory written as ~."""
    try:
        shown = str(Path("~") / path.relative_to(Path.home())) if path != Path.home() else "~"
    except ValueError:
        shown = str(path)
    return one_line(shown, 300)


def mode_words(mode: str) -> str:
    """Return a permission mode in words; "" for none."""
    return MODES.get(mode, f"{mode} mode" if mode else "")
