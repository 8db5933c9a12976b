"""The script of a model, written as one fluent expression.

    Scenario("db").says("Let me ask.").asks(Question(...)).says(lambda a: f"Then: {a.last}")

Prose and thinking gather in one message until a tool call, a failure or the end of the turn closes it, as a
real model's content does. Every method returns a new scenario; nothing is ever changed in place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeAlias

from ccq_tui.questions.model import Kind, Question
from ccq_tui.questions.wire import described
from ccq_tui.testing.replies import Replies


def question_set_input(
    questions: Iterable[Question | Mapping[str, Any]], *, title: str = ""
) -> dict[str, Any]:
    """Build the tool's input.

    Args:
        questions: The questions; a mapping is taken as it is.
        title: Subject of the set (extended schema); "" leaves it out.

    Returns:
        The input, ready for JSON. Keys of the extended schema appear only where a question needs them, so
        that plain questions pass the CLI's plain schema.
        A default is included for every kind, though the CLI (2.1.330) accepts one for numbers alone.
    """
    made = [question_json(one) if isinstance(one, Question) else dict(one) for one in questions]
    return {"title": title, "questions": made} if title else {"questions": made}


def question_json(question: Question) -> dict[str, Any]:
    """Return one question in the tool's schema."""
    extended = {
        "description": question.description,
        "placeholder": question.placeholder,
        "unit": question.unit,
        "defaultValue": _default(question),
    }
    limits = {"min": question.minimum, "max": question.maximum, "step": question.step}
    return (
        described(question)
        | {key: value for key, value in extended.items() if value != ""}
        | {key: value for key, value in limits.items() if value is not None}
    )


def _default(question: Question) -> Any:
    """Return the proposed answer; the schema wants a number for a number question."""
    with suppress(ValueError):
        return json.loads(question.default) if question.kind is Kind.NUMBER else question.default
    return question.default


