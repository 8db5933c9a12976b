"""The screen of a recording: its transcript, and the question that was left open in it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

from ccq_tui.agent.events import QuestionAsked, RequestSettled, SessionState, StateChanged
from ccq_tui.agent.recorded import Recording, ReplayedSession
from ccq_tui.agent.recorded.reader import why_gone
from ccq_tui.bounded import JSON_BYTES, parse_json, read_bytes
from ccq_tui.config.actions import KeyPlace
from ccq_tui.config.keymap import key_of
from ccq_tui.config.launch import Launch
from ccq_tui.config.paths import state_dir
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.inbox.store.drafts import draft_to_json, with_draft
from ccq_tui.inbox.waiting_line import Draft, Waiting
from ccq_tui.questions import Answered, Declined, Discussed
from ccq_tui.questions.input_guard import is_fresh
from ccq_tui.questions.message import answers_as_message
from ccq_tui.runtime.events import SessionEvent
from ccq_tui.runtime.limits import Limits
from ccq_tui.runtime.prompt_queue import SAVE_AFTER
from ccq_tui.runtime.session import SupervisedSession
from ccq_tui.runtime.view import Piece, short_path
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.session.dock import Dock
from ccq_tui.screens.session.export import export_transcript
from ccq_tui.screens.terminal import set_title
from ccq_tui.stored import write_whole
from ccq_tui.text import one_line
from ccq_tui.widgets.hints import Hints
from ccq_tui.widgets.keys import presses_of
from ccq_tui.widgets.lifetime import start_work
from ccq_tui.widgets.prompt import Prompt
from ccq_tui.widgets.transcript import Transcript
from ccq_tui.words import plural

NAME_LENGTH = 40
_KEYS = (
    ("page_up", "scroll"),
    ("top", "top"),
    ("search", "search"),
    ("block_up", "mark"),
    ("unfold", "unfold"),
    ("help", "all keys"),
)


@dataclass(frozen=True, slots=True)
class ReplayStatus:
    """Progress of a replay.

    Attributes:
        name: Name of the recording.
        read: Number of lines so far.
        percent: Percentage of the file read so far, or None if its size is unknown.
        bad: Number of unreadable lines.
        paused: Whether it is held.
        ended: Whether all was shown.
    """

    name: str
    read: int = 0
    percent: int | None = None
    bad: int = 0
    paused: bool = False
    ended: bool = False

    @classmethod
    def of(cls, recording: Recording, *, paused: bool, ended: bool) -> ReplayStatus:
        """Return the progress of a recording."""
        size, done = recording.lines.size, recording.lines.taken
        percent = min(100, done * 100 // size) if size else None
        return cls(recording.name, recording.read, percent, len(recording.bad), paused, ended)

    def pieces(self) -> tuple[Piece, ...]:
        """Return the pieces of the status line, in order."""
        state = "■ replay" if self.ended else "‖ paused" if self.paused else "▶ replay"
        far = plural(self.read, "line")
        bad = f"{self.bad:,} unreadable" if self.bad else ""
        return tuple(
            piece
            for piece in (
                Piece(state, shorter=(state[:1],)),
                Piece(one_line(self.name, NAME_LENGTH), 2),
                Piece(f"{self.percent}%" if self.percent is not None and not self.ended else "", 1),
                Piece(far, 3),
                Piece(bad, 4),
                Piece("" if self.ended else "space resumes" if self.paused else "space pause", 5),
            )
            if piece.text
        )

    def hints(self, waiting: int) -> Hints:
        """Return the keys that apply now, the most useful first."""
        pause = () if self.ended else (("Space", "resume" if self.paused else "pause"),)
        answer = ((key_of("panel"), "answer"),) if waiting else ()
        named = tuple((key_of(name), does) for name, does in _KEYS)
        return (*pause, *answer, (key_of("quit"), "quit"), *named[:4], ("e", "export"), *named[4:])


CONFIRM_SECONDS = 10.0
"""Seconds in which a key that writes a file can be confirmed."""
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BroughtAnswer:
    """An answer to the question that a recording ends with.

    Attributes:
        session_id: The session that gets the answer.
        cwd: The directory of that session.
        message: The answer.
    """

    session_id: str
    cwd: str
    message: str


class ReplayScreen(SessionBase):
    """Transcript above, status at the bottom; no prompt, for there is nobody to talk to."""

    rests_on = KeyPlace.TRANSCRIPT
    AUTO_FOCUS = ""  # the keys are the screen's own; a hidden field must not take them
    DEFAULT_CSS = """
    ReplayScreen {
        & > Transcript { height: 1fr; }
        & Prompt { display: none; height: 0; border: none; }  /* the dock displays it under a hidden panel */
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pause", "Pause or resume the replay", show=False),
        Binding("e", "export", "Write the transcript to a Markdown file", show=False),
        Binding("up", "do('line_up')", "Scroll up a line", show=False),
        Binding("down", "do('line_down')", "Scroll down a line", show=False),
        Binding("home", "do('top')", "Go to the start", show=False),
        Binding("end", "do('bottom')", "Go to the end, and follow it", show=False),
    ]

    @dataclass
    class QuestionAnswered(Message):
        """The question that was left open has an answer, and its session is there."""

        go_on: BroughtAnswer

    def __init__(
        self,
        launch: Launch,
        recording: Recording,
        speed: float | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        session = SupervisedSession(
            launch,
            lambda tell, _launch: ReplayedSession(recording, tell, speed, clock),
            clock=clock,
            limits=Limits(),
        )
        session.keep_ended()  # an answer to it is brought to another session
        super().__init__(
            session, Transcript(welcome=f"Reading {recording.name}…"), Dock(recording.name, clock=clock)
        )
        self.recording = recording
        self.listeners = (*self.listeners, self._take_outcome)
        self.shown_by = (self._show_standing,)
        self._ended = False
        self._export_asked: float | None = None
        self._disk = ThreadPoolExecutor(max_workers=1, thread_name_prefix="answers")
        self._unsaved: Waiting | None = None

    @property
    def replayed(self) -> ReplayedSession:
        """The session that plays the recording."""
        return cast("ReplayedSession", self.session.agent)

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield self.block_bar
        yield self.search_bar
        yield self.dock
        yield self.status_line

    def on_mount(self) -> None:
        for notice in self.launch.notices:
            self.note(notice, "warning")
        start_work(self, self.session.agent.run, name="replay")
        self.set_interval(1.0, self.changed)
        set_title(self.app, f"{self.recording.name} · ccq-tui replay")
        self.changed()

    def on_unmount(self) -> None:
        """Write what is not written yet."""
        if self._unsaved is not None:
            self._disk.submit(save_draft, self._file(self._unsaved.request.id), self._unsaved.draft)
        self._disk.shutdown(wait=False)

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        """Give a widget the focus, but never the prompt, which is not shown."""
        if widget is not None and any(isinstance(ancestor, Prompt) for ancestor in widget.ancestors):
            widget = None
        super().set_focus(widget, scroll_visible, from_app_focus)

    # -- its state ------------------------------------------------------------------------------------

    def _show_standing(self) -> None:
        if not self.live:
            return
        standing = ReplayStatus.of(self.recording, paused=self.replayed.paused, ended=self._ended)
        self.status_line.show(standing.pieces())
        self.dock.show_keys(standing.hints(len(self.dock.line.items)))

    def action_pause(self) -> None:
        """Pause the replay, or resume it."""
        if not self._ended:
            self.replayed.pause()
            self.changed()

    def action_export(self) -> None:
        """Write the transcript to a file in the working directory, if asked twice."""
        asked, self._export_asked = self._export_asked, self.clock()
        if (
            asked is None
            or self._export_asked - asked > CONFIRM_SECONDS
            or is_fresh(asked, self._export_asked, presses_of(self).apart)
        ):
            words = (
                f"Write the transcript to a Markdown file in {short_path(self.view.cwd)}? · e again writes it"
            )
            self.say(words, seconds=CONFIRM_SECONDS)
            return
        self._export_asked = None
        self.dock.notices.hush()
        self.start(
            partial(export_transcript, self, "", self.view.cwd), "export", group="export", exclusive=True
        )

    # -- the question that was left open ------------------------------------------------------------------

    def _take_outcome(self, event: SessionEvent) -> None:
        """Offer the open question at the end, and take its answer."""
        match event:
            case StateChanged(SessionState.ENDED):
                self._ended = True
                self.view = replace(self.view, session_id=self.recording.session_id)
                if self.recording.waiting is not None:
                    self.start(partial(self._offer, self.recording.waiting), "offer")
            case RequestSettled(outcome=Answered() | Discussed() | Declined() as outcome):
                waiting = self.recording.waiting
                if waiting is not None and waiting.id == event.request_id:
                    message = answers_as_message(waiting.questions, outcome)
                    self.start(partial(self._bring, message), "answer")
            case _:
                pass

    async def _why_gone(self) -> str:
        environment = {**os.environ, **self.launch.program.environment}
        recording = self.recording
        return await asyncio.to_thread(why_gone, recording.session_id, recording.cwd, environment)

    async def _offer(self, request: QuestionRequest) -> None:
        """Say what will become of an answer, then open the panel."""
        if reason := await self._why_gone():
            self.note(
                f"Nobody answered this question. An answer cannot be sent: {reason}. "
                "You can copy it once you have answered.",
                "warning",
            )
        else:
            self.note("Nobody answered this question. Your answer resumes the session, as a message to it.")
        text = await asyncio.get_running_loop().run_in_executor(
            self._disk, load_draft, self._file(request.id)
        )
        self.take(QuestionAsked(request, with_draft(request, text) if text else None))

    def _file(self, request_id: str) -> Path:
        return draft_file(self.launch.program.state or state_dir(), request_id)

    @on(Dock.DraftChanged)
    def _draft_changed(self, event: Dock.DraftChanged) -> None:
        waits, self._unsaved = self._unsaved is not None, event.waiting
        if not waits:
            self.after(SAVE_AFTER, lambda: self.start(self._write_draft, "draft"))

    async def _write_draft(self) -> None:
        unsaved, self._unsaved = self._unsaved, None
        if unsaved is not None:
            await self._save(unsaved.request.id, unsaved.draft)

    async def _save(self, request_id: str, draft: Draft | None) -> None:
        try:
            await asyncio.get_running_loop().run_in_executor(
                self._disk, save_draft, self._file(request_id), draft
            )
        except OSError as error:
            _logger.warning("The draft of an answer: %s", error)
            self.say(f"Your draft could not be saved: {error.strerror or error}", seconds=20.0)

    async def _bring(self, message: str) -> None:
        """Send the answer to the session, or if that is gone, give it to the person."""
        if reason := await self._why_gone():
            copies = f"{key_of('copy_draft')} copies"
            self.note(f"Your answer was not sent: {reason}. {copies} it:\n\n{message}", "warning")
            self.requests.keep_to_copy(message, f"Not sent · {copies} your answer")
        else:
            if self.recording.waiting is not None:
                self._unsaved = None
                await self._save(self.recording.waiting.id, None)
            go_on = BroughtAnswer(self.recording.session_id, self.recording.cwd, message)
            self.post_message(self.QuestionAnswered(go_on))


def draft_file(state: Path, request_id: str) -> Path:
    """Return the file of a draft: no session runs, so the inbox may not know the request."""
    name = hashlib.sha256(f"answer to {request_id}".encode(errors="replace")).hexdigest()[:32]
    return state / "drafts" / f"{name}-1.json"


def load_draft(file: Path) -> str:
    """Return a draft from its file, or ""."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        return str(parse_json(read_bytes(file, JSON_BYTES))["text"])
    return ""


def save_draft(file: Path, draft: Draft | None) -> None:
    """Write a draft to its file; None deletes it."""
    if draft is None:
        file.unlink(missing_ok=True)
    else:
        write_whole(file, json.dumps({"text": draft_to_json(draft)}))
