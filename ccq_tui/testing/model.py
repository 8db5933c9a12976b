"""The scripted model: a Messages API on loopback that plays a scenario to the real Claude Code CLI."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Self

from ccq_tui.testing.log import Exchange, ModelLog
from ccq_tui.testing.play import Director
from ccq_tui.testing.replies import ToolResult
from ccq_tui.testing.scenario import Scenario

if TYPE_CHECKING:
    from ccq_tui.testing.server import ServerThread


class ScriptedModel:
    """A model whose every word is scripted.

    Serves in a thread of its own between ``start`` and ``stop``, and is a context manager both ways::

        with ScriptedModel(scenario) as model: ...
        async with ScriptedModel(scenario) as model: ...

    Each session plays the scenario from its start; requests that the CLI makes for itself (a title, a
    summary) use up nothing of it.

    Args:
        scenario: The scenario to play.
        speed: Characters per second; 0 means as fast as possible. May be changed at any time.
        delta_size: Characters per streamed delta, at least 1. May be changed at any time.
        port: The port on 127.0.0.1; 0 takes a free one.
        keeps: Most exchanges and results to keep, the newest; None keeps all.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        speed: float = 0.0,
        delta_size: int = 24,
        port: int = 0,
        keeps: int | None = None,
    ) -> None:
        if delta_size < 1:
            raise ValueError("a delta has at least one character")
        self.speed = speed
        self.delta_size = delta_size
        self._director = Director(scenario)
        self._log = ModelLog(keeps)
        self._port = port
        self._thread: ServerThread | None = None

    @property
    def url(self) -> str:
        """The base URL, for ``ANTHROPIC_BASE_URL``.

        Raises:
            RuntimeError: The model was not started.
        """
        if self._thread is None:
            raise RuntimeError("the scripted model was not started")
        return f"http://127.0.0.1:{self._thread.port}"

    def start(self) -> Self:
        """Start serving.

        Returns:
            The model itself.

        Raises:
            RuntimeError: It already serves.
            OSError: No port could be opened.
        """
        # Imported here so that importing this package loads no web server.
        from ccq_tui.testing.server import Answerer, ServerThread

        if self._thread is not None:
            raise RuntimeError("the scripted model serves already")
        self._thread = ServerThread(Answerer(lambda: self._director, self, self._log).app(), self._port)
        return self

    def stop(self) -> None:
        """End open responses, close the port and join the thread, within 10 seconds; idempotent.

        Raises:
            RuntimeError: The thread did not end.
        """
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.stop()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_error: object) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        return await asyncio.to_thread(self.start)

    async def __aexit__(self, *_error: object) -> None:
        await asyncio.to_thread(self.stop)

    def begin(self, scenario: Scenario) -> None:
        """Play another scenario from its start, and forget everything received so far.

        Responses that wait in a silence keep waiting; gates are closed for the new scenario.

        Args:
            scenario: The scenario that every session plays from now on, also one that played before.
        """
        self._director = Director(scenario)
        self._log.forget()

    @property
    def exchanges(self) -> list[Exchange]:
        """Every request so far, oldest first, with times."""
        with self._log.lock:
            return list(self._log.exchanges)

    @property
    def finished(self) -> bool:
        """Whether at least one session began and every session has played its script to the end."""
        plays = self._director.plays
        return bool(plays) and all(play.finished for play in plays)

    def requests(self, role: str = "main") -> list[Exchange]:
        """Return the requests of one role: ``main``, ``subagent``, ``side`` or ``other``."""
        return [exchange for exchange in self.exchanges if exchange.role == role]

    def tool_results(self) -> list[ToolResult]:
        """Return each tool result that the model received, exactly and in order, without repetitions.

        A call whose result changed, as after a resume, is listed once for each text.
        """
        with self._log.lock:
            return list(self._log.results)

    def result(self, tool_use_id: str) -> ToolResult:
        """Return the newest result of one tool call.

        Raises:
            KeyError: The model received none.
        """
        found = [result for result in self.tool_results() if result.tool_use_id == tool_use_id]
        if not found:
            raise KeyError(tool_use_id)
        return found[-1]

    def check(self) -> None:
        """Raise the errors that callables of the script raised, if any.

        Raises:
            ExceptionGroup: The script's own errors.
        """
        with self._log.lock:
            errors = list(self._log.errors)
        if errors:
            raise ExceptionGroup("the script failed", errors)

    def release(self, gate: str = "hang") -> None:
        """Open a gate: end the silences of ``Scenario.hangs`` that wait for it, now and later."""
        self._director.opened.add(gate)
        self._log.changed()

    async def wait_for(self, predicate: "Callable[[ScriptedModel], bool]", limit: float = 30.0) -> None:
        """Wait until something is true of the model.

        Args:
            predicate: The condition; tested after every request, first byte and last byte.
            limit: Seconds.

        Raises:
            TimeoutError: It was not true within the limit.
        """
        await self._log.wait_async(lambda: predicate(self), limit)

    def wait_for_sync(self, predicate: "Callable[[ScriptedModel], bool]", limit: float = 30.0) -> None:
        """Wait in a thread as ``wait_for`` does."""
        self._log.wait(lambda: predicate(self), limit)

    async def wait_for_result(self, tool_use_id: str, limit: float = 30.0) -> ToolResult:
        """Wait until the model has received a tool call's result.

        Args:
            tool_use_id: The call, for instance ``toolu_single_1``.
            limit: Seconds.

        Returns:
            The result.

        Raises:
            TimeoutError: It did not come within the limit.
        """
        await self.wait_for(lambda model: model._has(tool_use_id), limit)
        return self.result(tool_use_id)

    def wait_for_result_sync(self, tool_use_id: str, limit: float = 30.0) -> ToolResult:
        """Wait in a thread as ``wait_for_result`` does."""
        self.wait_for_sync(lambda model: model._has(tool_use_id), limit)
        return self.result(tool_use_id)

    def _has(self, tool_use_id: str) -> bool:
        return any(result.tool_use_id == tool_use_id for result in self.tool_results())
