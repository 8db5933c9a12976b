"""A session, a native one and a wrapped program, answered on a phone, at the terminal and by a script."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.testing import Scenario
from tests.e2e.conftest import Running, Start, program
from tests.e2e.terminal import Terminal
from tests.e2e.test_native_sessions import DATABASE, FEATURES, Natives, said, shown
from tests.e2e.test_phone import phone
from tests.results import answered, replied
from tests.steps import step, until
from tests.unit.remote.phone.device import Device, fingerprint_in, link_in

ANNA = "Anna's phone"
Record = dict[str, Any]


def three_sets(name: str) -> Scenario:
    """Ask a set for each place, each in a turn."""
    scenario = Scenario(name)
    for place in ("phone", "terminal", "script"):
        scenario = scenario.says(f"For the {place}.").asks(DATABASE, FEATURES)
        scenario = scenario.says(f"Had {place}.").ends_turn()
    return scenario


@contextmanager
def published(run: Running) -> Iterator[Device]:
    """Publish the inbox to a relay of this machine, and pair a phone."""
    with phone(run.home, "--keep") as keeping:
        keeping.wait("Published to")
        card = run.ccq("pair")
        with Device(link_in(card), fingerprint_in(card)) as device:
            device.open_link(link_in(card), ANNA)
            yield device
        keeping.process.terminate()
        assert keeping.wait_end(20) == 0


def record_with(device: Device, text: str) -> Record:
    """Wait until the phone has a request with some text, which takes 2 s at most on an idle machine."""

    return dict(until(lambda: next((one for one in device.requests() if text in str(one["body"])), None)))


def set_answer(database: int, features: list[int], **more: Any) -> Record:
    return {"answers": [{"selected": [database]}, {"selected": features, **more}]}


def closed(device: Device, record: Record) -> Record:
    """Wait until a request is over on the phone, and its session was seen to have the answer."""

    def look() -> Record:
        statement = device.statement_now(record)
        return statement if statement.get("taken") else {}

    return dict(until(look))


def test_three_askers_are_answered_in_three_places(start: Start) -> None:
    run = start(three_sets("ours"), prompt="", size=(100, 30))
    run.terminal.wait("○ ready")
    with published(run) as device:
        ours(run, device)
        native(run, device)
        wrapped(run, device)
    run.end("ctrl+q", 0)


def ours(run: Running, device: Device) -> None:
    terminal = run.terminal

    def prompt() -> None:
        terminal.type("go")
        terminal.press("enter")

    prompt()
    with step("a session of ours: on the phone"):
        terminal.wait_panel("Which database?", after="For the phone.")
        record = record_with(device, "For the phone.")
        assert record["body"]["session"]["directory"] == str(run.home.project)
        device.answer(record, set_answer(2, [1, 3], note="not the second"))
        terminal.wait(lambda seen: f"on {ANNA}" in seen.prose and not seen.panel)
        both = f"{said('Which database?', 'Postgres')}, {said('Which features?', 'Auth, Logs')}"
        result = run.result(record["body"]["request"]["tool_use_id"])
        assert result == replied(f"{both} notes: not the second")
        ended = {"end": "answered", "by": f"on {ANNA}", "device": device.id, "taken": True, "refused": ""}
        assert closed(device, record) | {"at": ""} == ended | {"text": "Postgres · Auth, Logs", "at": ""}
    with step("at the terminal"):
        terminal.wait("Had phone.")
        prompt()
        terminal.wait_panel("Which database?", after="For the terminal.")
        record = record_with(device, "For the terminal.")
        steps = {"1": "● 1  SQLite", "enter": "Which features?", "2": "◼ 2  Cache"}
        for keys, words in (*steps.items(), ("enter", "Submit")):
            terminal.press(keys)
            terminal.wait_panel(words)
        terminal.press("enter")
        both = f"{said('Which database?', 'SQLite')}, {said('Which features?', 'Cache')}"
        assert run.result(record["body"]["request"]["tool_use_id"]) == answered(both)
        ended = closed(device, record)
        assert (ended["end"], ended["by"], ended["text"]) == ("answered", "in its session", "SQLite · Cache")
        with pytest.raises(AssertionError, match="It has ended"):
            device.answer(record, set_answer(2, [1]))
    with step("by a script"):
        terminal.wait("Had terminal.")
        prompt()
        terminal.wait_panel("Which database?", after="For the script.")
        record = record_with(device, "For the script.")
        call = record["body"]["request"]["tool_use_id"]
        run.ccq("answer", call, "--choose", "1=2", "--choose", "2=1", "--other", "2=Search")
        both = f"{said('Which database?', 'Postgres')}, {said('Which features?', 'Auth, Search')}"
        assert run.result(call) == replied(both)
        assert closed(device, record)["by"] == "by ccq-tui answer"
        terminal.wait("Had script.")


def native(run: Running, device: Device) -> None:
    natives = Natives(run)
    with natives.native("go", "--name", "Release notes") as dialog:
        with step("a native session, through its hook: on the phone"):
            (asked,) = natives.asked()
            shown(dialog, "❯ 1. SQLite")
            record = record_with(device, asked.request.tool_use_id)
            assert record["body"]["session"]["name"] == "Release notes · Claude Code"
            device.answer(record, set_answer(1, [2]))
            both = f"{said('Which database?', 'SQLite')}, {said('Which features?', 'Cache')}"
            assert natives.result(asked).text == answered(both)
            assert natives.ended(asked).state is RequestState.DELIVERED
            assert closed(device, record)["by"] == f"on {ANNA}"
        with step("in its own dialog"):
            dialog.wait("Had phone.")
            dialog.press("more\r")
            (asked,) = natives.asked()
            record = record_with(device, asked.request.tool_use_id)
            shown(dialog, "❯ 1. SQLite")
            dialog.press("\x1b")
            natives.ended(asked)
            assert until(lambda: device.statement_now(record).get("end")) in ("declined", "withdrawn")
    natives.store.close()


PROMPT = "read -p 'Continue? [y/N] ' a; echo \"continue=$a\"; read -p 'Really? [y/N] ' a; echo \"really=$a\""


def wrapped(run: Running, device: Device) -> None:
    command = [program(), "wrap", "--name", "setup", "--", "bash", "-c", PROMPT]
    with Terminal(command, run.home.env, run.home.project) as terminal:
        with step("a wrapped program: on the phone"):
            record = record_with(device, "Continue?")
            device.answer(record, {"answers": [{"selected": ["Yes"]}]})
            terminal.wait("continue=y")
            assert closed(device, record)["by"] == f"on {ANNA}"
        with step("at its own prompt"):
            record = record_with(device, "Really?")
            terminal.type("n")
            terminal.press("enter")
            terminal.wait("really=n")
            assert until(lambda: device.statement_now(record).get("end")) in ("answered", "withdrawn")
        assert terminal.wait_end() == 0
