"""The prompts of all sessions, kept in a file of JSON lines."""

import json
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from ccq_tui.bounded import UnfitFileError, begin
from ccq_tui.prompts.images import PromptImage, as_json, from_json
from ccq_tui.stored import locked, private_dir, write_whole

MOST_ENTRIES = 2_000
MOST_BYTES = 4_000_000
"""Most bytes of the file; a larger one is made shorter."""
LONGEST = 100_000
"""Most characters of a prompt that is kept."""

Entry = tuple[str, str, Mapping[str, PromptImage]]


class PromptHistory:
    """The file of earlier prompts. Its methods read and write: call them in a thread.

    Several processes may append at the same time. A line that cannot be read is left out.
    """

    def __init__(self, path: Path, project: Path) -> None:
        self._path = path
        self._project = str(project)
        self.images: dict[str, Mapping[str, PromptImage]] = {}
        """The images of the prompts that were loaded, by the prompt's text."""

    def load(self) -> tuple[str, ...]:
        """Return the earlier prompts, each once: this project's first, each newest first. Raises OSError."""
        here: dict[str, None] = {}
        elsewhere: dict[str, None] = {}
        self.images = {}
        for text, project, images in reversed(self._entries()):
            (here if project == self._project else elsewhere).setdefault(text)
            if images:
                self.images.setdefault(text, images)
        return tuple([*here, *(text for text in elsewhere if text not in here)][:MOST_ENTRIES])

    def add(self, text: str, images: Mapping[str, PromptImage] | None = None) -> None:
        """Keep a prompt that was sent, unless it is blank or too long. Raises OSError."""
        if not text.strip() or len(text) > LONGEST:
            return
        line = _line(text, self._project, images or {})
        private_dir(self._path.parent)
        with locked(self._path.with_suffix(".lock")):
            # A pipe in the place of the file has no reader: that is an error, and nothing to wait for.
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o600)
            try:
                # One write: it stays one line whatever other processes append.
                os.write(handle, line)
                size = os.fstat(handle).st_size
            finally:
                os.close(handle)
            if size > MOST_BYTES:
                self._shorten()

    def _shorten(self) -> None:
        """Keep the newest entries, up to half of the allowed size."""
        kept: list[bytes] = []
        room = MOST_BYTES // 2
        for text, project, images in reversed(self._entries()[-MOST_ENTRIES:]):
            line = _line(text, project, images)
            room -= len(line)
            if room < 0:
                break
            kept.append(line)
        write_whole(self._path, b"".join(reversed(kept)).decode())

    def _entries(self) -> list[Entry]:
        """Read text, project and images of each entry, the oldest first."""
        try:
            start = max(0, self._path.stat().st_size - 2 * MOST_BYTES)
            lines = begin(self._path, 2 * MOST_BYTES, start).splitlines()
        except FileNotFoundError:
            return []
        except UnfitFileError as error:
            raise OSError(f"{self._path.name} {error}") from error
        return [entry for line in lines if (entry := _entry(line)) is not None]


def _line(text: str, project: str, images: Mapping[str, PromptImage]) -> bytes:
    entry: dict[str, object] = {"text": text, "project": project, "at": int(time.time())}
    if images:
        entry["images"] = as_json(images)
    return json.dumps(entry).encode() + b"\n"


def _entry(line: bytes) -> Entry | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict):
        return None
    text, project = entry.get("text"), entry.get("project", "")
    if not isinstance(text, str) or not isinstance(project, str) or not text.strip() or len(text) > LONGEST:
        return None
    return text, project, from_json(entry.get("images"))


class Walk:
    """Earlier prompts, the newest first, after the one that is being typed.

    Changes on the way stay until the prompt is sent, as in a shell.
    """

    def __init__(self, earlier: Iterable[str] = ()) -> None:
        self._earlier = list(earlier)
        self._changed: dict[int, str] = {}
        self._place = -1

    @property
    def draft(self) -> str:
        """The text that was being typed when the walk began, or "" while it has not."""
        return self._changed.get(-1, "") if self._place >= 0 else ""

    def remember(self, earlier: Iterable[str]) -> None:
        """Replace the earlier prompts; a walk under way keeps its place, and takes only older ones."""
        others = list(earlier)
        if self._place < 0 or others[: len(self._earlier)] == self._earlier:
            self._earlier = others

    def add(self, text: str) -> None:
        """Put a sent prompt in front of all others, and end the walk."""
        self._place = -1
        self._changed = {}
        if text.strip():
            self._earlier = [text, *(other for other in self._earlier if other != text)]

    def step(self, by: int, text: str) -> str | None:
        """Go to an older prompt (1) or a newer one (-1); None at the end of the walk."""
        place = self._place + by
        if not -1 <= place < len(self._earlier):
            return None
        self._changed[self._place] = text
        self._place = place
        return self._changed.get(place, self._earlier[place] if place >= 0 else "")

    def jump(self, text: str, chosen: str) -> None:
        """Go to an earlier prompt that was found by searching."""
        self._changed[self._place] = text
        if chosen not in self._earlier:
            self._earlier.insert(0, chosen)
            # Each change moves with its prompt; the draft stays in front.
            self._changed = {at + (at >= 0): changed for at, changed in self._changed.items()}
        self._place = self._earlier.index(chosen)
        self._changed.pop(self._place, None)
