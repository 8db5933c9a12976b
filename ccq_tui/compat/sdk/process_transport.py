"""The SDK's own transport to the CLI, with access to the CLI's process and output.

The SDK has a public interface for transports, but its transport that starts the CLI is private: a program
that needs the process, or that reads its output differently, would have to write all of that again. Without
this module the SDK makes its own transport: each delta of a text is a message, the CLI's queue of prompts is
not reported, no process is started ahead of its session, forms of MCP servers are cancelled unseen (the SDK
answers "Unsupported control request subtype: elicitation"), the CLI of a killed program ends at the next
start, and a closed terminal hangs up on the CLI too, so that the answer to its question goes as a message.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from types import ModuleType
from typing import Any

import anyio
from claude_agent_sdk import ClaudeAgentOptions
from claude_agent_sdk._internal.transport import subprocess_cli
from claude_agent_sdk._internal.transport.subprocess_cli import SubprocessCLITransport

from ccq_tui.compat.private import require

require(
    SubprocessCLITransport,
    "_process", "_stdout_stream", "close", "connect", "end_input", "read_messages", "write",
)  # fmt: skip
require(subprocess_cli, "anyio")


Opener = Callable[[Sequence[str], str | None, Mapping[str, str]], Any]
"""Starts a CLI with its command, directory and environment; returns what the SDK uses of a process."""
_opener: ContextVar[Opener] = ContextVar("opener")


async def _open_process(command: Sequence[str], *, cwd: str, env: Mapping[str, str], **how: Any) -> Any:
    if (opener := _opener.get(None)) is None:
        return await anyio.open_process(command, cwd=cwd, env=env, **how)
    return opener(command, cwd, env)


# The SDK has no option for the way in which its processes start.
_apart = ModuleType("anyio")
vars(_apart).update(vars(anyio), open_process=_open_process)
vars(subprocess_cli)["anyio"] = _apart


class ProcessTransport(SubprocessCLITransport):
    """The transport that starts the CLI in its own way.

    Args:
        options: The options of the session.
        opener: What starts the CLI.
        wrap: Makes the stream to read of the CLI's output, which comes in pieces cut anywhere.
    """

    def __init__(self, options: ClaudeAgentOptions, opener: Opener, wrap: Callable[[Any], Any]) -> None:
        # The SDK sets this itself when it makes the transport and there is a person to ask.
        super().__init__(_nothing(), replace(options, permission_prompt_tool_name="stdio"))
        self._opener, self._wrap = opener, wrap

    async def connect(self) -> None:
        """Start the process."""
        _opener.set(self._opener)
        await super().connect()
        self._stdout_stream = self._wrap(self._stdout_stream)

    @property
    def process(self) -> Any:
        """The process, or None without one."""
        return self._process


async def _nothing() -> AsyncIterator[dict[str, Any]]:
    return
    yield {}
