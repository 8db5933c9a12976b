"""What is stored, as text for people: aligned, harmless, in lines of 80 columns."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from ccq_tui.inbox.reach import Reach
from ccq_tui.inbox.requests import PermissionRequest, QuestionRequest, Request
from ccq_tui.inbox.standing import stored_group
from ccq_tui.inbox.store.encoding import kind_of
from ccq_tui.inbox.store.rows import Change, StoredRequest, StoredSession
from ccq_tui.text import one_line

WIDTH = 80
SHORT = 8
"""The fewest characters of an id that are shown: with fewer one types it into the wrong place."""
NAME_WIDTH = 14
Shorten = Callable[[str], str]


def cells(text: str) -> int:
    """Return how many columns harmless text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(character) or character in "\u200c\u200d\ufe0e\ufe0f"
        else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )


def fit(text: str, width: int) -> str:
    """Make text one harmless line of at most so many columns; a cut ends in "…"."""
    return cut(one_line(text, max(1, width)), width)


def cut(line: str, width: int = WIDTH) -> str:
    """Cut a harmless line where so many columns end."""
    if cells(line) <= width:
        return line
    line = line[:width]
    while line and cells(line) >= width:
        line = line[:-1]
    return line.rstrip() + "…"


def pad(text: str, width: int) -> str:
    """Put blanks after text until it takes so many columns."""
    return text + " " * (width - cells(text))


def wrapped(text: str, lead: str = "", width: int = WIDTH) -> list[str]:
    """Break one paragraph into lines.

    Args:
        text: Harmless text; white space is taken as one blank.
        lead: What stands before the first line; the others begin under its end.
        width: The most columns of a line.
    """
    room = max(8, width - cells(lead))
    lines: list[str] = []
    line = ""
    for word in text.split():
        rest = word
        if line and cells(line) + 1 + cells(rest) > room:
            lines.append(line)
            line = ""
        while (end := _held(rest, room)) < len(rest):
            lines.append(rest[:end])
            rest = rest[end:]
        line = f"{line} {rest}" if line else rest
    lines += [line] if line or not lines else []
    return [lead + lines[0], *(" " * cells(lead) + further for further in lines[1:])]


def _held(text: str, room: int) -> int:
    """Return how many characters of harmless text stand in so many columns, without counting the rest."""
    taken = 0
    for place, character in enumerate(text):
        taken += cells(character)
        if taken > room:
            return max(1, place)
    return len(text)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Align rows in columns, the last of which is cut where the line ends.

    Args:
        heads: The columns' names.
        rows: The cells; all but the last are short.
    """
    kept = [[*(fit(cell, 40) for cell in row[:-1]), row[-1]] for row in rows]
    widths = [max(cells(row[place]) for row in [list(heads), *kept]) for place in range(len(heads) - 1)]
    room = max(8, WIDTH - sum(widths) - 2 * len(widths))
    return [
        "  ".join(
            [*(pad(cell, width) for cell, width in zip(row[:-1], widths, strict=True)), fit(row[-1], room)]
        ).rstrip()
        for row in [list(heads), *kept]
    ]


def shortener(ids: Iterable[str]) -> Shorten:
    """Return what shortens an id so far that no other one begins like it.

    Args:
        ids: All ids there are, sorted.
    """
    every = list(ids)
    needed: dict[str, int] = {}
    for before, here, after in zip(["", *every], every, [*every[1:], ""], strict=False):
        needed[here] = max(_common(before, here), _common(here, after)) + 1
    # Of two ids of which one begins the other, the shorter is found by being given whole.
    return lambda name: one_line(name[: max(SHORT, needed.get(name, len(name)))], 40)


def local(at: datetime, *, seconds: bool = False) -> str:
    """Return a time where the person is."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M:%S" if seconds else "%Y-%m-%d %H:%M")


def _kind(request: Request) -> str:
    count = len(request.questions.questions) if isinstance(request, QuestionRequest) else 1
    return f"{count} questions" if count > 1 else kind_of(request)


def brief(at: datetime) -> str:
    """Return the time of day of today, and the date of any other day."""
    there = at.astimezone()
    return f"{there:%H:%M}" if there.date() == datetime.now().astimezone().date() else f"{there:%Y-%m-%d}"


