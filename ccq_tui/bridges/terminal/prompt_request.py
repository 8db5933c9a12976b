"""A prompt as a question, an answer as keys to type, and an answer at the terminal, read off the screen."""

from __future__ import annotations

import re
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
CONTEXT_LINES = 40
LONGEST_LABEL = 500
_BETWEEN = re.compile(r"^[\s:›…→?.·»>|-]+")


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
    lines = picture.lines[:y][-CONTEXT_LINES:]
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


def read_off(prompt: FoundPrompt, picture: ScreenPicture) -> Answer | None:
    """Return the answer that was given at the terminal, or None if the screen does not show it.

    Programs leave question and answer on the screen, in the line of the prompt or above the next output.
    """
    for said in _said(prompt, picture):
        if (answer := _understood(prompt, said)) is not None:
            return answer
    return None


def _said(prompt: FoundPrompt, picture: ScreenPicture) -> Iterator[str]:
    """Yield the texts after the question, nearest first."""
    own = prompt.at - picture.scrolled
    if not prompt.rule.shape.is_list and 0 <= own < len(picture.lines):
        line = picture.lines[own]
        lead = prompt.lead.rstrip()
        if lead and line.startswith(lead):
            yield line[len(lead) :]
    for line in reversed(picture.lines):
        before, found, said = line.rpartition(prompt.question)
        if found and len(before) < 10:
            yield said


def _understood(prompt: FoundPrompt, said: str) -> Answer | None:
    said = _BETWEEN.sub("", said).strip()
    shape = prompt.rule.shape
    if prompt.words:
        said = re.sub(r"^[\[(][^\])]*[\])][\s:?]*", "", said)  # the choices
        folded = {one.casefold(): label for label, word in prompt.words for one in (word, label)}
        label = {word: label for label, word in prompt.words}.get(said) or folded.get(said.casefold())
        return Answer(selected=(label,)) if label else None
    if shape is Shape.TEXT:
        said = re.sub(r"^[\[(][^\])]*[\])][\s:?]*", "", said)
        return Answer(other=said) if said else None
    if shape is Shape.NUMBER:
        row = next((row for row in prompt.rows if row.number == said), None)
        return Answer(selected=(row.label,)) if row else None
    labels = [row.label for row in prompt.options]
    if said in labels:
        return Answer(selected=(said,))
    parts = [part.strip() for part in said.split(", ")]
    if shape is not Shape.CHECKS or not said or not set(parts) <= set(labels):
        return None
    return Answer(selected=tuple(label for label in labels if label in parts))
