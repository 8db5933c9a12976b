"""Who does something to a request or a session, as data, and what that is called."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ccq_tui.processes import Owner, this_process
from ccq_tui.text import one_line

MOST_NAME = 40
"""Characters of a name that are shown."""


class Surface(StrEnum):
    """Where something is done."""

    PANEL = "panel"
    """The panel of a session."""
    INBOX = "inbox"
    """The screen that lists what waits."""
    OVERVIEW = "overview"
    """The screen that lists sessions."""
    COMMAND = "command"
    """A command of the shell, named by `Actor.name`."""
    PROGRAM = "program"
    """Another program; what an older or a newer version noted is one, too."""
    HOOK = "hook"
    """A hook."""
    DEVICE = "device"
    """Another device."""
    ASKER = "asker"
    """Where it was asked: in Claude Code's own dialog, at a program's own prompt."""
    LIMIT = "limit"
    """Nobody: the time that the person allowed is over."""
    SESSION = "session"
    """Nobody: the session that asked no longer waits."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who did something.

    Attributes:
        surface: Where.
        name: What people call it, for example the command, or "".
        process: The process in which it was done, or None where that is not known.
        device: The device on which it was done, or "" for this machine.
    """

    surface: Surface
    name: str = ""
    process: Owner | None = None
    device: str = ""

    @classmethod
    def here(cls, surface: Surface, name: str = "") -> Actor:
        """Return what acts in this process."""
        return cls(surface, name, this_process())

    @property
    def called(self) -> str:
        """The actor in a word."""
        return self.name or str(self.surface)

    @property
    def where(self) -> str:
        """Where it was done, to stand after "answered", for a reader in no terminal of ccq-tui."""
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
"""Nobody decided: who asked no longer waits."""
