"""The program's commands and its error handling."""

import io
import logging
import os
import shutil
import traceback
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from textwrap import fill
from typing import Any

import click
from click.shell_completion import CompletionItem

import ccq_tui
from ccq_tui.cli.exits import CRASHED, ENDED, EPILOG, INTERRUPTED, MISUSED
from ccq_tui.cli.options import session_flags, setting_flags
from ccq_tui.cli.session import say_where_the_log_is, start_session
from ccq_tui.output import UnprintedError, echo, harmless_streams

PROMPT_COMMAND = "prompt"
GIVEN = "ccq_tui.given"


class PromptGroup(click.Group):
    """``ccq-tui [OPTIONS] [PROMPT]`` and ``ccq-tui [OPTIONS] COMMAND`` in one.

    Args:
        later: Modules by the names of their commands, which are also those of their functions. Each is
            imported when its command is named, so that a start pays for its own command alone.
        named: Keyword arguments of every group.
    """

    def __init__(self, *, later: Mapping[str, str], **named: Any) -> None:
        super().__init__(**named)
        self._later = later

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List all commands, loaded or not."""
        return sorted({*super().list_commands(ctx), *self._later})

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands under headings, a line each."""
        for heading, commands in _GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, words) for name, (_, words) in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Propose commands with their words in the help, which imports none of them."""
        known = sorted((name, words) for group in _GROUPS.values() for name, (_, words) in group.items())
        found = [CompletionItem(name, help=words) for name, words in known if name.startswith(incomplete)]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, importing it the first time it is named."""
        if cmd_name in self._later and cmd_name not in self.commands:
            self.add_command(getattr(import_module(self._later[cmd_name]), cmd_name))
        return super().get_command(ctx, cmd_name)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click calls it so)
        """Say in the usage line that both a prompt and a command may follow."""
        return ["[OPTIONS]", "[PROMPT | COMMAND [ARGS]...]"]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the flags before the first word."""
        ctx.meta[GIVEN] = list(args)  # the parser takes words out of the list
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first word names, or else the one that takes a prompt."""
        given = ctx.meta[GIVEN]
        before = len(given) - len(args) - 1
        literal = before >= 0 and given[before] == "--"
        if args[0].islower() and not literal and self.get_command(ctx, args[0]) is None:
            close = get_close_matches(args[0], self.list_commands(ctx), n=1, cutoff=0.8)
            if close:
                found = f"No command is named {args[0]!r}; did you mean {close[0]}?"
                raise click.UsageError(f"{found} As a prompt: ccq-tui -- {' '.join(args)}", ctx)
        if literal or self.get_command(ctx, args[0]) is None or args[0] == PROMPT_COMMAND:
            words = ["--", *args] if literal else args
            return PROMPT_COMMAND, self.commands[PROMPT_COMMAND], words
        return super().resolve_command(ctx, args)


_GROUPS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Sessions": {
        "resume": ("resume", "Resume a session on the screen, in its directory."),
        "sessions": ("inbox", "List the sessions, the one that changed last at the end."),
        "send": ("session_commands", "Give a session a prompt."),
        "interrupt": ("session_commands", "End the running turn of a session."),
        "park": ("session_commands", "Stop a session's process; its questions keep waiting."),
        "end": ("session_commands", "Stop a session now, even mid-turn."),
        "export": ("resume", "Print a session's transcript."),
        "replay": ("replay", "Print a recording as a transcript."),
    },
    "Answering": {
        "inbox": ("inbox", "List and answer what waits in all sessions."),
        "show": ("inbox", "Show a request, and how to answer it."),
        "answer": ("answer", "Answer a question set, a form, a permission or a plan."),
        "decline": ("answer", "Decline a request: nothing is chosen or allowed."),
        "wait": ("inbox", "Wait for an answer, or for the end of a turn."),
        "history": ("inbox", "List every change of a request or a session."),
    },
    "Asking": {
        "ask": ("ask", "Ask a person: one question or a form."),
        "reflect": ("reflect", "Reflect on a commit: ten questions, one record."),
        "hooks": ("hooks", "Let Claude Code's own sessions ask in the inbox."),
        "mcp": ("mcp", "Let any agent that speaks MCP ask you questions."),
        "wrap": ("wrap", "Run a program, and ask its prompts in the inbox."),
    },
    "Phones and notifications": {
        "phone": ("phone", "Answer from a phone: scan the code that this shows."),
        "pair": ("phone", "Pair this inbox with a relay, or add a device."),
        "devices": ("phone", "List paired devices."),
        "notify": ("notify", "Send a test notification."),
        "relay": ("relay", "Serve a relay for phones, on a server."),
    },
    "Teams": {"serve": ("serve", "Turn tickets into sessions.")},
    "Setting up": {
        "demo": ("demo", "Try the program without an account."),
        "model": ("demo", "Serve a scripted model to tests in any language."),
        "doctor": ("inspect", "Check what the program needs."),
        "config": ("inspect", "Show settings: where they are and what they are."),
        "completion": ("inspect", "Print the completion script for a shell."),
        "uninstall": ("uninstall", "Undo what ccq-tui wrote, before you remove it."),
        "schema": ("inspect", "Print the JSON Schema of --json."),
    },
}
"""The module and the words of each command, by the headings of the help, which imports none of them."""
_MODULES = {name: module for group in _GROUPS.values() for name, (module, _) in group.items()}

