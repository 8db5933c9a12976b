"""One question of a set, and the review of all, as lines and prompts."""

from __future__ import annotations

from collections.abc import Iterator

from ccq_tui.inbox.layout import QUOTED
from ccq_tui.plain.tables import as_sentences
from ccq_tui.questions import Kind
from ccq_tui.questions.limits import allowed_words
from ccq_tui.questions.marks import marks
from ccq_tui.questions.model import Question
from ccq_tui.questions.prose import (
    NO_ANSWER,
    PROPOSED,
    SKIPPED,
    UNSELECTED,
    answer_line,
    before_words,
    shown_label,
)
from ccq_tui.questions.state import Page, PanelState
from ccq_tui.text import one_line


def label_of(state: PanelState) -> str:
    """Return the label of the question in front, its place among those that are asked, or of the review."""
    if state.in_review:
        return "review"
    asked = state.asked_tabs
    optional = " (optional)" if state.page.question.optional else ""
    return f"question {asked.index(state.tab) + 1} of {len(asked)}{optional}"


def text_of(state: PanelState) -> str:
    """Return the question in front with its options and an earlier answer, or all answers so far."""
    return "\n".join(_review(state) if state.in_review else _question(state))


def _question(state: PanelState) -> Iterator[str]:
    question = state.page.question
    yield question.text
    if question.description:
        yield as_sentences(question.description)
    if question.kind is Kind.CHOICE:
        yield from _options(question)
    if question.placeholder:
        yield f"For example: {question.placeholder}"
    if (before := state.before) is not None:
        given, (verb, answer), when = before_words(before, question)
        yield f"You {verb} “{answer}” {when}{f' for “{given}”' if given else ''}."


def _options(question: Question) -> Iterator[str]:
    for number, option in zip(marks(question), question.options, strict=True):
        badge = " (recommended)" if option.recommended else ""
        said = f": {option.description}" if option.description else ""
        yield f"{number}. {shown_label(option.label)}{badge}{said}"
        if option.preview:
            yield f"Preview of {number}:\n{option.preview}"


def prompt_of(state: PanelState) -> str:
    """Return the prompt for the question in front, or for the review."""
    if state.in_review:
        return "y confirms, a number goes back to that question, ? for help:"
    page, words = state.page, [_wanted(state.page.question)]
    question = page.question
    if question.kind is Kind.CHOICE and not question.closed:
        words.append("o TEXT for your own words")
    if answer := current(page):
        words.append(f"Enter keeps “{one_line(answer, QUOTED)}”")
    elif question.optional:
        words.append("Enter skips")
    return f"{', '.join([*words, '? for help'])}:"


def _wanted(question: Question) -> str:
    count = len(question.options)
    if question.kind is not Kind.CHOICE:
        limits = allowed_words(question).removeprefix("optional").strip(" ·")
        if question.kind is Kind.NUMBER and question.field is not None:
            return f"Type {limits}"
        one = question.kind is Kind.NUMBER or question.field is None or question.field.one_line
        on = "" if one else ", a line that ends in \\ is continued"
        return f"Type a {question.kind}{f', {limits}' if limits else ''}{on}"
    if not count:
        return "It has no options"
    named = f"1 to {count}" if count > 1 else "1"
    if not question.multi_select:
        return f"Choose {named}"
    several = f"some of {named}, as in 1,{count}" if count > 1 else named
    return f"Choose {several}{'' if question.skippable else ', or 0 for none'}"


def current(page: Page) -> str:
    """Return the answer so far in one line, or ""."""
    answer = page.answer()
    return answer_line(answer) if answer.given else ""


def _review(state: PanelState) -> Iterator[str]:
    yield "Your answers"
    for number, page in enumerate(state.asked_pages, 1):
        answer, empty = page.answer(), SKIPPED if page.question.optional else NO_ANSWER
        proposed = f" ({PROPOSED})" if page.proposed else ""
        rows = [page.question.text, answer_line(answer) + proposed if answer.given else empty]
        rows += [f"Note: {page.draft.note}"] if page.draft.note else []
        rows += [f"{UNSELECTED}{page.unselected}"] if page.unselected else []
        yield f"{number}. {chr(10).join(rows)}".replace("\n", "\n   ")


def help_text(state: PanelState) -> str:
    """Say what can be typed."""
    question, review, several = state.page.question, state.in_review, state.needs_review
    one, prose = not review, state.questions.takes_prose
    chosen = one and question.kind is Kind.CHOICE
    lines = (
        (True, "A line ends with Enter; a backslash at its end continues it on the next line."),
        (review, "y: confirm these answers."),
        (review, "A number: go back to that question."),
        (chosen, "A number, or a label in any case: choose that option."),
        (chosen and question.multi_select, "Several with commas, as in 1,3."),
        (chosen and question.multi_select and not question.skippable, "0: none of them."),
        (chosen and not question.closed, "o TEXT: answer in your own words."),
        (one and not chosen, "A line of two characters or more is your answer."),
        (one and not chosen, "o: the next line is your answer, even one letter."),
        (one and several, "An empty line: keep the answer, or continue without one."),
        (one and question.optional and question.skippable, "skip: no answer."),
        (several, "b: back to the question before."),
        (several, "r: review all answers."),
        (one and prose, "n TEXT: a note beside the answer."),
        (prose, "c TEXT: reply to all of it in prose instead of answers."),
        (True, "d: decline.\nNothing is sent before you confirm it."),
    )
    return "\n".join(text for applies, text in lines if applies)
