"""Stored data as text for people: lists, one request, and hints on what to do."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from ccq_tui.inbox import layout
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.kinds.decisions import answer_to
from ccq_tui.inbox.layout import MOST, cells, fit, kept_lines, local, table, wrapped
from ccq_tui.inbox.place import Place, stored_group
from ccq_tui.inbox.requests import (
    Allowed,
    AnsweredRequest,
    Cancelled,
    Denied,
    ElicitationRequest,
    Request,
    RequestOutcome,
)
from ccq_tui.inbox.store.rows import Change, RequestState, StoredRequest, StoredSession
from ccq_tui.questions import Answered, Declined, Discussed, Dismissed, Expired, Kind
from ccq_tui.questions.model import Asked
from ccq_tui.questions.prose import answer_line
from ccq_tui.text import common_start, one_line
from ccq_tui.words import SHORT, plural

PLACE_WIDTH = 30
NAME_WIDTH = 14
Shorten = Callable[[str], str]
Counts = Mapping[str, int]
Drawn = Callable[[Sequence[str], Iterable[Sequence[str]]], list[str]]
"""A table in columns, or in sentences."""


def shortener(ids: Iterable[str]) -> Shorten:
    """Return a function that shortens one of the sorted ids to a prefix that no other one has."""
    every = list(ids)
    needed: dict[str, int] = {}
    for before, here, after in zip(["", *every], every, [*every[1:], ""], strict=False):
        needed[here] = max(common_start(before, here), common_start(here, after)) + 1
    # If one id is the beginning of another, a person names it by typing all of it.
    return lambda name: one_line(name[: max(SHORT, needed.get(name, len(name)))], 200)


def brief(at: datetime) -> str:
    """Return the time of day for today, else the date."""
    there = at.astimezone()
    return f"{there:%H:%M}" if there.date() == datetime.now().astimezone().date() else f"{there:%Y-%m-%d}"


def inbox_lines(
    waiting: Sequence[StoredRequest], request_name: Shorten, session_name: Shorten, drawn: Drawn = table
) -> list[str]:
    """List pending requests, oldest first."""
    if not waiting:
        return ["Nothing waits."]
    rows = []
    for item in waiting:
        request, kind, origin = item.request, kind_of(item.request), item.request.origin
        asker = fit(origin.called if origin.is_foreign else session_name(request.session_id), NAME_WIDTH)
        what = kind.title(request), brief(item.asked_at), asker, kind.summary(request)
        rows.append((request_name(request.id), *what))
    return drawn(("REQUEST", "KIND", "ASKED", "SESSION", "WHAT"), rows)


def undelivered_lines(late: Counts, session_name: Shorten, place: Callable[[str], Place]) -> list[str]:
    """Say which confirmed answers have not reached their agents, and what to do."""
    lines = []
    for name, count in late.items():
        answers, it = plural(count, "answer"), "it" if count == 1 else "them"
        called = one_line(session_name(name), NAME_WIDTH)
        short = one_line(name[:SHORT], SHORT)
        resume = f"ccq-tui resume {short}"
        match place(name):
            case Place.NO_RECORD:
                lines.append(
                    f"→ {answers} cannot reach {called}: Claude Code has no record of it. "
                    f"ccq-tui history --session {short} names {it}, ccq-tui show REQUEST prints {it}."
                )
                continue
            case Place.NO_DIRECTORY:
                how = f"its directory is gone; {resume} --cwd DIR delivers {it}"
            case Place.HERE | Place.ELSEWHERE:
                how = f"the ccq-tui that runs it delivers {it}"
            case _:
                how = f"{resume} delivers {it}"
        lines.append(f"→ {answers} {'has' if count == 1 else 'have'} not reached {called} yet: {how}.")
    return lines


def session_lines(
    sessions: Sequence[StoredSession], waiting: Counts, undelivered: Counts, session_id: Shorten
) -> list[str]:
    """List sessions, the one that changed last at the end."""
    if not sessions:
        return ["No sessions."]
    rows = []
    for item in sessions:
        counts = (("?", waiting.get(item.id, 0)), ("→", undelivered.get(item.id, 0)))
        waits = " ".join(f"{sign} {count}" for sign, count in counts if count)
        what = " · ".join(filter(None, (item.name, item.labelled, item.directory, item.last_line)))
        group = str(stored_group(item, waiting.get(item.id, 0)))
        rows.append((session_id(item.id), group, waits, brief(item.changed_at), what))
    return table(("SESSION", "STATE", "WAITS", "CHANGED", "WHAT"), rows)


def unread_words(count: int) -> str:
    """Say how many requests were left out of a list."""
    return f"{count} request{'s' if count != 1 else ''} could not be read"


def history_lines(changes: Sequence[Change], request_name: Shorten, session_id: Shorten) -> list[str]:
    """List changes, oldest first."""
    if not changes:
        return ["Nothing happened."]
    rows = []
    for change in changes:
        session = f"session {session_id(change.session_id)}"
        what = request_name(change.request_id) if change.request_id else session
        became = f"{change.was} → {change.became}" if change.was else change.became
        who = one_line(change.actor.called, 40) if change.actor else ""
        why = " · ".join(text for text in (who, change.cause) if text not in ("", change.became))
        rows.append((local(change.at, seconds=True), what, became, why))
    return table(("TIME", "WHAT", "CHANGE", "WHY"), rows)


def native_lines(waiting: Sequence[StoredRequest], *, hooked: bool, drawn: Drawn = table) -> list[str]:
    """List requests to answer in Claude Code's own screen; ``hooked`` if installed hooks ask in the inbox."""
    if not waiting:
        return []
    rows = []
    for one in waiting:
        directory = one_line(one.request.origin.directory, 1_000)
        shown = directory if cells(directory) <= PLACE_WIDTH else f"…{directory[1 - PLACE_WIDTH :]}"
        name = fit(one.request.origin.called, NAME_WIDTH)
        rows.append((brief(one.asked_at), name, shown, kind_of(one.request).summary(one.request)))
    rows_with_heads = drawn(("ASKED", "SESSION", "DIRECTORY", "WHAT"), rows)
    how = (
        "Installed hooks ask here only while a ccq-tui is open; ccq-tui doctor says what they cover."
        if hooked
        else "To answer here, too: ccq-tui hooks install"
    )
    return ["", "Waiting in Claude Code's own screen, to be answered there:", *rows_with_heads, how]


