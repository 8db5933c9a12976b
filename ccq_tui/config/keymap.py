"""The keys of all actions: defaults, a preset and a person's choices, and the problems of a choice."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from ccq_tui.config.errors import name_hint
from ccq_tui.input.gate import KeyKind
from ccq_tui.input.keynames import key_name, shown_key, types_text
from ccq_tui.input.keys import CHAINS, SETTINGS, TABLE, KeyPlace, KeyRow, rows_at

PRESET = "preset"
PRESETS: dict[str, dict[str, tuple[str, ...]]] = {
    "default": {},
    "vim": {
        "list_first": ("home", "g"),
        "list_last": ("end", "G"),
        "list_half_up": ("ctrl+u",),
        "list_half_down": ("ctrl+d",),
        "decline": ("ctrl+x",),  # Ctrl+D is taken
    },
    "emacs": {
        "list_up": ("up", "ctrl+p"),
        "list_down": ("down", "ctrl+n"),
        # Some terminals send Alt+< as Esc and <, which arrives as < alone.
        "list_first": ("home", "alt+less_than_sign", "less_than_sign"),
        "list_last": ("end", "alt+greater_than_sign", "greater_than_sign"),
        "list_half_up": ("alt+v",),
        "list_half_down": ("ctrl+v",),
    },
}
"""Key presets for lists, by name."""
HALF = 8
"""Lines of half a page."""
CANONICAL = {"list_half_up": ("shift+up",) * HALF, "list_half_down": ("shift+down",) * HALF}
"""Panel keys that carry out actions for which panels have no key of their own."""
TEXT_PLACES = (KeyPlace.EVERYWHERE, KeyPlace.PROMPT, KeyPlace.TRANSCRIPT)
"""Places where a text field is open."""
REACHES_ALL = (KeyPlace.EVERYWHERE, KeyPlace.TRANSCRIPT)

Choices = Mapping[str, str | tuple[str, ...]]
"""Value of the setting ``keys``: actions with their keys, and "preset" with a preset's name."""


@dataclass(frozen=True, slots=True)
class Keymap:
    """The keys of every action, as Textual spells them."""

    keys: Mapping[str, tuple[str, ...]]

    def changed(self) -> dict[str, tuple[str, ...]]:
        """Return the actions whose keys are not the default ones."""
        return {name: keys for name, keys in self.keys.items() if keys != SETTINGS[name].keys}

    @property
    def taken_from_text(self) -> frozenset[str]:
        """Keys that a person gave to actions that work where a text field is open: there they do not edit."""
        changed = self.changed().items()
        return frozenset(key for name, keys in changed if SETTINGS[name].place in TEXT_PLACES for key in keys)

    def shown(self, name: str) -> str:
        """Return the first key of an action as the screen shows it, or ""."""
        return next((shown_key(key) for key in self.keys[name]), "")

    __getitem__ = shown  # for sentences: each frame has some

    def remapped(self, place: KeyPlace, *, letters: bool = True) -> dict[str, tuple[str, ...]]:
        """Return each key whose meaning in a place was changed, with the keys that it stands for.

        Without ``letters``, leave out keys that type or edit text: they go to the filter.
        """
        names = dict.fromkeys(row.setting for row in rows_at(place) if row.setting)
        given_away = {key for name in names for key in SETTINGS[name].keys} - {
            key for name in names for key in self.keys[name]
        }
        remapped: dict[str, tuple[str, ...]] = dict.fromkeys(given_away, ())
        for name in names:
            known = SETTINGS[name].keys
            for key in self.keys[name]:
                if key not in known:
                    remapped[key] = CANONICAL.get(name) or known[:1]
        return {key: becomes for key, becomes in remapped.items() if letters or not types_text(key)}


