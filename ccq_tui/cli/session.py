"""The start of the screen from the command line."""

import gc
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ccq_tui.cli.exits import CRASHED, Refused, Unprinted
from ccq_tui.cli.options import given_flags, given_settings
from ccq_tui.output import echo, not_terminals
from ccq_tui.preboot_input import early_prompt
from ccq_tui.text import reason, safe

if TYPE_CHECKING:
    from ccq_tui.agent.claude.head_start import HeadStart
    from ccq_tui.config.launch import Launch
    from ccq_tui.inbox.store.rows import StoredSession
    from ccq_tui.preboot_input import EarlyPrompt

T = TypeVar("T")
_MOST_PIPED = 1_000_000
"""Most bytes of text piped in: more than any model reads at once."""
_FOR_NEW_SESSIONS = {
    "name": "--name is for new sessions; /rename renames a resumed one.",
    "labels": "--label is for new sessions; a resumed one keeps its labels.",
    "worktree": "--worktree is for new sessions; --continue and --resume return to their own worktree.",
}


def start_session(words: tuple[str, ...] = ()) -> int:
    """Run the program as the command line says; return the exit code.

    Raises `UsageError` for flags that contradict each other, and `SettingsError`.
    """
    flags = given_flags()
    continue_last, resume = flags.get("continue_last", False), flags.get("resume", "")
    choose = "resume" in flags and not resume
    if continue_last and (resume or choose):
        raise click.UsageError("--continue and --resume exclude each other.")
    known = None
    if resume:
        from ccq_tui.cli.store import known_session

        resume, known = known_session(resume, any_name=True)
    resumes = bool(continue_last or resume or choose)
    for name, refusal in _FOR_NEW_SESSIONS.items():
        if name in flags and resumes:
            raise click.UsageError(refusal)
    if "session_id" in flags:
        _check_session_id(flags, resumes=resumes)
    if flags.get("fork") and not resumes:
        raise click.UsageError("--fork needs --continue or --resume.")
    end_on_signals()
    plain = plain_why()
    # Line by line, what is piped in are the person's lines.
    prompt = "\n\n".join(filter(None, (" ".join(words), "" if plain else _piped())))
    if plain and choose:
        raise click.UsageError("--resume needs an id here: ccq-tui sessions lists them.")
    # Imports leave no garbage; looking for some would delay the start of the CLI and of the screen by 8 %
    # each. The app looks for it as soon as it is made.
    gc.disable()
    usual = not (plain or resumes or flags.keys() & {"session_id", "worktree"} or not_terminals())
    early = None if choose or plain else shown_early()
    try:
        with _head_start(flags) if usual else nullcontext() as head_start:
            return begin(
                _given_in_worktree(known),
                plain=plain,
                head_start=head_start,
                early=early,
                prompt=prompt,
                continue_last=continue_last,
                resume=resume,
                fork=flags.get("fork", False),
                choose=choose,
                worktree=flags.get("worktree"),
                name=flags.get("name", "").strip(),
                labels=dict(word.split("=", 1) for word in flags.get("labels", ())),
                chosen_id=flags.get("session_id", "").lower(),
            )
    finally:
        gc.enable()


def _given_in_worktree(known: "StoredSession | None") -> dict[str, Any]:
    """Return the given settings, with the worktree of a resumed session unless a directory is given."""
    given = given_settings()
    if known is None or "cwd" in given:
        return given
    from ccq_tui.cli.worktrees import place_of

    return given | place_of(known)


def _head_start(flags: Mapping[str, Any]) -> "HeadStart":
    from ccq_tui.agent.claude.head_start import HeadStart

    return HeadStart(flags)


def _piped() -> str:
    """Return the text piped into the program, and read keys from the terminal from then on."""
    if not_terminals() != ["input"] or sys.stdin is None:
        return ""
    piped = before_keys(lambda: sys.stdin.buffer.read(_MOST_PIPED + 1)) or b""
    if len(piped) > _MOST_PIPED:
        raise Refused(f"More than {_MOST_PIPED:,} bytes were piped in: name a file in the prompt instead.")
    return piped.decode("utf-8", "replace").replace("\0", "").rstrip()


def before_keys(read: Callable[[], T]) -> T | None:
    """Read what is piped in, and return it; from then on, standard input has the terminal's keys.

    Returns None, and reads nothing, if there is no terminal.
    """
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        return None
    try:
        piped = read()
        os.dup2(terminal, sys.stdin.fileno())
    finally:
        os.close(terminal)
    return piped


