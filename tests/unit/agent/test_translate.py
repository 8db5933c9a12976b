"""One conversation gives the same events live, stored and recorded: text, problems, tokens and cost."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk._internal.message_parser import parse_message
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.agent import events as ev
from ccq_tui.agent.claude import notices
from ccq_tui.agent.claude.classify import api_problem, detail
from ccq_tui.agent.claude.cli_process import is_too_old
from ccq_tui.agent.claude.conversation import Conversation, line_of
from ccq_tui.agent.controls import COST_SO_FAR
from ccq_tui.agent.events import NoticeGiven
from ccq_tui.agent.history import replay
from ccq_tui.agent.problems import ADVICE, Problem
from ccq_tui.agent.translate import TurnUsage
from ccq_tui.agent.user_texts import OUTPUT_LIMIT
from ccq_tui.claude_lines import MAX_OUTPUT_CHARACTERS, bounded, output_text
from ccq_tui.inbox.agent_texts import rejection
from ccq_tui.words import bytes_counted
from tests.unit.agent.recordings import back, call, events_of, opened, prompt, result, said, text
from tests.unit.prompts.pictures import png

Lines = list[dict[str, Any]]
TEXT, THINKING = ev.BlockKind.TEXT, ev.BlockKind.THINKING
SUMMARY = "This session is being continued from a previous conversation. Summary: ..."
IMAGE = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": base64.b64encode(png(64, 48)).decode()},
}
BROKEN = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "!"}}
SIZE = len(png(64, 48))
NAMED = f"See [image 1: a.png 64×48, {SIZE} bytes]"
HIDDEN = "<{0}>what an editor or a hook adds</{0}>"
EDITED = {"type": "update", "structuredPatch": [{"oldStart": 1, "newStart": 1, "lines": ["-a", "+b"]}]}
USAGE = {"total_tokens": 8865, "tool_uses": 2, "duration_ms": 1203}
AGENT = {"task_id": "t", "tool_use_id": "a"}
PIECES = [
    {"type": "message_start", "message": {"id": "msg_1"}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hel"}},
]
STREAMED = [{"type": "stream_event", "event": event} for event in PIECES]


def blocks(*content: dict[str, Any]) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": list(content)}}


def system(subtype: str, **more: Any) -> dict[str, Any]:
    return {"type": "system", "subtype": subtype, **more}


def prompts(*texts: str) -> list[ev.AgentEvent]:
    return [ev.PromptAccepted(one) for one in texts]


def ended(reason: str = "completed", **more: Any) -> ev.TurnEnded:
    known = {"is_error": False, "duration": 1.5, "cost": 0.25, "input_tokens": 0, "output_tokens": 0}
    return ev.TurnEnded(**{"reason": reason, **known, **more})


TABLE: dict[str, tuple[Lines, list[ev.AgentEvent]]] = {
    "what Claude says and calls": (
        [
            prompt("Build it"),
            said({"type": "thinking", "thinking": "Hm.", "signature": "s"}),
            said(text("So:")),
            said(call("Edit", {"file_path": "f"})),
            back("ok", tool_use_result=EDITED),
            said(call("Bash", {}, "toolu_2"), message="msg_2"),
            back([text("a"), {"type": "image", "source": {}}, "b"], "toolu_2", failed=True),
            said({"type": "redacted_thinking", "data": "?"}, message="msg_3"),
            said(text("Done."), message="msg_3"),
            said(text("No response requested."), message="msg_4"),
        ],
        [
            *prompts("Build it"),
            ev.BlockFinished(ev.BlockKey("msg_1", 0), THINKING, "Hm."),
            ev.BlockFinished(ev.BlockKey("msg_1", 1), TEXT, "So:"),
            ev.ToolStarted("toolu_1", "Edit", {"file_path": "f"}),
            ev.ToolFinished("toolu_1", "Edit", "ok", structured=EDITED),
            ev.ToolStarted("toolu_2", "Bash", {}),
            ev.ToolFinished("toolu_2", "Bash", "a\n[image]\nb", is_error=True),
            ev.BlockFinished(ev.BlockKey("msg_3", 1), TEXT, "Done."),
        ],
    ),
    "images named in the text that they came with": (
        [blocks(text(NAMED), IMAGE), blocks(text("See [Image #1] [Image #2]"), IMAGE, BROKEN), blocks(IMAGE)],
        prompts(
            NAMED,
            f"See [Image #1] [Image #2]\n[image 1: 64×48, {SIZE} bytes]\n[image, image/png, 0 bytes]",
            f"[image, image/png, {SIZE} bytes]",
        ),
    ),
    "the CLI's own commands and remarks": (
        [
            prompt("<local-command-caveat>Caveat: ...</local-command-caveat>"),
            prompt("<command-name>/model</command-name>\n<command-args>opus</command-args>"),
            prompt("<local-command-stdout>Set model to \x1b[1mopus\x1b[22m</local-command-stdout>"),
            prompt("<local-command-stdout> </local-command-stdout>"),
            prompt("<local-command-stdout>\x1b[2mCompacted (ctrl+o)\x1b[22m</local-command-stdout>"),
            prompt("<local-command-stdout>Nothing compacted</local-command-stdout>"),
            prompt("<local-command-stderr>two</local-command-stderr>"),
            prompt(SUMMARY),
            prompt("Output token limit hit. Resume directly — no apology, no recap."),
            prompt("Stop hook feedback:\n[sh check.sh]: the tests fail\n"),
        ],
        [
            *prompts("/model opus"),
            ev.NoticeGiven("info", "Set model to opus"),
            ev.NoticeGiven("info", "Nothing compacted"),
            ev.NoticeGiven("warning", "two"),
            ev.Compacted(summary=SUMMARY),
            ev.NoticeGiven("warning", OUTPUT_LIMIT),
            ev.NoticeGiven("warning", "A Stop hook says: the tests fail"),
        ],
    ),
    "what a person typed of a text": (
        [
            prompt(HIDDEN.format("ide_opened_file")),
            prompt(HIDDEN.format("ide_opened_file") + "\n" + HIDDEN.format("ide_selection") + "\none"),
            prompt("two\n" + HIDDEN.format("system-reminder")),
            prompt(HIDDEN.format("user-prompt-submit-hook")),
            prompt("why <command-name>x</command-name>?"),
            prompt("see <bash-stdout>a"),
            prompt("<use-form-hook> what is it?"),
            prompt("Caveat: it is slow"),
            prompt("<user-memory-input>use tabs</user-memory-input>"),
            prompt("[Request interrupted by user for tool use]"),
        ],
        prompts(
            *("one", "two", "why <command-name>x</command-name>?", "see <bash-stdout>a"),
            *("<use-form-hook> what is it?", "Caveat: it is slow", "#use tabs"),
        ),
    ),
    "what is no message": (
        [{"type": "user", "message": {"content": None}}, blocks({"type": "y"}), prompt("Hi")],
        prompts("Hi"),
    ),
    "a streamed block and the whole of it": (
        [*STREAMED, said(text("Hello"))],
        [
            ev.BlockGrew(ev.BlockKey("msg_1", 0), TEXT, "Hel"),
            ev.BlockFinished(ev.BlockKey("msg_1", 0), TEXT, "Hello"),
        ],
    ),
    "a streamed block that the turn's end keeps": (
        [*STREAMED, result(usage={}, total_cost_usd=None)],
        [
            ev.BlockGrew(ev.BlockKey("msg_1", 0), TEXT, "Hel"),
            ev.BlockFinished(ev.BlockKey("msg_1", 0), TEXT, "Hel"),
            ended(cost=None),
        ],
    ),
    "tokens and cost of two turns": (
        [
            {
                "type": "stream_event",
                "event": {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 9}}},
            },
            {"type": "stream_event", "event": {"type": "message_delta", "usage": {"output_tokens": 4}}},
            result(),
            {
                "type": "assistant",
                "message": {
                    "id": "n",
                    "content": [text("More.")],
                    "usage": {"input_tokens": 3, "cache_read_input_tokens": 13},
                },
            },
            result(total_cost_usd=1.0),
        ],
        [
            ended(input_tokens=9, output_tokens=7),
            ev.BlockFinished(ev.BlockKey("n", 0), TEXT, "More."),
            ended(cost=1.0, input_tokens=3, output_tokens=7, turn_cost=0.75),
        ],
    ),
    "ends of turns": (
        [
            result(is_error=True, errors=["[ede_diagnostic] x"], usage={}),
            result(is_error=True, terminal_reason="max_turns", subtype="error_max_turns", usage={}),
            result(is_error=True, errors=["[ede_diagnostic] x", "it broke"], usage={}),
        ],
        [
            ended(is_error=True),
            ev.ErrorReported("turns_spent", "error_max_turns"),
            ended("max_turns", is_error=True, text="error_max_turns", turn_cost=0.0),
            ended(is_error=True, text="it broke", turn_cost=0.0),
        ],
    ),
    "an error of the API": (
        [said(text("API Error: 500 internal"), error="server_error")],
        [ev.ErrorReported("server_error", "500 internal")],
    ),
    "notices": (
        [
            system("permission_denied", tool_name="Bash", message="It was denied. IMPORTANT: You may ..."),
            system("informational", level="suggestion", content="Try this"),
            system("compact_boundary", compact_metadata={"pre_tokens": 12_000, "post_tokens": 900}),
            system("compact_boundary"),
            system("something_new", a=1),
        ],
        [
            ev.NoticeGiven("warning", "Bash was not allowed: It was denied"),
            ev.NoticeGiven("info", "Try this"),
            ev.Compacted(12_000, 900),
            ev.Compacted(),
        ],
    ),
    "tasks": (
        [
            system("task_started", **AGENT, description="Look", task_type="local_agent"),
            system("task_started", **AGENT, description="Build", is_backgrounded=True),
            system("task_progress", **AGENT, description="Searching", usage=USAGE, last_tool_name="Grep"),
            system("task_progress", **AGENT, description="", usage={}, last_tool_name="Grep"),
            system("task_updated", task_id="t", patch={"status": "killed"}),
            system("task_updated", task_id="t", patch={"is_backgrounded": True}),
            system("task_notification", **AGENT, status="completed", summary="All found.", usage=USAGE),
            system("task_notification", **AGENT, status="odd", summary="", usage="odd"),
        ],
        [
            ev.TaskStarted("t", "a", "Look", agent=True),
            ev.TaskStarted("t", "a", "Build", background=True),
            ev.TaskProgressed("t", "a", "Searching", 2, 8865, 1.203),
            ev.TaskProgressed("t", "a", "Grep"),
            ev.TaskEnded("t", "", "stopped"),
            ev.TaskBackgrounded("t"),
            ev.TaskEnded("t", "a", "completed", "All found.", 2, 8865, 1.203),
        ],
    ),
}


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
STORED = [name for name, (lines, _) in TABLE.items() if {line["type"] for line in lines} <= MESSAGES]


@pytest.mark.parametrize(
    ("read", "name"),
    [
        (read, name)
        for read in (live, stored, recorded)
        for name in sorted(STORED if read is stored else TABLE)
    ],
)
def test_a_conversation(
    read: Callable[[Lines, Path], list[ev.AgentEvent]], name: str, tmp_path: Path
) -> None:
    lines, events = TABLE[name]
    if read is live:  # what was sent is known; the rest of it is for the model alone
        events = [one for one in events if one != ev.Compacted(summary=SUMMARY)]
        events = [one for one in events if not isinstance(one, ev.PromptAccepted)]
    found = read([{"uuid": f"u{number}", **line} for number, line in enumerate(lines)], tmp_path)
    assert [_unnamed(event) for event in found] == events


def _unnamed(event: ev.AgentEvent) -> ev.AgentEvent:
    return ev.PromptAccepted(event.text) if isinstance(event, ev.PromptAccepted) else event


def test_a_message_that_came_before_is_passed_over() -> None:
    conversation = Conversation(session_id="s", model="", mode="")
    conversation.remember(["u1", "u2"])
    line = said(text("Again"), uuid="u2", parent_tool_use_id=None)
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
    assert list(notices.status({"status": "requesting"})) == []
    failed = {"status": None, "compact_result": "failed", "compact_error": "too short"}
    assert list(notices.status(failed)) == [
        NoticeGiven("error", "The conversation could not be compacted: too short")
    ]


# What CLI 2.1.330 said.
SAID = [
    ("authentication_failed", "Invalid API key · Fix external API key", Problem.KEY_REFUSED),
    ("authentication_failed", "Failed to authenticate. API Error: 403 no", Problem.KEY_REFUSED),
    ("authentication_failed", "Not logged in · Please run /login", Problem.NOT_SIGNED_IN),
    ("billing_error", "Credit balance is too low", Problem.UNPAID),
    ("rate_limit", "API Error: Request rejected (429) · slow", Problem.RATE_LIMIT),
    ("server_error", "API Error: 529 Overloaded. This is a server-side issue, usually", Problem.OVERLOADED),
    ("server_error", "API Error: Repeated 529 Overloaded errors. Try later", Problem.OVERLOADED),
    ("server_error", "API Error: 500 internal. This is a server-side issue, usually", Problem.SERVER),
    ("server_error", "API Error: Connection refused — a firewall (ECONNREFUSED)", Problem.NO_NETWORK),
    ("server_error", "API Error: Can't reach the API server — check your (ENOTFOUND)", Problem.NO_NETWORK),
    ("unknown", "API Error: Unable to connect to API (ECONNRESET)", Problem.NO_NETWORK),
    ("model_not_found", "There's an issue with the selected model (x).", Problem.MODEL_MISSING),
    ("invalid_request", "Prompt is too long · the request is ~210000 tokens", Problem.CONTEXT_FULL),
    ("invalid_request", "Request too large (max 32MB). Accumulated images", Problem.CONTEXT_FULL),
    ("invalid_request", "API Error: 400 messages: bad", Problem.REQUEST_REFUSED),
    ("unknown", "API Error: 400 messages: bad", Problem.REQUEST_REFUSED),
    ("unknown", "API Error: something odd", Problem.SERVER),
    ("brand_new", "Something else", "brand_new"),
]


@pytest.mark.parametrize(("kind", "text", "problem"), SAID)
def test_what_the_cli_reports_is_one_of_our_problems(kind: str, text: str, problem: str) -> None:
    assert api_problem(kind, text) == problem


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("API Error: Request rejected (429) · slow", "Request rejected (429) · slow"),
        ("Not logged in · Please run /login", "Not logged in"),
        (
            "API Error: 500 internal. This is a server-side issue, usually temporary — try again.",
            "500 internal.",
        ),
        ("Failed to authenticate. API Error: 403 no", "403 no"),
        ("  Credit balance is too low\n", "Credit balance is too low"),
    ],
)
def test_what_we_say_better_is_left_out(said: str, left: str) -> None:
    assert detail(said) == left


@pytest.mark.parametrize(
    ("version", "old"),
    [("1.0.128 (Claude Code)", True), ("2.0.0", False), ("2.1.330 (Claude Code)", False), ("", False)],
)
def test_versions_are_compared_as_numbers(version: str, old: bool) -> None:
    assert is_too_old(version) is old


def test_every_problem_has_a_cause_and_a_remedy_of_one_sentence_each() -> None:
    assert set(ADVICE) == set(Problem)
    for known in ADVICE.values():
        assert known.cause.endswith(".")
        assert known.remedy.endswith(".")
        assert known.cause.count(". ") == known.remedy.count(". ") == 0
    assert ADVICE.get("brand_new") is None
