"""Hostile text in every input there is: no command prints any of it as it came.

The inputs are found, not listed: commands and flags in the command line's own tree, settings in their model,
variables in the source, requests, outcomes and events in the types of their fields.
"""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest

import ccq_tui.app
from ccq_tui.agent import reader
from ccq_tui.agent.events import AgentEvent, PromptAccepted
from ccq_tui.agent.history import SessionPast
from ccq_tui.cli import main
from ccq_tui.cli.main import PROMPT_COMMAND, cli
from ccq_tui.config.errors import SettingsError
from ccq_tui.config.launch import Launch
from ccq_tui.config.load import load_settings
from ccq_tui.config.paths import PROJECT_FILE, config_dir, inbox_path, user_config
from ccq_tui.config.settings import ENV_PREFIX, Settings
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.requests import Cancelled, PermissionRequest, QuestionRequest, Request, RequestOutcome
from ccq_tui.inbox.store.store import Store
from ccq_tui.logs import log_path
from ccq_tui.processes import this_process
from ccq_tui.questions import Outcome
from ccq_tui.theming.load import read_theme
from tests.hostile import FORBIDDEN, FORGED, MARK, SIGNS, TEXT, in_toml, variants
from tests.unit.starting import FakeApp
from tests.unit.stocked import SESSION
from tests.unit.worktrees.repositories import commit
from tests.unit.worktrees.repositories import run as git

PACKAGE = Path(ccq_tui.app.__file__).parent
NAME = MARK.replace("\n", "").replace("\r", "")
"""For what a line break ends, such as a line of a file."""


class Printer:
    """Runs commands, and looks at every byte that they print."""

    def __init__(self, captured: pytest.CaptureFixture[bytes]) -> None:
        self._captured = captured
        self.runs = 0
        self.seen = 0

    def __call__(self, *words: str, whole: bool = False, may_crash: bool = False) -> str:
        """Run a command; return what it printed.

        Args:
            words: The command line.
            whole: Whether texts of several lines are meant to be printed as they are, line by line.
            may_crash: Whether a crash is what is looked at.
        """
        self._captured.readouterr()
        with suppress(SystemExit):  # how a completion ends
            main(words)
        printed = "".join(part.decode("utf-8") for part in self._captured.readouterr())
        bad = FORBIDDEN.search(printed)
        assert not bad, f"{words!r} prints {bad and bad[0]!r}:\n{printed!r}"
        assert may_crash or "ccq-tui crashed" not in printed, f"{words!r}:\n{printed}"
        assert whole or not FORGED.search(printed), f"{words!r} lets a text begin a line:\n{printed}"
        self.runs += 1
        self.seen += any(sign in printed for sign in SIGNS)
        return printed


ANSWERS: dict[str, Any] = {}
"""What each program said of its version, by its file's name, and that no conversation is recorded."""
read_once = cache(read_theme)


@pytest.fixture(autouse=True)
def _asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask each program once for what no input here reaches: 600 starts cost as much as the rest."""
    run, listed = subprocess.run, reader.earlier_sessions

    def run_once(command: Any, **options: Any) -> Any:
        if command[1:] not in (["--version"], ["--norc", "-c", 'echo "${BASH_VERSION}"']):
            return run(command, **options)
        # The hostile one of each test is the same program.
        name = str(command[0]).removeprefix(str(Path.cwd()))
        return ANSWERS[name] if name in ANSWERS else ANSWERS.setdefault(name, run(command, **options))

    async def list_once(options: Launch) -> Any:
        return ANSWERS[""] if "" in ANSWERS else ANSWERS.setdefault("", await listed(options))

    monkeypatch.setattr("ccq_tui.doctor.examine.subprocess.run", run_once)
    monkeypatch.setattr("ccq_tui.agent.reader.earlier_sessions", list_once)
    monkeypatch.setattr("ccq_tui.theming.load.read_theme", read_once)


@pytest.fixture
def printed(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, restored: None
) -> Iterator[Printer]:
    """Runs commands in an empty directory, with a CLI whose version is hostile."""
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\nprintf '\\033]0;OWNED\\007\\233'; exit 3\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("CCQ_CLI_PATH", str(program))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", None)
    printer = Printer(capfdbinary)
    yield printer
    assert printer.seen, f"none of {printer.runs} runs printed what was planted: the test sees nothing"


def commands(command: click.Command = cli, *names: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield each command with the words that name it."""
    yield names, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from commands(inner, *names, name)


