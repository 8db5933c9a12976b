"""Keeps what is known of a session where other processes and later starts find it."""

from __future__ import annotations

from typing import Any

from ccq_tui.agent.events import (
    AgentEvent,
    BlockFinished,
    BlockKind,
    Connected,
    ConversationReset,
    PromptAccepted,
    SessionLost,
    SessionState,
    StateChanged,
    TitleChanged,
    TurnEnded,
)
from ccq_tui.agent.options import SessionOptions
from ccq_tui.inbox import Inbox, SessionFact
from ccq_tui.inbox.port import Claim
from ccq_tui.text import one_line

LINE = 200
"""Characters of the last line that are kept."""
UNKEPT = frozenset({SessionState.QUEUED, SessionState.STARTING})


class SessionBook:
    """Writes a session's facts into the inbox, from its first prompt on: before that there is none.

    Args:
        inbox: Where they are kept.
        options: What the session was started with.

    Attributes:
        cause: Why the session is being ended, or "".
    """

    def __init__(self, inbox: Inbox, options: SessionOptions) -> None:
        self.cause = ""
        self._inbox = inbox
        self._options = options
        self._session_id = ""
        self._held = ""
        self._begun = bool(options.resume or options.continue_conversation)
        self._state: SessionState | None = None
        self._first_prompt = ""

    def note(self, event: AgentEvent) -> None:
        """Keep what an event tells.

        Args:
            event: What the session tells.
        """
        match event:
            case Connected(session_id=session_id) | ConversationReset(session_id=session_id):
                self._session_id = session_id
                if self._begun:
                    self._begin()
            case PromptAccepted(text=text):
                if not self._first_prompt:
                    self._first_prompt = one_line(text, LINE)
                    self._begun = True
                    self._begin()
            case StateChanged(state):
                self._state = state
                if state not in UNKEPT:
                    self._keep(SessionFact(state=str(state), cause=self.cause or "told by the session"))
            case SessionLost():
                self._hold("")
            case _:
                if fact := _fact(event):
                    self._keep(fact)

    def hold(self, claim: Claim) -> None:
        """Give a claim back when the session ends or continues under another id."""
        self._hold(claim.session_id)

    def _hold(self, session_id: str) -> None:
        if self._held not in ("", session_id):
            self._inbox.release(self._held)
        self._held = session_id

    def _begin(self) -> None:
        state = None if self._state is None or self._state in UNKEPT else str(self._state)
        self._keep(
            SessionFact(
                directory=str(self._options.cwd),
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
            self._inbox.note_session(self._session_id, fact)

    def _launch(self) -> dict[str, Any]:
        """Return what the session would be started with again; nothing that may be a secret."""
        options = self._options
        return {"model": options.model, "permission_mode": options.permission_mode, "effort": options.effort}


def last_line(text: str) -> str:
    """Return the last line of what an agent wrote, harmless to draw; "" of nothing but blanks."""
    return one_line(text.strip().rpartition("\n")[2], LINE)


def _fact(event: AgentEvent) -> SessionFact | None:
    """Return what an event says of a session that is worth keeping as it is, or None."""
    match event:
        case TitleChanged(title):
            return SessionFact(name=one_line(title, LINE))
        case BlockFinished(kind=BlockKind.TEXT, text=text) if text.strip():
            return SessionFact(last_line=last_line(text))
        case TurnEnded(cost=cost) if cost is not None:
            return SessionFact(cost=cost)
        case _:
            return None
