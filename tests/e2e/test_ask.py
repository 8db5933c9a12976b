"""``ccq-tui ask`` in a real pseudo-terminal: its record on disk, and drafts that outlive it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from ccq_tui.config.paths import inbox_path
from ccq_tui.input.gate import REPEAT
from tests.e2e.conftest import program
from tests.e2e.terminal import Terminal
from tests.ten import ANSWERS, check_record, records, write_ten
from tests.unit.stocked import asked

CAUSE, HOURS, LEAVE = "What caused the bug?", "How many hours?", "Leave? The draft is kept"


def asking(directory: Path, *words: str, size: tuple[int, int] = (80, 24)) -> Terminal:
    """Ask the ten questions."""
    form = write_ten(directory)
    command = [program(), "ask", str(form), "--context", "commit=1a2b3c", "--output", "out.jsonl", *words]
    return Terminal(command, os.environ, directory, size)


def test_a_form_killed_at_any_question_offers_its_draft_and_ends_in_one_record(tmp_path: Path) -> None:
    typed = {"What kind of change?": "2", CAUSE: "a race", "Which parts changed?": "3", HOURS: "7"}
    for number, (question, keys) in enumerate(typed.items()):
        with asking(tmp_path) as terminal:
            if question == HOURS:
                terminal.type("1")  # for the first question, which is drawn before that of the draft
            if number:
                terminal.wait(lambda one: "draft" in one.text and one.keys_work)
                terminal.press("enter")
            terminal.wait_panel(question)
            terminal.type(keys)
            terminal.wait(lambda _, number=number: drafted(number))  # type: ignore[misc]
            os.killpg(terminal.process.pid, signal.SIGKILL)
    assert not (tmp_path / "out.jsonl").exists(), "nothing is written before the confirm"
    with asking(tmp_path, "--plain") as terminal:
        terminal.wait("4 of 9 answered")
        for line in ("", "yes", "slow", "-", "", "done", "y"):
            before = terminal.written.count("for help:")
            terminal.type(f"{line}\n")
            terminal.wait(lambda one, n=before: one.written.count("for help:") > n or one.process.poll() == 0)  # type: ignore[misc]
        assert terminal.wait_end() == 0
    (record,) = records(tmp_path / "out.jsonl")
    rest = {"parts": {"values": ["Docs"], "labels": ["Docs"]}, "story": {"value": "slow"}}
    check_record(record, ANSWERS | rest)


def drafted(number: int) -> bool:
    """Whether the answer to one of the first questions is on disk, as it stands there."""
    with closing(sqlite3.connect(inbox_path())) as database:
        rows = database.execute("SELECT body FROM drafts").fetchall()
    signs = ('[[1, "Fix"]]', '"a race"', '[[2, "Docs"]]', '"7"')
    return any(signs[number] in row[0] for row in rows)


def leave(terminal: Terminal) -> None:
    terminal.press("ctrl+c")
    terminal.wait(LEAVE)
    time.sleep(REPEAT)  # sooner, it is the key that is held down
    terminal.press("ctrl+c")


def test_leaving_asks_keeps_the_draft_and_writes_nothing(tmp_path: Path) -> None:
    with asking(tmp_path, size=(40, 12)) as terminal:
        terminal.wait_panel("What kind of change?")
        terminal.press("down escape")
        terminal.wait(LEAVE)
        terminal.press("space")
        terminal.wait_gone(LEAVE)
        leave(terminal)
        assert terminal.wait_end() == 130
        terminal.wait("Left; the draft is kept.")
        assert terminal.restored
    assert waiting() == []
    with asking(tmp_path) as terminal:
        terminal.wait("draft")
        assert "● 2  Fix" in terminal.text
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.wait_end() == 128 + signal.SIGTERM
        assert terminal.restored
    assert not (tmp_path / "out.jsonl").exists()


def waiting() -> list[str]:
    """Return the requests that wait."""
    with asked() as store:
        return [one.request.id for one in store.requests.waiting()]


def test_the_first_answer_wins_and_the_app_says_whose(tmp_path: Path) -> None:
    command = [program(), "ask", "Deploy?", "--option", "Yes", "--option", "Only staging"]
    with Terminal(command, os.environ, tmp_path) as terminal:
        terminal.wait_panel("Deploy?")
        subprocess.run([program(), "answer", waiting()[0], "--choose", "2"], check=True, timeout=60)
        assert terminal.wait_end() == 0
        terminal.wait("Answered by ccq-tui answer.")
        assert "Only staging" in terminal.text


def test_what_is_asked_is_drawn_beside_the_answer_that_a_script_reads(tmp_path: Path) -> None:
    script = f'a=$({program()} ask "Which?" --option one --option "two, three" --multi); echo "<$a> $?"'
    with Terminal(["bash", "-c", script], os.environ, tmp_path) as terminal:
        terminal.wait_panel("Which?")
        terminal.press("1 2 enter")
        terminal.wait_panel("Submit")
        terminal.press("enter")
        terminal.wait("<one\ntwo, three> 0")


def test_a_form_and_answers_that_are_piped_in_leave_the_keys_to_the_terminal(tmp_path: Path) -> None:
    write_ten(tmp_path)
    (tmp_path / "known.toml").write_text('kind = "fix"\n', encoding="utf-8")
    for words, piped, question in (
        ("-", "ten.toml", "What kind of change?"),
        ("ten.toml --answers -", "known.toml", "What caused the bug?"),
        ("'Which line?' --option -", "known.toml", "1  kind"),
    ):
        with Terminal(["bash", "-c", f"{program()} ask {words} < {piped}"], os.environ, tmp_path) as terminal:
            terminal.wait_panel(question)
            leave(terminal)
            assert terminal.wait_end() == 130


@pytest.mark.parametrize("way", ["", "--plain"])
def test_a_secret_reaches_neither_the_screen_nor_a_disk(tmp_path: Path, way: str) -> None:
    script = f"a=$({program()} ask --secret Token? {way}); echo ${{#a}}-$?"
    with Terminal(["bash", "-c", script], os.environ | {"EDITOR": f"cp -t {tmp_path}"}, tmp_path) as terminal:
        terminal.wait("for help:") if way else terminal.wait_panel("Token?")
        terminal.type("hunter 2")
        if not way:
            terminal.wait("send ••••••••")
            terminal.press("ctrl+g")
        terminal.press("enter")
        terminal.wait("8-0")
        assert "hunter" not in terminal.written
    assert subprocess.run(["grep", "-ra", "hunter", Path.home(), tmp_path]).returncode == 1


def test_nobody_in_time_ends_with_124_and_counts_down_before(tmp_path: Path) -> None:
    with asking(tmp_path, "--timeout", "5s") as terminal:
        terminal.wait("closes in")
        assert terminal.wait_end() == 124
        terminal.wait("Nobody answered in time; the draft is kept.")
    assert waiting() == []
