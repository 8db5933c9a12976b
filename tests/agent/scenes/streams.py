"""What streams in: blocks, retries, errors, queued prompts, the CLI's own commands."""

from typing import Any

from ccq_tui.agent import events as ev
from ccq_tui.agent.problems import TESTED_CLI, cli_version
from ccq_tui.testing import CleanHome, ScriptedModel
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Running
from tests.agent.stage import Stage
from tests.steps import until_true

LONG = "A sentence with several words. " * 20
HUGE = "x" * 3_000_000


async def scenes(stage: Stage) -> None:
    """Play what this module tests."""
    model = stage.model
    scenario = Scenario("s").thinks("Let me see.").says(LONG)
    async with stage.scene("deltas add up to the whole block", scenario) as run:
        model.delta_size = 7
        await deltas_add_up_to_the_whole_block(run, stage.home)
    scenario = Scenario("s").says("This will break before it is said. " * 3).cuts(after=80)
    async with stage.scene("a broken stream", scenario.says("This holds.")) as run:
        model.speed, model.delta_size = 160.0, 8
        await a_broken_streams_text_is_dropped_before_the_retry(run)
        model.speed, model.delta_size = 0.0, 24
    scenario = Scenario("s").fails(429, "slow down", times=2).ends_turn().says("Here again.")
    async with stage.scene("a refused request", scenario) as run:
        await a_refused_request_is_retried_then_reported(run)
    scenario = Scenario("s").says("Working").hangs().says(" hard.").ends_turn().says("Both read.")
    async with stage.scene("prompts sent during a turn", scenario) as run:
        await prompts_sent_wait_and_are_delivered(run, model, stage.home)
    scenario = Scenario("s").says("First.").ends_turn().says("Second.")
    async with stage.scene("the CLI's own commands", scenario) as run:
        await the_clis_own_commands(run)
    script = Scenario("s").says("Look.")
    script = script.uses(input_tokens=100, cache_creation_input_tokens=900, output_tokens=40)
    script = script.agent("Look closely", Scenario("closely").says("Fine."))
    script = script.says("Done.").uses(input_tokens=10, cache_read_input_tokens=1_100, output_tokens=5)
    script = script.ends_turn().says("More.").uses(input_tokens=20, cache_read_input_tokens=1_115)
    async with stage.scene("a turn's own cost and tokens", script) as run:
        await a_turn_has_its_own_cost_and_tokens(run)
    async with stage.scene("a message far over a megabyte", Scenario("s").says(HUGE)) as run:
        model.delta_size = 500_000
        await run.send("Tell me everything").idle()
        assert run.one(ev.BlockFinished).text == HUGE


async def deltas_add_up_to_the_whole_block(run: Running, home: CleanHome) -> None:
    await run.send("Tell me").idle()
    await run.until(ev.ContextUsage)
    connected = run.one(ev.Connected)
    assert connected.session_id == run.session.session_id != ""
    assert (connected.mode, connected.cwd) == ("default", str(home.project))
    assert cli_version(connected.cli_version) == TESTED_CLI, "the first screen would say that it is newer"
    assert [e.state.value for e in run.all(ev.StateChanged)] == ["starting", "idle", "working", "idle"]
    commands = {command.name: command for command in run.one(ev.CommandsListed).commands}
    assert commands["compact"].description
    assert commands["compact"].arguments
    assert not {"agents", "__remote-workflow", "workflow-launch-exec"} & commands.keys()
    streamed: dict[Any, str] = {}
    for event in run.all(ev.BlockGrew):
        streamed[event.key] = streamed.get(event.key, "") + event.text
    finished = run.all(ev.BlockFinished)
    assert [event.kind for event in finished] == [ev.BlockKind.THINKING, ev.BlockKind.TEXT]
    assert {event.key: event.text for event in finished} == streamed
    assert finished[1].text == LONG
    assert run.all(ev.ThinkingCounted)[-1].tokens > 0
    usage = run.one(ev.ContextUsage)
    assert 0 < usage.tokens < usage.limit
    ended = run.one(ev.TurnEnded)
    assert (ended.reason, ended.is_error) == ("completed", False)
    assert ended.input_tokens > 0
    assert ended.duration > 0


