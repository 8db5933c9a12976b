"""The palette, and the commands that need the screen: those on sessions, themes and the account."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from ccq_tui.agent.commands import CommandError
from ccq_tui.agent.events import SessionState, SlashCommand
from ccq_tui.agent.options import session_options
from ccq_tui.agent.reader import ReaderError
from ccq_tui.bridges.edited_file import SettingsFileError
from ccq_tui.claude_files import find_cli
from ccq_tui.commands.command import ASKING, Command, CommandGroup, CommandRunner, PickRow
from ccq_tui.compat.textual.driver import is_lent
from ccq_tui.config.errors import SettingsError
from ccq_tui.config.keymap import TEXT_PLACES, Keymap, with_keys
from ccq_tui.config.paths import user_config
from ccq_tui.config.settings import ENV_PREFIX
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.input.keys import SETTINGS
from ccq_tui.runtime.launches import WayOn, launch_to_resume
from ccq_tui.screens.editor import GROUP, UnstartedError, run_program
from ccq_tui.screens.pickers import SessionPicker, Shelf
from ccq_tui.screens.session.ui import SessionUi
from ccq_tui.text import one_line
from ccq_tui.theming.live import keep_theme, listed, read_again
from ccq_tui.theming.load import choose
from ccq_tui.widgets.side_bar import SideBar, SideBarEntry


class ResumeCommand(CommandGroup[SessionUi]):
    """Puts an earlier session in the place of this one."""

    def __init__(self, runner: CommandRunner[SessionUi], inbox: Inbox) -> None:
        super().__init__(runner)
        self._inbox = inbox

    async def resume(self, wanted: str) -> None:
        """Resume the session whose id begins with ``wanted``, or a chosen one, in place of this one."""
        shelf = Shelf(session_options(self._ui.launch), self._inbox, self._ui.view.session_id)
        way = await self._named(shelf, wanted) if wanted else await self._choose(shelf)
        while way is not None and (sure := await self._runner.sure("and continue the other session")) != "no":
            if sure:
                await self._go_on(way)
                return
            way = await self._choose(shelf, find=wanted)  # Esc goes back to the list

    async def _named(self, shelf: Shelf, wanted: str) -> WayOn | None:
        """Find the session whose id begins with ``wanted``; unless just one does, let the person choose."""
        self._ui.say("Looking for earlier sessions…", 30.0, ASKING)
        try:
            found = await shelf.sessions(everywhere=True)
        except ReaderError as error:
            self._runner.tell(f"Earlier sessions could not be read: {error}", "warning")
            return None
        finally:
            self._ui.say("", of=ASKING)
        fitting = [one.session for one in found if one.session.session_id.startswith(wanted)]
        if len(fitting) == 1:
            return WayOn(fitting[0])
        return await self._choose(shelf, find=wanted)

    async def _choose(self, shelf: Shelf, find: str = "") -> WayOn | None:
        about = "This session ends. You can resume it the same way, with your draft."
        picker = SessionPicker(shelf, find=find, about=about)
        await self._runner.choose(partial(self._ui.choose, picker))
        return picker.way

    async def _go_on(self, way: WayOn) -> None:
        """End this session, and continue another one in this terminal."""
        try:
            launch = await asyncio.to_thread(launch_to_resume, way, self._ui.launch)
        except SettingsError as error:
            where = one_line(way.session.directory, 300)
            self._runner.tell(f"The session cannot be resumed in {where}: {error}", "warning")
            return
        self._ui.act("replace", self._ui.session, launch)


REST_SECONDS = 0.08
"""Seconds that the cursor rests on a theme before it applies: a switch costs more than a key may wait."""


class ThemeCommand(CommandGroup[SessionUi]):
    """Applies themes, and reports what is wrong with one."""

    _looking: asyncio.TimerHandle | None = None
    """The wait until the theme under the cursor is shown."""

    async def choose(self, name: str) -> None:
        """Apply a theme, and offer to keep it; for an unknown name, choose from a list."""
        found = await read_again(self._ui.app, self._ui.launch.settings.theme)
        for problem in found.problems:
            self._ui.note(f"{problem} · the theme is unchanged", "warning")
        if not choose(self._ui.app, name):
            name = await self._pick_theme(name)
            if not name:
                return
        setting = found.setting(name)
        title, rows = how_long(name, setting)
        if await self._runner.pick(title, rows, choose="take it") != ALWAYS:
            self._ui.say(f"Theme {name} until ccq-tui ends · /theme {name} offers to keep it")
            return
        try:
            await asyncio.to_thread(keep_theme, user_config(), setting)
        except SettingsFileError as error:
            self._ui.note(f"The theme was not saved in {user_config()}: {error}", "warning")
        else:
            self._ui.say(f"Theme {name} is saved in {user_config()}")

    async def _pick_theme(self, unknown: str) -> str:
        before = self._ui.app.theme
        rows = [PickRow(one, one, what, current=one == before) for one, what in listed(self._ui.app)]
        about = f"Unknown theme {one_line(unknown, 60)}. {BACK}" if unknown else BACK
        try:
            picked = await self._runner.pick(
                "Theme", rows, about=about, choose="use it", preview=self._look_at
            )
        finally:
            if self._looking is not None:
                self._looking.cancel()
        choose(self._ui.app, picked or before)
        return picked or ""

    def _look_at(self, name: str) -> None:
        """Show a theme once the cursor rests on it."""
        if self._looking is not None:
            self._looking.cancel()
        self._looking = self._ui.after(REST_SECONDS, lambda: choose(self._ui.app, name))


VARIABLE = f"{ENV_PREFIX}THEME"
ALWAYS = "always"
BACK = "Esc restores the previous theme"


def how_long(name: str, setting: str) -> tuple[str, list[PickRow]]:
    """Return the question how long to keep a theme, and its rows; ``setting`` is its name in settings."""
    line = f"theme = {json.dumps(setting, ensure_ascii=False)}"
    about = f"writes {line} into {user_config()}"
    if os.environ.get(VARIABLE):
        about += f"; {VARIABLE} overrides it"
    rows = [PickRow("once", "Until ccq-tui ends"), PickRow(ALWAYS, "From now on", about)]
    return f"The theme is {name}. For how long?", rows


NEXT = "this session uses the account from its next start on"

CANCELLED = ("exit code 130", f"ended by signal {signal.SIGINT.value}")
"""Results of Claude Code after Ctrl+C."""


class AccountCommands(CommandGroup[SessionUi]):
    """Signs in and out: Claude Code, which keeps the account, gets the terminal meanwhile."""

    def begin(self, what: str) -> None:
        """Sign in or out: an idle session starts again; others keep their account until they do."""
        if not is_lent(self._ui.app):
            # Another command would otherwise end it, and with it the program that has the terminal.
            work = partial(self._runner.attempt, partial(self._run, what), what)
            self._ui.start(work, f"/{what}", group=GROUP)

    async def _run(self, what: str) -> None:
        program = self._ui.launch.settings.cli_path
        if program is None:
            program, _ = await asyncio.to_thread(find_cli)
        if program is None:
            raise CommandError("Claude Code was not found · ccq-tui doctor shows where ccq-tui looks")
        try:
            failed = await run_program(self._ui.app, [str(program), "auth", what])
        except UnstartedError as error:
            raise CommandError(f"{program} cannot be started: {error}") from error
        if failed in CANCELLED:
            self._ui.say(f"/{what} was cancelled · nothing changed")
            return
        if failed:
            raise CommandError(f"Claude Code ended with {failed} · run claude auth {what} to see why")
        if what == "logout":
            self._runner.tell("Signed out · running sessions keep the account until they restart")
        elif self._ui.view.state is SessionState.IDLE and not self._ui.view.tasks:
            self._runner.tell("Signed in · the session restarts with this account")
            self._ui.session.reconnect()
        else:
            self._runner.tell(f"Signed in · {NEXT}")


WHICH_SESSION = "Go to which session?"
ANOTHER = " · {new_session} in the prompt opens another"
ALONE = f"This is the only session here{ANOTHER}"
ROOM_FOR_BAR = 80
"""Columns from which the side bar has room beside the transcript."""


def _entry_row(one: SideBarEntry) -> PickRow:
    return PickRow("", f"{one.sign} {one.name}", one.state, one.badge, one.shown)


class SessionSwitcher(CommandGroup[SessionUi]):
    """Shows the other sessions, and asks the program for them; it knows only their entries."""

    def __init__(self, runner: CommandRunner[SessionUi], bar: SideBar) -> None:
        super().__init__(runner)
        self._bar = bar
        self.entries: tuple[SideBarEntry, ...] = ()
        """All sessions of this terminal."""
        self._bar_wanted = True
        self._told: tuple[object, ...] = ()

    def list_sessions(
        self, entries: Sequence[SideBarEntry], waiting_beside: int = 0, trouble: str = "", *, bar: bool = True
    ) -> None:
        """Take in the sessions of the terminal, what waits in others, in all terminals, and what fails."""
        self.entries, self._bar_wanted = tuple(entries), bar
        if self._ui.live:
            self.draw()
        around = replace(
            self._ui.around, waiting_beside=waiting_beside, alone=len(entries) < 2, trouble=trouble
        )
        if around != self._ui.around:
            self._ui.around = around
            if self._ui.live:
                self._ui.changed()

    @property
    def counts_seconds(self) -> bool:
        """Whether other sessions are listed: each with how long it has been in its state."""
        return self._ui.in_front and len(self.entries) > 1

    def changed(self) -> None:
        """Report a change in the entry that lists have of this session."""
        view = self._ui.view
        waiting = len(self._ui.session.waiting)
        told = (view.state, view.title, waiting, view.last_line, view.cost, view.session_id)
        if told != self._told or self.counts_seconds:
            self._told = told
            self._ui.act("changed")

    def draw(self) -> None:
        """Show the side bar where there is room for it."""
        if not self._bar.is_attached:
            return  # the screen is being built, or goes away
        on = self._bar_wanted and len(self.entries) > 1 and self._ui.app.size.width >= ROOM_FOR_BAR
        self._bar.set_class(on, "-on")
        if on:
            panel = self._ui.dock.panel
            self._bar.show(self.entries, panel=panel is not None and not panel.state.hidden)

    def toggle(self) -> None:
        """Show or hide the side bar; where it has no room, choose from a list."""
        if len(self.entries) < 2:
            self._ui.say(with_keys(ALONE))
        elif self._ui.app.size.width < ROOM_FOR_BAR:
            self._runner.run(self.pick, "sessions")
        else:
            self._ui.act("side bar")

    def go_to(self, number: int) -> None:
        here = next((entry.number for entry in self.entries if entry.shown), number)
        if number > len(self.entries):
            self._ui.say(with_keys(f"No session {number}{ANOTHER}"))
        elif number != here:
            self._ui.act("step", number - here)

    async def pick(self) -> None:
        """Choose a session from a list."""
        entry = await self._runner.one_of(WHICH_SESSION, self.entries, _entry_row, choose="go to")
        if entry is not None:
            # The list is gone first: another session has its own.
            await asyncio.sleep(0)
            self.go_to(entry.number)

    async def close(self) -> None:
        """Close this session; ask first if that would interrupt it."""
        if await self._runner.sure("and close the session; /resume continues it later") == "yes":
            self._ui.act("close", self._ui.session)


PALETTE = "palette"
"""Name of the action that shows all others."""


def command_rows(own: Iterable[Command], others: Iterable[SlashCommand]) -> Iterator[PickRow]:
    """Yield a row for each command; the value of one that needs an argument ends with a blank."""
    for one in own:
        yield PickRow(f"/{one.name}{' ' if one.needs else ''}", f"/{one.name}", one.help, one.arguments)
    for command in others:
        needs = " " if command.arguments else ""
        yield PickRow(f"/{command.name}{needs}", f"/{command.name}", command.description)


def action_rows(own: Container[str], keymap: Keymap) -> Iterator[PickRow]:
    """Yield a row for each action of the table of keys; those that are not the screen's own are the app's."""
    for name, row in SETTINGS.items():
        if row.place in TEXT_PLACES and name != PALETTE:
            action = f"{'' if name in own else 'app.'}do('{name}')"
            yield PickRow(action, row.does, right=keymap.shown(name))
