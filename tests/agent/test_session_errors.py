"""Errors that the real CLI reports: each is one of our problems, and the session goes on."""

import json
from pathlib import Path

import pytest

from ccq_tui.agent.claude import options as claude_options
from ccq_tui.agent.events import BlockFinished, BlockGrew, Connected, ErrorReported, SessionState, TurnEnded
from ccq_tui.agent.problems import Problem
from ccq_tui.testing import CleanHome
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Play, Running, until_written
from tests.steps import step

ONCE = {"CLAUDE_CODE_MAX_RETRIES": "0"}
REFUSALS = (
    # First, because a conversation that can be compacted is, before the error is told.
    (400, "prompt is too long: 210000 tokens > 200000 maximum", 1, Problem.CONTEXT_FULL),
    (401, "invalid x-api-key", 1, Problem.KEY_REFUSED),
    (429, "slow down", 1, Problem.RATE_LIMIT),
    (529, "Overloaded", 1, Problem.OVERLOADED),
    (500, "internal", 1, Problem.SERVER),
    # The CLI sends it once more, without streaming.
    (404, "model: nothing", 2, Problem.MODEL_MISSING),
    (400, "Your credit balance is too low to access the Anthropic API.", 1, Problem.UNPAID),
    # The CLI changes the request several times before it gives up.
    (400, "messages: bad", 6, Problem.REQUEST_REFUSED),
)


async def test_each_refusal_a_crash_and_a_lost_network_are_told_and_the_session_goes_on(play: Play) -> None:
    scenario = Scenario("errors")
    for status, message, times, _ in REFUSALS:
        scenario = scenario.fails(status, message, times=times).ends_turn()
    scenario = scenario.says("Here again.").ends_turn().says("Half of it").hangs().ends_turn()
    model, home = play(scenario.says("All of it.").repeats(), env=ONCE)
    async with Running(home) as run:
        for number, (status, message, *_) in enumerate(REFUSALS, 1):
            with step(f"{status} {message}"):
                run.session.send(f"Attempt {number}")
                assert (await run.until(TurnEnded, count=number)).is_error
        await run.send("And now?").until(TurnEnded, count=len(REFUSALS) + 1)
        assert [event.kind for event in run.all(ErrorReported)] == [problem for *_, problem in REFUSALS]
        assert run.one(BlockFinished).text == "Here again."
        # A conversation that crashed is resumed.
        await run.send("Build it").until(BlockGrew, lambda e: e.text.startswith("Half"))
        session_id = run.one(Connected).session_id
        await until_written(home, session_id, "Build it")
        lost = await run.killed()
        assert (lost.kind, lost.reason) == (Problem.CLI_KILLED, "It was ended by signal 9 (SIGKILL).")
    async with Running(home, resume=session_id) as again:
        again.session.send("Build it after all")
        # It may tell an answer whole, without having it grow.
        assert (await again.until(BlockFinished)).text == "All of it."
        assert again.one(Connected).session_id == session_id
        assert "Build it" in str(model.requests()[-1].body["messages"])
        model.stop()  # nothing listens any more
        for number in (2, 3):
            again.session.send("And now?")
            assert (await again.until(TurnEnded, count=number)).is_error
    assert [event.kind for event in again.all(ErrorReported)] == [Problem.NO_NETWORK] * 2
    assert all("API Error" not in event.text for one in (run, again) for event in one.all(ErrorReported))


async def test_without_sign_in_the_session_stays(play: Play) -> None:
    _, home = play(Scenario("s").says("Hello"), env=ONCE | {"ANTHROPIC_API_KEY": ""})
    async with Running(home) as run:
        for number in (1, 2):
            await run.send("Build it").until(TurnEnded, count=number)
    assert [event.kind for event in run.all(ErrorReported)] == [Problem.NOT_SIGNED_IN] * 2


async def test_limits_that_are_reached_are_told(play: Play) -> None:
    scenario = Scenario("s").runs("Bash", command="true", description="t").says("Done.")
    _, home = play(scenario.uses(input_tokens=1_000_000).repeats())
    async with Running(home, allowed_tools=("Bash",), max_turns=1, max_budget_usd=0.5) as run:
        for number, problem in enumerate((Problem.TURNS_SPENT, Problem.BUDGET_SPENT), 1):
            with step(f"prompt {number}: {problem}"):
                await run.send("Build it").until(TurnEnded, count=number)
                assert [event.kind for event in run.all(ErrorReported)][number - 1 :] == [problem]
        await run.send("Go on.").until(TurnEnded, count=3)


async def test_a_message_that_is_too_large_ends_the_session_with_a_reason(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The CLI's answer to the first greeting is larger than a whole small answer of the model.
    monkeypatch.setattr(claude_options, "MAX_MESSAGE_BYTES", 60_000)
    _, home = play(Scenario("s").says("y " * 40_000))
    async with Running(home) as run:
        lost = await run.send("Build it").ended()
    assert lost.kind == Problem.CLI_UNREADABLE


@pytest.mark.parametrize("name", ["not-an-id", "11111111-1111-4111-8111-111111111111"])
async def test_a_conversation_that_is_not_there_is_told(play: Play, name: str) -> None:
    _, home = play(Scenario("s").says("Hello"))
    async with Running(home, resume=name) as run:
        lost = await run.ended()
    assert (lost.kind, lost.reason) == (Problem.NO_CONVERSATION, name)
    assert run.state is SessionState.FAILED


def hook_and_server_of_the_project(home: CleanHome) -> Path:
    """Put a hook and a server that does not start into the project, and name the file that the hook makes."""
    ran = home.root / "ran"
    hook = {"type": "command", "command": f"touch {ran}"}
    (home.project / ".claude").mkdir()
    settings = {"hooks": {"SessionStart": [{"hooks": [hook]}]}}
    (home.project / ".claude" / "settings.json").write_text(json.dumps(settings))
    (home.project / ".mcp.json").write_text('{"mcpServers": {"carried": {"command": "/bin/false"}}}')
    return ran


async def test_what_the_project_carries_runs_where_it_is_to(play: Play) -> None:
    _, home = play(Scenario("s").says("Hello"))
    ran = hook_and_server_of_the_project(home)
    async with Running(home, project_settings=True) as run:
        await run.send("Build it").until(TurnEnded)
    assert ran.exists()
    assert run.all(ErrorReported)


async def test_a_server_that_does_not_start_is_named_at_once_and_once_and_the_projects_not_started(
    play: Play,
) -> None:
    _, home = play(Scenario("s").says("One.").ends_turn().says("Two."))
    ran = hook_and_server_of_the_project(home)
    servers = '{"mcpServers": {"broken": {"command": "/bin/false", "args": []}}}'
    async with Running(home, project_settings=False, mcp_config=(servers,)) as run:
        error = await run.until(ErrorReported)
        assert error == ErrorReported(Problem.MCP_FAILED, "broken: Connection closed")
        for number in (1, 2):
            await run.send("Build it").until(TurnEnded, count=number)
        assert run.one(ErrorReported) is error
    assert [event.text for event in run.all(BlockFinished)] == ["One.", "Two."]
    assert not ran.exists()
