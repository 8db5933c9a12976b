"""Which directories a person trusts, and with which files in them."""

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
"""Bytes of a file that are looked at; a larger one is asked about at every start."""
UNKNOWN = ""
"""The digest of a file that is too large to be looked at."""


@dataclass(frozen=True, slots=True)
class CarriedFile:
    """A file of a project that a session would obey.

    Attributes:
        path: The file.
        effects: What it would do, a line each; unsanitised.
        digest: Names its content.
        change: "new" or "changed" where the directory was trusted before, else "".
    """

    path: Path
    effects: tuple[str, ...]
    digest: str
    change: str = ""


@dataclass(frozen=True, slots=True)
class Carried:
    """What a directory carries that a person did not trust yet.

    Attributes:
        directory: The directory, without links.
        files: All its files that do something.
        before: Whether it was trusted with other files.
        meanwhile: Whether files changed while it was asked about them.
    """

    directory: Path
    files: tuple[CarriedFile, ...]
    before: bool = False
    meanwhile: bool = False


class CarriedChangedError(Exception):
    """What a directory carries is not what was shown."""

    def __init__(self, carried: Carried) -> None:
        super().__init__(str(carried.directory))
        self.carried = carried


def untrusted(directory: Path, also: Iterable[Path] = ()) -> Carried | None:
    """Return what a session in a directory would obey and nobody has trusted, or None.

    ``also`` are settings files that would hold there, wherever they are; the person's own is not looked
    at.
    """
    directory = directory.resolve()
    known = _known()
    before = _of(known, directory) or _moved(known, directory)
    files = _files(directory, also, before)
    if all(before.get(str(file.path)) == file.digest for file in files):
        return None
    return Carried(directory, files, bool(before))


def _files(directory: Path, also: Iterable[Path], before: Mapping[str, Any]) -> tuple[CarriedFile, ...]:
    """Read the files that do something, and say how each differs from what was there before."""
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
    """Whether nothing in a directory is still to be trusted."""
    return untrusted(directory) is None


def check(carried: Carried, directory: Path | None = None, also: Iterable[Path] = ()) -> None:
    """Make sure that a directory carries no more than what was shown; raises `CarriedChangedError`.

    ``directory`` is where a session would work now, if that may be another one; ``also`` as for
    `untrusted`.
    """
    directory = carried.directory if directory is None else directory.resolve()
    shown = {str(file.path): file.digest for file in carried.files}
    now = _files(directory, (*(file.path for file in carried.files), *also), shown)
    if directory != carried.directory or any(shown.get(str(file.path)) != file.digest for file in now):
        raise CarriedChangedError(Carried(directory, now, carried.before, meanwhile=True))


def remember(carried: Carried, directory: Path | None = None, also: Iterable[Path] = ()) -> str:
    """Note that a person trusts a directory with the files that were shown; returns a notice, or "".

    Raises `CarriedChangedError`, and nothing is noted, or OSError where it cannot be written.
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
            # The first that is trusted of a project: its other worktrees carry the same.
            known[str(main)] = _rebased(digests, carried.directory, main)
        known[str(carried.directory)] = digests
        write_whole(state_dir() / STORE, json.dumps(known, indent=2))
    return notice


def follow(directory: Path, changes: Mapping[Path, tuple[bytes, bytes]]) -> None:
    """Note that files which a person trusts were changed by that person; raises OSError.

    ``changes`` has what was in each file and what is in it now; one that was not trusted stays so.
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
    """Return what of a directory is trusted: paths with their digests."""
    digests = known.get(str(directory))
    return digests if isinstance(digests, dict) else {}


def _moved(known: dict[str, Any], directory: Path) -> dict[str, Any]:
    """Return what is trusted of a git worktree's project, with the paths of the worktree.

    Files that are not the same there are still asked about.
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
        # There is more of it than was read.
        return hashlib.sha256(read_bytes(path, LARGEST)).hexdigest()
    except (OSError, UnfitFileError):
        return UNKNOWN


def _known() -> dict[str, Any]:
    """Read what is trusted; a store that cannot be read is one in which nothing is."""
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
    """Read what is trusted, to write it anew; a store that is damaged is moved aside, and that is said."""
    try:
        return _stored(), ""
    except ValueError as error:
        (state_dir() / STORE).replace(state_dir() / DAMAGED)
        place = state_dir() / DAMAGED
        return {}, f"Your earlier trust decisions cannot be read: the file {error}. It was moved to {place}."
