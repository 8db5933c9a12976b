"""What is kept of a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from ccq_tui.agent.events import Connected, PromptAccepted, TitleChanged
from ccq_tui.agent.options import SessionOptions
from ccq_tui.agent.session_recorder import SessionBook
from ccq_tui.inbox.durable import DurableInbox


@pytest.mark.parametrize("renamed", [False, True])
async def test_a_session_keeps_its_name_when_it_goes_on(tmp_path: Path, renamed: bool) -> None:
    inbox = await DurableInbox.open(tmp_path / "inbox.db")
    try:
        for resume, prompt in ((None, "first thing"), ("s", "second thing")):
            book = SessionBook(inbox, SessionOptions(cwd=tmp_path, resume=resume))
            book.note(Connected("s", "m", "default", str(tmp_path), "2"))
            book.note(PromptAccepted(prompt))
            if renamed and resume is None:
                book.note(TitleChanged("api"))
        kept = await inbox.run(lambda store: store.sessions.get("s"))
    finally:
        await inbox.close()
    assert kept is not None
    assert kept.name == ("api" if renamed else "first thing")
