"""``ccq-tui ask`` and ``reflect`` in a real pseudo-terminal: records on disk, drafts that outlive it."""

import os
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from ccq_tui.config.paths import config_dir, inbox_path
from ccq_tui.forms.commits import RECORDS, commit_context
from ccq_tui.forms.post_commit import AGENTS, EDITORS
from ccq_tui.forms.reading import find_form
from ccq_tui.input.gate import REPEAT
from ccq_tui.testing import clean_environment
from tests.e2e.conftest import program
from tests.e2e.filling import fill_in_by_keys
from tests.e2e.terminal import Terminal
from tests.tables import table
from tests.ten import ANSWERS, check_record, records, write_ten
from tests.unit.stocked import asked
from tests.unit.worktrees.repositories import repository, run

CAUSE, HOURS, LEAVE = "What caused the bug?", "How many hours?", "Leave? The draft is kept"


def asking(directory: Path, *words: str, size: tuple[int, int] = (80, 24)) -> Terminal:
    """Ask the ten questions."""
    form = write_ten(directory)
    command = [program(), "ask", str(form), "--context", "commit=1a2b3c", "--output", "out.jsonl", *words]
    return Terminal(command, os.environ, directory, size)


def test_a_form_killed_at_any_question_offers_its_draft_and_ends_in_one_record(tmp_path: Path) -> None:
    signs = ['[[1, "Fix"]]', '"a race"', '[[2, "Docs"]]', '"7"']
    for choice, number, question, text in (
        ("What kind of change?", "2", CAUSE, "a race"), ("Which parts changed?", "3", HOURS, "7")
    ):  # fmt: skip
        with asking(tmp_path) as terminal:
            if question == HOURS:
                terminal.type("1")  # for the first question, which is drawn before that of the draft
                terminal.wait(lambda one: "draft" in one.text and one.keys_work).press("enter")
            terminal.wait_panel(choice).press(f"{number} enter").wait_panel(question)
            terminal.type(text)
            terminal.wait(lambda _: drafted(signs if question == HOURS else signs[:2]))  # noqa: B023
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


def drafted(signs: Iterable[str]) -> bool:
    """Whether answers are on disk, as they stand there."""
    with closing(sqlite3.connect(inbox_path())) as database:
        drafts = str(database.execute("SELECT body FROM drafts").fetchall())
    return all(sign in drafts for sign in signs)


def leave(terminal: Terminal) -> None:
    terminal.press("ctrl+c").wait(LEAVE)
    time.sleep(REPEAT)  # sooner, it is the key that is held down
    terminal.press("ctrl+c")


def test_leaving_asks_keeps_the_draft_and_writes_nothing(tmp_path: Path) -> None:
    with asking(tmp_path, size=(40, 12)) as terminal:
        terminal.wait_panel("What kind of change?").press("down escape").wait(LEAVE)
        terminal.press("space").wait_absent(LEAVE)
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
        terminal.wait_panel("Which?").press("1 2 enter").wait_panel("Submit")
        terminal.press("enter").wait("<one\ntwo, three> 0")


def test_a_form_that_is_piped_in_leaves_the_keys_to_the_terminal(tmp_path: Path) -> None:
    write_ten(tmp_path)
    with Terminal(["bash", "-c", f"{program()} ask - < ten.toml"], os.environ, tmp_path) as terminal:
        terminal.wait_panel("What kind of change?")
        leave(terminal)
        assert terminal.wait_end() == 130


@pytest.mark.parametrize("way", ["", "--plain"])
def test_a_secret_reaches_neither_the_screen_nor_a_disk(tmp_path: Path, way: str) -> None:
    script = f"a=$({program()} ask --secret Token? {way}); echo ${{#a}}-$?"
    with Terminal(["bash", "-c", script], os.environ | {"EDITOR": f"cp -t {tmp_path}"}, tmp_path) as terminal:
        terminal.wait("for help:") if way else terminal.wait_panel("Token?")
        terminal.type("hunter 2")
        if not way:
            terminal.wait("send ••••••••").press("ctrl+g")
        terminal.press("enter").wait("8-0")
        assert "hunter" not in terminal.written
    assert subprocess.run(["grep", "-ra", "hunter", Path.home(), tmp_path]).returncode == 1


def test_nobody_in_time_ends_with_124_and_counts_down_before(tmp_path: Path) -> None:
    with asking(tmp_path, "--timeout", "5s") as terminal:
        terminal.wait("closes in")
        assert terminal.wait_end() == 124
        terminal.wait("Nobody answered in time; the draft is kept.")
    assert waiting() == []


REFLECTION = find_form("commit-reflection")
GIVEN = (
    *("Bug fixing", "Hard", "High", "Mostly me", "Very High", "slow\nthen fast"),
    *(["AI misunderstanding", "My own clarity/changing direction"], None, "run", "Completed what I intended"),
)
FIRST = "What type of work was it?"
ENDED = "ended 42"


@pytest.fixture(scope="module")
def _installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("reflected")
    installed = repository(place / "repo")
    # What is there already fails, and ends in a way that nothing after it would run.
    hook = installed / ".git/hooks/post-commit"
    hook.write_text("#!/bin/sh\necho \"earlier hook\"\nexec sh -c 'exit 3'\n", encoding="utf-8")
    hook.chmod(0o755)
    env = clean_environment("http://127.0.0.1:9", root=place).env
    subprocess.run([program(), "reflect", "install", "--yes"], cwd=installed, env=env, check=True, timeout=60)
    return installed


