"""The flags of the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, get_args

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from ccq_tui.choices import Effort, PermissionMode, QuestionMode

AnyCallable = TypeVar("AnyCallable", bound=Callable[..., Any])


def complete_themes(_context: click.Context, _parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """Propose themes, or files, to the shell."""
    from ccq_tui.theming import theme_names

    names = [CompletionItem(name) for name in theme_names() if name.startswith(start)]
    return names or [CompletionItem(start, type="file")]


as_json_flag = click.option(
    "--json", "as_json", is_flag=True, help="As JSON, with a version: docs/scripts.md."
)

_Flag = tuple[tuple[str, ...], dict[str, Any]]


def _flag(*names: str, **keywords: Any) -> _Flag:
    """Return the arguments of `click.option` for a flag."""
    return names, keywords


def _many(*names: str, help: str, **keywords: Any) -> _Flag:  # noqa: A002 - click's word
    """Return the arguments of `click.option` for a flag that may be given several times."""
    return names, {**keywords, "help": f"{help} Repeatable.", "multiple": True}


def _switch(*names: str, help: str) -> _Flag:  # noqa: A002 - click's word
    """Return the arguments of `click.option` for a flag without a value."""
    return names, {"is_flag": True, "help": help}


def _optional(*names: str, **keywords: Any) -> _Flag:
    """Return the arguments of `click.option` for a flag whose value may be left out."""
    return names, {**keywords, "is_flag": False, "flag_value": ""}


def _labels(context: click.Context, _parameter: click.Parameter, words: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse a label without a key or a value."""
    for word in words:
        key, _, value = word.partition("=")
        if not (key.strip() and value.strip()):
            raise click.UsageError(f"--label: must be KEY=VALUE, not {word!r}.", context)
    return words


_MODES = click.Choice([*get_args(PermissionMode), "manual"])
_SETTINGS: tuple[_Flag, ...] = (
    _flag("--model", metavar="MODEL", help="The model: an alias such as opus, or a full name."),
    _flag(
        "--permission-mode",
        type=_MODES,
        metavar="MODE",
        help=f"Permission mode: {', '.join(_MODES.choices)}.",
    ),
    _flag("--effort", type=click.Choice(get_args(Effort)), help="Thinking effort of the model."),
    _flag("--cwd", metavar="DIR", help="The directory to work in. [default: the current one]"),
    _many("--add-dir", "add_dirs", metavar="DIR", help="Another directory the agent may use."),
    _many(
        "--allowed-tools",
        "--allowedTools",
        "allowed_tools",
        metavar="TOOLS",
        help='Tools that run without asking: "Bash(git *) Edit".',
    ),
    _many(
        "--disallowed-tools",
        "--disallowedTools",
        "disallowed_tools",
        metavar="TOOLS",
        help="Tools the agent must not use.",
    ),
    _many("--mcp-config", metavar="FILE|JSON", help="MCP servers, from a JSON file or JSON."),
    _flag("--settings", metavar="FILE|JSON", help="More Claude Code settings."),
    _flag("--append-system-prompt", metavar="TEXT", help="Text added to Claude Code's system prompt."),
    _flag("--max-turns", type=int, metavar="N", help="Turn limit for one prompt."),
    _flag("--max-budget-usd", type=float, metavar="USD", help="Spending limit for API calls, in US dollars."),
    _flag(
        "--questions",
        type=click.Choice(get_args(QuestionMode)),
        help="Ask freely; assume, and list what was assumed; or ask a few rounds. [default: ask]",
    ),
    _flag(
        "--max-question-rounds",
        type=int,
        metavar="N",
        help="How many rounds with --questions adaptive. [default: 5]",
    ),
    _flag(
        "--theme",
        metavar="NAME|FILE",
        shell_complete=complete_themes,
        help="The colours: ccq-dark, ccq-light, one of yours or of Textual's. [default: ccq-dark]",
    ),
    _flag("--agent", metavar="NAME", help="The agent that leads the session."),
    _flag("--agents", metavar="FILE|JSON", help="More agents: their descriptions and prompts."),
    _flag("--system-prompt", metavar="TEXT", help="A system prompt in place of Claude Code's."),
    _flag(
        "--system-prompt-snapshot",
        type=click.Choice(("on", "off")),
        help="Keep a conversation's first system prompt, or not.",
    ),
    _switch(
        "--exclude-dynamic-system-prompt-sections",
        help="Keep machine-specific parts out of the system prompt.",
    ),
    _flag(
        "--fallback-model",
        metavar="MODELS",
        help="Models to use if the first is overloaded, separated by commas.",
    ),
    _many("--tools", metavar="TOOLS", help='The built-in tools: "Bash,Edit", "" for none.'),
    _switch("--strict-mcp-config", help="Only the MCP servers of --mcp-config."),
    _many("--plugin-dir", "plugin_dirs", metavar="DIR|ZIP", help="A plugin for this session."),
    _many("--plugin-url", "plugin_urls", metavar="URL", help="A plugin .zip for this session."),
    _flag("--setting-sources", metavar="SOURCES", help="Claude Code settings to load: user,project,local."),
    _many("--betas", metavar="BETAS", help="Beta headers for API requests."),
    _flag(
        "--autocompact",
        metavar="auto|TOKENS",
        help="Window that triggers compaction: auto, or tokens such as 500k.",
    ),
    _switch("--disable-slash-commands", help="Turn off skills and Claude Code's commands."),
    _switch("--bare", help="Turn off hooks, plugins, memory and CLAUDE.md."),
    _switch("--safe-mode", help="Turn off all customization, to find a problem."),
    _switch("--restricted", help="Turn off tools that run code, and settings files."),
    _switch("--allow-dangerously-skip-permissions", help="Offer a mode that bypasses all permission checks."),
    _optional(
        "-d", "--debug", metavar="[FILTER]", help="Have Claude Code write a debug log: hooks,mcp or all."
    ),
    _flag("--debug-file", metavar="FILE", help="The file of that log."),
    _switch("--verbose", help="Start with everything unfolded."),
    _flag("--cli-path", metavar="FILE", help="The Claude Code CLI to run. [default: the bundled one]"),
)
_SESSION: tuple[_Flag, ...] = (
    _switch("-c", "--continue", "continue_last", help="Continue the newest conversation of the directory."),
    _optional(
        "-r",
        "--resume",
        metavar="[ID]",
        help="Resume the conversation with this session id, or one chosen from a list.",
    ),
    _switch(
        "--fork",
        "--fork-session",
        "fork",
        help="With --continue or --resume: continue under a new session id.",
    ),
    _optional(
        "-w",
        "--worktree",
        metavar="[NAME]",
        help="Work in a new git worktree, with this name or a made-up one.",
    ),
    _flag("-n", "--name", metavar="NAME", help="Name of the new session."),
    _many(
        "--label",
        "labels",
        metavar="KEY=VALUE",
        callback=_labels,
        help="Label the new session, for ccq-tui sessions --label.",
    ),
    _flag("--session-id", metavar="UUID", help="The id of the new session, or of the fork."),
    _flag(
        "--from-pr", metavar="NUMBER|URL", help="Resume the newest conversation linked to this pull request."
    ),
    _switch("--dangerously-skip-permissions", help="The same as --permission-mode bypassPermissions."),
)


