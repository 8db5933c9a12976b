"""What may become of a record at the relay: pure rules over immutable records."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID, uuid5

from pydantic import BaseModel, ConfigDict

from ccq_tui.web.problems import ProblemError, not_found, wrong

DAY = 86_400.0
PENDING_SECONDS = 7 * DAY
KEPT_SECONDS = DAY
"""Seconds that a record stays after its last change, once it is not pending."""
SKEW_SECONDS = 300.0
"""Seconds that a terminal's clock may be ahead of the relay's."""


class Record(BaseModel):
    """A request at the relay.

    Attributes:
        id: Its id, which the terminal made.
        expires: When it expires, as text.
        posted: When the relay got it, in seconds since 1970.
        ends: When it expires, likewise.
        content: The body or the envelope, under "body" or "sealed".
        status: Its status.
        changed: When it last changed, in seconds since 1970.
        answer: The first answer, with its device and time.
        statement: What the terminal said last.
        parts: The answers to some of a request's questions, by their ids.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    expires: str
    posted: float
    ends: float
    content: dict[str, Any]
    status: Literal["pending", "answered", "ended"] = "pending"
    changed: float = 0.0
    answer: dict[str, Any] | None = None
    statement: dict[str, Any] | None = None
    parts: dict[str, dict[str, Any]] = {}

    @property
    def dropped_at(self) -> float:
        """When the relay drops it, in seconds since 1970."""
        return self.ends if self.status == "pending" else self.changed + KEPT_SECONDS


class RecordChange(NamedTuple):
    """What is to become of a record.

    Attributes:
        record: The record, or None to drop it.
        event: What the pairing hears of it, or None where nothing changes.
    """

    record: Record | None
    event: Literal["added", "answered", "removed", "status"] | None


Rule = Callable[[Record | None], RecordChange]


def posted(old: Record | None, new: Record) -> RecordChange:
    """Publish a record once; raises `ProblemError` for other content under the same id."""
    if old is None:
        return RecordChange(new, "added")
    if (old.content, old.expires) != (new.content, new.expires):
        raise ProblemError(409, "This id has other content already; publish that under a new id.", field="id")
    return RecordChange(old, None)


def answered(old: Record | None, given: dict[str, Any], device: dict[str, str], now: float) -> RecordChange:
    """Take the first answer; the same again from the same device is no other.

    Args:
        old: The record.
        given: The answer.
        device: Who gives it.
        now: Seconds since 1970.

    Raises:
        ProblemError: It does not fit; or there is one, or an end, and the document has it as ``winner``.
    """
    record = there(old)
    if _is_again(record.answer, given, device):
        return RecordChange(record, None)
    if record.status != "pending":
        why = "It was answered already." if record.answer else "It has ended."
        raise ProblemError(409, why, more={"winner": record.answer})
    check(record, given)
    change = {"status": "answered", "answer": {**given, "device": device, "at": utc(now)}, "changed": now}
    return RecordChange(record.model_copy(update=change), "answered")


def _is_again(before: dict[str, Any] | None, given: dict[str, Any], device: dict[str, str]) -> bool:
    """Return whether a device gives the answer that it gave: it did not hear that it arrived."""
    return before is not None and before["device"] == device and given.items() <= before.items()


def stated(
    old: Record | None, status: str, statement: dict[str, Any], now: float, *, unanswered: bool = False
) -> RecordChange:
    """Take what the terminal says of a request; a pending one loses its answer.

    Args:
        old: The record.
        status: Its new status.
        statement: What it says.
        now: Seconds since 1970.
        unanswered: Whether this is for a record without an answer alone; else it raises `ProblemError`.
    """
    record = there(old)
    if unanswered and record.answer is not None:
        raise ProblemError(409, "It was answered already.", more={"winner": record.answer})
    answer = None if status == "pending" else record.answer
    if (record.status, record.statement, record.answer) == (status, statement, answer):
        return RecordChange(record, None)
    parts = record.parts if answer == record.answer else {}
    change = {"status": status, "statement": statement, "answer": answer, "changed": now, "parts": parts}
    return RecordChange(record.model_copy(update=change), "status")


def removed(old: Record | None) -> RecordChange:
    """Drop a record."""
    there(old)
    return RecordChange(None, "removed")


def there(record: Record | None) -> Record:
    """Return a record; raises `ProblemError` for none."""
    if record is None:
        raise not_found()
    return record


def check(record: Record, given: dict[str, Any]) -> None:
    """Check an answer against its record, as far as the relay can; raises `ProblemError`.

    The inbox checks the rest, and reopens a request if it does not take the answer.
    """
    if (answer := given.get("answer")) is None:
        return
    request = record.content["body"]["request"]
    numbers = [choice["number"] for choice in request.get("choices", ())]
    if "choice" in answer and answer["choice"] not in numbers:
        raise wrong("answer.choice", "no choice has this number")
    if "answers" in answer and len(answer["answers"]) != len(request.get("questions", ())):
        raise wrong("answer.answers", "it takes one answer a question")


