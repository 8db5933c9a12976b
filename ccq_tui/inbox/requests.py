"""Requests that wait for a person, and their outcomes.

A request is anything an agent needs before it can continue: a question set, a permission, a plan approval,
the form of an MCP server.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ccq_tui.inbox.suggestions import Suggestion
from ccq_tui.processes import Owner
from ccq_tui.questions import Dismissed, Outcome, QuestionSet
from ccq_tui.questions.model import CLAUDE, Asked
from ccq_tui.questions.schema_form import read_form, read_link, unusable
from ccq_tui.text import one_line


def call_of(request_id: str) -> str:
    """Return the call that a request's id names."""
    return request_id.rpartition("@")[0]


class Asker(StrEnum):
    """The kind of asker."""

    SESSION = "session"
    """A session of ours: it gets the outcome as the call's result or as a message."""
    HOOK = "hook"
    MCP = "mcp"
    TERMINAL = "terminal"
    FORM = "form"


ENDS_WITH_ASKER = (Asker.HOOK, Asker.TERMINAL, Asker.FORM)
"""Askers that can take an outcome only while their process runs; an MCP client may ask again."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Who asked, which decides how the outcome is delivered.

    Attributes:
        asker: The kind of asker. All but a session take the outcome from the inbox themselves.
        name: The asker's name for people, such as "Claude Code", or "".
        directory: Its working directory, or "".
        process: The process that takes the outcome, or None if unknown.
    """

    asker: Asker = Asker.SESSION
    name: str = ""
    directory: str = ""
    process: Owner | None = None

    @property
    def is_foreign(self) -> bool:
        """Whether the asker is no session of ours."""
        return self.asker is not Asker.SESSION

    @property
    def called(self) -> str:
        """The asker's name for people."""
        return self.name or (str(self.asker) if self.is_foreign else CLAUDE)


def asker_name(asker: Asker, asker_id: str) -> str:
    """Return an asker among the sessions: a session's id, or a name that no session of ours has."""
    return asker_id if asker is Asker.SESSION else f"{asker}:{asker_id}"


@dataclass(frozen=True, slots=True)
class AskedCall:
    """One call of one asker.

    A copy of a session has the calls of its original under the same ids, and waits for answers of its own.

    Attributes:
        tool_use_id: The call.
        asker_id: The session that asks; of another asker, a key that distinguishes it from others of its kind
            for as long as its requests belong together.
        origin: Who asked.
    """

    tool_use_id: str
    asker_id: str
    origin: Origin = field(default=Origin(), kw_only=True)

    @property
    def id(self) -> str:
        """Its key as text: kind of asker, asker and call are unique together."""
        return f"{self.tool_use_id}@{self.session_id}"

    @property
    def session_id(self) -> str:
        """The asker among the sessions."""
        return asker_name(self.origin.asker, self.asker_id)


@dataclass(frozen=True, slots=True)
class QuestionRequest(AskedCall):
    """A question set that waits for its answers."""

    questions: QuestionSet


@dataclass(frozen=True, slots=True)
class PermissionRequest(AskedCall):
    """A tool call that waits for permission.

    Attributes:
        tool: The tool's name.
        input: The call's input.
        description: The agent's own words for what the call does, or "".
        reason: The reason that permission is needed (a hook's reason), or "".
        blocked_path: The path outside the session's directory that triggered the request, or "".
        agent_id: The subagent that asks, or "" for the main agent.
        agent: The name of that subagent, or "".
        suggestions: Lasting permissions that may be granted along with this one; no others may.
        change: What it would do to a file (`file_changes.change_of`), or nothing.
        danger: What it may do that is hard to undo, in words (`dangers.placed`), or "".
    """

    tool: str
    input: Mapping[str, Any] = field(hash=False)
    description: str = ""
    reason: str = ""
    blocked_path: str = ""
    agent_id: str = ""
    agent: str = ""
    suggestions: tuple[Suggestion, ...] = ()
    change: Mapping[str, Any] = field(default_factory=dict, hash=False)
    danger: str = ""

    @property
    def command(self) -> str:
        """The command that it would run, as rules name it; "" for another tool."""
        return str(self.input.get("command", "")).strip() if self.tool == "Bash" else ""


@dataclass(frozen=True, slots=True)
class PlanRequest(AskedCall):
    """A plan that waits for approval.

    Attributes:
        plan: Markdown.
        auto: Whether it can be carried out in auto mode.
    """

    plan: str
    auto: bool = False


@dataclass(frozen=True, slots=True)
class ElicitationRequest(AskedCall):
    """A form to fill in or a link to open, from an MCP server.

    Attributes:
        server: The server's name.
        message: The server's message.
        schema: The JSON Schema of the form; nothing for a link.
        order: The names of the form's fields, as the server lists them.
        url: The link, or "" for a form.
        host: The link's host, as a browser reads it.
        trouble: The reason that it can only be declined or dismissed, whatever its schema says, or "".
    """

    server: str
    message: str
    schema: Mapping[str, Any] = field(default_factory=dict, hash=False)
    order: tuple[str, ...] = ()
    url: str = ""
    host: str = ""
    trouble: str = ""

    @property
    def form(self) -> Asked:
        """The form for the person, built at each access."""
        title = f"{one_line(self.server, 60)} asks"
        if self.trouble:
            return unusable(self.tool_use_id, title, self.message, self.trouble)
        if self.url:
            return read_link(self.tool_use_id, title, self.message, self.url, self.host)
        return read_form(self.tool_use_id, title, self.message, self.schema, self.order)

    @property
    def questions(self) -> QuestionSet:
        """The form as a question set."""
        return self.form.questions


@dataclass(frozen=True, slots=True)
class FormRequest(AskedCall):
    """A form of ours to fill in; its asker writes the record.

    Attributes:
        questions: Its questions.
        form: The form's document, from which the record is made.
        context: What the form is about, by name.
        output: The file that gets the record, or "".
    """

    questions: QuestionSet
    form: Mapping[str, Any] = field(default_factory=dict, hash=False)
    context: Mapping[str, str] = field(default_factory=dict, hash=False)
    output: str = ""


AnsweredRequest = QuestionRequest | ElicitationRequest | FormRequest
"""A request that is answered, question by question."""
DecidedRequest = PermissionRequest | PlanRequest
"""A request that is decided, by one of its choices."""
Request = AnsweredRequest | DecidedRequest


@dataclass(frozen=True, slots=True)
class Allowed:
    """Permission given, or a plan approved.

    Attributes:
        text: The message to the agent along with it, or "".
        suggestion: The request's suggestion that is granted for longer, or None to allow once.
        mode: The permission mode in which an approved plan is carried out, or "" for the one before it.
        plan: The plan as edited and approved by the person, or "" for the proposed one.
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
"""The end of a request: an `Outcome` for a question set, that or `Dismissed` for a form, others otherwise."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What an outcome means to the agent that asked, whichever way it is sent.

    Attributes:
        allow: Whether the call goes ahead; None if nothing was decided, as by prose or a dismissed form.
        input: The call's input from now on, or the values of a form.
        text: The reason of a refusal, the prose, or a remark on an allowed call; or "".
        grants: The lasting permissions that come with it.
        interrupt: Whether nobody can decide any more, and the turn ends.
    """

    allow: bool | None = None
    input: dict[str, Any] | None = None
    text: str = ""
    grants: tuple[Suggestion, ...] = ()
    interrupt: bool = False
