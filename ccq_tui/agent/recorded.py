"""Reads recordings: output of ``claude -p --output-format stream-json``, and session files of Claude Code.

They have the same messages in slightly other envelopes, which are brought to the shape of the CLI's stream.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from io import BufferedReader, FileIO
from pathlib import Path
from typing import Any

from ccq_tui.agent import events as ev
from ccq_tui.agent.events import AgentEvent, Connected, NoticeGiven
from ccq_tui.agent.translate import PastTranslator
from ccq_tui.agent.user_texts import written
from ccq_tui.answering.record import Record
from ccq_tui.claude_lines import QUESTION_TOOL, Line, blocks_of, bounded, fields, text, whole_entries
from ccq_tui.inbox.call_results import UNANSWERED
from ccq_tui.inbox.records import recorded_set
from ccq_tui.inbox.requests import Cancelled, QuestionRequest, RequestOutcome
from ccq_tui.text import one_line
from ccq_tui.words import listed, plural

CUT_OFF = "The recording ends before its result."
_PATCH = "structuredPatch"

_ID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_IMAGES = ("image", "document")
_PAST = frozenset({"compact_boundary", "informational", "permission_denied"})
"""The system messages that are shown of the past, apart from those about tasks."""

PASSED_OVER = "nobody answered it, and the conversation continued"


class Translation(PastTranslator):
    """Turns one recording's entries into events, in order, and skips unknown ones.

    Its session is the first one that is named.
    """

    def __init__(self) -> None:
        super().__init__()
        self._connected = False
        self._sidechain: bool | None = None
        self._blocks: set[tuple[str, int]] = set()
        self._early: dict[str, Line] = {}
        """Results without a call: some programs record the call after them."""

    def feed(self, entry: Line) -> Iterator[ev.AgentEvent]:
        """Translate an object of any shape; yield nothing for one that does not matter."""
        yield from self._identify(entry)
        kind, subtype = entry.get("type"), text(entry, "subtype")
        is_side = entry.get("isSidechain") is True
        if self._sidechain is None and kind in ("user", "assistant"):
            self._sidechain = is_side  # the file is a subagent's own
        if (is_side and not self._sidechain) or entry.get("isMeta") is True:
            return  # a subagent's own conversation, or text for the model alone
        match kind:
            case "assistant" | "user":
                yield from self._translated(self._once(entry))
            case "stream_event" | "result":
                yield from self._translated(entry)
            case "system" if subtype == "local_command":
                yield from written(bounded(text(entry, "content")))
            case "system" if subtype in _PAST or subtype.startswith("task_"):
                yield from self._translated(entry)
            case "attachment":
                # A prompt that was sent while the agent worked.
                sent = fields(entry, "attachment")
                if sent.get("type") == "queued_command" and sent.get("commandMode") in (None, "prompt"):
                    prompt = {"type": "user", "message": {"content": sent.get("prompt")}}
                    yield from self._translated(self._once(prompt))

    def end(self) -> Iterator[ev.AgentEvent]:
        """Close all that the recording left open: streamed blocks, calls without a result, questions."""
        yield from self.streams.end_turn()
        yield from self._flush()
        for call, tool in self._tools.items():
            if tool != QUESTION_TOOL:
                yield ev.ToolFinished(call, tool, CUT_OFF, is_error=True)
        self._tools.clear()
        yield from self.pass_over(UNANSWERED)

    def _identify(self, entry: Line) -> Iterator[ev.AgentEvent]:
        if not self.session_id and _ID.fullmatch(name := text(entry, "session_id", "sessionId")):
            self.session_id = name
        if not self._connected and (cwd := text(entry, "cwd")):
            self._connected = True
            model = text(entry, "model") if entry.get("type") == "system" else ""
            yield ev.Connected(self.session_id, model, "", cwd)

    def _once(self, entry: Line) -> Line:
        """Return a message as the stream has it, without what was recorded before and early results."""
        message = fields(entry, "message")
        name = text(message, "id") or text(entry, "uuid") or f"message {next(self._unnamed)}"
        error = text(entry, "error") or ("unknown" if entry.get("isApiErrorMessage") is True else "")
        record = _short(entry.get("tool_use_result", entry.get("toolUseResult")))
        line = {**entry, "error": error, "tool_use_result": record}
        blocks: list[Line] = []
        for block in blocks_of(message):
            kind, call = block.get("type"), text(block, "tool_use_id")
            # Some programs record a message again, under another id of its entry.
            new = kind in _IMAGES or self._is_first(call or name, block)
            if kind == "tool_result" and call not in self._tools:
                if new:
                    self._early[call] = {**line, "uuid": None, "message": {"content": [block]}}
            elif kind == "tool_result" or kind in _IMAGES:
                blocks.append(block)
            elif error or entry["type"] == "user" or (new and text(block, "id") not in self._tools):
                texts = {name: bounded(text(block, name)) for name in ("text", "thinking") if name in block}
                blocks.append({**block, **texts})
        return line | {"message": {**message, "content": blocks}}

    def _is_first(self, name: str, block: Line) -> bool:
        known = len(self._blocks)
        self._blocks.add((name, hash(json.dumps(block, sort_keys=True))))
        return len(self._blocks) > known

    def _translated(self, line: Line) -> Iterator[ev.AgentEvent]:
        for event in super().feed(line):
            if isinstance(event, ev.PromptAccepted):
                yield from self._flush()
                yield from self.pass_over(PASSED_OVER)
            yield event
        for call in [one for one in self._early if one in self._tools]:
            yield from self._translated(self._early.pop(call))

    def _flush(self) -> Iterator[ev.AgentEvent]:
        early, self._early = self._early, {}
        for line in early.values():
            yield from self._translated(line)


def _short(record: Any) -> Any:
    """Return the part of a call's record that is shown: a patch whole, other fields only if short."""
    if not isinstance(record, Mapping):
        return None
    if _PATCH in record:
        return {name: record[name] for name in ("type", _PATCH) if name in record}
    return {
        name: value for name, value in record.items() if not (isinstance(value, str) and len(value) > 2_000)
    }