def _check_of_question(question: dict[str, Any], answer: dict[str, Any]) -> None:
    """Check an answer to a question of the contract; raises `ProblemError`."""
    chosen, other = answer.get("selectedIndices", []), answer.get("other")
    several, count = question["multiSelect"], len(question["options"])
    if answer.get("skipped"):
        if filled := [name for name in ("selectedIndices", "other", "note") if answer.get(name)]:
            raise wrong(filled[0], "a skipped question takes no answer")
        return
    for place, index in enumerate(chosen):
        if index >= count:
            raise wrong(f"selectedIndices[{place}]", "no option has this index")
        if index in chosen[:place] or (place and not several):
            raise wrong(f"selectedIndices[{place}]", "the question takes it once, or one option alone")
    if not several and bool(chosen) == bool(other):
        raise wrong("other" if chosen else "selectedIndices", "the question takes one option or other words")


def expiry(text: str, now: float) -> float:
    """Return a request's time of expiry in seconds since 1970; raises `ProblemError`.

    Args:
        text: The time, in UTC.
        now: Seconds since 1970.
    """
    field = "request.expires"
    try:
        ends = datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp()
    except ValueError as error:
        raise wrong(field, "no such time") from error
    if not now < ends <= now + PENDING_SECONDS + SKEW_SECONDS:
        raise wrong(field, f"it takes a time within 7 days, and the relay's clock says {utc(now)}")
    return ends


def utc(seconds: float) -> str:
    """Write a time.

    Args:
        seconds: Seconds since 1970.
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


MOST_OPTIONS = 100
"""Most options of a question."""

Json = dict[str, Any]


def questions_of(record: Record) -> dict[str, Json]:
    """Return a request's questions by their ids; none of one that needs more than they have."""
    request = record.content.get("body", {}).get("request", {})
    kind = request.get("kind", "")
    asked = request["questions"] if kind == "question" else []
    if kind in ("permission", "plan"):
        head = {"text": str(request.get("prompt", "")), "header": kind.capitalize(), "multi_select": False}
        asked = [{**head, "kind": "choice", "options": _ways(request)}]
    if any(one["kind"] != "choice" or len(one["options"]) > MOST_OPTIONS for one in asked):
        return {}
    ids = [str(uuid5(UUID(record.id), str(number))) for number, _ in enumerate(asked, 1)]
    about = {"timestamp": request.get("asked_at")}
    return {id_: {"id": id_, **about, **_question(one)} for id_, one in zip(ids, asked, strict=True)}


def _question(asked: Json) -> Json:
    options = [(one.get("shown") or one["label"], one.get("description", "")) for one in asked["options"]]
    shown = [{"label": label or "…", "description": words} for label, words in options]
    texts = {"prompt": asked["text"] or "…", "header": asked["header"] or "Question"}
    return {**texts, "options": shown, "multiSelect": asked["multi_select"]}


def question_answered(
    old: Record | None, id_: str, given: Json, device: dict[str, str], now: float
) -> RecordChange:
    """Take the first answer to a question, as `answered`; that to the last one answers its request."""
    record = there(old)
    if id_ not in (asked := questions_of(record)):
        raise not_found()
    if _is_again(record.parts.get(id_), given, device):
        return RecordChange(record, None)
    if id_ in record.parts or record.status != "pending":
        raise ProblemError(409, "It was answered already.", more={"winner": record.parts.get(id_)})
    _check_of_question(asked[id_], given)
    parts = {**record.parts, id_: {**given, "device": device, "at": utc(now)}}
    record = record.model_copy(update={"parts": parts})
    if len(parts) < len(asked) or any(one["skipped"] for one in parts.values()):
        return RecordChange(record, "status")
    whole = _whole(record.content["body"]["request"], [parts[one] for one in asked])
    return answered(record, {"answer": whole}, device, now)


def _ways(request: Json) -> list[Json]:
    """Return the choices that need no words."""
    return [one for one in request["choices"] if not one["takes_note"]]


def _whole(request: Json, given: list[Json]) -> Json:
    """Return the answer to a request that the answers to all its questions are."""
    texts = [{name: one[name] for name in ("other", "note") if one.get(name)} for one in given]
    chosen = [one["selectedIndices"] for one in given]
    if request["kind"] == "question":
        pairs = zip(chosen, texts, strict=True)
        return {"answers": [{"selected": [index + 1 for index in one], **more} for one, more in pairs]}
    if not chosen[0]:
        raise wrong("selectedIndices", "it takes one of the options")
    way = _ways(request)[chosen[0][0]]
    worded = [one for one in request["choices"] if one["takes_note"] and one["allows"] == way["allows"]]
    return {"choice": (*(worded if texts[0] else ()), way)[0]["number"], **texts[0]}
