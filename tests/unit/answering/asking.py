"""The rows of answers as JSON and on the page: their requests, what is entered, and outcomes in words."""

from pathlib import Path
from typing import Any

from ccq_tui.inbox import requests
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.questions import Answer, Answered, Condition, Discussed, Kind, Option, Question, QuestionSet
from ccq_tui.questions.limits import asked
from tests.unit.answering.documents import RELEASED
from tests.unit.answering.test_grammar import row_text
from tests.unit.inbox.test_validation import SET
from tests.unit.questions.drive import field
from tests.unit.remote.publishing import permission, plan

LINES = Path(__file__).with_name("records.txt").read_text(encoding="utf-8").splitlines()[1:]
ROWS = [[one.strip(" ") for one in line.split(" | ")] for line in LINES]
"""Request, what is given, and the outcome."""


def choice(text: str, *labels: str, multi: bool = False) -> Question:
    return Question(text, text, tuple(map(Option, labels)), multi_select=multi)


def asks(*questions: Question) -> requests.QuestionRequest:
    return requests.QuestionRequest("q", "s", QuestionSet("q", questions))


def form(*questions: Question) -> requests.FormRequest:
    return requests.FormRequest("f", "s", QuestionSet("f", questions, is_form=True))


def fields(*required: str, **properties: dict[str, Any]) -> requests.ElicitationRequest:
    return requests.ElicitationRequest(
        "e", "s", "deploy", "?", {"properties": properties, "required": [*required]}
    )


NAME = {"type": "string", "minLength": 2}
COUNT = {"type": "integer", "minimum": 1}
TAGS = {"type": "array", "items": {"type": "string", "enum": ["x", "y", "z"]}, "maxItems": 2}
WORKERS = field("Workers", kind=Kind.NUMBER, number="integer", required=True)
WHY = field("Why", when=Condition(0, "3"))
REQUESTS: dict[str, requests.Request] = {
    "cache": asks(choice("Which cache?", "Redis", "SQLite", "None")),
    "numbers": asks(choice("How many?", "2", "3", "4")),
    "café": asks(choice("Where?", "cafe\u0301", "tea")),
    "features": asks(
        choice("Which?", "Auth", "Logs", "Search", multi=True),
        Question("How many?", kind=Kind.NUMBER, minimum=1, maximum=8, step=1),
        Question("Which name?", kind=Kind.TEXT),
    ),
    "set": SET,
    "permission": permission(),
    "hooked": requests.PermissionRequest("p", "s", "Bash", {}, origin=requests.Origin(requests.Asker.HOOK)),
    "plan": plan(),
    "form": fields("name", name=NAME, count=COUNT, sure={"type": "boolean"}, tags=TAGS),
    "share": fields(share={"type": "number"}),
    "broken": requests.ElicitationRequest("e", "s", "deploy", "?", {"type": "array"}),
    "link": requests.ElicitationRequest(
        "e", "s", "deploy", "?", url="https://example.com/", host="example.com"
    ),
    "release": requests.FormRequest("f", "s", RELEASED),
    "place": form(field("Where"), field("Why", when=Condition(0, "café"))),
    "proposed": form(
        field("Which", "a", "b", preset=("b",), closed=True),
        field("Name", preset=("five",)),
        field("Why", preset=("x",), when=Condition(0, "b")),
    ),
    "workers": form(WORKERS, WHY),
}


def words(outcome: requests.RequestOutcome) -> str:
    """Return an outcome as rows have it."""
    match outcome:
        case Answered(answers):
            return " · ".join(map(row_text, answers))
        case requests.Allowed(text, suggestion, mode):
            parts = ["allowed", mode, suggestion and "for longer", text and f"“{text}”"]
        case Discussed(text) | requests.Denied(text):
            parts = [type(outcome).__name__.lower(), text and f"“{text}”"]
        case _:
            parts = [type(outcome).__name__.lower()]
    return " ".join(filter(None, parts))


def entered(text: str) -> list[dict[str, Any]]:
    """Return what a row enters for each question; nothing of what is proposed and left alone."""
    parts: list[dict[str, Any]] = []
    for one in text.split(" ; "):
        numbers, _, own = one.partition("“")
        selected = [
            int(number) for number in numbers.split("+") if number.strip().isdigit() and number != "0"
        ]
        part = {"selected": selected, "isOther": bool(own), "other": own.removesuffix("”")}
        parts.append({} if one == "*" else part | {"isNone": numbers == "0"})
    return parts


def as_json(request: requests.Request, parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the answer of what was entered, as a terminal would make it."""
    questions, answers, given = kind_of(request).asked(request).questions.questions, [], []
    if questions[0].acts:
        return {"choice": parts[0]["selected"][0], "note": parts[0]["other"]}
    for question, part in zip(questions, parts, strict=True):
        labels = [question.options[number - 1].label for number in part.get("selected", ())]
        other = part.get("other", "")
        if not part and question.field:
            proposed = [*question.field.preset]
            labels, other = (proposed, "") if question.kind is Kind.CHOICE else ([], proposed[0])
        answers.append(Answer(tuple(labels), other))
        one = {"selected": labels, "other": other, "empty": part.get("isNone", False)}
        given.append(one if any(one.values()) else None)
    shown = zip(given, asked(questions, answers), strict=True)
    return {"answers": [one if is_asked else None for one, is_asked in shown]}
