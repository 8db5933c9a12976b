"""Reads the input of an ``AskUserQuestion`` call as a `QuestionSet`.

The input is a model's, so nothing about it is taken for granted: input with one plausible meaning is read
that way, all other input is an error that names its place, in words the model can act on.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

from ccq_tui.questions.model import Kind, Option, Question, QuestionSet


class QuestionFormatError(ValueError):
    """The input is not a question set.

    Attributes:
        path: The place in the input, for example ``questions[0].options[2].label``.
    """

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path


def parse_question_set(set_id: str, source: Mapping[str, Any]) -> QuestionSet:
    """Read a tool call's input, texts exactly as they came; raises `QuestionFormatError` with the path."""
    raw = raw_questions(source)
    if not raw:
        raise QuestionFormatError("questions", "at least one question is needed")
    questions = tuple(read_question(item, f"questions[{index}]") for index, item in enumerate(raw))
    return QuestionSet(id=set_id, questions=questions, title=_text(source, "title"), source=source)


def readable_set(set_id: str, source: Mapping[str, Any]) -> QuestionSet | None:
    """Read the input of a call as `parse_question_set` does; None if it is no question set."""
    try:
        return parse_question_set(set_id, source)
    except (QuestionFormatError, RecursionError):
        return None


def raw_questions(source: Mapping[str, Any]) -> list[Any]:
    """Return the unchecked list under ``questions``, which models also send as a string or as one object.

    Raises `QuestionFormatError`.
    """
    value = source.get("questions")
    if value is None and isinstance(source.get("question"), str):
        return [source]  # one question that is the input itself
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise QuestionFormatError("questions", "a string that is not JSON") from error
    if isinstance(value, Mapping) and "question" in value:
        return [value]
    if not isinstance(value, list):
        raise QuestionFormatError("questions", f"expected a list of questions, got {_name(value)}")
    return value


def read_question(item: Any, path: str) -> Question:
    """Read the question at a path of the input; raises `QuestionFormatError`."""
    if isinstance(item, str):
        return Question(text=item, kind=Kind.TEXT)
    if not isinstance(item, Mapping):
        raise QuestionFormatError(path, f"expected an object, got {_name(item)}")
    raw_options = item.get("options")
    if raw_options is not None and not isinstance(raw_options, list):
        raise QuestionFormatError(f"{path}.options", f"expected a list, got {_name(raw_options)}")
    options = tuple(read_option(o, f"{path}.options[{i}]") for i, o in enumerate(raw_options or []))
    kind = _kind(item, path, has_options=bool(options))
    minimum, maximum = _number(item, "min", path), _number(item, "max", path)
    if minimum is not None and maximum is not None and minimum > maximum:
        raise QuestionFormatError(f"{path}.min", "larger than max")
    step = _number(item, "step", path)
    if step is not None and step <= 0:
        raise QuestionFormatError(f"{path}.step", "expected a number above 0")
    return Question(
        text=_text(item, "question", path, required=True),
        options=options if kind is Kind.CHOICE else (),
        multi_select=_flag(item, path) and kind is Kind.CHOICE,
        kind=kind,
        minimum=minimum,
        maximum=maximum,
        step=step,
        default=_default(item, path),
        header=_text(item, "header", path),
        description=_text(item, "description", path),
        placeholder=_text(item, "placeholder", path),
        unit=_text(item, "unit", path),
    )


def read_option(item: Any, path: str) -> Option:
    """Read the option at a path of the input; raises `QuestionFormatError`."""
    if isinstance(item, str):
        return Option(label=item)
    if not isinstance(item, Mapping):
        raise QuestionFormatError(path, f"expected an object or a string, got {_name(item)}")
    return Option(
        _text(item, "label", path, required=True),
        _text(item, "description", path),
        _text(item, "preview", path) or None,
    )


def _kind(item: Mapping[str, Any], path: str, *, has_options: bool) -> Kind:
    value = item.get("kind")
    if value is None:
        # Without options there is nothing to choose from: only a text can be meant.
        return Kind.CHOICE if has_options else Kind.TEXT
    if value not in tuple(Kind):
        raise QuestionFormatError(f"{path}.kind", f"expected one of {', '.join(Kind)}")
    if value == Kind.CHOICE and not has_options:
        raise QuestionFormatError(f"{path}.options", "a choice needs at least one option")
    return Kind(value)


def _flag(item: Mapping[str, Any], path: str) -> bool:
    name = "multi_select" if item.get("multiSelect") is None else "multiSelect"
    value = item.get(name)
    if not isinstance(value, bool | None):
        raise QuestionFormatError(f"{path}.{name}", f"expected true or false, got {_name(value)}")
    return bool(value)


def _text(item: Mapping[str, Any], name: str, path: str = "", *, required: bool = False) -> str:
    value = item.get(name)
    if value is None and not required:
        return ""
    if not isinstance(value, str):
        raise QuestionFormatError(f"{path}.{name}".lstrip("."), f"expected a string, got {_name(value)}")
    return value


def _number(item: Mapping[str, Any], name: str, path: str) -> float | None:
    value = item.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise QuestionFormatError(f"{path}.{name}", f"expected a number, got {_name(value)}")
    try:
        number = float(value)
    except (ValueError, OverflowError) as error:
        raise QuestionFormatError(f"{path}.{name}", "expected a number") from error
    if not math.isfinite(number):
        raise QuestionFormatError(f"{path}.{name}", "expected a finite number")
    return number


def _default(item: Mapping[str, Any], path: str) -> str:
    value = item.get("defaultValue")
    if isinstance(value, str) or (number := _number(item, "defaultValue", path)) is None:
        return value or ""
    # JSON knows one kind of number; 5.0 is proposed to a person as "5".
    return str(int(number)) if number.is_integer() else str(value)


def _name(value: Any) -> str:
    """Name a JSON value's type in JSON's words."""
    return _NAMES.get(type(value), "an object")


_NAMES = {type(None): "nothing", bool: "a boolean", str: "a string", int: "a number", float: "a number"}
_NAMES |= {list: "a list", tuple: "a list"}
