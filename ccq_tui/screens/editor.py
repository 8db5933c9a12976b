"""The person's own editor, which gets the terminal until it ends."""

import asyncio
import os
import shlex
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from textual.app import App
from textual.dom import DOMNode
from textual.worker import WorkerCancelled, WorkerFailed

from ccq_tui.bounded import UnfitFileError, read_bytes
from ccq_tui.compat.textual.driver import is_lent
from ccq_tui.text import one_line
from ccq_tui.widgets.lifetime import start_work

GROUP = "editor"
"""Group of the workers that wait for an editor and then take what it saved."""
MOST_BYTES = 250_000
"""Most bytes taken from an editor: each key in a longer text would take seconds."""
END_SECONDS = 1.0
"""Seconds that an editor may take to end when the program ends."""
KEPT = "The editor ended with an error · the text it saved is kept"
UNCHANGED = " · your text is unchanged"
NOT_UTF8 = "The editor did not save UTF-8 · “�” replaces unreadable bytes"
_PLUS_LINE = frozenset(
    {"vi", "vim", "nvim", "nano", "emacs", "emacsclient", "hx", "kak", "micro", "joe", "ne"}
)
"""Editors that take a line as ``+12``."""
_running: set[asyncio.subprocess.Process] = set()


class UnstartedError(Exception):
    """A program for the terminal cannot be started; the message says why, in the system's words."""


@dataclass(frozen=True, slots=True)
class Edited:
    """What came of a text in an editor.

    Attributes:
        text: The text as saved, or None if it did not change.
        problem: What went wrong, for a person, or "".
    """

    text: str | None = None
    problem: str = ""


async def edit_text(app: App[Any], text: str) -> Edited:
    """Edit a text in $VISUAL or $EDITOR, which has the terminal meanwhile.

    The event loop keeps running: a session must be read however long a person writes. The saved text is
    without the newline that editors add at the end, and is taken even if the editor failed after saving.
    Nothing is edited while an editor has the terminal already.
    """
    given = (text if text.endswith("\n") or not text else f"{text}\n").encode(errors="replace")
    try:
        file, keep = await asyncio.to_thread(_made, given), False
    except OSError as error:
        return Edited(problem=f"The file to edit cannot be created: {error.strerror}")
    try:
        if is_lent(app):
            return Edited()  # the key was pressed twice
        problem = await edit_file(app, file)
        saved = await asyncio.to_thread(read_bytes, file, MOST_BYTES)
    except OSError as error:
        return Edited(problem=f"The editor left no file that can be read ({error.strerror}){UNCHANGED}")
    except UnfitFileError as error:
        keep = True
        return Edited(problem=f"The text the editor saved {error} · it is kept in {file}")
    finally:
        if not keep:
            await asyncio.to_thread(shutil.rmtree, file.parent, ignore_errors=True)
    if saved == given:
        return Edited(problem=problem and f"{problem}{UNCHANGED}")
    # Some editors begin a file with a mark that nobody typed.
    read = saved.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    problem = KEPT if problem else NOT_UTF8 if "\ufffd" in read and "\ufffd" not in text else ""
    return Edited(read if text.endswith("\n") else read.removesuffix("\n"), problem)


def edit_for(owner: DOMNode, text: str, put: Callable[[str], object], say: Callable[[str], object]) -> None:
    """Edit a text as `edit_text` does: ``put`` takes what was saved, ``say`` what went wrong."""

    async def edit() -> None:
        edited = await edit_text(owner.app, text)
        if edited.text is not None:
            put(edited.text)
        if edited.problem:
            say(edited.problem)

    start_work(owner, edit, name="editor", group=GROUP)


async def edit_file(app: App[Any], file: Path, line: int = 0) -> str:
    """Edit a file, from a line on; return what went wrong, for a person, or ""."""
    command = editor_command(os.environ, file, line)
    if command is None:
        return "No editor found · set VISUAL or EDITOR"
    try:
        failed = await run_program(app, command)
    except UnstartedError as error:
        name = one_line(Path(command[0]).name, 40)
        return f"The editor “{name}” cannot be started ({error}) · set VISUAL or EDITOR to one that runs"
    return f"The editor failed ({failed})" if failed else ""


async def run_program(app: App[Any], command: list[str]) -> str:
    """Lend the terminal to a program until it ends; return how it failed, in a few words, or "".

    Raises `UnstartedError` where the program cannot start; every terminal's driver lends the screen.
    """
    code, unstarted = 0, ""
    with app.suspend(), _interrupts_for_the_editor():
        try:
            code = await _ended(command)
        except (OSError, ValueError) as error:
            # Raised inside, it would keep the screen from coming back.
            unstarted = str(getattr(error, "strerror", None) or error)
    if unstarted:
        raise UnstartedError(unstarted)
    return "" if code == 0 else f"exit code {code}" if code > 0 else f"ended by signal {-code}"


async def end_editors(app: App[Any]) -> None:
    """End the editors as the program ends, and wait until their saved text is taken.

    An editor in a window of its own outlives its terminal, and would keep the program and its sessions
    running until a person closes it.
    """
    for process in tuple(_running):
        await _end(process)
    for work in [one for one in app.workers if one.group == GROUP]:
        with suppress(WorkerCancelled, WorkerFailed, TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await work.wait()


def editor_command(environment: Mapping[str, str], path: Path, line: int = 0) -> list[str] | None:
    """Return the command that edits a file, or None when there is no editor."""
    named = environment.get("VISUAL") or environment.get("EDITOR") or ""
    try:
        words = shlex.split(named)
    except ValueError:
        words = [named]
    if not words:
        names = ("sensible-editor", "nano", "vim", "vi")
        usual = (name for name in names if shutil.which(name, path=environment.get("PATH")))
        words = [next(usual, "")]
    if not words[0]:
        return None
    place = [f"+{line}"] if line and Path(words[0]).name in _PLUS_LINE else []
    # A name that begins with a dash is no option, since the path is absolute.
    return [*words, *place, str(path.absolute())]


def _made(content: bytes) -> Path:
    """Make a file with a content in a directory of its own."""
    file = Path(mkdtemp(prefix="ccq-tui-"), "text.md")
    file.write_bytes(content)
    return file


async def _ended(command: list[str]) -> int:
    """Run a program in the terminal until it ends; return its exit code."""
    process = await asyncio.create_subprocess_exec(*command)
    _running.add(process)
    try:
        return await process.wait()
    finally:
        _running.discard(process)
        if process.returncode is None:
            process.kill()  # nobody waits for it any more


async def _end(process: asyncio.subprocess.Process) -> None:
    for stop in (process.terminate, process.kill):
        with suppress(ProcessLookupError):
            stop()
        with suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await process.wait()
                return


@contextmanager
def _interrupts_for_the_editor() -> Iterator[None]:
    r"""Let Ctrl+C and Ctrl+\\ in the editor be the editor's: they reach all processes of the terminal."""
    numbers = (signal.SIGINT, signal.SIGQUIT)
    before = [(number, signal.signal(number, lambda _number, _frame: None)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)
