"""A settings file of another program on disk: read with care, and written whole with a backup."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from ccq_tui.bounded import JSON_BYTES, UnfitFileError, read_bytes
from ccq_tui.stored import write_whole

USER, PROJECT = "user", "project"
BACKUP = ".before-ccq-tui"


class SettingsFileError(ValueError):
    """The file cannot be changed; the message says why, for a person."""


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A settings file.

    Attributes:
        scope: The owner of the settings, `USER` or `PROJECT`.
        path: Its path, as people name it.
        home: The directory that a link must not lead out of.
        most: Largest size that is read, in bytes.
        backup: Whether a copy of the file before a change is kept beside it.
    """

    scope: str
    path: Path
    home: Path
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

    def write(self, before: str, after: str) -> Path | None:
        """Replace its text ``before`` by ``after``, and return the backup beside it, if there is one.

        Raises `SettingsFileError` if it cannot be written, or was changed since it was read.
        """
        if self.read() != before:
            raise SettingsFileError("another program changed it since it was read")
        try:
            target = self._target()
            if target is None:
                shared = self.scope == PROJECT
                self.path.parent.mkdir(mode=0o755 if shared else 0o700, parents=True, exist_ok=True)
                write_whole(self.path, after, 0o644 if shared else None)
                return None
            mode = stat.S_IMODE(target.stat().st_mode)
            backup = target.with_name(target.name + BACKUP) if self.backup else None
            if backup is not None:
                write_whole(backup, before, mode)
            write_whole(target, after, mode)
        except OSError as error:
            raise SettingsFileError(f"it cannot be written: {error.strerror}") from error
        return backup

    def _target(self) -> Path | None:
        """Return the file itself, or None if there is none.

        Raises `SettingsFileError` if it is a link that leads away or another user's, and `OSError`.
        """
        if not os.path.lexists(self.path):
            self._check_owner(self.path.parent)
            return None
        try:
            target = self.path.resolve()
        except RuntimeError as error:
            raise SettingsFileError("it is a link that leads back to itself") from error
        if not target.is_relative_to(self.home.resolve()):
            raise SettingsFileError(
                f"it is a link to {target}, outside of {self.home}: change that file yourself"
            )
        if not target.exists():
            raise SettingsFileError(f"it is a link to {target}, which does not exist")
        self._check_owner(target)
        return target

    def _check_owner(self, path: Path) -> None:
        if hasattr(os, "getuid") and path.exists() and path.stat().st_uid != os.getuid():
            raise SettingsFileError(f"{path} belongs to another user")
