"""Answers from the shell: by the panel's rules, once, and nothing changed by what is wrong or none."""

import io
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.cli import main
from ccq_tui.cli.answer import _answers
from ccq_tui.cli.exits import Refused
from ccq_tui.config.paths import inbox_path
from ccq_tui.inbox.actors import WITHDRAWN
from ccq_tui.inbox.format import shortener
from ccq_tui.inbox.kinds import parse_outcome
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied, QuestionRequest, RequestOutcome
from ccq_tui.inbox.store.database import open_database
from ccq_tui.inbox.store.requests import PROCESS_ENDED
from ccq_tui.inbox.store.rows import RequestState, SessionState
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.processes import Owner, this_process
from ccq_tui.questions import Answer, Answered, Declined, Discussed, QuestionSet
from tests.actors import ELSEWHERE, PANEL
from tests.processes import codes, program
from tests.tables import table
from tests.unit.inbox.made import sets
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

DEAD = Owner(2**22 + 1)
JSON_FULL = '{"answers": [{"selected": ["Auth", 3]}, {"other": "4"}, {"other": "api"}]}'


def test_where_the_directory_of_the_session_is_gone_it_says_how_to_go_on(
    capsys: pytest.CaptureFixture[str], ccq: Cli, tmp_path: Path
) -> None:
    stock()
    assert "directory /home/me/api is gone" in ccq("answer", CACHE, "--choose", "1")
    with asked() as store:
        store.sessions.upsert(SESSION, str(tmp_path))
    assert main(["decline", FEATURES]) == 0
    assert (
        "An open ccq-tui that shows its session delivers it now; otherwise run: ccq-tui resume 8f14e45f"
        in capsys.readouterr().out
    )


def outcome_of(call: str) -> RequestOutcome | None:
    with asked() as store:
        stored = store.requests.get(id_of(call))
    return stored.outcome


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        ([CACHE, "--choose", "2"], Answered((Answer(("SQLite",), preview="a = 1\n   b = 2"),))),
        ([CACHE, "--choose", "1=1"], Answered((Answer(("Redis (Recommended)",)),))),
        (["toolu_01C", "--other", "1=2", "--note", "2=3"], Answered((Answer(other="1=2", note="2=3"),))),
        ([CACHE, "--other", "a\x1bb\r\nc"], Answered((Answer(other="ab\nc"),))),
        ([CACHE, "--discuss", "Why a cache?"], Discussed("Why a cache?")),
        (
            [FEATURES, *FULL, "--note", "3=short"],
            Answered((Answer(("Auth", "Search")), Answer(other="4"), Answer(other="api", note="short"))),
        ),
        (
            [FEATURES, "--choose", "1=3", "--choose", "1=2", "--other", "1=more", *FULL[2:]],
            Answered((Answer(("Logs", "Search"), "more"), Answer(other="4"), Answer(other="api"))),
        ),
        (
            [FEATURES, "--choose", "1=none", *FULL[2:]],
            Answered((Answer(empty=True), Answer(other="4"), Answer(other="api"))),
        ),
        ([PERMISSION, "--choose", "y"], Allowed()),
        ([PERMISSION, "--choose", "4", "--note", "only once"], Allowed("only once")),
        ([PERMISSION, "--choose", "5", "--note", "use make"], Denied("use make")),
        ([PLAN, "--choose", "3"], Allowed(mode="acceptEdits")),
    ],
)
def test_an_answer(words: list[str], outcome: RequestOutcome, capsys: pytest.CaptureFixture[str]) -> None:
    stock()
    assert main(["answer", *words]) == 0
    name = next(name for name in (CACHE, FEATURES, PERMISSION, PLAN) if name.startswith(words[0]))
    assert outcome_of(name) == outcome
    out = capsys.readouterr().out
    assert out.startswith(f"{name}: ")
    if name in (CACHE, FEATURES):
        assert f"ccq-tui resume {SESSION[:8]} --cwd DIR\n" in out
    else:
        assert out.endswith("Its session is running and receives it now.\n")


@pytest.mark.parametrize(("name", "outcome"), [(CACHE, Declined()), (PERMISSION, Denied()), (PLAN, Denied())])
def test_declining(name: str, outcome: RequestOutcome, capsys: pytest.CaptureFixture[str]) -> None:
    stock()
    with asked() as store:
        store.sessions.claim(SESSION, this_process())
    assert main(["decline", name]) == 0
    assert outcome_of(name) == outcome
    assert capsys.readouterr().out == f"{name}: declined.\nIts session is running and receives it now.\n"


