"""Which directories a person trusts, and with which files in them."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ccq_tui.bounded import UnfitFileError, parse_json, read_bytes
from ccq_tui.config.carried import MOST_BYTES, candidates, effects, read
from ccq_tui.config.paths import PROJECT_FILE, state_dir
from ccq_tui.worktrees.model import main_checkout

STORE = "trust.json"
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
    """

    directory: Path
    files: tuple[CarriedFile, ...]
    before: bool = False


def untrusted(directory: Path, also: Iterable[Path] = ()) -> Carried | None:
    """Look for what a session in a directory would obey.

    Args:
        directory: The directory to work in.
        also: Settings files that would hold there, wherever they are; the person's own is not looked at.

    Returns:
        What it carries, or None when that is nothing, or just what was trusted before.
    """
    directory = directory.resolve()
    known = _known()
    before = _of(known, directory) or _moved(known, directory)
    files = []
    others = [path.parent.resolve() / path.name for path in also if path.name == PROJECT_FILE]
    for path in dict.fromkeys((*candidates(directory), *others)):
        content = read(path)
        if content and (found := effects(path, content)):
            digest = _digest(path, content)
            was = before.get(str(path))
            change = "" if not before or was == digest else "changed" if was else "new"
            files.append(CarriedFile(path, found, digest, change))
    if all(before.get(str(file.path)) == file.digest for file in files):
        return None
    return Carried(directory, tuple(files), bool(before))


def trusts(directory: Path) -> bool:
    """Whether nothing in a directory is still to be trusted."""
    return untrusted(directory) is None


def remember(carried: Carried) -> str:
    """Note that a person trusts a directory with the files that it has now.

    Args:
        carried: What was shown.

    Returns:
        What a person should know of it, or "".

    Raises:
        OSError: It cannot be written.
    """
    digests = {str(file.path): file.digest for file in carried.files if file.digest != UNKNOWN}
    known, notice = _stored_or_moved()
    main = main_checkout(carried.directory)
    if main is not None and not _of(known, main):
        # The first that is trusted of a project: its other worktrees carry the same.
        known[str(main)] = _rebased(digests, carried.directory, main)
    known[str(carried.directory)] = digests
    state_dir().mkdir(parents=True, exist_ok=True, mode=0o700)
    # mkstemp makes files that only their owner can read.
    handle, name = tempfile.mkstemp(prefix=STORE, dir=state_dir())
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(known, file, indent=2)
        Path(name).replace(state_dir() / STORE)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return notice


def _of(known: dict[str, Any], directory: Path) -> dict[str, Any]:
    """Return what of a directory is trusted: paths with their digests."""
    digests = known.get(str(directory))
    return digests if isinstance(digests, dict) else {}


def _moved(known: dict[str, Any], directory: Path) -> dict[str, Any]:
    """Return what is trusted of the project of a git worktree, as if it stood in the worktree.

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
        return {}, f"What you trusted before cannot be read: it {error}. It was moved to {place}."
