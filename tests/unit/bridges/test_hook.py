"""The hook as Claude Code runs it, the transcript it reads, and what docs/bridges.md shows of it."""

import asyncio
import fcntl
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TextIO

import pytest

from ccq_tui import stored
from ccq_tui.bounded import UnfitFileError
from ccq_tui.bridges.claude_code import transcript as module
from ccq_tui.bridges.claude_code.hook import run_hook
from ccq_tui.bridges.claude_code.hook_input import MOST_BYTES, HookInput, read_hook_input
from ccq_tui.bridges.claude_code.hook_settings import hook_command
from ccq_tui.bridges.claude_code.transcript import CallEnd, TranscriptFile
from ccq_tui.bridges.claude_code.waiting_hook import POLL_SECONDS, Dialog, _decision, _waited, request_of
from ccq_tui.cli import main
from ccq_tui.config.paths import inbox_path
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.requests import Allowed, Cancelled, QuestionRequest, RequestOutcome
from ccq_tui.inbox.store import worker
from ccq_tui.inbox.store.database import BUSY_SECONDS
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.logs import log_path
from ccq_tui.processes import this_process
from ccq_tui.questions import Answer, Answered, QuestionSet
from ccq_tui.questions.parse import readable_set
from tests.processes import codes, program
from tests.steps import until
from tests.unit.bridges.native import (
    ACCEPTED,
    ASKED,
    COMMAND,
    QUESTION,
    SESSION,
    STOPPED,
    NativeSession,
    calls,
    ends,
    prompt,
    says,
)
from tests.unit.inbox.test_durable_trouble import seen

LIMIT = 60.0
ANSWER = Answered((Answer(("Postgres",)),))
Hook = tuple[BaseProcess, TextIO]
"""Its process, and what it prints."""


class Stage:
    """An inbox, a session of Claude Code in files, and hooks that are run for it."""

    def __init__(self, where: Path) -> None:
        inbox_path().parent.mkdir(parents=True)
        self._where = where
        self.store = Store(inbox_path())
        self.store.listeners.add(this_process())
        self.native = NativeSession(where / "claude")
        self.native.write(prompt("go"), says("Let me ask."))
        self.hooks: list[Hook] = []

    def run(self, wanted: Any, *words: str, claude: int | None = None) -> Hook:
        """Start a hook.

        It reads a file: a pipe would tie the test to how much of it a hook reads, and on a busy machine a
        large input takes minutes in pieces of a pipe's size.
        """
        with self.given(wanted).open("rb") as stream:
            reads, writes = os.pipe()
            self.store.close()
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("CLAUDE_PID", str(claude or os.getpid()))
                process = program("hook", *words, stdin=stream.fileno(), stdout=writes, stderr=writes)
            self.store = Store(inbox_path())
            os.close(writes)
        self.hooks.append((process, os.fdopen(reads)))
        return self.hooks[-1]

    def run_here(self, wanted: Any, *words: str) -> None:
        """Run a hook that asks nothing in this process: a start costs 0.15 s."""
        with pytest.MonkeyPatch.context() as patch, self.given(wanted).open() as stream:
            patch.setattr(sys, "stdin", stream)
            assert main(["hook", *words]) == 0

    def given(self, wanted: Any) -> Path:
        """Write the input of a hook into a file."""
        path = self._where / "told"
        path.write_bytes(wanted if isinstance(wanted, bytes) else json.dumps(wanted).encode())
        return path

    def ask(self, *words: str, **more: Any) -> tuple[Hook, StoredRequest]:
        """Ask the question, and wait until it is in the inbox."""
        self.native.write(calls("toolu_1", "AskUserQuestion", ASKED))
        hook = self.run(self.native.hook_input("AskUserQuestion", ASKED), *words, **more)
        (request,) = until(self.store.requests.waiting)
        return hook, request

    def hook_input(self, tool: str, source: Mapping[str, Any]) -> HookInput:
        """Return a hook's input as it is read."""
        return read_hook_input(io.BytesIO(json.dumps(self.native.hook_input(tool, source)).encode()))

    def ended(self, request: StoredRequest) -> StoredRequest:
        """Wait until a request waits no longer, and nothing is to be delivered."""
        over = (RequestState.DELIVERED, RequestState.CANCELLED)
        until(lambda: self.now(request).state in over)
        return self.now(request)

    def now(self, request: StoredRequest) -> StoredRequest:
        """Return a request as it is now."""
        found = self.store.requests.get(request.request.id)
        assert found is not None
        return found


