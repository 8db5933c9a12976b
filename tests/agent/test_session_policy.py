"""When the agent asks: as it likes, never, or only so many times."""

import json

from ccq_tui.agent.events import ToolFinished
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.questions import Declined
from ccq_tui.testing.model import ScriptedModel
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import DATABASE, Play, Running


def system_prompt(model: ScriptedModel) -> str:
    """Give the system prompt of the first request, as JSON."""
    return json.dumps(model.requests()[0].body["system"])


def tools(model: ScriptedModel) -> dict[str, str]:
    """Give the tools the model was offered, with their descriptions."""
    return {tool["name"]: json.dumps(tool) for tool in model.requests()[0].body["tools"]}


async def test_assume_takes_the_questions_away(play: Play) -> None:
    model, home = play(Scenario("a").asks(DATABASE).says("I assumed SQLite."))
    options = {"questions": "assume", "append_system_prompt": "Speak in rhymes."}
    async with Running(home, **options) as run:
        await run.send("Build it").idle()
        assert not run.all(QuestionRequest)
    assert "AskUserQuestion" not in tools(model)
    assert "Speak in rhymes.\\n\\nThe user does not answer questions in this session." in system_prompt(model)
    assert "No such tool available: AskUserQuestion" in model.result("toolu_a_1").text


async def test_adaptive_asks_so_many_times_in_a_session_without_previews_and_kinds(play: Play) -> None:
    scenario = (
        Scenario("a").asks(DATABASE).asks(DATABASE).ends_turn().asks(DATABASE).says("Done.").ends_turn()
    )
    model, home = play(scenario)
    options = {"questions": "adaptive", "max_question_rounds": 2}
    options |= {"question_previews": "off", "extended_questions": False}
    (home.project / "CLAUDE.md").write_text("Use tabs in this project.")
    async with Running(home, **options) as run:
        run.session.send("Build it")
        for number in (1, 2):
            await run.until(QuestionRequest, count=number)
            run.answer(f"toolu_a_{number}", Declined())
        await run.idle()
        await run.send("More").idle(2)
        assert len(run.all(QuestionRequest)) == 2
        third = run.all(ToolFinished)[2]
        assert third.output == "The user responded: Proceed on your best judgment and say what you assumed."
        assert not third.is_error
    assert "at most 2 times in this session" in system_prompt(model)
    assert "Claude Code" in system_prompt(model)
    assert "Use tabs in this project." in json.dumps(model.requests()[0].body["messages"])
    assert {"Bash", "Edit", "Read", "Write", "Agent"} <= tools(model).keys()
    offered = tools(model)["AskUserQuestion"]
    assert "Preview feature" not in offered
    assert "defaultValue" not in offered
