"""Commands about the installation, its settings and its formats; they change nothing."""

import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import get_completion_class

from ccq_tui.cli.exits import CRASHED, ENDED, Refused
from ccq_tui.cli.options import given_settings, setting_flags
from ccq_tui.config.paths import PROJECT_FILE, config_dir, expanded, project_config, state_dir, user_config
from ccq_tui.output import Styled, echo
from ccq_tui.text import one_line, safe

if TYPE_CHECKING:
    from ccq_tui.config.load import Loaded


SHELLS = ("bash", "zsh", "fish")


@click.group()
def config() -> None:
    """Show settings: where they are and what they are."""


@config.command("path")
@setting_flags(hidden=True)
def config_path(**_flags: object) -> None:
    """Print the files and directories of settings, themes, state and logs."""
    from ccq_tui.logs import log_path

    start = expanded(given_settings().get("cwd") or os.environ.get("CCQ_CWD") or Path.cwd())
    rows = {
        "project": project_config(start) or start.absolute() / PROJECT_FILE,
        "user": user_config(),
        "themes": config_dir() / "themes",
        "state": state_dir(),
        "log": log_path(),
    }
    for name, path in rows.items():
        missing = "" if os.path.exists(path) else "  (does not exist)"  # noqa: PTH110 - as of a locked one
        echo(f"{name:<9}{safe(str(path), keep_newlines=False)}", Styled(missing, dim=True))


@config.command("show")
@setting_flags(hidden=True)
def config_show(**_flags: object) -> None:
    """Print each setting with its origin, as a settings file."""
    from ccq_tui.config.load import load_settings

    for line in _lines(load_settings(given_settings())):
        echo(line)


@click.command()
@setting_flags(hidden=True)
def doctor(**_flags: object) -> int:
    """Check everything the program needs, and say what to do about what is missing."""
    from ccq_tui.doctor.examine import examine, report

    checks = examine(given_settings())
    width = shutil.get_terminal_size().columns if os.isatty(1) else sys.maxsize
    for line in report(checks, width):
        echo(*line)
    return CRASHED if any(check.failed for check in checks) else ENDED


@click.command(
    epilog="""\b
To turn it on, add the line for your shell to the file named:
  ~/.bashrc   eval "$(ccq-tui completion bash)"
  ~/.zshrc    eval "$(ccq-tui completion zsh)"
  ~/.config/fish/completions/ccq-tui.fish
              ccq-tui completion fish | source
"""
)
@click.argument("shell", type=click.Choice(SHELLS), required=False)
def completion(shell: str | None) -> None:
    """Print the completion script for a shell, or else for the one that $SHELL names."""
    shell = shell or PurePath(os.environ.get("SHELL", "")).name
    maker = get_completion_class(shell) if shell in SHELLS else None
    if maker is None:
        named = one_line(os.environ.get("SHELL", ""), 200) or "not set"
        raise Refused(f"Name a shell: {', '.join(SHELLS)}. $SHELL is {named}.")
    echo(maker(click.get_current_context().find_root().command, {}, "ccq-tui", "_CCQ_TUI_COMPLETE").source())


@click.command()
@click.argument("of_what", metavar="[form|record]", type=click.Choice(("form", "record")), required=False)
def schema(of_what: str | None) -> None:
    """Print the JSON Schema of --json: what commands print, and what answer reads.

    With "form" it is that of a form file, with "record" that of the record of a filled-in form.
    """
    if of_what == "record":
        from ccq_tui.forms.record import record_schema as found
    elif of_what == "form":
        from ccq_tui.forms.reading import form_schema as found
    else:
        from ccq_tui.inbox.schema import json_schema as found
    echo(json.dumps(found(), indent=2))


def _lines(loaded: "Loaded") -> list[str]:
    """Write settings as TOML with their origins as comments; an unset one is a comment as a whole."""
    from ccq_tui.config.values import shown_url

    lines = []
    for name in type(loaded.settings).model_fields:
        value = getattr(loaded.settings, name)
        if name == "notify_urls":
            value = tuple(map(shown_url, value))
        text = f"# {name} is not set" if value is None else f"{name} = {_toml(value)}"
        lines.append(f"{text:<44}  # {safe(loaded.origins[name], keep_newlines=False)}")
    return lines


def _toml(value: Any) -> str:
    if isinstance(value, int | float):
        return json.dumps(value)
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{name} = {_toml(item)}' for name, item in value.items())}}}"
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(item) for item in value)}]"
    text = str(value)
    # JSON given instead of a file may hold API keys.
    shown = f"(JSON of {len(text)} characters)" if text.lstrip().startswith("{") else text
    written = json.dumps(shown, ensure_ascii=False)  # a harmless text is the same in TOML as in JSON
    harmless = safe(shown, keep_newlines=False) == shown
    return written if harmless else re.sub(r"[^ -~]", lambda one: f"\\U{ord(one[0]):08x}", written)
