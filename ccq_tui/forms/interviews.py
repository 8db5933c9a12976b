"""Interviews: forms that a program has answered one question at a time, on disk until they are over."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from pydantic import TypeAdapter, ValidationError

from ccq_tui.answering.grammar import read_value
from ccq_tui.forms.form import Form
from ccq_tui.forms.output import check_output, write_record
from ccq_tui.forms.reading import form_of
from ccq_tui.forms.record import record_of
from ccq_tui.inbox.requests import FormRequest
from ccq_tui.questions import Answer, Question
from ccq_tui.questions.conditions import asked
from ccq_tui.stored import locked, private_dir, write_whole
from ccq_tui.text import reason

INACTIVE_SECONDS = 30 * 60.0
"""Seconds without a call after which an interview is over."""
MOST_OPEN = 200


class InterviewError(Exception):
    """A call that cannot be served; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class ClientForm:
    """A form on its way.

    Attributes:
        id: Its id, a UUID, which its record gets.
        document: The form's document.
        context: What it is about.
        output: The file that gets the record, or "".
        started: When it was started.
        answers: The answer to each question; None before it was answered.
        record: Its record once it is complete.
    """

    id: str
    document: Mapping[str, Any]
    context: Mapping[str, str]
    output: str
    started: datetime
    answers: tuple[Answer | None, ...]
    record: dict[str, Any] | None = None

    @property
    def form(self) -> Form:
        """The form, read again at each access."""
        return form_of(self.document)

    @property
    def given(self) -> tuple[Answer, ...]:
        """The answers so far, one for each question."""
        return tuple(answer or Answer() for answer in self.answers)

    def asked(self, questions: Sequence[Question]) -> tuple[int, ...]:
        """Return the places of the questions that are asked, given the answers so far."""
        return tuple(place for place, shown in enumerate(asked(questions, self.given)) if shown)

    def next(self, questions: Sequence[Question]) -> int | None:
        """Return the place of the next question, or None if all are answered."""
        return next((place for place in self.asked(questions) if self.answers[place] is None), None)


class Interviews:
    """The interviews of a directory, which any process may continue. For threads: it waits for files.

    Args:
        directory: Where they are kept.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def start(self, form: Form, context: Mapping[str, str], output: str) -> ClientForm:
        """Start an interview.

        Raises:
            InterviewError: Too many are open.
            OutputError: The file cannot take the record.
        """
        check_output(output)
        answers = (None,) * len(form.names)
        started = ClientForm(str(uuid4()), form.document, context, output, datetime.now(UTC), answers)
        with self._alone():
            if len(list(self._directory.glob("*.json"))) >= MOST_OPEN:
                raise InterviewError(f"{MOST_OPEN} forms are open: complete or cancel one of them first")
            self._keep(started)
        return started

    def open(self, interview_id: str) -> ClientForm:
        """Return an interview; raises `InterviewError` if it is over."""
        with self._alone():
            return self._read(interview_id)

    def answer(self, interview_id: str, value: Any, question: str) -> ClientForm:
        """Answer the next question, or the one of an id again; a value is as `forms.given` reads it.

        Raises:
            InterviewError: It is over, or has no such question now.
            TypedError: The question does not take this; nothing changed.
        """
        with self._alone():
            interview = self._read(interview_id)
            if interview.record is not None:
                raise InterviewError("it is complete: start the form again for another record")
            form = interview.form
            questions = form.questions.questions
            shown = {form.names[place]: place for place in interview.asked(questions)}
            place = shown.get(question) if question else interview.next(questions)
            if place is None:
                raise InterviewError(
                    f"question: must be one of {', '.join(shown)}, not “{question}”"
                    if question
                    else "every question is answered: complete the form"
                )
            answers = list(interview.answers)
            answers[place] = read_value(questions[place], value, form.values[place])
            interview = replace(interview, answers=tuple(answers))
            self._keep(interview)
        return interview

    def complete(self, interview_id: str) -> dict[str, Any]:
        """Write the record of an interview, and return it; the same again if that is repeated.

        Raises:
            InterviewError: It is over, or a question has no answer.
            OutputError: The record was not written.
        """
        with self._alone():
            interview = self._read(interview_id)
            form = interview.form
            if (place := interview.next(form.questions.questions)) is not None:
                raise InterviewError(f"the question “{form.names[place]}” has no answer yet")
            if (record := interview.record) is None:
                request = FormRequest("", "", form.questions, form.document, interview.context)
                now = datetime.now(UTC)
                record = record_of(request, interview.given, interview.started, now, interview.id)
                self._keep(replace(interview, record=record))
            write_record(interview.output, record)
        return record

    def cancel(self, interview_id: str) -> None:
        """Forget an interview; raises `InterviewError` if it is over."""
        with self._alone():
            if self._read(interview_id).record is not None:
                raise InterviewError("it is complete: its record stands, and there is nothing to cancel")
            self._file(interview_id).unlink()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other processes out, and forget the interviews that nobody continued."""
        try:
            private_dir(self._directory)
            with locked(self._directory) as is_ours:
                if not is_ours:
                    raise InterviewError(f"{self._directory} is locked by another program: try again")
                for file in self._directory.glob("*.json"):
                    with suppress(FileNotFoundError):
                        if time.time() - file.stat().st_mtime > INACTIVE_SECONDS:
                            file.unlink()
                yield
        except OSError as error:
            raise InterviewError(f"its state cannot be kept: {reason(error)}") from error

    def _file(self, interview_id: str) -> Path:
        return self._directory / f"{interview_id}.json"

    def _keep(self, interview: ClientForm) -> None:
        write_whole(self._file(interview.id), _ADAPTER.dump_json(interview))

    def _read(self, interview_id: str) -> ClientForm:
        try:
            file = self._file(str(UUID(interview_id)))
            interview = _ADAPTER.validate_json(file.read_bytes())
        except (ValueError, ValidationError, FileNotFoundError) as error:
            minutes = round(INACTIVE_SECONDS / 60)
            said = (
                f"no open form has this id: it ended, or got no answer for {minutes} minutes; start it again"
            )
            raise InterviewError(said) from error
        return interview


_ADAPTER = TypeAdapter(ClientForm)
