"""The base of the screens of a session and of a recording: log pane, dock, and their controllers."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual import events, on
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker

from ccq_tui.commands.command import PASSING_SECONDS, PickRow, Work
from ccq_tui.compat.textual.driver import is_lent
from ccq_tui.compat.textual.nodes import bind_first
from ccq_tui.config.keymap import key_of, with_keys
from ccq_tui.config.launch import Launch
from ccq_tui.input.gate import Face, Stroke
from ccq_tui.input.keynames import shown_key
from ccq_tui.input.keys import SETTINGS, KeyPlace
from ccq_tui.runtime.events import OWN_EVENTS, SessionEvent
from ccq_tui.runtime.facts import SessionFacts
from ccq_tui.runtime.session import SupervisedSession
from ccq_tui.runtime.view import Surroundings
from ccq_tui.screens.clipboard import copy
from ccq_tui.screens.editor import GROUP, edit_for, edit_path
from ccq_tui.screens.link_opener import Target, open_target, resolved
from ccq_tui.screens.pickers import Picker
from ccq_tui.screens.session.dock import Dock
from ccq_tui.screens.session.requests import RequestQueue
from ccq_tui.screens.session.ui import ProgramAction, SessionUi
from ccq_tui.text import one_line
from ccq_tui.transcript.blocks import Block, PromptBlock, ToolBlock
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.keys import bindings_at, bindings_for, keyboard_of
from ccq_tui.widgets.lifetime import after, failure, is_live, start_work
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.prompt import Prompt
from ccq_tui.widgets.search_bar import SearchBar
from ccq_tui.widgets.status_line import StatusLine
from ccq_tui.widgets.transcript import Transcript
from ccq_tui.widgets.transcript.reading import code_in, targets_at, targets_in, text_of


class BlockBar(HintBar):
    """Shows the keys for the current block and its position; takes no room while there is none."""

    DEFAULT_CSS = """
    BlockBar {
        background: $surface;
        display: none;
        &.-on { display: block; }
    }
    """

    def tell(self, block: Block | None, count: int) -> None:
        self.set_class(block is not None, "-on")
        if block is None:
            return
        fold = ((key_of("fold_block"), "unfold" if block.folded else "fold"),) if block.foldable else ()
        self.show(
            (
                ("▌", one_line(block.tool if isinstance(block, ToolBlock) else block.called, 24)),
                (key_of("copy_block"), "copy"),
                *fold,
                (key_of("copy_code"), "copy code"),
                (key_of("open_link"), "open link"),
                (with_keys("{block_up} {block_down}"), "move"),
                ("Esc", "leave"),
            ),
            f"{block.at + 1:,}/{count:,}",
        )


HOW = "No block is marked · {block_up} marks one"
DOUBLE_CLICK = 0.3
"""Seconds in which a second click means that the first one was to select."""


class BlockActions:
    """Moves a mark from block to block, and acts on the marked one or on one that is clicked."""

    def __init__(self, ui: SessionUi) -> None:
        self._ui = ui
        self._opening: asyncio.TimerHandle | None = None
        self._cycle: tuple[Block | None, str, int] = (None, "", -1)

    def mark(self, direction: int, kind: type[Block]) -> None:
        """Mark the next block or prompt."""
        if not self._ui.transcript.block_mark.move(direction, kind):
            word, way = "prompt" if kind is PromptBlock else "block", "above" if direction < 0 else "below"
            self._ui.say(f"No {word} further {way}")

    def fold(self) -> None:
        """Unfold the marked block, or fold it."""
        if self._marked() is not None and not self._ui.transcript.block_mark.toggle():
            self._ui.say("The whole block is shown already")

    async def copy(self, block: Block) -> None:
        """Copy a block."""
        text = await asyncio.to_thread(text_of, block)
        await copy(self._ui.app, text)
        self._ui.say(f"Copied {len(text):,} characters")

    async def copy_code(self, block: Block) -> None:
        """Copy the next piece of code of a block."""
        pieces = await asyncio.to_thread(code_in, block)
        if not pieces:
            self._ui.say("The block has no code")
            return
        number = self._next(block, "code", len(pieces))
        await copy(self._ui.app, pieces[number])
        first = one_line(pieces[number].strip().split("\n", 1)[0], 40)
        self._ui.say(f"Copied {_which(number, pieces, 'code', key_of('copy_code'))}: {first}")

    async def open(self, block: Block) -> None:
        """Open the next link or path of a block."""
        targets = await asyncio.to_thread(lambda: resolved(targets_in(block), self._ui.view.cwd))
        if not targets:
            self._ui.say("The block has no link and no path of an existing file")
            return
        number = self._next(block, "target", len(targets))
        said = await open_target(self._ui.app, targets[number])
        more = f" · {_which(number, targets, '', key_of('open_link'))}" if len(targets) > 1 else ""
        self._ui.say(said + more)

    def clicked(self, event: Transcript.Pointed) -> None:
        """Open what was clicked, unless a second click selects."""
        if self._opening is not None:
            self._opening.cancel()
            self._opening = None
        if event.chain == 1:
            self._opening = self._ui.after(DOUBLE_CLICK, partial(self._open_at, event))

    def _open_at(self, event: Transcript.Pointed) -> None:
        self._opening = None
        self._start(partial(self._open_pointed, event))

    async def _open_pointed(self, event: Transcript.Pointed) -> None:
        named = partial(targets_at, event.block, event.strips, event.line, event.cell)
        if targets := await asyncio.to_thread(lambda: resolved(named(), self._ui.view.cwd)):
            self._ui.say(await open_target(self._ui.app, targets[0]))

    def _marked(self) -> Block | None:
        block = self._ui.transcript.mark
        if block is None:
            self._ui.say(with_keys(HOW))
        return block

    def do(self, work: Callable[[Block], Coroutine[Any, Any, None]]) -> None:
        """Do something with the marked block, beside the keys."""
        if (block := self._marked()) is not None:
            self._start(partial(work, block))

    def _next(self, block: Block, what: str, count: int) -> int:
        """Return the number of the one to take: the next one when the key is repeated."""
        before, kind, number = self._cycle
        number = (number + 1) % count if before is block and kind == what else 0
        self._cycle = (block, what, number)
        return number

    def _start(self, work: Work) -> None:
        self._ui.start(work, "block", group="block", exclusive=True)


def _which(number: int, all_of_them: list[str] | list[Target], what: str, key: str) -> str:
    if len(all_of_them) == 1:
        return f"the {what}"
    return f"{what} {number + 1} of {len(all_of_them)} ({key} the next)".strip()


SELDOM = 20.0
"""Seconds after which a count of seconds changes for a screen reader, which reads each change."""
READING: Mapping[str, Callable[[Any], object]] = {
    "page_up": lambda s: s.transcript.go(pages=-1),
    "page_down": lambda s: s.transcript.go(pages=1),
    "line_up": lambda s: s.transcript.go(lines=-1),
    "line_down": lambda s: s.transcript.go(lines=1),
    "top": lambda s: s.transcript.action_home(),
    "bottom": lambda s: s.transcript.action_end(),
    "unfold": lambda s: s.transcript.toggle_folds(),
    "copy": lambda s: s.copy_or_quit(),
    "search": lambda s: s.open_search(),
    "block_up": lambda s: s.blocks.mark(-1, Block),
    "block_down": lambda s: s.blocks.mark(1, Block),
    "prompt_up": lambda s: s.blocks.mark(-1, PromptBlock),
    "prompt_down": lambda s: s.blocks.mark(1, PromptBlock),
    "fold_block": lambda s: s.blocks.fold(),
    "copy_block": lambda s: s.blocks.do(s.blocks.copy),
    "copy_code": lambda s: s.blocks.do(s.blocks.copy_code),
    "open_link": lambda s: s.blocks.do(s.blocks.open),
    "panel": lambda s: s.requests.toggle(),
    "copy_draft": lambda s: s.requests.copy_drafts(),
    "unmark": lambda s: s.transcript.leave_mark(),
}
"""The actions of the table of keys on a screen with a transcript."""


class SessionBase(Screen[None]):
    """Shows the events of a session, and lets a person read it and answer; each concern has its controller.

    After the transcript, the controllers get each event in the order of `listeners`.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(*(name for name in READING if name in SETTINGS))]
    actions: ClassVar[Mapping[str, Callable[[Any], object]]] = READING
    """The actions of the table of keys here, by name."""
    rests_on: ClassVar[KeyPlace] = KeyPlace.PROMPT
    """Place that has the keys while nothing is asked, searched or marked."""
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """Widget that has the keys; Textual would redraw the whole screen for another one, not only these two."""

    class EventsArrived(Message):
        """The session sent something; the events are in the screen's queue."""

    def __init__(self, session: SupervisedSession, transcript: Transcript, dock: Dock) -> None:
        super().__init__()
        self.session = session
        self.transcript = transcript
        self.dock = dock
        self.block_bar = BlockBar()
        self.search_bar = SearchBar(transcript.search.look_for, transcript.search.next, self.close_search)
        transcript.mark_changed = lambda: self.block_bar.tell(transcript.mark, len(transcript.model.blocks))
        transcript.found_changed = self.search_bar.tell
        self.status_line = StatusLine()
        self.clock = session.clock
        self.view = session.facts
        self.around = Surroundings()
        if session.launch.settings.screen_reader:
            transcript.second = SELDOM
        if session.launch.settings.verbose:
            transcript.toggle_folds()
        self.requests = RequestQueue(self)
        self.blocks = BlockActions(self)
        self.listeners: tuple[Callable[[SessionEvent], None], ...] = (self.requests.take,)
        """Receivers of each event, in this order."""
        self.shown_by: tuple[Callable[[], None], ...] = ()
        """Functions that draw after a change, in this order."""
        self._arrived: deque[tuple[SessionEvent, SessionFacts]] = deque()
        self._picker: Picker | None = None
        self._asked_by = Stroke("")
        """The key that began the command that runs: a list that opens behind another key came by itself."""
        self._styled = False
        session.subscribe(self.take)
        dock.follow(session, self._handle_events)

    # -- what controllers use; `ccq_tui.screens.session.ui` says it ----------------------------------------

    @property
    def launch(self) -> Launch:
        """The launch that started the session."""
        return self.session.launch

    @property
    def live(self) -> bool:
        """Whether the screen is composed and is not going away."""
        return is_live(self) and self.dock.is_attached

    @property
    def prompt(self) -> Prompt:
        """The field of the prompt."""
        return self.dock.prompt

    def say_unsent(self, words: str, seconds: float) -> None:
        self.dock.say_unsent(words, seconds)

    async def pick(self, title: str, rows: Iterable[PickRow], by_itself: bool, **options: Any) -> str | None:
        return await self.choose(Picker(title, rows, **options), by_itself)

    async def choose(self, picker: Picker, by_itself: bool) -> str | None:
        """Let the person choose from a list over the screen; None when they left it."""
        self._picker = picker
        picker.takes_lines = partial(self._make_room, picker)
        picker.by_itself = by_itself or keyboard_of(self).key is not self._asked_by
        self._say_what_waits()
        try:
            return await self.app.push_screen_wait(picker)
        finally:
            self._picker = None

    def _make_room(self, picker: Picker, lines: int) -> None:
        if lines or self._picker in (picker, None):  # else the next list has its own lines already
            self.dock.make_room(lines)

    def _say_what_waits(self) -> None:
        """Show in an open list that something waits behind it."""
        if self._picker is not None:
            self._picker.say(f"◆ {self.dock.line.summary()} · Esc" if self.dock.line.items else "")

    async def copy(self, text: str) -> None:
        await copy(self.app, text)

    def edit_file(self, path: Path, then: str = "") -> None:
        if not is_lent(self.app):
            self.start(partial(self._edit_file, path, then), "editor", group=GROUP)

    async def _edit_file(self, path: Path, then: str) -> None:
        if problem := await edit_path(self.app, path):
            self.say(problem)
        elif await asyncio.to_thread(path.is_file):
            words = f"The editor was closed: {path}"
            self.say(f"{words} · a change {then}" if then else words, seconds=8.0)
        else:
            self.say(f"Nothing was saved · {path} does not exist")

    @property
    def in_front(self) -> bool:
        """Whether this session is the one on the screen, a list over it or not."""
        return self in self.app.screen_stack

    def say(self, text: str, seconds: float = PASSING_SECONDS, of: str = "", key: str = "") -> None:
        """Show a text above the prompt for some seconds; see `NoticeLine.say`."""
        self.dock.notices.say(text, seconds, of, key)

    def note(self, text: str, level: str = "info") -> None:
        """Add a notice to the transcript."""
        self.transcript.add_notice(text, level)

    def start(self, work: Work, name: str, *, group: str = "default", exclusive: bool = False) -> None:
        """Run a coroutine beside the keys, for as long as the screen lives."""
        if group == "command":
            self._asked_by = keyboard_of(self).key
        start_work(self, work, name=name, group=group, exclusive=exclusive)

    def act(self, name: str, *arguments: Any) -> None:
        """Have the program do one of its actions."""
        self.post_message(ProgramAction(name, *arguments))

    def after(self, seconds: float, call: Callable[[], object]) -> asyncio.TimerHandle:
        """Call something after a time, if the screen still lives then."""
        return after(self, seconds, call)

    def edit(self, text: str, put: Callable[[str], None]) -> None:
        """Edit a text in the person's editor; ``put`` takes what was saved, if anything was."""
        edit_for(self, text, put, self.say)

    def changed(self) -> None:
        for show in self.shown_by:
            show()

    # -- events of the session ------------------------------------------------------------------------------

    def take(self, event: SessionEvent) -> None:
        """Queue an event; all that come before the queue is read are handled together."""
        self._arrived.append((event, self.session.facts))
        if len(self._arrived) == 1:
            self.post_message(self.EventsArrived())

    @on(EventsArrived)
    def _handle_events(self) -> None:
        if not self._arrived:
            return  # a panel that opened took all of them along
        while self._arrived:
            event, self.view = self._arrived.popleft()
            if not isinstance(event, OWN_EVENTS):
                self.transcript.apply(event)
            for take in self.listeners:
                take(event)
        self.changed()

    # -- the screen -----------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Let Esc unmark first, and notice at once when a screen covers this one or goes away."""
        (unmark,) = bindings_at(KeyPlace.TRANSCRIPT)
        bind_first(self, unmark.key, unmark.action, unmark.description)
        # Immediate: a key may come before the event that says that another screen has gone.
        self.app.screen_change_signal.subscribe(self, self._came_up, immediate=True)

    @on(events.ScreenResume)
    def _resumed(self, event: events.ScreenResume) -> None:
        """Style everything once: a screen that is shown for the first time gets this event twice."""
        if event.refresh_styles:
            event.refresh_styles = not self._styled
            self._styled = self.is_attached
        if self.live:
            self.requests.came_up()
        self.changed()

    @on(events.ScreenSuspend)
    def _suspended(self) -> None:
        """Have everything styled again when it is shown next."""
        self._styled = False
        if self.live:
            self.requests.covered()

    def _came_up(self, screen: Screen[Any]) -> None:
        if screen is self and self.live:
            self.requests.came_up()

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        """Give a widget the focus; a panel that opens while somebody searches waits for the search's end."""
        above = widget.ancestors_with_self if widget is not None and self.search_bar.is_open else ()
        if not any(isinstance(one, RequestPanel | Prompt) for one in above):
            super().set_focus(widget, scroll_visible, from_app_focus)

    def open_search(self) -> None:
        """Open the field of the search; if it is open, go to the next place."""
        if self.search_bar.is_open:
            self.transcript.search.next(1)
            return
        self.transcript.begin_search()
        self.search_bar.open()
        self.set_focus(self.search_bar.field, scroll_visible=False)
        self.transcript.search.look_for(self.search_bar.field.value)
        self.changed()

    def close_search(self) -> None:
        """Close the field of the search; the panel, or else the prompt, gets the focus back."""
        if not self.search_bar.is_open:
            return
        self.search_bar.close()
        self.changed()
        self.transcript.end_search()
        if (panel := self.dock.panel) is not None and not panel.state.hidden:
            self.set_focus(panel, scroll_visible=False)
            self.dock.uncover()
        else:
            self.prompt.take_focus()

    @on(Worker.StateChanged)
    def _work_changed(self, event: Worker.StateChanged) -> None:
        if words := failure(event):
            self.note(words, "error")

    # -- keys -----------------------------------------------------------------------------------------------

    @property
    def help_place(self) -> KeyPlace:
        """The keys that F1 lists first: those of the part that has the keys."""
        panel = self.dock.panel
        if self.live and self.search_bar.is_open:
            return KeyPlace.SEARCH
        if panel is not None and not panel.state.hidden:
            return panel.help_place
        return KeyPlace.TRANSCRIPT if self.transcript.mark is not None else self.rests_on

    def action_do(self, name: str) -> None:
        """Do an action of the table of keys."""
        keyboard_of(self).note_command()
        self.actions[name](self)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Take Esc for the mark only while a block is marked, and leave pages to an enlarged preview."""
        if parameters == ("unmark",):
            return self.live and self.transcript.mark is not None
        panel = self.focused
        if parameters[:1] in (("page_up",), ("page_down",)) and isinstance(panel, RequestPanel):
            return not panel.enlarged
        return super().check_action(action, parameters)

    def copy_or_quit(self) -> None:
        """Copy what is selected; with nothing selected, stop what runs, and quit when pressed twice."""
        selected = self.get_selected_text() or getattr(self.focused, "selected_text", "")
        if selected:
            self.start(partial(copy, self.app, selected), "copy", group="copy", exclusive=True)
            self.say(f"Copied {len(selected):,} characters")
        else:
            self.quit_again("ctrl+c", self.stop)

    def quit_again(self, key: str, first: Callable[[], str] = str) -> None:
        """Quit when a key is pressed twice; ``first`` does what one press does, and returns words."""
        words = f"{shown_key(key)} again quits"
        said = lambda: " · ".join(filter(None, (first(), words)))  # noqa: E731
        self.dock.pressed(Face(twice="quit"), self.quit, said)

    def stop(self) -> str:
        """Stop what Ctrl+C stops; return what to say of it, or ""."""
        return ""

    def quit(self) -> None:
        """End all sessions, then the program."""
        start_work(self.app, partial(self.app.run_action, "quit"), name="quit", fatal=True)

    # -- messages of the widgets, each to its controller ----------------------------------------------------

    @on(Transcript.Looked)
    def _looked(self) -> None:
        self.requests.looked()

    @on(Transcript.Pointed)
    def _pointed(self, event: Transcript.Pointed) -> None:
        self.blocks.clicked(event)

    @on(events.Click)
    def _clicked(self, event: events.Click) -> None:
        """Close the search on a click into the dock: the person wants to type there."""
        if event.widget is not None and self.dock in event.widget.ancestors_with_self:
            self.close_search()

    @on(Dock.LineChanged)
    def _line_changed(self) -> None:
        self.transcript.stand(self.dock.places)
        self.changed()
        self._say_what_waits()
