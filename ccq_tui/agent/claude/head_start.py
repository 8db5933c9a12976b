"""A CLI that starts before the settings are read, as the last session did that was started in the same way.

Reading the settings and loading the SDK takes longer than all else between the program's start and the CLI's.
"""

import hashlib
import json
import logging
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

import ccq_tui
from ccq_tui.agent.claude.spawn import PROGRAM, start
from ccq_tui.bounded import json_object, parse_json, read_bytes
from ccq_tui.config.errors import SettingsError
from ccq_tui.config.paths import project_config, state_dir, user_config
from ccq_tui.config.trust import trusts
from ccq_tui.stored import write_whole

if TYPE_CHECKING:
    from ccq_tui.agent.claude.process import CliProcess

STORE = "head-starts.json"
MOST_STARTS = 20
STORE_BYTES = 1_000_000
_SESSION = "{session}"

Start = tuple[list[str], str | None, dict[str, str]]
"""Command, directory and environment of a CLI."""

_logger = logging.getLogger(__name__)


class HeadStart:
    """The process of a new session, started on the assumption that nothing changed since the last start.

    The CLI runs hooks and MCP servers before it reads a line, so the process starts only in a directory that
    is trusted. It is used only if the settings then ask for exactly this command, directory and environment;
    otherwise it is ended, unused.

    As a context manager it starts the process, and ends it unless a session has it.

    Attributes:
        session_id: The id of the new session.
    """

    def __init__(self, flags: Mapping[str, Any]) -> None:
        """Make a head start for the flags of the command line."""
        self.session_id = str(uuid4())
        self._flags = flags
        self._process: subprocess.Popen[bytes] | None = None
        self._started: Start | None = None
        self._end: Thread | None = None

    def __enter__(self) -> Self:
        try:
            self._started = self._as_before()
            if self._started is not None:
                self._process = start(*self._started)
        except (OSError, ValueError, SettingsError) as error:
            _logger.info("No head start: %s", error)
        return self

    def __exit__(self, *raised: object) -> None:
        self.drop()
        if self._end is not None:
            self._end.join()

    def drop(self) -> None:
        """End the process, unless a session has it; return at once."""
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            self._end = Thread(target=_end, args=(process,), name="end a head start")
            self._end.start()

    def opened(self, command: Sequence[str], cwd: str | None, env: Mapping[str, str]) -> "CliProcess":
        """Return the process if it is the one wanted; otherwise start another, and remember how."""
        from ccq_tui.agent.claude.process import CliProcess

        wanted: Start = [*command], cwd, {**env}
        if self._process is not None and self._process.poll() is None and wanted == self._started:
            process, self._process = self._process, None
            return CliProcess(process)
        self.drop()
        process = start(*wanted)
        try:
            self._remember(*wanted)
        except (OSError, ValueError, SettingsError) as error:
            _logger.info("The next start cannot begin early: %s", error)
        return CliProcess(process)

    def _as_before(self) -> Start | None:
        """Return command, directory and environment of the last start like this one, or None."""
        kept = json_object(state_dir() / STORE, STORE_BYTES).get(self._key())
        if not isinstance(kept, str) or not trusts(Path.cwd()):
            return None
        # Another program may have written there: only what fits is a start.
        match parse_json(kept.replace(_SESSION, self.session_id)):
            case [[*command], dict(changed), [*removed]] if command and _texts(*command, *changed.values()):
                env = {name: text for name, text in os.environ.items() if name not in removed}
                return command, os.getcwd(), env | changed | {PROGRAM: str(os.getpid())}  # noqa: PTH109
        return None

    def _remember(self, command: list[str], cwd: str | None, env: dict[str, str]) -> None:
        if cwd != os.getcwd():  # noqa: PTH109
            return
        changed = {
            name: text for name, text in env.items() if os.environ.get(name) != text and name != PROGRAM
        }
        removed = [name for name in os.environ if name not in env]
        entry = json.dumps([command, changed, removed]).replace(self.session_id, _SESSION)
        kept = json_object(state_dir() / STORE, STORE_BYTES)
        key = self._key()
        others = [(name, text) for name, text in kept.items() if name != key]
        write_whole(state_dir() / STORE, json.dumps(dict([*others[1 - MOST_STARTS :], (key, entry)])))

    def _key(self) -> str:
        """Return a digest of what a start depends on and can be read without loading the settings."""
        here = Path.cwd()
        files = [
            file for file in (user_config(), project_config(here)) if file is not None and file.is_file()
        ]
        looked_at = [
            ccq_tui.__version__,
            str(here),
            sorted(self._flags.items()),
            *(read_bytes(file, STORE_BYTES) for file in files),
        ]
        return hashlib.sha256(repr(looked_at).encode()).hexdigest()


def _end(process: subprocess.Popen[bytes]) -> None:
    with process:
        try:
            process.wait(2.0)
        except subprocess.TimeoutExpired:
            process.kill()


def _texts(*found: object) -> bool:
    return all(isinstance(one, str) for one in found)
