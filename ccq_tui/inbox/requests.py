"""What waits for a person, and how the waiting ends.

A request is anything an agent needs before it can continue: a question set, a permission, a plan approval,
the form of an MCP server.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ccq_tui.inbox.suggestions import Suggestion
from ccq_tui.processes import Owner
from ccq_tui.questions import Dismissed, Outcome, QuestionSet
from ccq_tui.questions.model import CLAUDE
from ccq_tui.questions.schema_form import SchemaForm, read_form, read_link, unusable
from ccq_tui.text import one_line


def request_id(tool_use_id: str, session_id: str) -> str:
    """Return the id of the request that a call of a session makes.

    Args:
        tool_use_id: The call.
        session_id: The session.
    """
    return f"{tool_use_id}@{session_id}"


def call_of(request_id: str) -> str:
    """Return the call that a request's id names."""
    return request_id.rpartition("@")[0]


class Asker(StrEnum):
    """What asks for a person."""

    SESSION = "session"
    """A session of ours: it gets the outcome as the call's result or as a message."""
    HOOK = "hook"
    MCP = "mcp"
    TERMINAL = "terminal"
    FORM = "form"
    OTHER = "other"
    """What only a newer version knows."""


ENDS_WITH_ASKER = (Asker.HOOK, Asker.TERMINAL, Asker.FORM)
"""What can take an outcome only as long as its process runs; an MCP client may ask again."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Who asked, which decides how the outcome is delivered.

    Attributes:
        asker: What asked. All but a session take the outcome out of the inbox themselves.
        name: What people call it, such as "Claude Code", or "".
        directory: Where it works, or "".
        process: The process that takes the outcome, or None where that is not known.
    """

    asker: Asker = Asker.SESSION
    name: str = ""
    directory: str = ""
    process: Owner | None = None

    @property
    def is_foreign(self) -> bool:
        """Whether it is no session of ours."""
        return self.asker is not Asker.SESSION

    @property
    def called(self) -> str:
        """What people call it."""
        return self.name or (str(self.asker) if self.is_foreign else CLAUDE)


def foreign_session(asker: Asker, key: str) -> str:
    """Return what stands for the session of something else that asks: no session of ours is called so.

    Args:
        asker: What asks.
        key: What tells it from others of its kind, for as long as its requests belong together.
    """
    return f"{asker}:{key}"


LONGEST_SERVER = 60


@dataclass(frozen=True, slots=True)
class Asked:
    """One tool call of one session.

    A copy of a session has the calls of its original under the same ids, and waits for answers of its own.

    Attributes:
        tool_use_id: The call.
        session_id: The session that asks.
        origin: Who asked.
    """

    tool_use_id: str
    session_id: str
    origin: Origin = field(default=Origin(), kw_only=True)

    @property
    def id(self) -> str:
        """What the request is called everywhere: no other one, of any session, is called so."""
        return request_id(self.tool_use_id, self.session_id)


@dataclass(frozen=True, slots=True)
class QuestionRequest(Asked):
    """A question set that waits for its answers."""

    questions: QuestionSet


@dataclass(frozen=True, slots=True)
class PermissionRequest(Asked):
    """A tool call that waits for permission.

    Attributes:
        tool: The tool's name.
        input: The call's input.
        description: The agent's own words for what the call does, or "".
        reason: Why permission is needed (a hook's reason), or "".
        blocked_path: The path that triggered the request, or "".
        agent_id: The subagent that asks, or "" for the main agent.
        agent: What that subagent is called, or "".
        suggestions: Lasting permissions that may be granted along with this one; no others may.
    """

    tool: str
    input: Mapping[str, Any] = field(hash=False)
    description: str = ""
    reason: str = ""
    blocked_path: str = ""
    agent_id: str = ""
    agent: str = ""
    suggestions: tuple[Suggestion, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanRequest(Asked):
    """A plan that waits for approval; ``plan`` is Markdown."""

    plan: str


@dataclass(frozen=True, slots=True)
class ElicitationRequest(Asked):
    """What an MCP server asks for: a form to fill in, or a link to open.

    Attributes:
        server: The server's name.
        message: What it says.
        schema: The JSON Schema of the form; nothing for a link.
        order: The names of the form's fields, as the server lists them.
        url: The link, or "" for a form.
        host: Where the link leads, as a browser reads it.
        trouble: Why it can only be declined or dismissed, whatever its schema says, or "".
    """

    server: str
    message: str
    schema: Mapping[str, Any] = field(default_factory=dict, hash=False)
    order: tuple[str, ...] = ()
    url: str = ""
    host: str = ""
    trouble: str = ""

    @property
    def form(self) -> SchemaForm:
        """What a person is asked, made anew each time."""
        title = f"{one_line(self.server, LONGEST_SERVER)} asks"
        if self.trouble:
            return unusable(self.tool_use_id, title, self.message, self.trouble)
        if self.url:
            return read_link(self.tool_use_id, title, self.message, self.url, self.host)
        return read_form(self.tool_use_id, title, self.message, self.schema, self.order)

    @property
    def questions(self) -> QuestionSet:
        """The form as a question set."""
        return self.form.questions


AnsweredRequest = QuestionRequest | ElicitationRequest
"""What is answered, question by question."""
DecidedRequest = PermissionRequest | PlanRequest
"""What is decided on, by one of its choices."""
Request = AnsweredRequest | DecidedRequest


@dataclass(frozen=True, slots=True)
class Allowed:
    """Permission given, or a plan approved.

    Attributes:
        text: What the agent is told along with it, or "".
        suggestion: The request's suggestion that is granted for longer, or None: then it is given once.
        mode: The permission mode in which an approved plan is carried out, or "" for the one before it.
        plan: The plan as the person edited it, which is then what is approved, or "".
    """

    text: str = ""
    suggestion: Suggestion | None = None
    mode: str = ""
    plan: str = ""


@dataclass(frozen=True, slots=True)
class Denied:
    """Permission refused, or planning continued; ``text`` says what to do instead, or is ""."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Nobody can answer any more: the turn was interrupted or the session was lost."""

    reason: str


RequestOutcome = Outcome | Dismissed | Allowed | Denied | Cancelled
"""How a request ends: a question set with an `Outcome`, a form with that or `Dismissed`, others otherwise."""
