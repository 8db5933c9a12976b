"""The app of one form: what it is about, its panel, and the way out."""

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import ClassVar

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.filter import LineFilter
from textual.screen import ModalScreen
from textual.widget import AwaitMount
from textual.widgets import Static

from ccq_tui import theming
from ccq_tui.compat.textual.driver import end_driver, lasting_driver, taking_over
from ccq_tui.config.keymap import keymap, use_keys
from ccq_tui.config.load import load_settings
from ccq_tui.config.settings import Settings
from ccq_tui.forms.filling import Filling
from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import Settled
from ccq_tui.inbox.requests import FormRequest, RequestOutcome
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.input.gate import Face, KeyKind, Stroke, To
from ccq_tui.input.keynames import shown_key
from ccq_tui.input.keys import KeyPlace
from ccq_tui.output import colourless
from ccq_tui.preboot_input import EarlyPrompt
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.state import Focus
from ccq_tui.screens.clipboard import copy_beside
from ccq_tui.screens.editor import edit_for, end_editors
from ccq_tui.text import one_line, safe
from ccq_tui.widgets.hints import NARROW
from ccq_tui.widgets.keys import Keyboard, bindings_at, bindings_for, read_at, text_of
from ccq_tui.widgets.lifetime import after, start_work
from ccq_tui.widgets.palette import palette_of
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.panel.host import PanelHost

LEAVE = "Leave? {} · {} again leaves"
DRAFT = "Your draft of an earlier time is here"
ANSWER = "form answer"
POLL_SECONDS = 0.5
"""Seconds between two looks at the time left."""