COMMANDS = list(commands())
PROMPTED = (PROMPT_COMMAND,)
SERVERS = (("phone",), ("relay",))
"""Commands that run until they are ended."""


@pytest.mark.parametrize("names", [names for names, _ in COMMANDS], ids=" ".join)
def test_words_of_the_command_line(names: tuple[str, ...], printed: Printer) -> None:
    command = dict(COMMANDS)[names]
    given: list[list[str]] = [
        [MARK],
        [f"--{MARK}"],
        [f"-{MARK}"],
        [MARK, MARK, "--model", MARK, f"--a{MARK}=b"],
    ]
    for parameter in command.params:
        if not isinstance(parameter, click.Option):
            given.append([MARK])
            continue
        for flag in parameter.opts:
            # The program has the flags of its command for a prompt, and one function reads both.
            given += [[flag, MARK]] * (names != PROMPTED) + [[flag, MARK, MARK, MARK]] * (names != ())
            if parameter.is_flag or not flag.startswith("--"):  # else the same value again
                given.append([f"{flag}={MARK}"])
    nobody = ["--no-input"] if names == ("ask",) else []  # else it waits for an answer
    for words in given:
        # The person wrote a line break; it is theirs where it is printed.
        printed(*names, *words, *nobody, whole=True)
    assert printed.runs >= 4
    if printed.seen == 0 and (command.hidden or not command.params):
        printed("show", MARK)  # a group alone answers with its help, and a hook prints nothing


@pytest.mark.parametrize("place", ["project", "user"])
def test_settings_in_files(place: str, printed: Printer, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(PROJECT_FILE).absolute() if place == "project" else user_config()
    path.parent.mkdir(parents=True, exist_ok=True)

    def look(content: str) -> str:
        path.write_text(content, encoding="utf-8")
        return "".join(printed(*words) for words in (("config", "show"), ("doctor",), ("hello",)))

    text = in_toml(MARK)
    wrong = "".join(f'"{field}{text[1:]} = 1\n' for field in Settings.model_fields)
    look(f"{text} = 1\n{wrong}[x.{text}]\n{text} = 2\n")
    for value in (text, f"[{text}]", f"{{{text} = {text}}}"):
        lines = {field: f"{field} = {value}\n" for field in Settings.model_fields}
        while refused := refused_of("".join(lines.values()), path):
            shown = look("".join(lines.values()))
            assert all(re.search(rf": {field}\b", shown) for field in refused)
            lines = {field: line for field, line in lines.items() if field not in refused}
        for field, line in lines.items():  # each alone: the program may stop at the first that is of no use
            with monkeypatch.context() as patch:
                if field == "cli_path":
                    patch.delenv("CCQ_CLI_PATH")
                look(line)


def refused_of(content: str, path: Path) -> set[str]:
    """Return the settings of a file that are refused."""
    path.write_text(content, encoding="utf-8")
    try:
        load_settings()
    except SettingsError as error:
        return {re.split(r"\W", problem.field)[0] for problem in error.problems}
    return set()


@pytest.mark.parametrize("place", ["project", "user"])
def test_settings_files_that_cannot_be_read(place: str, printed: Printer) -> None:
    path = Path(PROJECT_FILE).absolute() if place == "project" else user_config()
    path.parent.mkdir(parents=True, exist_ok=True)
    kinds = (MARK, f"model = {NAME}", f"x = '{NAME}'", f"[{NAME}", f'model = "{NAME}"', f"a.{NAME} = 1")
    for content in kinds:
        path.write_bytes(content.encode())
        for words in (("config", "show"), ("config", "path"), ("doctor",), ("hello",), ("demo",)):
            printed(*words)
    path.write_bytes(b"\xff" + MARK.encode())
    printed("config", "show")
    path.unlink()
    os.mkfifo(path.with_name(NAME.replace("/", "")))
    printed("show", MARK, whole=True)


def variables() -> set[str]:
    """Return the names of all variables that the program reads, as its source has them."""
    found = {f"{ENV_PREFIX}{name.upper()}" for name in Settings.model_fields}
    for path in PACKAGE.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)) if re.search("environ|getenv", source) else ():
            match node:
                case ast.Call(func=ast.Attribute(value=value, attr="get" | "getenv"), args=[first, *_]):
                    pass
                case ast.Subscript(value=value, slice=first) | ast.Compare(left=first, comparators=[value]):
                    pass
                case _:
                    continue
            place = value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", "")
            if place in {"environ", "environment", "os"} and isinstance(first, ast.Constant):
                found.add(str(first.value))
    return found


