"""Long pastes, folded in the field to a few words that stand for the whole."""

import re
from collections.abc import Iterable, Iterator, Mapping


def lines_of(text: str) -> int:
    """Return the number of lines in a text; a newline at its end begins none."""
    return text.count("\n") + (not text.endswith("\n"))


def folds(text: str) -> bool:
    """Return whether a paste is folded."""
    return lines_of(text) > 20


def label(text: str, taken: Mapping[str, str], field: str) -> str:
    """Return a name that no other paste has; the same paste keeps its own.

    Words in the field that a person typed must not become the name of a paste.
    """
    lines, number = lines_of(text), 1
    while True:
        name = f"[pasted {lines} lines{f' · {number}' if number > 1 else ''}]"
        if taken.get(name) == text or (name not in taken and name not in field):
            return name
        number += 1


def unfolded(text: str, pastes: Mapping[str, str]) -> str:
    """Return the text to send: the field's text with each paste in place of its name."""
    if not pastes:
        return text
    return _any_of(pastes).sub(lambda found: pastes[found[0]], text)


def folded(text: str, earlier: Iterable[str], pastes: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Fold earlier pastes in a prompt; return the text with their names, and all pastes that have one."""
    known = dict(pastes)
    for paste in earlier:
        # Blanks at the end of a prompt are not sent.
        found = next((one for one in (paste, paste.rstrip()) if folds(one) and one in text), "")
        if found:
            name = label(found, known, text)
            known[name] = found
            text = text.replace(found, name, 1)
    return text, known


def used(text: str, pastes: Mapping[str, str]) -> dict[str, str]:
    """Return the pastes whose names are in a text."""
    return {name: paste for name, paste in pastes.items() if name in text}


def in_line(line: str, names: Mapping[str, object]) -> Iterator[tuple[int, int]]:
    """Yield where names of pastes, or of images, begin and end in a line."""
    if names and "[" in line:
        for found in _any_of(names).finditer(line):
            yield found.span()


def around(column: int, names: Iterable[tuple[int, int]]) -> tuple[int, int] | None:
    """Return the span of the name that a column is within, not at its ends."""
    return next((span for span in names if span[0] < column < span[1]), None)


def _any_of(names: Mapping[str, object]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(name) for name in names))
