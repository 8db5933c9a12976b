"""The part of the screen where the theme is chosen, and follows its file."""

from __future__ import annotations

import asyncio

from textual import on
from textual.message import Message

from ccq_tui.config import user_config
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.themes import keep_picker, theme_picker
from ccq_tui.theming.keep import KeepError, keep_theme
from ccq_tui.theming.live import LiveThemes
from ccq_tui.theming.watch import Found

LOOK_SECONDS = 1.0
"""How often it is looked whether a theme file was written."""


class Looks(SessionBase):
    """Puts other themes on, and says what is wrong with one."""

    class ThemesRead(Message):
        """Theme files were written and read."""

        def __init__(self, found: Found) -> None:
            super().__init__()
            self.found = found

    def on_mount(self) -> None:
        """Watch the theme files for as long as the screen is there."""
        self._themes = LiveThemes(self.app, self.launch.settings.theme)
        self.run_worker(self._watch_themes(), name="themes", group="themes", exit_on_error=False)

    async def _watch_themes(self) -> None:
        watch = await asyncio.to_thread(self._themes.watch)
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if found := await asyncio.to_thread(watch.changed):
                self.post_message(self.ThemesRead(found))

    @on(ThemesRead)
    def _take_themes(self, event: ThemesRead) -> None:
        self._themes.take(event.found)
        for problem in event.found.problems:
            self.transcript.add_notice(f"{problem} · the theme stays as it was", "warning")

    def action_pick_theme(self, unknown: str = "") -> None:
        """Choose a theme from a list, each shown while the cursor is on it.

        Args:
            unknown: A name for which there is no theme, or "".
        """

        def chosen(name: str | None) -> None:
            if name is None:
                self._themes.leave()
            else:
                self.use_theme(name)

        picker = theme_picker(self._themes, self.app.theme)
        if unknown:
            picker.say(f"There is no theme {unknown}")
        self.app.push_screen(picker, chosen)

    def use_theme(self, name: str) -> None:
        """Put a theme on, and offer to keep it.

        Args:
            name: The theme's name; for an unknown one the list is shown.
        """
        if not self._themes.choose(name):
            self.action_pick_theme(name)
            return

        def answered(answer: str | None) -> None:
            if answer == "always":
                self.run_worker(self._keep_theme(name), name="keep theme")
            else:
                self.dock.notices.say(f"Theme {name} until ccq-tui ends · /theme {name} offers to keep it")

        self.app.push_screen(keep_picker(name, self._themes.setting(name)), answered)

    async def _keep_theme(self, name: str) -> None:
        try:
            await asyncio.to_thread(keep_theme, user_config(), self._themes.setting(name))
        except KeepError as error:
            self.transcript.add_notice(f"The theme was not kept: {error}", "warning")
        else:
            self.dock.notices.say(f"Theme {name} is kept in {user_config()}")
