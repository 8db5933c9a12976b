"""One question of a set, and the review of all, as lines and prompts."""

from __future__ import annotations

from collections.abc import Iterator

from ccq_tui.answering.document import question_blocks
from ccq_tui.answering.grammar import Names, TypedError, acts_to_type, allowed
from ccq_tui.answering.interview import Interview
from ccq_tui.inbox.layout import QUOTED
from ccq_tui.plain.tables import sentences
from ccq_tui.questions import Kind
from ccq_tui.questions.model import Question
from ccq_tui.questions.prose import NO_ANSWER, PROPOSED, SKIPPED, UNSELECTED, answer_line, before_words
from ccq_tui.questions.state import PanelState
from ccq_tui.text import one_line


def label_of(interview: Interview) -> str:
    """Return the label of the question in front, its place among those that are asked, or of the review."""
    if (question := interview.question) is None:
        return "review"
    optional = " (optional)" if question.optional else ""
    return f"question {interview.number} of {interview.count}{optional}"


def text_of(interview: Interview) -> str:
    """Return the question in front with its options and an earlier answer, or all answers so far."""
    state = interview.state
    return "\n".join(_review(state) if state.in_review else _question(state))


def _question(state: PanelState) -> Iterator[str]:
    question = state.page.question
    yield from sentences(question_blocks(question))
    if question.placeholder:
        yield f"For example: {question.placeholder}"
    if state.page.unselected:
        yield f"{UNSELECTED}{state.page.unselected}"
    if (before := state.before) is not None:
        given, (verb, answer), when = before_words(before, question)
        yield f"You {verb} “{answer}” {when}{f' for “{given}”' if given else ''}."


def prompt_of(interview: Interview) -> str:
    """Return the prompt for the question in front, or for the review."""
    if (question := interview.question) is None:
        return "y confirms, a number goes back to that question, ? for help:"
    if question.acts:
        return f"{', '.join(acts_to_type(question))}, b decides later, ? for help:"
    rules, now = question.field, interview.state.page.seen
    words = [allowed(question, named=False)]
    if question.kind is Kind.TEXT and rules and not (rules.one_line or rules.format):
        words.append("a line that ends in \\ is continued")
    if question.kind is Kind.CHOICE and not question.closed:
        words.append(f"{'other' if _names(question, 'o') else 'o'} TEXT for your own words")
    if now.given:
        words.append(f"Enter keeps “{one_line(answer_line(now), QUOTED)}”")
    elif question.optional:
        words.append("Enter skips")
    said = ", ".join([*words, "? for help"])
    return f"{said[:1].upper()}{said[1:]}:"


def _review(state: PanelState) -> Iterator[str]:
    yield "Your answers"
    for number, page in enumerate(state.asked_pages, 1):
        answer, empty = page.seen, SKIPPED if page.question.optional else NO_ANSWER
        proposed = f" ({PROPOSED})" if page.proposed else ""
        given = answer_line(answer)
        if page.question.options and given == answer.other:  # own words may read as several options
            given = f"“{given}”"
        rows = [page.question.text, given + proposed if answer.given else empty]
        rows += [f"Note: {page.draft.note}"] if page.draft.note else []
        rows += [f"{UNSELECTED}{page.unselected}"] if page.unselected else []
        yield f"{number}. {chr(10).join(rows)}".replace("\n", "\n   ")


WITH_TEXT = ("other", "note", "reply")
"""The commands that take a text, on their line or on the next one."""


def command_of(interview: Interview, line: str, *, stale: bool) -> tuple[str, str]:
    """Return the command that a line is, with its text; "" for an answer."""
    word, _, text = line.partition(" ")
    question, text, known = interview.question, text.strip(), _commands(interview, stale=stale)
    named = {letter: name for name, (letter, _) in known.items()}
    if not _takes_text(question):
        named |= {name: name for name in known}
    command = named.get(word.lower(), "")
    if not command or _names(question, word) or _names(question, line):
        return "", ""
    no_text = command not in WITH_TEXT or _takes_text(question)
    return ("", "") if text and no_text else (command, text)


def _takes_text(question: Question | None) -> bool:
    """Whether a text answers, which may well be one of these words, or begin with one."""
    return question is not None and question.kind is Kind.TEXT


def _commands(interview: Interview, *, stale: bool) -> dict[str, tuple[str, str]]:
    """Return the commands that do something here, with the letter of each and what it does."""
    question, prose = interview.question, interview.state.questions.takes_prose
    commands = (
        ("back", "b", "back to the question before", True),
        ("review", "r", "review all answers", interview.has_review),
        ("other", "o", "answer in your own words", question and not (question.closed or question.secret)),
        ("note", "n", "a note beside the answer", question and prose),
        ("reply", "c", "reply to all of it in prose instead of answers", prose),
        ("take", "t", "continue with the draft of the other surface", stale),
        ("decline", "d", "decline", True),
        ("help", "?", "this help", True),
    )
    return {name: (letter, does) for name, letter, does, known in commands if known}


def _names(question: Question | None, text: str) -> bool:
    """Whether a text names an option, which comes before a command."""
    try:
        return question is not None and Names.of(question).place(text) is not None
    except TypedError:
        return True


def help_text(interview: Interview, *, stale: bool) -> str:
    """Say what can be typed."""
    question = interview.question
    said = ["A line ends with Enter; a backslash at its end continues it on the next line."]
    if question is None:
        said.append("y: confirm these answers. A number: go back to that question.")
    elif question.kind is Kind.CHOICE:
        said.append("A mark, or a label in any case: that option. Several of a list with commas, as in 1,3.")
    else:
        said.append("A line of two characters or more is your answer.")
    for name, (letter, does) in _commands(interview, stale=stale).items():
        takes = " TEXT" * (name in WITH_TEXT)
        short = "" if _names(question, letter) else f" or {letter}{takes}"
        said.append(f"{letter if _takes_text(question) else f'{name}{takes}{short}'}: {does}.")
    sent = "Nothing is sent before you confirm it." if interview.has_review else "An answer is sent at once."
    return "\n".join([*said, sent])
