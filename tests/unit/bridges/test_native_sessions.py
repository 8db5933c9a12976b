"""Native sessions that wait and have no hook: listed from their files, and only while they run and wait."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from ccq_tui.bridges.claude_code.live_sessions import live_sessions
from ccq_tui.bridges.claude_code.native_sessions import NativeSessions, beside_hooks
from ccq_tui.cli import main
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.requests import Asker, Origin, PermissionRequest, QuestionRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.processes import this_process
from ccq_tui.questions import Declined
from tests.unit.bridges.native import ASKED, COMMAND, SESSION, NativeSession, calls, ends, prompt, says


@pytest.fixture
def session(home: Path) -> NativeSession:
    """A session that waits at a question."""
    made = NativeSession(home / ".claude")
    made.write(prompt("go"), says("Let me ask."), calls("toolu_1", "AskUserQuestion", ASKED))
    made.stands("waiting", seconds_ago=60)
    return made


def test_what_it_asks_is_read_from_its_transcript(session: NativeSession) -> None:
    (found,) = NativeSessions(session.config).waiting()
    request = found.request
    assert isinstance(request, QuestionRequest)
    assert (request.id, found.context) == (f"toolu_1@hook:{SESSION}", "Let me ask.")
    assert request.origin == Origin(Asker.HOOK, "project · Claude Code", "/work/project")


def test_a_question_goes_before_what_runs_beside_it(session: NativeSession) -> None:
    session.write(
        calls("toolu_2", "Bash", COMMAND, "msg_2"), calls("toolu_3", "AskUserQuestion", ASKED, "msg_2")
    )
    assert [one.request.tool_use_id for one in NativeSessions(session.config).waiting()] == ["toolu_3"]


def test_a_permission_waits_too(session: NativeSession) -> None:
    session.write(ends("toolu_1", "done"), calls("toolu_2", "Bash", COMMAND, "msg_2"))
    (found,) = NativeSessions(session.config).waiting()
    assert isinstance(found.request, PermissionRequest)
    assert found.request.input == COMMAND


def test_only_what_waits_for_a_while_in_its_own_screen_is_listed(session: NativeSession) -> None:
    native = NativeSessions(session.config)
    for more, count in (
        ({}, 1),
        ({"seconds_ago": 0.5}, 0),
        ({"status": "busy"}, 0),
        ({"entrypoint": "sdk-py"}, 0),
        ({"kind": "print"}, 0),
        ({"procStart": "1"}, 0),
        ({"pidDomain": "linux:another:pid:[1]"}, 0),
        ({}, 1),
    ):
        session.stands(**({"status": "waiting", "seconds_ago": 60.0} | more))
        assert len(native.waiting()) == count, more
    session.write(ends("toolu_1", "done"))
    session.stands("waiting", seconds_ago=30)
    assert native.waiting() == []


def test_a_killed_one_is_not_listed(session: NativeSession) -> None:
    with subprocess.Popen(["sleep", "60"]) as claude:
        session.stands("waiting", seconds_ago=60, pid=claude.pid, procStart=None)
        assert len(NativeSessions(session.config).waiting()) == 1
        claude.kill()
    assert NativeSessions(session.config).waiting() == []


def test_files_that_say_something_else_are_passed_over(session: NativeSession) -> None:
    said = json.loads(session.live.read_text())
    odd = ["", "[]", "{}", "[" * 3_000, json.dumps(said | {"pid": "x"}), json.dumps(said | {"sessionId": 7})]
    odd += [json.dumps(said | {"statusUpdatedAt": at}) for at in ("soon", 1e300, -1e300)]
    odd += [json.dumps(said | {"sessionId": name}) for name in ("../../x", "a/b", "*", "\0")]
    for number, text in enumerate(odd):
        (session.live.parent / f"{number}.json").write_text(text)
    (session.live.parent / "directory.json").mkdir()
    assert len(NativeSessions(session.config).waiting()) == 1
    assert NativeSessions(session.config / "none").waiting() == []
    assert len(live_sessions(session.config)) >= 1


def test_a_session_is_read_once_for_each_time_it_waits(session: NativeSession) -> None:
    native = NativeSessions(session.config)
    first = native.waiting()
    session.path.unlink()
    assert native.waiting() == first
    session.stands("waiting", seconds_ago=30)
    assert native.waiting() == []


def test_ours_and_those_of_hooks_are_left_out(session: NativeSession, tmp_path: Path) -> None:
    found = NativeSessions(session.config).waiting()
    store = Store(tmp_path / "inbox.db")
    assert beside_hooks(store, found) == [found[0]]
    store.requests.add(found[0].request)
    assert beside_hooks(store, found) == []
    store.requests.settle(found[0].request.id, Declined(), Actor.here(Surface.HOOK))
    assert beside_hooks(store, found) == [], "its dialog is about to close"
    store.sessions.claim(SESSION, this_process())
    assert beside_hooks(store, found) == []
    store.close()


def test_the_printed_list_has_them_unless_the_settings_say_not(
    session: NativeSession, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["inbox"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "Nothing waits."
    assert said[2] == "Waiting in Claude Code's own screen, to be answered there:"
    assert said[4].split()[-3:] == ["/work/project", "Which", "database?"]
    assert said[5] == "To answer here, too: ccq-tui hooks install"
    assert main(["hooks", "install", "--yes"]) == 0
    capsys.readouterr()
    assert main(["inbox"]) == 0
    assert capsys.readouterr().out.splitlines()[5].startswith("Installed hooks ask here only while")
    assert main(["inbox", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["requests"] == []
    monkeypatch.setenv("CCQ_NATIVE_SESSIONS", "false")
    assert main(["inbox"]) == 0
    assert capsys.readouterr().out == "Nothing waits.\n"
