"""The commands that print what the inbox holds, and what docs/scripts.md shows of them."""

import os
import re
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from ccq_tui.cli import main
from ccq_tui.cli.main import cli
from ccq_tui.config.paths import inbox_path
from ccq_tui.inbox.actors import WITHDRAWN
from ccq_tui.inbox.layout import WIDTH, cells
from ccq_tui.inbox.records import change_record, request_record, session_record, whole_record
from ccq_tui.inbox.requests import Cancelled, PermissionRequest, QuestionRequest
from ccq_tui.processes import this_process
from ccq_tui.questions import Answer, Answered, Option, Question, QuestionSet
from tests.actors import PANEL
from tests.processes import codes, program
from tests.tables import each_row, table
from tests.unit.starting import Cli
from tests.unit.stocked import (
    CACHE,
    FEATURES,
    FULL,
    PERMISSION,
    PLAN,
    RUNNING,
    SESSION,
    asked,
    id_of,
    record,
    stock,
)


def test_a_backup_is_whole_private_and_never_over_a_file(ccq: Cli, tmp_path: Path) -> None:
    saved = tmp_path / "saved.db"
    assert "there is no inbox yet;" in ccq("inbox", "backup", str(saved), code=2)
    stock()
    with asked() as running:  # what was written last is in its log alone
        running.requests.settle(id_of(CACHE), Answered((Answer(("None",)),)), PANEL)
        out = ccq("inbox", "backup", str(saved))
        assert re.fullmatch(rf"The inbox is copied: {saved}, \d+ kB\.\n", out)
    assert [path.name for path in tmp_path.glob("saved*")] == ["saved.db"]
    assert saved.stat().st_mode & 0o777 == 0o600
    assert "saved.db exists: name another file." in ccq("inbox", "backup", str(saved), code=2)
    assert "No such file" in ccq("inbox", "backup", str(tmp_path / "no" / "x.db"), code=2)
    saved.replace(inbox_path())
    with asked() as restored:
        assert restored.ids.requests() == sorted(map(id_of, (CACHE, FEATURES, PERMISSION, PLAN)))
        found = restored.requests.get(id_of(CACHE))
        assert found.outcome == Answered((Answer(("None",)),))


@pytest.mark.parametrize(
    ("command", "words"),
    [("inbox", r"Nothing waits\.\n"), ("sessions", r"No sessions\.\n"), ("history", r"Nothing happened\.\n")],
)
def test_without_an_inbox_nothing_is_listed_and_none_is_made(ccq: Cli, command: str, words: str) -> None:
    assert re.fullmatch(words, ccq(command))
    sessions = list(ccq.json(command).values())[1]
    assert sessions == [] or (isinstance(sessions, dict) and not sessions["outcomes"])
    assert not inbox_path().exists()


def test_the_inbox_lists_what_waits_oldest_first(ccq: Cli) -> None:
    stock()
    head, *rows, _, hint = ccq("inbox").splitlines()
    assert head.split() == ["REQUEST", "KIND", "ASKED", "SESSION", "WHAT"]
    assert [row.split()[0] for row in rows] == ["toolu_01C", "toolu_01F", "toolu_01Pe", "toolu_01Pl"]
    assert ["3 questions" in row for row in rows] == [False, True, False, False]
    assert "Bash: Run the tests" in rows[2]
    assert re.search(r" question     \d\d:\d\d  api-refactor", rows[0])
    assert "ccq-tui answer REQUEST" in hint
    records = ccq.json("inbox")["requests"]
    assert [record["tool_use_id"] for record in records] == [CACHE, FEATURES, PERMISSION, PLAN]
    assert [choice["label"] for choice in records[2]["choices"]][:1] == ["Allow once"]
    assert records[3]["plan"].startswith("# Move")