_PRINTING = "it is for output without a screen, which “claude -p” has."
_REMOTE = "Claude Code offers it only from its own screen."
_REASONS = {
    _PRINTING: "--print -p --input-format --output-format --json-schema --include-hook-events",
    "a session that is not recorded could be neither paused nor resumed.": "--no-session-persistence",
    "every question comes to you here.": "--permission-prompts",
    "ccq-tui always sets it.": "--include-partial-messages --forward-subagent-text --replay-user-messages",
    "prompts are not suggested here.": "--prompt-suggestions",
    "it is about Claude Code's own screen.": "--ax-screen-reader",
    "sessions run side by side here: /new opens another one.": "--background --bg",
    "Claude's text is shown here without a tool.": "--brief",
    "Claude Code starts its browser only from its own screen.": "--chrome",
    "the browser is never started here.": "--no-chrome",
    "a session in the cloud cannot be run from here.": "--cloud --environment --teleport",
    "it is for sessions in the cloud, whose files are elsewhere.": "--file",
    "ccq-tui -r lists the conversations with their branches.": "--from-pr",
    "it opens another program; run “claude --desktop”.": "--desktop",
    "Claude Code connects to an editor only from its own screen.": "--ide",
    _REMOTE: "--remote-control --remote-control-session-name-prefix",
    "--worktree works without it; start ccq-tui in tmux.": "--tmux",
}
LEFT_OUT = {flag: reason for reason, flags in _REASONS.items() for flag in flags.split()}
"""The flags of Claude Code that are not taken, each with the reason as the end of a sentence."""


@click.group(
    cls=PromptGroup,
    later={name: f"ccq_tui.cli.{module}" for name, module in (_MODULES | {"hook": "hook"}).items()},
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=f"{EPILOG}\nMore: {ccq_tui.DOCS}",
)
@session_flags()
@setting_flags()
@click.version_option(
    ccq_tui.__version__, "-v", "--version", prog_name="ccq-tui", message="%(prog)s %(version)s"
)
def cli(**_flags: object) -> int | None:
    """Claude sessions in the terminal, with every question answered from the keyboard.

    PROMPT starts the session. Put -- before a prompt that starts with a command's name.
    """
    return start_session() if click.get_current_context().invoked_subcommand is None else None


@cli.command(PROMPT_COMMAND, hidden=True)
@session_flags(hidden=True)
@setting_flags(hidden=True)
@click.argument("words", nargs=-1)
def prompt(words: tuple[str, ...], **_flags: object) -> int:
    """Start a session with a prompt."""
    return start_session(words)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program with a command line, or the process's own if None; return the exit code."""
    with harmless_streams():
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = cli.main(args=arguments, prog_name="ccq-tui", standalone_mode=False)
    except click.ClickException as error:
        # Suggestions of similar options would distract from the reason.
        if not _explain_left_out(error):
            _show(error)
        _say_how_a_prompt_begins(error)
        return error.exit_code
    except UnprintedError as error:
        if error.is_unread:
            return ENDED
        _show(click.ClickException(error.words))
        return int(getattr(error, "exit_code", CRASHED))
    except (click.Abort, KeyboardInterrupt):
        echo("Interrupted.", err=True)
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 (the last resort: it is logged and reported)
        return _failed(error)
    return code if isinstance(code, int) else ENDED


def _show(error: click.ClickException) -> None:
    """Print what is wrong with the command line, as click writes it; a terminal cuts no word in two."""
    written = io.StringIO()
    error.show(written)
    text = written.getvalue().rstrip("\n")
    if os.isatty(2):
        width = shutil.get_terminal_size().columns
        text = "\n".join(
            fill(line, width, break_long_words=False, break_on_hyphens=False) for line in text.split("\n")
        )
    echo(text, err=True)


def _say_how_a_prompt_begins(error: click.ClickException) -> None:
    """Show how to start a prompt whose first word is a command, such as "show me the tests"."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context and context.parent and "unexpected extra argument" in error.message:
        while context.parent and context.parent.parent:
            context = context.parent
        echo(f"To start a prompt with this word: ccq-tui -- {context.info_name} ...", err=True)


def _explain_left_out(error: click.ClickException) -> bool:
    """Say why ccq-tui does not take a flag of Claude Code's; return whether it is one."""
    if not isinstance(error, click.NoSuchOption) or error.option_name not in LEFT_OUT:
        return False
    reason = LEFT_OUT[error.option_name]
    echo(f"Error: {error.option_name} works only in Claude Code itself: {reason}", err=True)
    return True


def _failed(error: Exception) -> int:
    """Report unusable settings or a crash; return the exit code."""
    from ccq_tui.config.errors import SettingsError

    if isinstance(error, SettingsError):
        echo(f"ccq-tui cannot use these settings:\n{error}", err=True)
        return MISUSED
    from ccq_tui.logs import current_log, start_logging

    if current_log() or start_logging():
        logging.getLogger("ccq_tui").critical("crashed", exc_info=error)
    else:
        echo("".join(traceback.format_exception(error)).rstrip("\n"), err=True)
    echo(f"ccq-tui crashed: {type(error).__name__}: {error}", err=True)
    say_where_the_log_is()
    return int(getattr(error, "exit_code", CRASHED))
