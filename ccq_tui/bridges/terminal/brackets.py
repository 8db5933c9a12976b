"""What a prompt's brackets say: answers to choose from, or a default. What proves neither is neither."""

from __future__ import annotations

import re
from dataclasses import dataclass

Words = tuple[tuple[str, str], ...]
"""The labels of answers, each with the text to type for it."""
MOST_WORDS = 40
MOST_OF_A_RANGE = 20
_YES, _NO = ("y", "yes"), ("n", "no")
_WORD = re.compile(r"[\w.?!/+*#@-]{1,30}")
_RANGE = re.compile(r"(\d{1,9}) ?(?:-|–|\.\.) ?(\d{1,9})")
_RUN = re.compile(r"[A-Za-z]{2,20}\??")
_NAMED = re.compile(r"\bdefault\b(?: is| to)?[ :=]*(['\"“]?)(?P<value>[^'\"”,;)\]]{1,60})\1?", re.IGNORECASE)
_LETTERED = re.compile(r"[\[(](?P<key>\w{1,2}|\?)[\])](?P<word>\w*(?: (?!(?:or|and|accept)\b)[\w'’]+)*)")
_KEY = re.compile(
    r"(?:ctrl|control|alt|shift|cmd|meta|c|m)[-+ ]\S+|\^.|esc(?:ape)?|enter|return|tab|space|f\d+|<.*>",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"\b(?:none|n/?a|optional|required|leave|empty|blank|e\.?g|i\.?e|press|type|hit|enter|skip|cancel|quit"
    r"|abort|help|separated|format|char(?:acter)?s?|letters?|digits?|max(?:imum)?|min(?:imum)?|or|for|to|in|if)\b"
    r"|\.\.\.|…",
    re.IGNORECASE,
)
_LIKE_A_VALUE = re.compile(r"\S*[\d/.@~_\\]\S*")


@dataclass(frozen=True, slots=True)
class Choices:
    """The answers in a prompt's brackets.

    Attributes:
        words: The answers.
        default: The label of the answer that Enter alone gives, or "".
        closed: Whether there are no others.
        sure: Whether they are answers even where nothing else asks.
    """

    words: Words
    default: str = ""
    closed: bool = False
    sure: bool = False


def choices_in(text: str, default: str = "") -> Choices | None:
    """Return the answers that a bracket names, or None if it proves none.

    Args:
        text: The bracket's content.
        default: The content of a second bracket, or "".
    """
    named = _NAMED.search(text)
    if named:
        text, default = text[: named.start()].rstrip(" ,;"), named["value"]
    parts, marked, takes_text = _parts(text.strip())
    if not parts or len(parts) > MOST_WORDS or len(set(parts)) < len(parts):
        return None
    word = (marked or named_default(default) or default).strip()
    default = next((part for part in parts if part.lower() == word.lower()), "") or _capital(parts)
    alone = len(parts) == 1
    if alone:  # the answer to Enter alone, of two
        default = parts[0]
        parts = ["yes", "no"] if len(default) > 1 else ["y", "n"]
    if len(parts) == 2 and {_yes_no(part) for part in parts} == {"Yes", "No"}:
        words = sorted(((_yes_no(part), part.lower()) for part in parts), reverse=True)
        return Choices(tuple(words), _yes_no(default), closed=not takes_text, sure=not alone)
    if default == _capital(parts):
        parts = [part.lower() if part == default else part for part in parts]
        default = default.lower()
    return Choices(tuple((part, part) for part in parts), default, sure=all(len(part) == 1 for part in parts))


def lettered(text: str) -> Choices | None:
    """Return the answers of which a text marks the letters, as in “(a)bort, (r)etry”, or None."""
    found: dict[str, str] = {}
    for match in _LETTERED.finditer(text):
        key, word = match["key"], match["word"]
        if key in found or not (word or key == "?"):
            return None
        label = word.strip() if word.startswith(" ") else key + word
        found[key] = label[:1].upper() + label[1:]
    if len(found) < 2 or len(set(found.values())) < len(found):
        return None
    default = found.get(named_default(text), "")
    words = tuple((label, key) for key, label in found.items())
    return Choices(words, default, closed=[label for label, _ in words] == ["Yes", "No"])


def named_default(text: str) -> str:
    """Return the value that a text calls its default, or ""."""
    found = _NAMED.search(text)
    return found["value"].strip() if found else ""


def proven_default(text: str, *, shown: bool) -> str:
    """Return the answer to Enter alone that a bracket proves, or "".

    Args:
        text: The bracket's content.
        shown: Whether defaults stand in such brackets: square ones, or any behind the prompt's colon.
    """
    text = text.strip()
    if named := named_default(text):
        return named
    if not text or choices_in(text) or _RANGE.search(text) or _KEY.fullmatch(text) or _EXPLAINS.search(text):
        return ""
    if len(text) == 1 and not text.isdigit():
        return ""
    return text if shown or _LIKE_A_VALUE.fullmatch(text) else ""


def is_range(text: str) -> bool:
    """Whether a bracket only says which numbers are allowed."""
    return _RANGE.fullmatch(text.strip()) is not None


def _parts(text: str) -> tuple[list[str], str, bool]:
    """Return the answers, the one that is in brackets itself, and whether one stands for any text."""
    if span := _RANGE.fullmatch(text):
        first, last = int(span[1]), int(span[2])
        numbers = range(first, last + 1) if 0 < last - first < MOST_OF_A_RANGE else ()
        return [str(number) for number in numbers], "", False
    separator = next((one for one in ",|/" if one in text), "")
    if not separator:
        letters = text.lower()
        # Rails and Mercurial write the letters in one word: “[Ynaqdh]”.
        run = _RUN.fullmatch(text) and {"y", "n"} <= set(letters) and len(set(letters)) == len(letters)
        return [text] if letters in (*_YES, *_NO) else list(text) if run else [], "", False
    marked, takes_text, parts = "", False, list[str]()
    for part in (one.strip() for one in text.split(separator)):
        inner = part[1:-1] if part[:1] + part[-1:] in ("[]", "()", "<>") else ""
        if len(inner) > 3:
            takes_text = True  # ssh's “[fingerprint]”
            continue
        marked = marked or inner
        part = inner or part.strip("'\"")
        if not _WORD.fullmatch(part):
            return [], "", False
        parts.append(part)
    return (parts if len(parts) > 1 else []), marked, takes_text


def _capital(parts: list[str]) -> str:
    """Return the yes or no that is the only answer with a capital, which marks the default."""
    capitals = [part for part in parts if part[0].isupper()]
    return capitals[0] if len(capitals) == 1 and _yes_no(capitals[0]) else ""


def _yes_no(word: str) -> str:
    return "Yes" if word.lower() in _YES else "No" if word.lower() in _NO else ""
