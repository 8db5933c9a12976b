"""The kinds of request that are answered as question sets: questions, and forms, of MCP servers or ours."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from ccq_tui.answering.document import Passage, PassageKind, set_blocks
from ccq_tui.answering.record import Record, SetFields, set_record
from ccq_tui.inbox.agent_texts import DECLINED, EXPIRED
from ccq_tui.inbox.kinds.kind import RequestKind
from ccq_tui.inbox.layout import QUOTED
from ccq_tui.inbox.requests import ElicitationRequest, FormRequest, QuestionRequest, Reply, RequestOutcome
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Dismissed, Expired, QuestionSet
from ccq_tui.questions.limits import FieldError, check
from ccq_tui.questions.model import Asked
from ccq_tui.questions.schema_form import content_of
from ccq_tui.text import one_line


class QuestionSetFields(SetFields, of=QuestionSet, names="title"):
    """A question set that waits for its answers.

    Attributes:
        takes_prose: Whether it takes notes and --discuss.
    """

    takes_prose: bool | None = None


class ElicitationFields(SetFields, of=ElicitationRequest, names="server message mode url"):
    """A form or a link of an MCP server that waits.

    Attributes:
        requested_schema: As the server sent it.
        problem: Why it can only be declined or dismissed, or "".
    """

    mode: Literal["form", "url"]
    requested_schema: dict[str, Any]
    problem: str


class FormFields(SetFields, of=QuestionSet, names="title intro about"):
    """A form of ours that waits.

    Attributes:
        about: What the form is about, by name.
    """

    about: dict[str, str]


class SetKind(RequestKind):
    """A kind of request that is answered as a question set."""

    RECORD: type[SetFields]
    SAME: tuple[str, ...] = ("questions",)

    def check(self, request: Any, outcome: RequestOutcome) -> None:
        """Refuse answers that it does not take."""
        if isinstance(outcome, Answered):
            _check_answers(request.questions, outcome.answers)

    def summary(self, request: Any) -> str:
        """Summarize the request in one line."""
        return str(request.questions.title or request.questions.questions[0].text)

    def document(self, request: Any, outcome: RequestOutcome | None) -> Iterator[Passage]:
        """Return the whole request, with its answers."""
        answers = outcome.answers if isinstance(outcome, Answered | Discussed) else ()
        return set_blocks(request.questions.questions, answers)


class QuestionKind(SetKind):
    """Question sets."""

    WORD = NOUN = "question"
    CALLED = "a question set"
    TYPE, RECORD = QuestionRequest, QuestionSetFields
    OUTLIVES = EXPIRES = True
    ENDS = (Answered, Discussed, Declined, Expired)

    def asked(self, request: QuestionRequest) -> Asked:
        """Return its question set."""
        return Asked(request.questions)

    def check(self, request: QuestionRequest, outcome: RequestOutcome) -> None:
        """Refuse an outcome that it does not take."""
        match outcome:
            case Discussed() if not request.questions.takes_prose:
                asker = one_line(request.origin.called, QUOTED)
                raise InvalidOutcome("", f"{asker}'s prompt takes an answer or nothing, no reply in prose")
            case Discussed(text) if not text.strip():
                raise InvalidOutcome("text", "an empty reply says nothing")
            case Discussed(_, answers) if answers:
                _check_count(request.questions, answers)
        super().check(request, outcome)

    def deliver(self, request: QuestionRequest, outcome: RequestOutcome, _source: Mapping[str, Any]) -> Reply:
        """Return the reply for an outcome; the prose of a discussion has its own form of input."""
        from ccq_tui.questions.wire import (  # a list delivers nothing
            discussion_text,
            encode,
            encode_discussion,
        )

        match outcome:
            case Answered(answers):
                return Reply(allow=True, input=encode(request.questions, answers))
            case Discussed():
                prose = discussion_text(request.questions, outcome)
                return Reply(input=encode_discussion(request.questions, outcome), text=prose)
        return Reply(allow=False, text=EXPIRED if isinstance(outcome, Expired) else DECLINED)

    def title(self, request: QuestionRequest) -> str:
        """Name the kind for a list."""
        count = len(request.questions.questions)
        return f"{count} questions" if count > 1 else self.WORD

    def news(self, request: QuestionRequest) -> str:
        """Announce the request in a sentence."""
        asker = one_line(request.origin.called, QUOTED)
        return f"{asker} asks: {one_line(request.questions.questions[0].text, QUOTED)}"

    def topics(self, request: QuestionRequest) -> tuple[str, ...]:
        """Name the questions by their short titles."""
        return tuple(one_line(one.header or one.text, QUOTED) for one in request.questions.questions)

    def record(self, request: QuestionRequest) -> Record:
        """Return its own fields in JSON."""
        return set_record(QuestionSetFields, request.questions)


class ElicitationKind(SetKind):
    """Elicitations: forms and links of MCP servers."""

    WORD, NOUN, CALLED = "elicitation", "form", "a form"
    TYPE, RECORD = ElicitationRequest, ElicitationFields
    SAME = ("server", "message", "url", "schema")
    ENDS = (Answered, Declined, Dismissed)

    def asked(self, request: ElicitationRequest) -> Asked:
        """Return its question set."""
        return request.form

    def check(self, request: ElicitationRequest, outcome: RequestOutcome) -> None:
        """Refuse an outcome that it does not take: answers must fit the server's schema."""
        if isinstance(outcome, Answered) and request.form.problem:
            problem = one_line(request.form.problem, 300)
            raise InvalidOutcome("", f"it cannot be filled in: {problem}; decline or dismiss it")
        super().check(request, outcome)

    def deliver(
        self, request: ElicitationRequest, outcome: RequestOutcome, _source: Mapping[str, Any]
    ) -> Reply:
        """Return the reply for an outcome; raises `FieldError` for an answer outside the schema."""
        if not isinstance(outcome, Answered):
            return Reply(allow=False if isinstance(outcome, Declined) else None)
        return Reply(allow=True, input=None if request.url else content_of(request.form, outcome.answers))

    def title(self, request: ElicitationRequest) -> str:
        """Name the kind for a list."""
        return "link" if request.url else self.NOUN

    def summary(self, request: ElicitationRequest) -> str:
        """Summarize the request in one line."""
        return f"{request.server}: {request.message}"

    def news(self, request: ElicitationRequest) -> str:
        """Announce the request in a sentence."""
        return f"{one_line(request.server, 40)} asks: {one_line(request.message, QUOTED)}"

    def topics(self, request: ElicitationRequest) -> tuple[str, ...]:
        """Name the server."""
        return (one_line(request.server, QUOTED),)

    def document(self, request: ElicitationRequest, outcome: RequestOutcome | None) -> Iterator[Passage]:
        """Return the whole request, with its answers."""
        title = f"{one_line(request.server, 60)} asks: {request.questions.intro}".rstrip()
        yield Passage(PassageKind.HEAD, title)
        yield Passage(PassageKind.TEXT, request.form.problem)
        yield from super().document(request, outcome)

    def record(self, request: ElicitationRequest) -> Record:
        """Return its own fields in JSON."""
        form, own = request.form, {"mode": "url" if request.url else "form"}
        schema = dict(request.schema)
        return set_record(ElicitationFields, form.questions, form, request, **own, requested_schema=schema)


