"""The text of a prompt that was not sent, where no field shows it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ccq_tui.plain.lines import Lines
from ccq_tui.prompts.images import PromptImage
from ccq_tui.prompts.pastes import unfolded
from ccq_tui.prompts.unread import PromptDraft


class PlainPrompt:
    """Keeps a text that comes back, until the person sends it."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self.draft = PromptDraft()
        self._images: dict[str, PromptImage] = {}

    @property
    def kept(self) -> PromptDraft:
        """The text that must not be lost."""
        return self.draft

    def take(self) -> str:
        """Return the text, which is sent."""
        text, self.draft = self.draft.text, PromptDraft()
        return text

    def adopt(self, draft: PromptDraft) -> PromptDraft:
        """Keep the images of a draft."""
        self._images |= draft.images
        return draft

    def images_in(self, text: str) -> dict[str, PromptImage]:
        """Return the images whose names are in a text."""
        return {name: image for name, image in self._images.items() if name in text}

    def restore(self, draft: PromptDraft) -> None:
        """Replace the text, and print it; the beginning of a command is for a field."""
        if draft.text.startswith("/") and draft.text.endswith(" "):
            return
        self.draft = replace(draft, text=unfolded(draft.text, draft.pastes), pastes={})
        if self.draft.text.strip():
            self._lines.note(f"This text was not sent; /send sends it: {self.draft.text}")

    def put_back(self, text: str) -> None:
        """Put a prompt that was not read before the text."""
        self.restore(replace(self.draft, text="\n".join(filter(None, (text, self.draft.text)))))

    def remember(self, earlier: Iterable[str]) -> None:
        """Do nothing: the terminal has the earlier lines."""
