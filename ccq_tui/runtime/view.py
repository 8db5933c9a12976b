"""The facts known about a session, as data: changed by its events, shown in status line and title."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ccq_tui.agent.events import (
    AgentEvent,
    BlockFinished,
    BlockKind,
    Connected,
    ContextUsage,
    ConversationReset,
    EffortChanged,
    HistoryLoaded,
    ModeChanged,
    ModelChanged,
    PromptAccepted,
    PromptDelivered,
    QuestionAsked,
    Retrying,
    SessionLost,
    SessionState,
    StateChanged,
    TaskBackgrounded,
    TaskEnded,
    TaskStarted,
    TitleChanged,
    TurnEnded,
)
from ccq_tui.agent.session_recorder import UNNAMED, SessionName, last_line
from ccq_tui.text import one_line
from ccq_tui.words import counted, on_clock, plural
from ccq_tui.worktrees.model import worktree_at

SIGNS = {
    SessionState.QUEUED: ("◌", "queued"),
    SessionState.STARTING: ("◌", "starting"),
    SessionState.WORKING: ("✻", "working"),
    SessionState.AWAITING: ("◆", "waits for you"),
    SessionState.PARKED: ("◇", "parked"),
    SessionState.IDLE: ("○", "ready"),
    SessionState.FAILED: ("✖", "failed"),
    SessionState.ENDED: ("■", "ended"),
}
TIMED = frozenset({SessionState.QUEUED, SessionState.STARTING, SessionState.WORKING, SessionState.AWAITING})
"""States whose duration is worth showing."""
BYPASS = "bypassPermissions"
MODES = {"default": "default mode", "acceptEdits": "accepts edits", "dontAsk": "denies what needs permission"}
"""Words for permission modes whose own name says too little."""
TITLE_LENGTH = 32
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
class SessionView:
    """The facts known about a session.

    Attributes:
        cwd: The directory the agent works in.
        state: Its state.
        since: Start of that state, in seconds of a monotonic clock.
        model: The model, or "".
        mode: The permission mode, or "".
        session_id: The Claude session id, or "".
        context: Percentage of the context in use, 0..100, or None.
        cost: US dollars so far, or None.
        retry: What is retried, or "".
        called: The name of the conversation.
        tokens: Tokens that the model read and wrote so far.
        rounds: Number of question sets so far.
        most_rounds: Most question sets that may come, or 0.
        branch: The git branch of the directory, or "".
        waiting_beside: Number of requests that wait in other sessions, in all terminals.
        alone: Whether no other session is open in this terminal, so that a name would tell nothing.
        last_line: The last line that the agent wrote, or "".
        effort: The thinking effort, if one was chosen, or "".
        style: The output style, or "" for the default one.
        tasks: The subagents and commands that run.
        cli_version: The version of Claude Code, or "".
    """

    cwd: Path
    state: SessionState = SessionState.STARTING
    since: float = 0.0
    model: str = ""
    mode: str = ""
    session_id: str = ""
    context: float | None = None
    cost: float | None = None
    retry: str = ""
    called: SessionName = UNNAMED
    tokens: tuple[int, int] = (0, 0)
    rounds: int = 0
    most_rounds: int = 0
    branch: str = ""
    waiting_beside: int = 0
    alone: bool = True
    last_line: str = ""
    effort: str = ""
    style: str = ""
    tasks: tuple[TaskStarted, ...] = ()
    cli_version: str = ""

    @property
    def title(self) -> str:
        """The name of the conversation, or "" before its first prompt."""
        return str(self.called)

    @property
    def name(self) -> str:
        """The session's name, as in every list; before its first prompt its project."""
        return self.title or self.project

    @property
    def short_name(self) -> str:
        """Its name where there is little room."""
        return one_line(self.name, TITLE_LENGTH)

    @property
    def project(self) -> str:
        """Name of its directory."""
        return one_line(self.cwd.name or str(self.cwd), TITLE_LENGTH)

    @property
    def busy(self) -> bool:
        """Whether there is a turn to interrupt."""
        return self.state in (SessionState.WORKING, SessionState.AWAITING)

    def pieces(self, now: float, waiting: int = 0, silent: int = 0) -> tuple[Piece, ...]:
        """Return the pieces of the status line, in order.

        ``silent``: seconds in which Claude should have said something.
        """
        sign, word = sign_and_word(self.state, waiting)
        waits = word == SIGNS[SessionState.AWAITING][1]
        timed = self._timed(max(0, int(now - self.since)))
        read, written = self.tokens
        bypass, full = self.mode == BYPASS, (self.context or 0) >= FULL
        mode = "" if self.mode in (BYPASS, "default") else mode_words(self.mode)
        silence = f"nothing from Claude for {on_clock(silent)}" if silent else ""
        pieces: tuple[Piece, ...] = (
            Piece(f"{sign} {word}{timed}", shorter=(f"{sign} {word}", sign)),
            Piece("BYPASSES PERMISSIONS" if bypass else "", shorter=("BYPASSES",), alarm=True),
            Piece(self.retry, 1),
            Piece(silence, shorter=("silent",)),
            Piece(f"? {self.waiting_beside} elsewhere" if self.waiting_beside else "", 1),
            Piece(self._background(waits=waits), 2),
            Piece(mode, 4),
            Piece("" if self.alone else one_line(self.title, TITLE_LENGTH), 7),
            Piece(self.model.removeprefix("claude-"), 5),
            Piece(f"effort {one_line(self.effort, 20)}" if self.effort else "", 11),
            Piece(f"style {one_line(self.style, 30)}" if self.style else "", 11),
            Piece(f"context {self.context:.0f}%" if self.context is not None else "", 3 if full else 6),
            *self._place(),
            Piece(f"${self.cost:.2f}" if self.cost is not None else "", 9),
        )
        if not waits:
            tokens = f"{counted(read)} tokens in, {counted(written)} out" if read or written else ""
            pieces += (Piece(tokens, 13), Piece(self._rounds(), 12))
        return tuple(piece for piece in pieces if piece.text)

    def _timed(self, seconds: int) -> str:
        """Return the time in the present state; that of a person in minutes."""
        if self.state is SessionState.AWAITING:
            hours, minutes = divmod(seconds // 60, 60)
            return f" {hours} h {minutes} min" if hours else f" {minutes} min" if minutes else ""
        return f" {on_clock(seconds)}" if self.state in TIMED and seconds >= 1 else ""

    def _place(self) -> tuple[Piece, Piece]:
        """Return its directory and branch; a worktree is known by its branch, and its path is long."""
        worktree, branch = worktree_at(self.cwd), f"git {self.branch}" if self.branch else ""
        if worktree is None:
            return Piece(short_path(self.cwd), 8), Piece(branch, 10)
        return Piece(short_path(worktree.root), 10), Piece(branch, 8)

    def _background(self, *, waits: bool) -> str:
        agents = [task.agent for task in self.tasks if task.background]
        if waits:
            return f"{len(agents)} in the background" if agents else ""
        counts = ((sum(agents), "agent"), (len(agents) - sum(agents), "command"))
        named = [plural(number, word) for number, word in counts if number]
        return f"{', '.join(named)} in the background" if named else ""

    def _rounds(self) -> str:
        if self.most_rounds:
            return f"question round {self.rounds} of {self.most_rounds}" if self.rounds else ""
        return plural(self.rounds, "question round") if self.rounds else ""

    def terminal_title(self, waiting: int) -> str:
        """Return the terminal's title."""
        asked = f" ? {waiting}" if waiting else ""
        return f"{sign_and_word(self.state, waiting)[0]}{asked} {self.short_name} · ccq-tui"


def sign_and_word(state: SessionState, waiting: int) -> tuple[str, str]:
    """Return the sign and the word of a state; an idle session in which something waits is awaiting."""
    return SIGNS[SessionState.AWAITING if waiting and state is SessionState.IDLE else state]


def noted(view: SessionView, event: AgentEvent, now: float) -> SessionView:
    """Return the facts after an event; the same view if nothing changed."""
    match event:
        case StateChanged(state):
            return view if state is view.state else replace(view, state=state, since=now, retry="")
        case Connected(session_id=session_id, model=model, mode=mode, cli_version=version):
            known = replace(
                view, session_id=session_id, cli_version=version, style=_named(event.output_style)
            )
            return replace(known, model=model or view.model, mode=mode or view.mode)
        case ModeChanged(mode):
            return replace(view, mode=mode)
        case ModelChanged(model):
            return replace(view, model=model)
        case ContextUsage(percentage=percentage):
            return replace(view, context=percentage)
        case Retrying(attempt=attempt, max_attempts=most):
            return replace(view, retry=f"retry {attempt} of {most}")
        case ConversationReset(session_id):
            # The CLI restarts its count of the cost, too.
            begun = replace(view, context=None, last_line="", cost=None, tokens=(0, 0))
            return replace(begun, session_id=session_id, called=view.called.after(event))
        case SessionLost(expected=expected) if view.state is not SessionState.PARKED:
            view = replace(view, tasks=())
            return replace(view, state=SessionState.ENDED if expected else SessionState.FAILED, since=now)
        case _:
            return _worked(_talked(replace(view, retry="") if view.retry else view, event), event)


def _worked(view: SessionView, event: AgentEvent) -> SessionView:
    match event:
        case EffortChanged(level):
            return replace(view, effort=level)
        case TaskStarted():
            return replace(view, tasks=(*view.tasks, event))
        case TaskBackgrounded(task_id):
            sent = [replace(one, background=True) if one.task_id == task_id else one for one in view.tasks]
            return replace(view, tasks=tuple(sent))
        case TaskEnded(task_id=task_id):
            return replace(view, tasks=tuple(one for one in view.tasks if one.task_id != task_id))
        case _:
            return view


def _talked(view: SessionView, event: AgentEvent) -> SessionView:
    match event:
        case TitleChanged() | PromptAccepted() | PromptDelivered() | HistoryLoaded():
            return replace(view, called=view.called.after(event))
        case BlockFinished(kind=BlockKind.TEXT, text=text):
            return replace(view, last_line=last_line(text) or view.last_line)
        case QuestionAsked():
            return replace(view, rounds=view.rounds + 1)
        case TurnEnded(cost=cost, input_tokens=read, output_tokens=written):
            tokens = (view.tokens[0] + read, view.tokens[1] + written)
            return replace(view, cost=cost if cost is not None else view.cost, tokens=tokens)
        case _:
            return view


def _named(style: str) -> str:
    return "" if style == "default" else style


def short_path(path: Path) -> str:
    """Return a path with the home directory written as ~."""
    try:
        return str(Path("~") / path.relative_to(Path.home())) if path != Path.home() else "~"
    except ValueError:
        return str(path)


def mode_words(mode: str) -> str:
    """Return a permission mode in words; "" for none."""
    return MODES.get(mode, f"{mode} mode" if mode else "")