def test_the_inbox_names_confirmed_answers_that_have_not_arrived(ccq: Cli, tmp_path: Path) -> None:
    stock()
    for call in (CACHE, FEATURES):
        ccq("decline", call)
    late = "→ 2 answers have not reached api-refactor yet: "
    resume = "ccq-tui resume 8f14e45f"
    ended = f"{late}its directory is gone; {resume} --cwd DIR delivers them."
    assert ccq("inbox").splitlines()[-1] == ended
    with asked() as store:
        store.sessions.upsert(SESSION, str(tmp_path))
    text = f"{late}{resume} delivers them."
    assert ccq("inbox").splitlines()[-1] == text
    assert ccq("inbox", "--session", SESSION[:4]).splitlines() == ["Nothing waits.", "", text]
    assert "→" not in ccq("inbox", "--session", RUNNING[:4])
    record(SESSION).unlink()
    assert ccq("inbox").splitlines()[-1] == (
        "→ 2 answers cannot reach api-refactor: Claude Code has no record of it. "
        "ccq-tui history --session 8f14e45f names them, ccq-tui show REQUEST prints them."
    )


def test_a_request_is_shown_with_a_directory_that_is_gone(ccq: Cli, tmp_path: Path) -> None:
    stock()
    shown = " ".join(ccq("show", CACHE).split())
    assert "/home/me/api · its directory is gone: ccq-tui resume 8f14e45f --cwd DIR" in shown
    assert "ccq-tui answer" in shown
    with asked() as store:
        store.sessions.upsert(SESSION, str(tmp_path))
    assert "is gone" not in ccq("show", CACHE)


def test_lists_are_narrowed_by_session_and_time(ccq: Cli) -> None:
    stock()
    with asked() as store:
        store.requests.add(PermissionRequest("toolu_02", "0other-session", "Bash", {}))
    records = ccq.json("inbox", "--session", "0o")["requests"]
    assert [record["tool_use_id"] for record in records] == ["toolu_02"]
    assert len(ccq.json("sessions", "--session", SESSION[:4])["sessions"]) == 1
    for command in ("inbox", "sessions", "history"):
        everything = ccq.json(command, "--since", "1h")
        assert everything == ccq.json(command)
        assert list(ccq.json(command, "--since", "2999-01-31T12:00+01:00").values())[1] == []


def test_sessions_say_how_many_requests_wait(ccq: Cli) -> None:
    stock()
    rows = ccq("sessions", "--session", SESSION[:8]).splitlines()[1:]
    (row,) = rows
    assert row.split()[:4] == [SESSION[:8], "parked", "?", "2"]
    assert "api-refactor · /home/me/api" in row
    with asked() as store:
        store.sessions.claim(SESSION, this_process())
    (record,) = ccq.json("sessions", "--session", SESSION[:8])["sessions"]
    assert (record["running"], record["waiting"], record["name"]) == (True, 2, "api-refactor")


def test_sessions_have_labels_and_are_found_by_them(ccq: Cli) -> None:
    stock()
    with asked() as store:
        store.sessions.upsert(SESSION, labels={"ticket": "ABC-1", "team": "web"})
        store.sessions.upsert("0other-session", "/other", labels={"ticket": "ABC-2"})
    rows = ccq("sessions", "--label", "ticket", "--label", "team=web").splitlines()[1:]
    (row,) = rows
    assert "api-refactor · ticket=ABC-1 team=web · " in row
    (record,) = ccq.json("sessions", "--label", "ticket=ABC-2")["sessions"]
    assert (record["id"], record["labels"]) == ("0other-session", {"ticket": "ABC-2"})
    assert ccq("sessions", "--label", "ticket=ABC") == "No sessions.\n"