def summary(request: Request) -> str:
    """Say what is asked in a line, as far as it fits in one."""
    match request:
        case QuestionRequest(questions=questions):
            return questions.title or questions.questions[0].text
        case PermissionRequest():
            said = request.description or next(
                (value for value in request.input.values() if isinstance(value, str)), ""
            )
            return f"{request.tool}: {said}" if said else request.tool
        case _:
            return request.plan.strip().lstrip("# ").partition("\n")[0]


def inbox_lines(waiting: Sequence[StoredRequest], request_name: Shorten, session_name: Shorten) -> list[str]:
    """List what waits, oldest first.

    Args:
        waiting: The requests.
        request_name: Shortens a request's id.
        session_name: Names a session by its id.
    """
    if not waiting:
        return ["Nothing waits."]
    rows = [
        (
            request_name(item.request.id),
            _kind(item.request),
            brief(item.asked_at),
            fit(session_name(item.request.session_id), NAME_WIDTH),
            summary(item.request),
        )
        for item in waiting
    ]
    return table(("REQUEST", "KIND", "ASKED", "SESSION", "WHAT"), rows)


def undelivered_lines(
    undelivered: Mapping[str, int], session_name: Shorten, reach: Callable[[str], Reach]
) -> list[str]:
    """Say which confirmed answers have not reached their agents, and what to do.

    Args:
        undelivered: How many of each session, by its id.
        session_name: Names a session by its id.
        reach: Says how a session can be reached.
    """
    lines = []
    for name, count in undelivered.items():
        answers, it = ("1 answer", "it") if count == 1 else (f"{count} answers", "them")
        called = one_line(session_name(name), NAME_WIDTH)
        short = one_line(name[:SHORT], SHORT)
        resume = f"ccq-tui resume {short}"
        match reach(name):
            case Reach.NO_RECORD:
                lines.append(
                    f"→ {answers} cannot reach {called}: Claude Code has no record of it. "
                    f"ccq-tui history --session {short} names {it}, ccq-tui show REQUEST prints {it}."
                )
                continue
            case Reach.NO_DIRECTORY:
                how = f"its directory is gone; {resume} --cwd DIR delivers {it}"
            case Reach.RUNS:
                how = f"the ccq-tui that runs it delivers {it}"
            case _:
                how = f"{resume} delivers {it}"
        lines.append(f"→ {answers} {'has' if count == 1 else 'have'} not reached {called} yet: {how}.")
    return lines


def session_lines(
    sessions: Sequence[StoredSession],
    waiting: Mapping[str, int],
    session_id: Shorten,
    undelivered: Mapping[str, int] = MappingProxyType({}),
) -> list[str]:
    """List sessions, the one that changed last at the end.

    Args:
        sessions: The sessions, in that order.
        waiting: How many requests of each wait.
        session_id: Shortens a session's id.
        undelivered: How many answers to each have not reached its agent.
    """
    if not sessions:
        return ["There are no sessions."]
    rows = [
        (
            session_id(item.id),
            str(stored_group(item, waiting.get(item.id, 0))),
            " ".join(
                f"{sign} {counts[item.id]}"
                for sign, counts in (("?", waiting), ("→", undelivered))
                if counts.get(item.id)
            ),
            brief(item.changed_at),
            " · ".join(text for text in (item.name, item.directory, item.last_line) if text),
        )
        for item in sessions
    ]
    return table(("SESSION", "STATE", "WAITS", "CHANGED", "WHAT"), rows)


def unread_words(count: int) -> str:
    """Say how many requests were left out of a list."""
    return f"{count} request{'s' if count != 1 else ''} could not be read"


def history_lines(changes: Sequence[Change], request_name: Shorten, session_id: Shorten) -> list[str]:
    """List changes, oldest first.

    Args:
        changes: The changes.
        request_name: Shortens a request's id.
        session_id: Shortens a session's id.
    """
    if not changes:
        return ["Nothing happened."]
    rows = [
        (
            local(change.at, seconds=True),
            request_name(change.request_id)
            if change.request_id
            else f"session {session_id(change.session_id)}",
            f"{change.was} → {change.became}" if change.was else change.became,
            " · ".join(text for text in (_who(change), change.cause) if text != change.became and text),
        )
        for change in changes
    ]
    return table(("TIME", "WHAT", "CHANGE", "WHY"), rows)


def _who(change: Change) -> str:
    return one_line(change.actor.called, 40) if change.actor else ""


def _common(one: str, other: str) -> int:
    """Return how many characters two texts begin alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
