"""The contract's questions: a view of records, whether one was posted or a plain request asks them."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid5

from ccq_tui.remote.relay.problems import ProblemError, not_found, wrong
from ccq_tui.remote.relay.records import Record, RecordChange, answered, check_of_question, there, utc

MOST_OPTIONS = 100
"""Most options of a question."""

Json = dict[str, Any]


def questions_of(record: Record) -> dict[str, Json]:
    """Return a record's questions by their ids; none of a request that needs more than they have."""
    if record.shape == "question":
        return {record.id: record.content}
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
    if record.shape == "question":
        return answered(record, given, device, now)
    if id_ in record.parts or record.status != "pending":
        raise ProblemError(409, "It was answered already.", more={"winner": record.parts.get(id_)})
    check_of_question(asked[id_], given)
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
    said = [{name: one[name] for name in ("other", "note") if one.get(name)} for one in given]
    chosen = [one["selectedIndices"] for one in given]
    if request["kind"] == "question":
        pairs = zip(chosen, said, strict=True)
        return {"answers": [{"selected": [index + 1 for index in one], **more} for one, more in pairs]}
    if not chosen[0]:
        raise wrong("selectedIndices", "it takes one of the options")
    way = _ways(request)[chosen[0][0]]
    worded = [one for one in request["choices"] if one["takes_note"] and one["allows"] == way["allows"]]
    return {"choice": (*(worded if said[0] else ()), way)[0]["number"], **said[0]}
