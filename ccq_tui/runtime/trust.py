"""Applies a person's answer about a directory to the session that is started there."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from ccq_tui.config.launch import Launch, trusting
from ccq_tui.config.trust import Carried, untrusted
from ccq_tui.runtime.launches import made, with_notices

LEFT_OUT = "Settings, hooks and MCP servers of this project are left out, as you chose."


class DirectoryTrust:
    """Takes answers about directories, and remembers them in this run even if they could not be saved."""

    def __init__(self) -> None:
        self._files: set[tuple[Path, str]] = set()
        """The files with their digests."""

    async def changed(self, launch: Launch) -> Carried | None:
        """Return what a directory carries now and nobody has trusted, or None.

        Args:
            launch: The launch about to be started, after the question about its directory was answered.
        """
        if not launch.project_settings or launch.flags is None:
            return None
        carried = await asyncio.to_thread(untrusted, launch.settings.directory)
        known = carried is None or all((one.path, one.digest) in self._files for one in carried.files)
        return None if known else carried

    async def trust(self, launch: Launch) -> Launch:
        """Trust what a launch carries, and remember that.

        Returns:
            The launch with the settings that now apply; if files have changed meanwhile, with those to
            ask about.

        Raises:
            SettingsError: The directory's settings cannot be used.
        """
        shown = launch.carried
        trusted = await asyncio.to_thread(trusting, launch)
        if trusted.carried is None and shown is not None:
            self._files |= {(one.path, one.digest) for one in shown.files}
        return trusted

    async def leave_out(self, launch: Launch) -> Launch:
        """Return a launch without its project's settings, hooks and MCP servers, and make its worktree.

        Raises:
            WorktreeError: The worktree cannot be made.
        """
        without = replace(launch, carried=None, trusted_settings=None, project_settings=False)
        return await asyncio.to_thread(made, with_notices(without, LEFT_OUT))
