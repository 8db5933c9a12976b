"""How a decision panel shares its lines out: what is decided on, the choices, the text."""

from __future__ import annotations

from dataclasses import dataclass

from ccq_tui.widgets.panel.measures import FIELD_LINES, is_low, most_lines

AROUND = 2
"""The rule and the head."""
FEWEST_DETAILS = 2
FEWEST_CHOICES = 3


@dataclass(frozen=True, slots=True)
class Shares:
    """Lines for each part of a panel; ``height`` is their sum with the rule, the head and the keys."""

    details: int
    choices: int
    notice: int
    field: int
    height: int


def shares(screen_height: int, *, keys: int, details: int, choices: int, notice: int, field: int) -> Shares:
    """Share out the lines of a panel: the keys always fit, then the text, then what can scroll.

    Args:
        screen_height: Lines of the whole screen.
        keys: Lines of the keys.
        details: Lines of what is decided on, or as many of them as could be seen.
        choices: Lines of the choices.
        notice: Lines of what is wrong with the text.
        field: Lines of the text, 0 when none is open.
    """
    low = is_low(screen_height)
    room = most_lines(screen_height) - AROUND - keys
    fewest_details = 1 if low else FEWEST_DETAILS
    fewest_choices = min(choices, 1 if low else FEWEST_CHOICES)
    typed = bool(field)
    notice = min(notice, max(0, room - fewest_choices - typed))
    field = min(field, FIELD_LINES, max(typed, room - notice - fewest_choices - fewest_details))
    choices = min(choices, max(fewest_choices, room - notice - field - fewest_details))
    details = min(max(details, fewest_details), max(0, room - notice - field - choices))
    return Shares(details, choices, notice, field, AROUND + keys + details + choices + notice + field)
