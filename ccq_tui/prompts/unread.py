"""What a session's prompt holds that Claude has not read, and how its file says so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ccq_tui.bounded import JSON_BYTES, parse_json, read_bytes
from ccq_tui.processes import Owner, this_process
from ccq_tui.prompts.images import PromptImage, adopted, as_json, from_json

MOST_CHARACTERS = 2_000_000
"""A longer draft is not kept on disk."""
MOST_BYTES = 12 * MOST_CHARACTERS + JSON_BYTES
"""The largest file of a draft that is read: each character may be written as two escapes of six bytes."""
_SESSION_ID = re.compile(r"[0-9A-Za-z-]{1,64}")


@dataclass(frozen=True, slots=True)
class Sent:
    """A prompt that was sent.

    Attributes:
        id: The UUID under which it was.
        text: All of it.
        session: The session in whose record it stands once it was read, or "" if that was not known.
    """

    id: str
    text: str
    session: str = ""


@dataclass(frozen=True, slots=True)
class Unbegun:
    """A session of which Claude has read nothing yet: what it takes to begin it in a later process.

    Attributes:
        id: The Claude session id that it has or will have.
        directory: Where it works.
        opened_in: The directory in which the program was started that opened it.
        opened_at: When it was opened, in seconds since 1970.
        title: What it is called, or "".
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
    """What a session's prompt holds that Claude has not read.

    Attributes:
        text: What stands in the field.
        pastes: The pastes whose names are in it.
        sent: What was sent and is not known to have been read, oldest first.
        session: The session, where it has not begun and is to come back as itself; else None.
        images: The images whose names are in it, or in what was sent.
    """

    text: str = ""
    pastes: Mapping[str, str] = field(default_factory=dict, hash=False)
    sent: tuple[Sent, ...] = ()
    session: Unbegun | None = None
    images: Mapping[str, PromptImage] = field(default_factory=dict, hash=False)

    def __bool__(self) -> bool:
        return bool(self.text.strip() or self.sent)


def among(draft: PromptDraft, known: Mapping[str, PromptImage]) -> PromptDraft:
    """Return a draft as it is where other images may have the names of its own."""
    if not draft.images:
        return draft
    texts = (draft.text, *(one.text for one in draft.sent))
    (text, *sent), images = adopted(texts, draft.images, known)
    renamed = tuple(replace(one, text=text) for one, text in zip(draft.sent, sent, strict=True))
    return replace(draft, text=text, sent=renamed, images=images)


@dataclass(frozen=True, slots=True)
class Keeper:
    """Whose a draft is: what its file says, whatever that is."""

    process: Owner | None
    keeper: object


def file_content(draft: PromptDraft, keeper: str) -> dict[str, Any]:
    """Return what the file of a draft holds, as JSON."""
    here = this_process()
    content = {
        "text": draft.text,
        "pastes": dict(draft.pastes),
        "sent": [[one.id, one.text, one.session] for one in draft.sent],
        "process": here.pid,
        "started": here.start,
        "keeper": keeper,
    }
    if draft.images:
        content["images"] = as_json(draft.images)
    return content if draft.session is None else content | {"session": asdict(draft.session)}


def read_draft(path: Path) -> tuple[PromptDraft, Keeper] | None:
    """Read the file of a draft, and whose it is; None when there is none or it is damaged."""
    try:
        content = parse_json(read_bytes(path, MOST_BYTES))
        text, pastes = content["text"], dict(content.get("pastes", {}))
        if not isinstance(text, str) or not all(isinstance(paste, str) for paste in pastes.values()):
            return None
        sent = tuple(Sent(*map(str, one)) for one in content.get("sent", ()))
        images = from_json(content.get("images"))
        draft = PromptDraft(text, pastes, sent, _session(content.get("session")), images)
        return draft, Keeper(_process(content), content.get("keeper"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None


def _session(content: object) -> Unbegun | None:
    """Return the session that a draft's file names, or None where it names none that can be begun."""
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


def _process(content: Mapping[str, object]) -> Owner | None:
    """Return the process that a draft's file names; of an older program it has the number alone."""
    pid, start = content.get("process"), content.get("started", "")
    return Owner(pid, start) if isinstance(pid, int) and isinstance(start, str) else None