def test_an_answer_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stock()
    (tmp_path / "answer.json").write_text(JSON_FULL, encoding="utf-8")
    assert main(["answer", FEATURES, "--json", str(tmp_path / "answer.json")]) == 0
    answers = (Answer(("Auth", "Search")), Answer(other="4"), Answer(other="api"))
    assert outcome_of(FEATURES) == Answered(answers)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"choice": 4, "note": "do"}')))
    assert main(["answer", PLAN, "--json", "-"]) == 0
    assert outcome_of(PLAN) == Allowed("do", mode="default")


@pytest.mark.parametrize("command", [["answer", "--choose", "9"], ["decline"]])
def test_the_first_answer_wins(command: list[str], ccq: Cli) -> None:
    stock()
    with asked() as store:
        store.requests.settle(id_of(CACHE), Discussed("why?"), PANEL)
        store.requests.settle(id_of(PLAN), Cancelled("interrupted"), WITHDRAWN)
    out = ccq(command[0], CACHE, *command[1:], code=3)
    assert f"{CACHE} was already answered in its session at 2" in out
    assert out.endswith("; nothing was changed.\n")
    assert out.count("\n") == 1
    assert outcome_of(CACHE) == Discussed("why?")
    out = ccq(command[0], PLAN, *command[1:], code=3)
    assert f"{PLAN} was withdrawn at 2" in out
    assert out.endswith(": interrupted; nothing was changed.\n")


@pytest.mark.parametrize("words", [["answer", PERMISSION, "--choose", "1"], ["decline", PLAN]])
@pytest.mark.parametrize("ended", ["killed", "in order", "nobody knows how"])
def test_what_only_a_process_that_is_gone_could_take_is_withdrawn(
    words: list[str], ended: str, ccq: Cli
) -> None:
    stock()
    with asked() as store:
        store.sessions.release(RUNNING, this_process())
        if ended == "killed":
            assert store.sessions.claim(RUNNING, DEAD) is None
        elif ended == "in order":
            store.sessions.set_state(RUNNING, SessionState.ENDED, "closed")
    out = ccq(*words, code=3)
    assert f"{words[1]} was withdrawn at 2" in out
    assert "the process that asked has ended" in out
    assert outcome_of(words[1]) == Cancelled(PROCESS_ENDED)
    assert outcome_of(CACHE) is None, "a question can be answered later"


def test_where_the_record_of_the_session_is_gone_it_says_so_and_keeps_the_answer(ccq: Cli) -> None:
    stock()
    record(SESSION).unlink()
    out = ccq("answer", CACHE, "--choose", "2", "--note", "keep it small", code=3)
    assert "not delivered: Claude Code has no record of its session" in out
    assert f"ccq-tui show {CACHE} prints it" in out
    shown = ccq("show", CACHE)
    assert "→ SQLite" in shown
    assert "✎ keep it small" in shown
    assert "Not delivered: Claude Code has no record of its session, so no agent can get it." in shown
    assert "To answer" not in ccq("show", FEATURES)
    # Declining closes it, which is all that is wanted of one that nobody waits for.
    assert "Claude Code has no record of its session" in ccq("decline", FEATURES)


