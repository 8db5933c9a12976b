"""What a session can be told and asked beside the conversation, with the real CLI."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ccq_tui.agent import SessionOptions, controls
from ccq_tui.agent.commands import CommandError
from ccq_tui.agent.earlier import earlier_sessions
from ccq_tui.agent.events import (
    EffortChanged,
    ErrorReported,
    HistoryLoaded,
    ModelChanged,
    ModelsListed,
    PermissionAsked,
    PromptAccepted,
)
from ccq_tui.inbox import Allowed
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Running


async def test_model_and_effort_hold_from_the_next_prompt_on(play: Callable[..., Any]) -> None:
    model, home = play(Scenario("c").says("One."))
    async with Running(home) as run:
        listed = (await run.until(ModelsListed)).models
        haiku = next(choice for choice in listed if choice.value == "haiku")
        assert haiku.name == "Haiku"
        assert "low" in haiku.efforts
        run.session.set_model("haiku")
        run.session.set_effort("low")
        run.session.send("Hello")
        await run.idle()
        assert run.all(EffortChanged) == [EffortChanged("low")]
        assert run.all(ModelChanged)[-1].model == haiku.resolved
    body = model.requests()[-1].body
    assert body["model"] == haiku.resolved
    assert body["output_config"]["effort"] == "low"


async def test_context_cost_and_title(play: Callable[..., Any]) -> None:
    _, home = play(Scenario("c").says("One."))
    async with Running(home) as run:
        with pytest.raises(CommandError, match="still starting"):
            await run.session.ask(controls.session_cost())
        run.session.send("Hello")
        await run.idle()
        details = await run.session.ask(controls.context_details())
        assert {"used", "free"} <= {part.kind for part in details.parts}
        assert 0 < details.tokens < details.limit
        assert "Usage by model" in await run.session.ask(controls.session_cost())
        await run.session.ask(controls.rename("The title"))
        session_id = run.session.session_id
    with pytest.raises(CommandError, match="over"):
        await run.session.ask(controls.session_cost())
    (path,) = (home.config / "projects").glob(f"*/{session_id}.jsonl")
    assert '"customTitle":"The title"' in path.read_text()


async def test_servers_are_listed_reconnected_and_turned_off(play: Callable[..., Any]) -> None:
    _, home = play(Scenario("c").says("One."))
    broken = json.dumps({"mcpServers": {"broken": {"command": "/nonexistent"}}})
    async with Running(home, mcp_config=broken) as run:
        await run.until(ModelsListed)
        with pytest.raises(CommandError, match="ENOENT"):
            await run.session.ask(controls.reconnect("broken"))
        (server,) = await run.session.ask(controls.servers())
        assert (server.name, server.status) == ("broken", "failed")
        assert "ENOENT" in server.error
        await run.session.ask(controls.toggle("broken", enabled=False))
        (server,) = await run.session.ask(controls.servers())
        assert server.status == "disabled"


async def test_files_and_conversation_go_back_to_before_a_prompt(play: Callable[..., Any]) -> None:
    places: list[str] = []
    scenario = (
        Scenario("c")
        .runs("Write", file_path=lambda _: places[0], content="hello\n")
        .says("Written.")
        .ends_turn()
        .says("Two.")
        .ends_turn()
        .says("Three.")
    )
    model, home = play(scenario)
    made = home.project / "made.txt"
    places.append(str(made))
    async with Running(home) as run:
        run.session.send("Before")
        asked = await run.until(PermissionAsked)
        run.answer(asked.request.id, Allowed())
        await run.idle(1)
        second = run.session.send("Second thought")
        await run.idle(2)
        assert await run.session.ask(controls.files_to_rewind(second)) == controls.FilesToRewind()
        assert (await run.session.ask(controls.files_to_rewind("x" * 36))).refusal
        rewound = await run.session.ask(controls.rewind_conversation(second))
        assert rewound == controls.Rewound("Second thought")
        assert "not found" in (await run.session.ask(controls.rewind_conversation("x" * 36))).refusal
        assert made.exists()
        run.session.send("Third")
        await run.idle(3)
    said = str(model.requests()[-1].body["messages"])
    assert "Written." in said
    assert "Second thought" not in said


async def test_files_are_shown_before_they_are_taken_back_after_a_resume_too(
    play: Callable[..., Any],
) -> None:
    places: list[str] = []
    scenario = (
        Scenario("c")
        .runs("Write", file_path=lambda _: places[0], content="hello\n")
        .says("Written.")
        .ends_turn()
    )
    _, home = play(scenario)
    made = home.project / "made.txt"
    places.append(str(made))
    async with Running(home) as run:
        prompt = run.session.send("Write it")
        asked = await run.until(PermissionAsked)
        run.answer(asked.request.id, Allowed())
        await run.idle()
        session_id = run.session.session_id
    async with Running(home, resume=session_id) as run:
        history = (await run.until(HistoryLoaded)).events
        assert [one.prompt_id for one in history if isinstance(one, PromptAccepted)] == [prompt]
        await run.until(ModelsListed)
        found = await run.session.ask(controls.files_to_rewind(prompt))
        assert found.files == (str(made),)
        assert made.exists()
        await run.session.ask(controls.rewind_files(prompt))
        assert not made.exists()


async def test_an_effort_that_does_not_exist_is_told(play: Callable[..., Any]) -> None:
    _, home = play(Scenario("c").says("One."))
    async with Running(home) as run:
        run.session.set_effort("enormous")
        failed = await run.until(ErrorReported)
        assert "The effort is not enormous: it stays medium" in failed.text
        assert not run.all(EffortChanged)


async def test_the_sessions_of_a_directory_are_listed_with_their_titles(play: Callable[..., Any]) -> None:
    _, home = play(Scenario("c").says("One."))
    ids = []
    for title in ("", "The second"):
        async with Running(home) as run:
            run.session.send("Say one")
            await run.idle()
            ids.append(run.session.session_id)
            if title:
                await run.session.ask(controls.rename(title))
    options = SessionOptions(cwd=home.project, environment=home.overrides())
    second, first = await earlier_sessions(options)
    assert [first.session_id, second.session_id] == ids
    assert (first.summary, second.summary) == ("Say one", "The second")
    assert second.modified >= first.modified > 0
