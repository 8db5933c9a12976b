"""The commands that print, wait, replay and export."""

import io
import json
import os
import pty
import re
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TextIO

import click
import pytest
from click.shell_completion import ShellComplete

import ccq_tui
from ccq_tui.agent.events import PromptAccepted
from ccq_tui.agent.history import SessionPast
from ccq_tui.agent.reader import ReaderError
from ccq_tui.cli import main
from ccq_tui.cli.demo import NAMES
from ccq_tui.cli.main import cli
from ccq_tui.cli.options import _SETTINGS
from ccq_tui.config.launch import Launch
from ccq_tui.config.paths import user_config
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.actors import WITHDRAWN
from ccq_tui.inbox.requests import Cancelled, Denied
from ccq_tui.inbox.store.rows import SessionState
from ccq_tui.processes import this_process
from ccq_tui.testing.scenarios import READY
from tests.actors import PANEL
from tests.processes import codes, program
from tests.tables import each_row
from tests.unit.agent.recordings import prompt, reply, text, write
from tests.unit.starting import Cli, write_settings
from tests.unit.stocked import CACHE, FEATURES, PERMISSION, PLAN, RUNNING, SESSION, asked, id_of, stock

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"ccq-tui {ccq_tui.__version__}\n"


def helps(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    """The help of a command and of all below it, with their names."""
    yield context.command_path, command.get_help(context)
    for name in command.list_commands(context) if isinstance(command, click.Group) else ():
        below = command.get_command(context, name)
        assert below is not None
        yield from helps(below, click.Context(below, info_name=name, parent=context, terminal_width=80))


def test_every_line_of_help_is_whole_in_80_columns_and_names_no_file_of_the_repository() -> None:
    found = dict(helps(cli, click.Context(cli, info_name="ccq-tui", terminal_width=80)))
    assert len(found) > 50
    for name, shown in found.items():
        lines = [line for line in shown.splitlines() if len(line) > 80 or re.search(r"\w\.\.\.$", line)]
        assert lines == [], name
        assert "docs/" not in shown.replace(f"{ccq_tui.DOCS}/", ""), name


def test_a_long_error_cuts_no_word_at_the_edge_of_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    master, slave = pty.openpty()
    with os.fdopen(master, "rb", closefd=True):
        codes(program("mcp", "install", "emacs", stdout=slave, stderr=slave))
        lines = os.read(master, 5_000).decode().splitlines()
        os.close(slave)
    assert lines[-2:] == [
        "is not one of 'claude', 'codex', 'gemini', 'cursor',",
        "'opencode', 'vscode', 'zed'.",
    ]


def test_every_flag_is_a_setting() -> None:
    fields = {names[-1].removeprefix("--").replace("-", "_") for names, _ in _SETTINGS}
    assert fields <= Settings.model_fields.keys()


def test_config_show_is_a_settings_file(ccq: Cli) -> None:
    write_settings('bell = false\nappend_system_prompt = "a\\n\\"b\\" \\u007f"\n')
    text = ccq("config", "show", "--max-budget-usd", "1.5", "--allowed-tools", "Edit")
    values = tomllib.loads(text)
    assert values["bell"] is False
    assert values["append_system_prompt"] == 'a\n"b" \x7f'
    assert (values["max_budget_usd"], values["allowed_tools"]) == (1.5, ["Edit"])
    lines = dict(line.rsplit("  # ", 1) for line in text.splitlines())
    origins = {line.strip("# ").split()[0]: origin for line, origin in lines.items()}
    assert origins.keys() == Settings.model_fields.keys()
    assert origins["max_budget_usd"] == "--max-budget-usd"
    assert origins["bell"] == f"{user_config()}:1"
    assert origins["model"] == "default"


def test_config_show_keeps_inline_json_to_itself(ccq: Cli) -> None:
    text = ccq("--settings", '{"env": {"TOKEN": "hush"}}', "config", "show")
    assert "hush" not in text
    assert 'settings = "(JSON of 26 characters)"' in text


def test_config_path(ccq: Cli, tmp_path: Path, home: Path) -> None:
    (tmp_path / ".ccq-tui.toml").touch()
    text = ccq("config", "path")
    assert f"project  {tmp_path}/.ccq-tui.toml\n" in text
    assert f"user     {home}/.config/ccq-tui/config.toml  (does not exist)\n" in text
    assert [line.split()[0] for line in text.splitlines()] == ["project", "user", "themes", "state", "log"]


def test_the_demos_are_the_scenarios_of_the_package() -> None:
    assert tuple(READY) == NAMES


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str, ccq: Cli) -> None:
    assert "_CCQ_TUI_COMPLETE" in ccq("completion", shell)