def test_variables_of_the_environment(printed: Printer, monkeypatch: pytest.MonkeyPatch) -> None:
    names = variables()
    assert {"TERM", "NO_COLOR", "SHELL", "CLAUDE_CONFIG_DIR", "CCQ_MODEL"} <= names
    places = {name for name in os.environ if name.startswith("XDG_")} | {"HOME"}
    inbox_path().parent.mkdir(parents=True)
    Store(inbox_path()).close()  # else each look makes one for itself
    for name in sorted({*names, *places, f"CCQ_{NAME}", f"CCQ_{MARK}", "COLUMNS", "LINES", "LANG", "TZ"}):
        with monkeypatch.context() as patch:
            patch.setenv(name, str(Path.cwd() / MARK) if name in places else MARK)
            for words in ("config show", "config path", "doctor", "completion", "hello", "inbox"):
                printed(*words.split())


def test_names_of_directories(printed: Printer, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Path.cwd() / MARK
    place.mkdir()
    (place / PROJECT_FILE).write_text("max_turns = 0\n", encoding="utf-8")
    (place / "recording").write_text("not one\n", encoding="utf-8")
    (place / "words.json").write_bytes(b"\xff")
    monkeypatch.chdir(place)
    for name in ("HOME", *(name for name in os.environ if name.startswith("XDG_"))):
        monkeypatch.setenv(name, str(place / name))
    for names, command in COMMANDS:
        if names in SERVERS:
            continue
        needs = [str(place / "recording")] * sum(isinstance(one, click.Argument) for one in command.params)
        printed(*names, *needs)
    for words in (
        ["answer", "x", "--json", str(place / "words.json")],
        ["answer", "x", "--json", str(place)],
        ["replay", str(place)],
        ["--theme", str(place / "recording"), "doctor"],
        ["--worktree", MARK],
        ["--cwd", str(place), "--worktree"],
    ):
        printed(*words)
    (place / PROJECT_FILE).unlink()
    assert tomllib.loads(printed("--cwd", str(place), "config", "show"))["cwd"] == str(place)


def test_themes(printed: Printer) -> None:
    themes = config_dir() / "themes"
    themes.mkdir(parents=True)
    (themes / f"{MARK}.toml").write_text("primary = 3\n", encoding="utf-8")
    (themes / "b.toml").write_bytes(MARK.encode())
    (themes / "c.toml").write_text(
        f'"{NAME}" = "{NAME}"\n'.encode("unicode_escape").decode(), encoding="utf-8"
    )
    printed("doctor")
    printed("--theme", MARK, "doctor", whole=True)
    complete(printed, "--theme ")


def complete(printed: Printer, words: str) -> str:
    """Press the tab key in each shell."""
    text = ""
    for shell in ("bash", "zsh", "fish"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("_CCQ_TUI_COMPLETE", f"{shell}_complete")
            patch.setenv("COMP_WORDS", f"ccq-tui {words}")
            patch.setenv("COMP_CWORD", str(len(words.split(" "))) if shell != "fish" else "")
            text += printed()
    return text


REQUESTS = variants(Request)
OUTCOMES = variants(RequestOutcome)


def fits(request: Request, outcome: Any) -> bool:
    """Whether a request can end so."""
    question = isinstance(request, QuestionRequest)
    return isinstance(outcome, Cancelled) or question == isinstance(outcome, Outcome)


@pytest.mark.parametrize("over", [False, True])
def test_what_the_inbox_holds(over: bool, printed: Printer, monkeypatch: pytest.MonkeyPatch) -> None:
    # A database may hold what another program wrote, and no inbox would take.
    monkeypatch.setattr("ccq_tui.inbox.store.requests.check_outcome", lambda *_: None)
    # The process that runs the session is this one, which takes no wish: nothing comes of a longer wait.
    monkeypatch.setattr("ccq_tui.inbox.sent_commands.NOTICE_SECONDS", 0.0)
    monkeypatch.setattr("ccq_tui.inbox.sent_commands.POLL_SECONDS", 0.001)
    begin = MARK[:3]
    held = {
        f"{begin}{number}.": pair
        for number, pair in enumerate(
            (request, outcome)
            for request in REQUESTS
            for outcome in (OUTCOMES if over else [None])
            if outcome is None or fits(request, outcome)
        )
    }
    inbox_path().parent.mkdir(parents=True)
    store = Store(inbox_path())
    for name, (request, outcome) in held.items():
        asked = replace(request, tool_use_id=name + request.tool_use_id)
        store.sessions.upsert(asked.session_id, TEXT, name=TEXT, last_line=TEXT)
        store.requests.add(asked, TEXT)
        if outcome is None:
            store.sessions.claim(asked.session_id, this_process())
        else:
            store.requests.settle(asked.id, outcome, Actor(Surface.PROGRAM, TEXT, device=TEXT))
            store.requests.mark_delivered(asked.id, MARK)
    store.close()
    for words in (["inbox"], ["sessions"], ["history"], *(["show", name] for name in held)):
        printed(*words)
        body = json.loads(printed(*words, "--json"))
        assert body["version"] == 1
        if words[0] == "show" and isinstance(held[words[1]][0], PermissionRequest):
            assert body["request"]["tool"] == TEXT, "the JSON loses nothing"
    if not over:
        complete(printed, "show ")  # proposes requests that wait
        complete(printed, "resume ")
    for words in (["resume", begin], ["export", begin], ["inbox", "--session", begin]):
        printed(*words)
    for name in held:
        printed("answer", name, "--choose", "1")
        printed("decline", name)
    printed("park", begin)
    printed("park")


EVENTS = variants(AgentEvent)


@pytest.mark.parametrize("form", ["md", "json"])
def test_what_a_transcript_holds(form: str, printed: Printer, monkeypatch: pytest.MonkeyPatch) -> None:
    past: list[AgentEvent] = []

    async def read(_options: Launch, **_more: object) -> SessionPast:
        return SessionPast(SESSION, tuple(past))

    monkeypatch.setattr("ccq_tui.agent.history.read_history", read)
    store = Store(inbox_path()) if inbox_path().parent.mkdir(parents=True) is None else None
    store.sessions.upsert(SESSION, MARK, name=TEXT)
    store.close()
    for event in EVENTS:
        past[:] = [PromptAccepted(TEXT), event, PromptAccepted(TEXT)]  # a reset takes what came before
        text = printed("export", SESSION, "--format", form, whole=True)
        if form == "json":
            exported = json.loads(text)
            assert TEXT in [block.get("text") for block in exported["blocks"]], "the JSON loses nothing"


@pytest.mark.usefixtures("app")
def test_worktrees_branches_and_hooks(repo: Path, printed: Printer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo)
    branch = "b\u202e\u200b\u2066"
    git(repo, "checkout", "--quiet", "-b", branch)
    commit(repo, f"{NAME}.txt".replace("/", ""))
    printed("-w", branch)
    printed("-w", MARK, whole=True)
    printed("-w", "taken")
    printed("-w", "taken")
    hook = repo / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nprintf '\\033]0;OWNED\\007\\302\\233' >&2\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    printed("-w", "other")


@pytest.mark.usefixtures("app")
def test_the_program_ends_with_lines(
    printed: Printer, capfdbinary: pytest.CaptureFixture[bytes], app: FakeApp
) -> None:
    def end() -> int:
        ccq_tui.app.say([TEXT, f"  ccq-tui resume {TEXT}"])
        return 0

    app.ending = end
    printed("hello")


@pytest.mark.parametrize("logged", [True, False])
def test_crashes(logged: bool, printed: Printer, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object, **__: object) -> None:
        raise RuntimeError(MARK) from ValueError(MARK)

    if not logged:
        log_path().parent.parent.mkdir(parents=True, exist_ok=True)
        log_path().parent.write_text("in the way", encoding="utf-8")
    monkeypatch.setattr("ccq_tui.cli.inbox._listed", crash)
    text = printed("inbox", whole=True, may_crash=True)
    assert "ccq-tui crashed: RuntimeError" in text
    assert ("Traceback" in text) == (not logged)
