"""A small app around one panel: a page of text above, the panel docked under it."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Static

from ccq_tui import theming
from ccq_tui.questions import Question, QuestionSet
from ccq_tui.questions.state import PanelState, opened
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.question import QuestionPanel


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def skip_grace(self) -> None:
        self.now += 1.0


class PanelHost(App[None]):
    """Shows a question panel as the program does, and keeps the messages it posts."""

    CSS = "#page { height: 1fr; padding: 0 1; color: $ccq-muted; } QuestionPanel { dock: bottom; }"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, *questions: Question, theme: str = "ccq-dark", title: str = "") -> None:
        super().__init__()
        self.clock = Clock()
        self.posted: list[Message] = []
        self._wanted_theme = theme
        self.panel = QuestionPanel(
            opened(QuestionSet("toolu_1", questions, title=title)), session="api-refactor", clock=self.clock
        )

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theming.variable_defaults()

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("● I looked at the three services. Two things are for you to decide.", id="page")
        yield self.panel

    def on_mount(self) -> None:
        theming.install(self, self._wanted_theme)
        self.clock.skip_grace()
        self.call_after_refresh(self.panel.query_one(HintBar).wake)

    def on_question_panel_changed(self, message: QuestionPanel.Changed) -> None:
        self.posted.append(message)

    def on_question_panel_hidden(self, message: QuestionPanel.Hidden) -> None:
        self.posted.append(message)

    def on_question_panel_ended(self, message: QuestionPanel.Ended) -> None:
        self.posted.append(message)

    def on_question_panel_editor_wanted(self, message: QuestionPanel.EditorWanted) -> None:
        self.posted.append(message)

    @property
    def state(self) -> PanelState:
        return self.panel.state


HostFactory = Callable[..., PanelHost]