@pytest.fixture
def stage(tmp_path: Path, restored: None) -> Iterator[Stage]:
    made = Stage(tmp_path)
    yield made
    for process, stdout in made.hooks:
        process.kill()
        codes(process)
        stdout.close()
    made.store.close()


def output(hook: Hook) -> str:
    """Wait for a hook's end, which is 0 always, and return what it printed."""
    process, stdout = hook
    out = stdout.read()
    assert codes(process) == [0], out
    return out


def test_an_answer_is_printed_and_is_delivered_once_claude_code_has_it(stage: Stage) -> None:
    hook, stored = stage.ask()
    request = stored.request
    assert isinstance(request, QuestionRequest)
    assert (request.id, stored.context) == (f"toolu_1@hook:{SESSION}", "Let me ask.")
    stage.store.requests.settle(request.id, ANSWER, Actor.here(Surface.COMMAND, "x"))
    decision = json.loads(output(hook))["hookSpecificOutput"]["decision"]
    assert decision["updatedInput"]["answers"] == {"Which database?": "Postgres"}
    assert stage.now(stored).state is RequestState.ANSWERED
    by_hook = {"decision": "accept", "source": "hook"}
    result = {"answers": {"Which database?": "Postgres"}}
    stage.native.write(ends("toolu_1", "answered", result=result, permissionDecision=by_hook))
    assert stage.ended(stored).state is RequestState.DELIVERED


@pytest.mark.parametrize(
    ("how", "recorded"), [(signal.SIGTERM, True), (signal.SIGHUP, False), (signal.SIGINT, False)]
)
def test_a_hook_that_is_stopped_withdraws_what_it_asked(
    stage: Stage, how: signal.Signals, recorded: bool
) -> None:
    hook, stored = stage.ask()
    os.kill(hook[0].pid or 0, how)
    if recorded:  # which comes a moment later
        stage.native.write(ends("toolu_1", STOPPED, failed=True, toolDenialKind="user-rejected"))
    assert output(hook) == ""
    why = "interrupted in Claude Code" if recorded else "Claude Code no longer waits for it"
    assert stage.ended(stored).outcome == Cancelled(why)


def test_an_answer_that_nobody_reads_any_more_was_not_delivered(stage: Stage) -> None:
    hook, stored = stage.ask()
    process, stdout = hook
    stdout.close()
    stage.store.requests.settle(stored.request.id, ANSWER, Actor.here(Surface.COMMAND, "x"))
    assert codes(process) == [0]
    assert stage.ended(stored).outcome == Cancelled("its Claude Code session has ended")


def test_a_hook_ends_when_claude_code_is_gone_or_it_has_waited_long_enough(stage: Stage) -> None:
    with subprocess.Popen(["sleep", "60"]) as claude:
        hook, stored = stage.ask(claude=claude.pid)
        claude.kill()
        claude.wait()
        assert output(hook) == ""
    assert stage.ended(stored).outcome == Cancelled("its Claude Code session has ended")
    stage.native.write(ends("toolu_1", "", at=datetime.now(UTC) - timedelta(minutes=1)))
    stage.native.write(calls("toolu_2", "AskUserQuestion", ASKED, "msg_2"))
    hook = stage.run(stage.native.hook_input("AskUserQuestion", ASKED), "--wait", "1s")
    (stored,) = until(stage.store.requests.waiting)
    assert stored.request.tool_use_id == "toolu_2"
    assert output(hook) == ""
    assert stage.ended(stored).outcome == Cancelled("nobody answered in the time that its hook waits")


def test_a_command_that_was_allowed_there_and_still_runs_closes_the_request(stage: Stage) -> None:
    stage.native.stands("waiting")
    stage.native.write(calls("toolu_1", "Bash", COMMAND))
    hook = stage.run(stage.native.hook_input("Bash", COMMAND))
    (stored,) = until(stage.store.requests.waiting)
    stage.native.stands("busy")
    assert output(hook) == ""
    assert stage.ended(stored).outcome == Cancelled("decided in Claude Code")


