"""The sessions that can be resumed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ccq_tui.agent import reader
from ccq_tui.agent.options import SessionOptions
from ccq_tui.agent.reader import earlier_sessions


@pytest.mark.parametrize(
    ("title", "first_prompt", "name"),
    [
        ("The API", "Build it", "The API"),
        ("", "Build it", "Build it"),
        ("", "/compact", "Go on"),
        ("", "", "Go on"),
    ],
)
async def test_a_session_has_the_name_that_other_lists_give_it(
    monkeypatch: pytest.MonkeyPatch, title: str, first_prompt: str, name: str
) -> None:
    one = {
        "session_id": "s",
        "title": title,
        "first_prompt": first_prompt,
        "summary": "Go on",
        "modified": 1.0,
    }

    async def read(*_given: object, **_how: object) -> str:
        return json.dumps([{**one, "branch": "", "directory": "", "last": []}])

    monkeypatch.setattr(reader, "read_by", read)
    (session,) = await earlier_sessions(SessionOptions(cwd=Path("/work")))
    assert session.summary == name