class FormApp(App[None]):
    """Shows one form until it is settled or left."""

    CSS = """
    #about { height: 1fr; align: left bottom; padding: 0 1; scrollbar-size-vertical: 1; }
    #notice { height: auto; padding: 0 1; color: $warning; background: $surface; &.-off { display: none; } }
    RequestPanel { dock: bottom; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("help", "quit"), *bindings_at(KeyPlace.FORM)]

    def __init__(
        self,
        filling: Filling,
        settings: Settings,
        *,
        clock: Callable[[], float] = time.monotonic,
        early: EarlyPrompt | None = None,
    ) -> None:
        super().__init__(driver_class=taking_over(early) if early is not None else lasting_driver())
        self.no_color = colourless()
        self.clock = clock
        self.hands = Keyboard()
        self._filling, self._settings = filling, settings
        self._about = VerticalScroll(Static(markup=False), id="about", can_focus=False)
        self._notice = Static(id="notice", classes="-off", markup=False)
        self.host = PanelHost(
            surface=Surface.ASKER,
            say=lambda text, _: self.say(text),
            run=partial(start_work, self, name=ANSWER, group=ANSWER),
            edit=lambda text, put: edit_for(self, text, put, self.say),
            leave=lambda *_: self.panel.leave(),
            ended=self._ended,
            folded=self._unfold,
            alone=True,
        )
        self.panel = RequestPanel(self.host, clock)
        use_keys(settings.keymap)
        self.set_keymap({name: ",".join(keys) for name, keys in keymap().changed().items()})
        if settings.is_still:
            self.animation_level = "none"

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theming.variable_defaults()

    def get_line_filters(self) -> Sequence[LineFilter]:
        return theming.line_filters(self, super().get_line_filters())

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text to every clipboard that is in reach."""
        super().copy_to_clipboard(text)
        copy_beside(self, text)

    def on_load(self) -> None:
        theming.install(self, self._settings.theme)

    def compose(self) -> ComposeResult:
        yield self._about
        yield self._notice
        yield self.panel

    def on_mount(self) -> None:
        opened = self._filling.opened
        opened.changed.subscribe(self._changed)
        self.panel.begin(opened, asked_for=True)
        self.set_interval(POLL_SECONDS, self._update_countdown)
        if opened.shown.has_draft:
            self.say(DRAFT)
        if not opened.is_pending:
            self.exit()  # settled before there was a screen

    def on_resize(self, event: events.Resize) -> None:
        """Say what the form is about, as wide as the screen is now."""
        self._about.query_one(Static).update(self._subject(event.size.width))

    def _subject(self, width: int) -> RenderableType:
        """Return what the form says of itself, and what it is about; the panel has its title."""
        request, palette = self._filling.opened.request, palette_of(self._about)
        if not isinstance(request, FormRequest):
            return ""
        facts = Table.grid(padding=(0, 2, 0, 0))
        for name, value in request.context.items():
            row = Text(one_line(name, 40), palette.muted), Text(safe(value, limit=2_000))
            facts.add_row(*(row if width >= NARROW else (Text(" ").join(row),)))
        untitled = width < NARROW and not request.context  # neither the panel nor anything else names it
        intro = request.questions.intro or (request.questions.title if untitled else "")
        return Group(*([Text(safe(intro))] if intro else []), facts)

    # -- the time, and the end ------------------------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        """Note each key before it reaches its target."""
        if isinstance(event, events.Key | events.Paste | events.MouseEvent):
            self._filling.touch()
        if isinstance(event, events.Key | events.Paste) and not self._notice.has_class("-off"):
            self.say("")
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            if isinstance(event, events.Key):
                key = Stroke(event.key, text_of(event), read_at(self, event, self.clock))
                self.hands.come(key, None if isinstance(self.focused, RequestPanel) else To.PANEL)
            if self.screen_stack and not self.panel.is_mounted:
                await AwaitMount(self.screen, [self.panel])  # the panel takes what comes ahead of it
        await super().on_event(event)

    def _update_countdown(self) -> None:
        if self.panel.countdown != (words := self._filling.countdown):
            self.panel.countdown = words

    def _changed(self, change: object) -> None:
        if isinstance(change, Settled):
            self.exit()

    def _leave(self) -> None:
        """Leave, if the key was pressed a second time behind the words that say so."""
        verdict = self.hands.judge_last(Face(KeyKind.DECIDE, prompts=False, twice="leave", reads=True))
        if verdict.sign is not None:
            self.say(LEAVE.format(self._filling.kept.capitalize(), shown_key(self.hands.key.name)))
        elif verdict.to is To.PANEL:
            self.hands.wait(self.hands.key, verdict.after, self.exit, partial(after, self), alone=True)

    # -- keys -----------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave Esc to the panel while it has something of its own to close."""
        if parameters != ("go_back",):
            return super().check_action(action, parameters)
        state = self.panel.state
        closes = state.typing and state.focus is not Focus.FIELD
        asks = state.focus is Focus.DECLINE or isinstance(self.screen, ModalScreen)
        return not (closes or asks or state.large)

    async def action_do(self, name: str) -> None:
        """Scroll, go back, show the keys, or leave: by its own key, or back from the first question."""
        match name:
            case "help":
                if not isinstance(self.screen, ModalScreen):
                    helping = await asyncio.to_thread(import_module, "ccq_tui.screens.help")
                    sections = (self.panel.help_place, KeyPlace.FORM, helping.TEXT)
                    self.push_screen(helping.HelpScreen(helping.key_rows(keymap(), sections)))
            case "go_back" if self.panel.state.tab > 0:
                self.panel.dispatch(Pressed("shift+tab"))
            case "go_back" | "quit":
                self._leave()
            case _:
                by = max(1, self._about.size.height - 1) if name.startswith("page") else 1
                self._about.scroll_relative(y=-by if name.endswith("up") else by, animate=False)

    def say(self, text: str) -> None:
        self._notice.update(safe(text))
        self._notice.set_class(not text, "-off")

    # -- the place of the panel -----------------------------------------------------------------------------

    async def _ended(self, opened: OpenRequest, _: RequestOutcome, error: InboxError | None) -> None:
        """Ask again what the inbox did not take; else the end of the request ends the app."""
        if error is not None:
            self.panel.rest()
            self.panel.begin(opened, asked_for=True)
            self.say(f"Not answered: {error}")

    def _unfold(self) -> None:
        """Unfold the panel: there is nothing else here."""
        if self.panel.state.hidden:
            self.panel.dispatch(Pressed("f2"))


async def show_form(filling: Filling, early: EarlyPrompt | None = None) -> None:
    """Show a form until it is settled, or the person leaves it; raises `SettingsError`.

    It takes the terminal, and what was typed there, over from ``early``.
    """
    loaded = await asyncio.to_thread(load_settings, project=False)
    app = FormApp(filling, loaded.settings, early=early)
    try:
        await app.run_async()
    finally:
        await end_editors(app)
        end_driver(app)