def test_who_is_a_moment_later_is_told(ccq: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def while_another_answers(*_arguments: object) -> Answered:
        with asked() as store:
            store.requests.settle(id_of(CACHE), Declined(), ELSEWHERE)
        return Answered((Answer(other="late"),))

    stock()
    monkeypatch.setattr("ccq_tui.cli.answer.parse_outcome", while_another_answers)
    assert "was already answered in its session at" in ccq("answer", CACHE, "--other", "late", code=3)
    assert outcome_of(CACHE) == Declined()


def test_a_locked_inbox_is_one_line_after_a_while(ccq: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    stock()
    monkeypatch.setattr(
        "ccq_tui.inbox.store.database.open_database", lambda path, _busy: open_database(path, 0.05)
    )
    other = sqlite3.connect(inbox_path(), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    out = ccq("answer", CACHE, "--choose", "1", code=2)
    assert out == f"Error: {inbox_path()}: another process holds the inbox; try again.\n"
    assert main(["inbox"]) == 0  # reading waits for nobody
    other.execute("ROLLBACK")
    other.close()
    assert outcome_of(CACHE) is None


@given(sets, st.lists(st.text("0123456789=,none \x1bé", max_size=6), max_size=3), st.booleans())
def test_flags_are_answers_of_their_set_or_refused(
    questions: QuestionSet, flags: list[str], as_text: bool
) -> None:
    none: dict[str, list[str]] = {"choose": [], "other": [], "note": []}
    try:
        data = {"answers": _answers(questions.questions, none | {"other" if as_text else "choose": flags})}
        outcome = parse_outcome(QuestionRequest("x", "s", questions), data)
    except (Refused, InvalidOutcome):
        return
    assert isinstance(outcome, Answered)
    for question, answer in zip(questions.questions, outcome.answers, strict=True):
        assert set(answer.selected) <= {option.label for option in question.options}
        assert answer.given
        assert question.multi_select or len(answer.selected) + bool(answer.other) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_a_full_disk_neither_crashes_nor_hides_an_answer(tmp_path: Path) -> None:
    stock()
    for words, code, text in (
        (["config", "show"], 1, "Error: standard output cannot be written: No space left on device"),
        (["inbox", "--plain"], 1, "standard output cannot be written: No space left on device"),
        (["answer", CACHE, "--choose", "1"], 0, "answered: Redis. Only standard output cannot be written"),
    ):
        with Path("/dev/full").open("w") as full, (tmp_path / "problem").open("w+") as problem:
            assert codes(program(*words, stdout=full.fileno(), stderr=problem.fileno())) == [code]
            problem.seek(0)
            shown = problem.read()
        assert (text in shown, "Traceback" in shown) == (True, False)
    assert main(["answer", CACHE, "--choose", "1"]) == 3


@pytest.mark.parametrize("words", ["inbox --plain", "config path"])
def test_a_closed_standard_output_is_an_error(tmp_path: Path, words: str) -> None:
    command = f"{sys.executable} -m ccq_tui {words} >&-"
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, timeout=60, cwd=tmp_path, check=False
    )
    assert (done.returncode, done.stderr) == (1, "Error: standard output cannot be written: it is closed.\n")


def test_a_cost_without_an_end_is_json_all_the_same(ccq: Cli) -> None:
    stock()
    with asked() as store:
        store.sessions.upsert(SESSION, "/home/me/api", cost=float("inf"))
    printed = ccq("sessions", "--json")
    sessions = json.loads(printed, parse_constant=pytest.fail)["sessions"]
    assert [one["cost_usd"] for one in sessions if one["id"] == SESSION] == [None]


def test_ids_that_begin_alike_are_shown_far_enough() -> None:
    call = "toolu_01" + "A" * 30
    alike = [f"{call}@{'b' * 36}", f"{call}@{'b' * 35}c"]
    shorten = shortener(sorted([*alike, "x" * 30]))
    assert [shorten(name) for name in alike] == alike
    assert shorten("x" * 30) == "x" * 8


@pytest.mark.parametrize(("words", "problem"), table(__file__, "answers_refused.json"))
def test_what_is_no_answer_is_one_line(words: list[str], problem: str, ccq: Cli) -> None:
    stock()
    refused(ccq, ["answer", *words], problem)


def test_json_that_is_no_answer_is_one_line(
    ccq: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stock()
    for name, data, problem in (
        (FEATURES, b'{"answers": [{"other": 4}, {}, {}]}', "the JSON is no answer: answers[0].other: a text"),
        (CACHE, b'{"discuss": "caf\xe9"}', "it cannot be read: 'utf-8' codec can't decode"),
    ):
        for errors in ("strict", "surrogateescape"):  # as in the locales C.UTF-8 and C
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8", errors))
            refused(ccq, ["answer", name, "--json", "-"], problem)
    (tmp_path / "binary").write_bytes(b"\xfd\xfe")
    refused(ccq, ["answer", CACHE, "--json", str(tmp_path / "binary")], "it cannot be read: 'utf-")


def refused(ccq: Cli, words: list[str], problem: str) -> None:
    """Run a command that is refused; nothing may be changed by it."""
    with asked() as store:
        before = store.history.changes()
    out = ccq(*words, code=2)
    assert out.startswith("Error: ")
    assert out.count("\n") == 1
    assert problem in out
    with asked() as store:
        assert store.history.changes() == before
        assert [item.state for item in store.requests.waiting()] == [RequestState.PENDING] * 4


def test_a_prompt_that_begins_like_a_command_is_told_how(ccq: Cli) -> None:
    out = ccq("show", "me", "the", "tests", code=2).splitlines()
    assert "unexpected extra arguments" in out[-2]
    assert out[-1] == "To start a prompt with this word: ccq-tui -- show ..."
    out = ccq("reflect", "on", "the", "tests", code=2).splitlines()
    assert out[-1] == "To start a prompt with this word: ccq-tui -- reflect ..."
