"""A small app around one panel: a page of text above, the panel docked under it."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sized
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, Self, cast

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.screen import Screen
from textual.theme import Theme
from textual.widget import Widget
from textual.widgets import Static

from ccq_tui import theming
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.draft import Draft, first_draft
from ccq_tui.inbox.kinds import outcome_of
from ccq_tui.inbox.open_request import Signal
from ccq_tui.inbox.requests import PermissionRequest, PlanRequest, Request
from ccq_tui.questions import QuestionSet
from ccq_tui.questions.state import PanelState, opened
from ccq_tui.theming.load import shipped
from ccq_tui.widgets.hints import HIDES
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.transcript import Transcript
from tests.ui.drawn import fault_of, screen_lines

NAMED = {"space": " ", "slash": "/", "enter": "\r", "tab": "\t", "escape": "\x1b", "backspace": "\x7f"}
"""Keys whose names are not what they send."""
DECIDING = frozenset({"enter", "y", "n", "ctrl+d"})
MOST_TURNS = 20_000
QUIET_TURNS = 4
"""Turns of the event loop without work until all is done: what awaited something takes some to go on."""


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def skip(self, seconds: float) -> None:
        self.now += seconds

    def skip_grace(self) -> None:
        self.skip(1.0)


class QuickPilot(Pilot[None]):
    """Presses the keys of one call back to back, as people type, and waits only while there is work."""

    async def press(self, *keys: str) -> None:
        """Press keys and wait until all that comes of them is done and drawn.

        A key that may decide comes after a frame, as behind a person who has seen what it decides.
        """
        burst: list[str] = []
        for key in keys:
            if burst and key in DECIDING:
                await self._press(*burst)
                burst = []
            burst.append(key)
        await self._press(*burst)

    async def _press(self, *keys: str) -> None:
        cast("PanelHost", self.app).burst(*keys)
        await self.pause()
        look(self.app)

    async def put(self, *asked: Any, **options: Any) -> None:
        """Put another panel in the place of the one that is there: half of what another program costs.

        Args:
            asked: What it asks.
            **options: What else the panel is made with, as the program takes it.
        """
        host = cast("PanelHost", self.app)
        await host.put(*asked, **options)
        await self.pause()
        host.clock.skip_grace()

    async def pause(self, delay: float | None = None) -> None:
        """Wait until nothing is left to do or to draw, by the queues: a busy machine looks idle."""
        assert delay is None, "wait for states, not for time"
        await handled(self.app, drawn)
        if not all_wait(self.app):
            # Who handles a message now has none left in the queue, and shows by a call that it is done.
            await self._wait_for_screen()
            await handled(self.app, drawn)


def drawn(app: App[Any]) -> bool:
    """Draw what is to be drawn, and say whether there was something."""
    if has_to_draw(app.screen) and not app._batch_count:  # a batch is drawn once it ends
        app.screen._on_timer_update()
    elif app._resize_event is not None:
        app._check_resize()
    else:
        return False
    return True


async def handled(app: App[Any], more: Callable[[App[Any]], bool] = lambda _: False) -> None:
    """Wait until an app has handled all that was posted; nothing is drawn for it unless ``more`` does so."""
    quiet, due = 0, _due()
    for _ in range(MOST_TURNS):
        await asyncio.sleep(0)
        if app._exception is not None or app._exit or not app._running or not app.screen_stack:
            return
        if ((due or quiet + 1 == QUIET_TURNS) and any(_has_work(pump) for pump in _pumps(app))) or more(app):
            quiet = 0
        elif (quiet := quiet + 1) == QUIET_TURNS:
            return
    raise AssertionError("there is always more to do")


def all_wait(app: App[Any]) -> bool:
    """Say whether each widget waits for its next message: none has one, and none handles one."""
    return not any(
        _has_work(pump) or not (pump._message_queue.ready_event._waiters or pump._closing or pump._closed)
        for pump in _pumps(app)
    )


def look(app: App[Any]) -> None:
    """Draw what is left to draw, and look at it, unless something goes on."""
    if app._exit or not app._running or app._exception is not None or not app.screen_stack:
        return
    if has_to_draw(app.screen):
        app.screen._on_timer_update()
    due = any(one._pace._timer for one in app.screen.walk_children(Transcript))  # its next frame shows more
    if all_wait(app) and not has_to_draw(app.screen) and not due and (fault := fault_of(app)):
        raise AssertionError(fault)


def _due() -> Sized:
    """Give what the event loop runs in its next turn: while that is nothing, no widget has begun anything."""
    return cast("Sized", asyncio.get_running_loop()._ready)  # type: ignore[attr-defined]


def _pumps(app: App[Any]) -> tuple[MessagePump, ...]:
    return (app, *app.screen.walk_children(with_self=True))


def _has_work(pump: MessagePump) -> bool:
    return bool(not pump._message_queue.empty() or pump._pending_message or pump._next_callbacks)


def has_to_draw(screen: Screen[Any]) -> bool:
    wanted = screen._layout_required or screen._scroll_required or screen._repaint_required
    return bool(wanted or screen._dirty_widgets or screen._callbacks)


@cache
def _themes() -> list[Theme]:
    return [theming.read_theme(path) for path in shipped()]


class Asked:
    """Stands for an open request in no inbox."""

    stale = None

    def __init__(self, shown: Draft, app: "PanelHost", request: Request | None = None) -> None:
        self.shown, self.draft, self._app, self.request = shown, shown, app, request
        self.changed: Signal[Any] = Signal()

    def show(self) -> None:
        """Leave it as it is."""

    def type(self, draft: Any, _actor: Actor) -> None:
        self._app.drafts.append(draft)


class Host(App[None]):
    """Shows widgets alone, with the colours of a theme of ours if one is named."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, *widgets: Widget, theme: str = "") -> None:
        super().__init__()
        self._widgets = widgets
        if theme:
            theming.install(self, theme)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theming.variable_defaults()

    def compose(self) -> ComposeResult:
        yield from self._widgets


