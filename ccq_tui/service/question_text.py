"""Questions and decisions as a ticket shows them: Markdown, with marked options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ccq_tui.answering.asked import Asked
from ccq_tui.answering.grammar import acts_to_type, button
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.requests import PlanRequest, Request
from ccq_tui.questions import Kind
from ccq_tui.questions.limits import allowed_words
from ccq_tui.questions.marks import marks, misleads
from ccq_tui.questions.model import Option, Question
from ccq_tui.questions.prose import answer_line, shown_label
from ccq_tui.questions.state import PanelState
from ccq_tui.text import fenced, one_line, safe

MOST_TEXT = 8_000
"""Most characters of a text that is shown."""
MOST_LINE = 400


Asking = tuple[str, list[str]]
"""What a ticket is asked: Markdown, and the labels to choose one of, if one is to be chosen."""


def question_asked(state: PanelState, tab: int, why: str = "") -> Asking:
    """Return how one question of a set is asked.

    Args:
        state: The set, with the answers so far.
        tab: The place of the question.
        why: Why it is asked again, or "".
    """
    question = state.pages[tab].question
    one_of = question.kind is Kind.CHOICE and not question.multi_select
    named = list(enumerate(marks(question))) if one_of else []
    names = [(button(question, place), mark) for place, mark in named]
    # What would come back as another text is chosen by its mark.
    options = [name if name == safe(name) else mark for name, mark in names]
    return _joined(_question(state, tab, why)), options


def decision_asked(request: Request, asked: Asked, why: str = "") -> Asking:
    """Return how a permission or a plan is asked.

    Args:
        request: The request.
        asked: The ways to decide.
        why: Why it is asked again, or "".
    """
    ways = list(zip(asked.question.options, asked.acts, strict=True))
    rows = (f"- **{act.key}** {_line(one.label)}" for one, act in ways)
    hint = f"Reply with {', '.join(acts_to_type(asked.question))}."
    if isinstance(request, PlanRequest):
        about = f"**Claude proposes a plan**\n\n{safe(request.plan, limit=MOST_TEXT)}"
    else:
        lines = "\n".join(kind_of(request).plain_text(request, None)).strip("\n")
        about = fenced(safe(lines, limit=MOST_TEXT))
    options = [one.label for one, act in ways if not act.takes_words]
    return _joined([_again(why), about, "\n".join(rows), f"_{hint}_"]), options


def _question(state: PanelState, tab: int, why: str) -> Iterator[str]:
    question, tabs = state.pages[tab].question, state.asked_tabs
    yield _again(why)
    if len(tabs) > 1 and tab in tabs:
        header = f" · {_line(question.header)}" if question.header else ""
        yield f"**Question {tabs.index(tab) + 1} of {len(tabs)}{header}**"
    if tab == tabs[0]:
        yield from (safe(one, limit=MOST_TEXT) for one in (state.questions.title, state.questions.intro))
    yield safe(question.text, limit=MOST_TEXT)
    yield safe(question.description, limit=MOST_TEXT)
    yield "\n".join(map(_option, marks(question), question.options))
    yield from _answers(state, tab)
    yield f"_{_hint(question)}_"


def _option(mark: str, option: Option) -> str:
    badge = " (recommended)" if option.recommended else ""
    said = f": {_line(option.description)}" if option.description else ""
    row = f"{mark}. **{_line(shown_label(option.label))}**{badge}{said}"
    if option.preview:
        row += "\n\n   " + fenced(safe(option.preview, limit=MOST_TEXT)).replace("\n", "\n   ") + "\n"
    return row


def _answers(state: PanelState, tab: int) -> Iterator[str]:
    """Return the answers so far, without the one to this question."""
    pages = (state.pages[one] for one in state.asked_tabs if one != tab)
    given = ((page.question.header or page.question.text, page.answer()) for page in pages)
    rows = [f"- {_line(name)}: {_line(answer_line(answer))}" for name, answer in given if answer.given]
    if rows:
        yield "\n".join(["Answers so far:", *rows])


def _line(text: str) -> str:
    return one_line(text, MOST_LINE)


def _hint(question: Question) -> str:
    if question.kind is not Kind.CHOICE:
        limits = allowed_words(question)
        hint = f"Reply with a {question.kind}{f' ({limits})' if limits else ''}."
    else:
        named, noun = marks(question), "letter" if misleads(question) else "number"
        several = f"{noun}s or labels, as in {','.join(named[:3:2])}; 0 for none"
        hint = f"Reply with {several if question.multi_select else f'a {noun} or a label'}."
    if question.kind is Kind.CHOICE and not question.closed:
        hint += " Anything else is an answer in your own words."
    if question.optional:
        hint += " “-” skips it."
    return f"{hint} “decline” declines all of it." if question.field is not None else hint


def _again(why: str) -> str:
    return f"**Nothing was sent:** {_line(why)}" if why else ""


def _joined(parts: Sequence[str] | Iterator[str]) -> str:
    return "\n\n".join(part for part in parts if part.strip())
