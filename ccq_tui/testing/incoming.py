"""A request to the Messages API and its sender: the main agent, a subagent, or the CLI for itself."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ccq_tui.testing.replies import ToolResult, blocks_of, find_tool_results, text_of

_INTERRUPTED = "[Request interrupted by user"
# Beginnings of texts in user messages that the CLI wrote, not the person.
_NOT_WRITTEN = (_INTERRUPTED, "<system-reminder>", "<local-command", "<command-", "Output token limit hit")


class Role(StrEnum):
    """Sender of a request."""

    MAIN = "main"
    SUBAGENT = "subagent"
    SIDE = "side"


@dataclass(frozen=True)
class Incoming:
    """One request body with the headers that matter.

    Attributes:
        body: The parsed JSON.
        headers: Header names in lower case.
    """

    body: Mapping[str, Any]
    headers: Mapping[str, str]

    @property
    def session(self) -> str:
        """The Claude session id, or "" from a client other than the CLI."""
        return self.headers.get("x-claude-code-session-id", "")

    @property
    def agent(self) -> str:
        """The subagent's id, or "" from the main agent."""
        return self.headers.get("x-claude-code-agent-id", "")

    @property
    def messages(self) -> list[Mapping[str, Any]]:
        """The conversation as sent."""
        found = self.body.get("messages")
        return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []

    @property
    def role(self) -> Role:
        """The sender of the request.

        The CLI's own requests (a title, a summary for compaction, a probe) offer no tools and no context
        management, want JSON or one token, or ask for the summary. A client other than the CLI is always
        the main agent.
        """
        if self.agent or "cc_is_subagent=true" in text_of(self.body.get("system")):
            return Role.SUBAGENT
        if not self.headers.get("user-agent", "").startswith("claude-cli"):
            return Role.MAIN
        output = self.body.get("output_config")
        wants_json = isinstance(output, Mapping) and "format" in output
        bare = not self.body.get("tools") and "context_management" not in self.body
        probe = self.body.get("max_tokens") == 1
        return Role.SIDE if wants_json or bare or probe or self.wants_summary else Role.MAIN

    @property
    def wants_summary(self) -> bool:
        """Whether the CLI wants the conversation summarised, to compact it."""
        return "create a detailed summary of the conversation" in "".join(self._texts_by("user")[-1:])

    @property
    def tool_results(self) -> list[ToolResult]:
        """Every tool result in the conversation."""
        return find_tool_results(self.messages)

    @property
    def directory(self) -> str:
        """The working directory the CLI named, or ""."""
        found = re.search(r"Primary working directory: (.+)", "\n".join(self._texts_by("system")))
        return found[1].strip() if found else ""

    @property
    def plan_file(self) -> str:
        """The newest plan file the CLI named, or ""."""
        texts = "\n".join(self._texts_by("user", "system"))
        return "".join(re.findall(r"/\S*/plans/[^\s`'\"]+\.md", texts)[-1:])

    @property
    def interrupts(self) -> int:
        """Number of interrupts by the person that the conversation mentions."""
        return sum(text.startswith(_INTERRUPTED) for text in self._user_texts())

    @property
    def prompt(self) -> str:
        """The newest text that the person wrote, or ""."""
        written = [text for text in self._user_texts() if not text.startswith(_NOT_WRITTEN)]
        return written[-1] if written else ""

    @property
    def opening(self) -> str:
        """Everything in the first user message, by which a subagent is recognised."""
        return "".join(self._texts_by("user")[:1])

    @property
    def starts_turn(self) -> bool:
        """Whether the model is to answer a prompt, not a tool's result or a notice of the CLI."""
        talk = [message for message in self.messages if message.get("role") in ("user", "assistant")]
        if not talk or talk[-1].get("role") != "user":
            return True
        texts = _texts(talk[-1])
        if any(text.startswith(_INTERRUPTED) for text in texts):
            return True
        return not find_tool_results(talk[-1:]) and any(not text.startswith(_NOT_WRITTEN) for text in texts)

    @property
    def notifies(self) -> bool:
        """Whether the CLI reports the end of a background task, without any text of the person."""
        return not self.starts_turn and "<task-notification>" in "".join(self._texts_by("user")[-1:])

    @property
    def tool_use_ids(self) -> list[str]:
        """The ids of all tool calls the conversation holds."""
        return [
            str(block.get("id", ""))
            for message in self.messages
            if message.get("role") == "assistant"
            for block in blocks_of(message.get("content"))
            if block.get("type") == "tool_use"
        ]

    @property
    def tokens(self) -> int:
        """A rough count of input tokens: four characters each."""
        return max(1, len(str(self.body)) // 4)

    def _texts_by(self, *roles: str) -> list[str]:
        """Return the text of each message of some roles."""
        return [text_of(one.get("content")) for one in self.messages if one.get("role") in roles]

    def _user_texts(self) -> list[str]:
        people = (message for message in self.messages if message.get("role") == "user")
        return [text for message in people for text in _texts(message)]


def _texts(message: Mapping[str, Any]) -> list[str]:
    blocks = blocks_of(message.get("content"))
    return [str(block.get("text", "")).strip() for block in blocks if block.get("type") == "text"]
