"""The facts known about a session, folded once from its events."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ccq_tui.agent import events as ev
from ccq_tui.agent.session_name import LINE, UNNAMED, SessionName
from ccq_tui.inbox.port import SessionFact
from ccq_tui.text import last_sentence, one_line

TITLE_LENGTH = 32
_UNKEPT = frozenset({ev.SessionState.QUEUED, ev.SessionState.STARTING})
"""States that only this process needs to know."""


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """The facts known about a session.

    Attributes:
        cwd: The directory the agent works in.
        state: Its state.
        since: Start of that state, in seconds of a monotonic clock.
        model: The model, or "".
        mode: The permission mode, or "".
        session_id: The Claude session id, or "".
        context: Percentage of the context in use, 0..100, or None.
        filled: Tokens in the context, and how many it holds.
        cost: US dollars so far, or None.
        retry: What is retried, or "".
        called: The name of the conversation.
        tokens: Tokens that the model read and wrote so far.
        turns: Number of turns that ended.
        worked: Seconds of work in them.
        last_line: The last line that the agent wrote, or "".
        effort: The thinking effort, if one was chosen, or "".
        style: The output style, or "" for the default one.
        tasks: The subagents and commands that run.
        cli_version: The version of Claude Code, or "".
        begun: Whether the conversation has a prompt: before that, it is in no list.
        named: Whether the name is known; that of a resumed session is once its past is read.
        labels: Its labels, by key.
    """

    cwd: Path
    state: ev.SessionState = ev.SessionState.STARTING
    since: float = 0.0
    model: str = ""
    mode: str = ""
    session_id: str = ""
    context: float | None = None
    filled: tuple[int, int] = (0, 0)
    cost: float | None = None
    retry: str = ""
    called: SessionName = UNNAMED
    tokens: tuple[int, int] = (0, 0)
    turns: int = 0
    worked: float = 0.0
    last_line: str = ""
    effort: str = ""
    style: str = ""
    tasks: tuple[ev.TaskStarted, ...] = ()
    cli_version: str = ""
    begun: bool = False
    named: bool = True
    labels: Mapping[str, str] = field(default_factory=dict)

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
        return self.state in (ev.SessionState.WORKING, ev.SessionState.AWAITING)


def folded(facts: SessionFacts, event: ev.AgentEvent, now: float) -> SessionFacts:
    """Return the facts after an event; the same facts if nothing changed."""
    match event:
        case ev.StateChanged(state):
            return facts if state is facts.state else replace(facts, state=state, since=now, retry="")
        case ev.Connected(session_id=session_id, model=model, mode=mode, cli_version=version):
            style = "" if event.output_style == "default" else event.output_style
            known = replace(facts, session_id=session_id, cli_version=version, style=style)
            return replace(known, model=model or facts.model, mode=mode or facts.mode)
        case ev.ModeChanged(mode):
            return replace(facts, mode=mode)
        case ev.ModelChanged(model):
            return replace(facts, model=model)
        case ev.ContextUsage(percentage, tokens, limit):
            return replace(facts, context=percentage, filled=(tokens, limit))
        case ev.Retrying(attempt=attempt, max_attempts=most):
            return replace(facts, retry=f"retry {attempt} of {most}")
        case ev.ConversationReset(session_id):
            # The CLI restarts its count of the cost, too.
            anew = replace(facts, context=None, filled=(0, 0), cost=None, tokens=(0, 0), turns=0)
            anew = replace(anew, worked=0.0, last_line="", begun=False, named=True)
            return replace(anew, session_id=session_id, called=facts.called.after(event))
        case ev.SessionLost(expected=expected) if facts.state is not ev.SessionState.PARKED:
            facts = replace(facts, tasks=())
            return replace(
                facts, state=ev.SessionState.ENDED if expected else ev.SessionState.FAILED, since=now
            )
        case _:
            return _worked(_talked(replace(facts, retry="") if facts.retry else facts, event), event)


def _worked(facts: SessionFacts, event: ev.AgentEvent) -> SessionFacts:
    match event:
        case ev.EffortChanged(level):
            return replace(facts, effort=level)
        case ev.TaskStarted():
            return replace(facts, tasks=(*facts.tasks, event))
        case ev.TaskBackgrounded(task_id):
            sent = [replace(one, background=True) if one.task_id == task_id else one for one in facts.tasks]
            return replace(facts, tasks=tuple(sent))
        case ev.TaskEnded(task_id=task_id):
            return replace(facts, tasks=tuple(one for one in facts.tasks if one.task_id != task_id))
        case _:
            return facts


def _talked(facts: SessionFacts, event: ev.AgentEvent) -> SessionFacts:
    match event:
        case ev.TitleChanged() | ev.HistoryLoaded():
            return replace(facts, called=facts.called.after(event), named=True)
        case ev.PromptAccepted() | ev.PromptDelivered():
            return replace(facts, called=facts.called.after(event), begun=True)
        case ev.PromptReturned():
            return replace(facts, called=facts.called.after(event))
        case ev.BlockFinished(kind=ev.BlockKind.TEXT, text=text) if text.strip():
            return replace(facts, last_line=one_line(last_sentence(text), LINE))
        case ev.TurnEnded(cost=cost, input_tokens=read, output_tokens=written, worked=worked):
            tokens = (facts.tokens[0] + read, facts.tokens[1] + written)
            facts = replace(facts, turns=facts.turns + 1, worked=facts.worked + worked)
            return replace(facts, cost=cost if cost is not None else facts.cost, tokens=tokens)
        case _:
            return facts


def to_store(before: SessionFacts, after: SessionFacts, cause: str) -> SessionFact | None:
    """Return what the inbox does not know yet of a session; None for nothing, as before its first prompt.

    ``cause``: why the state changed, or "" if that is not known.
    """
    if not (after.begun and after.session_id):
        return None
    new = not (before.begun and before.session_id == after.session_id)
    state = after.state if after.state not in _UNKEPT and (new or after.state is not before.state) else None
    fact = SessionFact(
        name=(after.title or None) if after.named and (new or after.called != before.called) else None,
        state=str(state) if state else None,
        cause=cause or ("it began" if new else "told by the session"),
        last_line=after.last_line if after.last_line != before.last_line else None,
        cost=after.cost if after.cost != before.cost else None,
        labels=after.labels if new and after.labels else None,
    )
    return None if fact == SessionFact(cause=fact.cause) else fact
