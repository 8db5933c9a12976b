"""How the scripted model keeps in step with the real CLI: side requests, failures, sessions, interrupts."""

import asyncio
import threading
from collections.abc import Callable

from ccq_tui.questions.model import Option, Question
from ccq_tui.testing import CleanHome, Scenario, ScriptedModel, clean_environment
from tests.agent.scripted_session import LIMIT, Session, session

Models = Callable[..., ScriptedModel]
Homes = Callable[..., CleanHome]
QUESTION = Question("Which?", "Store", (Option("A", "first"), Option("B", "second")))


async def test_scenes_of_one_session(scripted_model: Models, claude_env: Homes) -> None:
    model = scripted_model(Scenario())
    async with session(claude_env(model, CLAUDE_CODE_MAX_RETRIES="2")) as client:
        await the_cli_repeats_what_failed(model, client)
        scenario = Scenario("x").thinks("hm").says("Wörter\n\n- 一\n").uses(input_tokens=1234)
        async with client.scene("everything is read as written", model, scenario):
            await the_cli_reads_everything_as_written(model, client)
        scenario = Scenario("x").says("one").ends_turn().says("two").ends_turn().says("three")
        async with client.scene("compaction and clearing", model, scenario):
            await compaction_and_clearing_keep_the_script_in_step(model, client)
        scenario = Scenario("x").asks(QUESTION).says(lambda a: a.answers(1))
        async with client.scene("sessions one after the other", model, scenario):
            await sessions_each_play_from_the_start(model, client)
        scenario = Scenario("x").says("one").hangs().runs("Bash", command="ls").ends_turn().says("two")
        async with client.scene("an interrupt in a silence", model, scenario):
            await an_interrupt_in_a_silence_starts_the_next_turn(model, client)
        scenario = Scenario("x").asks(raw={"questions": []}).says(lambda a: str(a.failed))
        async with client.scene("a malformed question set", model, scenario):
            await a_malformed_question_set_is_refused_by_the_cli(model, client)
        scenario = Scenario("x").plans("# One", revised=lambda a: f"# {a.last}").says("approved")
        async with client.scene("a rejected plan", model, scenario):
            await a_rejected_plan_comes_back_revised(model, client)
        # The last one, for the CLI may begin turns of its own.
        async with client.scene("a background agent", model, WITH_SCOUT):
            await a_background_agent_leaves_the_next_turn_alone(model, client)


async def the_cli_reads_everything_as_written(model: ScriptedModel, client: Session) -> None:
    model.delta_size = 1
    result = await client.prompt("go")
    assert client.texts == ["Wörter\n\n- 一\n"]
    assert result.usage["input_tokens"] == 1234
    assert model.requests()[0].body is not None
    model.delta_size = 24


async def compaction_and_clearing_keep_the_script_in_step(model: ScriptedModel, client: Session) -> None:
    for prompt in ("hello", "/compact", "again", "/clear", "from the start"):
        await client.prompt(prompt)
    assert client.texts == ["one", "two", "one"]
    assert len(model.requests("side")) == 1


WITH_SCOUT = (
    Scenario("x")
    .agent("Have a look", Scenario("scout").hangs(gate="scout").says("seen"), background=True)
    .says("meanwhile")
    .noted("noted")
    .ends_turn()
    .says("two")
)


async def a_background_agent_leaves_the_next_turn_alone(model: ScriptedModel, client: Session) -> None:
    await client.prompt("go")
    model.release("scout")
    await model.wait_for(lambda seen: len(seen.requests()) == 3, LIMIT)
    for _ in range(3):  # a turn of the CLI's own may end first
        if "two" not in client.texts:
            await client.prompt("more")
    assert [text for text in client.texts if text != "seen"][:3] == ["meanwhile", "noted", "two"]


async def sessions_each_play_from_the_start(model: ScriptedModel, client: Session) -> None:
    for number in ("", "-2"):
        await client.prompt("go")
        assert client.texts == ['"Which?"="A"']
        assert model.result(f"toolu_x{number}_1").text.startswith("Your questions have been answered")
        await client.prompt("/clear")
        client.texts.clear()