def _check_session_id(flags: Mapping[str, Any], *, resumes: bool) -> None:
    """Refuse an id that Claude Code would refuse where nobody reads its message."""
    from ccq_tui.cli.store import WHOLE_ID

    wanted = flags["session_id"]
    if not WHOLE_ID.fullmatch(wanted):
        example = "123e4567-e89b-42d3-a456-426614174000"
        raise click.UsageError(f"--session-id: must be a UUID such as {example}, not {wanted!r}.")
    if resumes and not flags.get("fork"):
        raise click.UsageError("--session-id with --continue or --resume needs --fork.")
    from ccq_tui.agent.claude.records import Recorded, recorded
    from ccq_tui.config.launch import Launch

    if recorded(Launch(), wanted.lower()) is not Recorded.NOTHING:
        raise Refused(f"--session-id: session {wanted} exists already; --resume {wanted} continues it.")


def shown_early(draw: Callable[[int, int], str] | None = None) -> "EarlyPrompt | None":
    """Show the prompt, or what ``draw`` returns, while the program loads; it closes with the command."""
    early = early_prompt(draw)
    if early is not None:
        click.get_current_context().call_on_close(early.close)
    return early


def begin(
    given: Mapping[str, Any],
    *,
    early: "EarlyPrompt | None" = None,
    head_start: "HeadStart | None" = None,
    worktree: str | None = None,
    plain: str = "",
    **wanted: Any,
) -> int:
    """Run the program with a session, or with the inbox; return the exit code.

    ``worktree`` is the name of one to create, "" for a generated name, None for none; ``plain`` says why
    it goes line by line, or is ""; ``wanted`` is as for `launch_with`. Raises `SettingsError` and `Refused`.
    """
    from ccq_tui.config.launch import launch_with

    launch = launch_with(given, **wanted)
    if worktree is not None:
        from ccq_tui.cli.worktrees import in_worktree

        # Before a worktree is made for a screen that cannot be shown.
        require_terminal(plain)
        launch = in_worktree(launch, worktree)
    require_terminal(plain)
    return show(launch, early, plain, head_start)


def plain_why() -> str:
    """Return why a command goes line by line, or "" for the screen."""
    from ccq_tui.plain.mode import plain_reason

    return plain_reason(os.environ, flag=given_flags().get("plain", False))


def require_terminal(plain: str = "") -> None:
    """Make sure that the screen has a terminal, unless the program is ``plain``; raises `Refused`."""
    if not plain and (missing := not_terminals()):
        raise Refused(
            f"ccq-tui needs a terminal, but its standard {' and '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} not one: --plain reads lines from a pipe."
        )


def show(
    launch: "Launch",
    early: "EarlyPrompt | None" = None,
    plain: str = "",
    head_start: "HeadStart | None" = None,
) -> int:
    """Show the screen until it ends, or go line by line if ``plain`` says why; return the exit code."""
    from ccq_tui.logs import start_logging

    start_logging(launch.settings.log_level)
    end_on_signals()
    import asyncio

    if plain:
        from ccq_tui.plain.session import lead

        try:
            return asyncio.run(lead(launch, plain))
        except OSError as error:
            raise Unprinted(f"The lines cannot be printed: {reason(error)}.") from error
    code = asyncio.run(_shown(launch, early, head_start))
    if code == CRASHED:
        say_where_the_log_is()
    return code


async def _shown(launch: "Launch", early: "EarlyPrompt | None", head_start: "HeadStart | None") -> int:
    import asyncio

    from ccq_tui.agent.loader import prestarted

    # Not for a session that depends on a question, a file or a claim that comes first.
    named = launch.continue_last or launch.resume or launch.chosen_id
    known = not (launch.trusted.carried or named or launch.program.choose or launch.program.inbox)
    if head_start and not known:
        head_start.drop()
    async with prestarted(launch if known else None, launch.prompt.rstrip(), head_start) as ahead:
        # In a thread, so that the event loop reads from the CLI that starts meanwhile and its pipes do not
        # fill up.
        app = await asyncio.to_thread(import_module, "ccq_tui.app")
        code: int = await app.run(launch, early, ahead)
        return code


def say_where_the_log_is() -> None:
    """Print the path of the log that describes a crash."""
    from ccq_tui.logs import current_log

    path = current_log()
    where = safe(str(path), keep_newlines=False)
    echo(f"The log is {where}" if path else "No log was written: its file cannot be created.", err=True)


def end_on_signals() -> None:
    """Exit in good order on the system's signals to end."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, _end)


def _end(number: int, _frame: FrameType | None) -> None:
    """Unwind, so that the terminal is restored and temporary files are removed."""
    raise SystemExit(128 + number)
