"""Prompts that Claude has not read yet, kept so that the end of the program does not take them."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from ccq_tui.bounded import JSON_BYTES, parse_json, read_bytes
from ccq_tui.processes import Owner, alive, this_process
from ccq_tui.stored import locked, write_whole

_logger = logging.getLogger(__name__)

MOST_CHARACTERS = 2_000_000
"""A longer draft is not kept on disk."""
MOST_BYTES = 12 * MOST_CHARACTERS + JSON_BYTES
"""The largest file of a draft that is read: each character may be written as two escapes of six bytes."""
PLACES = 32
"""Drafts that may be kept under one key."""
MOST_DRAFTS = 200
"""Drafts kept; when there are more, the oldest go."""
_keepers: weakref.WeakValueDictionary[str, Drafts] = weakref.WeakValueDictionary()
"""Who keeps drafts in this process, by the names that stand in their files."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A prompt that was sent.

    Attributes:
        id: The UUID under which it was.
        text: All of it.
        session: The session in whose record it stands once it was read, or "" if that was not known.
    """

    id: str
    text: str
    session: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """What a session's prompt holds that Claude has not read.

    Attributes:
        text: What stands in the field.
        pastes: The pastes whose names are in it.
        sent: What was sent and is not known to have been read, oldest first.
    """

    text: str = ""
    pastes: Mapping[str, str] = field(default_factory=dict, hash=False)
    sent: tuple[Sent, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text.strip() or self.sent)


class Drafts:
    """The directory of drafts. Its methods read and write: call them in a thread.

    Several processes, and several sessions of one, may keep drafts under one key: each gets a place of its
    own, and what one that is gone has left is taken over by one of them. A lock beside the directory has
    them look and write one after the other.

    Args:
        directory: Where the drafts are, which may not exist.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._lock = directory.with_name(f"{directory.name}.lock")
        self._mine: dict[str, Path] = {}
        self._name = str(uuid4())
        _keepers[self._name] = self

    def close(self) -> None:
        """Leave the drafts to whoever asks for them next."""
        _keepers.pop(self._name, None)

    def save(self, key: str, draft: Draft) -> None:
        """Keep a draft; an empty one is taken away.

        Args:
            key: A session's id, or a directory for sessions that have none yet.
            draft: What stands in the prompt.

        Raises:
            OSError: It could not be kept.
        """
        with locked(self._lock):
            self._save(key, draft)

    def _save(self, key: str, draft: Draft) -> None:
        size = (
            len(draft.text) + sum(map(len, draft.pastes.values())) + sum(len(one.text) for one in draft.sent)
        )
        path = self._mine.get(key)
        if not draft:
            if path is not None and not self._elsewhere(path):
                path.unlink(missing_ok=True)
            return
        if size > MOST_CHARACTERS:
            raise OSError(f"it has more than {MOST_CHARACTERS:,} characters")
        if path is None or self._elsewhere(path):
            path = self._mine[key] = self._free_place(key)
        self._write(path, draft)
        self._drop_oldest()

    def _write(self, path: Path, draft: Draft) -> None:
        here = this_process()
        content = {
            "text": draft.text,
            "pastes": dict(draft.pastes),
            "sent": [[one.id, one.text, one.session] for one in draft.sent],
            "process": here.pid,
            "started": here.start,
            "keeper": self._name,
        }
        write_whole(path, json.dumps(content))

    def load(self, key: str) -> Draft | None:
        """Return a draft, which is this process's own from now on, and no other one's.

        Args:
            key: As it was kept under.

        Returns:
            The draft, or None when there is none, it cannot be read, or another process works on it.
        """
        if not any(path.exists() for path in self.places(key)):
            return None
        with locked(self._lock) as alone:
            if not alone:
                _logger.warning("Another process holds the drafts: what it left there stays where it is")
                return None
            return self._take_over(key)

    def _take_over(self, key: str) -> Draft | None:
        for path in self.places(key):
            content = _content(path)
            if content is None or self._another(content[1]):
                continue
            self._mine[key] = path
            if not self._is_mine(content[1]):
                try:
                    self._write(path, content[0])
                except OSError as error:
                    _logger.warning("Whose a draft is now is not on disk: %s", error)
            return content[0]
        return None

    def add(self, key: str, draft: Draft) -> None:
        """Keep a draft behind the one that is kept under a key and was loaded last.

        Args:
            key: As for `save`.
            draft: What stands in the prompt.

        Raises:
            OSError: It could not be kept.
        """
        with locked(self._lock):
            before = read(path) if (path := self._mine.get(key)) else None
            if before is not None and draft:
                text = "\n".join(filter(str.strip, (before.text, draft.text)))
                draft = Draft(text, {**before.pastes, **draft.pastes}, before.sent + draft.sent)
            if draft:
                self._save(key, draft)

    def move(self, old: str, new: str) -> None:
        """Keep a draft under another key; at no moment is it under none, or under both.

        Args:
            old: As it was kept under; nothing happens where there is none.
            new: As it will be.

        Raises:
            OSError: It could not be moved.
        """
        path = self._mine.pop(old, None)
        if path is None:
            return
        with locked(self._lock):
            if path.exists() and not self._elsewhere(path):
                self._mine[new] = path.replace(self._mine.get(new) or self._free_place(new))

    def _free_place(self, key: str) -> Path:
        """Return a place for a draft: rather none that somebody has left and nobody has taken over yet."""
        places = self.places(key)
        free = [place for place in places if not place.exists()]
        free = free or [place for place in places if not self._elsewhere(place)]
        if not free:
            raise OSError("too many sessions keep a draft here")
        return free[0]

    def _elsewhere(self, path: Path) -> bool:
        """Whether a draft is one that somebody else works on."""
        content = _content(path)
        return content is not None and self._another(content[1])

    def _is_mine(self, owner: _Owner) -> bool:
        """Whether a draft's file names this keeper in this process."""
        return owner.process == this_process() and owner.keeper == self._name

    def _another(self, owner: _Owner) -> bool:
        """Whether a draft's owner is there, and not this one."""
        if owner.process is not None and owner.process.pid == os.getpid():
            return owner.keeper != self._name and owner.keeper in _keepers
        return alive(owner.process)

    def places(self, key: str) -> list[Path]:
        """Return the files in which drafts of a key may be."""
        name = hashlib.sha256(key.encode(errors="replace")).hexdigest()[:32]
        return [self._directory / f"{name}-{number}.json" for number in range(1, PLACES + 1)]

    def _drop_oldest(self) -> None:
        drafts = list(self._directory.glob("*.json"))
        if len(drafts) > MOST_DRAFTS:
            for path in sorted(drafts, key=_age)[:-MOST_DRAFTS]:
                path.unlink(missing_ok=True)