class PanelHost(Host):
    """Shows a panel as the program does, and keeps what it does for it."""

    surface = Surface.PANEL
    prompt: Any = None
    directory, hides, alone = "", HIDES, False

    CSS = "#page { height: 1fr; padding: 0 1; color: $ccq-muted; } RequestPanel { dock: bottom; }"

    panel: RequestPanel

    def __init__(self, *asked: Any, theme: str = "ccq-dark", **options: Any) -> None:
        """Ask something; see `_made` for what, and with which options."""
        super().__init__()
        self.clock = Clock()
        self.edited: list[str] = []
        self.late: list[events.Key | events.Paste] = []
        self.drafts: list[PanelState] = []
        self.outcomes: list[Any] = []
        self._begin_in(theme)
        self.panel = self._made(*asked, **options)

    def _made(
        self, *asked: Any, title: str = "", session: str = "api-refactor", **options: Any
    ) -> RequestPanel:
        """Return a panel that asks questions, a permission or a plan, or goes on with a draft."""
        self.session, self.unseen_above = session, lambda: (0, False)
        request: Request | None = None
        match asked:
            case (PanelState() as state,):
                pass
            case (PermissionRequest() | PlanRequest() as request,):
                state = first_draft(request)
            case _:
                state = opened(QuestionSet("toolu_1", asked, title=title))
        panel = RequestPanel(cast("Any", self), self.clock)
        panel.begin(cast("Any", Asked(state, self, request)), **options)
        return panel

    async def put(self, *asked: Any, **options: Any) -> None:
        """Put another panel in the place of the one that is there."""
        await self.replace(self._made(*asked, **options))

    async def replace(self, panel: RequestPanel) -> None:
        await self.panel.remove()
        self.edited.clear()
        self.outcomes.clear()
        self.panel = panel
        await self.screen.mount(self.panel)

    def watch_app_focus(self, focused: bool) -> None:
        self.focused_at = self.clock() if focused else 0.0

    def _begin_in(self, theme: str) -> None:
        """Have a theme from the start: to change it later means to style everything twice."""
        for known in _themes():
            self.register_theme(known)
        self.set_reactive(App.theme, theme)
        self.stylesheet.set_variables(self.get_css_variables())
        self.add_class(f"-theme-{theme}", update=False)
        self.set_class(self.current_theme.dark, "-dark-mode", update=False)
        self.set_class(not self.current_theme.dark, "-light-mode", update=False)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("● I looked at the three services. Two things are for you to decide.", id="page")
        yield self.panel

    def settle(self, opened: Any, outcome: Any) -> None:
        request = opened.request
        self.outcomes.append(outcome_of(request, outcome, opened.draft.edited) if request else outcome)

    def edit(self, text: str, _put: Any) -> None:
        self.edited.append(text)

    def folded(self, *_: Any) -> None:
        """Leave it as it is."""

    typed = folded

    def type_late(self, typed: Any) -> None:
        self.late.extend(typed)

    @property
    def state(self) -> PanelState:
        return self.panel.state

    @property
    def screen_lines(self) -> list[str]:
        """What is on the screen, line by line."""
        return screen_lines(self)

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

    @asynccontextmanager
    async def run_test(self, **wanted: Any) -> AsyncGenerator[QuickPilot, None]:
        async with super().run_test(**wanted):
            pilot = QuickPilot(self)
            await pilot.pause()
            self.clock.skip_grace()
            yield pilot

    @asynccontextmanager
    async def shown(self, **wanted: Any) -> AsyncGenerator[tuple[Self, QuickPilot], None]:
        """Run it for as long as a test looks at it, with what ``run_test`` takes."""
        async with self.run_test(**wanted) as pilot:
            yield self, pilot

    def burst(self, *keys: str) -> None:
        """Post keys back to back, as a terminal does that reads them in one go."""
        for key in keys:
            character = NAMED.get(key, key if len(key) == 1 else None)
            self.post_message(events.Key(key, character))

    def paste(self, text: str) -> None:
        """Post a bracketed paste."""
        self.post_message(events.Paste(text))


