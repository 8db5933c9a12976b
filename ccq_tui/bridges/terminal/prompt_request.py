"""A prompt as a question, and an answer as what is typed at it."""

from __future__ import annotations

from collections.abc import Iterator

from ccq_tui.bridges.terminal.detect import ENTER_ALONE, FoundPrompt
from ccq_tui.bridges.terminal.rules import Shape
from ccq_tui.bridges.terminal.screen import ScreenPicture
from ccq_tui.inbox.requests import Origin, QuestionRequest
from ccq_tui.questions import Answer, Kind, Option, Question, QuestionSet
from ccq_tui.text import safe

CHECKED_NOW = "checked at the terminal"
DEFAULT = "default"

LONGEST_LABEL = 500


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
        # A list may have more rows than are shown: a text names one.
        closed=shape in (Shape.CHECKS, Shape.YES_NO),
    )
    asked = QuestionSet(call, (question,), is_prompt=True)
    return QuestionRequest(call, session_id, asked, origin=origin)


def _options(prompt: FoundPrompt) -> Iterator[Option]:
    if prompt.rule.shape is Shape.TEXT:
        yield Option(ENTER_ALONE)
    if prompt.words:
        yield from (Option(label, DEFAULT * (label == prompt.default)) for label, _ in prompt.words)
        return
    for row in prompt.rows:
        said = [row.detail, CHECKED_NOW if row.checked else "", DEFAULT * (row.label == prompt.default)]
        yield Option(row.label[:LONGEST_LABEL], " · ".join(one for one in said if one))


def context_of(picture: ScreenPicture, prompt: FoundPrompt) -> str:
    """Return the last lines above a prompt."""
    y = max(0, min(prompt.at - picture.scrolled, len(picture.lines)))
    lines = picture.lines[:y][-40:]
    return safe("\n".join(lines).strip("\n"))


def wanted(prompt: FoundPrompt, answer: Answer) -> Answer:
    """Return an answer as it is typed: the labels of rows to mark, or a text."""
    chosen = answer.selected[0] if answer.selected else ""
    match prompt.rule.shape:
        case Shape.TEXT if chosen:
            return Answer()
        case Shape.NUMBER if chosen:
            return Answer(other=next(row.number for row in prompt.rows if row.label == chosen))
        case _ if prompt.words and chosen:
            return Answer(other=dict(prompt.words)[chosen])
    return answer
