"""The least that the SDK can do: one prompt, every call shown in a line and allowed when a line comes in."""

import asyncio
import sys
from typing import Any

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    PermissionResultAllow,
    ResultMessage,
    ToolPermissionContext,
)


def say(*words: str) -> None:
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


async def decide(tool: str, given: dict[str, Any], _context: ToolPermissionContext) -> PermissionResultAllow:
    questions = given.get("questions", [])
    labels = [option["label"] for question in questions for option in question["options"]]
    say("CALLED", given.get("command", ""), *labels)
    await asyncio.to_thread(sys.stdin.readline)
    answers = {question["question"]: question["options"][0]["label"] for question in questions}
    return PermissionResultAllow(updated_input={**given, "answers": answers} if answers else given)


async def main(prompt: str) -> None:
    options = ClaudeAgentOptions(
        can_use_tool=decide,
        include_partial_messages=True,
        permission_mode="default",
        setting_sources=["user"],
    )
    async with ClaudeSDKClient(options) as client:
        await client.query(prompt)
        while True:
            async for message in client.receive_response():
                if isinstance(message, ResultMessage):
                    say("ENDED", (message.result or "").strip()[-40:].split("\n")[-1])
            await client.query((await asyncio.to_thread(sys.stdin.readline)).strip())


asyncio.run(main(sys.argv[1]))
