"""A question set and its answers as plain text, to copy or to read without a panel."""

from typing import TYPE_CHECKING

from ccq_tui.questions.model import CLAUDE, Answer, Option, Question, QuestionSet, Recalled, same_words

if TYPE_CHECKING:  # a list knows no panel
    from ccq_tui.questions.state import PanelState

NO_ANSWER = "no answer"
LEFT_EMPTY = "left empty"
SKIPPED = "skipped"
PROPOSED = "proposed"
NONE_SELECTED = "none of these"
EMPTY_LABEL = "(empty label)"
UNSELECTED = "typed, not selected: "
WHOLE_CHARACTERS = 45_000
"""The longest text that was seen to reach the agent whole; Claude Code puts longer results into a file."""


def length_notice(state: "PanelState") -> str:
    """Return a warning of a text that the agent would not read whole, or ""; it can be sent all the same."""
    if state.questions.is_form:
        return ""
    own = (page.draft.other for page in state.pages if page.is_field or page.draft.other_on)
    if max(map(len, (state.text, *own, *(page.draft.note for page in state.pages)))) <= WHOLE_CHARACTERS:
        return ""
    cut = f"more than {WHOLE_CHARACTERS:,} characters"
    cut = f"Claude will see only the first 2 KB of {cut}" if state.asker == CLAUDE else f"{cut} may be cut"
    return f"long: {cut}; put it into a file and name it"


def draft_text(state: "PanelState") -> str:
    """Return everything selected and typed so far as text a person can paste elsewhere."""
    parts = [answers_text(state.questions, state.answers)]
    return "\n\n".join(part for part in (*parts, unselected_text(state)) if part)


def unselected_text(state: "PanelState") -> str:
    """Return everything typed so far that is no part of an answer, as text to paste elsewhere."""
    left = (page for page in state.pages if page.unselected)
    parts = [f"Typed but not selected ({page.question.text}): {page.unselected}" for page in left]
    if state.discussion:
        parts.append(f"Discussion: {state.discussion}")
    return "\n\n".join(parts)


def answers_text(questions: QuestionSet, answers: tuple[Answer, ...]) -> str:
    """Return questions with their answers, one paragraph each."""
    parts = []
    for question, answer in zip(questions.questions, answers, strict=True):
        note = f"\n✎ {answer.note}" if answer.note else ""
        parts.append(f"{question.text}\n→ {answer_line(answer)}{note}")
    return "\n\n".join(parts)


def answer_line(answer: Answer) -> str:
    """Return an answer without its note in one line: labels, then the custom text in quotation marks."""
    return ", ".join(answer_parts(answer))


def answer_parts(answer: Answer) -> list[str]:
    """Return the parts of an answer without its note, or the words for none."""
    if answer.empty:
        return [NONE_SELECTED]
    parts = [shown_label(label) for label in answer.selected]
    if answer.other:
        parts.append(f"“{answer.other}”" if answer.selected else answer.other)
    return parts or [NO_ANSWER]


def before_words(before: Recalled, question: Question) -> tuple[str, tuple[str, str], str]:
    """Return the question that was answered earlier, unless it is this one, the answer, and its day."""
    given = "" if same_words(before.asked, question.text) else before.asked
    verb = "took" if before.answer.selected else "wrote"
    return given, (verb, answer_line(before.answer)), before.when


def shown_label(label: str) -> str:
    """Return a label as it is shown: without the mark of a recommendation; an empty one has words, too."""
    return Option(label).title if label.strip() else EMPTY_LABEL
