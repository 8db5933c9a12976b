"""The script of a model, the wire it is sent on, and the inputs of its tools."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.questions.model import Kind, Option, Question
from ccq_tui.testing import Scenario, ask, delegate, question_set_input, run
from ccq_tui.testing.play import Part, Turn
from ccq_tui.testing.scenario import Cut, Failure, Message, Silence, TurnEnd
from ccq_tui.testing.server import Chunk, stream, whole
from tests.tables import each_row
from tests.unit.testing.talk import Talk

QUESTION = Question("Which?", "Store", (Option("A", "first"), Option("B", "second")))


def test_a_scenario_is_never_changed_in_place() -> None:
    start = Scenario("x").says("one")
    longer = start.says("two").runs("Bash", command="ls")
    assert start == Scenario("x").says("one")
    assert longer != start


def test_prose_gathers_until_a_tool_call_closes_the_message() -> None:
    talk = Talk(Scenario("x").thinks("hm").says("a").asks(QUESTION).says("b"))
    assert talk.says("go") == "a"
    first = talk.messages[-1]["content"]
    assert [block["type"] for block in first] == ["thinking", "text", "tool_use"]
    assert talk.result("answered") == "b"


@each_row(
    (Scenario().says("a"), "end_turn"),
    (Scenario().runs("Bash", command="ls"), "tool_use"),
    (Scenario().says("a").stops("max_tokens"), "max_tokens"),
)
def test_the_stop_reason_follows_the_content(scenario: Scenario, reason: str) -> None:
    turn = Talk(scenario).next()
    assert isinstance(turn, Turn)
    assert turn.stop_reason == reason


def test_ids_are_predictable_and_go_on_counting() -> None:
    talk = Talk(Scenario("db").asks(QUESTION).together(run("Bash", command="ls"), ask(QUESTION)).says("end"))
    talk.says("go")
    talk.result("x")
    talk.result("y")
    assert [call[0] for call in talk.calls] == ["toolu_db_1", "toolu_db_2", "toolu_db_3"]
    assert [call[1] for call in talk.calls] == ["AskUserQuestion", "Bash", "AskUserQuestion"]


def test_words_and_arguments_are_made_from_the_replies() -> None:
    talk = Talk(
        Scenario("x")
        .asks(QUESTION)
        .says(lambda a: f"{a.prompt}/{a.last}/{a.result(1)}/{a.result(9)}/{a.failed}")
        .runs("Bash", command=lambda a: f"echo {a.picked('A', 'B')}")
        .asks(lambda a: Question(f"Why {a.result(1)}?", "Why", QUESTION.options))
        .says(lambda a: f"{a.failed}")
    )
    talk.says("go")
    assert talk.result("took B") == "go/took B/took B//False"
    assert talk.calls[1][2] == {"command": "echo B"}
    talk.result("ok")
    assert talk.calls[2][2]["questions"][0]["question"] == "Why took B?"
    assert talk.result("no", is_error=True) == "True"


def test_answers_come_without_the_sentences_around_them() -> None:
    talk = Talk(Scenario("x").asks(QUESTION).says(lambda a: a.answers(1)))
    talk.says("go")
    result = talk.result(
        'Your questions have been answered: "Which?"="A. B". You can now continue with these answers in mind.'
    )
    assert result == '"Which?"="A. B"'


def test_a_branch_is_chosen_when_the_play_arrives() -> None:
    talk = Talk(
        Scenario("x")
        .asks(QUESTION)
        .then(lambda a: Scenario().says("yes").runs("Bash", command="ls") if "A" in a.last else Scenario())
        .says("end")
    )
    talk.says("go")
    assert talk.result("A") == "yes"
    assert talk.result("listing") == "end"


def test_a_raw_input_is_sent_as_it_is() -> None:
    raw = {"questions": "not a list", "more": 1}
    talk = Talk(Scenario("x").asks(raw=raw))
    talk.says("go")
    assert talk.calls[0][2] == raw
    with pytest.raises(ValueError, match="not both"):
        ask(QUESTION, raw=raw)


def test_a_rejected_plan_is_proposed_again_until_it_is_approved() -> None:
    talk = Talk(Scenario("x").plans("first", revised=lambda a: f"after {a.last}").says("approved"))
    talk.says("go")
    talk.user({"type": "tool_result", "tool_use_id": "toolu_x_1", "content": "Entered plan mode."})
    talk.messages.append(
        {"role": "system", "content": "create your plan at /c/plans/a-b.md using the Write tool."}
    )
    talk.next()
    assert talk.calls[1][1:] == ("Write", {"file_path": "/c/plans/a-b.md", "content": "first"})
    talk.result("written")
    talk.result("too long", is_error=True)
    assert talk.calls[3][2]["content"] == "after too long"
    talk.result("written")
    assert talk.result("User has approved your plan.") == "approved"
    assert [call[1] for call in talk.calls] == ["EnterPlanMode", *["Write", "ExitPlanMode"] * 2]


def test_failures_cuts_and_silence_are_steps() -> None:
    scenario = (
        Scenario()
        .fails(429, "slow", retry_after=1.5, times=2)
        .says("half")
        .cuts(2)
        .hangs(limit=3)
        .says("late")
    )
    first, second, cut, late = scenario.steps
    assert first == second
    assert isinstance(first, Failure)
    assert (first.status, first.headers) == (429, {"retry-after": "1.5"})
    assert first.body["error"] == {"type": "rate_limit_error", "message": "slow"}
    assert isinstance(cut, Message)
    assert cut.cut == Cut(2)
    assert isinstance(late, Message)
    assert late.blocks[0] == Silence("hang", 3)


def test_the_end_of_a_turn_closes_the_message() -> None:
    steps = Scenario().says("a").ends_turn().says("b").steps
    assert [type(step) for step in steps] == [Message, TurnEnd, Message]


def test_usage_replaces_the_estimate() -> None:
    turn = Talk(Scenario().says("a").uses(input_tokens=150_000)).next()
    assert isinstance(turn, Turn)
    assert turn.usage["input_tokens"] == 150_000
    assert turn.usage["output_tokens"] == 1


@each_row("", "a b", "ü", "x" * 41)
def test_a_name_has_to_fit_a_tool_use_id(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        Scenario(name)


def test_a_subagent_call_carries_its_prompt() -> None:
    talk = Talk(Scenario("x").together(delegate("look", Scenario("scout").says("seen"), background=True)))
    assert talk.says("go") == ""
    assert talk.calls[0][1:] == (
        "Agent",
        {
            "description": "scout",
            "prompt": "look",
            "subagent_type": "general-purpose",
            "run_in_background": True,
        },
    )


TEXT = Part({"type": "text", "text": ""}, "text", "")


def turn(*contents: str, cut: Cut | None = None) -> Turn:
    parts = tuple(Part(TEXT.start, "text", content) for content in contents)
    return Turn("msg_1", parts, "end_turn", {"input_tokens": 7, "output_tokens": 9}, cut)


def events(items: list[Chunk | Silence | Cut]) -> list[dict[str, Any]]:
    chunks = [item.data.decode() for item in items if isinstance(item, Chunk)]
    return [json.loads(chunk.split("data: ", 1)[1]) for chunk in chunks]


@given(st.lists(st.text(), max_size=4), st.integers(1, 20))
def test_the_deltas_put_together_are_the_content(contents: list[str], size: int) -> None:
    found = events(list(stream(turn(*contents), "m", size)))
    blocks = [""] * len(contents)
    for event in found:
        if event["type"] == "content_block_delta":
            assert len(event["delta"]["text"]) <= size
            blocks[event["index"]] += event["delta"]["text"]
    assert blocks == contents
    assert [found[0]["type"], found[-1]["type"]] == ["message_start", "message_stop"]


@given(st.text(min_size=1), st.integers(0, 30), st.integers(1, 9))
def test_a_cut_sends_exactly_the_characters_before_it(words: str, after: int, size: int) -> None:
    items = list(stream(turn(words, cut=Cut(after)), "m", size))
    sent = "".join(event.get("delta", {}).get("text", "") for event in events(items))
    assert sent == words[:after]
    assert isinstance(items[-1], Cut)
    assert all(event["type"] != "message_stop" for event in events(items))


def test_a_cut_may_report_an_error_first() -> None:
    items = list(stream(turn("words", cut=Cut(None, "overloaded_error")), "m", 9))
    assert events(items)[-1]["error"]["type"] == "overloaded_error"
    assert isinstance(items[-1], Cut)


def test_a_silence_at_the_start_comes_before_the_first_byte() -> None:
    silent = Turn("msg_1", (Silence(), *turn("a").parts, Silence("b"), *turn("c").parts), "end_turn")
    kinds = [type(item).__name__ for item in stream(silent, "m", 9)]
    assert kinds[:2] == ["Silence", "Chunk"]
    assert kinds.count("Silence") == 2


def test_tool_input_and_thinking_stream_in_their_own_deltas() -> None:
    call = Part({"type": "tool_use", "id": "t", "name": "Bash", "input": {}}, "partial_json", '{"a": 1}')
    thought = Part({"type": "thinking", "thinking": "", "signature": ""}, "thinking", "hm")
    found = events(list(stream(Turn("msg_1", (thought, call), "tool_use"), "m", 3)))
    deltas = [event["delta"] for event in found if event["type"] == "content_block_delta"]
    assert [delta["type"] for delta in deltas] == [
        "thinking_delta",
        "signature_delta",
        *["input_json_delta"] * 3,
    ]
    (chunk,) = whole(Turn("msg_1", (thought, call), "tool_use"), "m")
    assert isinstance(chunk, Chunk)
    body = json.loads(chunk.data)
    assert body["content"][1] == {"type": "tool_use", "id": "t", "name": "Bash", "input": {"a": 1}}
    assert (body["stop_reason"], body["model"]) == ("tool_use", "m")


def test_a_plain_question_has_only_the_plain_keys() -> None:
    question = Question("Which?", "Store", (Option("A", "first"), Option("B", "", "box")), multi_select=True)
    assert question_set_input([question]) == {
        "questions": [
            {
                "question": "Which?",
                "header": "Store",
                "options": [
                    {"label": "A", "description": "first"},
                    {"label": "B", "description": "", "preview": "box"},
                ],
                "multiSelect": True,
            }
        ]
    }


def test_extended_kinds_have_their_keys() -> None:
    number = Question(
        "How many?",
        "Days",
        kind=Kind.NUMBER,
        description="d",
        placeholder="p",
        minimum=1,
        maximum=9.5,
        step=0.5,
        default="3",
        unit="days",
    )
    made = question_set_input([number, Question("Name?", "Name", kind=Kind.TEXT, default="x")], title="Both")
    assert made["title"] == "Both"
    assert made["questions"] == [
        {
            "question": "How many?",
            "header": "Days",
            "kind": "number",
            "description": "d",
            "placeholder": "p",
            "unit": "days",
            "defaultValue": 3,
            "min": 1,
            "max": 9.5,
            "step": 0.5,
        },
        {"question": "Name?", "header": "Name", "kind": "text", "defaultValue": "x"},
    ]


def test_a_mapping_is_taken_as_it_is() -> None:
    assert question_set_input([{"question": 1}]) == {"questions": [{"question": 1}]}
