"""The public schema of everything that ``--json`` prints and reads, made of the shapes of its records.

Import this module only to print the schema or to check input, never to print a list: importing pydantic takes
longer than printing one.
"""

import re
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import ConfigDict, Field, TypeAdapter, create_model

from ccq_tui.answering.record import RecordShape
from ccq_tui.inbox.kinds import KINDS
from ccq_tui.inbox.records import Became, ChangeRecord, CommandRecord, RecordedSet, RequestHead, SessionRecord

Version = Literal[1]
_ATTRIBUTE = re.compile(r"^ +(\w+): (.+(?:\n {12,}.+)*)", re.MULTILINE)


def _requests(prefix: str, *parts: type[RecordShape]) -> Any:
    """Return the shapes of requests of all kinds."""
    found: list[Any] = []
    for kind in KINDS:
        name = kind.RECORD.__name__.replace("Fields", "Record")
        own = {"__annotations__": {"kind": Literal[kind.WORD]}, "__doc__": kind.RECORD.__doc__}
        found.append(type(prefix + name, (*parts, kind.RECORD, RequestHead), own))
    return Annotated[reduce(or_, found), Field(discriminator="kind")]


RequestRecord: Any = _requests("")
WholeRequestRecord: Any = _requests("Whole", Became)


def _shapes(of: type[RecordShape] = RecordShape) -> set[Any]:
    return {shape for one in of.__subclasses__() for shape in (one, *_shapes(one))}


def _may_be_absent(schema: dict[str, Any]) -> None:
    del schema["default"]
    schema |= next(one for one in schema.pop("anyOf") if one != {"type": "null"})


def _taken(source: Any, name: str) -> tuple[Any, str]:
    """Return the type of an attribute of a class of ours, and what its documentation says of it."""
    member = getattr(source, name, None)
    if isinstance(member, property):
        return get_type_hints(member.fget)["return"], member.__doc__ or ""
    return get_type_hints(source)[name], _words(source).get(name, "")


def _words(documented: Any) -> dict[str, str]:
    return dict(_ATTRIBUTE.findall((documented.__doc__ or "").partition("Attributes:\n")[2]))


for _shape in sorted(_shapes(), key=lambda one: len(one.__mro__)):  # becomes a dataclass, bases first
    _own, _docs = dict(_shape.__annotations__), _words(_shape)
    for _name in _shape.names:
        if _name not in _own:
            _own[_name], _words_of_it = _taken(_shape.of, _name)
            _docs.setdefault(_name, _words_of_it)
        _about: dict[str, Any] = {"description": " ".join(_docs[_name].split())} if _docs.get(_name) else {}
        if _is_optional := hasattr(_shape, _name):
            _about["json_schema_extra"] = _may_be_absent
        made = field(default=None, metadata=_about) if _is_optional else field(metadata=_about)
        setattr(_shape, _name, made)
    _shape.__annotations__ = {name: _own[name] for name in _shape.names}
    _shape.__doc__ = _shape.__doc__.partition("\n\n    Attributes:")[0]
    _shape.__pydantic_config__ = ConfigDict(alias_generator=lambda name: name.rstrip("_"))
    dataclass(kw_only=True)(_shape)


def _document(name: str, command: str, /, **fields: Any) -> Any:
    return create_model(f"{name}Document", __doc__=command, version=(Version, ...), **fields)


def _given(name: str, about: str, /, **fields: Any) -> Any:
    return create_model(f"Given{name}", __config__=ConfigDict(extra="forbid"), __doc__=about, **fields)


_DOCUMENTS = (
    _document("Waiting", "`ccq-tui inbox`, oldest first.", requests=(list[RequestRecord], ...)),
    _document("Shown", "`ccq-tui show` and `wait`.", request=(WholeRequestRecord, ...)),
    _document("Session", "`ccq-tui wait SESSION`.", session=(SessionRecord, ...)),
    _document("Sessions", "`ccq-tui sessions`, last changed last.", sessions=(list[SessionRecord], ...)),
    _document("History", "`ccq-tui history`, oldest first.", changes=(list[ChangeRecord], ...)),
    _document("Recording", "`ccq-tui replay`, oldest first.", questions=(list[RecordedSet], ...)),
    _document("Command", "`ccq-tui park`, `send`, `interrupt` and `end`.", command=(CommandRecord, ...)),
)
_TEXT, _VERSION = (str | None, None), {"version": (Version, 1)}
GivenAnswer: Any = _given(
    "Answer",
    "The answer to one question, with labels or numbers of options.",
    selected=(list[str | int], []),
    other=_TEXT,
    note=_TEXT,
    empty=(bool, False),
    unselected=_TEXT,
)
_ANSWERS, _NUMBER = Annotated[list[GivenAnswer | None], Field(min_length=1)], Annotated[int, Field(ge=1)]
_PROSE, _VALUES = Annotated[str, Field(min_length=1)], dict[str, str | int | float | bool | list[str]]
GIVEN: dict[str, Any] = {
    "answers": _given("Answers", "One a question, null to leave it open.", answers=_ANSWERS, **_VERSION),
    "discuss": _given("Reply", "To a question set, in prose.", discuss=_PROSE, **_VERSION),
    "content": _given("Content", "The values of a form by their names.", content=_VALUES, **_VERSION),
    "choice": _given("Decision", "On a permission or a plan.", choice=_NUMBER, note=_TEXT, **_VERSION),
    "decline": _given("Refusal", "Nothing is chosen or allowed.", decline=Literal[True], **_VERSION),
    "dismiss": _given("Dismissal", "Of a form, undecided.", dismiss=Literal[True], **_VERSION),
}
"""What ``ccq-tui answer --json`` takes, by the field that each has alone."""
Given: Any = reduce(or_, GIVEN.values())


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of the output and the input of commands."""
    schema = TypeAdapter(reduce(or_, _DOCUMENTS) | Given).json_schema(ref_template="#/$defs/{model}")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "ccq-tui", **schema}