def keymap_of(choices: Choices) -> Keymap:
    """Return the keys of all actions: a person's own over those of the preset over the defaults."""
    preset = PRESETS.get(str(choices.get(PRESET, "default")), {})
    own = {name: _names(keys) for name, keys in choices.items() if name in SETTINGS}
    defaults = {name: row.keys for name, row in SETTINGS.items()}
    return Keymap({**defaults, **preset, **own})


DEFAULT_KEYS = keymap_of({})
_in_use = DEFAULT_KEYS


def use_keys(keymap: Keymap) -> None:
    """Use a person's keys from now on: one program has one keymap."""
    global _in_use
    _in_use = keymap


def keymap() -> Keymap:
    """Return the keymap in use."""
    return _in_use


def key_of(name: str) -> str:
    """Return the key of an action as a sentence names it."""
    return _in_use.shown(name)


def with_keys(words: str) -> str:
    """Name the keys of the actions that a sentence has in braces."""
    return words.format_map(_in_use)


def key_problems(choices: Any) -> Iterator[tuple[str, str]]:
    """Yield each problem of the setting ``keys``: the entry, or "", and what to write instead."""
    if not isinstance(choices, Mapping):
        yield "", f"must be a table of actions and keys, not {choices!r}"
        return
    sound: dict[str, str | tuple[str, ...]] = {}
    for name, value in choices.items():
        problem = _entry_problem(name, value)
        if problem:
            yield name, problem
        else:
            sound[name] = value
    yield from _conflicts(sound)


def _entry_problem(name: str, value: Any) -> str:
    if name == PRESET:
        known = isinstance(value, str) and value in PRESETS
        return "" if known else f"must be one of {', '.join(PRESETS)}, not {value!r}"
    row = SETTINGS.get(name)
    if row is None:
        return f"is not an action; {name_hint(name, SETTINGS)}"
    keys = [value] if isinstance(value, str) else value
    if not isinstance(keys, list | tuple) or not keys or not all(isinstance(key, str) for key in keys):
        return f"must be a key or a list of keys, such as {(*row.keys, 'ctrl+k')[0]!r}, not {value!r}"
    return next(filter(None, (_key_problem(row, key) for key in keys)), "")


def _key_problem(row: KeyRow, written: str) -> str:
    try:
        name = key_name(written)
    except ValueError as error:
        return str(error)
    if name in row.keys:
        return ""
    if row.place in TEXT_PLACES and types_text(name):
        return f"{shown_key(name)} edits the text of the prompt; take a key such as ctrl+k, alt+k or f5"
    fixed = (one for one in TABLE if not one.setting and one.kind is not KeyKind.ACT)
    if any(name in one.keys and _meet(one.place, row.place) for one in fixed):
        return f"{shown_key(name)} has a meaning of its own in panels; take another key"
    return ""


def _conflicts(choices: Choices) -> Iterator[tuple[str, str]]:
    """Find keys that would mean two things in one place; overlaps among the defaults are intended."""
    keymap = keymap_of(choices)
    for one, other in combinations(SETTINGS.values(), 2):
        both = set(keymap.keys[one.setting]) & set(keymap.keys[other.setting])
        chosen = next((row.setting for row in (other, one) if row.setting in choices), "")
        if both and _meet(one.place, other.place) and (chosen or PRESET in choices):
            rest = one.setting if chosen == other.setting else other.setting
            key = shown_key(min(both))
            yield (
                chosen or PRESET,
                f"{key} is already the key of {rest}; take another, or give {rest} another",
            )


def _meet(one: KeyPlace, other: KeyPlace) -> bool:
    """Whether a key of one place may be pressed in the other."""
    return one in (other, *CHAINS.get(other, ()), *REACHES_ALL) or other in (
        *CHAINS.get(one, ()),
        *REACHES_ALL,
    )


def _names(keys: str | tuple[str, ...]) -> tuple[str, ...]:
    written = (keys,) if isinstance(keys, str) else keys
    return tuple(dict.fromkeys(key_name(key) for key in written))
