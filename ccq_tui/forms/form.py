"""A form: questions that a file asks a person, and the record that their answers make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ccq_tui.questions import QuestionSet


@dataclass(frozen=True, slots=True)
class Form:
    """A questionnaire.

    Attributes:
        id: Its id, which its records name.
        version: The version of its content, which its records name, or "".
        questions: Its questions; the title and the introduction are those of the set, whose id is the form's.
        names: The id of each question, in their order.
        values: The recorded value of each option of each question; () for a question without options.
        document: The form as written, with its id, from which `forms.reading.form_of` reads it again.
    """

    id: str
    version: str
    questions: QuestionSet
    names: tuple[str, ...]
    values: tuple[tuple[str | bool, ...], ...]
    document: Mapping[str, Any] = field(default_factory=dict, hash=False, compare=False)