def directory_key(directory: Path) -> str:
    """Return the key of what is typed in a directory for a session that has no id yet."""
    return f"directory {directory}"


def leave_text(place: Path, key: str, text: str) -> None:
    """Keep a text for the next session of the directory, behind a draft that was left there before.

    Args:
        place: The directory of drafts.
        key: As the draft is kept under.
        text: What was typed.

    Raises:
        OSError: It could not be kept.
    """
    drafts = Drafts(place)
    try:
        if text.strip():
            before = drafts.load(key) or Draft()
            drafts.save(key, Draft(f"{before.text}\n{text}" if before else text, before.pastes))
    finally:
        drafts.close()


@dataclass(frozen=True, slots=True)
class _Owner:
    """Whose a draft is: what its file says, whatever that is."""

    process: Owner | None
    keeper: object


def read(path: Path) -> Draft | None:
    """Read a draft, whoever works on it; None when there is none or it is damaged."""
    content = _content(path)
    return content[0] if content else None


def _content(path: Path) -> tuple[Draft, _Owner] | None:
    """Read a draft and whose it is; None when there is none or it is damaged."""
    try:
        content = parse_json(read_bytes(path, MOST_BYTES))
        text, pastes = content["text"], dict(content.get("pastes", {}))
        if not isinstance(text, str) or not all(isinstance(paste, str) for paste in pastes.values()):
            return None
        sent = tuple(Sent(*map(str, one)) for one in content.get("sent", ()))
        return Draft(text, pastes, sent), _Owner(_process(content), content.get("keeper"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _process(content: Mapping[str, object]) -> Owner | None:
    """Return the process that a draft's file names; of an older program it has the number alone."""
    pid, start = content.get("process"), content.get("started", "")
    return Owner(pid, start) if isinstance(pid, int) and isinstance(start, str) else None


def _age(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0