@pytest.mark.parametrize(
    ("other", "begins", "outcome"),
    [
        ({"command": "true"}, "toolu_1", Allowed()),
        (COMMAND, "hook_", Cancelled("decided in Claude Code")),  # two equal calls: nobody knows which ended
    ],
)
def test_another_call_of_the_tool_is_not_taken_for_its_own(
    stage: Stage, other: Mapping[str, Any], begins: str, outcome: RequestOutcome
) -> None:
    stage.native.write(calls("toolu_0", "Bash", other), calls("toolu_1", "Bash", COMMAND))
    hook = stage.run(stage.native.hook_input("Bash", COMMAND))
    (stored,) = until(stage.store.requests.waiting)
    assert stored.request.tool_use_id.startswith(begins)
    stage.native.write(ends("toolu_0", STOPPED, failed=True, toolDenialKind="user-rejected"))
    stage.native.write(ends("toolu_1", "done", permissionDecision=ACCEPTED))
    assert output(hook) == ""
    assert stage.ended(stored).outcome == outcome


def test_each_call_is_compared_once_however_long_a_hook_waits(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed = []

    def counted(name: str, source: Mapping[str, Any]) -> QuestionSet | None:
        parsed.append(name)
        return readable_set(name, source)

    monkeypatch.setattr("ccq_tui.bridges.claude_code.waiting_hook.readable_set", counted)
    other = {"questions": [{**QUESTION, "question": "Which one?"}]}
    dialog = Dialog(stage.hook_input("AskUserQuestion", ASKED))
    for number in range(5):
        stage.native.write(calls(f"toolu_{number}", "AskUserQuestion", other, f"msg_{number}"))
    for _ in range(20):
        assert dialog.poll() is None
    assert len(parsed) == 1 + 5  # the hook's own and each of the others


async def test_the_other_place_sees_an_answer_at_its_next_look(stage: Stage) -> None:
    class Looking(Dialog):
        def __init__(self, hook: HookInput) -> None:
            super().__init__(hook)
            self.polls, self.began = 0, asyncio.Event()

        def poll(self) -> CallEnd | Cancelled | None:
            self.polls += 1
            self.began.set()
            return super().poll()

    async def waited(answer: Callable[[asyncio.Future[RequestOutcome]], None]) -> tuple[object, int]:
        """Return how the wait ended, and after how many looks after the answer."""
        dialog, asking = Looking(stage.hook_input("AskUserQuestion", ASKED)), asyncio.Future[RequestOutcome]()
        waiting = asyncio.create_task(_waited(asking, dialog, asyncio.Event(), None, LIMIT))
        await dialog.began.wait()
        answer(asking)
        began, before = time.monotonic(), dialog.polls
        ended = await waiting
        print(f"seen after {time.monotonic() - began:.2f} s")  # noqa: T201
        return ended, dialog.polls - before

    stage.native.write(calls("toolu_1", "AskUserQuestion", ASKED))
    assert await waited(lambda asking: asking.set_result(ANSWER)) == (None, 0)
    there = ends("toolu_1", "answered", permissionDecision=ACCEPTED)
    ended, looks = await waited(lambda _: stage.native.write(there))
    assert (isinstance(ended, CallEnd), looks) == (True, 1)
    # Another process sees it at its store's next look; screens and the hook's end have the rest of 1 s.
    assert POLL_SECONDS + worker.POLL_SECONDS < 0.3


def test_a_hook_waits_for_a_lock_longer_than_a_command_does(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = os.open(inbox_path().parent, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds
        if now[0] > 20 * BUSY_SECONDS:
            fcntl.flock(handle, fcntl.LOCK_UN)

    monkeypatch.setattr(stored, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))
    stage.store.listeners.remove(this_process())
    run_hook(io.BytesIO(json.dumps(stage.native.hook_input("Bash", COMMAND)).encode()), inbox_path(), print)
    assert now[0] > 20 * BUSY_SECONDS
    os.close(handle)


async def test_a_lock_delays_the_question_of_a_hook_and_does_not_end_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("ccq_tui.inbox.store.worker.Store", partial(Store, busy_seconds=0.0))
    monkeypatch.setattr("ccq_tui.inbox.store.worker.OPEN_SECONDS", 0.02)
    handle = os.open(inbox_path().parent, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    hook = stage.hook_input("Bash", COMMAND)
    request = request_of(hook, "toolu_1")
    assert request is not None
    asking = asyncio.create_task(_decision(hook, request, Dialog(hook), inbox_path(), LIMIT))
    async with asyncio.timeout(LIMIT):
        await asyncio.to_thread(until, lambda: "InboxBusy" in caplog.text)
        assert not asking.done()
        os.close(handle)
        await seen(inbox_path(), lambda store: store.requests.waiting())
        stage.store.requests.settle(request.id, Allowed(), Actor.here(Surface.COMMAND, "x"))
        decided = await asking
    assert decided["hookSpecificOutput"]["decision"]["behavior"] == "allow"


def test_the_same_question_asked_again_at_once_is_another_call(stage: Stage) -> None:
    def answered_there(number: int) -> None:
        result = {"answers": {"Which database?": "SQLite"}}
        stage.native.write(
            ends(f"toolu_{number}", "answered", result=result, permissionDecision=ACCEPTED),
            calls(f"toolu_{number + 1}", "AskUserQuestion", ASKED, f"msg_{number + 1}"),
        )

    hook, first = stage.ask()
    answered_there(1)
    assert output(hook) == ""
    now = stage.ended(first)
    assert now.outcome == Answered((Answer(("SQLite",)),))
    assert now.actor.where == "in Claude Code"
    hook = stage.run(stage.native.hook_input("AskUserQuestion", ASKED))
    (second,) = until(stage.store.requests.waiting)
    assert second.request.tool_use_id == "toolu_2"
    stage.store.requests.settle(second.request.id, ANSWER, Actor.here(Surface.COMMAND, "x"))
    output(hook)
    answered_there(2)
    assert stage.ended(second).outcome == Cancelled("it was answered in Claude Code first")


def test_nobody_is_asked_where_nobody_would_see_it(stage: Stage, capfd: pytest.CaptureFixture[str]) -> None:
    payload = stage.native.hook_input("AskUserQuestion", ASKED)
    stage.store.sessions.claim(SESSION, this_process())
    assert output(stage.run(payload)) == ""  # a ccq-tui runs the session, and asks itself
    stage.store.sessions.release(SESSION, this_process())
    stage.store.listeners.remove(this_process())
    stage.run_here(payload)
    stage.run_here({**payload, "hook_event_name": "Elicitation"})
    stage.run_here({**payload, "hook_event_name": "Elicitation"}, "--always")
    assert capfd.readouterr() == ("", "")
    assert stage.store.requests.waiting() == []
    assert not log_path().exists()


def test_a_hook_that_always_asks_waits_until_a_person_comes(stage: Stage) -> None:
    stage.store.listeners.remove(this_process())
    hook, request = stage.ask("--always")
    stage.store.requests.settle(request.request.id, ANSWER, Actor.here(Surface.COMMAND, "x"))
    assert "SQLite" in output(hook)


def test_whatever_is_wrong_ends_with_0_nothing_printed_and_a_line_in_the_log(
    stage: Stage, capfd: pytest.CaptureFixture[str]
) -> None:
    wrong: list[tuple[Any, tuple[str, ...]]] = [
        (b"no json", ("--wait",)),
        (b"{" * (MOST_BYTES + 1), ()),
        (stage.native.hook_input("AskUserQuestion", ASKED), ("--wait", "soon")),
        (stage.native.hook_input("AskUserQuestion", ASKED, transcript_path="/"), ("--brand-new", "flag")),
    ]
    assert output(stage.run(wrong[0][0], *wrong[0][1])) == ""
    for text, words in wrong[1:]:
        stage.run_here(text, *words)
    assert capfd.readouterr() == ("", "")
    lines = [line for line in log_path().read_text().splitlines() if "A hook asked nothing" in line]
    assert len(lines) == len(wrong)
    assert stage.store.requests.waiting() == []


def test_an_interrupt_while_it_reads_is_no_decision(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted(io.BytesIO):
        def read(self, _most: int | None = -1, /) -> bytes:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Interrupted()))
    assert main(["hook"]) == 0
    assert capsys.readouterr() == ("", "")
    assert "A hook asked nothing: KeyboardInterrupt" in log_path().read_text()


PAGE = Path(__file__).parents[3].joinpath("docs/bridges.md").read_text(encoding="utf-8")


def test_the_examples_run_in_their_order(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = [
        step
        for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
        for step in block.removeprefix("$ ").split("\n$ ")
        if step.startswith("ccq-tui hooks")
    ]
    assert len(steps) == 2
    for step in steps:
        line, _, wanted = step.partition("\n")
        assert main(shlex.split(line)[1:]) == 0
        out = capsys.readouterr().out.replace(str(home), "/home/you")
        assert out.replace(hook_command(), "/home/you/.local/bin/ccq-tui hook") == wanted.rstrip("\n") + "\n"


@pytest.fixture
def session(tmp_path: Path) -> NativeSession:
    return NativeSession(tmp_path / "claude")


def looked(session: NativeSession) -> TranscriptFile:
    seen = TranscriptFile(session.path)
    seen.read()
    return seen


def test_calls_texts_and_ends_are_read_as_they_come(session: NativeSession) -> None:
    seen = looked(session)
    assert seen.unanswered() == []
    session.write(prompt("go"), says("Before."), says("Let me ask.", "msg_2"))
    session.write(calls("one", "AskUserQuestion", ASKED, "msg_2"), {"type": "api-request", "message": {}})
    seen.read()
    (call,) = seen.unanswered()
    assert (call.id, call.tool, call.input) == ("one", "AskUserQuestion", ASKED)
    assert seen.before(call) == "Let me ask."
    session.write(ends("one", "done", permissionDecision=ACCEPTED, result={"answers": {}}))
    seen.read()
    end = seen.end_of("one")
    assert (end.decision, end.source, end.result.output, end.result.structured) == (
        "accept", "user_temporary", "done", {"answers": {}},
    )  # fmt: skip
    assert seen.unanswered() == []


def test_what_was_said_before_a_call_is_of_the_same_turn(session: NativeSession) -> None:
    session.write(prompt("go"), says("Old."), prompt("more"), calls("one", "Bash", COMMAND, "msg_3"))
    seen = looked(session)
    assert seen.before(seen.unanswered()[0]) == ""


def test_calls_of_an_earlier_message_that_never_ended_do_not_wait(session: NativeSession) -> None:
    session.write(
        calls("killed", "AskUserQuestion", ASKED), prompt("again"), calls("one", "Bash", COMMAND, "msg_2")
    )
    seen = looked(session)
    assert [call.id for call in seen.unanswered()] == ["one"]


def test_half_a_line_is_read_once_it_is_whole(session: NativeSession) -> None:
    seen = TranscriptFile(session.path)
    line = json.dumps(calls("ein", "Bash", {"command": "ä" * 50}), ensure_ascii=False).encode() + b"\n"
    for at in range(0, len(line), 7):
        assert seen.unanswered() == []
        with session.path.open("ab") as file:
            file.write(line[at : at + 7])
        seen.read()
    assert [call.input for call in seen.unanswered()] == [{"command": "ä" * 50}]


def test_only_the_end_of_a_long_file_is_read(session: NativeSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TAIL", 4_000)
    session.write(calls("old", "Bash", COMMAND, "msg_0"), *[says("x" * 90, f"m{at}") for at in range(100)])
    session.write(calls("new", "Bash", COMMAND, "msg_9"))
    assert [call.id for call in TranscriptFile(session.path).read()] == ["new"]


def test_lines_that_are_too_long_or_odd_are_passed_over(
    session: NativeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST_LINE", 5_000)
    monkeypatch.setattr(module, "TAIL", 2_000)
    seen = looked(session)
    odd = [
        {"type": "assistant"},
        {"type": "assistant", "message": "no"},
        {"type": "user", "message": {"content": [7, {"type": "tool_result"}]}},
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": 7, "input": []}]}},
        {"type": "assistant", "message": {"content": {}}},
    ]
    with session.path.open("ab") as file:
        file.write(b'"type":"user" no json\n\xff\xfe"type":"user"\n[[[["type":"user"\n')
    session.write(*odd, says("y" * 20_000), calls("one", "Bash", COMMAND))
    assert [call.id for call in seen.read()] == ["one"]


def test_a_file_in_its_place_is_read_anew(session: NativeSession) -> None:
    seen = TranscriptFile(session.path)
    session.write(says("z" * 500), calls("one", "Bash", COMMAND))
    assert [call.id for call in seen.read()] == ["one"]
    session.path.write_bytes(b"")
    session.write(calls("two", "Bash", COMMAND))
    assert [call.id for call in seen.read()] == ["two"]


def test_no_file_is_no_call_and_a_directory_is_an_error(tmp_path: Path) -> None:
    seen = TranscriptFile(tmp_path / "none.jsonl")
    seen.read()
    assert seen.unanswered() == []
    (tmp_path / "none.jsonl").mkdir()
    with pytest.raises((OSError, UnfitFileError)):
        seen.read()
