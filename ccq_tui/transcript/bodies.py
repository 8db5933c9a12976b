"""What a block shows but Markdown: text in pieces, an excerpt, changes, and a list of things to do."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from pathlib import PurePath
from typing import Any

from ccq_tui.inbox.file_diff import DiffLine, diff_lines, hunks_of, length
from ccq_tui.text import safe

SEQUENCE = re.compile(r"\x1b\[([0-9;:]{0,100})m|\x1b\[[0-2]?K")
"""A change of colours, with its numbers, or an order to clear a line."""


def plain(text: str) -> str:
    """Return a text without the sequences that colour it."""
    return SEQUENCE.sub("", text) if "\x1b" in text else text


def ended(text: str) -> str:
    """Return a text without the blanks and sequences at its end."""
    text = text.rstrip()
    while (last := text.rfind("\x1b")) >= 0 and SEQUENCE.fullmatch(text, last):
        text = text[:last].rstrip()
    return text


def continued(pieces: Iterable[str]) -> Iterator[str]:
    """Begin each piece of a text with the sequences that still hold there, so that it can be drawn alone."""
    held = ""
    for piece in pieces:
        yield (whole := held + piece)
        held = _held(whole) if "\x1b" in whole else ""


def _held(text: str) -> str:
    """Return the sequences that hold behind a text: those since the last reset."""
    held: list[str] = []
    for found in SEQUENCE.finditer(text):
        codes = found[1]
        if codes is not None and codes.partition(";")[0] in ("", "0"):
            held.clear()
        if codes:
            held.append(found[0])
    return "".join(held[-32:])  # most sequences that go on from one piece to the next


PIECE_CHARACTERS = 4_000


class FixedBody:
    """A body that never changes once it is there; of one part, unless it has pieces."""

    def __len__(self) -> int:
        return 1

    def key(self, index: int) -> int:
        """Return a key that changes when the part would be drawn differently: never."""
        return index


class PlainText(FixedBody):
    """Text drawn as it is, such as a tool's output or a prompt.

    Attributes:
        pieces: Its pieces, unsanitised; where colours are read, each with the sequences that colour it.
    """

    def __init__(self, text: str, *, colours: bool = False) -> None:
        self.colours = colours
        self.pieces = [*(continued(_pieces(ended(text))) if colours else _pieces(text.rstrip()))]

    def __len__(self) -> int:
        return len(self.pieces)

    def part(self, index: int) -> str:
        """Return a piece, safe to draw, without colours."""
        piece = self.pieces[index]
        return safe(plain(piece) if self.colours else piece)

    def estimate(self, index: int, width: int) -> int:
        """Guess the number of lines of a piece at a width in columns."""
        piece = self.pieces[index]
        return max(1, piece.count("\n") + 1, len(piece) // width)


def _pieces(text: str) -> Iterator[str]:
    """Cut a text into pieces."""
    lines: list[str] = []
    size = 0
    for line in text.split("\n"):
        if lines and (len(lines) >= 50 or size + len(line) > PIECE_CHARACTERS):
            yield "\n".join(lines)
            lines, size = [], 0
        while len(line) > PIECE_CHARACTERS:
            # Not within a sequence.
            end = line.rfind("\x1b", PIECE_CHARACTERS - 100, PIECE_CHARACTERS)
            end = PIECE_CHARACTERS if end < 0 else end
            yield line[:end]
            line = line[end:]
        lines.append(line)
        size += len(line) + 1
    if lines:
        yield "\n".join(lines)


class Excerpt(FixedBody):
    """Some lines of a text, one row each.

    Attributes:
        lines: The lines, unsanitised; where colours are read, each with the sequences that colour it.
        hidden: Number of lines of the text left out.
        tail: Whether they are its last ones, the hidden ones before them.
    """

    def __init__(self, text: str, most: int, *, tail: bool = False, colours: bool = False) -> None:
        """Take the first lines of a text, or its last; take one more than ``most`` where that is all."""
        text = ended(text.lstrip("\n")) if colours else text.lstrip("\n").rstrip()
        self.colours, self.tail = colours, tail
        count = text.count("\n") + 1
        keep = count if count <= most + 1 else most
        self.hidden = count - keep
        before, *lines = (
            text.rsplit("\n", keep) if tail and self.hidden else ["", *text.split("\n", keep)[:keep]]
        )
        if colours:
            _, *lines = continued([before, *lines])
        self.lines = tuple(line[:2_000] for line in lines)  # the rest cannot be seen on any screen

    def estimate(self, _index: int, _width: int) -> int:
        """Return the number of rows at any width."""
        return len(self.lines) + bool(self.hidden)


CHANGE_LINES = 40
CHANGE_LIMIT = 4_000
"""Most characters of a changed line that are drawn."""


class Diff(FixedBody):
    """Numbered lines in parts.

    Attributes:
        hidden: Number of further lines.
        digits: Columns that the largest number takes.
        language: The pattern of file names that identifies the language, such as ``*.py``, or "".
    """

    def __init__(self, rows: Sequence[DiffLine], hidden: int = 0, language: str = "") -> None:
        self.hidden = hidden
        self.language = language
        self.digits = len(str(max((line.old or line.new or 0 for line in rows[-CHANGE_LINES:]), default=0)))
        self._pieces = list(_change_pieces(rows)) or [[]]

    def __len__(self) -> int:
        return len(self._pieces)

    def part(self, index: int) -> Sequence[DiffLine]:
        """Return a piece of the lines, unsanitised."""
        return self._pieces[index]

    def estimate(self, index: int, _width: int) -> int:
        """Guess the number of rows of a piece."""
        return max(1, len(self._pieces[index]) + (bool(self.hidden) and index == len(self) - 1))


def _change_pieces(rows: Sequence[DiffLine]) -> Iterator[Sequence[DiffLine]]:
    """Split lines so that a change is not torn apart, unless it is very long."""
    start = 0
    while start < len(rows):
        end = start + CHANGE_LINES
        while end < min(len(rows), start + 2 * CHANGE_LINES) and rows[end].sign in "+-":
            end += 1
        yield rows[start:end]
        start = end


def edit_diff(arguments: Mapping[str, Any], structured: Any, most: int | None = None) -> Diff | None:
    """Return the changes of a call, in at most ``most`` lines, or None if there is nothing to show."""
    lines = diff_lines(arguments, structured)
    first = list(islice(lines, None if most is None else most + 1))
    if not first:
        return None
    new = "content" in arguments and not hunks_of(structured)  # a new file, as long as it may be
    rest = length(arguments["content"]) - len(first) if new else sum(1 for _ in lines)
    shown = first[:most] if rest else first
    return Diff(shown, rest + len(first) - len(shown), _language(arguments))


def _language(arguments: Mapping[str, Any]) -> str:
    if isinstance(arguments.get("notebook_path"), str):
        return "python"
    path = arguments.get("file_path")
    suffix = PurePath(path).suffix if isinstance(path, str) and len(path) < CHANGE_LIMIT else ""
    return f"*{suffix.lower()}" if suffix.isascii() and suffix[1:].isalnum() else ""


_NUMBER = re.compile(r"#(\w+)")


class TodoState(StrEnum):
    """State of an entry, in the CLI's words."""

    PENDING = "pending"
    NOW = "in_progress"
    DONE = "completed"


