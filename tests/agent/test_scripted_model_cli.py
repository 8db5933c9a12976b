"""How the scripted model keeps in step with the real CLI: side requests, failures, sessions, interrupts."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

import pytest

from ccq_tui.questions.model import Option, Question
from ccq_tui.testing import CleanHome, Scenario, ScriptedModel, clean_environment
from tests.agent.scripted_session import LIMIT, session

Models = Callable[..., ScriptedModel]
Homes = Callable[..., CleanHome]
QUESTION = Question("Which?", "Store", (Option("A", "first"), Option("B", "second")))


async def test_the_cli_reads_everything_as_written(scripted_model: Models, claude_env: Homes) -> None:
    model = scripted_model(
        Scenario("x").thinks("hm").says("Wörter\n\n- 一\n").uses(input_tokens=1234), delta_size=1
    )
    async with session(claude_env(model)) as client:
        result = await client.prompt("go")
    assert client.said == ["Wörter\n\n- 一\n"]
    assert result.usage is not None
    assert result.usage["input_tokens"] == 1234
    assert model.requests()[0].body is not None


async def test_side_requests_use_up_no_step(scripted_model: Models, claude_env: Homes) -> None:
    model = scripted_model(Scenario("x", title="A title").says("one").ends_turn().says("two"))
    # Without this variable the CLI asks for a title and greets the server.
    async with session(claude_env(model, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="")) as client:
        await client.prompt("Please design the interface of a bookmark service")
        await client.prompt("more")
        await model.wait_for(lambda seen: bool(seen.requests("side")), LIMIT)
    assert client.said == ["one", "two"]
    assert [exchange.path for exchange in model.requests("other")] == ["/api/hello"]


async def test_compaction_and_clearing_keep_the_script_in_step(
    scripted_model: Models, claude_env: Homes
) -> None:
    model = scripted_model(Scenario("x").says("one").ends_turn().says("two").ends_turn().says("three"))
    async with session(claude_env(model)) as client:
        for prompt in ("hello", "/compact", "again", "/clear", "from the start"):
            await client.prompt(prompt)
    assert client.said == ["one", "two", "one"]
    assert len(model.requests("side")) == 1


async def test_a_background_agent_leaves_the_next_turn_alone(
    scripted_model: Models, claude_env: Homes
) -> None:
    scenario = (
        Scenario("x")
        .agent("Have a look", Scenario("scout").hangs(gate="scout").says("seen"), background=True)
        .says("meanwhile")
        .noted("noted")
        .ends_turn()
        .says("two")
    )
    model = scripted_model(scenario)
    async with session(claude_env(model)) as client:
        await client.prompt("go")
        model.release("scout")
        await model.wait_for(lambda seen: len(seen.requests()) == 3, LIMIT)
        for _ in range(3):  # a turn of the CLI's own may end first
            if "two" not in client.said:
                await client.prompt("more")
    assert [text for text in client.said if text != "seen"][:3] == ["meanwhile", "noted", "two"]


async def test_sessions_one_after_the_other_each_play_from_the_start(
    scripted_model: Models, claude_env: Homes
) -> None:
    model = scripted_model(Scenario("x").asks(QUESTION).says(lambda a: a.answers(1)))
    for number in ("", "-2"):
        async with session(claude_env(model)) as client:
            await client.prompt("go")
            assert client.said == ['"Which?"="A"']
        assert model.result(f"toolu_x{number}_1").text.startswith("Your questions have been answered")


async def test_a_resumed_session_goes_on_and_a_fork_has_ids_of_its_own(
    scripted_model: Models, claude_env: Homes
) -> None:
    model = scripted_model(
        Scenario("x").asks(QUESTION).says("one").ends_turn().asks(QUESTION).says(lambda a: a.answers(2))
    )
    home = claude_env(model)
    async with session(home) as client:
        first = await client.prompt("go")
    async with session(home, resume=first.session_id, fork_session=True) as client:
        await client.prompt("more")
    async with session(home, resume=first.session_id) as client:
        await client.prompt("more")
        assert client.said[-1] == '"Which?"="A"'
    assert [found.tool_use_id for found in model.tool_results()] == ["toolu_x_1", "toolu_x-2_2", "toolu_x_2"]


@pytest.mark.parametrize(
    ("scenario", "status", "kind"),
    [
        (Scenario("x").fails(401, "no"), 401, "authentication_failed"),
        (Scenario("x").fails(429, "slow", retry_after=1), 429, "rate_limit"),
        (Scenario("x").fails(529, "busy"), 529, "overloaded"),
        (Scenario("x").says("half of an answer").cuts(4), None, "unknown"),
        (Scenario("x").says("half").cuts(error="overloaded_error"), None, "unknown"),
    ],
    ids=["401", "429", "529", "cut", "cut-with-error"],
)
async def test_the_cli_repeats_what_failed(
    scenario: Scenario, status: int | None, kind: str, scripted_model: Models, claude_env: Homes
) -> None:
    model = scripted_model(scenario.says("whole"))
    async with session(claude_env(model)) as client:
        result = await client.prompt("go")
    assert not result.is_error
    assert client.said == ["whole"]
    (retry,) = [message.data for message in client.system if message.subtype == "api_retry"]
    assert (retry["error_status"], retry["error"]) == (status, kind)


async def test_a_retry_waits_as_long_as_it_is_told(scripted_model: Models, claude_env: Homes) -> None:
    model = scripted_model(Scenario("x").fails(429, "slow", retry_after=1).says("whole"))
    async with session(claude_env(model)) as client:
        await client.prompt("go")
    refused, answered = model.requests()
    assert answered.received - refused.last_byte >= 1.0


async def test_a_failure_for_good_ends_the_turn(scripted_model: Models, claude_env: Homes) -> None:
    model = scripted_model(Scenario("x").fails(500, "broken", times=2).ends_turn().says("two"))
    async with session(claude_env(model, CLAUDE_CODE_MAX_RETRIES="1")) as client:
        result = await client.prompt("go")
        assert result.is_error
        assert result.api_error_status == 500
        assert not (await client.prompt("more")).is_error
    assert client.said[-1] == "two"


async def test_an_interrupt_in_a_silence_starts_the_next_turn(
    scripted_model: Models, claude_env: Homes
) -> None:
    model = scripted_model(
        Scenario("x").says("one").hangs().runs("Bash", command="ls").ends_turn().says("two")
    )
    async with session(claude_env(model)) as client:
        assert client.client is not None
        turn = asyncio.create_task(client.prompt("go"))
        await model.wait_for(lambda seen: any(one.first_byte for one in seen.requests()), LIMIT)
        await client.client.interrupt()
        await turn
        await model.wait_for(lambda seen: seen.requests()[0].broken, LIMIT)
        await client.prompt("more")
    assert client.said[-1] == "two"


async def test_a_malformed_question_set_is_refused_by_the_cli(
    scripted_model: Models, claude_env: Homes
) -> None:
    model = scripted_model(Scenario("x").asks(raw={"questions": []}).says(lambda a: str(a.failed)))
    async with session(claude_env(model)) as client:
        await client.prompt("go")
    assert client.said == ["True"]
    assert not client.asked
    assert "InputValidationError" in model.result("toolu_x_1").text


async def test_a_rejected_plan_comes_back_revised(scripted_model: Models, claude_env: Homes) -> None:
    model = scripted_model(Scenario("x").plans("# One", revised=lambda a: f"# {a.last}").says("approved"))
    async with session(claude_env(model)) as client:
        client.denied["ExitPlanMode"] = "Two"
        turn = asyncio.create_task(client.prompt("go"))
        await model.wait_for_result("toolu_x_3", LIMIT)
        client.denied.clear()
        await turn
    plans = [given["plan"] for tool, given in client.asked if tool == "ExitPlanMode"]
    assert plans[0] == "# One"
    assert set(plans[1:]) == {"# Two"}
    assert client.said[-1] == "approved"


async def test_nothing_is_left_behind() -> None:
    before = {thread.ident for thread in threading.enumerate()}
    with ScriptedModel(Scenario("x").says("a")) as model, clean_environment(model.url) as home:
        async with session(home) as client:
            await client.prompt("go")
        begun = time.monotonic()
    assert time.monotonic() - begun < 5
    assert not home.root.exists()
    left = [one for one in threading.enumerate() if one.ident not in before and "scripted" in one.name]
    assert not left
