"""A prompt as a question, an answer as keys to type, and an answer at the terminal, read off the screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ccq_tui.bridges.terminal.detect import ENTER_ALONE, FoundPrompt
from ccq_tui.bridges.terminal.rules import Shape
from ccq_tui.bridges.terminal.screen import ScreenPicture
from ccq_tui.inbox.requests import Origin, QuestionRequest
from ccq_tui.questions import Answer, Kind, Option, Question, QuestionSet
from ccq_tui.text import safe

CHECKED_NOW = "checked at the terminal"
DEFAULT = "default"

LONGEST_LABEL = 500


@dataclass(frozen=True, slots=True)
class Wanted:
    """The answer to give at a prompt.

    Attributes:
        labels: The labels of the rows.
        text: The text, if there is one.
    """

    labels: tuple[str, ...] = ()
    text: str = ""


def request_for(
    prompt: FoundPrompt, call: str, session_id: str, origin: Origin, about: str = ""
) -> QuestionRequest:
    """Return the request that asks a prompt, with a text about it."""
    shape = prompt.rule.shape
    question = Question(
        text=prompt.question,
        options=tuple(_options(prompt)),
        multi_select=shape is Shape.CHECKS,
        kind=Kind.TEXT if shape is Shape.TEXT else Kind.CHOICE,
        description=about,
        default=(prompt.typed or prompt.default) if shape is Shape.TEXT else "",
        closed=not takes_text(prompt),
    )
    asked = QuestionSet(call, (question,), is_prompt=True)
    return QuestionRequest(call, session_id, asked, origin=origin)


def takes_text(prompt: FoundPrompt) -> bool:
    """Whether a prompt takes a text that is none of its options."""
    shape = prompt.rule.shape
    # A list may have more rows than are shown: a text names one.
    return not (shape is Shape.CHECKS or prompt.closed) or prompt.own_text is not None


def _options(prompt: FoundPrompt) -> Iterator[Option]:
    if prompt.rule.shape is Shape.TEXT:
        yield Option(ENTER_ALONE)
    if prompt.words:
        yield from (Option(label, DEFAULT * (label == prompt.default)) for label, _ in prompt.words)
        return
    for row in prompt.options:
        said = [row.detail, CHECKED_NOW if row.checked else "", DEFAULT * (row.label == prompt.default)]
        yield Option(row.label[:LONGEST_LABEL], " · ".join(one for one in said if one))


def context_of(picture: ScreenPicture, prompt: FoundPrompt) -> str:
    """Return the last lines above a prompt."""
    y = max(0, min(prompt.at - picture.scrolled, len(picture.lines)))
    lines = picture.lines[:y][-40:]
    return safe("\n".join(lines).strip("\n"))


def wanted(prompt: FoundPrompt, answer: Answer) -> Wanted:
    """Return the rows and the text of an answer, as the prompt takes them."""
    if prompt.rule.shape is Shape.TEXT and answer.selected:
        return Wanted()
    if prompt.words and answer.selected:
        return Wanted(text=dict(prompt.words)[answer.selected[0]])
    if prompt.rule.shape is Shape.NUMBER and answer.selected:
        return Wanted(text=next(row.number for row in prompt.rows if row.label == answer.selected[0]))
    return Wanted(answer.selected, answer.other)