def test_sessions_say_which_answers_have_not_reached_claude(ccq: Cli) -> None:
    stock()
    ccq("answer", CACHE, "--choose", "1")
    (row,) = ccq("sessions", "--session", SESSION[:8]).splitlines()[1:]
    assert row.split()[2:6] == ["?", "1", "→", "1"]
    (record,) = ccq.json("sessions", "--session", SESSION[:8])["sessions"]
    assert (record["waiting"], record["undelivered"]) == (1, 1)
    with asked() as store:
        store.sessions.claim(SESSION, this_process())
    assert "→" not in ccq("sessions"), "it runs: there it is on its way"
    with asked() as store:
        store.sessions.release(SESSION, this_process())
        assert store.requests.mark_delivered(id_of(CACHE), "result")
    assert "→" not in ccq("sessions")


def test_the_history_has_each_change_with_its_cause(ccq: Cli) -> None:
    stock()
    ccq("decline", PLAN)
    lines = ccq("history").splitlines()
    assert lines[0].split() == ["TIME", "WHAT", "CHANGE", "WHY"]
    assert lines[2].split()[-4:] == ["starting", "→", "parked", "waited"]
    assert " ".join(lines[-1].split()[-5:]) == "pending → declined ccq-tui decline"
    assert ccq("history", SESSION[:4]) == ccq("history", "--session", SESSION)
    change = ccq.json("history")["changes"][-1]
    assert (change["request"], change["from"], change["to"]) == (id_of(PLAN), "pending", "declined")


def test_show_says_what_is_asked_and_how_to_answer(ccq: Cli) -> None:
    stock()
    text = ccq("show", "toolu_01C")
    assert "Claude wrote before:\n  I looked at the code." in text
    assert "1  Redis (recommended): Fast" in text
    assert "       | a = 1\n       |    b = 2\n" in text
    assert text.endswith(f"To answer: ccq-tui answer {CACHE} --choose NUMBER\n")
    several = ccq("show", FEATURES)
    assert "2  How many workers? (a number, 1 to 8)" in several
    assert "--choose 1=NUMBER,NUMBER\n             --other 2=NUMBER\n             --other 3=TEXT" in several
    assert "5  Deny, and say what to do instead…" in ccq("show", PERMISSION)
    assert "# Move to Postgres" in ccq("show", PLAN)


def test_show_says_what_became_of_it(ccq: Cli) -> None:
    stock()
    with asked() as store:
        answer = Answer(("SQLite",), note="small", unselected="Oracle")
        store.requests.settle(id_of(CACHE), Answered((answer,)), PANEL)
        store.requests.mark_delivered(id_of(CACHE), "result")
    text = ccq("show", CACHE)
    assert "[x]  2  SQLite" in text
    assert "[ ]  1  Redis" in text
    assert "✎ small" in text
    assert "   typed, not selected: Oracle\n" in text
    assert "Settled in its session, 2" in text
    assert "Delivered as result, 2" in text
    record = ccq.json("show", CACHE)["request"]
    (answer,) = record["outcome"]["answers"]
    assert answer == {
        "selected": ["SQLite"],
        "other": "",
        "note": "small",
        "empty": False,
        "unselected": "Oracle",
    }
    assert (record["state"], record["surface"], record["delivered_as"]) == ("delivered", "panel", "result")


def test_hostile_text_is_harmless_and_fits(ccq: Cli) -> None:
    bad = "\x1b[2J\x9b31m\u202e日本語" * 40
    question = Question(bad, bad, (Option(bad, bad, bad + "\n" + bad),), description=bad)
    inbox_path().parent.mkdir(parents=True)
    with asked() as store:
        store.sessions.upsert("s" + bad, bad, name=bad, last_line=bad)
        store.requests.add(QuestionRequest("toolu_" + bad, "s" + bad, QuestionSet("x", (question,))), bad)
        store.requests.add(PermissionRequest("toolv", "s" + bad, bad, {bad: bad}, bad, bad))
    texts = [ccq(*words) for words in (["inbox"], ["sessions"], ["history"], ["show", "toolu"])]
    texts.append(ccq("show", "toolv"))
    for text in texts:
        assert not any(sign in text for sign in "\x1b\x9b\u202e")
        lines = [line for line in text.splitlines() if not line.startswith("To ")]
        assert max(cells(line) for line in lines) <= WIDTH
    for words in (["inbox"], ["sessions"], ["history"], ["show", "toolu"]):
        assert ccq(*words, "--json").isascii()


