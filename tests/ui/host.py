"""A small app around one panel: a page of text above, the panel docked under it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from textual import events, on
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Static

from ccq_tui import theming
from ccq_tui.inbox import PermissionRequest, PlanRequest
from ccq_tui.inbox.decision import decision
from ccq_tui.questions import Question, QuestionSet
from ccq_tui.questions.state import PanelState, opened
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.question import QuestionPanel
from tests.ui.asked import SINGLE

Posted = TypeVar("Posted", bound=Message)


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def skip(self, seconds: float) -> None:
        self.now += seconds

    def skip_grace(self) -> None:
        self.skip(1.0)


class PanelHost(App[None]):
    """Shows a question panel as the program does, and keeps the messages it posts."""

    CSS = "#page { height: 1fr; padding: 0 1; color: $ccq-muted; } RequestPanel { dock: bottom; }"
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        *questions: Question,
        theme: str = "ccq-dark",
        title: str = "",
        session: str = "api-refactor",
        place: tuple[int, int] = (1, 1),
    ) -> None:
        super().__init__()
        self.clock = Clock()
        self.posted: list[Message] = []
        self._wanted_theme = theme
        self.panel = QuestionPanel(
            opened(QuestionSet("toolu_1", questions, title=title)),
            session=session,
            place=place,
            clock=self.clock,
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

    @on(QuestionPanel.Changed)
    @on(QuestionPanel.Ended)
    @on(QuestionPanel.EditorWanted)
    def keep(self, message: Message) -> None:
        self.posted.append(message)

    @property
    def state(self) -> PanelState:
        return self.panel.state

    @property
    def screen_lines(self) -> list[str]:
        """What is on the screen, line by line."""
        return [strip.text.rstrip() for strip in self.screen._compositor.render_strips()]

    @property
    def panel_lines(self) -> list[str]:
        """What is on the screen within the panel."""
        return self.screen_lines[self.panel.region.y : self.panel.region.bottom]

    @property
    def panel_text(self) -> str:
        """The panel's lines in one text."""
        return "\n".join(self.panel_lines)

    @property
    def panel_words(self) -> str:
        """The panel's text as if it were not wrapped."""
        return " ".join(self.panel_text.split())

    @property
    def cursor_line(self) -> str:
        """The line of the panel with the sign of the cursor, or ""."""
        return next((line for line in self.panel_lines if line.startswith(" ❯")), "")

    def all_posted(self, kind: type[Posted]) -> list[Posted]:
        """The messages of a kind that the panel posted."""
        return [message for message in self.posted if type(message) is kind]

    def burst(self, *keys: str) -> None:
        """Post keys back to back, as a terminal does that reads them in one go."""
        for key in keys:
            character = {"space": " ", "slash": "/"}.get(key, key if len(key) == 1 else None)
            self.post_message(events.Key(key, character))

    def paste(self, text: str) -> None:
        """Post a bracketed paste."""
        self.post_message(events.Paste(text))


class DecisionHost(PanelHost):
    """Shows a decision panel in the same way."""

    panel: Any

    def __init__(self, request: PermissionRequest | PlanRequest, *, asked_for: bool = False) -> None:
        super().__init__(SINGLE)
        self.panel = DecisionPanel(
            decision(request), session="api-refactor", clock=self.clock, asked_for=asked_for
        )


async def type_text(pilot: Pilot[None], text: str) -> None:
    """Type a text key by key."""
    await pilot.press(*("space" if character == " " else character for character in text))


HostFactory = Callable[..., PanelHost]