def setting_flags(*, hidden: bool = False) -> Callable[[AnyCallable], AnyCallable]:
    """Give a command the flags that are settings, hidden if the program's own help lists them."""
    return _flags(_SETTINGS, hidden=hidden)


def session_flags(*, hidden: bool = False) -> Callable[[AnyCallable], AnyCallable]:
    """Give a command the flags that choose a conversation."""
    return _flags(_SESSION, hidden=hidden)


def given_flags(context: click.Context) -> dict[str, Any]:
    """Return the flags that were given, before and after the command's name.

    A repeated flag has its last value, a repeatable one all of them.
    """
    flags: dict[str, Any] = given_flags(context.parent) if context.parent else {}
    for parameter in context.command.params:
        name = parameter.name
        if not isinstance(parameter, click.Option) or name is None:
            continue
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            value = context.params[name]
            flags[name] = (*flags.get(name, ()), *value) if parameter.multiple else value
    return flags


def given_settings(context: click.Context) -> dict[str, Any]:
    """Return the flags that are settings, as `load_settings` takes them."""
    known = {parameter.name for parameter in _SETTING_OPTIONS}
    flags = given_flags(context)
    settings = {name: value for name, value in flags.items() if name in known}
    if flags.get("dangerously_skip_permissions"):
        settings["permission_mode"] = "bypassPermissions"  # it overrides another mode, as in Claude Code
    return settings


def _flags(flags: tuple[_Flag, ...], *, hidden: bool) -> Callable[[AnyCallable], AnyCallable]:
    def decorate(function: AnyCallable) -> AnyCallable:
        for names, keywords in reversed(flags):
            function = click.option(*names, expose_value=True, hidden=hidden, **keywords)(function)
        return function

    return decorate


_SETTING_OPTIONS = [click.Option(list(names), **keywords) for names, keywords in _SETTINGS]
