"""The newest calls in a session's transcript: those without a result, and the ends of the others.

The first look reads only the end of the file, each later one what was added. Lines that are too long, and
lines of kinds that do not matter here, are skipped.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from ccq_tui.bounded import begin
from ccq_tui.claude_lines import Line, blocks_of, fields, record_entry, text
from ccq_tui.inbox.call_results import CallResult, result_of

TAIL = 2_000_000
"""Most bytes of the file's end to read at the first look, and of each piece to read later."""
LONGEST_LINE = 8_000_000


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call of a tool, as the transcript has it.

    Attributes:
        id: The ``tool_use_id``.
        tool: The tool's name.
        input: Its input.
        message: The message of the model that it is a part of.
    """

    id: str
    tool: str
    input: Line
    message: str


@dataclass(frozen=True, slots=True)
class CallEnd:
    """The end of a call.

    Attributes:
        result: Its result.
        decision: "accept" or "reject" if a person was asked for permission, or "".
        source: Who decided that: "user_temporary", "user_reject", "hook", "config" and others, or "".
        denial: The reason that it did not run, such as "user-rejected", or "".
    """

    result: CallResult
    decision: str = ""
    source: str = ""
    denial: str = ""


class TranscriptFile:
    """The transcript of a session or of one of its subagents, which may not exist yet."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at: int | None = None
        self._rest = b""
        self._calls: dict[str, RecordedCall] = {}
        self._ends: dict[str, CallEnd] = {}
        self._texts: dict[str, str] = {}
        """The model's texts since the last prompt, by message."""

    def read(self) -> list[RecordedCall]:
        """Read what was added, and return its calls; costs next to nothing if nothing was.

        Raises `OSError` if the file exists and cannot be read, `UnfitFileError` if it is no regular file.
        """
        try:
            size = self._path.stat().st_size
        except FileNotFoundError:
            return []
        if self._at is None or size < self._at:  # at first, or it is another file now
            self._at, self._rest = max(0, size - TAIL), b""
        self._new = list[RecordedCall]()
        while self._at < size and (piece := begin(self._path, min(TAIL, size - self._at), self._at)):
            self._at += len(piece)
            self._take(piece)
        return self._new

    def unanswered(self) -> list[RecordedCall]:
        """Return the calls of the model's last message with calls that have no result."""
        last = next((one.message for one in reversed(self._calls.values())), None)
        return [one for one in self._calls.values() if one.message == last and one.id not in self._ends]

    def end_of(self, call_id: str) -> CallEnd | None:
        """Return the end of a call, or None."""
        return self._ends.get(call_id)

    def before(self, call: RecordedCall) -> str:
        """Return the model's text before a call: in its message, else the last since the prompt; or ""."""
        return self._texts.get(call.message) or next(reversed(self._texts.values()), "")

    def _take(self, piece: bytes) -> None:
        *lines, rest = (self._rest + piece).split(b"\n")
        for line in lines:
            if re.search(rb'"type"\s*:\s*"(?:assistant|user)"', line):
                entry = record_entry(line)  # the end of a line is none
                if entry.get("type") == "assistant":
                    self._add_assistant(fields(entry, "message"))
                elif entry.get("type") == "user":
                    self._add_user(fields(entry, "message"), entry)
        self._rest = rest if len(rest) <= LONGEST_LINE else b""

    def _add_assistant(self, message: Line) -> None:
        name = text(message, "id")
        for block in blocks_of(message):
            if block.get("type") == "text" and (written := text(block, "text")):
                self._texts[name] = f"{self._texts.pop(name, '')}\n\n{written}".strip()[-20_000:]
            elif block.get("type") == "tool_use" and isinstance(source := block.get("input"), dict):
                call = RecordedCall(str(block.get("id")), str(block.get("name")), source, name)
                self._calls[call.id] = call
                self._new.append(call)
                while len(self._calls) > 200:  # a message of the model has a few
                    self._ends.pop(oldest := next(iter(self._calls)), None)
                    del self._calls[oldest]

    def _add_user(self, message: Line, entry: Line) -> None:
        blocks = blocks_of(message)
        for block in blocks:
            if block.get("type") == "tool_result" and (name := str(block.get("tool_use_id"))) in self._calls:
                decided = fields(entry, "permissionDecision")
                words = text(decided, "decision"), text(decided, "source"), text(entry, "toolDenialKind")
                self._ends[name] = CallEnd(result_of(block, entry), *words)
        if any(block.get("type") == "text" for block in blocks):
            self._texts.clear()  # a person's prompt
