"""The flags of the command line."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, get_args

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from ccq_tui.choices import Effort, PermissionMode, QuestionMode
from ccq_tui.cli.exits import refusing

AnyCallable = TypeVar("AnyCallable", bound=Callable[..., Any])


def complete_themes(_context: click.Context, _parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """Propose themes, or files, to the shell."""
    from ccq_tui.theming import theme_names

    names = [CompletionItem(name) for name in theme_names() if name.startswith(start)]
    return names or [CompletionItem(start, type="file")]


plain_flag = click.option(
    "--plain", is_flag=True, help="Line by line, for screen readers, pipes and plain terminals."
)


def seconds_in(flag: str, time: str | None) -> float | None:
    """Return the seconds that a flag's duration stands for, or None for no limit; raises `Refused`."""
    from ccq_tui.config.values import read_duration

    with refusing(ValueError, begin=f"{flag} "):
        read = read_duration(time)
    return read if isinstance(read, float) else None


_Flag = tuple[tuple[str, ...], dict[str, Any]]


def flag(names: str, metavar: str | None, about: str, **more: Any) -> _Flag:
    """Return the arguments of `click.option` for a flag."""
    return tuple(names.split()), {"metavar": metavar, "help": about, **more}


def _many(names: str, metavar: str, about: str, **more: Any) -> _Flag:
    """Return the arguments of `click.option` for a flag that may be given several times."""
    return flag(names, metavar, f"{about} Repeatable.", multiple=True, **more)


def switch(names: str, about: str) -> _Flag:
    """Return the arguments of `click.option` for a flag without a value."""
    return flag(names, None, about, is_flag=True)


def _optional(names: str, metavar: str, about: str) -> _Flag:
    """Return the arguments of `click.option` for a flag whose value may be left out."""
    return flag(names, metavar, about, is_flag=False, flag_value="")


