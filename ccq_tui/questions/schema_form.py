"""Translates the JSON Schema of a form to a question set, and its answers to the form's content.

The sender of a form gets values that fit its schema, exactly as a person gave them, or none: if a part of the
schema is not known here, or contradicts itself, the form can only be declined or dismissed.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ccq_tui.questions.limits import LARGEST_EXACT, PatternError, check, fraction, json_number, matcher
from ccq_tui.questions.model import Answer, Asked, FieldRules, Kind, Option, Question, QuestionSet

MOST_FIELDS = 100
MOST_OPTIONS = 500
LONGEST_PATTERN = 1000
YES, NO = "Yes", "No"
OPEN_LINK = "Open the link, and accept"
ACCEPT_LINK = "Accept without opening it here"

_COMBINED = frozenset(
    {"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "const", "$ref", "dependentSchemas"}
)
_OF_OBJECTS = frozenset(
    {"patternProperties", "propertyNames", "minProperties", "maxProperties", "dependentRequired"}
)
_RESTRICTING = (_COMBINED | _OF_OBJECTS).union(
    ("minItems", "maxItems", "contains", "minContains", "maxContains", "items"),
    ("minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType"),
    ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    ("enum", "properties", "required"),
)
"""Keywords that restrict a value: one that its kind of field does not know makes a form unusable."""


_LISTS = ("enum", "oneOf", "anyOf")
"""Keywords that list the options of a choice."""


class FormError(ValueError):
    """A schema that is no form, or one that cannot be filled in here; the message is for a person."""


Field = tuple[Question, tuple[Any, ...]]
"""A question, and the value of each of its options."""


def read_form(
    form_id: str, title: str, message: str, schema: Mapping[str, Any], order: Sequence[str] = ()
) -> Asked:
    """Return the form of a JSON Schema: an object of texts, numbers, booleans and choices.

    ``title`` names the asker, ``message`` the subject. The fields in ``order`` come first. If the schema
    cannot be used, the form can only be declined or dismissed.
    """
    try:
        fields = dict(_fields(schema, order))
    except FormError as error:
        return unusable(form_id, title, message, str(error))
    if not fields:
        return _agreement(form_id, title, Question(message, options=(Option("Accept"),)))
    questions, values = zip(*fields.values(), strict=True)
    asked = QuestionSet(form_id, questions, title, intro=message, is_form=True)
    return Asked(asked, tuple(fields), values)


def read_link(form_id: str, title: str, message: str, url: str, host: str) -> Asked:
    """Return the form that asks whether a link may be opened; ``host`` says plainly where it leads."""
    options = (Option(OPEN_LINK, "in your browser"), Option(ACCEPT_LINK, "you open it yourself"))
    text = f"It leads to {host}:\n{url}"
    return _agreement(form_id, title, Question(message, options=options, description=text))


def unusable(form_id: str, title: str, message: str, problem: str) -> Asked:
    """Return a form that can only be declined or dismissed; ``problem`` says why, for the person."""
    text = f"It cannot be filled in here: {problem}. Decline or cancel it."
    return replace(_agreement(form_id, title, Question(message, description=text)), problem=problem)


def _agreement(form_id: str, title: str, question: Question) -> Asked:
    asked = replace(question, closed=True, field=FieldRules(required=True))
    return Asked(QuestionSet(form_id, (asked,), title, is_form=True, is_agreement=True))


# -- the schema -----------------------------------------------------------------------------------------


def _fields(schema: Mapping[str, Any], order: Sequence[str]) -> Iterator[tuple[str, Field]]:
    if schema.get("type", "object") != "object":
        raise FormError("its schema is not that of an object")
    if unknown := next((name for name in schema if name in _COMBINED | _OF_OBJECTS), None):
        raise FormError(f"its schema has “{unknown}”, which is not known here")
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, Mapping) or not isinstance(required, list):
        raise FormError("its schema has no list of fields")
    if not all(isinstance(name, str) for name in required):
        raise FormError("it requires a field without a name")
    if len(properties) > MOST_FIELDS:
        raise FormError(f"it has {len(properties):,} fields, more than {MOST_FIELDS}")
    if (missing := next((name for name in required if name not in properties), None)) is not None:
        raise FormError(f"it requires “{missing}”, a field that it does not have")
    known = (*order, *properties)
    for name in dict.fromkeys(name for name in known if name in properties):
        try:
            yield name, _field(name, properties[name], required=name in required)
        except FormError as error:
            raise FormError(f"field “{name}” {error}") from error


def _field(name: str, schema: Any, *, required: bool) -> Field:
    """Return the field of a property of a form's JSON Schema; raises `FormError`: what it “has” or “is”."""
    if not isinstance(schema, Mapping):
        raise FormError("has no schema")
    title = _text(schema, "title") or name
    rules = FieldRules(required=required)
    question = Question(title, title, description=_text(schema, "description"), field=rules)
    match schema.get("type"):
        case "string" if {*_LISTS} & set(schema):
            _only(schema, *_LISTS)
            return _chosen(question, tuple(_titled(schema)), _preset(schema, str))
        case "string":
            return _text_question(question, rules, schema), ()
        case "number" | "integer" as kind:
            return _number_question(question, replace(rules, number=kind), schema), ()
        case "boolean":
            _only(schema)
            return _chosen(question, ((True, YES), (False, NO)), _preset(schema, bool))
        case "array":
            return _multiple(question, schema)
        case str(kind):
            raise FormError(f"is of the type “{kind}”, which is not known here")
        case _:
            raise FormError("has no type that is known here")


