"""Checks everything the program needs, in the order in which it needs it."""

import difflib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import Any

import ccq_tui
from ccq_tui.agent.problems import TESTED_CLI, cli_version, with_tested
from ccq_tui.bridges.claude_code.hook_settings import hooks_off, installed, problem_of, settings_files
from ccq_tui.bridges.mcp.entries import SETUPS, file_of, servers_in
from ccq_tui.bridges.terminal import WRAPPED
from ccq_tui.claude_files import claude_directory, find_cli
from ccq_tui.config.errors import SettingsError
from ccq_tui.config.load import load_settings
from ccq_tui.config.paths import config_dir, log_dir, state_dir
from ccq_tui.config.settings import ENV_PREFIX, Settings
from ccq_tui.edited_file import SettingsFileError
from ccq_tui.inbox.layout import wrapped
from ccq_tui.output import Styled, colourless
from ccq_tui.plain.mode import VARIABLES
from ccq_tui.text import one_line, safe
from ccq_tui.words import plural


class Level(StrEnum):
    """Outcome of a check."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked.

    Attributes:
        area: The heading it belongs under.
        name: The thing checked.
        found: The finding.
        level: The outcome.
        advice: The remedy, or "".
    """

    area: str
    name: str
    found: str
    level: Level = Level.OK
    advice: str = ""

    @property
    def failed(self) -> bool:
        """Whether the program cannot work because of this."""
        return self.level is Level.FAILURE


Line = tuple[str | Styled, ...]
"""Pieces that `ccq_tui.output.echo` prints as one line."""

MARKS = {Level.OK: ("ok  ", "green"), Level.WARNING: ("warn", "yellow"), Level.FAILURE: ("FAIL", "red")}
NAME_WIDTH = 15


def report(checks: Sequence[Check], width: int) -> Iterator[Line]:
    """Yield the lines of the report, with advice in lines of ``width`` columns."""
    yield ()
    yield Styled("ccq-tui", bold=True), f" {ccq_tui.__version__}"
    for area, group in groupby(checks, key=lambda check: check.area):
        yield ()
        yield (Styled(area, bold=True),)
        for check in group:
            yield from _lines(check, width)
    yield ()
    yield (_summary(checks),)


def _lines(check: Check, width: int) -> Iterator[Line]:
    word, color = MARKS[check.level]
    mark = Styled(word, color, bold=check.level is not Level.OK)
    home = str(Path.home())
    text = check.found.replace(f"{home}/", "~/") if len(home) > 1 else check.found
    yield "  ", mark, f" {check.name:<{NAME_WIDTH}}{safe(text, keep_newlines=False)}"
    advice = safe(check.advice, keep_newlines=False)
    for line in wrapped(advice, " " * (NAME_WIDTH + 7), width) if advice else ():
        yield (Styled(line, color),)


def _summary(checks: Sequence[Check]) -> Styled:
    failures = sum(check.level is Level.FAILURE for check in checks)
    warnings = sum(check.level is Level.WARNING for check in checks)
    if not failures and not warnings:
        return Styled("Everything is as it should be.", "green")
    counts = ((failures, "failure"), (warnings, "warning"))
    color = "red" if failures else "yellow"
    return Styled(" and ".join(plural(*count) for count in counts if count[0]) + ".", color, bold=True)


AREA = "Claude Code"
TIME_LIMIT = 20.0
KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
PROVIDERS = ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY")


def examine_cli(chosen: Path | None) -> list[Check]:
    """Find the CLI, the chosen one or the SDK's, and ask it for its version."""
    path, source = (chosen, "chosen by cli_path") if chosen else find_cli()
    if path is None:
        advice = (
            "Install claude-agent-sdk again, whose wheel brings the CLI, or Claude Code, or set cli_path."
        )
        return [Check(AREA, "CLI", "not found", Level.FAILURE, advice)]
    return [Check(AREA, "CLI", f"{path}  ({source})"), _version(path)]