def test_completion_without_a_known_shell(monkeypatch: pytest.MonkeyPatch, ccq: Cli) -> None:
    monkeypatch.setenv("SHELL", "/bin/ksh")
    assert "bash, zsh, fish" in ccq("completion", code=2)


@each_row(
    (["--questions"], "a", {"ask", "assume", "adaptive"}),
    (["demo"], "sin", {"single"}),
    (["--theme"], "ccq-l", {"ccq-light"}),
)
def test_a_shell_is_offered_words(words: list[str], begun: str, wanted: set[str]) -> None:
    completing = ShellComplete(cli, {}, "ccq-tui", "_CCQ_TUI_COMPLETE")
    assert {item.value for item in completing.get_completions(words, begun)} == wanted


def test_completed_commands_have_the_words_of_the_help() -> None:
    found = ShellComplete(cli, {}, "ccq-tui", "_CCQ_TUI_COMPLETE").get_completions([], "de")
    assert [(item.value, item.help) for item in found] == [
        ("decline", "Decline a request: nothing is chosen or allowed."),
        ("demo", "Try the program without an account."),
        ("devices", "List paired devices."),
    ]


@contextmanager
def begun(*words: str) -> Iterator[tuple[BaseProcess, TextIO]]:
    """Run ccq-tui as another process; its output is in a pipe."""
    reads, writes = os.pipe()
    process = program(*words, stdout=writes, stderr=writes)
    os.close(writes)
    with os.fdopen(reads) as output:
        try:
            yield process, output
        finally:
            process.kill()


def ended(process: BaseProcess, output: TextIO) -> tuple[int | None, str]:
    return codes(process)[0], output.read()


def test_a_request_is_waited_for_until_another_process_decides_it() -> None:
    stock()
    with begun("wait", PERMISSION) as one, begun("wait", PERMISSION, "--json") as other:
        with asked() as store:
            store.requests.settle(id_of(PERMISSION), Denied(), PANEL)
        assert ended(*one) == (0, f"{PERMISSION}: declined.\n")
        code, printed = ended(*other)
        assert (code, json.loads(printed)["request"]["state"]) == (0, "declined")


def test_a_session_is_waited_for_until_its_turn_is_over_nothing_waits_or_it_has_ended() -> None:
    stock()
    with (
        begun("wait", RUNNING[:8]) as idle,
        begun("wait", RUNNING, "--until", "answered") as answered,
        begun("wait", RUNNING, "--until", "ended", "--json") as lost,
        asked() as store,
    ):
        for name in (PERMISSION, PLAN):
            store.requests.settle(id_of(name), Cancelled("interrupted"), WITHDRAWN)
        assert ended(*answered) == (0, "api-tests: awaiting.\n")
        store.sessions.set_state(RUNNING, SessionState.IDLE, "done")
        assert ended(*idle) == (0, "api-tests: idle.\n")
        store.sessions.set_state(RUNNING, SessionState.ENDED, "closed")
        store.sessions.release(RUNNING, this_process())
        code, printed = ended(*lost)
        session = json.loads(printed)["session"]
        assert (code, session["id"], session["running"]) == (0, RUNNING, False)


def test_a_wait_has_a_limit_and_says_what_it_cannot_wait_for(ccq: Cli) -> None:
    assert "no session has an id" in ccq("wait", "x", code=2)
    stock()
    assert ccq("wait", CACHE, "--timeout", "1s", code=1) == f"{CACHE}: still waits after 1s.\n"
    assert ccq("wait", CACHE, "--timeout", "0", code=1) == f"{CACHE}: still waits.\n"
    assert ccq("wait", SESSION) == "api-refactor: parked.\n", "no process runs it"
    assert "--until idle needs a session" in ccq("wait", CACHE, "--until", "idle", code=2)
    assert "--timeout must be a duration" in ccq("wait", CACHE, "--timeout", "soon", code=2)


def test_the_history_is_followed_line_by_line(ccq: Cli) -> None:
    assert "there is no inbox yet" in ccq("history", "--follow", code=2)
    stock()
    with asked() as store:
        before = store.history.last()
    with begun("history", "--follow", "--after", str(before - 1)) as (_, output), asked() as store:
        assert json.loads(output.readline())["number"] == before
        store.requests.settle(id_of(CACHE), Cancelled("interrupted"), WITHDRAWN)
        change = json.loads(output.readline())
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


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["replay", *words]) == 2
    out, problem = capsys.readouterr()
    assert out == ""
    return problem


def test_help_says_what_can_be_read(ccq: Cli) -> None:
    text = ccq("replay", "--help")
    assert "Usage: ccq-tui replay [OPTIONS] FILE|-" in text


