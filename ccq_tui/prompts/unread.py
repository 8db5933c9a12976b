"""The parts of a session's prompt that Claude has not read, as they are kept."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ccq_tui.bounded import parse_json
from ccq_tui.prompts.images import PromptImage, adopted, as_json
from ccq_tui.prompts.images import from_json as images_from_json

_SESSION_ID = re.compile(r"[0-9A-Za-z-]{1,64}")


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


def to_json(draft: PromptDraft) -> str:
    """Write a draft; ASCII, because a text may hold lone surrogates."""
    content: dict[str, Any] = {
        "text": draft.text,
        "pastes": dict(draft.pastes),
        "sent": [[one.id, one.text, one.session] for one in draft.sent],
    }
    if draft.images:
        content["images"] = as_json(draft.images)
    return json.dumps(content if draft.session is None else content | {"session": asdict(draft.session)})


def from_json(content: str | bytes) -> PromptDraft | None:
    """Read a draft; None if it is damaged."""
    try:
        found = parse_json(content)
        text, pastes = found["text"], dict(found.get("pastes", {}))
        if not isinstance(text, str) or not all(isinstance(paste, str) for paste in pastes.values()):
            return None
        sent = tuple(Sent(*map(str, one)) for one in found.get("sent", ()))
        return PromptDraft(
            text, pastes, sent, _session(found.get("session")), images_from_json(found.get("images"))
        )
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None


def _session(content: object) -> Unbegun | None:
    """Return the session that a draft's file names, or None if it names none that can be begun."""
    if not isinstance(content, Mapping):
        return None

    def word(name: str) -> str | None:
        found = content.get(name)
        return found if isinstance(found, str) else None

    name, directory, opened_at = word("id") or "", word("directory"), content.get("opened_at")
    if not (_SESSION_ID.fullmatch(name) and directory):
        return None
    return Unbegun(
        id=name,
        directory=directory,
        opened_in=word("opened_in") or "",
        opened_at=float(opened_at) if isinstance(opened_at, int | float) else 0.0,
        title=word("title") or "",
        model=word("model"),
        mode=word("mode"),
        effort=word("effort"),
        original=word("original") or "",
    )
