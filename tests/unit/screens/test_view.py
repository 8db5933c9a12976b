"""What the status line and the title say, and one name for one session in every list."""

import io
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.agent.claude.records import listed
from ccq_tui.agent.events import (
    AgentEvent,
    Connected,
    ConversationReset,
    HistoryLoaded,
    PromptAccepted,
    PromptDelivered,
    PromptReturned,
    TitleChanged,
)
from ccq_tui.agent.session_name import UNNAMED, SessionName, forked
from ccq_tui.bridges.claude_code.hook_input import read_hook_input
from ccq_tui.bridges.claude_code.native_sessions import NativeSessions
from ccq_tui.bridges.claude_code.waiting_hook import request_of
from ccq_tui.inbox.format import inbox_lines, native_lines, request_lines, session_lines
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.place import Place, ResumeChecks
from ccq_tui.inbox.port import SessionFact
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.runtime.facts import SessionFacts, folded, to_store
from ccq_tui.runtime.view import BYPASS, Piece, Surroundings, pieces, short_path, terminal_title
from ccq_tui.screens.sessions.listing import read_rows
from ccq_tui.screens.sessions.model import foreign_row, request_row
from ccq_tui.testing import clean_environment
from ccq_tui.widgets.status_line import fitted
from ccq_tui.words import counted, on_clock
from tests.tables import each_row, table
from tests.unit.bridges.native import ASKED, NativeSession, calls, prompt

VIEW = SessionFacts(Path("/work/api"), since=100.0)
AROUND = Surroundings()
MAIN = Surroundings("main")


def words(view: SessionFacts, around: Surroundings = AROUND) -> list[str]:
    return [piece.text for piece in pieces(view, around, 100.0)]


def test_the_state_is_timed_from_its_own_beginning() -> None:
    view = folded(VIEW, ev.StateChanged(ev.SessionState.WORKING), 110.0)
    assert pieces(view, AROUND, 122.5)[0].text == "✻ working 12s"
    same = folded(view, ev.StateChanged(ev.SessionState.WORKING), 120.0)
    assert same is view, "the same state again does not restart the time"
    assert (
        pieces(folded(view, ev.StateChanged(ev.SessionState.IDLE), 130.0), AROUND, 200.0)[0].text == "○ ready"
    )


def test_it_says_model_mode_context_and_cost() -> None:
    view = VIEW
    for event in (
        ev.Connected("id", "opus", "default", "/work/api"),
        ev.ModelChanged("sonnet"),
        ev.ContextUsage(41.6, 1, 2),
        ev.TurnEnded("completed", False, 1.0, 0.5, 1_200_000, 950),
    ):
        view = folded(view, event, 100.0)
    assert words(view, MAIN) == [
        *("◌ starting", "sonnet", "context 42%", "/work/api", "git main", "$0.50"),
        "1.2M tokens in, 950 out",
    ]
    cleared = folded(view, ev.ConversationReset("new"), 1.0)
    assert words(cleared) == ["◌ starting", "sonnet", "/work/api"]


def test_a_retry_is_said_until_the_model_answers() -> None:
    view = folded(VIEW, ev.Retrying(2, 10, 1.0, 529, "overloaded"), 1.0)
    assert "retry 2 of 10" in words(view)
    assert folded(view, ev.ContextUsage(1, 1, 1), 1.0).retry == "retry 2 of 10"
    assert folded(view, ev.TurnEnded("completed", False, 1.0, None, 1, 1), 1.0).retry == ""


def test_a_lost_session_failed_and_a_closed_one_ended() -> None:
    assert folded(VIEW, ev.SessionLost("killed"), 1.0).state is ev.SessionState.FAILED
    assert folded(VIEW, ev.SessionLost("closed", expected=True), 1.0).state is ev.SessionState.ENDED


def test_the_title_names_the_session_and_what_waits() -> None:
    assert terminal_title(VIEW, 0) == "◌ api · ccq-tui"
    assert terminal_title(VIEW, 2) == "◌ ? 2 api · ccq-tui"


def test_a_session_in_which_something_waits_is_not_ready() -> None:
    idle = replace(VIEW, state=ev.SessionState.IDLE)
    assert pieces(idle, AROUND, 100.0)[0].text == "○ ready"
    assert pieces(idle, AROUND, 100.0, waiting=1)[0].text == "◆ waits for you"
    assert terminal_title(idle, 1) == "◆ ? 1 api · ccq-tui"
    parked = replace(VIEW, state=ev.SessionState.PARKED)
    assert pieces(parked, AROUND, 100.0, waiting=1)[0].text == "◇ paused"


