"""What is kept of a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from ccq_tui.agent.events import (
    Connected,
    ConversationReset,
    HistoryLoaded,
    PromptAccepted,
    SessionState,
    StateChanged,
    TitleChanged,
)
from ccq_tui.agent.options import SessionOptions
from ccq_tui.agent.session_recorder import SessionRecorder, title_of
from ccq_tui.inbox.inbox import Inbox


@pytest.mark.parametrize("renamed", [False, True])
async def test_a_session_whose_past_cannot_be_read_keeps_its_name(tmp_path: Path, renamed: bool) -> None:
    inbox = await Inbox.connect(tmp_path / "inbox.db")
    try:
        for resume, prompt in ((None, "first thing"), ("s", "second thing")):
            book = SessionRecorder(inbox, SessionOptions(cwd=tmp_path, resume=resume))
            book.note(Connected("s", "m", "default", str(tmp_path), "2"))
            book.note(PromptAccepted(prompt))
            if renamed and resume is None:
                book.note(TitleChanged("api"))
        kept = await inbox.run(lambda store: store.sessions.get("s"))
    finally:
        await inbox.close()
    assert kept is not None
    assert kept.name == ("api" if renamed else "first thing")


@pytest.mark.parametrize("queued", [False, True])
async def test_a_conversation_that_another_replaces_has_ended(tmp_path: Path, queued: bool) -> None:
    """The other one is in no list before its first prompt, which may wait already."""
    inbox = await Inbox.connect(tmp_path / "inbox.db")
    try:
        book = SessionRecorder(inbox, SessionOptions(cwd=tmp_path))
        book.note(Connected("s", "m", "default", str(tmp_path), "2"))
        book.note(PromptAccepted("Build it"))
        book.note(StateChanged(SessionState.WORKING))
        book.note(PromptAccepted("/clear"))
        if queued:
            book.note(PromptAccepted("Go on", queued=True))
        book.note(ConversationReset("t"))
        book.note(StateChanged(SessionState.IDLE))
        kept = await inbox.run(lambda store: [store.sessions.get(name) for name in "st"])
    finally:
        await inbox.close()
    listed = [one and (one.name, one.state) for one in kept]
    assert listed == [("Build it", "ended"), ("Go on", "idle") if queued else None]


@pytest.mark.parametrize("title", ["", "The API"])
async def test_a_resumed_session_is_named_by_its_past_also_where_that_is_read_late(
    tmp_path: Path, title: str
) -> None:
    inbox = await Inbox.connect(tmp_path / "inbox.db")
    try:
        book = SessionRecorder(inbox, SessionOptions(cwd=tmp_path, resume="s"))
        book.note(Connected("s", "m", "default", str(tmp_path), "2"))
        book.note(HistoryLoaded((), title=title, first_prompt="Build it"))
        book.note(PromptAccepted("Go on"))
        kept = await inbox.run(lambda store: store.sessions.get("s"))
    finally:
        await inbox.close()
    assert kept is not None
    assert kept.name == (title or "Build it · Go on")


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("Fix it\n\nnow", "Fix it now"),
        ("/compact", ""),
        (" /review-pr 12", ""),
        ("/mcp:do it", ""),
        ("/usr/bin is full", "/usr/bin is full"),
        ("/ is full", "/ is full"),
    ],
)
def test_a_command_calls_nothing(prompt: str, name: str) -> None:
    assert title_of(prompt) == name
