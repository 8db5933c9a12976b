"""The state of Claude Code's own dialog for a request, which shows beside the hook and may end first."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from ccq_tui.bridges.claude_code.hook_input import HookInput
from ccq_tui.bridges.claude_code.hook_requests import DECIDED_THERE
from ccq_tui.bridges.claude_code.live_sessions import live_file, read_live
from ccq_tui.bridges.claude_code.transcript import CallEnd, RecordedCall, TranscriptFile
from ccq_tui.claude_lines import QUESTION_TOOL
from ccq_tui.inbox.requests import Cancelled
from ccq_tui.processes import alive, started_at, this_process
from ccq_tui.questions import QuestionSet
from ccq_tui.questions.parse import readable_set

SESSION_ENDED = Cancelled("its Claude Code session has ended")
RESULT_SECONDS = 0.5
"""Seconds from the end of the dialog until the result of a refused call is in the transcript."""
WRITTEN_SECONDS = 1.0
"""Seconds until the call is in the transcript."""


class Dialog:
    """The dialog of the call that a hook was run for.

    The hook's input lacks the call's id, so the call is found by its tool and its input. A call that ended
    before the hook was started is an earlier one.
    """

    def __init__(self, hook: HookInput) -> None:
        self._hook = hook
        self._transcript = TranscriptFile(hook.transcript)
        self._since = datetime.fromtimestamp(started_at(this_process()), UTC)
        self._questions = _questions(hook.tool, hook.input)
        self._begun = time.monotonic()
        self._equal: dict[str, RecordedCall] = {}
        self._alike: dict[str, RecordedCall] = {}
        """Open calls of the tool with another input, which a hook before the call may have changed."""
        # The live file does not distinguish a subagent's dialog from the main agent's; a form has none yet.
        program = None if hook.agent_id or not hook.tool or hook.program is None else hook.program.pid
        self._live = live_file(hook.config, program) if program else None
        self._live_seen = 0
        self._waited = False
        self._closed_at: float | None = None

    @property
    def call(self) -> RecordedCall | None:
        """The call, once it is in the transcript and no other one of its message is equal to it."""
        return calls[0] if len(calls := self._calls()) == 1 else None

    def _calls(self) -> list[RecordedCall]:
        """Return the calls of one message that may be the hook's.

        An agent may ask the same again, but only after the calls of its earlier message have ended.
        """
        messages: dict[str, list[RecordedCall]] = {}
        for call in (self._equal or self._alike).values():
            messages.setdefault(call.message, []).append(call)
        ended = (calls for calls in messages.values() if None not in self._ends(calls))
        return next(ended, next(reversed(messages.values()), []))

    def _ends(self, calls: Iterable[RecordedCall]) -> list[CallEnd | None]:
        return [self._transcript.end_of(call.id) for call in calls]

    def context(self) -> str:
        """Return the agent's text before it asked, or ""."""
        call = next(iter(self._calls()), None)
        return self._transcript.before(call) if call is not None else ""

    def look(self) -> CallEnd | Cancelled | None:
        """Look once; return the end of the dialog, or None while it is open.

        Where the call still runs, or several calls are equal and nothing shows which of them this hook was
        run for, it is only that somebody decided.

        Raises `OSError` if the transcript cannot be read, `UnfitFileError` if it is no file.
        """
        gone = self._hook.program is not None and not alive(self._hook.program)
        self._find(self._transcript.look())
        ends = self._ends(self._calls())
        if ends and None not in ends:
            return ends[0] if len(ends) == 1 else DECIDED_THERE
        if gone:
            return SESSION_ENDED
        return DECIDED_THERE if self._is_over() else None

    def _find(self, new: Iterable[RecordedCall]) -> None:
        tool = self._hook.tool
        for call in new:
            if call.tool != tool:
                continue
            equal = call.input == self._hook.input or (
                self._questions is not None and _questions(call.tool, call.input) == self._questions
            )
            if equal and self._is_new(call):
                self._equal[call.id] = call
        if not self._equal and time.monotonic() - self._begun > WRITTEN_SECONDS:
            self._alike |= {call.id: call for call in self._transcript.unanswered() if call.tool == tool}

    def _is_new(self, call: RecordedCall) -> bool:
        end = self._transcript.end_of(call.id)
        return end is None or (end.result.at is not None and end.result.at >= self._since)

    def _is_over(self) -> bool:
        """Whether Claude Code no longer waits for the person, and a refusal would be in the transcript."""
        if self._live is None or self._questions is not None:
            return False  # the result of questions is there at once
        try:
            changed = self._live.stat().st_mtime_ns
        except OSError:
            return False
        if changed != self._live_seen:
            live = read_live(self._live)
            if live is None:
                return False  # it is being written
            self._live_seen = changed
            self._waited |= live.waits
            self._closed_at = None if live.waits or not self._waited else time.monotonic()
        return self._closed_at is not None and time.monotonic() - self._closed_at > RESULT_SECONDS


def _questions(tool: str, source: Mapping[str, Any]) -> QuestionSet | None:
    """Parse the questions for a comparison: Claude Code fills in what a model left out."""
    return readable_set("", source) if tool == QUESTION_TOOL else None