Words: TypeAlias = str | Callable[[Replies], str]
Arguments: TypeAlias = Mapping[str, Any] | Callable[[Replies], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Text:
    """Prose of the model."""

    words: Words


@dataclass(frozen=True, slots=True)
class Thinking:
    """Thinking of the model."""

    words: Words


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool_use block.

    Attributes:
        tool: The tool's name.
        arguments: The tool's input, or a callable that makes it from the replies so far. A callable among
            the values is resolved the same way.
        script: For a subagent, the scenario that it plays.
    """

    tool: str
    arguments: Arguments = field(default_factory=dict)
    script: Scenario | None = None


@dataclass(frozen=True, slots=True)
class Silence:
    """A pause without a byte, until the gate is released or the limit (seconds) is over."""

    gate: str = "hang"
    limit: float = 60.0


Block: TypeAlias = Text | Thinking | ToolCall | Silence


@dataclass(frozen=True, slots=True)
class Cut:
    """A break of the connection.

    Attributes:
        after: Characters of content sent before it; None means all of it.
        error: An API error type sent as a stream event first, or "" for a plain break.
    """

    after: int | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the model, the answer to one request.

    Attributes:
        blocks: Its content in order.
        closed: Whether the builder puts further blocks into a new message.
        stop_reason: The stop reason; "" means tool_use or end_turn, as the content demands.
        cut: The break of the stream, or None.
        usage: Token counts that replace the estimated ones.
    """

    blocks: tuple[Block, ...] = ()
    closed: bool = False
    stop_reason: str = ""
    cut: Cut | None = None
    usage: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failure:
    """One request refused with an HTTP status.

    Attributes:
        status: The HTTP status.
        body: The JSON body.
        headers: Further response headers.
    """

    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """The end of a turn: the steps after it belong to the person's next prompt."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A place for the steps of another script, chosen when the play arrives there."""

    choose: Callable[[Replies], Scenario]


Step: TypeAlias = Message | Failure | TurnEnd | Branch

ERROR_TYPES: Mapping[int, str] = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


def error_body(kind: str, message: str) -> dict[str, Any]:
    """Return the API's JSON for an error."""
    return {"type": "error", "error": {"type": kind, "message": message}}


AnyQuestion: TypeAlias = Question | Mapping[str, Any] | Callable[[Replies], Question | Mapping[str, Any]]


def ask(*questions: AnyQuestion, title: str = "", raw: Mapping[str, Any] | None = None) -> ToolCall:
    """Make an ``AskUserQuestion`` call, for ``Scenario.together``.

    Args:
        questions: Questions, their JSON, or callables that make one from the replies so far.
        title: Subject of the set (extended schema).
        raw: The tool's whole input instead, for instance a malformed one.

    Returns:
        The call.

    Raises:
        ValueError: Both questions and a raw input were given.
    """
    if raw is not None:
        if questions or title:
            raise ValueError("give questions or a raw input, not both")
        return ToolCall("AskUserQuestion", raw)

    def arguments(replies: Replies) -> Mapping[str, Any]:
        made = [question(replies) if callable(question) else question for question in questions]
        return question_set_input(made, title=title)

    return ToolCall("AskUserQuestion", arguments)


def run(tool: str, **arguments: Any) -> ToolCall:
    """Make a call of any tool for ``Scenario.together``; a callable value is made from the replies so far."""
    return ToolCall(tool, arguments)


def delegate(prompt: str, script: Scenario, *, description: str = "", background: bool = False) -> ToolCall:
    """Make a call of a subagent, for ``Scenario.together``.

    Args:
        prompt: The subagent's prompt, by which its requests are recognised; unique within the scenario.
        script: The scenario that the subagent plays.
        description: A few words for people; the script's name when left out.
        background: Whether the main agent continues at once.

    Returns:
        The call.
    """
    arguments = {
        "description": description or script.name,
        "prompt": prompt,
        "subagent_type": "general-purpose",
        "run_in_background": background,
    }
    return ToolCall("Agent", arguments, script)


@dataclass(frozen=True)
class Scenario:
    """The script of a model, request after request.

    Attributes:
        name: Part of the tool use ids ``toolu_<name>_<n>``; letters, digits, ``_`` and ``-``.
        steps: Steps to play, one message or failure per request.
        exhausted: Words for each request once nothing is left.
        notified: Words for the CLI's report that a background task ended after the turn.
        title: The session's title, given to the CLI when it asks for one.
        loops: Whether the script starts again with the next request once nothing is left.
    """

    name: str = "script"
    steps: tuple[Step, ...] = ()
    exhausted: Words = "That was all I had to say."
    notified: Words = "The background task is done."
    title: str = ""
    loops: bool = False

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", self.name):
            raise ValueError(f"a scenario's name is 1 to 40 letters, digits, _ or -, not {self.name!r}")

    def says(self, words: Words) -> Self:
        """Add prose, or a callable that makes it from the replies so far."""
        return self._adding(Text(words))

    def thinks(self, words: Words) -> Self:
        """Add thinking, or a callable that makes it from the replies so far."""
        return self._adding(Thinking(words))

    def asks(self, *questions: AnyQuestion, title: str = "", raw: Mapping[str, Any] | None = None) -> Self:
        """Ask the person one set of questions; arguments as for ``ask``."""
        return self.together(ask(*questions, title=title, raw=raw))

    def runs(self, tool: str, **arguments: Any) -> Self:
        """Call any tool; a callable among the values is made from the replies so far."""
        return self.together(run(tool, **arguments))

    def agent(
        self, prompt: str, script: Scenario, *, description: str = "", background: bool = False
    ) -> Self:
        """Call a subagent that plays a script; arguments as for ``delegate``."""
        return self.together(delegate(prompt, script, description=description, background=background))

    def together(self, *calls: ToolCall) -> Self:
        """Make several tool calls in one message (see ``ask``, ``run`` and ``delegate``)."""
        return self._adding(*calls)._closing()

    def plans(self, markdown: Words, *, revised: Words | None = None) -> Self:
        """Enter plan mode, write the plan to the file that the CLI names, and ask for approval.

        Args:
            markdown: The plan.
            revised: The plan proposed after each rejection; None proposes no other one.

        Returns:
            The longer scenario. A plan takes three tool calls: EnterPlanMode, Write, ExitPlanMode.
        """
        proposed = self.runs("EnterPlanMode")._proposing(markdown)
        return proposed if revised is None else proposed.then(_revising(revised))

    def then(self, choose: Callable[[Replies], Scenario]) -> Self:
        """Play here the steps of the scenario that a callable chooses from the replies so far."""
        return replace(self, steps=(*self._closing().steps, Branch(choose)))

    def ends_turn(self) -> Self:
        """End the turn: later steps are played for the person's next prompt.

        After an interrupt the rest of the turn is skipped if there is a next one; otherwise it is played.
        """
        return replace(self, steps=(*self._closing().steps, TurnEnd()))

    def fails(
        self,
        status: int,
        message: str = "scripted failure",
        *,
        retry_after: float | None = None,
        times: int = 1,
    ) -> Self:
        """Refuse requests.

        Args:
            status: The HTTP status.
            message: The error's text.
            retry_after: Seconds for the ``retry-after`` header, or None for no header.
            times: Number of requests in a row; the CLI repeats most failed requests by itself.

        Returns:
            The longer scenario.
        """
        headers = {} if retry_after is None else {"retry-after": f"{retry_after:g}"}
        failure = Failure(status, error_body(ERROR_TYPES.get(status, "api_error"), message), headers)
        return replace(self, steps=(*self._closing().steps, *[failure] * times))

    def cuts(self, after: int | None = None, *, error: str = "") -> Self:
        """Break the connection in the current message.

        Args:
            after: Characters of its content sent before the break; None means all of it.
            error: An API error type (for instance ``overloaded_error``) sent as a stream event before.

        Returns:
            The longer scenario.
        """
        return self._closing(cut=Cut(after, error))

    def hangs(self, *, gate: str = "hang", limit: float = 60.0) -> Self:
        """Fall silent at this place of the message, or before its first byte.

        Args:
            gate: Name of the gate that ``ScriptedModel.release`` opens; once opened it stays open.
            limit: Seconds after which the message continues by itself.

        Returns:
            The longer scenario.
        """
        return self._adding(Silence(gate, limit))

    def stops(self, reason: str) -> Self:
        """End the current message with a stop reason of choice, for instance ``max_tokens``."""
        return self._closing(stop_reason=reason)

    def uses(self, **tokens: int) -> Self:
        """Set token counts of the current message, for instance ``input_tokens=150_000``."""
        before, message = self._open()
        return replace(self, steps=(*before, replace(message, usage={**message.usage, **tokens})))

    def afterwards(self, words: Words) -> Self:
        """Set the words for every request once nothing is left."""
        return replace(self, exhausted=words)

    def noted(self, words: Words) -> Self:
        """Set the words for the CLI's report that a background task ended after the turn."""
        return replace(self, notified=words)

    def repeats(self) -> Self:
        """Make the script start again once nothing is left."""
        return replace(self, loops=True)

    def _open(self) -> tuple[tuple[Step, ...], Message]:
        """Return the finished steps, and the message that further blocks go into."""
        last = self.steps[-1] if self.steps else None
        if isinstance(last, Message) and not last.closed:
            return self.steps[:-1], last
        return self.steps, Message()

    def _adding(self, *blocks: Block) -> Self:
        before, message = self._open()
        return replace(self, steps=(*before, replace(message, blocks=(*message.blocks, *blocks))))

    def _closing(self, *, stop_reason: str = "", cut: Cut | None = None) -> Self:
        before, message = self._open()
        if message == Message() and not stop_reason and cut is None:
            return self
        closed = replace(message, closed=True, stop_reason=stop_reason, cut=cut)
        return replace(self, steps=(*before, closed))

    def _proposing(self, markdown: Words) -> Self:
        written = {"file_path": lambda replies: replies.plan_file, "content": markdown}
        return self.runs("Write", **written).runs("ExitPlanMode")


def _revising(revised: Words) -> Callable[[Replies], Scenario]:
    def choose(replies: Replies) -> Scenario:
        if not replies.failed:
            return Scenario()
        return Scenario()._proposing(revised).then(choose)

    return choose
