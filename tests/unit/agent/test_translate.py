"""One conversation gives the same events live, stored and recorded: text, problems, tokens and cost."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from claude_agent_sdk._internal.message_parser import parse_message
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.agent import events as ev
from ccq_tui.agent.claude.classify import api_problem, detail
from ccq_tui.agent.claude.conversation import Conversation, line_of
from ccq_tui.agent.controls import COST_SO_FAR
from ccq_tui.agent.events import NoticeGiven
from ccq_tui.agent.history import replay
from ccq_tui.agent.problems import ADVICE, TESTED_CLI, Problem, cli_version, with_tested
from ccq_tui.agent.translate import TurnUsage, compaction
from ccq_tui.claude_lines import MAX_OUTPUT_CHARACTERS, bounded, output_text
from ccq_tui.inbox.agent_texts import rejection
from ccq_tui.words import bytes_counted
from tests.tables import each_row, table
from tests.unit.agent.recordings import as_data, events_of, opened, reply, text

Lines = list[dict[str, Any]]
SUMMARY = "This session is being continued from a previous conversation. Summary: ..."
TABLE = table(__file__, "conversations.json")


def live(lines: Lines, _path: Path) -> list[ev.AgentEvent]:
    conversation = Conversation(session_id="s", model="", mode="")
    events: list[ev.AgentEvent] = []
    for line in lines:
        needed = {"duration_api_ms": 0, "num_turns": 1, "session_id": "s", "output_file": ""}
        if line["type"] == "assistant":
            needed["message"] = {"model": "m", **line["message"]}
        message = parse_message(line | needed)
        assert message is not None
        events += conversation.feed(line_of(message))
    return events


def stored(lines: Lines, _path: Path) -> list[ev.AgentEvent]:
    return list(replay(lines))


def recorded(lines: Lines, path: Path) -> list[ev.AgentEvent]:
    return [event for event in events_of(opened(path, *lines)) if not isinstance(event, ev.Connected)]


MESSAGES = {"user", "assistant"}
STORED = [name for name, one in TABLE.items() if {line["type"] for line in one["lines"]} <= MESSAGES]


@each_row(
    *[
        (read, name)
        for read in (live, stored, recorded)
        for name in sorted(STORED if read is stored else TABLE)
    ]
)
def test_a_conversation(
    read: Callable[[Lines, Path], list[ev.AgentEvent]], name: str, *, tmp_path: Path
) -> None:
    lines, events = TABLE[name]["lines"], TABLE[name]["events"]
    if read is live:  # what was sent is known; the rest of it is for the model alone
        events = [one for one in events if one != {"event": "Compacted", "summary": SUMMARY}]
        events = [one for one in events if one["event"] != "PromptAccepted"]
    found = read([{"uuid": f"u{number}", **line} for number, line in enumerate(lines)], tmp_path)
    assert [as_data(event) for event in found] == events


def test_a_message_that_came_before_is_passed_over() -> None:
    conversation = Conversation(session_id="s", model="", mode="")
    conversation.remember(["u1", "u2"])
    line = reply(text("Again"), uuid="u2", parent_tool_use_id=None)
    assert list(conversation.feed(line)) == []
    assert conversation.newest_message == "u2"


def usage(new: int, cached: int = 0, written: int = 0) -> dict[str, int]:
    return {"input_tokens": new, "cache_read_input_tokens": cached, "output_tokens": written}


def test_what_each_request_repeats_counts_once() -> None:
    turn = TurnUsage(0.0)
    for _ in range(3):  # the stream's start, then a message for each block
        turn.requested("m1", usage(1_000))
    turn.answered(usage(0, written=50))
    turn.requested("m2", usage(10, 1_050))
    turn.answered(usage(0, written=5))
    assert turn.end_turn(0.25, usage(1_010, 1_050)) == (1_010, 0.25)
    turn.requested("m3", usage(7, 1_065))
    assert turn.end_turn(0.75, usage(7, 1_065)) == (7, 0.5)


def test_a_compaction_a_clear_and_a_remark_of_the_cli() -> None:
    turn = TurnUsage(0.0)
    turn.requested("m1", usage(100_000))
    turn.requested("m2", usage(3_000))  # compacted: nothing new
    turn.requested("remark", usage(0))
    turn.requested("m3", usage(3_400))
    assert turn.end_turn(1.0, {}) == (100_400, 1.0)
    assert turn.end_turn(0.0, usage(0)) == (0, 0.0)  # cleared
    turn.cleared()
    turn.requested("m4", usage(2_000))
    assert turn.end_turn(0.5, {}) == (2_000, 0.5)


def test_nothing_is_made_up_where_the_cli_says_nothing() -> None:
    turn = TurnUsage()  # resumed, and what it cost so far is not known
    assert turn.end_turn(2.0, usage(40, 60)) == (100, None)
    assert turn.end_turn(2.5, {}) == (0, 0.5)
    assert turn.end_turn(None, {"input_tokens": "many"}) == (0, None)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**5)), min_size=1, max_size=20))
def test_the_turns_read_no_more_than_the_largest_context(grown: list[tuple[int, int]]) -> None:
    turn, context, read = TurnUsage(0.0), 0, 0
    for number, (new, written) in enumerate(grown):
        turn.requested(str(number), usage(new, context))
        turn.answered(usage(0, written=written))
        context += new + written
        read += turn.end_turn(0.0, {})[0]
    assert read <= context


def test_the_cost_so_far_is_read_from_the_words_of_the_cli() -> None:
    read = COST_SO_FAR.read
    assert read({"text": "Estimated cost:        $1,234.0040\nTotal duration (API):  0s"}) == 1234.004
    assert read({"text": "no price list here"}) is None
    assert read({}) is None


def test_content_of_every_shape_is_text() -> None:
    assert output_text(None) == ""
    assert output_text("plain") == "plain"
    blocks = [{"type": "text", "text": "a"}, {"type": "image", "source": {}}, "b"]
    assert output_text(blocks) == "a\n[image]\nb"
    source = {"type": "base64", "media_type": "image/png", "data": "QUJD" * 1000 + "QQ=="}
    assert output_text([{"type": "image", "source": source}]) == "[image, image/png, 3.0 KB]"


def test_sizes() -> None:
    sizes = [bytes_counted(count, exact=True) for count in (1, 70, 12_345, 4_000_000)]
    assert sizes == ["1 byte", "70 bytes", "12.3 KB", "4.0 MB"]


def test_long_text_keeps_its_beginning_and_its_end() -> None:
    assert bounded("x" * 10, 10) == "x" * 10
    assert bounded("abcdefghijklmn", 4) == "ab\n… 10 characters left out …\nmn"
    text = output_text("a" * 3_000_000)
    assert MAX_OUTPUT_CHARACTERS < len(text) < MAX_OUTPUT_CHARACTERS + 100


def test_a_refusal_with_and_without_words() -> None:
    assert rejection("Use b").endswith("To tell you how to proceed, the user said:\nUse b")
    assert rejection(" ").endswith("Ask the user how to proceed, or go on with what does not need it.")


def test_what_becomes_of_a_compaction() -> None:
    assert list(compaction({"status": "requesting"})) == []
    failed = {"status": None, "compact_result": "failed", "compact_error": "too short"}
    assert list(compaction(failed)) == [
        NoticeGiven("error", "The conversation could not be compacted: too short")
    ]


# What CLI 2.1.330 said.
SAID = table(__file__, "said.json")


@each_row(*SAID["problems"])
def test_what_the_cli_reports_is_one_of_our_problems(kind: str, text: str, problem: str) -> None:
    assert api_problem(kind, text) == problem


@each_row(*SAID["details"])
def test_what_we_say_better_is_left_out(said: str, left: str) -> None:
    assert detail(said) == left


@each_row(
    ("1.0.128 (Claude Code)", (1, 0, 128), "1.0.128 (Claude Code)"),
    ("2.1.330", TESTED_CLI, "2.1.330"),
    ("2.1.1000", (2, 1, 1000), "2.1.1000, newer than the tested 2.1.330"),
    ("", None, ""),
)
def test_versions_are_compared_as_numbers(words: str, version: tuple[int, ...] | None, shown: str) -> None:
    assert cli_version(words) == version
    assert with_tested(words) == shown


def test_every_problem_has_a_cause_and_a_remedy_of_one_sentence_each() -> None:
    assert set(ADVICE) == set(Problem)
    for known in ADVICE.values():
        assert known.cause.endswith(".")
        assert known.remedy.endswith(".")
        assert known.cause.count(". ") == known.remedy.count(". ") == 0
    assert ADVICE.get("brand_new") is None
