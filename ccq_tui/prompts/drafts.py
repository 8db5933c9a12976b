"""Prompts that were not sent yet, kept so that the end of the program does not take them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ccq_tui.prompts.stored import write_whole

MOST_CHARACTERS = 2_000_000
"""A longer draft is not kept on disk."""
MOST_DRAFTS = 200
"""Drafts kept; when there are more, the oldest go."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What stands in a prompt: the field's text, and the pastes whose names are in it."""

    text: str = ""
    pastes: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __bool__(self) -> bool:
        return bool(self.text.strip())


class Drafts:
    """The directory of drafts. Its methods read and write: call them in a thread.

    Args:
        directory: Where the drafts are, which may not exist.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def save(self, key: str, draft: Draft) -> None:
        """Keep a draft; an empty one is taken away.

        Args:
            key: A session's id, or a directory for sessions that have none yet.
            draft: What stands in the prompt.

        Raises:
            OSError: It could not be kept.
        """
        path = self._path(key)
        size = len(draft.text) + sum(map(len, draft.pastes.values()))
        if not draft:
            path.unlink(missing_ok=True)
        elif size > MOST_CHARACTERS:
            raise OSError(f"it has more than {MOST_CHARACTERS:,} characters")
        else:
            new = not path.exists()
            content = {"text": draft.text, "pastes": dict(draft.pastes), "process": os.getpid()}
            write_whole(path, json.dumps(content))
            if new:
                self._drop_oldest()

    def load(self, key: str) -> Draft | None:
        """Return a draft.

        Args:
            key: As it was kept under.

        Returns:
            The draft, or None when there is none, it cannot be read, or another process works on it.
        """
        try:
            content = json.loads(self._path(key).read_text(encoding="utf-8"))
            text, pastes, process = content["text"], content.get("pastes", {}), content.get("process", 0)
            if not isinstance(text, str) or not all(isinstance(paste, str) for paste in pastes.values()):
                return None
            return None if _another(process) else Draft(text, dict(pastes))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def _path(self, key: str) -> Path:
        return self._directory / f"{hashlib.sha256(key.encode(errors='replace')).hexdigest()[:32]}.json"

    def _drop_oldest(self) -> None:
        drafts = sorted(self._directory.glob("*.json"), key=_age)
        for path in drafts[:-MOST_DRAFTS]:
            path.unlink(missing_ok=True)


def _age(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def _another(process: object) -> bool:
    """Whether a process with this number, not this one, is there."""
    if not isinstance(process, int) or process <= 0 or process == os.getpid():
        return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
