"""A program without a screen, which reads the stream that ccq-tui reads: the SDK's own share of a figure."""

import sys

import anyio
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage, StreamEvent


async def main(prompt: str) -> None:
    """Send a prompt, then each line that is typed; print the last line of each answer."""
    async with ClaudeSDKClient(ClaudeAgentOptions(include_partial_messages=True)) as client:
        while prompt:
            await client.query(prompt)
            texts: list[str] = []
            async for message in client.receive_messages():
                if isinstance(message, StreamEvent):
                    texts.append(message.event.get("delta", {}).get("text", ""))
                elif isinstance(message, ResultMessage):
                    break
            sys.stdout.write("".join(texts).rstrip().rpartition("\n")[2] + "\n")
            sys.stdout.flush()
            prompt = (await anyio.to_thread.run_sync(sys.stdin.readline)).strip()


if __name__ == "__main__":
    anyio.run(main, sys.argv[1])