class FormKind(SetKind):
    """Forms of ours: questionnaires without an agent."""

    WORD = NOUN = "form"
    CALLED = "a form"
    TYPE, RECORD = FormRequest, FormFields
    SAME = ("questions", "context")
    OUTLIVES = EXPIRES = True
    ENDS = (Answered, Declined, Dismissed, Expired)

    def asked(self, request: FormRequest) -> Asked:
        """Return its question set, and what each option of a form's file is recorded as."""
        written = [one.get("options", ()) for one in request.form.get("questions", ())]
        values = (tuple(map(_value, options)) for options in written)
        return Asked(request.questions, values=tuple(values))

    def deliver(self, _request: FormRequest, outcome: RequestOutcome, _source: Mapping[str, Any]) -> Reply:
        """Return whether the record is written; the form's asker makes it of the answers."""
        return Reply(allow=None if isinstance(outcome, Dismissed) else isinstance(outcome, Answered))

    def news(self, request: FormRequest) -> str:
        """Announce the request in a sentence."""
        return f"A form waits: {one_line(self.summary(request), QUOTED)}"

    def document(self, request: FormRequest, outcome: RequestOutcome | None) -> Iterator[Passage]:
        """Return the whole request, with its answers."""
        yield Passage(PassageKind.HEAD, self.summary(request))
        yield Passage(PassageKind.VERBATIM, request.questions.intro)
        for name, value in request.context.items():
            yield Passage(PassageKind.FIELD, value, name=name)
        yield from super().document(request, outcome)

    def record(self, request: FormRequest) -> Record:
        """Return its own fields in JSON."""
        return set_record(FormFields, request.questions, about=dict(request.context))


def _value(option: str | Mapping[str, str]) -> str:
    return option if isinstance(option, str) else option.get("value") or option["label"]


def _check_count(questions: QuestionSet, answers: tuple[Answer, ...]) -> None:
    if (count := len(questions.questions)) != len(answers):
        raise InvalidOutcome("answers", f"{count} answers are needed, one a question, not {len(answers)}")


def _check_answers(questions: QuestionSet, answers: tuple[Answer, ...]) -> None:
    _check_count(questions, answers)
    try:
        check(questions, answers)
    except FieldError as error:
        asked = one_line(questions.questions[error.number].text, 40)
        field = f"answers[{error.number}]" + (f".{error.part}" if error.part else "")
        reason = one_line(str(error), 200)
        raise InvalidOutcome(field, f"{asked}: {reason}" if questions.is_form else reason) from error


def as_result(reply: Reply) -> dict[str, Any]:
    """Return a reply as an MCP server gets it: the action, and an accepted form's content."""
    if reply.allow:
        return {"action": "accept"} | ({"content": reply.input} if reply.input is not None else {})
    return {"action": "cancel" if reply.allow is None or reply.interrupt else "decline"}