CHUNK = 1_000_000
"""Bytes read at once."""
LONGEST_LINE = 16_000_000
"""Most bytes of a line to read: a longer one would take too much memory while it is parsed."""
NOTHING = "It contains no conversation."


class Recording:
    """One recording, read once from beginning to end.

    Attributes:
        name: Its name for people.
        read: Number of lines read.
        bad: The numbers of the lines that could not be read.
    """

    def __init__(self, name: str, source: "BufferedReader[FileIO]") -> None:
        self.name, self._source = name, source
        self.read = 0
        self.bad: list[int] = []
        self._translation = Translation()
        self._has_events = False

    @property
    def session_id(self) -> str:
        """The first session id in it, or ""."""
        return self._translation.session_id

    @property
    def trouble(self) -> str:
        """Which lines could not be read, in words; "" for none."""
        which = listed([str(number) for number in self.bad], 12)
        return f"{plural(len(self.bad), 'line')} could not be read: {which}" if self.bad else ""

    def events(self) -> Iterator[AgentEvent]:
        """Read to the end; of a pipe, as it comes."""
        with self._source:
            try:
                for line in self._lines():
                    self.read += 1
                    yield from self._take(line)
            except OSError as error:
                yield NoticeGiven("error", f"The rest could not be read: {error.strerror}")
        yield from self._end()

    def _lines(self) -> Iterator[bytes | None]:
        """Yield the lines; None for one that is too long."""
        while line := self._source.readline(LONGEST_LINE + 1):
            whole = len(line) <= LONGEST_LINE or line.endswith(b"\n")
            rest = line
            while not rest.endswith(b"\n") and (rest := self._source.readline(CHUNK)):
                pass
            yield line if whole else None

    def _take(self, line: bytes | None) -> list[AgentEvent]:
        """Translate a line; one that cannot be read is counted, and not shown."""
        found = [] if line is None else _entries(line)
        if not found and (line is None or line.strip()):
            self.bad.append(self.read)
        events: list[AgentEvent] = []
        try:
            events = [event for entry in found for event in self._translation.feed(entry)]
        except RecursionError:
            self.bad.append(self.read)
        self._has_events = self._has_events or any(not isinstance(event, Connected) for event in events)
        return events

    def _end(self) -> list[AgentEvent]:
        events = list(self._translation.end())
        if not (self._has_events or events):
            events.append(NoticeGiven("warning", NOTHING))
        if self.bad:
            events.append(NoticeGiven("warning", self.trouble))
        return events


_NAME = 200
STDIN = "standard input"


class RecordingError(Exception):
    """A recording cannot be shown; the message is for a person."""


def open_recording(place: str | int) -> Recording:
    """Open a file, or take over the descriptor of standard input; raises `RecordingError`."""
    name = STDIN if isinstance(place, int) else one_line(place, _NAME)
    try:
        source = BufferedReader(FileIO(place), CHUNK)
        head = source.peek()
    except IsADirectoryError as error:
        raise RecordingError(
            f"{name} is a directory; name a file in it, such as a session's .jsonl under ~/.claude/projects."
        ) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise RecordingError(f"{name} cannot be read: {reason}.") from error
    if _is_recording(head):
        return Recording(STDIN if isinstance(place, int) else one_line(Path(place).name, _NAME), source)
    source.close()
    if not head:
        raise RecordingError(f"{name} is empty.")
    raise RecordingError(
        f"{name} is not a recording: none of its first lines is a JSON object. "
        "It should be stream-json of Claude Code or a session's .jsonl file."
    )


def _is_recording(head: bytes) -> bool:
    """Return whether a line of the beginning is an object; the last one may be cut."""
    *whole, rest = head.split(b"\n")
    return any(map(_entries, whole)) or rest.lstrip(b"\xef\xbb\xbf \t\r")[:1] in (b"{", b"[")


def _entries(line: bytes) -> list[dict[str, Any]]:
    return whole_entries(line.decode(errors="replace"))[0]


def recorded_questions(recording: Recording) -> list[Record]:
    """Return the question sets of a recording as public JSON, in the order of asking."""
    asked: dict[str, QuestionRequest] = {}
    ends: dict[str, tuple[RequestOutcome, datetime | None]] = {}
    for event in recording.events():
        if isinstance(event, ev.RequestAsked) and isinstance(event.request, QuestionRequest):
            asked[event.request.id] = event.request
        elif isinstance(event, ev.RequestSettled) and event.outcome != Cancelled(UNANSWERED):
            ends[event.request_id] = event.outcome, event.at
    return [recorded_set(one, *ends.get(name, (None, None))) for name, one in asked.items()]
