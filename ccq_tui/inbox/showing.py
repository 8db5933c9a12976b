"""One request, as text for people."""

from __future__ import annotations

import json
from collections.abc import Iterator

from ccq_tui.inbox.choices import choices_for
from ccq_tui.inbox.listing import WIDTH, cut, local, wrapped
from ccq_tui.inbox.requests import (
    Allowed,
    Cancelled,
    Denied,
    PermissionRequest,
    PlanRequest,
    QuestionRequest,
    Request,
)
from ccq_tui.inbox.store.encoding import kind_of
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.questions import Answer, Answered, Discussed, Expired, Kind, Question
from ccq_tui.questions.numbers import allowed_range
from ccq_tui.questions.prose import UNSELECTED, answer_line
from ccq_tui.text import one_line, safe

MOST = 20_000
"""Characters of one text that are shown; the JSON has all of it."""


def request_lines(stored: StoredRequest, called: str, session_name: str, unreached: str = "") -> list[str]:
    """Show a request: what was asked, what the agent wrote before it, and how to answer or what became of it.

    Args:
        stored: The request.
        called: What a person calls it.
        session_name: What its session is called.
        unreached: Why no agent can get what is decided, or "".
    """
    request = stored.request
    state = f"{stored.state} · asked {local(stored.asked_at)}"
    lines = [
        *wrapped(one_line(called, 1000), "Request  "),
        f"Kind     {kind_of(request)}",
        f"State    {state}{' · with a draft' if stored.has_draft else ''}",
        *wrapped(one_line(session_name, 500), "Session  "),
    ]
    if stored.context.strip():
        lines += ["", "Claude wrote before:", *_text(stored.context, "  ")]
    match request:
        case QuestionRequest(questions=questions):
            answers = stored.outcome.answers if isinstance(stored.outcome, Answered | Discussed) else ()
            for number, question in enumerate(questions.questions, 1):
                answer = answers[number - 1] if number <= len(answers) else None
                lines += ["", *_question(number, question, answer)]
        case PermissionRequest():
            lines += ["", *_permission(request)]
        case PlanRequest():
            lines += ["", *_text(request.plan, "  ")]
    if stored.outcome is not None:
        return [*lines, "", *_settled(stored, unreached)]
    how = wrapped(unreached) if unreached else _how(request, one_line(called, 1000))
    return [*lines, *_choices(request), "", *how]


def _question(number: int, question: Question, answer: Answer | None) -> Iterator[str]:
    yield from wrapped(f"{one_line(question.text, MOST)} ({_wanted(question)})", f"{number}  ")
    if question.description:
        yield from wrapped(one_line(question.description, MOST), "   ")
    for place, option in enumerate(question.options, 1):
        mark = "" if answer is None else "[x] " if option.label in answer.selected else "[ ] "
        badge = " (recommended)" if option.recommended else ""
        said = f": {one_line(option.description, MOST)}" if option.description else ""
        yield from wrapped(f"{one_line(option.title, MOST)}{badge}{said}", f"   {mark}{place:>2}  ")
        if option.preview:
            yield from (cut("       | " + line) for line in safe(option.preview, limit=MOST).split("\n"))
    if answer is not None:
        yield from wrapped(one_line(answer_line(answer), MOST), "   → ")
        if answer.note:
            yield from wrapped(one_line(answer.note, MOST), "   ✎ ")
        if answer.unselected:
            yield from wrapped(one_line(answer.unselected, MOST), f"   {UNSELECTED}")


def _wanted(question: Question) -> str:
    match question.kind:
        case Kind.TEXT:
            return "a text"
        case Kind.NUMBER:
            allowed = allowed_range(question)
            return f"a number, {one_line(allowed, 80)}" if allowed else "a number"
        case _:
            return "choose any number" if question.multi_select else "choose one"


def _permission(request: PermissionRequest) -> Iterator[str]:
    yield from wrapped(one_line(f"Claude wants to use {request.tool}", 500))
    for said in (request.description, request.reason):
        if said:
            yield from wrapped(one_line(said, MOST), "  ")
    yield from _text(json.dumps(dict(request.input), indent=2, default=str), "  ")


def _choices(request: QuestionRequest | PermissionRequest | PlanRequest) -> list[str]:
    if isinstance(request, QuestionRequest):
        return []
    lines = [""]
    for number, choice in enumerate(choices_for(request), 1):
        where = f" ({choice.where})" if choice.where else ""
        lines += wrapped(one_line(f"{choice.label}{where}", MOST), f"  {number:>2}  ")
    return lines


def _how(request: Request, name: str) -> list[str]:
    if not isinstance(request, QuestionRequest):
        return [
            f"To decide: ccq-tui answer {name} --choose N",
            "           and where it ends in “…” --note TEXT",
        ]
    words = []
    several = len(request.questions.questions) > 1
    for number, question in enumerate(request.questions.questions, 1):
        lead = f"{number}=" if several else ""
        if question.kind is not Kind.CHOICE:
            words.append(f"--other {lead}{question.kind.upper()}")
        else:
            words.append(f"--choose {lead}{'N,N' if question.multi_select else 'N'}")
    head = [f"To answer: ccq-tui answer {name}"]
    return [*head, *(f"             {word}" for word in words)] if several else [f"{head[0]} {words[0]}"]


def _settled(stored: StoredRequest, unreached: str) -> list[str]:
    match stored.outcome:
        case Discussed(text):
            said = f"Replied in prose: {text}"
        case Denied(text):
            said = f"Denied: {text}" if text else "Denied"
        case Allowed():
            said = f"Allowed: {stored.outcome.text}" if stored.outcome.text else "Allowed"
        case Expired():
            said = "Nobody answered in time; nothing was chosen"
        case Cancelled(reason):
            said = f"Cancelled: {reason}"
        case Answered():
            said = "Answered"
        case _:
            said = "Declined"
    by = f" {stored.actor.where}" if stored.actor else ""
    lines = wrapped(one_line(said, MOST))
    if stored.settled_at:
        lines.append(f"Settled{by}, {local(stored.settled_at, seconds=True)}")
    if stored.delivered_at:
        lines.append(f"Delivered as {one_line(stored.way, 40)}, {local(stored.delivered_at, seconds=True)}")
    elif stored.state is not RequestState.CANCELLED:
        lines += wrapped(f"Not delivered: {unreached}" if unreached else "Not delivered yet")
    return lines


def _text(text: str, lead: str = "") -> Iterator[str]:
    """Keep the lines of a text, the long ones broken."""
    for line in safe(text, limit=MOST).strip("\n").split("\n"):
        inner = lead + line[: len(line) - len(line.lstrip())]
        yield from (row.rstrip() for row in wrapped(line, inner[: WIDTH // 2]))
