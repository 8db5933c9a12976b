"""Questions and decisions as a ticket shows them: Markdown, with marked options."""

from __future__ import annotations

from collections.abc import Iterator

from ccq_tui.answering.document import Passage, PassageKind, question_blocks
from ccq_tui.answering.grammar import acts_to_type, allowed, button
from ccq_tui.answering.interview import Interview
from ccq_tui.inbox.document import lines
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.requests import PlanRequest, Request
from ccq_tui.questions import Kind
from ccq_tui.questions.marks import marks
from ccq_tui.questions.model import Question
from ccq_tui.questions.prose import answer_line
from ccq_tui.text import fenced, one_line, safe

MOST_TEXT = 8_000
"""Most characters of a text that is shown."""
MOST_LINE = 400


Asking = tuple[str, list[str]]
"""What a ticket is asked: Markdown, and the labels to choose one of, if one is to be chosen."""


def question_asked(request: Request, interview: Interview, why: str = "") -> Asking:
    """Return how the question in front is asked.

    Args:
        request: The request.
        interview: The way through it, with the answers so far.
        why: Why it is asked again, or "".
    """
    question = interview.state.page.question
    one_of = question.kind is Kind.CHOICE and not question.multi_select
    named = list(enumerate(marks(question))) if one_of and not question.acts else []
    names = [(button(question, place), mark) for place, mark in named]
    # What would come back as another text is chosen by its mark.
    options = [name if name == safe(name) else mark for name, mark in names]
    ways = list(zip(question.options, question.acts, strict=False))
    options += [one.label for one, act in ways if not act.takes_words]
    parts = _decision(request, question) if question.acts else _question(interview)
    again = f"**Nothing was sent:** {_line(why)}" if why else ""
    return "\n\n".join(part for part in (again, *parts) if part.strip()), options


def decision_shown(request: Request) -> str:
    """Return what a permission or a plan is about."""
    if isinstance(request, PlanRequest):
        return f"**Claude proposes a plan**\n\n{safe(request.plan, limit=MOST_TEXT)}"
    whole = "\n".join(lines(kind_of(request).document(request, None))).strip("\n")
    return fenced(safe(whole, limit=MOST_TEXT))


def _decision(request: Request, question: Question) -> Iterator[str]:
    yield decision_shown(request)
    ways = zip(question.options, question.acts, strict=True)
    yield "\n".join(f"- **{act.key}** {_line(one.label)}" for one, act in ways)
    yield f"_Reply with {', '.join(acts_to_type(question))}._"


def _question(interview: Interview) -> Iterator[str]:
    state, page, number = interview.state, interview.state.page, interview.number
    question = page.question
    if interview.count > 1:
        header = f" · {_line(question.header)}" if question.header else ""
        yield f"**Question {number} of {interview.count}{header}**"
    if number == 1:
        yield from (safe(one, limit=MOST_TEXT) for one in (state.questions.title, state.questions.intro))
    head, description, *options = question_blocks(question)
    yield safe(head.text, limit=MOST_TEXT)
    yield safe(description.text, limit=MOST_TEXT)
    yield "\n".join(_option(one) for one in options if one.text or one.part is PassageKind.OPTION)
    given = ((one.question, one.answer()) for one in state.asked_pages if one is not page and one.answered)
    rows = [f"- {_line(one.header or one.text)}: {_line(answer_line(answer))}" for one, answer in given]
    yield "\n".join(["Answers so far:", *rows] if rows else [])
    proposed = f" “{_line(answer_line(page.answer()))}” is proposed." if page.proposed else ""
    yield f"_{_hint(question)}{proposed}_"


def _option(block: Passage) -> str:
    """Draw an option, or the preview of the one before it."""
    if block.part is PassageKind.OPTION:
        said = f" {_line(block.text)}" if block.text.startswith(" ") else _line(block.text)
        return f"{block.mark}. **{_line(block.name)}**{said}"
    return "\n   " + fenced(safe(block.text, limit=MOST_TEXT)).replace("\n", "\n   ") + "\n"


def _line(text: str) -> str:
    return one_line(text, MOST_LINE)


def _hint(question: Question) -> str:
    own = question.kind is Kind.CHOICE and not question.closed
    said = f"Reply: {_line(allowed(question, named=False))}."
    said += " Anything else is an answer in your own words." if own else ""
    said += " “-” skips it." if question.optional else ""
    return f"{said} “decline” declines all of it." if question.field is not None else said