def _text_question(question: Question, rules: FieldRules, schema: Mapping[str, Any]) -> Question:
    _only(schema, "minLength", "maxLength", "pattern")
    fewest, most = _counts(schema, "minLength", "maxLength")
    pattern = _text(schema, "pattern")
    if len(pattern) > LONGEST_PATTERN:
        raise FormError(f"has a pattern of more than {LONGEST_PATTERN:,} characters")
    try:
        if pattern:
            matcher(pattern)
    except PatternError as error:
        raise FormError("has a pattern that cannot be checked here") from error
    preset = tuple(text for text in _preset(schema, str) if text)
    rules = replace(
        rules, preset=preset, fewest=fewest, most=most, pattern=pattern, format=_text(schema, "format")
    )
    return replace(question, kind=Kind.TEXT, field=rules)


def _number_question(question: Question, rules: FieldRules, schema: Mapping[str, Any]) -> Question:
    _only(schema, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
    low, high, above, below = (
        _number(schema, name) for name in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
    )
    if rules.number == "integer":
        lowest = [] if low is None else [math.ceil(low)]
        highest = [] if high is None else [math.floor(high)]
        lowest += [] if above is None else [math.floor(above) + 1]
        highest += [] if below is None else [math.ceil(below) - 1]
        low, high = max(lowest, default=None), min(highest, default=None)
    elif above is not None or below is not None:
        raise FormError("has a limit that is itself not allowed, which is not known here")
    step = _number(schema, "multipleOf")
    if step is not None and (step <= 0 or (low is not None and fraction(low) % fraction(step))):
        raise FormError("has a “multipleOf” that does not go with its limits")
    preset = tuple(_plain(number) for number in _preset(schema, int, float))
    rules = replace(rules, preset=preset)
    return replace(question, kind=Kind.NUMBER, minimum=low, maximum=high, step=step, field=rules)


def _multiple(question: Question, schema: Mapping[str, Any]) -> Field:
    _only(schema, "minItems", "maxItems", "items")
    items, preset = schema.get("items"), schema.get("default")
    if not isinstance(items, Mapping):
        raise FormError("is a list of no known values")
    _only(items, *_LISTS)
    if not isinstance(preset, list | None):
        raise FormError("has a default of another type")
    question, values = _chosen(question, tuple(_titled(items)), preset or [])
    fewest, most = _counts(schema, "minItems", "maxItems")
    rules = replace(question.field or FieldRules(), fewest=fewest, most=most)
    return replace(question, multi_select=True, field=rules), values


def _titled(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each value of a choice with its title."""
    if (kind := schema.get("type", "string")) != "string":
        raise FormError(f"has options of the type “{kind}”, which is not known here")
    found = [one for one in _LISTS if one in schema]
    if len(found) != 1 or not isinstance(options := schema[found[0]], list):
        raise FormError("has no one list of options")
    titles = options
    if found == ["enum"]:
        titles = schema.get("enumNames") or options
    elif all(isinstance(one, Mapping) and set(one) & _RESTRICTING == {"const"} for one in options):
        titles = [one.get("title", one["const"]) for one in options]
        options = [one["const"] for one in options]
    if not isinstance(titles, list) or len(titles) != len(options):
        raise FormError("has not one title for each option")
    for value, title in zip(options, titles, strict=True):
        if not isinstance(value, str) or not isinstance(title, str):
            raise FormError("has an option that is no text")
        # The label of an option without a visible title and value.
        yield value, title if title.strip() else value if value.strip() else "(empty)"


def _chosen(question: Question, titled: Sequence[tuple[Any, str]], preset: Sequence[Any]) -> Field:
    values, titles = tuple(value for value, _ in titled), [title for _, title in titled]
    if not values:
        raise FormError("has nothing to choose from")
    if len(values) > MOST_OPTIONS:
        raise FormError(f"has {len(values):,} options, more than {MOST_OPTIONS}")
    if any(one not in values for one in preset):
        raise FormError("has a default that is none of its options")
    # Options with the same title differ by their values.
    labels = [f"{title} ({value})" if titles.count(title) > 1 else title for value, title in titled]
    if len(set(values)) < len(values) or len(set(labels)) < len(labels):
        raise FormError("has an option twice")
    options = tuple(
        Option(label, "" if value in (True, False, title) else f"sent as {value or 'no text'}")
        for label, (value, title) in zip(labels, titled, strict=True)
    )
    chosen = tuple(label for label, value in zip(labels, values, strict=True) if value in preset)
    rules = replace(question.field or FieldRules(), preset=chosen)
    return replace(question, options=options, closed=True, field=rules), values


def _only(schema: Mapping[str, Any], *known: str) -> None:
    unknown = next((name for name in schema if name in _RESTRICTING and name not in known), None)
    if unknown:
        raise FormError(f"has “{unknown}”, which is not known here")


def _preset(schema: Mapping[str, Any], *types: type) -> list[Any]:
    value = schema.get("default")
    if value is None:
        return []
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        raise FormError("has a default of another type")
    return [value]


def _text(schema: Mapping[str, Any], name: str) -> str:
    value = schema.get(name)
    if not isinstance(value, str | None):
        raise FormError(f"has a “{name}” that is no text")
    return value or ""


def _counts(schema: Mapping[str, Any], least: str, most: str) -> tuple[int | None, int | None]:
    low, high = _number(schema, least), _number(schema, most)
    for name, value in ((least, low), (most, high)):
        if value is not None and (value < 0 or value != int(value)):
            raise FormError(f"has a “{name}” that is no count")
    if low is not None and high is not None and low > high:
        raise FormError(f"contradicts itself: its {least} is above its {most}")
    return None if low is None else int(low), None if high is None else int(high)


def _number(schema: Mapping[str, Any], name: str) -> float | None:
    value = schema.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FormError(f"has a “{name}” that is no number")
    if abs(value) > LARGEST_EXACT if isinstance(value, int) else not math.isfinite(value):
        raise FormError(f"has a “{name}” that is too large")
    return float(value)


def _plain(number: float) -> str:
    whole = isinstance(number, int) or (abs(number) <= LARGEST_EXACT and number == int(number))
    return str(int(number)) if whole else str(number)


# -- values ---------------------------------------------------------------------------------------------


def content_of(asked: Asked, answers: Sequence[Answer]) -> dict[str, Any]:
    """Return the values that answers, one per question, stand for, each of its schema's own type.

    Raises `FieldError` if a value does not fit the schema, or a required one is missing.
    """
    check(asked.questions, answers)
    fields = zip(asked.questions.questions, asked.values, answers, strict=False)
    pairs = zip(asked.names, fields, strict=False)
    return {name: _value(*field) for name, field in pairs if field[-1].given}


def _value(question: Question, values: Sequence[Any], answer: Answer) -> Any:
    if question.kind is Kind.NUMBER:
        return json_number(answer.other)
    if question.kind is Kind.TEXT:
        return answer.other
    pairs = zip(question.options, values, strict=True)
    chosen = [value for option, value in pairs if option.label in answer.selected]
    return chosen if question.multi_select else chosen[0]
