"""The directories that a person trusts, and the trusted files in them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ccq_tui.bounded import UnfitFileError, parse_json, read_bytes
from ccq_tui.config.carried import MOST_BYTES, candidates, effects, read
from ccq_tui.config.paths import PROJECT_FILE, state_dir
from ccq_tui.stored import locked, write_whole
from ccq_tui.worktrees.model import main_checkout

STORE = "trust.json"
LOCK = "trust.lock"
STORE_BYTES = 10_000_000
DAMAGED = "trust.json.damaged"
LARGEST = 20_000_000
"""Most bytes of a file to read; a larger one is asked about at every start."""
UNKNOWN = ""
"""Digest of a file that is too large to read."""


@dataclass(frozen=True, slots=True)
class CarriedFile:
    """A file of a project that a session would obey.

    Attributes:
        path: The file.
        effects: Its effects, one line each; unsanitised.
        digest: Digest of its content.
        change: "new" or "changed" where the directory was trusted before, else "".
    """

    path: Path
    effects: tuple[str, ...]
    digest: str
    change: str = ""


@dataclass(frozen=True, slots=True)
class Carried:
    """The files with effects in a directory that is not trusted yet.

    Attributes:
        directory: The directory, links resolved.
        files: All its files that have effects.
        before: Whether it was trusted with other files.
        meanwhile: Whether files changed while the person was asked about them.
    """

    directory: Path
    files: tuple[CarriedFile, ...]
    before: bool = False
    meanwhile: bool = False


class CarriedChangedError(Exception):
    """The files of a directory are not those that were shown."""

    def __init__(self, carried: Carried) -> None:
        super().__init__(str(carried.directory))
        self.carried = carried


def untrusted(directory: Path, also: Iterable[Path] = ()) -> Carried | None:
    """Return the files that a session in a directory would obey, or None if all of them are trusted.

    ``also`` are settings files that would apply there, wherever they are; the person's own is skipped.
    """
    directory = directory.resolve()
    known = _known()
    before = _of(known, directory) or _moved(known, directory)
    files = _files(directory, also, before)
    if all(before.get(str(file.path)) == file.digest for file in files):
        return None
    return Carried(directory, files, bool(before))


def _files(directory: Path, also: Iterable[Path], before: Mapping[str, Any]) -> tuple[CarriedFile, ...]:
    """Read the files that have effects, and note how each differs from before."""
    files = []
    others = [path.parent.resolve() / path.name for path in also if path.name == PROJECT_FILE]
    for path in dict.fromkeys((*candidates(directory), *others)):
        content = read(path)
        if content and (found := effects(path, content)):
            digest = _digest(path, content)
            was = before.get(str(path))
            change = "" if not before or was == digest else "changed" if was is not None else "new"
            files.append(CarriedFile(path, found, digest, change))
    return tuple(files)


def trusts(directory: Path) -> bool:
    """Whether nothing in a directory awaits trust."""
    return untrusted(directory) is None


def check(carried: Carried, directory: Path | None = None, also: Iterable[Path] = ()) -> None:
    """Raise `CarriedChangedError` if a directory carries more than what was shown.

    ``directory`` is where a session would work now, if not in ``carried.directory``; ``also`` as for
    `untrusted`.
    """
    directory = carried.directory if directory is None else directory.resolve()
    shown = {str(file.path): file.digest for file in carried.files}
    now = _files(directory, (*(file.path for file in carried.files), *also), shown)
    if directory != carried.directory or any(shown.get(str(file.path)) != file.digest for file in now):
        raise CarriedChangedError(Carried(directory, now, carried.before, meanwhile=True))


def remember(carried: Carried, directory: Path | None = None, also: Iterable[Path] = ()) -> str:
    """Record that a person trusts a directory with the files that were shown; return a notice, or "".

    Raises `CarriedChangedError` without recording anything, or OSError if the store cannot be written.
    """
    check(carried, directory, also)
    digests = {str(file.path): file.digest for file in carried.files if file.digest != UNKNOWN}
    with locked(state_dir() / LOCK) as alone:
        if not alone:
            raise TimeoutError("another process has been writing there for too long")
        # Somebody may have changed a file while this waited for another process.
        check(carried, directory, also)
        known, notice = _stored_or_moved()
        main = main_checkout(carried.directory)
        if main is not None and not _of(known, main):
            # First trust in this project: its other worktrees carry the same files.
            known[str(main)] = _rebased(digests, carried.directory, main)
        known[str(carried.directory)] = digests
        write_whole(state_dir() / STORE, json.dumps(known, indent=2))
    return notice


def follow(directory: Path, changes: Mapping[Path, tuple[bytes, bytes]]) -> None:
    """Keep trusting files that the person has changed; raises OSError.

    ``changes`` holds each file's content before and after; an untrusted file that had effects stays
    untrusted.
    """
    directory = directory.resolve()
    with locked(state_dir() / LOCK) as alone:
        if not alone:
            raise TimeoutError("another process has been writing there for too long")
        known, _ = _stored_or_moved()
        digests = dict(_of(known, directory) or _moved(known, directory))
        for path, (was, now) in changes.items():
            nothing = not (was and effects(path, was))
            if nothing or digests.get(str(path)) == _digest(path, was):
                digests[str(path)] = _digest(path, now)
        known[str(directory)] = digests
        write_whole(state_dir() / STORE, json.dumps(known, indent=2))


def _of(known: dict[str, Any], directory: Path) -> dict[str, Any]:
    """Return the trusted files of a directory: paths with their digests."""
    digests = known.get(str(directory))
    return digests if isinstance(digests, dict) else {}


def _moved(known: dict[str, Any], directory: Path) -> dict[str, Any]:
    """Return the trusted files of a git worktree's main checkout, with the paths of the worktree.

    Files that differ there still need trust.
    """
    main = main_checkout(directory)
    return _rebased(_of(known, main), main, directory) if main is not None else {}


def _rebased(digests: dict[str, Any], old: Path, new: Path) -> dict[str, Any]:
    return {
        str(new / Path(name).relative_to(old)): digest
        for name, digest in digests.items()
        if Path(name).is_relative_to(old)
    }


def _digest(path: Path, content: bytes) -> str:
    if len(content) < MOST_BYTES:
        return hashlib.sha256(content).hexdigest()
    try:
        # The file is longer than what was read.
        return hashlib.sha256(read_bytes(path, LARGEST)).hexdigest()
    except (OSError, UnfitFileError):
        return UNKNOWN


def _known() -> dict[str, Any]:
    """Read the trusted directories; an unreadable store counts as empty."""
    try:
        return _stored()
    except (OSError, ValueError):
        return {}


def _stored() -> dict[str, Any]:
    try:
        known = parse_json(read_bytes(state_dir() / STORE, STORE_BYTES))
    except FileNotFoundError:
        return {}
    if not isinstance(known, dict):
        raise UnfitFileError("is not a JSON object")
    return known


def _stored_or_moved() -> tuple[dict[str, Any], str]:
    """Read the trusted directories before a rewrite; move a damaged store aside and return a notice of it."""
    try:
        return _stored(), ""
    except ValueError as error:
        (state_dir() / STORE).replace(state_dir() / DAMAGED)
        place = state_dir() / DAMAGED
        return {}, f"Your earlier trust decisions cannot be read: the file {error}. It was moved to {place}."
