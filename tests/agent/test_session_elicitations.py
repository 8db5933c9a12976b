"""Forms and links of a real MCP server: what a person fills in arrives at the server, exactly."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient

from ccq_tui.agent import events as ev
from ccq_tui.inbox.requests import Cancelled, ElicitationRequest, QuestionRequest
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions import Answer, Answered, Declined, Dismissed, Option, Question
from ccq_tui.questions.schema_form import OPEN_LINK
from ccq_tui.testing import CleanHome, Scenario
from tests.actors import PANEL
from tests.agent.running import LIMIT, Play, Running, alive, inbox_at, stored
from tests.agent.stage import staged
from tests.processes import command, everything
from tests.steps import until_true

SERVER = Path(__file__).with_name("eliciting_server.py")
WHICH = Question("Which?", "Which", (Option("A", "a"), Option("B", "b")))
ASK, LATER = "mcp__forms__ask", "mcp__forms__later"
TEXT: dict[str, Any] = {"type": "string"}
LINK, NOON = "https://example.com/a?b=c", "2026-02-28T12:00:00Z"
CONSTANTS = [{"const": "a", "title": "Tier A"}, {"const": "b", "title": "B"}]
SEVERAL = {"type": "array", "minItems": 1, "maxItems": 2, "items": TEXT | {"enum": ["x", "y", "z"]}}
FIELDS: tuple[tuple[str, dict[str, Any], Answer, Any], ...] = (
    ("name", TEXT | {"title": "Your name", "minLength": 2, "maxLength": 10}, Answer(other="Ada ß"), "Ada ß"),
    ("mail", TEXT | {"format": "email"}, Answer(other="ada@example.com"), "ada@example.com"),
    ("site", TEXT | {"format": "uri"}, Answer(other=LINK), LINK),
    ("day", TEXT | {"format": "date"}, Answer(other="2026-02-28"), "2026-02-28"),
    ("at", TEXT | {"format": "date-time"}, Answer(other=NOON), NOON),
    ("count", {"type": "integer", "minimum": 1, "maximum": 9, "default": 3}, Answer(other="5"), 5),
    ("ratio", {"type": "number"}, Answer(other="0.25"), 0.25),
    ("sure", {"type": "boolean", "default": False}, Answer(("Yes",)), True),
    ("env", TEXT | {"enum": ["prod", "dev"], "enumNames": ["Live", "Trial"]}, Answer(("Trial",)), "dev"),
    ("tier", TEXT | {"oneOf": CONSTANTS}, Answer(("Tier A",)), "a"),
    ("tags", SEVERAL, Answer(("x", "z")), ["x", "z"]),
    ("more", {"type": "array", "items": {"anyOf": CONSTANTS}}, Answer(empty=True), []),
    ("left", TEXT, Answer(), None),
)
"""Each field's name and schema, its answer, and the value that the server gets; None is left out."""
EVERY: dict[str, Any] = {
    "type": "object",
    "properties": {name: schema for name, schema, *_ in FIELDS},
    "required": ["name", "env"],
}
FILLED = tuple(answer for *_, answer, _ in FIELDS)
CONTENT = {name: value for name, *_, value in FIELDS if value is not None}
ONE = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}


def serving(home: CleanHome, *, modern: bool = False) -> dict[str, Any]:
    """Give the options of a session with the server; ``modern``: the CLI may choose the newest protocol."""
    schemas = home.root / "schemas.json"
    schemas.write_text(json.dumps({"every": EVERY, "one": ONE}), encoding="utf-8")
    if not modern:
        home.env["MCP_PROTOCOL_NEGOTIATION"] = "legacy"
    server = {"command": sys.executable, "args": [str(SERVER), str(schemas), str(home.root / "told")]}
    return {
        "mcp_config": (json.dumps({"mcpServers": {"forms": server}}),),
        "allowed_tools": (ASK, LATER),
        "environment": home.overrides(),
    }


def logged(home: CleanHome) -> list[dict[str, Any]]:
    """Return what the server was told."""
    path = home.root / "told"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def servers(home: CleanHome) -> list[int]:
    """Return the processes of the server."""
    words = f"{SERVER} {home.root / 'schemas.json'}"
    return [pid for pid in everything() if words in command(pid)]


async def no_server_left(home: CleanHome) -> None:
    await until_true(lambda: not servers(home))


