"""Plays a script without HTTP: a client that keeps the conversation as the CLI does."""

import json
from typing import Any

from ccq_tui.testing.incoming import Incoming
from ccq_tui.testing.play import Director, Part, Turn
from ccq_tui.testing.scenario import Failure, Scenario

CLI = {"user-agent": "claude-cli/2.1.330 (external, sdk-py)", "x-claude-code-session-id": "s1"}
TOOLS = [{"name": "Bash"}]


class Talk:
    """One conversation with a director."""

    def __init__(self, scenario: Scenario | Director, **headers: str) -> None:
        self.director = scenario if isinstance(scenario, Director) else Director(scenario)
        self.headers = CLI | {name.replace("_", "-"): value for name, value in headers.items()}
        self.messages: list[dict[str, Any]] = []

    def incoming(self, **more: Any) -> Incoming:
        return Incoming({"messages": self.messages, "tools": TOOLS, **more}, self.headers)

    def next(self) -> Turn | Failure:
        answer, _ = self.director.reply(self.incoming())
        if isinstance(answer, Turn):
            self.messages.append({"role": "assistant", "content": content(answer)})
        return answer

    def says(self, text: str) -> str:
        """Sends a prompt; gives the text of the answer."""
        self.user({"type": "text", "text": text})
        return text_of(self.next())

    def result(self, text: str, *, is_error: bool = False) -> str:
        """Sends a result for every tool call of the last message; gives the text of the answer."""
        calls = [block for block in self.messages[-1]["content"] if block["type"] == "tool_use"]
        self.user(
            *(
                {"type": "tool_result", "tool_use_id": call["id"], "content": text, "is_error": is_error}
                for call in calls
            )
        )
        return text_of(self.next())

    def user(self, *blocks: dict[str, Any]) -> None:
        self.messages.append({"role": "user", "content": list(blocks)})

    @property
    def calls(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Every tool call so far: id, tool, input."""
        return [
            (block["id"], block["name"], block["input"])
            for message in self.messages
            if message["role"] == "assistant"
            for block in message["content"]
            if block["type"] == "tool_use"
        ]


def content(turn: Turn) -> list[dict[str, Any]]:
    made = []
    for part in turn.parts:
        if isinstance(part, Part):
            key = "input" if part.delta == "partial_json" else part.delta
            made.append({**part.start, key: json.loads(part.content) if key == "input" else part.content})
    return made


def text_of(answer: Turn | Failure) -> str:
    if isinstance(answer, Failure):
        return f"failure {answer.status}"
    return "".join(block["text"] for block in content(answer) if block["type"] == "text")