async def a_turn_has_its_own_cost_and_tokens(run: Running) -> None:
    await run.send("Look").idle()
    first = run.one(ev.TurnEnded)
    assert (first.input_tokens, first.output_tokens) == (1_110 - 40, 45)
    assert first.turn_cost == first.cost is not None
    await run.send("And now?").idle(2)
    _, second = run.all(ev.TurnEnded)
    assert second.input_tokens == 20
    assert second.cost is not None
    assert 0 < second.turn_cost < first.turn_cost  # type: ignore[operator]
    assert round(first.turn_cost + second.turn_cost, 9) == round(second.cost, 9)  # type: ignore[operator]


async def a_broken_streams_text_is_dropped_before_the_retry(run: Running) -> None:
    broken = await run.send("Tell me").until(ev.BlockGrew)
    await run.idle()
    order = [e for e in run.events if isinstance(e, ev.BlockDropped | ev.Retrying | ev.BlockFinished)]
    assert [type(e) for e in order] == [ev.BlockDropped, ev.Retrying, ev.BlockFinished]
    assert order[0] == ev.BlockDropped(broken.key)
    assert run.one(ev.BlockFinished).text == "This holds."
    assert run.one(ev.Retrying).attempt == 1


async def a_refused_request_is_retried_then_reported(run: Running) -> None:
    await run.send("Tell me").idle()
    retry = run.one(ev.Retrying)
    assert (retry.attempt, retry.max_attempts, retry.status, retry.error) == (1, 1, 429, "rate_limit")
    assert retry.delay > 0
    error = run.one(ev.ErrorReported)
    assert error.kind == "rate_limit"
    assert "429" in error.text
    assert run.one(ev.TurnEnded).is_error
    await run.send("And now?").idle(2)
    assert run.all(ev.BlockFinished)[-1].text == "Here again."


def _enqueued(home: CleanHome, session_id: str) -> int:
    return sum(file.read_text().count('"enqueue"') for file in home.config.rglob(f"{session_id}.jsonl"))


async def enqueued(home: CleanHome, session_id: str, count: int) -> None:
    """Wait until the CLI's own record holds so many queued prompts: what is written to it is not yet read."""
    await until_true(lambda: _enqueued(home, session_id) >= count)


async def prompts_sent_wait_and_are_delivered(run: Running, model: ScriptedModel, home: CleanHome) -> None:
    first = run.session.send("Start")
    await run.until(ev.BlockGrew)
    queued = [run.session.send("Second"), run.session.send("Third")]
    await run.until(ev.PromptAccepted, count=3)
    assert [e.queued for e in run.all(ev.PromptAccepted)] == [False, True, True]
    assert [e.prompt_id for e in run.all(ev.PromptDelivered)] == [first]
    await enqueued(home, run.session.session_id, 3)
    model.release()
    await run.idle()
    assert [e.prompt_id for e in run.all(ev.PromptDelivered)] == [first, *queued]
    assert [event.text for event in run.all(ev.BlockFinished)] == ["Working", " hard.", "Both read."]


async def the_clis_own_commands(run: Running) -> None:
    await run.send("Tell me").idle()
    before = run.session.session_id
    await run.send("/compact").idle(2)
    compacted = run.one(ev.Compacted)
    assert compacted.before
    assert compacted.after
    await run.send("/clear").idle(3)
    reset = run.one(ev.ConversationReset)
    assert run.session.session_id == reset.session_id != before
    await run.send("Go on").idle(4)
    assert run.session.session_id == run.one(ev.ConversationReset).session_id
    # The compaction replays earlier messages; each is still there once. A new session plays from the start.
    assert [event.text for event in run.all(ev.BlockFinished)] == ["First.", "First."]
    assert [event.text for event in run.all(ev.PromptAccepted)] == ["Tell me", "/compact", "/clear", "Go on"]
