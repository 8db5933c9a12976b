"""The CLI's own lists, as data: commands and models, permission rules, memory."""

from __future__ import annotations

from dataclasses import dataclass

from ccq_tui.agent.controls import Control
from ccq_tui.agent.events import ModelChoice, SlashCommand
from ccq_tui.claude_lines import Line, fields, objects, text

MOST_LISTED = 2_000
"""Most entries of a list that are read."""
SIDE_SECONDS = 180.0
"""Seconds to wait for a question beside the conversation: the model is called once."""


@dataclass(frozen=True, slots=True)
class PermissionRule:
    """A permission rule.

    Attributes:
        behavior: "allow", "ask" or "deny".
        source: Its origin, such as "localSettings", "cliArg" or "session".
        rule: The rule as it is stored; unsanitised.
        in_effect: Whether the policy of an organization lets it apply.
    """

    behavior: str
    source: str
    rule: str
    in_effect: bool = True


@dataclass(frozen=True, slots=True)
class MemoryPlace:
    """A file of instructions that the CLI reads or would read, or a directory of memories it writes.

    Attributes:
        path: The file or directory.
        label: The CLI's words for it.
        note: The CLI's note on it, such as how it was imported, or "".
        exists: Whether the file is there.
        is_directory: Whether it is a directory.
    """

    path: str
    label: str
    note: str = ""
    exists: bool = True
    is_directory: bool = False


def side_question(question: str) -> Control[str]:
    """Ask the model something beside the conversation, which neither waits for it nor knows of it."""
    return Control(
        "side_question", lambda answer: text(answer, "response"), {"question": question}, SIDE_SECONDS
    )


def _listed(answer: Line, name: str) -> list[Line]:
    return objects(answer, name)[:MOST_LISTED]


def _rules(answer: Line) -> tuple[PermissionRule, ...]:
    return tuple(
        PermissionRule(
            text(one, "behavior"), text(one, "source"), text(one, "rule"), not one.get("notInEffect")
        )
        for one in _listed(fields(answer, "state"), "rules")
    )


def _memory(answer: Line) -> tuple[MemoryPlace, ...]:
    files = (
        MemoryPlace(
            text(one, "path"),
            text(one, "label"),
            text(one, "description"),
            is_directory or one.get("exists") is True,
            is_directory,
        )
        for name, is_directory in (("files", False), ("folders", True))
        for one in _listed(answer, name)
    )
    return tuple(one for one in files if one.path)


def slash_commands(info: Line) -> tuple[SlashCommand, ...]:
    """Read the commands in the CLI's first answer, without removed and internal ones."""
    return tuple(
        SlashCommand(
            str(entry["name"]).removeprefix("/"),
            text(entry, "description"),
            text(entry, "argumentHint"),
            tuple(str(alias) for alias in entry.get("aliases") or ()),
        )
        for entry in objects(info, "commands")
        if entry.get("name") and not _is_internal(entry)
    )


def _is_internal(entry: Line) -> bool:
    about = text(entry, "description")
    return (
        str(entry["name"]).startswith("_")
        or about.startswith("(removed)")
        or about.rstrip(".").endswith("sessions only)")
    )


def models(info: Line) -> tuple[ModelChoice, ...]:
    """Read the models in the CLI's first answer."""
    return tuple(
        ModelChoice(
            str(entry["value"]),
            str(entry.get("displayName") or entry["value"]),
            text(entry, "description"),
            text(entry, "resolvedModel"),
            tuple(str(level) for level in entry.get("supportedEffortLevels") or ()),
            entry.get("supportsAutoMode") is True,
        )
        for entry in objects(info, "models")
        if entry.get("value")
    )


def default_model(info: Line) -> str:
    """Return the model behind "default"."""
    for model in objects(info, "models"):
        if model.get("value") == "default":
            return str(model.get("resolvedModel") or "default")
    return "default"


PERMISSION_RULES = Control("list_permission_rules", _rules)
"""Asks for the permission rules, those of the session and its flags included."""
MEMORY = Control("get_memory_dialog", _memory)
"""Asks for the existing and possible files of instructions, and the directories of memories."""
