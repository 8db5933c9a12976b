"""The part of the screen where the theme is chosen, and follows its file."""

from __future__ import annotations

import asyncio
from functools import partial

from textual import on
from textual.message import Message

from ccq_tui.config import user_config
from ccq_tui.screens.session.commanding import Commanding
from ccq_tui.screens.session.commands import Called
from ccq_tui.screens.themes import ALWAYS, BACK, how_long, theme_rows
from ccq_tui.text import one_line
from ccq_tui.theming.keep import KeepError, keep_theme
from ccq_tui.theming.live import LiveThemes
from ccq_tui.theming.watch import Found, ThemeWatch
from ccq_tui.widgets.lifetime import after, start_work

LOOK_SECONDS = 1.0
"""How often it is looked whether a theme file was written."""
REST_SECONDS = 0.08
"""How long the cursor stays on a theme before it is put on: a switch costs more than a key may wait."""


class Looks(Commanding):
    """Puts other themes on, and says what is wrong with one."""

    _looking: asyncio.TimerHandle | None = None

    class ThemesRead(Message):
        """Theme files were written and read."""

        def __init__(self, found: Found) -> None:
            super().__init__()
            self.found = found

    def on_mount(self) -> None:
        """Watch the theme files for as long as the screen is there."""
        self._themes = LiveThemes(self.app, self.launch.settings.theme)
        # Here, not in the worker: what is written until that begins would not be noticed.
        watch = self._themes.watch()
        start_work(self, partial(self._watch_themes, watch), name="themes", group="themes")

    async def _watch_themes(self, watch: ThemeWatch) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if found := await asyncio.to_thread(watch.changed):
                self.post_message(self.ThemesRead(found))

    @on(ThemesRead)
    def _take_themes(self, event: ThemesRead) -> None:
        self._themes.take(event.found)
        for problem in event.found.problems:
            self.transcript.add_notice(f"{problem} · the theme stays as it was", "warning")

    def command(self, command: Called) -> None:
        """Put on the theme named, or choose one."""
        if command.name == "theme":
            self.work(partial(self._choose_theme, command.argument), "theme")
        else:
            super().command(command)

    def action_pick_theme(self) -> None:
        """Choose a theme from a list, each shown while the cursor is on it."""
        self.work(self._choose_theme, "theme")

    async def _choose_theme(self, name: str = "") -> None:
        """Put a theme on, and offer to keep it; without a name that is known, choose from the list."""
        if not self._themes.choose(name):
            picked = await self._pick_theme(name)
            if picked is None:
                return
            name = picked
            self._themes.choose(name)
        setting = self._themes.setting(name)
        title, rows = how_long(name, setting)
        if await self.pick(title, rows, choose="take it") != ALWAYS:
            self.dock.notices.say(f"Theme {name} until ccq-tui ends · /theme {name} offers to keep it")
            return
        try:
            await asyncio.to_thread(keep_theme, user_config(), setting)
        except KeepError as error:
            self.transcript.add_notice(f"The theme was not kept: {error}", "warning")
        else:
            self.dock.notices.say(f"Theme {name} is kept in {user_config()}")

    async def _pick_theme(self, unknown: str) -> str | None:
        before = self.app.theme
        rows = theme_rows(self._themes, before)
        about = f"There is no theme {one_line(unknown, 60)}. {BACK}" if unknown else BACK
        try:
            picked = await self.pick("Theme", rows, about=about, choose="use it", preview=self._look_at)
        finally:
            if self._looking is not None:
                self._looking.cancel()
        if picked is None:
            self._themes.leave(before)
        return picked

    def _look_at(self, name: str) -> None:
        """Show a theme once the cursor rests on it."""
        if self._looking is not None:
            self._looking.cancel()
        self._looking = after(self, REST_SECONDS, lambda: self._themes.look_at(name))
