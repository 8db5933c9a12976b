"""What was granted for good is followed, however late the files are looked at."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Coroutine
from pathlib import Path

import pytest

from ccq_tui.agent.events import (
    Connected,
    PermissionAsked,
    RequestSettled,
    SessionLost,
    ToolFinished,
    TurnEnded,
)
from ccq_tui.config.trust import remember, untrusted
from ccq_tui.inbox.requests import Allowed, PermissionRequest
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.runtime import supervisor
from ccq_tui.runtime.events import SessionEvent
from ccq_tui.runtime.supervisor import GrantWatch, settings_files
from tests.actors import PANEL

GRANT = Suggestion("addRules", "localSettings", (Rule("Bash", "make *"),), "allow")
REQUEST = PermissionRequest("t", "s", "Bash", {"command": "make"}, suggestions=(GRANT,))
LIMIT = 10.0


@pytest.mark.parametrize(
    "end",
    [ToolFinished("t", "Bash", ""), TurnEnded("aborted_tools", False, 1.0, None, 0, 0), SessionLost("")],
)
async def test_what_was_granted_is_followed_however_its_call_ends(tmp_path: Path, end: SessionEvent) -> None:
    tasks: list[asyncio.Task[None]] = []
    file = tmp_path / ".claude/settings.local.json"
    file.parent.mkdir()
    file.write_text('{"env": {"A": "b"}}')
    carried = untrusted(tmp_path)
    assert carried is not None
    remember(carried)
    watch = GrantWatch(tmp_path, lambda work: tasks.append(asyncio.create_task(work)))
    watch.take(Connected("s", "claude-x", "default", str(tmp_path)))
    await asyncio.wait(tasks, timeout=LIMIT)
    watch.take(RequestSettled(REQUEST.id, Allowed(suggestion=GRANT), PANEL))
    file.write_text(json.dumps({"env": {"A": "b"}, "permissions": {"allow": ["Bash(make *)"]}}))
    watch.take(end)
    await asyncio.wait(tasks, timeout=LIMIT)
    assert untrusted(tmp_path) is None


async def test_what_is_written_only_after_the_turn_is_followed_at_the_next_permission(tmp_path: Path) -> None:
    tasks: list[asyncio.Task[None]] = []
    file = tmp_path / ".claude/settings.local.json"
    file.parent.mkdir()
    watch = GrantWatch(tmp_path, lambda work: tasks.append(asyncio.create_task(work)))
    watch.take(Connected("s", "claude-x", "default", str(tmp_path)))
    await asyncio.wait(tasks, timeout=LIMIT)
    watch.take(RequestSettled(REQUEST.id, Allowed(suggestion=GRANT), PANEL))
    watch.take(TurnEnded("completed", False, 1.0, None, 0, 0))
    await asyncio.wait(tasks, timeout=LIMIT)
    file.write_text(json.dumps({"permissions": {"allow": ["Bash(make *)"]}}))
    watch.take(PermissionAsked(REQUEST))
    await asyncio.wait(tasks, timeout=LIMIT)
    assert untrusted(tmp_path) is None


async def test_a_look_that_ends_after_the_grant_was_written_is_not_taken_for_what_was_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks: list[asyncio.Task[None]] = []
    may_read = threading.Event()
    may_read.set()

    def begin(work: Coroutine[None, None, None]) -> None:
        tasks.append(asyncio.create_task(work))

    async def told(event: SessionEvent) -> None:
        watch.take(event)
        await asyncio.wait(tasks, timeout=LIMIT)

    def late(directory: Path) -> dict[Path, bytes]:
        may_read.wait(LIMIT)
        return settings_files(directory)

    monkeypatch.setattr(supervisor, "settings_files", late)
    file = tmp_path / ".claude/settings.local.json"
    file.parent.mkdir()
    file.write_text('{"env": {"A": "b"}}')
    carried = untrusted(tmp_path)
    assert carried is not None
    remember(carried)
    watch = GrantWatch(tmp_path, begin)
    await told(Connected("s", "claude-x", "default", str(tmp_path)))
    may_read.clear()
    watch.take(PermissionAsked(REQUEST))
    watch.take(RequestSettled(REQUEST.id, Allowed(suggestion=GRANT), PANEL))
    file.write_text(json.dumps({"env": {"A": "b"}, "permissions": {"allow": ["Bash(make *)"]}}))
    may_read.set()
    await told(ToolFinished("t", "Bash", ""))
    assert untrusted(tmp_path) is None