def examine_sign_in() -> Check:
    """Check whether a key or a sign-in is present, without reading it."""
    for name in (*KEYS, *PROVIDERS):
        if os.environ.get(name):
            whose = ": the provider's own sign-in is used" if name in PROVIDERS else ""
            return Check(AREA, "Sign-in", f"{name} is set{whose}")
    credentials = claude_directory() / ".credentials.json"
    if os.path.isfile(credentials):  # noqa: PTH113 - as in a directory that cannot be entered
        return Check(AREA, "Sign-in", f"{credentials} exists")
    if sys.platform == "darwin":
        return Check(AREA, "Sign-in", "not in a file or the environment; the keychain was not checked")
    advice = (
        "Start ccq-tui and type /login, or set ANTHROPIC_API_KEY: until then no session can work. "
        '"ccq-tui demo" needs no account.'
    )
    return Check(AREA, "Sign-in", "no key in the environment and no credentials file", Level.FAILURE, advice)


def examine_hooks() -> list[Check]:
    """Check the hooks that let native sessions ask here; return nothing where there are none."""
    checks, off = [], hooks_off(os.environ, Path.cwd())
    for file in settings_files(os.environ, Path.cwd()):
        try:
            hooks = installed(file.read())
        except SettingsFileError:
            continue  # Claude Code reports what is wrong with it
        for hook in hooks:
            problem = problem_of(hook, off=off)
            advice = f"{problem[0].upper()}{problem[1:]}." if problem else ""
            level = Level.WARNING if problem else Level.OK
            checks.append(Check(AREA, "Hooks", f"{hook.covers}, in {file.path}", level, advice))
    return checks


