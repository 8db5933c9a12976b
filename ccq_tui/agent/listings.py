"""What the CLI lists of itself when it is asked: permission rules, hooks, skills and memory, as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ccq_tui.agent.controls import Control

MOST_LISTED = 2_000
"""Entries of a list that are taken."""
SIDE_SECONDS = 180.0
"""How long a question beside the conversation may take: the model is called once."""


@dataclass(frozen=True, slots=True)
class PermissionRule:
    """A rule that holds.

    Attributes:
        behavior: "allow", "ask" or "deny".
        source: Where it comes from, such as "localSettings", "cliArg" or "session".
        rule: The rule as it is stored; unsanitised.
        in_effect: Whether the policy of an organization lets it hold.
    """

    behavior: str
    source: str
    rule: str
    in_effect: bool = True


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook; ``source`` is the CLI's name of where it stands, ``place`` its words for a person."""

    event: str
    matcher: str
    command: str
    source: str
    place: str
    disabled: bool = False


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill; ``state`` is on, name-only, user-invocable-only or off."""

    name: str
    source: str
    description: str
    state: str = "on"
    callable: bool = True


@dataclass(frozen=True, slots=True)
class MemoryPlace:
    """A file of instructions that the CLI reads or would read, or a directory of memories it writes.

    Attributes:
        path: The file or directory.
        label: The CLI's words for it.
        note: What the CLI says of it, such as how it was imported, or "".
        exists: Whether the file is there.
        is_directory: Whether it is a directory.
    """

    path: str
    label: str
    note: str = ""
    exists: bool = True
    is_directory: bool = False


def permission_rules() -> Control[tuple[PermissionRule, ...]]:
    """Ask which permission rules hold now, those of the session and its flags included."""
    return Control("list_permission_rules", _rules)


def hooks() -> Control[tuple[Hook, ...]]:
    """Ask which hooks there are."""
    return Control("get_hooks_listing", _hooks)


def skills() -> Control[tuple[Skill, ...]]:
    """Ask which skills there are."""
    return Control("get_skills_dialog", _skills)


def memory() -> Control[tuple[MemoryPlace, ...]]:
    """Ask which files of instructions there are or could be, and where memories are kept."""
    return Control("get_memory_dialog", _memory)


def side_question(question: str) -> Control[str]:
    """Ask the model something beside the conversation, which neither waits for it nor knows of it."""
    return Control(
        "side_question", lambda answer: _text(answer, "response"), {"question": question}, SIDE_SECONDS
    )


def _entries(answer: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    listed = answer.get(name)
    found = islice(listed if isinstance(listed, list) else (), MOST_LISTED)
    return (entry for entry in found if isinstance(entry, Mapping))


def _text(entry: Mapping[str, Any], name: str) -> str:
    return str(entry.get(name) or "")


def _rules(answer: Mapping[str, Any]) -> tuple[PermissionRule, ...]:
    state = answer.get("state")
    return tuple(
        PermissionRule(
            _text(one, "behavior"), _text(one, "source"), _text(one, "rule"), not one.get("notInEffect")
        )
        for one in _entries(state if isinstance(state, Mapping) else {}, "rules")
    )


def _hooks(answer: Mapping[str, Any]) -> tuple[Hook, ...]:
    return tuple(
        Hook(
            _text(one, "event"),
            _text(one, "matcher"),
            _text(one, "commandText"),
            _text(one, "source"),
            _text(one, "sourceLabel"),
            one.get("disabled") is True,
        )
        for one in _entries(answer, "hooks")
    )


def _skills(answer: Mapping[str, Any]) -> tuple[Skill, ...]:
    return tuple(
        Skill(
            _text(one, "display_name") or _text(one, "name"),
            _text(one, "source"),
            _text(one, "description"),
            _text(one, "state") or "on",
            one.get("advertised") is True,
        )
        for one in _entries(answer, "skills")
    )


def _memory(answer: Mapping[str, Any]) -> tuple[MemoryPlace, ...]:
    files = (
        MemoryPlace(
            _text(one, "path"), _text(one, "label"), _text(one, "description"), one.get("exists") is True
        )
        for one in _entries(answer, "files")
    )
    directories = (
        MemoryPlace(_text(one, "path"), _text(one, "label"), _text(one, "description"), is_directory=True)
        for one in _entries(answer, "folders")
    )
    return tuple(one for one in (*files, *directories) if one.path)