@each_row((0, "0s"), (59, "59s"), (185, "3m 05s"), (8040, "2h 14m"))
def test_durations(seconds: int, words: str) -> None:
    assert on_clock(seconds) == words


def test_paths_under_home_begin_with_a_tilde(home: Path) -> None:
    assert short_path(home / "x" / "y") == "~/x/y"
    assert short_path(home) == "~"
    assert short_path(Path("/else")) == "/else"


@each_row(*table(__file__, "view.json")["large_numbers_are_short"])
def test_large_numbers_are_short(number: int, text: str) -> None:
    assert counted(number) == text


FULL = replace(
    VIEW,
    model="opus",
    mode="plan",
    context=41.6,
    cost=0.5,
    called=SessionName("Add a check"),
    tokens=(1200, 3),
    retry="retry 1 of 10",
)


@each_row((200, len(words(FULL, MAIN))), (78, 6), (38, 3), (13, 1))
def test_narrow_lines_leave_out_what_matters_least(width: int, left: int) -> None:
    kept = fitted(pieces(FULL, MAIN, 100.0), width)
    assert len(kept) == left
    dropped = [piece.rank for piece in pieces(FULL, MAIN, 100.0) if piece not in kept]
    assert max(piece.rank for piece in kept) < min(dropped, default=99)
    assert [piece for piece in pieces(FULL, MAIN, 100.0) if piece in kept] == kept, "the order stays"


@each_row(*table(__file__, "view.json")["the_line_of_a_session_that_waits"])
def test_the_line_of_a_session_that_waits(width: int, line: str) -> None:
    view = SessionFacts(
        Path.home() / "proj",
        ev.SessionState.AWAITING,
        model="claude-opus-5-5",
        mode="plan",
        context=38.2,
        cost=0.83,
        called=SessionName("Plan the release"),
        tokens=(1200, 3),
        tasks=(ev.TaskStarted("t", "b", "Build", background=True),),
    )
    beside = Surroundings(waiting_beside=2)
    assert " · ".join(piece.text for piece in fitted(pieces(view, beside, 190.0), width - 2)) == line
    full = fitted(pieces(replace(view, context=71), beside, 10.0), 80)
    assert [piece.text for piece in full][-2:] == ["plan mode", "context 71%"]
    named = pieces(replace(view, mode="default"), replace(beside, alone=False), 3600.0 * 2)
    assert [piece.text for piece in named][:5] == [
        *("◆ waits for you 2 h 0 min", "? 2 elsewhere", "1 in the background"),
        *("Plan the release", "opus-5-5"),
    ]


@each_row(200, 80, 40, 30, 12)
def test_bypassed_permissions_are_said_in_every_width(width: int) -> None:
    working = replace(FULL, mode=BYPASS, since=-8000.0, state=ev.SessionState.WORKING)
    kept = fitted(pieces(working, MAIN, 100.0), width)
    (alarm,) = [piece for piece in kept if piece.alarm]
    assert alarm.text == ("BYPASSES PERMISSIONS" if width >= 30 else "BYPASSES")
    assert sum(len(piece.text) + 3 for piece in kept) - 3 <= width


def test_what_ranks_the_same_is_left_out_one_by_one() -> None:
    assert fitted([Piece("a"), Piece("bb", 1), Piece("cc", 1)], 6) == [Piece("a"), Piece("cc", 1)]
    assert fitted([Piece(""), Piece("")], 0) == []


def test_a_worktree_is_named_by_its_branch_where_a_path_would_have_no_room() -> None:
    view = SessionFacts(Path("/repo/of/somebody/.claude/worktrees/x"), model="claude-model-of-today")
    around = Surroundings("worktree-x")
    text = "".join(piece.text for piece in fitted(pieces(view, around, 0.0), 60))
    assert "git worktree-x" in text
    assert "/repo" not in text
    wide = "".join(piece.text for piece in fitted(pieces(view, around, 0.0), 100))
    assert "/repo/of/somebody" in wide
    assert ".claude" not in wide


