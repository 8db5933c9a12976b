"""Records the facts of a session in the inbox, for other processes and later starts."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ccq_tui.agent import events as ev
from ccq_tui.agent.options import SessionOptions
from ccq_tui.inbox import Inbox, SessionFact
from ccq_tui.inbox.port import Claim
from ccq_tui.prompts.shell_runs import run_in
from ccq_tui.text import one_line

COMMAND = re.compile(r"/[A-Za-z][\w:-]*(\s|$)")
"""A prompt that is a command, not a path: a path has another slash."""
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
        self._first_prompt = self._next = ""
        self._title = "" if self._begun else one_line(options.name, LINE)

    def note(self, event: ev.AgentEvent) -> None:
        """Record the changes that an event shows."""
        match event:
            case ev.Connected(session_id=session_id) | ev.ConversationReset(session_id=session_id):
                if isinstance(event, ev.ConversationReset):
                    # Those of the conversation before, unless a prompt waits for the end of its last turn.
                    self._first_prompt, self._title = self._next, ""
                    if self._session_id not in ("", session_id):
                        # Nothing runs it from now on: with another state it would count as killed.
                        self._keep(SessionFact(state=str(ev.SessionState.ENDED), cause="another began"))
                        self._hold("")
                        self._begun = bool(self._next)  # else with its first prompt: no list has an empty one
                self._session_id = session_id
                if self._begun:
                    self._begin()
            case ev.PromptAccepted() | ev.HistoryLoaded() | ev.TitleChanged():
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

    def _note_name(self, event: ev.PromptAccepted | ev.HistoryLoaded | ev.TitleChanged) -> None:
        match event:
            case ev.PromptAccepted(text=text, queued=queued):
                self._next = title_of(text) if queued else ""
                named, begun = self._first_prompt, self._begun
                self._first_prompt, self._begun = named or title_of(text), True
                if not (begun and named):
                    self._begin()
            case ev.HistoryLoaded(older=True):
                pass
            case ev.HistoryLoaded(title=title, first_prompt=prompt):
                self._first_prompt, self._title = title_of(prompt), one_line(title, LINE)
                self._keep(SessionFact(name=self._title or None, first_name=self._first_prompt or None))
            case ev.TitleChanged(title):
                self._title = one_line(title, LINE)
                self._keep(SessionFact(name=self._title))

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
                name=self._title or None,
                first_name=self._first_prompt or None,
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


def title_of(prompt: str) -> str:
    """Return a conversation's title by a prompt, harmless to draw; "" for a command."""
    return "" if COMMAND.match(prompt.lstrip()) or run_in(prompt) else one_line(prompt, LINE)


def forked(past: ev.HistoryLoaded) -> ev.HistoryLoaded:
    """Return a session's past under its fork's names, which differ from the original's even when cut."""
    title, prompt = (f"Fork of {name}" if title_of(name) else "" for name in (past.title, past.first_prompt))
    return replace(past, title=title, first_prompt=prompt)


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
