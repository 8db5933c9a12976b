"""The part of the conversation that a script can read: tool results, and the person's texts."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

# Texts that the CLI writes around answers; only the part between them is the person's.
_AROUND_ANSWERS = re.compile(
    r"\A(?:Your questions have been answered|The user answered|The user responded): "
    r"|\. (?:You can now continue with|Read the answers carefully).*\Z",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """One ``tool_result`` block exactly as the model received it.

    Attributes:
        tool_use_id: The call it belongs to.
        text: The whole text; the texts of several text blocks are joined with a newline.
        is_error: Whether the block was marked as an error.
    """

    tool_use_id: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Replies:
    """The argument of a callable in a script: everything that came back so far.

    Attributes:
        calls: The ids of the script's tool calls so far, oldest first.
        results: Every tool result of the conversation, oldest first.
        prompt: The newest text the person wrote, or "".
        plan_file: The file to which the CLI wants the plan written in plan mode, or "".
        directory: The session's working directory, or "".
    """

    calls: tuple[str, ...] = ()
    results: tuple[ToolResult, ...] = ()
    prompt: str = ""
    plan_file: str = ""
    directory: str = ""

    @property
    def last(self) -> str:
        """The text of the newest tool result, or "" before the first."""
        return self.results[-1].text if self.results else ""

    @property
    def failed(self) -> bool:
        """Whether the newest tool result is an error, as a denied permission is."""
        return bool(self.results) and self.results[-1].is_error

    def result(self, number: int) -> str:
        """Return the text of one tool call's result.

        Args:
            number: Number of the script's tool call, counted from 1 as in its tool use id; once a script
                repeats, from 1 again.

        Returns:
            The text, or "" when that call has no result.
        """
        if not 1 <= number <= len(self.calls):
            return ""
        wanted = self.calls[number - 1]
        return next((found.text for found in self.results if found.tool_use_id == wanted), "")

    def answers(self, number: int) -> str:
        """Return the answers to one question set, without the sentences that the CLI puts around them.

        Args:
            number: Number of the script's tool call, counted from 1.

        Returns:
            For instance ``"Which database?"="SQLite"``; the whole result if it has another form.
        """
        return _AROUND_ANSWERS.sub("", self.result(number))

    def picked(self, *labels: str, otherwise: str = "") -> str:
        """Return the first of some labels that the newest result quotes.

        Args:
            labels: Labels in the order of preference.
            otherwise: The value to return when none is quoted.

        Returns:
            One of the labels, or ``otherwise``.
        """
        return next((label for label in labels if label in self.last), otherwise)


def text_of(content: object) -> str:
    """Join the text of a message's or tool result's content, which is a string or a list of blocks."""
    texts = (block.get("text", "") for block in blocks_of(content) if block.get("type") == "text")
    return "\n".join(map(str, texts))


def blocks_of(content: object) -> list[Mapping[str, Any]]:
    """Return the blocks of a message's content, with a plain string as one text block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, Mapping)]


def find_tool_results(messages: Iterable[Mapping[str, Any]]) -> list[ToolResult]:
    """Return every tool result in a request's messages, in order."""
    return [
        ToolResult(
            str(block.get("tool_use_id", "")), text_of(block.get("content")), bool(block.get("is_error"))
        )
        for message in messages
        if message.get("role") == "user"
        for block in blocks_of(message.get("content"))
        if block.get("type") == "tool_result"
    ]