@each_row(*table(__file__, "inbox_refused.json"))
def test_what_is_wrong_is_one_line(words: list[str], problem: str, *, ccq: Cli) -> None:
    stock()
    out = ccq(*words, code=2)
    assert out.startswith("Error: ")
    assert out.count("\n") == 1
    assert problem in out


def test_an_inbox_that_cannot_be_used_is_one_line(ccq: Cli) -> None:
    stock()
    with asked() as store:
        store.database._connection.execute("PRAGMA user_version = 99")
    assert "has version 99" in ccq("inbox", code=2)


def test_a_damaged_inbox_is_kept_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    inbox_path().parent.mkdir(parents=True)
    inbox_path().write_bytes(b"no database" * 500)
    assert main(["inbox"]) == 0
    out, problem = capsys.readouterr()
    assert out == "Nothing waits.\n"
    assert "is kept as inbox.db.damaged-" in problem


@pytest.mark.parametrize("words", ["history", "config show"])
def test_a_reader_that_stops_is_no_error(words: str) -> None:
    stock()
    (reads, writes), (problems, says) = os.pipe(), os.pipe()
    os.close(reads)
    process = program(*words.split(), stdout=writes, stderr=says)
    os.close(writes)
    os.close(says)
    assert os.fdopen(problems).read() == ""
    assert codes(process) == [0]


