"""What another session in this terminal is started with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ccq_tui.config import Launch, load_settings
from ccq_tui.config.paths import expanded
from ccq_tui.config.trust import untrusted


class PlaceError(Exception):
    """There can be no session in a directory; the message is for a person."""


def place(text: str, here: Path) -> Path:
    """Read the directory for a session as a person writes it.

    Args:
        text: A path, absolute or from ``here``, ``~`` for the home directory; "" is ``here``.
        here: The directory of the session that it is opened from.

    Returns:
        The directory.

    Raises:
        PlaceError: It is none.
    """
    directory = here / expanded(text.strip()) if text.strip() else here
    if not directory.exists():
        raise PlaceError(f"There is no directory {directory}")
    if not directory.is_dir():
        raise PlaceError(f"{directory} is not a directory")
    return directory.resolve()


def launch_in(directory: Path, prompt: str, launch: Launch, *, asked: bool = True) -> Launch:
    """Say what a new session is started with; reads files: call it in a thread.

    Args:
        directory: Where it works.
        prompt: A prompt to send at once, or "".
        launch: What the program was started with; its flags hold, but for the conversation they named.
        asked: Whether it was asked already if the launch's own directory is trusted.

    Returns:
        The launch, with what the directory carries that is not trusted yet.

    Raises:
        SettingsError: The directory's own settings cannot be used.
    """
    fresh = replace(
        launch,
        prompt=prompt,
        draft="",
        continue_last=False,
        choose=False,
        resume="",
        fork=False,
        inbox=False,
        notices=(),
        carried=None,
    )
    if asked and directory == launch.settings.directory.resolve():
        return fresh
    if launch.flags is None:  # a scripted one, whose settings are not the directory's
        return replace(fresh, settings=launch.settings.model_copy(update={"cwd": directory}))
    flags = {**launch.flags, "cwd": directory}
    carried = untrusted(directory)
    return replace(
        fresh,
        settings=load_settings(flags).settings,
        project_settings=True,
        carried=carried,
        own_settings=load_settings(flags, project=False).settings if carried else None,
    )
