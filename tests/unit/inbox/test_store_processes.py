"""Several processes on one database: they race, hold it, and are killed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ccq_tui.inbox.requests import Denied, PermissionRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxBusy
from tests.actors import SCRIPT

ROOT = Path(__file__).parents[3]
RACES = 500
HEAT = 5
"""Requests that are raced for at once."""
BODY = {"kind": "permission", "asker_id": "s", "tool": "Bash", "input": {}}
LIMIT = 90

RACER = """
import json, sys
from pathlib import Path
from ccq_tui.inbox.verdicts import AlreadySettled, Won
from ccq_tui.inbox.requests import Denied
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.store.store import Store
store = Store(Path(sys.argv[1]), busy_seconds=60.0)
me = sys.argv[2]
actor = Actor.here(Surface.PROGRAM, me)
print("ready", flush=True)
for line in sys.stdin:
    told = {}
    for name in line.split():
        match store.requests.settle(name, Denied(me), actor):
            case Won():
                told[name] = me
            case AlreadySettled(winner, _, outcome):
                assert outcome.text == winner.name
                told[name] = winner.name + " was faster"
    print(json.dumps(told), flush=True)
"""
INBOX_RACER = """
import asyncio, json, sys
from pathlib import Path
from ccq_tui.inbox.verdicts import AlreadySettled, Won
from ccq_tui.inbox.requests import Denied
from ccq_tui.inbox.port import Settled
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.inbox import Inbox
async def race(path, me):
    inbox = await Inbox.connect(path)
    heard, raced = {}, set()
    def hear(change):
        if isinstance(change, Settled):
            assert change.request.id not in heard
            heard[change.request.id] = change.actor.name
    inbox.subscribe(hear)
    print("ready", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        told = {}
        for name in line.split():
            match await inbox.answer(name, Denied(me), Actor.here(Surface.PROGRAM, me)):
                case Won():
                    told[name] = me
                case AlreadySettled(winner, _, outcome):
                    assert outcome.text == winner.name
                    told[name] = winner.name + " was faster"
        raced |= told.keys()
        print(json.dumps(told), flush=True)
    async with asyncio.timeout(20):
        while raced - heard.keys():
            await asyncio.sleep(0.02)
    print(json.dumps(heard))
    await inbox.close()
asyncio.run(race(Path(sys.argv[1]), sys.argv[2]))
"""
WRITER = """
import sys
from pathlib import Path
from ccq_tui.inbox.requests import Allowed, PermissionRequest
from ccq_tui.inbox.verdicts import Won
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.store.store import Store
store = Store(Path(sys.argv[1]))
number = 0
while True:
    name = f"r{number}"
    store.requests.add(PermissionRequest(name, "s", "Bash", {"command": "x" * 5000}))
    assert store.requests.settle(f"{name}@s", Allowed(name), Actor(Surface.PANEL)) == Won()
    sys.stdout.write(f"{name}@s\\n")
    sys.stdout.flush()
    number += 1
"""
HOLDER = """
import sqlite3, sys
from tests.actors import PANEL
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.readline()
connection.execute("ROLLBACK")
"""


def start(script: str, *words: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, words)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def tell(process: subprocess.Popen[str], text: str = "") -> None:
    assert process.stdin is not None
    process.stdin.write(f"{text}\n")
    process.stdin.flush()


def test_two_programs_and_a_script_race_and_each_request_has_one_winner(tmp_path: Path) -> None:
    path = tmp_path / "inbox.db"
    store = Store(path)
    with store.database.writing() as at:  # in one go: the asking is not what is measured
        for number in range(RACES):
            store.database.do(
                "INSERT INTO requests"
                " (id, call, asker_id, kind, body, context, state, asked_at, deferred)"
                " VALUES (?, ?, 's', 'permission', ?, '', 'pending', ?, 0)",
                (f"r{number}@s", f"r{number}", json.dumps(BODY | {"tool_use_id": f"r{number}"}), at),
            )
    names = ("one", "two", "script")
    racers = [start(RACER if name == "script" else INBOX_RACER, path, name) for name in names]
    assert [line(racer) for racer in racers] == ["ready"] * 3
    winners: dict[str, str] = {}
    for first in range(0, RACES, HEAT):
        heat = [f"r{number}@s" for number in range(first, first + HEAT)]
        for index, racer in enumerate(racers):  # each begins with another one
            tell(racer, " ".join(heat[index:] + heat[:index]))
        told: list[dict[str, str]] = [json.loads(line(racer)) for racer in racers]
        for request in heat:
            (winner,) = [name for name, one in zip(names, told, strict=True) if one[request] == name]
            assert sorted(one[request] for one in told) == sorted([winner, *[f"{winner} was faster"] * 2])
            winners[request] = winner
    assert len(set(winners.values())) > 1, "they did race"
    ends = [racer.communicate(timeout=LIMIT)[0] for racer in racers]
    assert [json.loads(end) for end in ends[:2]] == [winners] * 2, "both programs were told of every one"
    assert [racer.returncode for racer in racers] == [0] * 3
    stored = store.requests.undelivered("s")
    assert {s.request.id: s.actor.name for s in stored if s.actor} == winners
    assert all(s.actor and s.outcome == Denied(s.actor.name) for s in stored)
    settled = [c for c in store.history.changes(limit=5 * RACES) if c.became == "declined"]
    assert len(settled) == RACES
    store.close()


def test_a_killed_writer_leaves_every_answer_that_it_confirmed(tmp_path: Path) -> None:
    path = tmp_path / "inbox.db"
    confirmed: list[str] = []
    for rounds in range(1, 4):
        writer = start(WRITER.replace("number = 0", f"number = {100_000 * rounds}"), path)
        heard = [line(writer) for _ in range(25)]
        writer.send_signal(signal.SIGKILL)
        assert writer.stdout is not None
        confirmed += [*heard, *writer.stdout.read().split()]  # with what was read ahead, unlike communicate
        writer.communicate(timeout=LIMIT)
        store = Store(path)
        assert store.database.notice == "", "a killed writer damages nothing"
        kept = {stored.request.id for stored in store.requests.undelivered("s")}
        # A line that the kill cut in two was confirmed no less.
        assert {name for name in confirmed if store.requests.get(name)} <= kept
        assert kept.issuperset(heard)
        assert len(store.requests.waiting()) <= rounds, "at most the one that was being settled"
        store.close()


def test_a_database_that_is_held_too_long_is_an_error_and_nothing_changes(tmp_path: Path) -> None:
    path = tmp_path / "inbox.db"
    store = Store(path, busy_seconds=0.2)
    store.requests.add(PermissionRequest("a", "s", "Bash", {}))
    holder = start(HOLDER, path)
    assert line(holder) == "held"
    with pytest.raises(InboxBusy, match="another process holds the inbox; try again"):
        store.requests.settle("a@s", Denied(), SCRIPT)
    holder.communicate("\n", timeout=LIMIT)
    assert [waiting.request.tool_use_id for waiting in store.requests.waiting()] == ["a"]
    assert len(store.history.changes()) == 1
    store.requests.settle("a@s", Denied(), SCRIPT)
    assert store.requests.waiting() == []
    store.close()


def test_processes_that_make_the_database_at_once_all_get_it(tmp_path: Path) -> None:
    path = tmp_path / "state" / "inbox.db"
    makers = [start(RACER, path, name) for name in ("one", "two", "three")]
    assert [line(maker) for maker in makers] == ["ready"] * 3
    assert [maker.communicate(timeout=LIMIT)[0] for maker in makers] == [""] * 3
    assert [file.name for file in path.parent.glob("*damaged*")] == []
