"""One session has one name in every list."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from ccq_tui.agent.claude.sessions_reader import listed
from ccq_tui.agent.events import (
    AgentEvent,
    Connected,
    ConversationReset,
    HistoryLoaded,
    PromptAccepted,
    PromptDelivered,
    TitleChanged,
)
from ccq_tui.agent.session_name import UNNAMED, forked
from ccq_tui.bridges.claude_code.hook_input import read_hook_input
from ccq_tui.bridges.claude_code.hook_requests import request_of
from ccq_tui.bridges.claude_code.native_sessions import NativeSessions
from ccq_tui.inbox.format import inbox_lines, native_lines, request_lines, session_lines
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.port import SessionFact
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.inbox.sessions import write_fact
from ccq_tui.inbox.store.store import Store
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.runtime.facts import SessionFacts, folded, to_store
from ccq_tui.screens.inbox.inbox_feed import read_row
from ccq_tui.screens.overview.screen import native_card, read_cards
from ccq_tui.screens.sessions.open_sessions import entry_of
from ccq_tui.testing import clean_environment
from tests.unit.bridges.native import ASKED, NativeSession, calls, prompt

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
            [PromptAccepted("Build it"), PromptAccepted("Then", queued=True), PromptDelivered("p")],
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
    view, kept = SessionFacts(tmp_path), SessionFact(directory=str(tmp_path))
    try:
        for event in [Connected(ONE, "m", "default", str(tmp_path), "2"), PromptAccepted("/cost"), *events]:
            before, view = view, folded(view, event, 0.0)
            kept = kept.and_then(to_store(before, view, "") or SessionFact())
        await inbox.run(lambda store: write_fact(store, session, kept))
        request = QuestionRequest("t", session, QuestionSet("t", (QUESTION,)))
        await inbox.run(lambda store: store.requests.add(request, ""))
        shown = await inbox.run(lambda store: list(names_in(store, request)))
    finally:
        await inbox.close()
    assert (view.name, entry_of(1, view, 0, 0.0, shown=True).name) == (name, name)
    assert all(one[: len(name)] == name[: len(one)] for one in shown), "cut for a column, and else the same"
    assert all(len(one) >= min(len(name), 12) for one in shown)


def names_in(store: Store, request: QuestionRequest) -> Iterator[str]:
    """Give the name that each list of the inbox has for a session."""
    stored, waits = store.sessions.get(request.session_id), store.requests.waiting()
    assert stored
    yield stored.name
    yield read_cards(store, (request.session_id,))[0].session
    row = read_row(store, request.id)
    assert row
    yield row.session.removesuffix("…")
    head, line = session_lines([stored], {}, lambda name: name[:8])
    yield line[head.index("WHAT") :].split(f" · {stored.directory[:4]}")[0].removesuffix("…")
    listed = inbox_lines(waits, str, lambda _: stored.name)
    yield listed[1][listed[0].index("SESSION") :][:13].strip().removesuffix("…")


@pytest.mark.parametrize(
    ("prompts", "title", "name"),
    [
        (["Build it"], {}, "Build it"),
        (["Build it", "Add tests", "<command-name>/cost</command-name>"], {}, "Build it · Add tests"),
        (["Build it", "Add tests", "[Request interrupted by user]"], {}, "Build it · Add tests"),
        (["Build it", "Add tests", *["<system-reminder>x"] * 9], {}, "Build it · Add tests"),
        (["Build it", "Add tests"], {"customTitle": "The API"}, "The API"),
        (["Build it", "Add tests"], {"aiTitle": "Bookmark API"}, "Build it · Add tests"),
    ],
)
def test_a_session_of_the_record_has_the_name_it_had_when_it_ran(
    monkeypatch: pytest.MonkeyPatch, prompts: list[str], title: dict[str, str], name: str
) -> None:
    with clean_environment("") as home:
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home.config))
        lines = [
            {"type": "user", "message": {"role": "user", "content": text}, "cwd": "/w"} for text in prompts
        ]
        said = {"type": "assistant", "message": {"content": [{"type": "text", "text": "Done."}]}}
        titles = [{"type": "title", **title, "sessionId": ONE}]
        last = {"type": "last-prompt", "lastPrompt": prompts[0]}  # Claude Code does not write each one
        file = home.config / "projects" / "-w" / f"{ONE}.jsonl"
        file.parent.mkdir(parents=True)
        file.write_text(
            "\n".join(json.dumps(one, separators=(",", ":")) for one in [*lines, *[said] * 5, last, *titles])
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
    said = json.dumps(session.hook_input("AskUserQuestion", ASKED)).encode()
    asked = request_of(read_hook_input(io.BytesIO(said)), "toolu_1")
    (found,) = NativeSessions(session.config).waiting()
    assert asked
    for request in (asked, found.request):
        stored = replace(found, request=request)
        assert request.origin.called == native_card(stored, asked=True).session == name
        assert f"Asked by {name} · /work/project" in request_lines(stored, "r", "")
        for lines in (inbox_lines([stored], str, str), native_lines([stored], hooked=True)):
            assert name[:10] in lines[1 if lines[0] else 3]
    session.stands("waiting", name="Another", sessionId="another")
    assert read_hook_input(io.BytesIO(said)).origin().called == "project · Claude Code"
