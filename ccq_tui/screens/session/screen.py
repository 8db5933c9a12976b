"""The screen of one session: it takes the session's events, and passes on the person's input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ccq_tui.commands.command import Command
from ccq_tui.commands.table import COMMANDS
from ccq_tui.commands.wiring import Leading
from ccq_tui.config.keymap import key_of, keymap
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.layout import WIDTH
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.inbox.wait_statistics import read_statistics, text_lines
from ccq_tui.prompts.images import PromptImage
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
from ccq_tui.widgets.prompt import Prompt
from ccq_tui.widgets.side_bar import SideBar
from ccq_tui.widgets.transcript import Transcript
from ccq_tui.worktrees.model import checkout_of

PROMPT_KEYS = ("mode", "leave", "stash", "paste", "model", "thinking", "tasks", "background")
"""Actions whose keys work in the prompt alone, since a panel uses or types them."""
ACTIONS: Mapping[str, Callable[[Any], object]] = {
    "recover": lambda s: s.remedies.do(),
    "sessions": lambda s: s.switcher.toggle(),
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
        self.side_bar = SideBar(lambda number: self.switcher.go_to(number))
        self.wire(self, inbox, SLASH_COMMANDS)
        runner = self.runner
        self.prompts = Prompts(self, self.queue, self.rewind, self.shell)
        self.images = PromptImages(self, self.queue.images)
        self.dock.prompt.objections = (self.shell.holds_back, self.unknown.holds_back)
        self.remedies = Remedies(self, self.prompts.send, self.take_command)
        self.attention = AttentionWatch(self)
        self.notifications = Notifications(self)
        self.status = Status(
            self, self.status_line, lambda: self.session.limited or self.switcher.counts_seconds
        )
        self.status_output = StatusOutput(self, StatusOutputLine())
        self.welcome = Welcome(self)
        self.switcher = screen_commands.SessionSwitcher(runner, self.side_bar)
        self.themes = screen_commands.ThemeCommand(runner)
        self.resume = screen_commands.ResumeCommand(runner, inbox)
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
        self.shown_by = (self.switcher.changed, self._name_panels, self._show_standing)

    def _name_panels(self) -> None:
        """Show the session's directory on its panels, and its name where there is more than one."""
        several = len(self.switcher.entries) > 1
        self.dock.be_called(self.view.short_name if several else "", str(self.view.cwd))

    def compose(self) -> ComposeResult:
        yield self.side_bar
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
        self.switcher.draw()

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
        self.switcher.go_to(number)

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
