"""A CLI that starts, and reads its first prompt, while the screen is still being loaded."""

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from claude_agent_sdk import ClaudeSDKClient

from ccq_tui.agent.claude.options import sdk_options
from ccq_tui.agent.claude.process import opened
from ccq_tui.agent.claude.prompts import prompt_message
from ccq_tui.agent.claude.transport import CliTransport
from ccq_tui.config.launch import Launch

if TYPE_CHECKING:
    from ccq_tui.agent.claude.gate import Gate
    from ccq_tui.agent.claude.head_start import HeadStart

_logger = logging.getLogger(__name__)

MOST_WRITTEN = 50_000
"""Most bytes of a prompt to write before anybody reads: a pipe takes 64 KB, then its writer waits."""


class _GateToCome:
    """Passes each call of the CLI to the session's gate, once there is one."""

    def __init__(self, gate: "asyncio.Future[Gate]") -> None:
        self._gate = gate

    def __getattr__(self, name: str) -> Callable[..., Any]:
        async def call(*arguments: Any) -> Any:
            return await getattr(await asyncio.shield(self._gate), name)(*arguments)

        return call


class Prestarted:
    """A CLI process started for a new session, which takes it over later.

    Requests that the CLI makes before then wait for the session.

    Attributes:
        session_id: The id of the new session.
        prompt: The prompt that the CLI was given, or "".
        prompt_id: The UUID of the prompt.
    """

    def __init__(
        self, launch: Launch, prompt: str = "", mode: str | None = None, head_start: "HeadStart | None" = None
    ) -> None:
        self.session_id = head_start.session_id if head_start else launch.chosen_id or str(uuid4())
        self.prompt_id = str(uuid4())
        self.prompt = ""
        self._line = json.dumps(prompt_message(prompt, self.prompt_id)) + "\n" if prompt else ""
        self._wanted = prompt
        self._launch = launch
        self._stderr: list[str] = []
        self._feed: Callable[[str], None] = self._stderr.append
        self._taken = False
        self._gate: asyncio.Future[Gate] = asyncio.get_running_loop().create_future()
        gate: Any = _GateToCome(self._gate)
        chosen = sdk_options(
            launch, gate, lambda line: self._feed(line), session_id=self.session_id, resume=None, mode=mode
        )
        self._transport = CliTransport(chosen, head_start.opened if head_start else opened)
        self._transport.elicit_by(gate.elicit)
        self._client = ClaudeSDKClient(chosen, transport=self._transport)
        self._connecting: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start the process and write its first prompt; raises `ClaudeSDKError` if that fails."""
        self._connecting = asyncio.create_task(self._client.connect(), name="start ahead")
        self._connecting.add_done_callback(lambda _: self._transport.greeted.set())
        try:
            await self._transport.greeted.wait()
            if self._connecting.done():
                self._connecting.result()
            if 0 < len(self._line) <= MOST_WRITTEN:
                # After the handshake: the CLI reads in order, and need not wait for us in between.
                await self._transport.write(self._line)
                self.prompt = self._wanted
        except BaseException:
            await self.close()
            raise

    def fits(self, launch: Launch) -> bool:
        """Return whether the process is free and was started as this launch asks."""
        ours = self._launch  # whose prompt and notices are not for the CLI
        alike = replace(launch, prompt=ours.prompt, draft=ours.draft, notices=ours.notices)
        return not self._taken and alike == ours

    async def take(self, gate: "Gate", feed: Callable[[str], None]) -> ClaudeSDKClient:
        """Hand the connected process to its session; raises the SDK's errors, and then leaves no process.

        ``gate`` also answers earlier requests, and ``feed`` also gets the earlier lines.
        """
        self._taken, self._feed = True, feed
        for line in self._stderr:
            feed(line)
        self._gate.set_result(gate)
        if self._connecting is not None:
            await self._connecting  # cancelled with the caller: the SDK then ends the process
        return self._client

    async def close(self) -> None:
        """End the process, unless a session has it."""
        if self._taken:
            return
        self._taken = True
        if self._connecting is not None:
            self._connecting.cancel()
            await asyncio.wait({self._connecting})
            if not self._connecting.cancelled() and (error := self._connecting.exception()):
                _logger.info("A process that nobody wanted did not start: %s", type(error).__name__)
        await self._client.disconnect()
        await self._transport.close()
