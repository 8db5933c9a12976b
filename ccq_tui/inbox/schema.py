"""The public schema of everything that ``--json`` prints and reads.

`ccq_tui.inbox.records` writes records of these types. Import this module only to print the schema or to check
input, never to print a list: importing pydantic takes longer than printing one.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, TypeAdapter, with_config
from typing_extensions import TypedDict

from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.requests import Asker
from ccq_tui.inbox.session_groups import Group
from ccq_tui.inbox.store.rows import RequestState, StoredSessionState
from ccq_tui.questions import Kind

Time = Annotated[str, Field(description="UTC, for example 2026-01-31T12:00:00.000000Z")]
Version = Literal[1]


class ActorRecord(TypedDict):
    """Who did something."""

    surface: Surface
    name: Annotated[str, Field(description="What people call it, for example the command")]
    process: Annotated[int | None, Field(description="Its number")]
    device: Annotated[str, Field(description='"" for the machine of the inbox')]


class OriginRecord(TypedDict):
    """Who asked, which decides how the outcome is delivered."""

    asker: Asker
    name: str
    directory: Annotated[str, Field(description='Where it works, or ""; of a session see the session')]


class OptionRecord(TypedDict):
    """An option of a question; it is chosen by its number or its label."""

    number: int
    label: str
    description: str
    recommended: bool
    preview: str | None


class ConditionRecord(TypedDict):
    """The earlier answer on which a question is asked: the whole of it, or a part."""

    question: int
    equals: NotRequired[str]
    contains: NotRequired[str]


class QuestionRecord(TypedDict):
    """A question; limits, unit and default are those of a number."""

    number: int
    text: str
    header: str
    kind: Kind
    multi_select: bool
    description: str
    options: list[OptionRecord]
    minimum: float | None
    maximum: float | None
    step: float | None
    unit: str
    default: str
    closed: NotRequired[Annotated[bool, Field(description="Whether it takes no text of one's own")]]
    required: NotRequired[Annotated[bool, Field(description="Whether a form needs an answer to it")]]
    one_line: NotRequired[Annotated[bool, Field(description="Whether a text has no line break")]]
    allowed: NotRequired[Annotated[str, Field(description="Which answers a form takes")]]
    when: NotRequired[ConditionRecord]


class ChoiceRecord(TypedDict):
    """A way to decide on a permission or a plan; it is chosen by its number."""

    number: int
    label: str
    holds: Annotated[
        str, Field(description="Where it is kept, or the mode it goes to; for how long is in the label")
    ]
    allows: bool
    takes_note: bool


class AnswerRecord(TypedDict):
    """The answer to one question."""

    selected: Annotated[list[str], Field(description="Labels")]
    other: Annotated[str, Field(description="In one's own words, or the number")]
    note: str
    empty: Annotated[bool, Field(description="Nothing of a multi-select, on purpose")]
    unselected: Annotated[str, Field(description="Typed in a panel, and no part of the answer")]


class OutcomeRecord(TypedDict):
    """How a request ended."""

    kind: Literal[
        "answered", "discussed", "declined", "dismissed", "expired", "allowed", "denied", "cancelled"
    ]
    answers: NotRequired[Annotated[list[AnswerRecord], Field(description="One a question, or [] for none")]]
    text: NotRequired[Annotated[str, Field(description="What was said, or why it was cancelled")]]
    for_longer: NotRequired[bool]
    mode: NotRequired[Annotated[str, Field(description="In which an approved plan is carried out")]]
    plan: NotRequired[Annotated[str, Field(description="As the person edited it")]]


class RequestHead(TypedDict):
    """What every request has."""

    id: str
    tool_use_id: Annotated[str, Field(description="Its call")]
    session: str
    origin: OriginRecord
    state: RequestState
    asked_at: Time
    has_draft: bool
    deferred: Annotated[bool, Field(description="The resumed session asks it again as the same call")]


class QuestionSetRecord(RequestHead):
    """A question set that waits for its answers."""

    kind: Literal["question"]
    title: str
    questions: list[QuestionRecord]
    takes_prose: NotRequired[Annotated[bool, Field(description="Whether it takes notes and --discuss")]]


class PermissionRecord(RequestHead):
    """A tool call that waits for permission."""

    kind: Literal["permission"]
    tool: str
    input: dict[str, Any]
    description: str
    reason: str
    change: Annotated[
        dict[str, Any],
        Field(description="To its file: a patch as in Claude Code's result, with its counts, or its trouble"),
    ]
    choices: list[ChoiceRecord]


class PlanRecord(RequestHead):
    """A plan that waits for approval."""

    kind: Literal["plan"]
    plan: Annotated[str, Field(description="Markdown")]
    choices: list[ChoiceRecord]


class ElicitationRecord(RequestHead):
    """A form or a link of an MCP server that waits."""

    kind: Literal["elicitation"]
    server: str
    message: str
    mode: Literal["form", "url"]
    url: str
    requested_schema: Annotated[dict[str, Any], Field(description="As the server sent it")]
    problem: Annotated[str, Field(description='Why it can only be declined or dismissed, or ""')]
    questions: Annotated[
        list[QuestionRecord], Field(description="Its fields; their options are all there are")
    ]


class FormRecord(RequestHead):
    """A form of ours that waits."""

    kind: Literal["form"]
    title: str
    intro: Annotated[str, Field(description="The text before the first question")]
    about: Annotated[dict[str, str], Field(description="What the form is about, by name")]
    questions: list[QuestionRecord]


class Became(TypedDict):
    """What the agent wrote before a request, and what became of it."""

    context: str
    outcome: OutcomeRecord | None
    surface: Annotated[str, Field(description="The actor in a word")]
    actor: ActorRecord | None
    settled_at: Time | None
    delivered_at: Time | None
    delivered_as: Annotated[str | None, Field(description='"result", "message", or "listed" to its asker')]


class WholeQuestionSetRecord(QuestionSetRecord, Became):
    """A question set, and what became of it."""


class WholePermissionRecord(PermissionRecord, Became):
    """A permission, and what became of it."""


class WholePlanRecord(PlanRecord, Became):
    """A plan, and what became of it."""


class WholeElicitationRecord(ElicitationRecord, Became):
    """A form or a link of an MCP server, and what became of it."""


class WholeFormRecord(FormRecord, Became):
    """A form of ours, and what became of it."""


class SessionRecord(TypedDict):
    """A session."""

    id: str
    name: str
    directory: str
    state: Annotated[StoredSessionState, Field(description="What it did last")]
    group: Group
    running: Annotated[bool, Field(description="A process has it")]
    waiting: int
    undelivered: Annotated[int, Field(description="Answers that have not reached its agent")]
    question_rounds: Annotated[int, Field(description="Question sets that it asked so far")]
    started_at: Time
    changed_at: Time
    last_line: str
    cost_usd: float | None
    done: bool
    labels: Annotated[dict[str, str], Field(description="Those of --label, by key")]


ChangeRecord = TypedDict(
    "ChangeRecord",
    {
        "number": int,
        "at": Time,
        "session": str,
        "request": Annotated[str | None, Field(description="None for a change of the session")],
        "from": Annotated[str | None, Field(description="None for the first")],
        "to": str,
        "cause": str,
        "surface": str,
        "actor": ActorRecord | None,
    },
)
"""An event of the inbox: a request or a session changed its state."""

RequestRecord = Annotated[
    QuestionSetRecord | PermissionRecord | PlanRecord | ElicitationRecord | FormRecord,
    Field(discriminator="kind"),
]
WholeRequestRecord = Annotated[
    WholeQuestionSetRecord
    | WholePermissionRecord
    | WholePlanRecord
    | WholeElicitationRecord
    | WholeFormRecord,
    Field(discriminator="kind"),
]


class VersionedDocument(TypedDict):
    """What every command prints."""

    version: Version


class WaitingDocument(VersionedDocument):
    """``ccq-tui inbox --json``: what waits, oldest first."""

    requests: list[RequestRecord]


class ShownDocument(VersionedDocument):
    """``ccq-tui show --json``."""

    request: WholeRequestRecord


class SessionDocument(VersionedDocument):
    """``ccq-tui wait SESSION --json``."""

    session: SessionRecord


class SessionsDocument(VersionedDocument):
    """``ccq-tui sessions --json``: the one that changed last at the end."""

    sessions: list[SessionRecord]


class WaitShareRecord(TypedDict):
    """A part of the waits."""

    name: Annotated[str, Field(description="A date, an hour, a directory or a kind")]
    requests: Annotated[int, Field(description="How many were waited for in it")]
    waited_seconds: float


class AnswerSpeedRecord(TypedDict):
    """Answers that took at most so long, and longer than those of the record before."""

    most_seconds: Annotated[int | None, Field(description="None for the slowest")]
    requests: int


class RefusedTopicRecord(TypedDict):
    """What a person declined or discussed."""

    kind: str
    topic: Annotated[str, Field(description="A question's short title or a tool")]
    requests: Annotated[int, Field(description="How many about it a person settled")]
    declined: int
    discussed: int


class StatisticsRecord(TypedDict):
    """How long agents waited for a person; days and hours are those of the person's clock."""

    since: Time
    until: Time
    outcomes: dict[RequestState, int]
    requests: Annotated[int, Field(description="Without those that were withdrawn")]
    waited_seconds: float
    answer_seconds_median: float | None
    answer_seconds_of_nine_in_ten: float | None
    by_day: list[WaitShareRecord]
    by_hour: list[WaitShareRecord]
    by_project: list[WaitShareRecord]
    by_kind: list[WaitShareRecord]
    answer_speeds: list[AnswerSpeedRecord]
    most_refused: list[RefusedTopicRecord]


