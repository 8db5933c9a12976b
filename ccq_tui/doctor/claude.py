"""Checks of the Claude Code CLI, the sign-in and the hooks; secrets are never read."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from ccq_tui.agent.problems import MINIMUM_CLI
from ccq_tui.bridges.claude_code.hook_settings import hooks_off, installed, problem_of, settings_files
from ccq_tui.bridges.edited_file import USER, SettingsFileError
from ccq_tui.claude_files import claude_directory, find_cli
from ccq_tui.doctor.check import Check, Level

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
            problem = problem_of(hook, trusted=file.scope == USER, off=off)
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
    version = re.search(r"(\d+)\.(\d+)\.(\d+)", answer.stdout)
    if answer.returncode or version is None:
        said = (answer.stderr or answer.stdout).strip().splitlines()
        message = f"exit code {answer.returncode}: {said[0][:80] if said else 'no output'}"
        return Check(AREA, "Version", message, Level.FAILURE, f'Run "{path} --version" by hand.')
    if tuple(map(int, version.groups())) < MINIMUM_CLI:
        wanted = ".".join(map(str, MINIMUM_CLI))
        return Check(AREA, "Version", version[0], Level.FAILURE, f"Use Claude Code {wanted} or newer.")
    return Check(AREA, "Version", version[0])
