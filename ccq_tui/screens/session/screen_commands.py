"""The palette, and the commands that need the screen: those on sessions, themes and the account."""

import asyncio
import json
import os
import signal
from collections.abc import Container, Iterable, Iterator
from functools import partial

from ccq_tui.agent.controls import CommandError
from ccq_tui.agent.events import SessionState, SlashCommand
from ccq_tui.claude_files import find_cli
from ccq_tui.commands.command import Command, CommandGroup, PickRow
from ccq_tui.compat.textual.driver import is_lent
from ccq_tui.config.keymap import TEXT_PLACES, keymap
from ccq_tui.config.paths import user_config
from ccq_tui.config.settings import ENV_PREFIX
from ccq_tui.edited_file import SettingsFileError
from ccq_tui.input.keys import SETTINGS
from ccq_tui.screens.editor import GROUP, UnstartedError, run_program
from ccq_tui.screens.session.ui import SessionUi
from ccq_tui.text import one_line
from ccq_tui.theming.load import choose, keep_theme, listed, load_themes


class ThemeCommand(CommandGroup[SessionUi]):
    """Applies themes, and reports what is wrong with one."""

    _looking: asyncio.TimerHandle | None = None
    """The wait until the theme under the cursor is shown."""

    async def choose(self, name: str) -> None:
        """Apply a theme, and offer to keep it; for an unknown name, choose from a list."""
        found = await asyncio.to_thread(load_themes, self._ui.launch.settings.theme)
        for theme in found.themes:
            self._ui.app.register_theme(theme)
        for problem in found.problems:
            self._ui.note(f"{problem}", "warning")
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
        rows = [
            PickRow(one, one, what, current=one == before, colours=colours)
            for one, what, colours in listed(self._ui.app)
        ]
        about = f"Unknown theme {one_line(unknown, 60)}. {BACK}" if unknown else BACK
        try:
            picked = await self._runner.pick(
                "Theme", rows, about=about, choose="use it", preview=self._preview
            )
        finally:
            if self._looking is not None:
                self._looking.cancel()
        choose(self._ui.app, picked or before)
        return picked or ""

    def _preview(self, name: str) -> None:
        """Show a theme once the cursor rests on it: a switch costs more than a key may wait."""
        if self._looking is not None:
            self._looking.cancel()
        self._looking = self._ui.after(0.08, lambda: choose(self._ui.app, name))


VARIABLE = f"{ENV_PREFIX}THEME"
ALWAYS = "always"
BACK = "Esc restores the previous theme"


def how_long(name: str, setting: str) -> tuple[str, list[PickRow]]:
    """Return the question how long to keep a theme, and its rows; ``setting`` is its name in settings."""
    line = f"theme = {json.dumps(setting, ensure_ascii=False)}"
    about = f"writes {line} into {user_config()}"
    if os.environ.get(VARIABLE):
        about += f"; {VARIABLE} overrides it"
    return f"Keep {name}?", [PickRow("once", "This time"), PickRow(ALWAYS, "Always", about)]


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


def palette_rows(
    own: Iterable[Command], others: Iterable[SlashCommand], actions: Container[str]
) -> Iterator[PickRow]:
    """Yield a row for each command and each action of the table of keys.

    The value of a command that needs an argument ends with a blank; what are no ``actions`` of the screen are
    the app's.
    """
    for one in own:
        yield PickRow(f"/{one.name}{' ' if one.needs else ''}", f"/{one.name}", one.help, one.arguments)
    for command in others:
        needs = " " if command.arguments else ""
        yield PickRow(f"/{command.name}{needs}", f"/{command.name}", command.description)
    for name, row in SETTINGS.items():
        if row.place in TEXT_PLACES and name != "palette":
            action = f"{'' if name in actions else 'app.'}do('{name}')"
            yield PickRow(action, row.does, right=keymap().shown(name))
