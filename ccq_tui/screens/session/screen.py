"""The screen of one session: it takes the session's events, and passes on the person's input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ccq_tui.agent.options import session_options
from ccq_tui.agent.reader import ReaderError, earlier_sessions
from ccq_tui.commands.command import ASKING, Command
from ccq_tui.commands.table import COMMANDS
from ccq_tui.commands.wiring import Leading
from ccq_tui.config.keymap import key_of, keymap, with_keys
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.layout import WIDTH
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.inbox.wait_statistics import read_statistics, text_lines
from ccq_tui.prompts.images import PromptImage
from ccq_tui.runtime.launches import WayOn
from ccq_tui.runtime.session import SupervisedSession
from ccq_tui.screens.session import screen_commands
from ccq_tui.screens.session.base import READING, SessionBase
from ccq_tui.screens.session.dock import Dock
from ccq_tui.screens.session.export import export_transcript
from ccq_tui.screens.session.notifications import AttentionWatch, Notifications
from ccq_tui.screens.session.prompts import PromptImages, Prompts, Remedies
from ccq_tui.screens.session.status import Status, StatusOutput, StatusOutputLine, Welcome
from ccq_tui.screens.terminal import Bar
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.widgets.completer import Completer
from ccq_tui.widgets.keys import bindings_for
from ccq_tui.widgets.panel.measures import is_low
from ccq_tui.widgets.prompt import Prompt
from ccq_tui.widgets.strip import Strip, StripEntry
from ccq_tui.widgets.transcript import Transcript
from ccq_tui.worktrees.model import checkout_of

ANOTHER = " · {new_session} in the prompt opens another"
ALONE = f"This is the only session here{ANOTHER}"
PROMPT_KEYS = ("mode", "leave", "stash", "paste", "model", "thinking", "tasks", "background")
"""Actions whose keys work in the prompt alone, since a panel uses or types them."""
ACTIONS: Mapping[str, Callable[[Any], object]] = {
    "recover": lambda s: s.remedies.do(),
    "sessions": lambda s: s.toggle_strip(),
    "waiting": lambda s: s.act("next waiting"),
    "overview": lambda s: s.act("overview"),
    "session_next": lambda s: s.act("step", 1),
    "session_before": lambda s: s.act("step", -1),
    "mode": lambda s: s.models.next_mode(),
    "leave": lambda s: s.quit_again("ctrl+d"),
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
"""Further actions of the table of keys on the screen of a session."""


class SessionScreen(SessionBase, Leading):
    """Transcript above, prompt or panel below, status at the bottom."""

    # Above a full panel a notice is a line too many: it takes the last line, not the width of all of them.
    DEFAULT_CSS = """
    SessionScreen { overflow: hidden; & > Transcript { height: 1fr; } }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for(*ACTIONS),
        *(Binding(f"alt+{at}", f"go_to_session({at})", show=False, priority=True) for at in range(1, 10)),
    ]

    actions = {**READING, **ACTIONS}  # noqa: RUF012
    mode = ""
    """The mode of Textual in which it is shown; it never changes."""

    def __init__(self, session: SupervisedSession, inbox: Inbox) -> None:
        launch = session.launch
        super().__init__(
            session, Transcript(TranscriptModel(session.clock)), Dock(launch.draft, clock=session.clock)
        )
        self.inbox = inbox
        self.strip = Strip(self.action_go_to_session)
        self.entries: tuple[StripEntry, ...] = ()
        """All sessions of this terminal."""
        self._strip_wanted = True
        self._noted: tuple[object, ...] = ()
        self.wire(self, inbox, SLASH_COMMANDS)
        runner = self.runner
        self.prompts = Prompts(self, self.queue, self.rewind, self.shell)
        self.images = PromptImages(self, self.queue.images)
        self.dock.prompt.objections = (self.shell.holds_back, self.unknown.holds_back)
        self.remedies = Remedies(self, self.prompts.send, self.take_command)
        self.attention = AttentionWatch(self)
        self.notifications = Notifications(self)
        self.status = Status(self, self.status_line)
        self.status_output = StatusOutput(self, StatusOutputLine())
        self.welcome = Welcome(self, inbox)
        self.themes = screen_commands.ThemeCommand(runner)
        self.account = screen_commands.AccountCommands(runner)
        self.listeners = (
            self.notifications.take,
            self.status.take,
            self.heed,
            self.prompts.take,
            self.remedies.take,
            self.requests.take,
            self.attention.take,
        )
        self.shown_by = (self._report, self._name_panels, self._show_standing)

    def _name_panels(self) -> None:
        """Show the session's directory on its panels, and its name where there is more than one."""
        several = len(self.entries) > 1
        self.dock.be_called(self.view.short_name if several else "", str(self.view.cwd))

    def compose(self) -> ComposeResult:
        yield self.strip
        yield self.transcript
        yield self.block_bar
        yield self.search_bar
        yield self.dock
        yield self.status_output.line
        yield self.status_line

    # -- its life -------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Start the session, and send the command line's prompt."""
        self.begin()
        self.session.start()
        if self.launch.prompt:
            self.prompts.send(self.launch.prompt)
        self.queue.load()
        self.welcome.begin()
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
        await self.queue.release()

    def _show_standing(self) -> None:
        if self.live:
            self.status.changed()
            self.status_output.changed()
            self.welcome.changed()
            self.notifications.changed()
            self.attention.changed()

    def on_resize(self) -> None:
        self._draw_strip()

    # -- the other sessions ---------------------------------------------------------------------------------

    @property
    def unused(self) -> bool:
        """Whether nothing was sent or typed in it."""
        return not self.view.begun and self.transcript.greets and not self.prompt.holds_text

    def list_sessions(
        self, entries: Sequence[StripEntry], waiting_beside: int, trouble: str, *, strip: bool
    ) -> None:
        """Take in the sessions of the terminal, what waits in others, in all terminals, and what fails."""
        self.entries, self._strip_wanted = tuple(entries), strip
        around = replace(self.around, waiting_beside=waiting_beside, alone=len(entries) < 2, trouble=trouble)
        changed, self.around = around != self.around, around
        if self.live:
            self._draw_strip()
            if changed:
                self.changed()

    def _report(self) -> None:
        """Report a change in what lists have of this session."""
        view = self.view
        waiting = len(self.session.waiting)
        noted = (view.state, view.title, waiting, view.last_line, view.cost, view.session_id)
        if noted != self._noted:
            self._noted = noted
            self.act("changed")

    def _draw_strip(self) -> None:
        """Show the line of sessions where there is room for it."""
        if self.strip.is_attached:  # else the screen is being built, or goes away
            width, height = self.app.size
            on = self._strip_wanted and len(self.entries) > 1 and not is_low(height)
            self.strip.display = on
            if on:
                self.strip.list(self.entries, width)

    def toggle_strip(self) -> None:
        """Show or hide the line of sessions; where it has no room, show all."""
        if len(self.entries) < 2:
            self.say(with_keys(ALONE))
        else:
            self.act("overview" if is_low(self.app.size.height) else "strip")

    async def resume(self, wanted: str) -> None:
        """Resume the session whose id begins with ``wanted``, beside this one, or let the person choose."""
        if not wanted:
            self.act("resume", "")
            return
        self.say("Looking for earlier sessions…", 30.0, ASKING)
        try:
            found = await earlier_sessions(session_options(self.launch), everywhere=True)
        except ReaderError as error:
            self.runner.tell(f"Earlier sessions could not be read: {error}", "warning")
            return
        finally:
            self.say("", of=ASKING)
        fitting = [one for one in found if one.session_id.startswith(wanted)]
        self.act(*(("earlier", WayOn(fitting[0])) if len(fitting) == 1 else ("resume", wanted)))

    async def close_session(self) -> None:
        """Close this session; ask first if that would interrupt it."""
        if await self.runner.sure("and close the session; /resume continues it later") == "yes":
            self.act("close", self.session)

    def on_key(self) -> None:
        """Count a key that no widget took as activity, too."""
        self.attention.touch()

    def on_screen_suspend(self) -> None:
        """Count an opened list, or a look at another session, as activity."""
        self.attention.touch()
        self.dock.prompt.field.vim.drop()

    def on_screen_resume(self) -> None:
        """Count the return to this session as activity, and set the terminal's title again."""
        self.attention.touch()
        self.status.title = ""  # set again at the next change: another session may have put its own there

    # -- keys and commands ----------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow the prompt's keys in the prompt alone."""
        if action == "do" and parameters and parameters[0] in PROMPT_KEYS:
            return self.live and self.dock.prompt.has_focus_within
        return super().check_action(action, parameters)

    def stop(self) -> str:
        """Interrupt Claude or clear the prompt; see `Prompts.stop`."""
        return self.prompts.stop()

    def action_go_to_session(self, number: int) -> None:
        """Show the session with a number."""
        here = next((entry.number for entry in self.entries if entry.shown), number)
        if number > len(self.entries):
            self.say(with_keys(f"No session {number}{ANOTHER}"))
        elif number != here:
            self.act("step", number - here)

    def send(self, text: str, images: Mapping[str, PromptImage] | None = None, **_how: bool) -> None:
        """Send a prompt; see `Prompts.send`."""
        self.prompts.send(text, images)

    async def export(self, argument: str) -> None:
        await export_transcript(self, argument)

    async def statistics(self) -> None:
        """Show how long agents waited."""
        try:
            statistics = await self.inbox.run(lambda store: read_statistics(store, checkout_of))
            text = "\n".join(text_lines(statistics, min(WIDTH, self.size.width - 6)))
        except InboxError as error:
            text = f"The inbox cannot be read: {error} · /stats tries again"
        self.runner.tell(text)

    # -- messages of the widgets, each to its controller ----------------------------------------------------

    @on(Prompt.Submitted)
    def _submitted(self, event: Prompt.Submitted) -> None:
        self.obey(event.text, event.images)

    @on(Prompt.KeysWanted)
    async def _show_all_keys(self) -> None:
        await self.run_action("app.help")

    @on(Prompt.QueuedWanted)
    def _take_back(self) -> None:
        self.prompts.take_back()

    @on(Prompt.Changed)
    def _edited(self) -> None:
        self.queue.edited()

    @on(Completer.Wanted)
    def _find_completions(self, event: Completer.Wanted) -> None:
        self.completions.find(event.wanted, event.offer)


async def _do_any(screen: SessionScreen) -> None:
    """Let the person choose from all commands and actions: do it, or begin it in the prompt."""
    rows = (
        *screen_commands.command_rows(SLASH_COMMANDS, screen.completions.others),
        *screen_commands.action_rows(screen.actions, keymap()),
    )
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