def _labels(context: click.Context, _parameter: click.Parameter, words: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse a label without a key or a value."""
    for word in words:
        key, _, value = word.partition("=")
        if not (key.strip() and value.strip()):
            raise click.UsageError(f"--label: must be KEY=VALUE, not {word!r}.", context)
    return words


_MODES = click.Choice([*get_args(PermissionMode), "manual"])
_SETTINGS: tuple[_Flag, ...] = (
    flag("--model", "MODEL", "The model: an alias such as opus, or a full name."),
    flag("--permission-mode", "MODE", f"Permission mode: {', '.join(_MODES.choices)}.", type=_MODES),
    flag("--effort", None, "Thinking effort of the model.", type=click.Choice(get_args(Effort))),
    flag("--cwd", "DIR", "The directory to work in. [default: the current one]"),
    _many("--add-dir add_dirs", "DIR", "Another directory the agent may use."),
    _many(
        "--allowed-tools --allowedTools allowed_tools",
        "TOOLS",
        'Tools that run without asking: "Bash(git *) Edit".',
    ),
    _many("--disallowed-tools --disallowedTools disallowed_tools", "TOOLS", "Tools the agent must not use."),
    _many("--mcp-config", "FILE|JSON", "MCP servers, from a JSON file or JSON."),
    flag("--settings", "FILE|JSON", "More Claude Code settings."),
    flag("--append-system-prompt", "TEXT", "Text added to Claude Code's system prompt."),
    flag("--max-turns", "N", "Turn limit for one prompt.", type=int),
    flag("--max-budget-usd", "USD", "Spending limit for API calls, in US dollars.", type=float),
    flag(
        "--questions",
        None,
        "Ask freely; assume, and list what was assumed; or ask a few rounds. [default: ask]",
        type=click.Choice(get_args(QuestionMode)),
    ),
    flag("--max-question-rounds", "N", "How many rounds with --questions adaptive. [default: 5]", type=int),
    flag(
        "--theme",
        "NAME|FILE",
        "The colours: ccq-dark, ccq-light, one of yours or of Textual's. [default: ccq-dark]",
        shell_complete=complete_themes,
    ),
    flag("--agent", "NAME", "The agent that leads the session."),
    flag("--agents", "FILE|JSON", "More agents: their descriptions and prompts."),
    flag("--system-prompt", "TEXT", "A system prompt in place of Claude Code's."),
    flag(
        "--system-prompt-snapshot",
        None,
        "Keep a conversation's first system prompt, or not.",
        type=click.Choice(("on", "off")),
    ),
    switch(
        "--exclude-dynamic-system-prompt-sections", "Keep machine-specific parts out of the system prompt."
    ),
    flag("--fallback-model", "MODELS", "Models to use if the first is overloaded, separated by commas."),
    _many("--tools", "TOOLS", 'The built-in tools: "Bash,Edit", "" for none.'),
    switch("--strict-mcp-config", "Only the MCP servers of --mcp-config."),
    _many("--plugin-dir plugin_dirs", "DIR|ZIP", "A plugin for this session."),
    _many("--plugin-url plugin_urls", "URL", "A plugin .zip for this session."),
    flag("--setting-sources", "SOURCES", "Claude Code settings to load: user,project,local."),
    _many("--betas", "BETAS", "Beta headers for API requests."),
    flag("--autocompact", "auto|TOKENS", "Window that triggers compaction: auto, or tokens such as 500k."),
    switch("--disable-slash-commands", "Turn off skills and Claude Code's commands."),
    switch("--bare", "Turn off hooks, plugins, memory and CLAUDE.md."),
    switch("--safe-mode", "Turn off all customization, to find a problem."),
    switch("--restricted", "Turn off tools that run code, and settings files."),
    switch("--allow-dangerously-skip-permissions", "Offer a mode that bypasses all permission checks."),
    _optional("-d --debug", "[FILTER]", "Have Claude Code write a debug log: hooks,mcp or all."),
    flag("--debug-file", "FILE", "The file of that log."),
    switch("--verbose", "Start with everything unfolded."),
    flag("--cli-path", "FILE", "The Claude Code CLI to run. [default: the bundled one]"),
)
_SESSION: tuple[_Flag, ...] = (
    switch("-c --continue continue_last", "Continue the newest conversation of the directory."),
    _optional(
        "-r --resume", "[ID]", "Resume the conversation with this session id, or one chosen from a list."
    ),
    switch("--fork --fork-session fork", "With --continue or --resume: continue under a new session id."),
    _optional("-w --worktree", "[NAME]", "Work in a new git worktree, with this name or a made-up one."),
    flag("-n --name", "NAME", "Name of the new session."),
    _many(
        "--label labels",
        "KEY=VALUE",
        "Label the new session, for ccq-tui sessions --label.",
        callback=_labels,
    ),
    flag("--session-id", "UUID", "The id of the new session, or of the fork."),
    switch("--plain", "Line by line, for screen readers, pipes and dumb terminals."),
    switch("--dangerously-skip-permissions", "The same as --permission-mode bypassPermissions."),
)


def port_flag(port: int) -> Callable[[AnyCallable], AnyCallable]:
    """Give a command the flag of a port to listen at."""
    kind = click.IntRange(0, 65535)
    about = "The port; 0 for any that is free."
    return with_flags(flag("--port", "N", about, type=kind, default=port, show_default=True))


def with_flags(*flags: _Flag, hidden: bool = False) -> Callable[[AnyCallable], AnyCallable]:
    """Give a command flags, hidden if another command's help lists them."""

    def decorate(function: AnyCallable) -> AnyCallable:
        for names, keywords in reversed(flags):
            function = click.option(*names, expose_value=True, hidden=hidden, **keywords)(function)
        return function

    return decorate


setting_flags = partial(with_flags, *_SETTINGS)
"""Gives a command the flags that are settings, hidden if the program's own help lists them."""
session_flags = partial(with_flags, *_SESSION)
"""Gives a command the flags that choose a conversation."""
AS_JSON = switch("--json as_json", "As JSON, with a version.")
as_json_flag = with_flags(AS_JSON)
_TLS_FILE = click.Path(path_type=Path, dir_okay=False)
listening_flags = with_flags(
    flag("--host", None, "The address to listen at.", default="127.0.0.1", show_default=True),
    flag("--certfile certificate", None, "Its certificate, for TLS without a proxy.", type=_TLS_FILE),
    flag("--keyfile key", None, "The certificate's key.", type=_TLS_FILE),
    switch("--without-tls plain", "Serve plain HTTP; others on the network can read it."),
)
"""Gives a command the flags of where it is served; its port is another."""


def given_flags(context: click.Context | None = None) -> dict[str, Any]:
    """Return the flags that were given, before and after the name of the command that runs.

    A repeated flag has its last value, a repeatable one all of them.
    """
    context = context or click.get_current_context()
    flags: dict[str, Any] = given_flags(context.parent) if context.parent else {}
    for parameter in context.command.params:
        name = parameter.name
        if not isinstance(parameter, click.Option) or name is None:
            continue
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            value = context.params[name]
            flags[name] = (*flags.get(name, ()), *value) if parameter.multiple else value
    return flags


def given_settings() -> dict[str, Any]:
    """Return the flags that are settings, as `load_settings` takes them."""
    known = {names[-1].removeprefix("--").replace("-", "_") for names, _ in _SETTINGS}
    flags = given_flags()
    settings = {name: value for name, value in flags.items() if name in known}
    if flags.get("dangerously_skip_permissions"):
        settings["permission_mode"] = "bypassPermissions"  # it overrides another mode, as in Claude Code
    return settings
