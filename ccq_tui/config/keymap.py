"""The keys of all actions: defaults, a preset and a person's choices, and the problems of a choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from ccq_tui.config.actions import ACTIONS, BY_NAME, DECIDING, FIXED, PRESETS, Action, KeyPlace
from ccq_tui.config.errors import meant
from ccq_tui.config.keynames import key_name, shown_key, types_text

PRESET = "preset"
HALF = 8
"""Lines of half a page."""
CANONICAL = {"list_half_up": ("shift+up",) * HALF, "list_half_down": ("shift+down",) * HALF}
"""Panel keys that carry out actions for which panels have no key of their own."""
TEXT_PLACES = (KeyPlace.EVERYWHERE, KeyPlace.PROMPT, KeyPlace.TRANSCRIPT)
"""Places where a text field is open."""
REACHES_ALL = (KeyPlace.EVERYWHERE, KeyPlace.TRANSCRIPT)
PANEL = (KeyPlace.LIST, KeyPlace.QUESTION)
LIST_SCREEN = (KeyPlace.LIST, KeyPlace.EVERYWHERE)
"""Places whose actions apply in a list on a screen of its own."""

Choices = Mapping[str, str | tuple[str, ...]]
"""Value of the setting ``keys``: actions with their keys, and "preset" with a preset's name."""


@dataclass(frozen=True, slots=True)
class Keymap:
    """The keys of every action, as Textual spells them."""

    keys: Mapping[str, tuple[str, ...]]

    def changed(self) -> dict[str, tuple[str, ...]]:
        """Return the actions whose keys are not the default ones."""
        return {name: keys for name, keys in self.keys.items() if keys != BY_NAME[name].keys}

    @property
    def taken_from_text(self) -> frozenset[str]:
        """Keys that a person gave to actions that work where a text field is open: there they do not edit."""
        changed = self.changed().items()
        return frozenset(key for name, keys in changed if BY_NAME[name].place in TEXT_PLACES for key in keys)

    def shown(self, name: str) -> str:
        """Return the first key of an action as the screen shows it, or ""."""
        return next((shown_key(key) for key in self.keys[name]), "")

    __getitem__ = shown  # for sentences: each frame has some

    def panel_keys(self, *places: KeyPlace) -> dict[str, tuple[str, ...]]:
        """Return each key whose meaning in a panel was changed, with the keys that it stands for."""
        actions = [action for action in ACTIONS if action.place in places]
        given_away = {key for action in actions for key in action.keys} - {
            key for action in actions for key in self.keys[action.name]
        }
        meant: dict[str, tuple[str, ...]] = dict.fromkeys(given_away, ())
        for action in actions:
            for key in self.keys[action.name]:
                if key not in action.keys:
                    meant[key] = CANONICAL.get(action.name) or action.keys[:1]
        return meant

    def list_keys(self, *, letters: bool) -> dict[str, tuple[str, ...]]:
        """Return the changed keys of a list on a screen of its own, as `panel_keys` does.

        Without ``letters``, leave out keys that type or edit text: they go to the filter.
        """
        meant = self.panel_keys(*LIST_SCREEN)
        return {key: becomes for key, becomes in meant.items() if letters or not types_text(key)}


def keymap_of(choices: Choices) -> Keymap:
    """Return the keys of all actions: a person's own over those of the preset over the defaults."""
    preset = PRESETS.get(str(choices.get(PRESET, "default")), {})
    own = {name: _names(keys) for name, keys in choices.items() if name in BY_NAME}
    defaults = {action.name: action.keys for action in ACTIONS}
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
        said = _entry_problem(name, value)
        if said:
            yield name, said
        else:
            sound[name] = value
    yield from _conflicts(sound)


def _entry_problem(name: str, value: Any) -> str:
    if name == PRESET:
        known = isinstance(value, str) and value in PRESETS
        return "" if known else f"must be one of {', '.join(PRESETS)}, not {value!r}"
    action = BY_NAME.get(name)
    if action is None:
        return f"is not an action; {meant(name, BY_NAME)}"
    keys = [value] if isinstance(value, str) else value
    if not isinstance(keys, list | tuple) or not keys or not all(isinstance(key, str) for key in keys):
        return f"must be a key or a list of keys, such as {(*action.keys, 'ctrl+k')[0]!r}, not {value!r}"
    return next(filter(None, (_key_problem(action, key) for key in keys)), "")


def _key_problem(action: Action, written: str) -> str:
    try:
        name = key_name(written)
    except ValueError as error:
        return str(error)
    if name in action.keys:
        return ""
    if action.place in TEXT_PLACES and types_text(name):
        return f"{shown_key(name)} edits the text of the prompt; take a key such as ctrl+k, alt+k or f5"
    if name in FIXED or (action.place is KeyPlace.LIST and name in DECIDING):
        return f"{shown_key(name)} has a meaning of its own in panels; take another key"
    return ""


def _conflicts(choices: Choices) -> Iterator[tuple[str, str]]:
    """Find keys that would mean two things in one place; overlaps among the defaults are intended."""
    keymap = keymap_of(choices)
    for one, other in combinations(ACTIONS, 2):
        both = set(keymap.keys[one.name]) & set(keymap.keys[other.name])
        chosen = next((action.name for action in (other, one) if action.name in choices), "")
        if both and _meet(one.place, other.place) and (chosen or PRESET in choices):
            rest = one.name if chosen == other.name else other.name
            key = shown_key(min(both))
            yield (
                chosen or PRESET,
                f"{key} is already the key of {rest}; take another, or give {rest} another",
            )


def _meet(one: KeyPlace, other: KeyPlace) -> bool:
    return one is other or one in REACHES_ALL or other in REACHES_ALL or (one in PANEL and other in PANEL)


def _names(keys: str | tuple[str, ...]) -> tuple[str, ...]:
    written = (keys,) if isinstance(keys, str) else keys
    return tuple(dict.fromkeys(key_name(key) for key in written))