@dataclass(frozen=True, slots=True)
class Todo:
    """One thing to do; ``text`` is unsanitised."""

    text: str
    doing: TodoState = TodoState.PENDING


class Checklist(FixedBody):
    """Entries as a card shows them.

    Attributes:
        entries: The entries, in order.
        hidden: Number of further entries.
    """

    def __init__(self, entries: Iterable[Todo], most: int | None = None) -> None:
        whole = tuple(entries)
        self.entries = whole if most is None or len(whole) <= most + 1 else whole[:most]
        self.hidden = len(whole) - len(self.entries)

    def estimate(self, _index: int, _width: int) -> int:
        """Guess the number of rows."""
        return max(1, len(self.entries) + bool(self.hidden))


def todos(source: Any) -> tuple[Todo, ...]:
    """Read the list of a ``TodoWrite`` call, of any shape; leave out anything that is no entry."""
    if not isinstance(source, list):
        return ()
    return tuple(
        Todo(str(_named(todo)), _doing(todo.get("status"))) for todo in source if isinstance(todo, Mapping)
    )


def _named(todo: Mapping[str, Any]) -> Any:
    now = todo.get("activeForm") if todo.get("status") == TodoState.NOW else ""
    return now or todo.get("content") or ""


def _doing(status: Any) -> TodoState:
    return TodoState(status) if status in set(TodoState) else TodoState.PENDING


def done(entries: Iterable[Todo]) -> str:
    """Return the number of entries done: ``2 of 3 done``."""
    states = [entry.doing for entry in entries]
    return f"{states.count(TodoState.DONE)} of {len(states)} done"


class TaskList:
    """The list that ``TaskCreate`` and ``TaskUpdate`` calls make, entry by entry."""

    def __init__(self) -> None:
        self._entries: dict[str, Todo] = {}

    @property
    def entries(self) -> tuple[Todo, ...]:
        """The entries, in the order in which they came."""
        return tuple(self._entries.values())

    def take(self, tool: str, arguments: Mapping[str, Any], output: str, structured: Any) -> Todo | None:
        """Apply a call that succeeded; return the entry that it was about, or None for the whole list."""
        match tool:
            case "TaskCreate":
                name = _created(output, structured) or str(len(self._entries) + 1)
                self._entries[name] = Todo(str(arguments.get("subject") or ""))
                return self._entries[name]
            case "TaskUpdate":
                return self._update(str(arguments.get("taskId") or ""), arguments)
            case "TaskList" if isinstance(structured, Mapping):
                self._replace(structured.get("tasks"))
        return None

    def _update(self, name: str, arguments: Mapping[str, Any]) -> Todo | None:
        if arguments.get("status") == "deleted":
            return self._entries.pop(name, None)
        entry = self._entries.get(name)
        if entry is None:
            return None
        if arguments.get("subject"):
            entry = replace(entry, text=str(arguments["subject"]))
        if arguments.get("status"):
            entry = replace(entry, doing=_doing(arguments["status"]))
        self._entries[name] = entry
        return entry

    def _replace(self, tasks: Any) -> None:
        if isinstance(tasks, list) and all(isinstance(task, Mapping) and task.get("id") for task in tasks):
            self._entries = {
                str(task["id"]): Todo(str(task.get("subject") or ""), _doing(task.get("status")))
                for task in tasks
            }


def _created(output: str, structured: Any) -> str:
    task = structured.get("task") if isinstance(structured, Mapping) else None
    if isinstance(task, Mapping) and task.get("id"):
        return str(task["id"])
    found = _NUMBER.search(output[:200])
    return found[1] if found else ""
