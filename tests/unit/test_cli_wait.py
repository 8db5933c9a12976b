"""Scripts wait for requests and sessions, and follow what happens, in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ccq_tui.inbox.actors import WITHDRAWN
from ccq_tui.inbox.requests import Cancelled, Denied
from ccq_tui.inbox.store.rows import StoredSessionState
from ccq_tui.processes import this_process
from tests.actors import PANEL
from tests.unit.starting import Cli
from tests.unit.stocked import CACHE, FEATURES, PERMISSION, PLAN, RUNNING, SESSION, asked, id_of, stock

ROOT = Path(__file__).parents[2]


@contextmanager
def begun(*words: str) -> Iterator[subprocess.Popen[str]]:
    """Run ccq-tui as another process."""
    command = [sys.executable, "-m", "ccq_tui", *words]
    with subprocess.Popen(
        command, cwd=ROOT, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    output, _ = process.communicate(timeout=30)
    return process.returncode, output


def test_a_request_is_waited_for_until_another_process_decides_it() -> None:
    stock()
    with begun("wait", PERMISSION) as one, begun("wait", PERMISSION, "--json") as other:
        with asked() as store:
            store.requests.settle(id_of(PERMISSION), Denied(), PANEL)
        assert ended(one) == (0, f"{PERMISSION}: declined.\n")
        code, printed = ended(other)
        assert (code, json.loads(printed)["request"]["state"]) == (0, "declined")


def test_a_session_is_waited_for_until_its_turn_is_over_nothing_waits_or_it_has_ended() -> None:
    stock()
    with (
        begun("wait", RUNNING[:8]) as idle,
        begun("wait", RUNNING, "--until", "answered") as answered,
        begun("wait", RUNNING, "--until", "ended", "--json") as gone,
        asked() as store,
    ):
        for name in (PERMISSION, PLAN):
            store.requests.settle(id_of(name), Cancelled("interrupted"), WITHDRAWN)
        assert ended(answered) == (0, "api-tests: awaiting.\n")
        store.sessions.set_state(RUNNING, StoredSessionState.IDLE, "done")
        assert ended(idle) == (0, "api-tests: idle.\n")
        store.sessions.set_state(RUNNING, StoredSessionState.ENDED, "closed")
        store.sessions.release(RUNNING, this_process())
        code, printed = ended(gone)
        session = json.loads(printed)["session"]
        assert (code, session["id"], session["running"]) == (0, RUNNING, False)


def test_a_wait_has_a_limit_and_says_what_it_cannot_wait_for(ccq: Cli) -> None:
    assert "no session has an id" in ccq("wait", "x", code=2)
    stock()
    assert ccq("wait", CACHE, "--timeout", "1s", code=1) == f"{CACHE}: still waits after 1s.\n"
    assert ccq("wait", SESSION) == "api-refactor: parked.\n", "no process runs it"
    assert "--until idle needs a session" in ccq("wait", CACHE, "--until", "idle", code=2)
    assert "--timeout must be a duration" in ccq("wait", CACHE, "--timeout", "soon", code=2)


def test_the_history_is_followed_line_by_line(ccq: Cli) -> None:
    assert "there is no inbox yet" in ccq("history", "--follow", code=2)
    stock()
    with asked() as store:
        before = store.history.last()
    with begun("history", "--follow", "--after", str(before - 1)) as process, asked() as store:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["number"] == before
        store.requests.settle(id_of(CACHE), Cancelled("interrupted"), WITHDRAWN)
        change = json.loads(process.stdout.readline())
        assert (change["number"], change["request"], change["to"]) == (before + 1, id_of(CACHE), "cancelled")
    assert len(ccq("history", "--after", str(before)).splitlines()) == 2, "its head, and the change"


def test_the_inbox_lists_other_states_and_askers_also_as_lines(ccq: Cli) -> None:
    stock()
    with asked() as store:
        store.requests.settle(id_of(PERMISSION), Denied(), PANEL)

    def ids(*words: str) -> list[str]:
        return [json.loads(line)["id"] for line in ccq("inbox", "--jsonl", *words).splitlines()]

    assert ids() == [id_of(name) for name in (CACHE, FEATURES, PLAN)]
    assert ids("--state", "declined", "--asker", "session") == [id_of(PERMISSION)]
    assert ccq("inbox", "--asker", "mcp") == "Nothing waits.\n"
    assert "'me' is not one of 'session', 'hook', 'mcp'" in ccq("inbox", "--asker", "me", code=2)