def counted(patch: pytest.MonkeyPatch, owner: object, name: str) -> list[str]:
    """Return a list that gets the name of a method for each of its calls."""
    calls: list[str] = []
    method = getattr(owner, name)

    def noted(*arguments: Any) -> Any:
        calls.append(name)
        return method(*arguments)

    patch.setattr(owner, name, noted)
    return calls


def same_picture(compare: Callable[..., bool], app: App[Any]) -> bool:
    """Compare what an app shows with its stored picture, without starting it once more for that."""
    shown = app.export_screenshot(title=app.title, simplify=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textual._doc.take_svg_screenshot", lambda **_: shown)
        return compare(app)


async def until(pilot: Pilot[Any], what: Callable[[], object], tries: int = 2000) -> None:
    """Wait until something holds, at most for so many looks, a hundredth of a second apart.

    Looking alone costs nothing; a pause of the pilot asks every widget, so there is one, once it holds.
    """
    for tried in range(tries):
        if what():
            # Also where it held at once: what it came with, such as a panel, may not be mounted yet.
            await pilot.pause(0)
            return
        await asyncio.sleep(0.01)
        if tried >= 300:  # that time leapt; what comes from outside of the program takes its own
            await asyncio.to_thread(time.sleep, 0.01)
        if pilot.app._exception is not None:
            raise AssertionError("the program failed meanwhile") from pilot.app._exception
    raise AssertionError("it did not come about")


async def press_later(
    pilot: Pilot[Any], *keys: str, seconds: float = 1.0, then: Callable[[], object] | None = None
) -> None:
    """Let time pass by the program's clock, press keys, and wait until something holds then."""
    pilot.app.clock.skip(seconds)  # type: ignore[attr-defined]
    await pilot.press(*keys)
    if then is not None:
        await until(pilot, then)


async def type_text(pilot: Pilot[None], text: str) -> None:
    """Type a text key by key."""
    await pilot.press(*("space" if character == " " else character for character in text))
