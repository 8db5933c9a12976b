"""/theme, and the theme's file, which is watched as long as the screen exists."""

from __future__ import annotations

import asyncio
import json
import os
from functools import partial

from ccq_tui.config.paths import user_config
from ccq_tui.config.settings import ENV_PREFIX
from ccq_tui.screens.pickers import PickRow
from ccq_tui.screens.session.commands import CommandGroup
from ccq_tui.text import one_line
from ccq_tui.theming.live import KeepError, LiveThemes, keep_theme
from ccq_tui.theming.load import ThemeWatch

LOOK_SECONDS = 1.0
"""Seconds between checks of the theme files."""
REST_SECONDS = 0.08
"""Seconds that the cursor rests on a theme before it applies: a switch costs more than a key may wait."""


class ThemeCommand(CommandGroup):
    """Applies themes, and reports what is wrong with one."""

    _looking: asyncio.TimerHandle | None = None
    """The wait until the theme under the cursor is shown."""

    def watch(self) -> None:
        """Watch the theme files for as long as the screen is there."""
        self._themes = LiveThemes(self._ui.app, self._ui.launch.settings.theme)
        # Here, not in the worker, which would miss what is written before it begins.
        watch = self._themes.watch()
        self._ui.start(partial(self._watch_themes, watch), "themes", group="themes")

    async def _watch_themes(self, watch: ThemeWatch) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            found = await asyncio.to_thread(watch.changed)
            self._themes.take(found)
            for problem in found.problems:
                self._ui.note(f"{problem} · the theme is unchanged", "warning")

    async def choose(self, name: str) -> None:
        """Apply a theme, and offer to keep it; for an unknown name, choose from a list."""
        if not self._themes.choose(name):
            picked = await self._pick_theme(name)
            if picked is None:
                return
            name = picked
            self._themes.choose(name)
        setting = self._themes.setting(name)
        title, rows = how_long(name, setting)
        if await self._runner.pick(title, rows, choose="take it") != ALWAYS:
            self._ui.say(f"Theme {name} until ccq-tui ends · /theme {name} offers to keep it")
            return
        try:
            await asyncio.to_thread(keep_theme, user_config(), setting)
        except KeepError as error:
            self._ui.note(f"The theme was not saved: {error}", "warning")
        else:
            self._ui.say(f"Theme {name} is saved in {user_config()}")

    async def _pick_theme(self, unknown: str) -> str | None:
        before = self._ui.app.theme
        rows = [PickRow(one, one, what, current=one == before) for one, what in self._themes.all()]
        about = f"Unknown theme {one_line(unknown, 60)}. {BACK}" if unknown else BACK
        try:
            picked = await self._runner.pick(
                "Theme", rows, about=about, choose="use it", preview=self._look_at
            )
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
        self._looking = self._ui.after(REST_SECONDS, lambda: self._themes.look_at(name))


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