def test_a_command_that_is_sent_to_the_background_counts_there_until_it_ends() -> None:
    view = folded(SessionFacts(Path("/work")), ev.TaskStarted("t", "b", "Build"), 0.0)
    assert "background" not in str(pieces(view, AROUND, 0.0))
    view = folded(view, ev.TaskBackgrounded("t"), 0.0)
    assert "1 command in the background" in [piece.text for piece in pieces(view, AROUND, 0.0)]
    for name in ("one", "two"):
        view = folded(view, ev.TaskStarted(name, "c", "Look", background=True, agent=True), 0.0)
    assert "2 agents, 1 command in the background" in [piece.text for piece in pieces(view, AROUND, 0.0)]
    for name in ("t", "one", "two"):
        view = folded(view, ev.TaskEnded(name, "completed"), 0.0)
    assert "background" not in str(pieces(view, AROUND, 0.0))


ONE, TWO = (str(uuid4()) for _ in range(2))
LONG = "Build a service that keeps bookmarks, with tags and a full-text search"
QUESTION = Question("Which?", "Letter", (Option("A", "x"), Option("B", "y")))
PAST = HistoryLoaded((PromptAccepted("Add tests"),), first_prompt="Build it")


@pytest.mark.parametrize(
    ("events", "name"),
    [
        ([PromptAccepted("Build it")], "Build it"),
        ([PromptAccepted("Build it"), PromptAccepted("Add tests")], "Build it · Add tests"),
        ([PromptAccepted("Build it"), PromptAccepted("/compact")], "Build it"),
        ([PromptAccepted("Build it"), PromptAccepted("Build it")], "Build it"),
        ([PromptAccepted("/compact"), PromptAccepted("Build it")], "Build it"),
        (
            [PromptAccepted("Build\n it"), PromptAccepted("You asked this with AskUserQuestion, but …")],
            "Build it",
        ),
        ([PromptAccepted(LONG)], LONG),
        ([PromptAccepted(LONG), PromptAccepted("Add tests")], f"{LONG[:39]}… · Add tests"),
        ([PromptAccepted("Build it"), TitleChanged("The API"), PromptAccepted("Add tests")], "The API"),
        ([PAST], "Build it · Add tests"),
        ([PAST, PromptAccepted("Go on")], "Build it · Go on"),
        ([HistoryLoaded((), title="The API", first_prompt="Build it"), PromptAccepted("Go on")], "The API"),
        (
            [
                HistoryLoaded((), first_prompt="Build it"),
                HistoryLoaded((PromptAccepted("Build it"), PromptAccepted("Add tests")), older=True),
            ],
            "Build it · Add tests",
        ),
        ([forked(PAST, ""), PromptAccepted("Otherwise")], "Fork of Build it · Add tests"),
        ([forked(PAST, "Chosen"), PromptAccepted("Otherwise")], "Chosen"),
        ([PromptAccepted("Build it"), ConversationReset(TWO), PromptAccepted("Then")], "Then"),
        ([TitleChanged("The API"), ConversationReset(TWO), PromptAccepted("Then")], "The API"),
        ([PromptAccepted("Build it"), PromptAccepted("Then", queued=True)], "Build it"),
        (
            [
                PromptAccepted("Build it"),
                PromptAccepted("Then", queued=True, prompt_id="p"),
                PromptAccepted("Last", queued=True, prompt_id="q"),
                PromptDelivered("p"),
                PromptReturned("Last", "withdrawn", "q", wanted=True),
                PromptDelivered("q"),
            ],
            "Build it · Then",
        ),
        (
            [PromptAccepted("Then", queued=True), ConversationReset(TWO), PromptAccepted("Go on")],
            "Then · Go on",
        ),
    ],
)
async def test_a_session_has_one_name_in_every_list(
    tmp_path: Path, events: list[AgentEvent], name: str
) -> None:
    session = TWO if any(isinstance(one, ConversationReset) for one in events) else ONE
    inbox = await Inbox.connect(tmp_path / "inbox.db")
    view = SessionFacts(tmp_path)
    try:
        for event in [Connected(ONE, "m", "default", str(tmp_path), "2"), PromptAccepted("/cost"), *events]:
            before, view = view, folded(view, event, 0.0)
            fact = replace(to_store(before, view, "") or SessionFact(), directory=str(tmp_path))
            inbox.sessions.running.add(session)
            inbox.sessions.note(session, fact)
        request = QuestionRequest("t", session, QuestionSet("t", (QUESTION,)))
        await inbox.run(lambda store: store.requests.add(request, ""))
        shown = await inbox.run(lambda store: list(names_in(store, request)))
    finally:
        await inbox.close()
    assert view.name == name
    assert all(one[: len(name)] == name[: len(one)] for one in shown), "cut for a column, and else the same"
    assert all(len(one) >= min(len(name), 12) for one in shown)


