"""The SDK's own transport to the CLI, with access to the CLI's process and output.

The SDK has a public interface for transports, but its transport that starts the CLI is private: a program
that needs the process, or that reads its output differently, would have to write all of that again. Without
this module the SDK makes its own transport: each delta of a text is a message, the CLI's queue of prompts is
not reported, no process is started ahead of its session, forms of MCP servers are cancelled unseen (the SDK
answers "Unsupported control request subtype: elicitation"), the CLI of a killed program ends at the next
start, and a closed terminal hangs up on the CLI too, so that the answer to its question goes as a message.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import partial
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


# Each process that the SDK starts has a login session of its own, for which the SDK has no option: the kernel
# hangs up on the whole foreground group of a terminal that is closed, and a CLI in it would end before its
# program can park the question.
_apart = ModuleType("anyio")
vars(_apart).update(vars(anyio), open_process=partial(anyio.open_process, start_new_session=True))
vars(subprocess_cli)["anyio"] = _apart


class ProcessTransport(SubprocessCLITransport):
    """The transport that starts the CLI."""

    def __init__(self, options: ClaudeAgentOptions) -> None:
        # The SDK sets this itself when it makes the transport and there is somebody to ask.
        super().__init__(_nothing(), replace(options, permission_prompt_tool_name="stdio"))

    @property
    def pid(self) -> int | None:
        """The id of the process, or None without one."""
        return None if self._process is None else self._process.pid

    def input_descriptor(self) -> int | None:
        """Duplicate the descriptor that writes to the process; the caller closes it.

        Return None if the process no longer runs, or if anyio, which has no public way to it, has changed its
        private one.
        """
        writer: Any = getattr(getattr(self._process, "stdin", None), "_stream", None)
        pipe = writer.get_extra_info("pipe") if hasattr(writer, "get_extra_info") else None
        return None if pipe is None or pipe.closed else os.dup(pipe.fileno())

    def read_through(self, wrap: Callable[[AsyncIterator[str]], AsyncIterator[str]]) -> None:
        """Read the output, in pieces cut anywhere, through another stream that ``wrap`` makes of it."""
        if self._stdout_stream is not None:
            self._stdout_stream: Any = wrap(self._stdout_stream)


async def _nothing() -> AsyncIterator[dict[str, Any]]:
    return
    yield {}
