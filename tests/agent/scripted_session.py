"""A session of the real SDK and the real CLI with the scripted model, answered automatically."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import claude_agent_sdk as sdk

from ccq_tui.testing import CleanHome, Scenario, ScriptedModel
from tests.agent.stage import emptied
from tests.steps import step

LIMIT = 90.0
QUESTION_ENV = {"CLAUDE_CODE_QUESTION_EXTENDED": "1", "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT": "markdown"}
TYPED = {"text": "tidy-bookmarks", "number": "30"}


@dataclass
class Session:
    """One connected client, and what it saw.

    Attributes:
        home: Where the CLI lives.
        client: The client.
        asked: Tools that permission was asked for, with their input.
        texts: The model's texts.
        results: The end of each turn.
        system: Other messages.
        denied: Denial messages by tool name.
    """

    home: CleanHome
    client: sdk.ClaudeSDKClient | None = None
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    results: list[sdk.ResultMessage] = field(default_factory=list)
    system: list[sdk.SystemMessage] = field(default_factory=list)
    denied: dict[str, str] = field(default_factory=dict)

    async def prompt(self, text: str) -> sdk.ResultMessage:
        """Sends a prompt and reads to the end of its turn."""
        async with asyncio.timeout(LIMIT):
            await self.client.query(text)
            async for message in self.client.receive_response():
                self._saw(message)
        return self.results[-1]

    @asynccontextmanager
    async def scene(self, name: str, model: ScriptedModel, scenario: Scenario) -> AsyncIterator[None]:
        """Clears the conversation, the project and what was seen, and plays a scenario in their place."""
        with step(name):
            if self.results:
                await self.prompt("/clear")
                emptied(self.home)
                for seen in (self.asked, self.texts, self.results, self.system, self.denied):
                    seen.clear()
            model.begin(scenario)
            yield

    async def decide(
        self, tool: str, given: dict[str, Any], _: sdk.ToolPermissionContext
    ) -> sdk.PermissionResultAllow | sdk.PermissionResultDeny:
        """Allows everything but what is denied; answers questions with their first options."""
        self.asked.append((tool, given))
        if tool in self.denied:
            return sdk.PermissionResultDeny(message=self.denied[tool])
        if tool == "AskUserQuestion":
            given = {**given, "answers": {one["question"]: answer_to(one) for one in given["questions"]}}
        return sdk.PermissionResultAllow(updated_input=given)

    def _saw(self, message: sdk.Message) -> None:
        match message:
            case sdk.ResultMessage():
                self.results.append(message)
            case sdk.AssistantMessage():
                self.texts += [block.text for block in message.content if isinstance(block, sdk.TextBlock)]
            case sdk.SystemMessage():
                self.system.append(message)


def answer_to(question: Mapping[str, Any]) -> str:
    """Returns what a question is answered with."""
    if question.get("kind") in TYPED:
        return TYPED[question["kind"]]
    labels = [option["label"] for option in question["options"]]
    return ", ".join(labels[:2] if question["multiSelect"] else labels[:1])


@asynccontextmanager
async def session(home: CleanHome, **options: Any) -> AsyncIterator[Session]:
    """Connects a client in a clean home."""
    made = Session(home)
    client = sdk.ClaudeSDKClient(
        sdk.ClaudeAgentOptions(
            cwd=str(home.project),
            env=home.overrides(),
            can_use_tool=made.decide,
            include_partial_messages=True,
            max_buffer_size=2**26,
            **options,
        )
    )
    async with asyncio.timeout(LIMIT):
        await client.connect()
    made.client = client
    try:
        yield made
    finally:
        async with asyncio.timeout(LIMIT):
            await client.disconnect()