class StatisticsDocument(VersionedDocument):
    """``ccq-tui stats --json``."""

    statistics: StatisticsRecord


class CommandRecord(TypedDict):
    """What became of a command to a session."""

    kind: Literal["park", "send", "interrupt", "end"]
    session: str
    result: Annotated[
        Literal["done", "already"], Field(description="Others end with a message on standard error")
    ]
    words: Annotated[str, Field(description="For a person, after the session's name")]


class CommandDocument(VersionedDocument):
    """``ccq-tui park --json``, and ``send``, ``interrupt`` and ``end``."""

    command: CommandRecord


class HistoryDocument(VersionedDocument):
    """``ccq-tui history --json``: oldest first."""

    changes: list[ChangeRecord]


EXACT = ConfigDict(extra="forbid")


@with_config(EXACT)
class GivenAnswer(TypedDict, total=False):
    """The answer to one question, as `AnswerRecord` or with numbers for labels."""

    selected: list[str | int]
    other: str | None
    note: str | None
    empty: bool
    unselected: str | None


@with_config(EXACT)
class GivenAnswers(TypedDict):
    """``ccq-tui answer --json`` to a question set: one answer a question, null to leave one open."""

    version: NotRequired[Version]
    answers: Annotated[list[GivenAnswer | None], Field(min_length=1)]


@with_config(EXACT)
class GivenReply(TypedDict):
    """``ccq-tui answer --json`` to a question set, in prose."""

    version: NotRequired[Version]
    discuss: Annotated[str, Field(min_length=1)]


@with_config(EXACT)
class GivenContent(TypedDict):
    """``ccq-tui answer --json`` to a form: its values by their names, as the server gets them."""

    version: NotRequired[Version]
    content: dict[str, str | int | float | bool | list[str]]


@with_config(EXACT)
class GivenDecision(TypedDict):
    """``ccq-tui answer --json`` to a permission or a plan."""

    version: NotRequired[Version]
    choice: Annotated[int, Field(ge=1)]
    note: NotRequired[str | None]


Listed = WaitingDocument | ShownDocument | SessionDocument | SessionsDocument | HistoryDocument
Printed = Listed | StatisticsDocument | CommandDocument
Given = GivenAnswers | GivenReply | GivenContent | GivenDecision


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of the output and the input of commands."""
    schema = TypeAdapter(Printed | Given).json_schema(ref_template="#/$defs/{model}")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "ccq-tui", **schema}