def names_in(store: Store, request: QuestionRequest) -> Iterator[str]:
    """Give the name that each list of the inbox has for a session."""
    stored, waits = store.sessions.get(request.session_id), store.requests.waiting()
    assert stored
    yield stored.name
    checks = ResumeChecks(lambda _: True)
    for row in read_rows(store, [request.session_id], checks).values():
        yield row.session
    head, line = session_lines([stored], {}, {}, lambda name: name[:8])
    yield line[head.index("WHAT") :].split(f" · {stored.directory[:4]}")[0].removesuffix("…")
    listed = inbox_lines(waits, str, lambda _: stored.name)
    yield listed[1][listed[0].index("SESSION") :][:13].strip().removesuffix("…")


@each_row(
    (["Build it"], {}, "Build it"),
    (["Build it", "Add tests", "<command-name>/cost</command-name>"], {}, "Build it · Add tests"),
    (["Build it", "Add tests", "[Request interrupted by user]"], {}, "Build it · Add tests"),
    (["Build it", "Add tests", *["<system-reminder>x"] * 9], {}, "Build it · Add tests"),
    (["Build it", "Add tests"], {"customTitle": "The API"}, "The API"),
    (["Build it", "Add tests"], {"aiTitle": "Bookmark API"}, "Build it · Add tests"),
)
def test_a_session_of_the_record_has_the_name_it_had_when_it_ran(
    prompts: list[str], title: dict[str, str], name: str, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    with clean_environment("") as home:
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home.config))
        lines = [
            {"type": "user", "message": {"role": "user", "content": text}, "cwd": "/w"} for text in prompts
        ]
        body = {"type": "assistant", "message": {"content": [{"type": "text", "text": "Done."}]}}
        titles = [{"type": "title", **title, "sessionId": ONE}]
        last = {"type": "last-prompt", "lastPrompt": prompts[0]}  # Claude Code does not write each one
        file = home.config / "projects" / "-w" / f"{ONE}.jsonl"
        file.parent.mkdir(parents=True)
        file.write_text(
            "\n".join(json.dumps(one, separators=(",", ":")) for one in [*lines, *[body] * 5, last, *titles])
        )
        (session,) = listed("", 10)
    live = UNNAMED
    for text in prompts[:2]:
        live = live.after(PromptAccepted(text))
    assert session.summary == name == (title.get("customTitle") or str(live))


@pytest.mark.parametrize(
    ("live", "name"),
    [
        ({"name": "Release\x1b[2J notes"}, "Release␛[2J notes"),
        ({"name": "project-b5"}, "project-b5"),
        ({"name": "x" * 99}, f"{'x' * 39}…"),
        ({}, "project"),
    ],
)
def test_a_session_of_claude_code_is_told_from_others_in_every_list(
    home: Path, monkeypatch: pytest.MonkeyPatch, live: dict[str, str], name: str
) -> None:
    session, name = NativeSession(home / ".claude"), f"{name} · Claude Code"
    session.write(prompt("go"), calls("toolu_1", "AskUserQuestion", ASKED))
    session.stands("waiting", seconds_ago=60, **live)
    monkeypatch.setenv("CLAUDE_PID", str(os.getpid()))
    text = json.dumps(session.hook_input("AskUserQuestion", ASKED)).encode()
    asked = request_of(read_hook_input(io.BytesIO(text)), "toolu_1")
    (found,) = NativeSessions(session.config).waiting()
    assert asked
    for request in (asked, found.request):
        stored = replace(found, request=request)
        row = foreign_row(request.origin, "asker", (request_row(stored),), Place.NATIVE)
        assert row.session == f"{request.origin.called} in /work/project" == f"{name} in /work/project"
        assert f"Asked by {name} · /work/project" in request_lines(stored, "r", "")
        for lines in (inbox_lines([stored], str, str), native_lines([stored], hooked=True)):
            assert name[:10] in lines[1 if lines[0] else 3]
    session.stands("waiting", name="Another", sessionId="another")
    assert read_hook_input(io.BytesIO(text)).origin().called == "project · Claude Code"
