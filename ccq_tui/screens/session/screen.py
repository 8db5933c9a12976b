"""The screen of one session: it takes the session's events, and passes on the person's input."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget

from ccq_tui.agent.events import AgentEvent
from ccq_tui.agent.reader import ReaderError, earlier_sessions
from ccq_tui.commands.command import ASKING, Command, PickRow, Work
from ccq_tui.commands.table import COMMANDS
from ccq_tui.commands.wiring import Leading
from ccq_tui.compat.textual.driver import is_lent
from ccq_tui.compat.textual.nodes import bind_first
from ccq_tui.config.keymap import key_of
from ccq_tui.config.launch import Launch
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.input.gate import Face, Stroke
from ccq_tui.input.keynames import shown_key
from ccq_tui.input.keys import SETTINGS, KeyPlace
from ccq_tui.prompts.images import PromptImage
from ccq_tui.runtime.facts import SessionFacts
from ccq_tui.runtime.session import SupervisedSession
from ccq_tui.runtime.view import Surroundings
from ccq_tui.screens.editor import GROUP, edit_file
from ccq_tui.screens.picker import Picker
from ccq_tui.screens.session import screen_commands
from ccq_tui.screens.session.blocks import BlockActions, BlockBar
from ccq_tui.screens.session.dock import Dock
from ccq_tui.screens.session.notifications import Notifications
from ccq_tui.screens.session.prompts import PromptImages, Prompts, Remedies
from ccq_tui.screens.session.status import Status, StatusOutput
from ccq_tui.screens.session.ui import ProgramAction
from ccq_tui.screens.terminal import Bar
from ccq_tui.transcript.blocks import Block, PromptBlock
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.widgets.completer import Completer
from ccq_tui.widgets.keys import bindings_at, bindings_for, keyboard_of
from ccq_tui.widgets.lifetime import WorkFailed, after, is_live, soon, start_work
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.prompt import Prompt
from ccq_tui.widgets.search_bar import SearchBar
from ccq_tui.widgets.status_line import StatusLine
from ccq_tui.widgets.strip import Strip
from ccq_tui.widgets.transcript import Transcript

PROMPT_KEYS = ("mode", "leave", "stash", "paste", "model", "thinking", "tasks", "background")
"""Actions whose keys work in the prompt alone, since a panel uses or types them."""
ACTIONS: Mapping[str, Callable[[Any], object]] = {
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
    "panel": lambda s: s.dock.toggle() or s.act("waiting"),
    "copy_draft": lambda s: s.say(s.dock.drafts.copy(s.app.copy_to_clipboard)),
    "unmark": lambda s: s.transcript.leave_mark(),
    "recover": lambda s: s.remedies.do(),
    "sessions": lambda s: s.act("strip"),
    "waiting": lambda s: s.act("next waiting"),
    "overview": lambda s: s.act("overview"),
    "session_next": lambda s: s.act("step", 1),
    "session_before": lambda s: s.act("step", -1),
    "mode": lambda s: s.models.next_mode(),
    "leave": lambda s: s.quit_again(),
    "stash": lambda s: s.say(s.dock.prompt.stash()),
    "paste": lambda s: s.images.paste(),
    "model": lambda s: s.take_command("/model"),
    "thinking": lambda s: s.take_command("/thinking"),
    "tasks": lambda s: s.take_command("/tasks"),
    "background": lambda s: s.take_command("/background"),
    "interrupt": lambda s: s.prompts.interrupt(),
    "editor": lambda s: s.prompts.edit(),
    "history": lambda s: s.prompt.display and s.prompt.search(),
    "new_session": lambda s: s.act("new"),
    "palette": lambda s: s.prompt.display and s.runner.run(partial(_do_any, s), "palette"),
}
"""The actions of the table of keys on the screen of a session."""


class SessionScreen(Screen[None], Leading):
    """Transcript above, prompt or panel below, status at the bottom; each concern has its controller.

    After the transcript, the controllers get each event in the order of `listeners`.
    """

    # Above a full panel a notice is a line too many: it takes the last line, not the width of all of them.
    DEFAULT_CSS = """
    SessionScreen { overflow: hidden; & > Transcript { height: 1fr; } }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for(*(name for name in ACTIONS if name in SETTINGS)),
        *(Binding(f"alt+{at}", f"go_to_session({at})", show=False, priority=True) for at in range(1, 10)),
    ]
    mode = ""
    """The mode of Textual in which it is shown; it never changes."""
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """Widget that has the keys; Textual would redraw the whole screen for another one, not only these two."""

    def __init__(self, session: SupervisedSession, inbox: Inbox) -> None:
        super().__init__()
        launch = session.launch
        self.session, self.clock, self.view, self.inbox = session, session.clock, session.facts, inbox
        self.around = Surroundings()
        self.transcript = transcript = Transcript(TranscriptModel(session.clock))
        self.dock = Dock(session, transcript, self._handle_events)
        self.prompt, self.say_unsent = self.dock.prompt, self.dock.say_unsent
        self.say, self.note = self.dock.notices.say, transcript.add_notice
        self.block_bar = BlockBar()
        self.block_bar.display = False
        self.search_bar = SearchBar(transcript.search.find, transcript.search.next, self.close_search)
        transcript.mark_changed = lambda: self.block_bar.tell(transcript.mark, len(transcript.model.blocks))
        transcript.found_changed = self.search_bar.tell
        self.status_line = StatusLine()
        self.strip = Strip(partial(self.act, "go to"))
        if launch.settings.screen_reader:
            transcript.second = 20.0  # it reads each change of a count
        if launch.settings.verbose:
            transcript.toggle_folds()
        self._noted: tuple[object, ...] = ()
        self._arrived: deque[tuple[AgentEvent, SessionFacts]] = deque()
        self._picker: Picker | None = None
        self._asked_by = Stroke("")
        """The key that began the command that runs: a list that opens behind another key came by itself."""
        self._styled = True
        self.wire(self, inbox, SLASH_COMMANDS)
        runner = self.runner
        self.blocks = BlockActions(self)
        self.prompts = Prompts(self, self.queue, self.rewind, self.shell)
        self.images = PromptImages(self, self.queue.images)
        self.dock.prompt.objections = (self.shell.holds_back, self.unknown.holds_back)
        self.remedies = Remedies(self, self.prompts.send, self.take_command)
        self.notifications = Notifications(self)
        self.status = Status(self, self.status_line, inbox)
        self.status_output = StatusOutput(self)
        self.themes = screen_commands.ThemeCommand(runner)
        self.account = screen_commands.AccountCommands(runner)
        self.listeners = (
            self.notifications.take,
            self.status.take,
            self.heed,
            self.prompts.take,
            self.remedies.take,
            self.dock.take,
        )
        session.subscribe(self.take)

    def compose(self) -> ComposeResult:
        yield self.strip
        yield self.transcript
        yield self.block_bar
        yield self.search_bar
        yield self.dock
        yield self.status_output
        yield self.status_line

    # -- its life -------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Start the session, and send the command line's prompt."""
        (unmark,) = bindings_at(KeyPlace.TRANSCRIPT)
        bind_first(self, unmark.key, unmark.action, unmark.description)
        # Immediate: a key may come before the event that says that another screen has gone.
        self.app.screen_change_signal.subscribe(self, self._came_up, immediate=True)
        self.begin()
        self.session.start()
        if self.launch.prompt:
            self.prompts.send(self.launch.prompt)
        self.queue.load()
        self.status.begin(self.set_interval(self.transcript.second, self.status.tick))
        self.watch(self.app, "app_focus", self.changed, init=False)
        self.changed()

    def on_unmount(self) -> None:
        """End what is left of the session if nobody waited for its end."""
        self.session.abandon()
        self.shell.close()
        self.queue.close()
        self.notifications.show_bar(Bar.NONE)

    async def end(self) -> None:
        """End the session and wait until its process is gone."""
        self.say(f"Ending the session · {key_of('quit')} again does not wait", seconds=60.0)
        await self.session.end()
        if self.live:
            self._handle_events()  # a prompt may be back: who takes the session over would have it twice
        await self.queue.release()

    def on_resize(self) -> None:
        self.act("changed")  # the line of sessions

    # -- what controllers use; `ccq_tui.screens.session.ui` says it ----------------------------------------

    @property
    def launch(self) -> Launch:
        """The launch that started the session."""
        return self.session.launch

    @property
    def live(self) -> bool:
        """Whether the screen is composed and is not going away."""
        return is_live(self) and self.dock.is_attached

    async def pick(self, title: str, rows: Iterable[PickRow], by_itself: bool, **options: Any) -> str | None:
        picker = self._picker = Picker(title, rows, **options)
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

    def copy(self, text: str) -> None:
        self.app.copy_to_clipboard(text)

    def edit_file(self, path: Path, then: str = "") -> None:
        if not is_lent(self.app):
            self.start(partial(self._edit_file, path, then), "editor", group=GROUP)

    async def _edit_file(self, path: Path, then: str) -> None:
        if problem := await edit_file(self.app, path):
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

    def changed(self) -> None:
        """Draw what has changed, and report what lists have of it."""
        view, waiting = self.view, len(self.session.waiting)
        noted = (view.state, view.title, waiting, view.last_line, view.cost, view.session_id)
        if noted != self._noted:
            self._noted = noted
            self.act("changed")
        # A panel names the session where there is more than one.
        self.dock.be_called("" if self.around.alone else view.short_name, str(view.cwd))
        if self.live:
            shown = (self.status, self.status_output, self.notifications, self.dock)
            for one in shown:
                one.changed()

    # -- events of the session ------------------------------------------------------------------------------

    def take(self, event: AgentEvent) -> None:
        """Queue an event; all that come before the queue is read are handled together."""
        self._arrived.append((event, self.session.facts))
        if len(self._arrived) == 1:
            soon(self, self._handle_events)

    def _handle_events(self) -> None:
        if not self._arrived:
            return  # a panel that opened took all of them along
        while self._arrived:
            event, self.view = self._arrived.popleft()
            self.transcript.apply(event)
            for take in self.listeners:
                take(event)
        self.changed()

    # -- what is over it ------------------------------------------------------------------------------------

    @on(events.ScreenResume)
    def _resumed(self, event: events.ScreenResume) -> None:
        """Style everything once: a screen that is shown for the first time gets this event twice."""
        if event.refresh_styles:
            event.refresh_styles = not self._styled
            self._styled = self.is_attached
        if self.live:
            self.dock.came_up()
        self.dock.touch()
        self.status.title = ""  # set again at the next change: another session may have put its own there
        self.changed()

    @on(events.ScreenSuspend)
    def _suspended(self) -> None:
        """Have everything styled again when it is shown next; count what covers it as activity."""
        self._styled = False
        if self.live:
            self.dock.suspended()
        self.dock.touch()
        self.dock.prompt.field.vim.drop()

    def _came_up(self, screen: Screen[Any]) -> None:
        if screen is self and self.live:
            self.dock.came_up()

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        """Give a widget the focus; a panel that opens during a search waits for the search's end."""
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
        self.transcript.search.find(self.search_bar.field.text)
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

    @on(WorkFailed)
    def _work_failed(self, event: WorkFailed) -> None:
        event.stop()
        self.note(event.words, "error")

    # -- keys -----------------------------------------------------------------------------------------------

    @property
    def help_place(self) -> KeyPlace:
        """The keys that F1 lists first: those of the part that has the keys."""
        panel = self.dock.panel
        if self.live and self.search_bar.is_open:
            return KeyPlace.SEARCH
        if panel is not None and not panel.state.hidden:
            return panel.help_place
        return KeyPlace.TRANSCRIPT if self.transcript.mark is not None else KeyPlace.PROMPT

    def action_do(self, name: str) -> None:
        """Do an action of the table of keys."""
        keyboard_of(self).note_command()
        ACTIONS[name](self)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow the prompt's keys in the prompt alone, Esc for a mark, and pages to an enlarged preview."""
        name, panel = next(iter(parameters), None), self.focused
        if action == "do" and name in PROMPT_KEYS:
            # In a text, and in an open list, the key of "leave" is theirs.
            idle = name != "leave" or not (self.prompt.field.text or self.prompt.choices)
            return self.live and self.prompt.has_focus_within and idle
        if name == "unmark":
            return self.live and self.transcript.mark is not None
        if name in ("page_up", "page_down") and isinstance(panel, RequestPanel):
            return not panel.state.large or panel.state.hidden
        return super().check_action(action, parameters)

    def copy_or_quit(self) -> None:
        """Copy what is selected; with nothing selected, stop what runs, and quit when pressed twice."""
        selected = self.get_selected_text() or getattr(self.focused, "selected_text", "")
        if selected:
            self.copy(selected)
            self.say(f"Copied {len(selected):,} characters")
        else:
            self.quit_again(self.prompts.stop)

    def quit_again(self, first: Callable[[], str] = str) -> None:
        """Quit when a key is pressed twice; ``first`` does what one press does, and returns words."""
        words = f"{shown_key(keyboard_of(self).key.name)} again quits"
        notice = lambda: " · ".join(filter(None, (first(), words)))  # noqa: E731
        self.dock.pressed(Face(twice="quit"), self.quit, notice)

    def quit(self) -> None:
        """End all sessions, then the program."""
        start_work(self.app, partial(self.app.run_action, "quit"), name="quit", fatal=True)

    # -- the other sessions ---------------------------------------------------------------------------------

    @property
    def unused(self) -> bool:
        """Whether nothing was sent or typed in it."""
        return not self.view.begun and self.transcript.greets and not self.prompt.holds_text

    def surround(self, **facts: Any) -> None:
        """Take in what is known beside the session's own facts, by the names of `Surroundings`."""
        around = replace(self.around, **facts)
        if around != self.around:
            self.around = around
            self.changed()

    async def resume(self, wanted: str) -> None:
        """Resume the session whose id begins with ``wanted``, beside this one, or let the person choose."""
        if not wanted:
            self.act("resume", "")
            return
        self.say("Looking for earlier sessions…", 30.0, ASKING)
        try:
            found = await earlier_sessions(self.launch, everywhere=True)
        except ReaderError as error:
            self.runner.tell(f"Earlier sessions could not be read: {error}", "warning")
            return
        finally:
            self.say("", of=ASKING)
        fitting = [one for one in found if one.session_id.startswith(wanted)]
        self.act(*(("earlier", fitting[0]) if len(fitting) == 1 else ("resume", wanted)))

    async def close_session(self) -> None:
        """Close this session; ask first if that would interrupt it."""
        if await self.runner.sure("and close the session; /resume continues it later") == "yes":
            self.act("close", self.session)

    # -- commands ----------------------------------------------------------------------------------

    def action_go_to_session(self, number: int) -> None:
        """Show the session with a number."""
        self.act("go to", number)

    def send(self, text: str, images: Mapping[str, PromptImage] | None = None, **_how: bool) -> None:
        """Send a prompt; see `Prompts.send`."""
        self.prompts.send(text, images)

    # -- messages of the widgets, each to its controller ----------------------------------------------------

    @on(Transcript.PlanSeen)
    def _plan_seen(self) -> None:
        """Look at more of a plan that may have been seen by now."""
        if self.dock.panel is not None:
            self.dock.panel.update_seen()

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

    @on(Prompt.Submitted)
    def _submitted(self, event: Prompt.Submitted) -> None:
        self.obey(event.text, event.images)

    @on(Prompt.KeysWanted)
    async def _show_all_keys(self) -> None:
        await self.run_action("app.help")

    @on(Prompt.Changed)
    def _edited(self) -> None:
        self.queue.edited()

    @on(Completer.Wanted)
    def _find_completions(self, event: Completer.Wanted) -> None:
        self.completions.find(event.wanted, event.offer)


async def _do_any(screen: SessionScreen) -> None:
    """Let the person choose from all commands and actions: do it, or begin it in the prompt."""
    rows = screen_commands.palette_rows(SLASH_COMMANDS, screen.completions.others, ACTIONS)
    value = await screen.runner.pick("Commands and keys", rows, choose="do it")
    if value is None:
        return
    if not value.startswith("/"):
        await screen.run_action(value)
    elif value.endswith(" "):
        # What is in the prompt becomes its argument.
        screen.prompt.put(value + screen.prompt.text)
        screen.say("The command takes an argument · type it, then Enter")
    else:
        screen.post_message(Prompt.Submitted(value))


SLASH_COMMANDS: tuple[Command, ...] = (*COMMANDS, Command("help", "", "Show all keys", "run_action:app.help"))
"""All commands of a session on the screen."""
