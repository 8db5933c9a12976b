"""Actors: the people, programs and devices that act on requests and sessions, and their shown names."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ccq_tui.processes import Owner, this_process
from ccq_tui.text import one_line

MOST_NAME = 40
"""Most characters shown of a name."""


class Surface(StrEnum):
    """The place where an actor acts."""

    PANEL = "panel"
    """The panel of a session."""
    INBOX = "inbox"
    """The screen that lists pending requests."""
    OVERVIEW = "overview"
    """The screen that lists sessions."""
    COMMAND = "command"
    """A command of the shell, named by `Actor.name`."""
    PROGRAM = "program"
    """Another program; also a surface that an older or a newer version recorded."""
    HOOK = "hook"
    """A hook."""
    DEVICE = "device"
    """Another device."""
    ASKER = "asker"
    """The asker's own prompt: Claude Code's dialog, or a terminal program's prompt."""
    LIMIT = "limit"
    """Nobody: the time that the person allowed has passed."""
    SESSION = "session"
    """Nobody: the session that asked no longer waits."""


@dataclass(frozen=True, slots=True)
class Actor:
    """The author of an action.

    Attributes:
        surface: The place of the action.
        name: The name that people know, for example the command, or "".
        process: The process that acted, or None if unknown.
        device: The device that acted, or "" for this machine.
    """

    surface: Surface
    name: str = ""
    process: Owner | None = None
    device: str = ""

    @classmethod
    def here(cls, surface: Surface, name: str = "") -> Actor:
        """Return an actor in this process."""
        return cls(surface, name, this_process())

    @property
    def called(self) -> str:
        """The actor's name, or its surface without one."""
        return self.name or str(self.surface)

    @property
    def where(self) -> str:
        """The place as it follows "answered", for a reader outside ccq-tui's terminals."""
        name = one_line(self.name or self.device, MOST_NAME)
        match self.surface:
            case Surface.PANEL:
                return "in its session"
            case Surface.INBOX | Surface.OVERVIEW:
                return f"in the {self.surface}"
            case Surface.LIMIT:
                return "by its time limit"
            case Surface.SESSION:
                return "by its session"
            case Surface.ASKER:
                return f"in {name}" if name else "where it was asked"
            case Surface.HOOK:
                return f"by the hook {name}" if name else "by a hook"
            case Surface.DEVICE:
                return f"on {name or 'another device'}"
            case Surface.COMMAND | Surface.PROGRAM:
                return f"by {name or 'another program'}"

    @property
    def where_from_here(self) -> str:
        """As `where`, for a person in front of this process."""
        terminal = self.surface in (Surface.PANEL, Surface.INBOX, Surface.OVERVIEW)
        if terminal and self.process not in (None, this_process()):
            return "in another terminal"
        return self.where


WITHDRAWN = Actor(Surface.SESSION)
"""Nobody decided: the asker no longer waits."""