def request_lines(stored: StoredRequest, called: str, session_name: str, unreached: str = "") -> list[str]:
    """Show a request: its questions, the agent's text before it, and how to answer it or its outcome.

    Args:
        stored: The request.
        called: Its name for a person.
        session_name: The name of its session.
        unreached: The reason that no agent can get the outcome, or "".
    """
    request, kind = stored.request, kind_of(stored.request)
    origin = request.origin
    if origin.is_foreign:
        session_name = " · ".join(part for part in (origin.called, origin.directory) if part)
    state = f"{stored.state} · asked {local(stored.asked_at)}"
    lines = [
        *wrapped(one_line(called, 1000), "Request  "),
        f"Kind     {kind.WORD}",
        f"State    {state}{' · with a draft' if stored.has_draft else ''}",
        *wrapped(one_line(session_name, 500), "Asked by " if origin.is_foreign else "Session  "),
    ]
    if stored.context.strip():
        lines += ["", f"{one_line(origin.called, 40)} wrote before:", *kept_lines(stored.context, "  ")]
    lines += layout.lines(kind.document(request, stored.outcome))
    if stored.outcome is not None:
        return [*lines, "", *_settled(stored, unreached)]
    how = wrapped(unreached) if unreached else how_to_answer(request, one_line(called, 1000))
    return [*lines, *_choices(kind.asked(request)), "", *how]


def outcome_line(request: Request, outcome: RequestOutcome) -> str:
    """Return what was chosen, or said, in a line; "" if nothing was."""
    match outcome:
        case Answered(answers):
            form = kind_of(request).asked(request).questions.is_form
            return " · ".join(answer_line(one) for one in answers if one.given or not form)
        case Discussed(text) | Cancelled(text):
            return text
        case Allowed() | Denied():
            answer = answer_to(kind_of(request).asked(request), replace(outcome, text=""))
            return " · ".join(filter(None, (*answer.selected, outcome.text)))
        case _:
            return ""


def how_to_answer(request: Request, name: str) -> list[str]:
    """Name the commands that answer a request."""
    if not isinstance(request, AnsweredRequest):
        return [
            f"To decide: ccq-tui answer {name} --choose NUMBER",
            "           and where it ends in “…” --note TEXT",
        ]
    other = f"ccq-tui decline {name}, or ccq-tui decline {name} --dismiss"
    if isinstance(request, ElicitationRequest) and request.form.problem:
        return [f"It takes no ccq-tui answer {name}. To end it: {other}"]
    words = []
    several = len(request.questions.questions) > 1
    for number, question in enumerate(request.questions.questions, 1):
        lead = f"{number}=" if several else ""
        if question.kind is not Kind.CHOICE:
            words.append(f"--other {lead}{question.kind.upper()}")
        else:
            words.append(f"--choose {lead}{'NUMBER,NUMBER' if question.multi_select else 'NUMBER'}")
    head = f"To answer: ccq-tui answer {name}"
    lines = [head, *(f"             {word}" for word in words)] if several else [f"{head} {words[0]}"]
    return [*lines, f"Or:        {other}"] if request.questions.is_form else lines


def _choices(asked: Asked) -> list[str]:
    lines = [""] if asked.acts else []
    for number, act in enumerate(asked.acts, 1):
        where = f" ({act.where})" if act.where else ""
        label = asked.question.options[number - 1].label
        lines += wrapped(one_line(f"{label}{where}", MOST), f"  {number:>2}  ")
    return lines


_ENDS: Mapping[type, str] = {
    Answered: "Answered",
    Allowed: "Allowed",
    Declined: "Declined",
    Denied: "Denied",
    Dismissed: "Dismissed: neither answered nor declined",
    Expired: "Nobody answered in time; nothing was chosen",
}


def _settled(stored: StoredRequest, unreached: str) -> list[str]:
    match stored.outcome:
        case Discussed(text):
            words = f"Replied in prose: {text}"
        case (Denied(text) | Allowed(text)) as outcome if text:
            words = f"{_ENDS[type(outcome)]}: {text}"
        case Cancelled(reason):
            words = f"Cancelled: {reason}"
        case outcome:
            words = _ENDS[type(outcome)]
    by = f" {stored.actor.where}" if stored.actor else ""
    lines = wrapped(one_line(words, MOST))
    if stored.settled_at:
        lines.append(f"Settled{by}, {local(stored.settled_at, seconds=True)}")
    if stored.delivered_at:
        lines.append(f"Delivered as {one_line(stored.way, 40)}, {local(stored.delivered_at, seconds=True)}")
    elif stored.state is not RequestState.CANCELLED:
        lines += wrapped(f"Not delivered: {unreached}" if unreached else "Not delivered yet")
    return lines
