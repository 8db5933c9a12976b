"""A file of another program or of a person: read with care, and written whole with a backup."""

import json
import os
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ccq_tui.bounded import JSON_BYTES, UnfitFileError, parse_json, read_bytes
from ccq_tui.stored import write_whole

BACKUP = ".before-ccq-tui"
_MARK = "\ufeff"


class SettingsFileError(ValueError):
    """The file cannot be changed; the message says why, for a person."""


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A file that ccq-tui changes.

    Attributes:
        path: Its path, as people name it.
        home: The directory that a link must not lead out of.
        mode: The permissions of a new file that others share, such as a project's; None for a person's own.
        most: Largest size that is read, in bytes.
        backup: Whether a copy of the file from before ccq-tui may be kept beside it.
    """

    path: Path
    home: Path
    mode: int | None = None
    most: int = JSON_BYTES
    backup: bool = True

    def read(self) -> str:
        """Return its text, or "" if there is no file.

        Raises `SettingsFileError` if it is no text file, belongs to another user, or cannot be read.
        """
        try:
            target = self._target()
            if target is None:
                return ""
            return read_bytes(target, self.most).decode()
        except OSError as error:
            raise SettingsFileError(f"it cannot be read: {error.strerror}") from error
        except UnfitFileError as error:
            raise SettingsFileError(f"it {error}") from error
        except UnicodeDecodeError as error:
            raise SettingsFileError(f"it is not UTF-8 text: {error.reason}") from error

    def left(self, text: str) -> str:
        """Return the text to leave: the backup's if it says the same, or "" where a file of ours is empty.

        Raises `SettingsFileError`.
        """
        if self._backup.exists():
            kept = replace(self, path=self._backup).read()
            return kept if _is_same(kept, text) else text
        return "" if is_empty(text) and not self.path.is_symlink() else text

    def write(self, before: str, after: str, *, first: bool = False) -> Path | None:
        """Replace its text ``before`` by ``after``, or remove it if that is "".

        Args:
            before: The text that was read.
            after: The text to write.
            first: Whether the text that was read has nothing of ccq-tui yet: it is kept as the backup.

        Returns:
            The backup beside it, if there is one: it goes once the file is again as it was.

        Raises:
            SettingsFileError: It cannot be written, or was changed since it was read.
        """
        if self.read() != before:
            raise SettingsFileError("another program changed it since it was read")
        try:
            target = self._target()
            if target is None:
                self.path.parent.mkdir(mode=0o755 if self.mode else 0o700, parents=True, exist_ok=True)
                write_whole(self.path, after, self.mode)
                return None
            mode, backup = stat.S_IMODE(target.stat().st_mode), self._backup
            if self.backup and first:
                write_whole(backup, before, mode)
            kept = self.backup and backup.exists()
            if after:
                write_whole(target, after, mode)
            else:
                target.unlink()
            if kept and backup.read_bytes() == after.encode():
                backup.unlink()
                kept = False
        except OSError as error:
            raise SettingsFileError(f"it cannot be written: {error.strerror}") from error
        return backup if kept else None

    @property
    def _backup(self) -> Path:
        target = self.path.resolve()
        return target.with_name(target.name + BACKUP)

    def _target(self) -> Path | None:
        """Return the file itself, or None if there is none.

        Raises `SettingsFileError` if it is a link that leads away or another user's, and `OSError`.
        """
        try:
            target = self.path.resolve()
        except RuntimeError as error:
            raise SettingsFileError("it is a link that leads back to itself") from error
        # A person may have linked a directory to anywhere; what is in a project others may have made.
        allowed = [self.home] if self.mode else [self.home, self.path.parent]
        if not any(target.is_relative_to(one.resolve()) for one in allowed):
            raise SettingsFileError(
                f"it is a link to {target}, outside of {self.home}: change that file yourself"
            )
        if not os.path.lexists(self.path):
            self._check_owner(self.path.parent)
            return None
        if not target.exists():
            raise SettingsFileError(f"it is a link to {target}, which does not exist")
        self._check_owner(target)
        return target

    def _check_owner(self, path: Path) -> None:
        if path.exists() and path.stat().st_uid != os.getuid():
            raise SettingsFileError(f"{path} belongs to another user")


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of what ccq-tui adds to a file.

    Attributes:
        file: The file.
        change: Returns the text to write for the one that was read; may raise `SettingsFileError`.
        undo: Returns the text without anything that ccq-tui adds.
    """

    file: EditedFile
    change: Callable[[str], str]
    undo: Callable[[str], str]


def is_empty(text: str) -> bool:
    """Whether a text of settings or of a shell script has no content."""
    return text.removeprefix(_MARK).strip() in ("", "{}", "#!/bin/sh")


def _is_same(one: str, other: str) -> bool:
    """Whether two texts are the same settings, if what is empty is not there: taking ours out removes it."""
    if one == other:
        return True
    try:
        first, second = (
            {name: value for name, value in read_object(text).items() if value != {}} for text in (one, other)
        )
        return json.dumps(first) == json.dumps(second)
    except SettingsFileError:
        return False


def read_object(text: str) -> dict[str, Any]:
    """Return the object that settings are; a blank text is an empty one.

    Raises `SettingsFileError` for anything else, and where a key comes twice: programs read one of them.
    """
    text = text.removeprefix(_MARK)
    if not text.strip():
        return {}
    try:
        value = parse_json(text, keys=_once)
    except json.JSONDecodeError as error:
        raise SettingsFileError(_problem(text, error)) from error
    except ValueError as error:
        raise SettingsFileError(str(error)) from error
    if not isinstance(value, dict):
        raise SettingsFileError("it is no JSON object")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise SettingsFileError(f'it has "{name}" twice: only the last one is read')
        found[name] = value
    return found


def _problem(text: str, error: json.JSONDecodeError) -> str:
    line = text.splitlines()[error.lineno - 1] if error.lineno <= len(text.splitlines()) else ""
    if line.lstrip().startswith(("//", "/*", "#")) or text[error.pos : error.pos + 2] in ("//", "/*"):
        return f"line {error.lineno} is a comment, which JSON does not have: take it out"
    return f"line {error.lineno} is no JSON: {error.msg.lower()}, at character {error.colno}"


def rewritten(text: str, value: dict[str, Any]) -> str:
    """Return the text of settings with another value; its indent, line ends and byte order mark stay.

    Raises `SettingsFileError` if `read_object` cannot read the text, or JSON cannot say the value.
    """
    if json.dumps(read_object(text)) == json.dumps(value):  # unlike Python, JSON tells 1 from true
        return text
    found, newline = re.search(r"\n([ \t]+)\S", text), "\r\n" if "\r\n" in text else "\n"
    end = text[len(text.rstrip()) :] if text.strip() else newline
    try:
        words = json.dumps(value, indent=found[1] if found else 2, ensure_ascii=False, allow_nan=False)
        words.encode()
    except ValueError as error:
        raise SettingsFileError(f"it has a value that cannot be written again: {error}") from error
    return _MARK * text.startswith(_MARK) + words.replace("\n", newline) + end