def _version(path: Path) -> Check:
    try:
        answer = subprocess.run(  # noqa: S603 (the program that sessions run as well)
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIME_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        advice = "Run it by hand to see what it waits for."
        return Check(AREA, "Version", f"no answer within {TIME_LIMIT:g} s", Level.FAILURE, advice)
    except OSError as error:
        found = f"does not start: {error.strerror}"
        return Check(AREA, "Version", found, Level.FAILURE, "Install it again, for this kind of machine.")
    version = cli_version(answer.stdout)
    if answer.returncode or version is None:
        lines = (answer.stderr or answer.stdout).strip().splitlines()
        message = f"exit code {answer.returncode}: {lines[0][:80] if lines else 'no output'}"
        return Check(AREA, "Version", message, Level.FAILURE, f'Run "{path} --version" by hand.')
    found = ".".join(map(str, version))
    if version < (2,):
        return Check(AREA, "Version", found, Level.FAILURE, "Use Claude Code 2.0.0 or newer.")
    if version > TESTED_CLI:
        advice = f"If a session misbehaves, install ccq-tui with its lock file: {ccq_tui.DOCS}/upgrading.md"
        return Check(AREA, "Version", with_tested(found), Level.WARNING, advice)
    return Check(AREA, "Version", found)


PROGRAM, TERMINAL, DIRECTORIES = "Program", "Terminal", "Directories"
MCP = "MCP"


def examine(flags: Mapping[str, Any] | None = None) -> list[Check]:
    """Run all checks, grouped by area; change nothing and read no secret."""
    cli_path = None
    try:
        loaded = load_settings(flags)
        cli_path, advice = loaded.settings.cli_path, "Remove it, or update ccq-tui."
        wrong = [Check(PROGRAM, "Settings", text, Level.WARNING, advice) for text in loaded.warnings]
        found = ", ".join(map(str, loaded.files)) or "no files, defaults"
        checks = [Check(PROGRAM, "Settings", found), *wrong]
    except SettingsError as error:
        problems = map(str, error.problems)
        checks = [Check(PROGRAM, "Settings", one, Level.FAILURE, "Correct it.") for one in problems]
    return [
        # An older one is refused before anything else is imported.
        Check(PROGRAM, "Python", f"{platform.python_version()} ({sys.executable})"),
        *checks,
        *_misspelt_variables(),
        _colours(),
        _encoding(),
        *examine_cli(cli_path),
        examine_sign_in(),
        *examine_hooks(),
        _writable("Configuration", config_dir(), Level.WARNING),
        _writable("State", state_dir(), Level.FAILURE),
        _writable("Logs", log_dir(), Level.WARNING),
        *examine_mcp(),
    ]


def _misspelt_variables() -> list[Check]:
    """Warn of variables with our prefix that nothing reads."""
    known = {f"{ENV_PREFIX}{name.upper()}" for name in Settings.model_fields}
    known |= {WRAPPED, *VARIABLES}
    checks = []
    for name in sorted(os.environ):
        if name.startswith(ENV_PREFIX) and name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            others = 'See "ccq-tui config show" for the settings there are.'
            advice = f"Did you mean {close[0]}?" if close else others
            checks.append(Check(PROGRAM, "Environment", f"{name} is not a setting", Level.WARNING, advice))
    return checks


def _colours() -> Check:
    if colourless():
        return Check(TERMINAL, "Colours", "none, because of NO_COLOR or TERM")
    if os.environ.get("COLORTERM", "").lower() in {"truecolor", "24bit"}:
        return Check(TERMINAL, "Colours", "16 million")
    advice = "The themes use 16 million colours: if the terminal supports them, set COLORTERM=truecolor."
    return Check(TERMINAL, "Colours", "256 or fewer", Level.WARNING, advice)


def _encoding() -> Check:
    encoding = (getattr(sys.stdout, "encoding", None) or "unknown").lower()  # noqa: TID251 - asked
    if encoding.replace("-", "") == "utf8":
        return Check(TERMINAL, "Encoding", "UTF-8")
    advice = "Set a UTF-8 locale, for example LC_ALL=C.UTF-8."
    return Check(TERMINAL, "Encoding", encoding, Level.FAILURE, advice)


def _writable(name: str, directory: Path, level: Level) -> Check:
    # Path.exists raises PermissionError below a directory that cannot be entered.
    nearest = next(path for path in (directory, *directory.parents) if os.path.exists(path))  # noqa: PTH110
    if nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK):
        later = "" if nearest == directory else "  (not created yet)"
        return Check(DIRECTORIES, name, f"{directory}{later}")
    problem = "cannot be written" if nearest.is_dir() else "is not a directory"
    advice = f"Make {nearest} a directory that you can write to."
    return Check(DIRECTORIES, name, f"{directory}: {nearest} {problem}", level, advice)


def examine_mcp() -> list[Check]:
    """Check each client whose configuration names this server; return nothing where none does."""
    return [check for client in SETUPS for check in _client_checks(client)]


def _client_checks(client: str) -> Iterator[Check]:
    try:
        servers = servers_in(client, file_of(client).read())
    except SettingsFileError:
        return  # the client itself reports what is wrong with it
    for entry in servers.values():
        words = _words(entry) if isinstance(entry, dict) else []
        if words[-1:] != ["mcp"] or not (Path(words[0]).name == "ccq-tui" or "ccq_tui" in words):
            continue
        shown = one_line(" ".join(words), 200)
        if shutil.which(words[0]):
            yield Check(MCP, client, shown)
        else:
            advice = f'Run "ccq-tui mcp install {client}".'
            yield Check(MCP, client, f"{shown}: there is no such program", Level.WARNING, advice)


def _words(entry: dict[str, object]) -> list[str]:
    """Return the program that an entry starts with its arguments; nothing if it is malformed."""
    command, args = entry.get("command"), entry.get("args", [])
    words = [
        *(command if isinstance(command, list) else [command]),
        *(args if isinstance(args, list) else [0]),
    ]
    texts = [word for word in words if isinstance(word, str)]
    return texts if len(texts) == len(words) else []
