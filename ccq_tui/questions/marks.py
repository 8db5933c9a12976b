"""What names an option where there is no cursor: its key, its number, or a letter where it misleads."""

import re
from functools import lru_cache
from itertools import count, islice
from string import ascii_lowercase

from ccq_tui.questions.model import Option, Question, fold

MOST_QUOTED = 40
YES_NO = ["yes", "no"]
"""Options that their first letters name, too."""
WORD_OF = {"y": "yes", "n": "no"}
"""Words that name these options, and acts, by their letters."""


def quoted(text: str) -> str:
    """Return the beginning of a text in quotation marks."""
    return f"“{text[:MOST_QUOTED]}{'…' * (len(text) > MOST_QUOTED)}”"


def number_of(option: Option) -> int | None:
    """Return the whole number that stands alone at the beginning of a label, or None."""
    # A whole number that stands alone at the beginning of a label: “2”, “2 days”, not “2.5 GB” or “3.11”.
    found = re.match(r"\s*0*(\d{1,4})(?!\w|[.,:/-]\w)", option.title, re.ASCII)
    return int(found[1]) if found else None


@lru_cache(maxsize=32)
def misleads(question: Question) -> bool:
    """Return whether the number of a place reads as another option, as `2` does for options 8, 4 and 2."""
    numbers = ((place, number_of(one)) for place, one in enumerate(question.options, 1))
    return any(number and number != place and number <= len(question.options) for place, number in numbers)


def marks(question: Question) -> tuple[str, ...]:
    """Return what names each option: its key, its number, or a letter that is no label itself."""
    size = len(question.options)
    if question.acts:
        return tuple(act.key for act in question.acts)
    if not misleads(question):
        return tuple(str(place) for place in range(1, size + 1))
    labels = {fold(name) for one in question.options for name in (one.label, one.title)}
    letters = (f"{letter}{turn or ''}" for turn in count() for letter in ascii_lowercase)
    return tuple(islice((one for one in letters if one not in labels), size))