def test_what_is_wrong_with_a_file_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = refused(capsys, str(tmp_path / "missing"))
    assert out.startswith("Error: ")
    assert out.endswith("cannot be read: No such file or directory.\n")
    assert out.count("\n") == 1


def test_a_recording_is_printed_with_what_could_not_be_read(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = write(tmp_path / "good.jsonl", prompt("Hi"), b"{cut")
    assert main(["replay", str(path)]) == 0
    out, problem = capsys.readouterr()
    assert out.startswith("you: Hi\n")
    assert problem == "good.jsonl: 1 line could not be read: 2\n"
    assert main(["replay", str(path), "--json"]) == 0
    assert capsys.readouterr() == ('{"version": 1, "questions": []}\n', problem)


def test_a_terminal_is_no_recording(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", terminal)
    assert "standard input is the terminal" in refused(capsys, "-")


def keep_session(directory: Path) -> None:
    """Write a session's file as Claude Code keeps it."""
    folder = Path(os.environ["CLAUDE_CONFIG_DIR"]) / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(directory))
    folder.mkdir(parents=True)
    above = None
    with (folder / f"{SESSION}.jsonl").open("w", encoding="utf-8") as file:
        for number, line in enumerate((prompt("Which \x1b[31mcache?"), reply(text("**Redis**, I think.")))):
            name = f"00000000-0000-4000-8000-00000000000{number}"
            message = line["message"] | {"role": line["type"]}
            more = {"uuid": name, "parentUuid": above, "sessionId": SESSION, "cwd": str(directory)}
            at = {"timestamp": "2026-01-31T12:00:00.000Z", "isSidechain": False}
            file.write(json.dumps(line | {"message": message} | more | at) + "\n")
            above = name


def test_a_transcript_is_printed(tmp_path: Path, ccq: Cli) -> None:
    keep_session(tmp_path)
    with asked() as store:
        store.sessions.upsert(SESSION, str(tmp_path), name="cache")
    out = ccq("export", SESSION[:5])
    assert out.startswith("# cache\n")
    assert "## ❯ Prompt\n\n> Which ␛[31mcache?\n\n**Redis**, I think.\n" in out


def past(monkeypatch: pytest.MonkeyPatch, history: SessionPast | ReaderError) -> None:
    """Let the past be this, without a process that reads it."""

    async def read(options: Launch) -> SessionPast:
        assert (options.resume, str(options.settings.directory)) == (SESSION, "/home/me/api")
        if isinstance(history, ReaderError):
            raise history
        return history

    monkeypatch.setattr("ccq_tui.agent.history.read_history", read)


def test_a_transcript_is_printed_as_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stock()
    past(monkeypatch, SessionPast(SESSION, (PromptAccepted("Which cache?"),)))
    assert main(["export", "8f", "--format", "json"]) == 0
    out, _ = capsys.readouterr()
    exported = json.loads(out)
    assert exported["session"] == {"name": "api-refactor", "id": SESSION, "cwd": "/home/me/api"}
    assert [block["kind"] for block in exported["blocks"]] == ["prompt"]


@each_row(
    (
        SessionPast(SESSION),
        f"Claude Code has no record of session {SESSION} in /home/me/api: check CLAUDE_CONFIG_DIR.\n",
    ),
    (ReaderError("it took \n long"), "the session cannot be read: it took long.\n"),
)
def test_what_cannot_be_printed_is_one_line(
    history: SessionPast | ReaderError,
    problem: str,
    *,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    stock()
    past(monkeypatch, history)
    assert main(["export", "8f"]) == 2
    assert capsys.readouterr() == ("", f"Error: {problem}")


@pytest.mark.parametrize(
    ("name", "flags"), [(SESSION[:5], []), (SESSION[:5], ["--cwd", "elsewhere"]), ("0" + SESSION[1:], [])]
)
def test_a_session_is_resumed_where_it_worked(
    name: str, flags: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Launch] = []
    monkeypatch.chdir(tmp_path)
    for directory in ("work", "elsewhere"):
        (tmp_path / directory).mkdir()
    monkeypatch.setattr("ccq_tui.cli.session.show", lambda launch, *_: shown.append(launch) or 0)
    with asked() as store:
        store.sessions.upsert(SESSION, str(tmp_path / "work"))
    assert main(["resume", name, *flags]) == 0
    (launch,) = shown
    known = name != "0" + SESSION[1:]
    assert launch.resume == (SESSION if known else name)
    assert launch.settings.directory == tmp_path / ("elsewhere" if flags else "work" if known else "")
