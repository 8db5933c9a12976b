"""Numbers as answers: the checks of a number question, with messages that a person can act on."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from ccq_tui.questions.model import Question

MAX_DIGITS = 400
"""Most characters of a number; longer input is refused unread, so that the work stays bounded."""

LARGEST_EXACT = 2**53
"""Up to here a double holds each whole number."""


def number_problem(question: Question, text: str) -> str:
    """Return what is wrong with a typed number, or "" for an allowed one."""
    value = _parse(text.strip())
    low, high, step = (_decimal(bound) for bound in (question.minimum, question.maximum, question.step))
    if value is None:
        example = low if low is not None else high
        return f"not a number · type one such as {'5' if example is None else _plain(example)}"
    if (low is not None and value < low) or (high is not None and value > high):
        return f"out of range · {allowed_range(question)}"
    if step and step > 0:
        base = low if low is not None else Decimal(0)
        # Exact at any size: a decimal's remainder fails if the quotient has more digits than its context.
        if (Fraction(value) - Fraction(base)) % Fraction(step):
            return f"not in steps of {_plain(step)}" + (f" from {_plain(base)}" if base else "")
    return _sending_problem(question.field.number, value) if question.field else ""


def same_number(one: str, other: str) -> bool:
    """Return whether two texts are the same number, however it is written."""
    value = _parse(one.strip())
    return value is not None and value == _parse(other.strip())


def exact_number(text: str) -> int | float | None:
    """Return a number as JSON holds it, or None where it would arrive as another one."""
    value = _parse(text.strip())
    return None if value is None or Decimal(repr(float(value))) != value else json_number(text)


def json_number(text: str) -> int | float:
    """Return a number that `number_problem` allows, as JSON holds it."""
    value = Decimal(text.strip())
    return int(value) if value == value.to_integral_value() else float(value)


def fraction(number: float) -> Fraction:
    """Return a number as it is written: as doubles, 1 is no multiple of 0.01."""
    return Fraction(Decimal(str(number)))


def _sending_problem(kind: str, value: Decimal) -> str:
    """Return why a number would arrive as another one, or ""."""
    if kind == "integer" and value != value.to_integral_value():
        return "not a whole number"
    if kind and Decimal(repr(float(value))) != value:
        # The programs on the way hold numbers as doubles, and would round it silently.
        return f"too {'large' if abs(value) > LARGEST_EXACT else 'precise'} to arrive exactly"
    return ""


def allowed_range(question: Question) -> str:
    """Return the numbers that a question allows, in words, or "" if any is."""
    low, high = _decimal(question.minimum), _decimal(question.maximum)
    unit = f" {question.unit}" if question.unit else ""
    if low is not None and high is not None:
        return f"{_plain(low)} to {_plain(high)}{unit}"
    if low is not None:
        return f"at least {_plain(low)}{unit}"
    if high is not None:
        return f"at most {_plain(high)}{unit}"
    return unit.strip()


def _parse(text: str) -> Decimal | None:
    # The form that everybody reads as a number: Python alone takes ``1_000``, "NaN" and digits of any script.
    if len(text) > MAX_DIGITS or not re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", text, re.ASCII):
        return None
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    # A huge exponent would make the range arithmetic unbounded.
    return value if abs(value.adjusted()) <= MAX_DIGITS else None


def _decimal(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(str(value))


def _plain(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
