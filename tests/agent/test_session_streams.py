"""What streams in: blocks, retries, errors, queued prompts, the CLI's own commands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from ccq_tui.agent.events import (
    BlockDropped,
    BlockFinished,
    BlockGrew,
    BlockKind,
    CommandsListed,
    Compacted,
    Connected,
    ContextUsage,
    ConversationReset,
    ErrorReported,
    PromptAccepted,
    PromptDelivered,
    Retrying,
    TurnEnded,
)
from ccq_tui.testing import CleanHome
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Running


async def test_deltas_add_up_to_the_whole_block(play: Callable[..., Any]) -> None:
    text = "A sentence with several words. " * 20
    _, home = play(Scenario("s").thinks("Let me see.").says(text), delta_size=7)
    async with Running(home) as run:
        run.session.send("Tell me")
        await run.idle()
        await run.until(ContextUsage)
    connected = run.one(Connected)
    assert connected.session_id == run.session.session_id != ""
    assert (connected.mode, connected.cwd) == ("default", str(home.project))
    assert connected.cli_version
    commands = {command.name: command for command in run.one(CommandsListed).commands}
    assert commands["compact"].description
    assert commands["compact"].arguments
    streamed: dict[Any, str] = {}
    for event in run.all(BlockGrew):
        streamed[event.key] = streamed.get(event.key, "") + event.text
    finished = run.all(BlockFinished)
    assert [event.kind for event in finished] == [BlockKind.THINKING, BlockKind.TEXT]
    assert {event.key: event.text for event in finished} == streamed
    assert finished[1].text == text
    usage = run.one(ContextUsage)
    assert 0 < usage.tokens < usage.limit
    ended = run.one(TurnEnded)
    assert (ended.reason, ended.is_error) == ("completed", False)
    assert ended.input_tokens > 0
    assert ended.duration > 0


async def test_a_broken_streams_text_is_dropped_before_the_retry(play: Callable[..., Any]) -> None:
    scenario = (
        Scenario("s").says("This will break before it is said. " * 3).cuts(after=80).says("This holds.")
    )
    _, home = play(scenario, speed=160.0, delta_size=8)
    async with Running(home) as run:
        run.session.send("Tell me")
        broken = await run.until(BlockGrew)
        await run.idle()
    order = [e for e in run.events if isinstance(e, BlockDropped | Retrying | BlockFinished)]
    assert [type(e) for e in order] == [BlockDropped, Retrying, BlockFinished]
    assert order[0] == BlockDropped(broken.key)
    assert run.one(BlockFinished).text == "This holds."
    assert run.one(Retrying).attempt == 1


async def test_a_refused_request_is_retried_then_reported(play: Callable[..., Any]) -> None:
    scenario = Scenario("s").fails(429, "slow down", times=2).ends_turn().says("Here again.")
    _, home = play(scenario, env={"CLAUDE_CODE_MAX_RETRIES": "1"})
    async with Running(home) as run:
        run.session.send("Tell me")
        await run.idle()
        retry = run.one(Retrying)
        assert (retry.attempt, retry.max_attempts, retry.status, retry.error) == (1, 1, 429, "rate_limit")
        assert retry.delay > 0
        error = run.one(ErrorReported)
        assert error.kind == "rate_limit"
        assert "429" in error.text
        assert run.one(TurnEnded).is_error
        run.session.send("And now?")
        await run.idle(2)
        assert run.all(BlockFinished)[-1].text == "Here again."


def _enqueued(home: CleanHome) -> int:
    return sum(file.read_text().count('"enqueue"') for file in home.config.rglob("*.jsonl"))


async def enqueued(home: CleanHome, count: int) -> None:
    """Wait until the CLI's own record holds so many queued prompts: what is written to it is not yet read."""
    async with asyncio.timeout(40):
        while _enqueued(home) < count:  # noqa: ASYNC110 - a file tells nobody that it grew
            await asyncio.sleep(0.02)


async def test_prompts_sent_during_a_turn_wait_and_are_delivered(play: Callable[..., Any]) -> None:
    scenario = Scenario("s").says("Working").hangs().says(" hard.").ends_turn().says("Both read.")
    model, home = play(scenario)
    async with Running(home) as run:
        first = run.session.send("Start")
        await run.until(BlockGrew)
        queued = [run.session.send("Second"), run.session.send("Third")]
        await run.until(PromptAccepted, count=3)
        assert [e.queued for e in run.all(PromptAccepted)] == [False, True, True]
        assert [e.prompt_id for e in run.all(PromptDelivered)] == [first]
        await enqueued(home, 3)
        model.release()
        await run.idle()
        assert [e.prompt_id for e in run.all(PromptDelivered)] == [first, *queued]
    assert [event.text for event in run.all(BlockFinished)] == ["Working", " hard.", "Both read."]


async def test_the_clis_own_commands(play: Callable[..., Any]) -> None:
    _, home = play(Scenario("s").says("First.").ends_turn().says("Second."))
    async with Running(home) as run:
        run.session.send("Tell me")
        await run.idle()
        before = run.session.session_id
        run.session.send("/compact")
        await run.idle(2)
        compacted = run.one(Compacted)
        assert compacted.before
        assert compacted.after
        run.session.send("/clear")
        await run.idle(3)
        reset = run.one(ConversationReset)
        assert run.session.session_id == reset.session_id != before
        run.session.send("Go on")
        await run.idle(4)
        assert run.session.session_id == run.one(ConversationReset).session_id
    # The compaction replays earlier messages; each is still there once. A new session plays from the start.
    assert [event.text for event in run.all(BlockFinished)] == ["First.", "First."]
    assert [event.text for event in run.all(PromptAccepted)] == ["Tell me", "/compact", "/clear", "Go on"]


async def test_a_message_far_over_a_megabyte_arrives(play: Callable[..., Any]) -> None:
    text = "x" * 3_000_000
    _, home = play(Scenario("s").says(text), delta_size=500_000)
    async with Running(home) as run:
        run.session.send("Tell me everything")
        await run.idle()
    assert run.one(BlockFinished).text == text
