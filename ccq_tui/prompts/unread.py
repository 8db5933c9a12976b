"""The parts of a session's prompt that Claude has not read, as they are kept."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ccq_tui.prompts.images import PromptImage, adopted
from ccq_tui.worktrees.model import worktree_at


@dataclass(frozen=True, slots=True)
class Sent:
    """A prompt that was sent.

    Attributes:
        id: Its UUID.
        text: Its whole text.
        session: The session whose record has it once it was read, or "" if that was not known.
    """

    id: str
    text: str
    session: str = ""


@dataclass(frozen=True, slots=True)
class PromptDraft:
    """The parts of a session's prompt that Claude has not read.

    Attributes:
        text: The text in the field.
        pastes: The pastes whose names are in it.
        sent: The prompts that were sent and are not known to have been read, oldest first.
        images: The images whose names are in the text, or in the prompts that were sent.
    """

    text: str = ""
    pastes: Mapping[str, str] = field(default_factory=dict, hash=False)
    sent: tuple[Sent, ...] = ()
    images: Mapping[str, PromptImage] = field(default_factory=dict, hash=False)

    def __bool__(self) -> bool:
        return bool(self.text.strip() or self.sent)


def directory_key(directory: Path) -> str:
    """Return what a draft is kept for in a directory, or in the repository of a worktree that may go.

    It is that of sessions of which Claude has read nothing yet.
    """
    worktree = worktree_at(directory)
    return f"directory {worktree.root if worktree else directory}"


def among(draft: PromptDraft, known: Mapping[str, PromptImage]) -> PromptDraft:
    """Return a draft with those of its images renamed whose names other images have in ``known``."""
    if not draft.images:
        return draft
    texts = (draft.text, *(one.text for one in draft.sent))
    (text, *sent), images = adopted(texts, draft.images, known)
    renamed = tuple(replace(one, text=text) for one, text in zip(draft.sent, sent, strict=True))
    return replace(draft, text=text, sent=renamed, images=images)


def joined(before: PromptDraft, draft: PromptDraft) -> PromptDraft:
    """Return a draft behind another one of the same session or directory."""
    draft = among(draft, before.images)
    return PromptDraft(
        "\n".join(filter(str.strip, (before.text, draft.text))),
        {**before.pastes, **draft.pastes},
        before.sent + draft.sent,
        {**before.images, **draft.images},
    )
