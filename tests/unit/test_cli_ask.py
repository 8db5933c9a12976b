"""``ccq-tui ask`` without a screen: by lines, with given answers, from the inbox; and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ccq_tui.bridges.terminal.emulator import Screen
from ccq_tui.cli.ask import first_frame, goes_by_lines
from ccq_tui.forms.filling import Filling, request_of
from ccq_tui.forms.reading import form_of
from tests.memory_inbox import MemoryInbox
from tests.ten import VALUES, check_record, records, write_ten
from tests.unit.starting import Cli
from tests.unit.stocked import asked
from tests.unit.test_cli_wait import begun, ended

QUESTION = {"id": "q", "text": "Which one?", "kind": "choice", "options": ["Old", *map(str, range(20))]}


def run(directory: Path, *words: str, lines: str = "") -> subprocess.CompletedProcess[str]:
    """Ask in another process, without a terminal."""
    command = [sys.executable, "-m", "ccq_tui", "ask", *words]
    return subprocess.run(command, cwd=directory, input=lines, capture_output=True, text=True, timeout=60)


def test_given_answers_and_records_make_the_same_record(tmp_path: Path) -> None:
    form = [str(write_ten(tmp_path)), "--context", "commit=1a2b3c"]
    (tmp_path / "given.json").write_text(json.dumps(VALUES), encoding="utf-8")
    done = run(tmp_path, *form, "--answers", "given.json", "--no-input", "--output", "new.json")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (record,) = records(tmp_path / "new.json")
    check_record(record)
    done = run(tmp_path, *form, "--answers", "-", "--no-input", lines=json.dumps(record))
    check_record(json.loads(done.stdout))


@pytest.mark.parametrize("given", ["0", "1"])
def test_a_screen_reader_is_asked_line_by_line(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setattr("ccq_tui.cli.ask._has_terminal", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("CCQ_SCREEN_READER", given)
    assert goes_by_lines(plain=False) == (given == "1")


def test_the_end_of_the_input_answers_nothing_and_the_draft_goes_on(tmp_path: Path) -> None:
    form = str(write_ten(tmp_path))
    done = run(tmp_path, form, "--plain", "--output", "out.jsonl", lines="2\na race\n")
    assert (done.returncode, done.stdout) == (130, "")
    assert "Left; the draft is kept." in done.stderr
    assert not (tmp_path / "out.jsonl").exists()
    done = run(tmp_path, form, "--plain", "--output", "out.jsonl", lines="")
    assert "2 of 9 answered" in done.stderr


@pytest.mark.parametrize(
    ("words", "lines", "printed"),
    [
        (("--option", "a", "--option", "b, c", "--multi"), "1,2\ny\n", "a\nb, c\n"),
        (("--text",), "any words\n", "any words\n"),
        (("--number",), "4.5\n", "4.5\n"),
    ],
)
def test_one_question_prints_its_answer(
    tmp_path: Path, words: tuple[str, ...], lines: str, printed: str
) -> None:
    done = run(tmp_path, "Deploy?", *words, "--plain", lines=lines)
    assert (done.returncode, done.stdout) == (0, printed)


def test_what_is_detached_is_answered_or_declined_from_elsewhere(ccq: Cli) -> None:
    question = ("ask", "Deploy?", "--option", "Yes", "--option", "No")
    with begun(*question, "--json") as answered, begun("ask", "Else?", "--text", "--detach") as declined:
        calls = {}
        while len(calls) < 2:
            with asked() as store:
                calls = {one.request.questions.questions[0].text: one for one in store.requests.waiting()}  # type: ignore[union-attr]
        assert "A script" in ccq("inbox")
        ccq("answer", calls["Deploy?"].request.id, "--choose", "2")
        ccq("decline", calls["Else?"].request.id)
        code, output = ended(answered)
        assert (code, json.loads(output.splitlines()[0])["answers"]["answer"]["label"]) == (0, "No")
        assert output.splitlines()[1:] == ["Answered by ccq-tui answer."]
        assert ended(declined) == (4, "Declined by ccq-tui decline.\n")


def test_what_cannot_be_asked_or_written_is_refused_before_anybody_is_asked(ccq: Cli, tmp_path: Path) -> None:
    form = str(write_ten(tmp_path))
    bad = tmp_path / "bad.json"
    bad.write_text('{"hours": 99, "kind": "new", "size": 1}', encoding="utf-8")
    some = tmp_path / "some.toml"
    some.write_text('kind = "fix"\n', encoding="utf-8")
    for words, said in (
        (("Deploy it?",), "add --option, --text or --number"),
        (("x", "--text", "--number"), "exclude each other"),
        (("x", "--multi"), "--multi needs --option"),
        ((form, "--json"), "--json is for one question"),
        ((form, "--context", "x"), "--context takes KEY=VALUE"),
        ((form, "--timeout", "soon"), "--timeout must be a duration"),
        ((form, "--output", str(tmp_path)), "is a directory"),
        ((form, "--output", "gone/out.jsonl"), "does not exist"),
        ((form, "--no-input"), "--answers lacks kind"),
        ((form, "--answers", str(tmp_path / "none")), "cannot be read"),
        ((form, "--answers", str(some), "--no-input"), "lacks cause, parts, hours"),
    ):
        assert said in ccq("ask", *words, code=2), words
    problem = ccq("ask", form, "--answers", str(bad), code=2)
    for said in ("kind: ", "Feature", "hours: ", "0 to 40", "size: no question has this id"):
        assert said in problem
    with asked() as store:
        assert store.history.changes() == []


async def test_the_first_frame_has_the_question_in_front_harmless_and_within_the_screen() -> None:
    form = form_of({"id": "f", "title": "T\x1b[31m", "description": "About\nit", "questions": [QUESTION]})
    request = request_of(form, {"commit": "x" * 200}, "", Path("/"), "ccq-tui ask")
    async with MemoryInbox().asking(request) as opened:
        frame = first_frame(Filling(opened), 40, 12)
    screen = Screen(40, 12)
    screen.take(frame.encode())
    lines = [line.strip() for line in screen.display]
    assert [lines[0], lines[1], lines[5], lines[7]] == ["About", "it", "Which one?", "○ 1  Old"]
    assert lines[2].startswith("commit  xxx")
    assert "31m" in lines[4], "a control sequence is shown, not obeyed"
    assert lines[11] == "", "a long list ends above the last line"
