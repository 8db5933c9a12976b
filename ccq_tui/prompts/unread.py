"""The parts of a session's prompt that Claude has not read, as they are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ccq_tui.prompts.images import PromptImage, adopted


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
class Unbegun:
    """A session of which Claude has read nothing yet, with all that a later process needs to begin it.

    Attributes:
        id: The Claude session id that it has or will have.
        directory: Its working directory.
        opened_in: The directory in which the program that opened it was started.
        opened_at: The time when it was opened, in seconds since 1970.
        title: Its title, or "".
        model: The model, or None for the default.
        mode: The permission mode, or None for the default.
        effort: The effort, or None for the default.
        original: The session that it is a copy of, or "".
        labels: Its labels, by key.
    """

    id: str
    directory: str
    opened_in: str = ""
    opened_at: float = 0.0
    title: str = ""
    model: str | None = None
    mode: str | None = None
    effort: str | None = None
    original: str = ""
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class PromptDraft:
    """The parts of a session's prompt that Claude has not read.

    Attributes:
        text: The text in the field.
        pastes: The pastes whose names are in it.
        sent: The prompts that were sent and are not known to have been read, oldest first.
        session: The session, if it has not begun and must come back as itself; else None.
        images: The images whose names are in the text, or in the prompts that were sent.
    """

    text: str = ""
    pastes: Mapping[str, str] = field(default_factory=dict, hash=False)
    sent: tuple[Sent, ...] = ()
    session: Unbegun | None = None
    images: Mapping[str, PromptImage] = field(default_factory=dict, hash=False)

    def __bool__(self) -> bool:
        return bool(self.text.strip() or self.sent)


def directory_key(directory: Path) -> str:
    """Return what a draft is kept for in a directory, for a session that has no id yet."""
    return f"directory {directory}"


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
        draft.session or before.session,
        {**before.images, **draft.images},
    )
