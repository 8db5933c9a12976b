"""Records the facts of a session in the inbox, for other processes and later starts."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from ccq_tui.agent import events as ev
from ccq_tui.agent.options import SessionOptions
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.port import Claim, SessionFact
from ccq_tui.prompts.shell_runs import run_in
from ccq_tui.text import one_line

NAMELESS = re.compile(r"/[A-Za-z][\w:-]*(\s|$)|You asked this with AskUserQuestion")
"""A prompt that is a command, not a path, which has another slash, or that delivers an answer."""
FIRST = 40
"""Most characters of the first prompt in a name with the last one."""
LINE = 200
"""Most characters kept of a title or a last line."""
UNKEPT = frozenset({ev.SessionState.QUEUED, ev.SessionState.STARTING})


class SessionRecorder:
    """Writes a session's facts into the inbox, from its first prompt on: before that no session exists.

    Attributes:
        options: The session's options, with the flags of an earlier start.
        cause: Why the session is being ended, or "".
    """

    def __init__(self, inbox: Inbox, options: SessionOptions) -> None:
        self.cause = ""
        self._inbox = inbox
        self.options = options
        self._session_id = ""
        self._held = ""
        self._begun = bool(options.resume or options.continue_conversation)
        self._state: ev.SessionState | None = None
        self.name = SessionName("" if self._begun else one_line(options.name, LINE))
        self._past_missing = self._begun  # until it is read, the inbox knows the name better

    def note(self, event: ev.AgentEvent) -> None:
        """Record the changes that an event shows."""
        match event:
            case ev.Connected(session_id=session_id) | ev.ConversationReset(session_id=session_id):
                self.name = self.name.after(event)
                self._past_missing &= isinstance(event, ev.Connected)
                if isinstance(event, ev.ConversationReset) and self._session_id not in ("", session_id):
                    # Nothing runs it from now on: with another state it would count as killed.
                    self._keep(SessionFact(state=str(ev.SessionState.ENDED), cause="another began"))
                    self._hold("")
                    # No list has one without a prompt.
                    self._begun = bool(self.name.first)
                self._session_id = session_id
                if self._begun:
                    self._begin()
            case ev.PromptAccepted() | ev.PromptDelivered() | ev.HistoryLoaded() | ev.TitleChanged():
                self._note_name(event)
            case ev.StateChanged(state):
                self._state = state
                if state not in UNKEPT:
                    self._keep(SessionFact(state=str(state), cause=self.cause or "told by the session"))
            case ev.SessionLost():
                self._hold("")
            case _:
                if fact := _fact(event):
                    self._keep(fact)

    def _note_name(self, event: ev.AgentEvent) -> None:
        before, self.name = str(self.name), self.name.after(event)
        self._past_missing &= not isinstance(event, ev.HistoryLoaded | ev.TitleChanged)
        if isinstance(event, ev.PromptAccepted) and not self._begun:
            self._begun = True
            self._begin()
        elif not self._past_missing and str(self.name) not in ("", before):
            self._keep(SessionFact(name=str(self.name)))

    def hold(self, claim: Claim) -> None:
        """Keep a claim, and release it when the session ends or continues under another id."""
        self._hold(claim.session_id)

    def _hold(self, session_id: str) -> None:
        if self._held not in ("", session_id):
            self._inbox.sessions.release(self._held)
        self._held = session_id

    def _begin(self) -> None:
        state = None if self._state is None or self._state in UNKEPT else str(self._state)
        self._keep(
            SessionFact(
                directory=str(self.options.cwd),
                name=None if self._past_missing else str(self.name) or None,
                state=state,
                cause="it began",
                launch=self._launch(),
                runs=self._held != self._session_id,
            )
        )
        self._hold(self._session_id)

    def _keep(self, fact: SessionFact) -> None:
        if self._begun and self._session_id:
            self._inbox.sessions.note(self._session_id, fact)

    def _launch(self) -> dict[str, Any]:
        """Return the options to start the session with again; nothing that may be a secret."""
        options = self.options
        return {
            "model": options.model,
            "permission_mode": options.permission_mode,
            "effort": options.effort,
            "claude": options.claude.lasting(),
        }


@dataclass(frozen=True, slots=True)
class SessionName:
    """The name of a session, in every list: its title, else its first and its last prompt.

    Attributes:
        title: The person's title for it, or "".
        first: Its first prompt, or "".
        last: Its last prompt, or "".
        queued: A prompt that waits for the end of a turn, and begins the conversation after ``/clear``.
    """

    title: str = ""
    first: str = ""
    last: str = ""
    queued: str = ""

    def __str__(self) -> str:
        if self.title or self.last in ("", self.first):
            return self.title or self.first
        return one_line(f"{one_line(self.first, FIRST)} · {self.last}", LINE)

    def after(self, event: ev.AgentEvent) -> SessionName:
        """Return the name after an event."""
        match event:
            case ev.PromptAccepted(text=text, queued=queued):
                said = title_of(text)
                named = replace(self, first=self.first or said)
                return replace(named, queued=said) if queued else replace(named, last=said or self.last)
            case ev.PromptDelivered():
                return replace(self, last=self.queued or self.last, queued="")
            case ev.HistoryLoaded(events, older=older, title=title, first_prompt=prompt):
                prompts = [title_of(one.text) for one in events if isinstance(one, ev.PromptAccepted)]
                first = next(filter(None, (title_of(prompt), self.first, *prompts)), "")
                last = next(filter(None, (self.last if older else "", *prompts[::-1], self.last)), "")
                return SessionName(one_line(title, LINE) or self.title, first, last, self.queued)
            case ev.TitleChanged(title):
                return replace(self, title=one_line(title, LINE))
            case ev.ConversationReset():  # Claude Code keeps the title, too
                return SessionName(self.title, self.queued, self.queued)
            case _:
                return self


UNNAMED = SessionName()


def title_of(prompt: str) -> str:
    """Return a conversation's title by a prompt, harmless to draw; "" for what names nothing."""
    return "" if NAMELESS.match(prompt.lstrip()) or run_in(prompt) else one_line(prompt, LINE)


def forked(past: ev.HistoryLoaded, title: str) -> ev.HistoryLoaded:
    """Return a session's past under its fork's title, which begins otherwise unless it was chosen."""
    name = str(UNNAMED.after(past))
    return past if past.older else replace(past, title=title or (name and f"Fork of {name}"))


def last_line(text: str) -> str:
    """Return the last line of an agent's text, harmless to draw; "" if there are only blanks."""
    return one_line(text.strip().rpartition("\n")[2], LINE)


def _fact(event: ev.AgentEvent) -> SessionFact | None:
    """Return the fact of an event that is kept as it is, or None."""
    match event:
        case ev.BlockFinished(kind=ev.BlockKind.TEXT, text=text) if text.strip():
            return SessionFact(last_line=last_line(text))
        case ev.TurnEnded(cost=cost) if cost is not None:
            return SessionFact(cost=cost)
        case _:
            return None
