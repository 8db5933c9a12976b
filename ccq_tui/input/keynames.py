"""Spellings of keys: in settings, in Textual's events, and on the screen."""

import string
import unicodedata
from collections.abc import Iterator

MODIFIERS = ("ctrl", "alt", "shift", "super")
NAMED = {
    "up": "↑", "down": "↓", "left": "←", "right": "→", "home": "Home", "end": "End",
    "pageup": "PgUp", "pagedown": "PgDn", "insert": "Ins", "delete": "Del", "backspace": "Backspace",
    "tab": "Tab", "enter": "Enter", "escape": "Esc", "space": "Space",
    **{f"f{number}": f"F{number}" for number in range(1, 25)},
}  # fmt: skip
"""Keys with a name, and how they are shown."""
ALIASES = {
    "esc": "escape", "return": "enter", "pgup": "pageup", "pgdn": "pagedown", "page_up": "pageup",
    "page_down": "pagedown", "del": "delete", "ins": "insert", "control": "ctrl", "option": "alt",
    "meta": "alt", "cmd": "super", "↑": "up", "↓": "down", "←": "left", "→": "right", " ": "space",
}  # fmt: skip
_SHORTENED = {
    "solidus": "slash", "reverse_solidus": "backslash", "commercial_at": "at",
    "hyphen_minus": "minus", "plus_sign": "plus", "low_line": "underscore",
}  # fmt: skip


def _sign_name(sign: str) -> str:
    name = unicodedata.name(sign).lower().replace("-", "_").replace(" ", "_")
    return _SHORTENED.get(name, name)


SIGNS = {sign: _sign_name(sign) for sign in string.punctuation}
_BY_NAME = {name: sign for sign, name in SIGNS.items()}


def key_name(written: str) -> str:
    """Return Textual's name of a key as a person writes it: "Ctrl+K", "alt-up", "?", "G", "PgUp".

    Raises ValueError.
    """
    text = written.strip() or written
    for separator in "+-":
        *before, last = text.split(separator) if len(text) > 1 else [text]
        if last == "" and before and before[-1] == "":  # the key is the separator itself: ctrl++
            before, last = before[:-1], separator
        modifiers = [ALIASES.get(part.strip().lower(), part.strip().lower()) for part in before]
        if all(modifier in MODIFIERS for modifier in modifiers):
            name = _plain_name(last.strip() or last)
            if name:
                return _modified(sorted(set(modifiers), key=MODIFIERS.index), name)
    raise ValueError(f"{written!r} is not a key; write one such as ctrl+k, alt+up, f5 or g")


def _plain_name(key: str) -> str:
    if len(key) == 1 and key.isascii() and key.isalnum():
        return key
    lower = ALIASES.get(key.lower(), key.lower())
    if lower in NAMED or lower in _BY_NAME:
        return lower
    return SIGNS.get(key, "")


def _modified(modifiers: list[str], name: str) -> str:
    if modifiers == ["shift"] and len(name) == 1 and name.isalpha():
        return name.upper()
    # As terminals send them: Ctrl+K is the same key with and without capitals.
    return "+".join([*sorted(modifiers), name.lower() if modifiers else name])


def shown_key(name: str) -> str:
    """Return the form in which the screen shows a key that Textual names: "Ctrl+K", "↑", "/"."""
    *modifiers, key = name.split("+")
    if key in _BY_NAME:
        drawn = _BY_NAME[key]
    else:
        drawn = NAMED.get(key, key.upper() if modifiers and len(key) == 1 else key)
    return "+".join([*(modifier.capitalize() for modifier in modifiers), drawn])


def types_text(name: str) -> bool:
    """Whether a key types or edits text, and so cannot mean anything else in an open text field."""
    editing = ("up", "down", "left", "right", "home", "end", "delete", "backspace", "enter", "space", "tab")
    return len(name) == 1 or name in _BY_NAME or name in editing


def typed_by(name: str) -> str:
    """Return the character that a key types, or ""."""
    return " " if name == "space" else name if len(name) == 1 else _BY_NAME.get(name, "")


def shown_keys(shown: str) -> Iterator[tuple[str, str]]:
    """Split shown keys: "Shift+↑↓" is two keys, "1-3" the first and the last of a row.

    Yields each piece with the key that it stands for, or "".
    """
    for index, word in enumerate(shown.split(" ")):
        if index:
            yield " ", ""
        try:
            yield word, key_name(word)
        except ValueError:
            yield from _several(word)


def _several(word: str) -> Iterator[tuple[str, str]]:
    modifiers, plus, signs = word.rpartition("+")
    if signs and all(sign in ALIASES for sign in signs):
        for index, sign in enumerate(signs):
            yield (modifiers + plus if not index else "") + sign, key_name(modifiers + plus + sign)
    elif len(signs) == 3 and signs[1] == "-" and signs[0].isdigit() and signs[2].isdigit():
        yield modifiers + plus + signs[0], key_name(modifiers + plus + signs[0])
        yield "-", ""
        yield signs[2], key_name(modifiers + plus + signs[2])
    else:
        yield word, ""
