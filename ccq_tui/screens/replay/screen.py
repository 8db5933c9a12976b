"""The screen of a recording."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget

from ccq_tui.agent.events import AgentEvent, SessionState, StateChanged
from ccq_tui.agent.recorded import Recording, ReplayedSession
from ccq_tui.agent.session import AgentSession
from ccq_tui.config.keymap import keymap
from ccq_tui.config.launch import Launch
from ccq_tui.input.gate import Face
from ccq_tui.input.keys import KeyPlace, key_line
from ccq_tui.runtime.events import SessionEvent
from ccq_tui.runtime.limits import Limits
from ccq_tui.runtime.session import SupervisedSession
from ccq_tui.runtime.view import Piece, short_path
from ccq_tui.screens.session.base import READING, SessionBase
from ccq_tui.screens.session.dock import Dock
from ccq_tui.screens.session.export import export_transcript
from ccq_tui.screens.terminal import set_title
from ccq_tui.text import one_line
from ccq_tui.widgets.keys import bindings_at
from ccq_tui.widgets.lifetime import start_work
from ccq_tui.widgets.prompt import Prompt
from ccq_tui.widgets.transcript import Transcript
from ccq_tui.words import plural

NAME_LENGTH = 40


def status_pieces(recording: Recording, *, ended: bool) -> tuple[Piece, ...]:
    """Return the pieces of the status line, in order."""
    state = "■ replay" if ended else "▶ replay"
    size, bad = recording.lines.size, len(recording.bad)
    pieces = (
        Piece(state, shorter=(state[:1],)),
        Piece(one_line(recording.name, NAME_LENGTH), 2),
        Piece(f"{min(100, recording.lines.taken * 100 // size)}%" if size and not ended else "", 1),
        Piece(plural(recording.read, "line"), 3),
        Piece(f"{bad:,} unreadable" if bad else "", 4),
    )
    return tuple(piece for piece in pieces if piece.text)


class ReplayScreen(SessionBase):
    """Transcript above, status at the bottom; no prompt, for there is nobody to talk to."""

    rests_on = KeyPlace.REPLAY
    AUTO_FOCUS = ""  # the keys are the screen's own; a hidden field must not take them
    DEFAULT_CSS = """
    ReplayScreen {
        & > Transcript { height: 1fr; }
        & Prompt { display: none; height: 0; border: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_at(KeyPlace.REPLAY)]
    actions: ClassVar[Mapping[str, Callable[[Any], object]]] = {**READING, "export": lambda s: s.export()}

    def __init__(
        self, launch: Launch, recording: Recording, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.recording = recording
        session = SupervisedSession(launch, self._play, clock=clock, limits=Limits())
        session.keep_ended()  # nothing starts it again
        super().__init__(session, Transcript(welcome=f"Reading {recording.name}…"), Dock(clock=clock))
        self.dock.host.session = recording.name
        self.listeners = (*self.listeners, self._note_end)
        self.shown_by = (self._show_standing,)

    def _play(self, tell: Callable[[AgentEvent], None], _launch: Launch) -> AgentSession:
        self.replayed = ReplayedSession(self.recording, tell)
        return cast("AgentSession", self.replayed)  # this screen gives no commands

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield self.block_bar
        yield self.search_bar
        yield self.dock
        yield self.status_line

    def on_mount(self) -> None:
        for notice in self.launch.notices:
            self.note(notice, "warning")
        start_work(self, self.replayed.run, name="replay")
        self.set_interval(1.0, self.changed)
        set_title(self.app, f"{self.recording.name} · ccq-tui replay")
        self.changed()

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
        ended = self.view.state is SessionState.ENDED
        self.status_line.show(status_pieces(self.recording, ended=ended))
        self.dock.show_keys(key_line(KeyPlace.REPLAY, frozenset(("replay", "over")), {}, keymap().keys))

    def export(self) -> None:
        """Write the transcript to a file in the working directory, if asked twice."""
        place = short_path(self.view.cwd)
        words = f"Write the transcript to a Markdown file in {place}? · e again writes it"
        self.dock.pressed(Face(twice="export", reads=True), self._export, lambda: words)

    def _export(self) -> None:
        self.dock.notices.hush("export")
        work = partial(export_transcript, self, "", self.view.cwd)
        self.start(work, "export", group="export", exclusive=True)

    def _note_end(self, event: SessionEvent) -> None:
        """Take the session's id from the recording, which may say it late."""
        if event == StateChanged(SessionState.ENDED):
            self.view = replace(self.view, session_id=self.recording.session_id)
