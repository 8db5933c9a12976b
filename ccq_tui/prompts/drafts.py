"""Prompts that Claude has not read yet, kept on disk beyond the end of the program."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from ccq_tui.processes import alive, this_process
from ccq_tui.prompts.unread import (
    MOST_CHARACTERS,
    Keeper,
    PromptDraft,
    Unbegun,
    among,
    file_content,
    read_draft,
)
from ccq_tui.stored import locked, write_whole
from ccq_tui.worktrees.model import worktree_at

_logger = logging.getLogger(__name__)

PLACES = 32
"""Most drafts kept under one key."""
MOST_DRAFTS = 200
"""Most drafts kept; beyond that, the oldest are deleted."""
_keepers: weakref.WeakValueDictionary[str, PromptDrafts] = weakref.WeakValueDictionary()
"""The keepers of drafts in this process, by the names in their files."""


class PromptDrafts:
    """The directory of drafts. Its methods read and write: call them in a thread.

    Several processes, and several sessions of one, may keep drafts under one key: each gets a place of its
    own, and one of them takes over the drafts of one that is gone. A lock beside the directory makes them
    look and write one after the other.

    Attributes:
        unreadable: The files that `take_unbegun` found and could not read; they stay where they are.
    """

    def __init__(self, directory: Path) -> None:
        self.unreadable: tuple[Path, ...] = ()
        self._directory = directory
        self._lock = directory.with_name(f"{directory.name}.lock")
        self._mine: dict[str, Path] = {}
        self._unmarked: dict[Path, Keeper] = {}
        """Drafts that were taken over on a disk without room, and the keepers that their files still name."""
        self._name = str(uuid4())
        _keepers[self._name] = self

    def close(self) -> None:
        """Release the drafts for the next process."""
        _keepers.pop(self._name, None)

    def save(self, key: str, draft: PromptDraft) -> None:
        """Keep a draft under a session's id, or a directory's key; remove an empty one. Raises OSError."""
        with locked(self._lock):
            self._save(key, draft)

    def _save(self, key: str, draft: PromptDraft) -> None:
        size = (
            len(draft.text) + sum(map(len, draft.pastes.values())) + sum(len(one.text) for one in draft.sent)
        )
        path = self._mine.get(key)
        if not draft:
            if path is not None and self._has(path):
                path.unlink(missing_ok=True)
            return
        if size > MOST_CHARACTERS:
            raise OSError(f"it has more than {MOST_CHARACTERS:,} characters")
        if path is None or (path.exists() and not self._has(path)):
            path = self._mine[key] = self._free_place(key)
        self._write(path, draft)
        self._drop_oldest()

    def load(self, key: str) -> PromptDraft | None:
        """Take over a draft; None if there is none, it is damaged, or another process works on it."""
        if not any(path.exists() for path in self.places(key)):
            return None
        with self._alone() as alone:
            if not alone:
                _logger.warning("Another process holds the drafts: what it left there stays where it is")
                return None
            return self._take_over(key)

    def _take_over(self, key: str) -> PromptDraft | None:
        for path in self.places(key):
            left = self._left(path)
            # A session's own draft does not come back in another session of its directory.
            if left is not None and (left[0].session is None or key == left[0].session.id):
                self._take(key, path, *left)
                return left[0]
        return None

    def take_unbegun(self, directory: Path) -> tuple[Unbegun, ...]:
        """Take over the sessions that had not begun when their process ended; their drafts are kept by id.

        Returns only those that were opened from a directory or work there, in the order in which they were
        opened. Raises OSError.
        """
        paths = sorted(self._directory.glob("*.json"))
        if not paths:
            return ()
        found: list[Unbegun] = []
        unreadable: list[Path] = []
        with self._alone() as alone:
            for path in paths:
                content = read_draft(path)
                if content is None and path.exists():
                    unreadable.append(path)
                if content is None or not alone or self._another(content[1]):
                    continue
                session = content[0].session
                if session is None or not _belongs(session, directory):
                    continue
                places = self.places(session.id)
                here = path if path in places else path.replace(self._free_place(session.id))
                self._take(session.id, here, *content)
                found.append(session)
        self.unreadable = tuple(unreadable)
        return tuple(sorted(found, key=lambda one: one.opened_at))

    def _left(self, path: Path) -> tuple[PromptDraft, Keeper] | None:
        """Return the draft in a place and its keeper, unless there is none or somebody else works on it."""
        content = read_draft(path)
        return content if content is not None and not self._another(content[1]) else None

    def _take(self, key: str, path: Path, draft: PromptDraft, owner: Keeper) -> None:
        """Make a draft this keeper's own; on a disk without room it can be read all the same."""
        self._mine[key] = path
        if not self._is_mine(owner):
            try:
                self._write(path, draft)
            except OSError as error:
                self._unmarked[path] = owner
                _logger.warning("Whose a draft is now is not on disk: %s", error)

    def _write(self, path: Path, draft: PromptDraft) -> None:
        """Write a draft as this keeper's own."""
        write_whole(path, json.dumps(file_content(draft, self._name)))

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        """Keep other processes from taking a place or draft meanwhile; yield False if one keeps the lock."""
        with ExitStack() as stack:
            try:
                alone = stack.enter_context(locked(self._lock))
            except OSError as error:  # no room for the lock's file: what is there can be read all the same
                _logger.warning("Drafts are taken without a lock: %s", error)
                alone = True
            yield alone

    def add(self, key: str, draft: PromptDraft) -> None:
        """Append a draft to the one that is kept under a key and was loaded last. Raises OSError."""
        with locked(self._lock):
            before = read(path) if (path := self._mine.get(key)) and self._has(path) else None
            if before is not None and draft:
                draft = among(draft, before.images)
                text = "\n".join(filter(str.strip, (before.text, draft.text)))
                session = draft.session or before.session
                pastes, images = {**before.pastes, **draft.pastes}, {**before.images, **draft.images}
                draft = PromptDraft(text, pastes, before.sent + draft.sent, session, images)
            if draft:
                self._save(key, draft)

    def move(self, old: str, new: str) -> None:
        """Keep a draft under another key; at no moment is it under none, or under both. Raises OSError."""
        path = self._mine.pop(old, None)
        if path is None:
            return
        with locked(self._lock):
            if self._has(path):
                self._mine[new] = path.replace(self._mine.get(new) or self._free_place(new))

    def _free_place(self, key: str) -> Path:
        """Return a place for a draft, if possible not one with a draft that nobody has taken over yet."""
        places = self.places(key)
        free = [place for place in places if not place.exists()]
        free = free or [place for place in places if not self._elsewhere(place)]
        if not free:
            raise OSError("too many sessions keep a draft here")
        return free[0]

    def _elsewhere(self, path: Path) -> bool:
        """Return whether somebody else works on the draft in a place."""
        content = read_draft(path)
        return content is not None and self._another(content[1])

    def _has(self, path: Path) -> bool:
        """Return whether the draft in a place is this keeper's own: another may have left one there since."""
        content = read_draft(path)
        return content is not None and (self._is_mine(content[1]) or self._unmarked.get(path) == content[1])

    def _is_mine(self, owner: Keeper) -> bool:
        """Return whether a draft's file names this keeper in this process."""
        return owner.process == this_process() and owner.keeper == self._name

    def _another(self, owner: Keeper) -> bool:
        """Return whether a draft's owner is alive, and not this one."""
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
    """Return the key of a draft in a directory for a session that has no id yet."""
    return f"directory {directory}"


def leave_text(place: Path, key: str, text: str) -> None:
    """Append a text to the draft for the next session of a directory. Raises OSError."""
    drafts = PromptDrafts(place)
    try:
        if text.strip():
            before = drafts.load(key) or PromptDraft()
            drafts.save(key, replace(before, text=f"{before.text}\n{text}" if before else text))
    finally:
        drafts.close()


def read(path: Path) -> PromptDraft | None:
    """Read a draft, no matter which program works on it; None when there is none or it is damaged."""
    content = read_draft(path)
    return content[0] if content else None


def _belongs(session: Unbegun, directory: Path) -> bool:
    """Return whether a session comes back with a program that is started in a directory."""
    worktree = worktree_at(Path(session.directory))
    places = (session.directory, session.opened_in, str(worktree.root) if worktree else "")
    return str(directory) in places


def _age(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0
