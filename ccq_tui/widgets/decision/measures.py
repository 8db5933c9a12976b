"""How a decision panel shares its lines out: what is decided on, the choices, the text."""

from __future__ import annotations

from dataclasses import dataclass

from ccq_tui.widgets.panel.measures import FIELD_LINES, is_low, most_lines

AROUND = 2
"""The rule and the head."""
FEWEST_DETAILS = 2
"""Lines of what is decided on where it does not fit: one of it, and the row that says how much more it is."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Lines for each part of a panel; ``height`` is their sum with the rule, the head and the keys.

    Attributes:
        more: Whether the last line of the details says how much more there is.
    """

    details: int
    more: bool
    choices: int
    notice: int
    field: int
    height: int


def shares(
    screen_height: int, *, keys: int, details: int, choices: int, fewest_choices: int, notice: int, field: int
) -> Shares:
    """Share out the lines of a panel: the keys always fit, then the text, then what is decided on.

    Args:
        screen_height: Lines of the whole screen.
        keys: Lines of the keys.
        details: Lines of what is decided on, or as many of them as could be seen.
        choices: Lines of the choices.
        fewest_choices: Lines of the choices that are left to them where not all fits.
        notice: Lines of what is wrong with the text, or of what is asked once more.
        field: Lines of the text, 0 when none is open.
    """
    room = most_lines(screen_height) - AROUND - keys
    fewest_choices = min(choices, 1 if is_low(screen_height) else fewest_choices)
    fewest_details = min(details, FEWEST_DETAILS)
    typed = bool(field)
    notice = min(notice, max(0, room - fewest_choices - typed - min(1, details)))
    field = min(field, FIELD_LINES, max(typed, room - notice - fewest_choices - fewest_details))
    left = room - notice - field
    wanted, details = details, min(details, max(fewest_details, left - fewest_choices))
    choices = max(min(choices, left - details), min(1, choices))
    details = max(0, min(details, left - choices))
    more = details < wanted and details > 1
    return Shares(details, more, choices, notice, field, AROUND + keys + details + choices + notice + field)
