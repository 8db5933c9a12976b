from __future__ import annotations

import json
from typing import Any

import pytest

from ccq_tui.testing import Scenario
from ccq_tui.testing.incoming import Incoming, Role
from ccq_tui.testing.play import Director
from tests.unit.testing.talk import CLI, TOOLS, Talk, text_of

INTERRUPTED = {"type": "text", "text": "[Request interrupted by user for tool use]"}
TITLE_FORMAT = {
    "format": {
        "type": "json_schema",
        "schema": {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]},
    }
}
NOTICE = (
    "<system-reminder>[SYSTEM NOTIFICATION - NOT USER INPUT]"
    "<task-notification><result>done</result></task-notification></system-reminder>"
)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


@pytest.mark.parametrize(
    ("body", "headers", "role"),
    [
        ({"tools": TOOLS}, CLI, Role.MAIN),
        ({"tools": [], "context_management": {}}, CLI, Role.MAIN),
        ({"tools": []}, {}, Role.MAIN),
        ({"tools": []}, CLI, Role.SIDE),
        ({"tools": TOOLS, "output_config": TITLE_FORMAT}, CLI, Role.SIDE),
        ({"tools": TOOLS, "max_tokens": 1}, CLI, Role.SIDE),
        (
            {
                "tools": TOOLS,
                "messages": [
                    {"role": "user", "content": "… create a detailed summary of the conversation so far …"}
                ],
            },
            CLI,
            Role.SIDE,
        ),
        ({"tools": TOOLS}, CLI | {"x-claude-code-agent-id": "a1"}, Role.SUBAGENT),
        ({"tools": TOOLS, "system": [text("cc_is_subagent=true;")]}, CLI, Role.SUBAGENT),
    ],
)
def test_who_sent_a_request(body: dict[str, Any], headers: dict[str, str], role: Role) -> None:
    assert Incoming(body, headers).role is role


def test_side_requests_use_up_nothing() -> None:
    talk = Talk(Scenario("x", title="My title").says("one").ends_turn().says("two"))
    talk.user(text("hello"))
    for _ in range(3):
        answer, name = talk.director.answer(talk.incoming(output_config=TITLE_FORMAT))
        assert json.loads(text_of(answer)) == {"title": "My title"}
        assert name == ""
    assert text_of(talk.next()) == "one"
    assert talk.says("more") == "two"


def test_each_session_plays_from_the_start_with_ids_of_its_own() -> None:
    director = Director(Scenario("x").runs("Bash", command="ls").says(lambda a: a.result(1)))
    first, second = Talk(director), Talk(director, x_claude_code_session_id="s2")
    first.says("go")
    second.says("go")
    assert (first.calls[0][0], second.calls[0][0]) == ("toolu_x_1", "toolu_x-2_1")
    assert (first.result("one"), second.result("two")) == ("one", "two")


def test_a_fork_goes_on_where_its_origin_stands() -> None:
    director = Director(
        Scenario("x").runs("Bash", command="ls").says("one").ends_turn().says(lambda a: a.result(1))
    )
    origin = Talk(director)
    origin.says("go")
    origin.result("listing")
    fork = Talk(director, x_claude_code_session_id="s2")
    fork.messages = list(origin.messages)
    assert fork.says("more") == "listing"
    assert origin.says("more") == "listing"


def test_an_interrupted_turn_is_skipped_when_there_is_a_next_one() -> None:
    talk = Talk(Scenario("x").runs("Bash", command="ls").says("rest of one").ends_turn().says("two"))
    talk.says("go")
    stopped = {"type": "tool_result", "tool_use_id": "toolu_x_1", "content": "STOP", "is_error": True}
    talk.user(stopped, INTERRUPTED, text("something else"))
    assert text_of(talk.next()) == "two"


def test_an_interrupted_last_turn_is_played_on() -> None:
    talk = Talk(Scenario("x").runs("Bash", command="ls").says("rest"))
    talk.says("go")
    talk.user(INTERRUPTED, text("go on"))
    assert text_of(talk.next()) == "rest"


def test_what_belongs_to_the_next_prompt_waits_for_it() -> None:
    talk = Talk(Scenario("x").runs("Bash", command="ls").ends_turn().says("two").afterwards("nothing"))
    talk.says("go")
    assert talk.result("listing") == "nothing"
    assert talk.says("more") == "two"
    assert talk.says("more") == "nothing"


def test_a_notice_of_a_finished_task_waits_for_no_prompt() -> None:
    talk = Talk(Scenario("x").says("one").ends_turn().says("two").noted("noted"))
    assert talk.says("go") == "one"
    assert talk.says(NOTICE) == "noted"
    assert talk.says("more") == "two"


def test_a_repeating_script_starts_again_and_counts_on() -> None:
    talk = Talk(Scenario("x").runs("Bash", command="ls").says(lambda a: a.result(1)).repeats())
    talk.says("go")
    assert talk.result("first") == "first"
    talk.says("again")
    assert talk.calls[-1][0] == "toolu_x_2"
    assert talk.result("second") == "second"


def test_a_subagent_is_recognised_by_its_prompt() -> None:
    look, look_deeper = Scenario("look").says("looked"), Scenario("deeper").says("dug")
    main = Talk(Scenario("x").agent("Look", look).agent("Look deeper", look_deeper).says("end"))
    main.says("go")
    main.result("report")
    deeper = Talk(main.director, x_claude_code_agent_id="a2")
    first = Talk(main.director, x_claude_code_agent_id="a1")
    assert deeper.says("<system-reminder>x</system-reminder>\nLook deeper") == "dug"
    assert first.says("Look") == "looked"
    assert Talk(main.director, x_claude_code_agent_id="a3").says("unknown") == "I have nothing to report."
    assert main.result("report") == "end"


def test_a_failing_callable_leaves_the_play_where_it_stood() -> None:
    broken = [True]

    def words(_: object) -> str:
        if broken:
            raise LookupError("boom")
        return "fine"

    talk = Talk(Scenario("x").says(words).runs("Bash", command="ls"))
    talk.user(text("go"))
    with pytest.raises(LookupError):
        talk.next()
    broken.clear()
    assert text_of(talk.next()) == "fine"
    assert talk.calls[0][0] == "toolu_x_1"


def test_the_play_knows_when_it_is_finished() -> None:
    talk = Talk(Scenario("x").says("one").ends_turn())
    talk.says("go")
    assert talk.director.plays[0].finished