@pytest.fixture
def repo(_installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which commits at a terminal are reflected on."""
    for name in ("CI", "TERM_PROGRAM", *AGENTS, *EDITORS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PS1", "> ")
    return shutil.copytree(_installed, tmp_path / "repo")


def shell(directory: Path, commands: str) -> Terminal:
    """Run commands at a shell's prompt; what they end with is shown at their end."""
    terminal = Terminal(["sh"], os.environ, directory)
    terminal.type(f"{commands}; echo $? ended $((6 * 7))\r")
    return terminal


def unwrapped(terminal: Terminal) -> str:
    """Return the screen without blanks: paths are longer than its lines."""
    return "".join(terminal.text.split())


def test_a_commit_at_a_terminal_is_reflected_on(repo: Path) -> None:
    (repo / "new.txt").write_text("1\n2\n", encoding="utf-8")
    amends = "[ $AMENDED ] || AMENDED=1 git commit -q --amend -m 'Add a file'"
    hook = repo / ".git/hooks/post-commit"
    hook.write_text(hook.read_text(encoding="utf-8").replace("exec", f"{amends}\nexec"), encoding="utf-8")
    with shell(repo, "git add new.txt && git commit -q -m 'Add it'") as terminal:
        terminal.wait(lambda one: FIRST in one.panel and "F1" in one.panel)
        assert "Add a file" in terminal.text, "the commit is in sight"
        fill_in_by_keys(terminal, REFLECTION, dict(zip(REFLECTION.names, GIVEN, strict=True)))
        terminal.wait(f"0 {ENDED}")
        assert f"Recordedin{repo / RECORDS}." in unwrapped(terminal)
        assert "earlier hook" in terminal.written
    with shell(repo, f"{program()} reflect") as terminal:
        terminal.wait_panel("Replace it?").press("enter").wait(f"Nothing was recorded.\n1 {ENDED}")
    (earlier,) = records(repo / RECORDS)
    with shell(repo, f"{program()} reflect") as terminal:
        terminal.wait_panel("Replace it?").press("y enter")
        fill_in_by_keys(terminal, REFLECTION, dict(zip(REFLECTION.names, GIVEN, strict=True)))
        terminal.wait(f"0 {ENDED}")
    (record,) = records(repo / RECORDS)
    assert record["id"] != earlier["id"]
    assert record["form"] == "commit-reflection"
    assert record["context"] == commit_context(repo, "HEAD")
    assert record["context"]["message"] == "Add a file"
    answers = [one and one.get("values", one.get("value")) for one in record["answers"].values()]
    assert (tuple(record["answers"]), tuple(answers)) == (REFLECTION.names, GIVEN)


def test_leaving_the_questions_in_a_worktree_ends_the_commit_well(repo: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    run(repo, "worktree", "add", "--quiet", str(tree))
    with shell(tree, "CCQ_PLAIN=1 git commit -q --allow-empty -m 'Try it'") as terminal:
        terminal.wait(FIRST).press("ctrl+c").wait("y leaves")
        terminal.press("y enter").wait(f"0 {ENDED}")
        assert "draft is kept" in terminal.prose
    with shell(tree, f"{program()} reflect") as terminal:
        terminal.wait(lambda one: FIRST in one.panel and "F1" in one.panel).press("escape").wait("Leave?")
        time.sleep(REPEAT)  # sooner, it is the key that is held down
        terminal.press("escape").wait(f"130 {ENDED}")
    assert run(tree, "log", "-1", "--format=%s") == "Try it"
    assert not (repo / RECORDS).exists()
    assert run(repo, "worktree", "remove", str(tree)) == "", "nothing was left in it"


@pytest.mark.parametrize(
    "commands",
    table(__file__, "ask.json")["nothing_is_asked_elsewhere_and_the_commit_stands"],
    ids=[
        *("ci", "dumb", "no_stderr", "no_tty", "background", "amend", "pick", "rebase", "off", "agent"),
        *("editor", "raw", "amend_no_reflog", "alias_no_reflog", "hook"),
    ],
)
def test_nothing_is_asked_elsewhere_and_the_commit_stands(repo: Path, commands: str) -> None:
    run(repo, "branch", "side", run(repo, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "Side"))
    with shell(repo, f"GIT_EDITOR=true; export GIT_EDITOR; {commands}") as terminal:
        terminal.wait(f"0 {ENDED}")
        assert FIRST not in terminal.written
        assert "earlier hook" in terminal.written or "2>/dev/null" in commands
    assert run(repo, "log", "-1", "--format=%s") == "new"


def test_what_is_wrong_with_the_form_or_the_program_fails_no_commit(repo: Path) -> None:
    forms = config_dir() / "forms"
    forms.mkdir(parents=True)
    (forms / "commit-reflection.toml").write_text("questions = 3", encoding="utf-8")
    with shell(repo, "git commit -q --allow-empty -m new") as terminal:
        terminal.wait(f"0 {ENDED}")
        assert "commit-reflection.toml:" in unwrapped(terminal)
    hook = repo / ".git/hooks/post-commit"
    hook.write_text(hook.read_text(encoding="utf-8").replace(program(), "/gone/ccq-tui"), encoding="utf-8")
    with shell(repo, "PATH=/usr/bin:/bin git commit -q --allow-empty -m newer") as terminal:
        terminal.wait(f"0 {ENDED}")
    assert run(repo, "log", "-2", "--format=%s") == "newer\nnew"