@pytest.mark.usefixtures("restored")
def test_park_needs_a_session_and_leaves_no_wish_behind(ccq: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Missing argument 'SESSION'" in ccq("park", code=2)
    stock()
    with asked() as store:
        store.sessions.claim(SESSION, this_process())

        def interrupt(_seconds: float) -> None:
            assert len(store.commands.open()) == 1
            raise KeyboardInterrupt

        monkeypatch.setattr("ccq_tui.cli.session_commands.time.sleep", interrupt)
        assert "Interrupted." in ccq("park", "8f14", code=130)
        assert store.commands.open() == []


@pytest.mark.usefixtures("restored")
def test_a_session_that_runs_elsewhere_is_parked_there_and_resumed_as_a_copy_alone(
    ccq: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    stock()
    assert ccq("park", "8f14") == ("api-refactor is paused already: 2 requests wait without a process.\n")
    with asked() as store:
        store.sessions.claim(SESSION, this_process())
    out = ccq("resume", "8f14", code=3)
    assert f"runs in another ccq-tui (process {this_process().pid})" in out
    assert f"ccq-tui resume {SESSION} --fork" in out
    monkeypatch.setattr("ccq_tui.inbox.sent_commands.NOTICE_SECONDS", 0.0)
    assert "api-refactor is not paused: the ccq-tui that runs it" in ccq("park", "8f14", code=2)
    with asked() as store:
        store.sessions.release(SESSION, this_process())
        for name in (CACHE, FEATURES, PERMISSION, PLAN):
            store.requests.settle(id_of(name), Cancelled("interrupted"), WITHDRAWN)
    assert "is not running, and nothing waits in it." in ccq("park", "8f14", code=2)
    assert "no session has an id" in ccq("park", "x", code=2)


def test_a_session_that_claude_code_alone_knows_can_be_resumed(
    ccq: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ccq_tui.plain.mode.not_terminals", lambda: ["input"])
    # It comes as far as the screen, for which there is no terminal here.
    assert "needs a terminal" in ccq("resume", SESSION, code=2)


def test_a_request_that_cannot_be_read_hides_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    stock()
    with asked() as store:
        store.database.do("UPDATE requests SET body = '{}' WHERE call = ?", (FEATURES,))
    assert main(["inbox"]) == 0
    out = capsys.readouterr()
    assert "toolu_01C" in out.out
    assert "toolu_01F" not in out.out
    assert out.err == "1 request could not be read; numbers in the table of requests: 2\n"


def test_an_abbreviated_id_is_found_in_the_whole_inbox() -> None:
    with asked() as store:
        for name in ("a", "ab", "abc", "b_", "bx"):
            store.requests.add(PermissionRequest(name, f"s-{name}", "Bash", {}))
        assert store.ids.requests("ab") == ["ab@s-ab", "abc@s-abc"]
        assert store.ids.requests("b_") == ["b_@s-b_"]
        assert store.ids.requests("a", 1) == ["a@s-a"]
        assert store.ids.sessions("s-b") == ["s-b_", "s-bx"]


@pytest.mark.parametrize(
    ("words", "start", "wanted"),
    [
        (["show"], "toolu_01P", [PERMISSION, PLAN]),
        (["answer"], "toolu_01C", [CACHE]),
        (["resume"], SESSION[:3], [SESSION]),
        (["export"], "x", []),
        (["inbox", "--session"], "", [RUNNING, SESSION]),
    ],
)
def test_the_shell_completes_ids(words: list[str], start: str, wanted: list[str]) -> None:
    completing = ShellComplete(cli, {}, "ccq-tui", "_CCQ_TUI_COMPLETE")
    assert completing.get_completions(words, start) == []
    stock()
    assert [item.value for item in completing.get_completions(words, start)] == wanted


def test_the_shell_is_not_told_what_is_wrong_with_the_inbox() -> None:
    inbox_path().mkdir(parents=True)
    completing = ShellComplete(cli, {}, "ccq-tui", "_CCQ_TUI_COMPLETE")
    assert completing.get_completions(["show"], "") == []


PAGE = Path(__file__).parents[2].joinpath("docs/scripts.md").read_text(encoding="utf-8")
AT = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
CLOCK = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


def run(line: str) -> tuple[str, int]:
    """Run a line of a console as a shell would: one command, perhaps with the output of echo before it."""
    before, _, command = line.rpartition(" | ")
    text = shlex.split(before)[1] if before else None
    program, *words = shlex.split(command)
    assert program == "ccq-tui"
    done = CliRunner().invoke(cli, words, input=text, standalone_mode=True)
    return CLOCK.sub("TIME", done.output), done.exit_code


def test_the_examples_run_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    # The session's directory is one that a reader would have.
    for module in ("inbox", "store"):
        monkeypatch.setattr(f"ccq_tui.cli.{module}.can_be_there", lambda _directory: True)
    stock(AT)
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 4
    code = 0
    for block in blocks:
        for step in block.removeprefix("$ ").split("\n$ "):
            line, _, wanted = step.partition("\n")
            if line == "echo $?":
                assert wanted.strip() == str(code)
                continue
            printed, code = run(line)
            assert printed.rstrip("\n") == wanted.rstrip("\n")


def fields(record: Any) -> Iterator[str]:
    """Return the names of all fields, those of a tool's own input left out."""
    if isinstance(record, dict):
        for name, value in record.items():
            yield name
            yield from () if name == "input" else fields(value)
    elif isinstance(record, list):
        for item in record:
            yield from fields(item)


def test_every_field_is_named() -> None:
    stock()
    assert CliRunner().invoke(cli, ["answer", PLAN, "--choose", "2"]).exit_code == 0
    assert CliRunner().invoke(cli, ["answer", FEATURES, *FULL]).exit_code == 0
    with asked() as store:
        requests = [store.requests.get(id_of(name)) for name in (CACHE, FEATURES, PERMISSION, PLAN)]
        records = [record(item) for item in requests if item for record in (request_record, whole_record)]
        records += [session_record(item, 1) for item in store.sessions.page()]
        records += [change_record(item) for item in store.history.changes()]
    names = set(fields(records))
    assert len(names) > 50
    assert {name for name in names if f"`{name}`" not in PAGE} == set()
