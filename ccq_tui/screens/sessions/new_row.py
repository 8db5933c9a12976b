"""The row that becomes a new session: its fields, kept until it is opened."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ccq_tui.runtime.launches import PlaceError, SessionSpec, wanted
from ccq_tui.runtime.view import short_path
from ccq_tui.screens.sessions.rows import ShownField
from ccq_tui.worktrees.model import WorktreeError

PROMPT, DIRECTORY, WORKTREE = range(3)
LABELS = ("Prompt", "Directory", "Worktree")
NO_PROMPT, NO_WORKTREE = "none yet", "none · Space makes a name"
CARET = "▏"


@dataclass
class NewSession:
    """What a person wants of a new session.

    Attributes:
        texts: The text of each field.
        at: The field that has the keys.
        faults: What is wrong with a field, by its place.
    """

    texts: list[str] = field(default_factory=lambda: [""] * len(LABELS))
    at: int = PROMPT
    faults: dict[int, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The text of the field that has the keys."""
        return self.texts[self.at]

    def step(self, by: int) -> None:
        """Go to another field."""
        self.at = (self.at + by) % len(LABELS)

    def type(self, text: str) -> None:
        """Put another text into the field that has the keys."""
        if text != self.text:
            self.texts[self.at] = text
            self.faults.pop(self.at, None)

    def shown(self, here: Path, caret: int) -> tuple[ShownField, ...]:
        """Return the fields with the caret at its place."""
        empty = (NO_PROMPT, short_path(here), NO_WORKTREE)
        found = []
        for at, (label, text) in enumerate(zip(LABELS, self.texts, strict=True)):
            if at == self.at:
                text = f"{text[:caret]}{CARET}{text[caret:]}"
                text += f" {empty[at]}" if text == CARET and at != PROMPT else ""
            found.append(ShownField(label, text or empty[at], self.faults.get(at, "")))
        return tuple(found)

    def spec(self, here: Path) -> SessionSpec | None:
        """Return the session that is wanted, or None and note what is wrong; call it in a thread."""
        prompt, directory, worktree = self.texts
        self.faults = {}
        try:
            return wanted(directory, prompt, worktree, here)
        except (PlaceError, OSError) as error:
            self.at = DIRECTORY
            self.faults = {DIRECTORY: str(error)}
        except WorktreeError as error:
            self.at = WORKTREE
            self.faults = {WORKTREE: str(error)}
        return None