async def an_interrupt_in_a_silence_starts_the_next_turn(model: ScriptedModel, client: Session) -> None:
    turn = asyncio.create_task(client.prompt("go"))
    await model.wait_for(lambda seen: any(one.first_byte for one in seen.requests()), LIMIT)
    await client.client.interrupt()
    await turn
    await model.wait_for(lambda seen: seen.requests()[0].broken, LIMIT)
    await client.prompt("more")
    assert client.texts[-1] == "two"


async def a_malformed_question_set_is_refused_by_the_cli(model: ScriptedModel, client: Session) -> None:
    await client.prompt("go")
    assert client.texts == ["True"]
    assert not client.asked
    assert "InputValidationError" in model.result("toolu_x_1").text


async def a_rejected_plan_comes_back_revised(model: ScriptedModel, client: Session) -> None:
    client.denied["ExitPlanMode"] = "Two"
    turn = asyncio.create_task(client.prompt("go"))
    await model.wait_for_result("toolu_x_3", LIMIT)
    client.denied.clear()
    await turn
    plans = [given["plan"] for tool, given in client.asked if tool == "ExitPlanMode"]
    assert plans[0] == "# One"
    assert set(plans[1:]) == {"# Two"}
    assert client.texts[-1] == "approved"


# What fails once, with the status and the kind that the CLI tells of it.
FAILURES = [
    (Scenario("x").fails(401, "no"), 401, "authentication_failed"),
    (Scenario("x").fails(429, "slow", retry_after=1), 429, "rate_limit"),
    (Scenario("x").fails(529, "busy"), 529, "overloaded"),
    (Scenario("x").says("half of an answer").cuts(4), None, "unknown"),
    (Scenario("x").says("half").cuts(error="overloaded_error"), None, "unknown"),
]


async def the_cli_repeats_what_failed(model: ScriptedModel, client: Session) -> None:
    for number, (scenario, status, kind) in enumerate(FAILURES, 1):
        async with client.scene(f"failure {number}: {kind}", model, scenario.says("whole")):
            result = await client.prompt("go")
            assert not result.is_error
            # A block that was complete before the failure may have been told by then.
            assert client.texts in (["whole"], ["half", "whole"])
            texts = [message.data for message in client.system if message.subtype == "api_retry"]
            if client.texts == ["half", "whole"] and not texts:
                continue  # what had been told was kept, and the CLI went on behind it
            assert len(texts) == 1, f"said {client.texts}, and {[m.subtype for m in client.system]}"
            (retry,) = texts
            assert (retry["error_status"], retry["error"]) == (status, kind)
            if status == 429:
                refused, answered = model.requests()
                assert answered.received - refused.last_byte >= 1.0, "it waits as long as it is told"
    scenario = Scenario("x").fails(500, "broken", times=3).ends_turn().says("two")
    async with client.scene("a failure for good ends the turn", model, scenario):
        result = await client.prompt("go")
        assert result.is_error
        assert result.api_error_status == 500
        assert not (await client.prompt("more")).is_error
        assert client.texts[-1] == "two"


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
        assert client.texts[-1] == '"Which?"="A"'
    assert [found.tool_use_id for found in model.tool_results()] == ["toolu_x_1", "toolu_x-2_2", "toolu_x_2"]


async def test_side_requests_use_up_no_step_and_nothing_is_left_behind() -> None:
    before = {thread.ident for thread in threading.enumerate()}
    scenario = Scenario("x", title="A title").says("one").ends_turn().says("two")
    # Without this variable the CLI asks for a title and greets the server.
    asking = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": ""}
    with ScriptedModel(scenario) as model, clean_environment(model.url, extra=asking) as home:
        async with session(home) as client:
            await client.prompt("Please design the interface of a bookmark service")
            await client.prompt("more")
            await model.wait_for(lambda seen: bool(seen.requests("side")), LIMIT)
        assert client.texts == ["one", "two"]
        assert [exchange.path for exchange in model.requests("other")] == ["/api/hello"]
    assert not home.root.exists()
    left = [one for one in threading.enumerate() if one.ident not in before and "scripted" in one.name]
    assert not left
