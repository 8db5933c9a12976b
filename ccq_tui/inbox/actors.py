"""Actors: the people, programs and devices that act on requests and sessions, and their shown names."""

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
    TICKET = "ticket"
    """The ticket of a run."""
    PAGE = "page"
    """The page of a run."""
    SESSION = "session"
    """Nobody: the session that asked no longer waits."""


WHERE = {
    Surface.PANEL: ("", "in its session"),
    Surface.INBOX: ("", "in the inbox"),
    Surface.OVERVIEW: ("", "in the overview"),
    Surface.COMMAND: ("by", "by another program"),
    Surface.PROGRAM: ("by", "by another program"),
    Surface.HOOK: ("by the hook", "by a hook"),
    Surface.DEVICE: ("on", "on another device"),
    Surface.ASKER: ("in", "where it was asked"),
    Surface.LIMIT: ("", "by its time limit"),
    Surface.TICKET: ("in the ticket, by", "in the ticket"),
    Surface.PAGE: ("on the page of its run, by", "on the page of its run"),
    Surface.SESSION: ("", "by its session"),
}
"""The place of an action as it follows "answered": what stands before a name, and the words without one."""


@dataclass(frozen=True, slots=True)
class Actor:
    """The author of an action.

    Attributes:
        surface: The place of the action.
        name: The name that people know, for example the command, or "".
        process: The process that acted, or None if unknown.
        device: The id of the device that acted, or of the person in a ticket; "" for this machine.
    """

    surface: Surface
    name: str = ""
    process: Owner | None = None
    device: str = ""

    @classmethod
    def here(cls, surface: Surface, name: str = "", device: str = "") -> "Actor":
        """Return an actor in this process."""
        return cls(surface, name, this_process(), device)

    @property
    def called(self) -> str:
        """The actor's name, or its surface without one."""
        return self.name or str(self.surface)

    @property
    def where(self) -> str:
        """The place as it follows "answered", for a reader outside ccq-tui's terminals."""
        named, unnamed = WHERE[self.surface]
        device = self.device if self.surface is Surface.DEVICE else ""
        name = one_line(self.name or device, MOST_NAME)
        return f"{named} {name}" if named and name else unnamed

    @property
    def where_from_here(self) -> str:
        """As `where`, for a person in front of this process."""
        terminal = self.surface in (Surface.PANEL, Surface.INBOX, Surface.OVERVIEW)
        if terminal and self.process not in (None, this_process()):
            return "in another terminal"
        return self.where


WITHDRAWN = Actor(Surface.SESSION)
"""Nobody decided: the asker no longer waits."""