async def test_what_a_person_fills_in_arrives_at_the_server(play: Play) -> None:
    model, home = play(Scenario())
    async with staged((model, home), **serving(home)) as stage:
        async with stage.scene(
            "every kind of field", Scenario("a").runs(ASK, schema="every").says("Done.")
        ) as run:
            asked = await sent(run)
            await run.until(ev.StateChanged, lambda e: e.state is ev.SessionState.AWAITING)
            assert list(asked.form.names) == list(EVERY["properties"])
            with pytest.raises(InvalidOutcome, match=r"answers\[0\].other: Your name: too short"):
                await run.inbox.settle(asked.id, Answered((Answer(other="A"), *FILLED[1:])), PANEL)
            await run.answer(asked.id, Answered(FILLED)).until(ev.TurnEnded)
            assert logged(home)[-1] == {"action": "accept", "content": CONTENT}
            (finished,) = run.all(ev.ToolFinished)
            assert not finished.is_error
            assert json.loads(json.loads(finished.output)["result"])["content"] == CONTENT
            filled = asked.id
        for outcome, action in ((Declined(), "decline"), (Dismissed(), "cancel")):
            async with stage.scene(action, Scenario("b").runs(ASK, schema="one").says("Done.")) as run:
                asked = await sent(run)
                await run.answer(asked.id, outcome).until(ev.TurnEnded)
                assert logged(home)[-1] == {"action": action, "content": None}
                assert run.one(ev.RequestSettled).outcome == outcome
        link = "https://example.com/login?a=1"
        async with stage.scene("a link", Scenario("c").runs(ASK, schema="", link=link).says("Done.")) as run:
            asked = await sent(run)
            assert (asked.url, asked.host) == (link, "example.com")
            await run.answer(asked.id, Answered((Answer(selected=(OPEN_LINK,)),))).until(ev.TurnEnded)
            assert logged(home)[-1] == {"action": "accept", "content": None}
        both = Scenario("d").asks(WHICH).runs(ASK, schema="one").says("Done.")
        async with stage.scene("beside a question, and interrupted", both) as run:
            run.session.send("Go")
            question = (await run.until(QuestionRequest)).request
            run.answer(question.id, Answered((Answer(selected=("A",)),)))
            asked = (await run.until(ElicitationRequest)).request
            count = len(logged(home))
            run.session.interrupt()
            settled = await run.until(ev.RequestSettled, lambda e: e.request_id == asked.id)
            assert settled.outcome == Cancelled("interrupted")
            await run.until(ev.TurnEnded)
            assert len(logged(home)) == count
            await run.inbox.run(lambda _: None)
            assert not run.inbox.pending
        once = Scenario("k").runs(ASK, schema="one").says("Done.")
        async with stage.scene("a form ends as its session is closed", once) as run:
            await it_ends_with_its_process(run, home, kill=False)
    kept = await stored(run.inbox, filled)
    assert (kept.state, kept.way, kept.request.schema) == ("delivered", "result", EVERY)


async def sent(run: Running) -> ElicitationRequest:
    """Have the server ask, and return its elicitation."""
    run.session.send("Go")
    return (await run.until(ElicitationRequest)).request


async def test_the_newest_protocol_asks_in_its_result(play: Play) -> None:
    later = Scenario("m").runs(LATER, schema="one").says("Done.")
    model, home = play(Scenario())
    async with staged((model, home), **serving(home, modern=True)) as stage:
        async with stage.scene("it is answered", later) as run:
            asked = await sent(run)
            await run.answer(asked.id, Answered((Answer(other="yes, please"),))).until(ev.TurnEnded)
            assert logged(home) == [{"action": "accept", "content": {"word": "yes, please"}}]
        async with stage.scene("it ends with its killed process", later) as run:
            await it_ends_with_its_process(run, home, kill=True)


async def it_ends_with_its_process(run: Running, home: CleanHome, *, kill: bool) -> None:
    before = logged(home)
    asked = await sent(run)
    pid = run.pid
    assert pid is not None
    if kill:
        os.kill(pid, signal.SIGKILL)
    else:
        run.session.close()
    settled = await run.until(ev.RequestSettled)
    assert isinstance(settled.outcome, Cancelled)
    await until_true(lambda: not run.inbox.pending)  # it is withdrawn soon, without waiting for the disk
    await run.ended()
    assert not alive(pid)
    await no_server_left(home)
    assert logged(home) == before, "nobody has answered, so the server was told nothing"
    kept = await stored(run.inbox, asked.id)
    assert (kept.state, kept.outcome) == ("cancelled", settled.outcome)


async def test_a_form_beside_a_parked_question_ends(play: Play, tmp_path: Path) -> None:
    errand = Scenario("sub").runs(ASK, schema="one").says("Back.")
    scene = Scenario("p").agent("Fetch it", errand, background=True).asks(WHICH).says("Done.")
    _, home = play(scene)
    async with inbox_at(tmp_path) as inbox:
        async with Running(home, inbox, **serving(home)) as run:
            form, question = await sent(run), (await run.until(QuestionRequest)).request
            run.session.park()
            assert (await run.until(ev.RequestParked)).request_id == question.id
            await run.until(ev.RequestSettled, lambda e: e.request_id == form.id)
            await run.ended()
        await no_server_left(home)
        assert (await stored(inbox, question.id)).state == "pending"
        assert isinstance((await stored(inbox, form.id)).outcome, Cancelled)


async def test_the_sdk_does_not_answer_elicitations_itself(play: Play) -> None:
    """Once it does, `ccq_tui.agent.claude.elicitations` is to give way to its public interface."""
    _, home = play(Scenario("s").runs(ASK, schema="one").says("Done."))
    given = serving(home)
    options = ClaudeAgentOptions(
        cwd=home.project,
        env=given["environment"],
        mcp_servers=given["mcp_config"][0],
        allowed_tools=[ASK],
        can_use_tool=None,
    )
    async with ClaudeSDKClient(options) as client, asyncio.timeout(LIMIT):
        await client.query("Go")
        async for _ in client.receive_response():
            pass
    assert logged(home) == [{"action": "cancel", "content": None}]
