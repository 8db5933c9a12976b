"""Prompts, and requests to the CLI beside the conversation with their answers, as data.

A `Control` names a request of the CLI's control protocol and reads the answer, which is of any shape.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Generic, Literal, Protocol, TypeVar
from uuid import uuid4

from ccq_tui.agent.events import ModelChoice, SlashCommand
from ccq_tui.claude_lines import Line, fields, number, objects, text

T = TypeVar("T")

USUAL_SECONDS = 15.0
SERVER_SECONDS = 45.0
"""An MCP server may take long to start; the CLI itself gives up after 30 s."""


_SPAWN_ERROR = re.compile(
    r"^ENOENT: (?P<words>[^,]+), posix_spawn '(?P<path>.+)'$|^spawn (?P<program>\S+) ENOENT$"
)
"""The CLI's errors for a missing program of an MCP server."""


class CommandError(Exception):
    """The CLI refused an instruction; the message is for a person."""


@dataclass(frozen=True, slots=True)
class ImageFile:
    """An image that goes with a prompt; its file is read when the prompt is sent."""

    name: str
    path: Path
    media_type: str


Images = tuple[ImageFile, ...]
"""The images that a prompt's text names, in its order."""
Kept = asyncio.Future[None]
"""Done once a prompt is on disk: it is not sent before."""


@dataclass(frozen=True, slots=True)
class Send:
    """Give the agent a prompt.

    Attributes:
        text: The prompt.
        prompt_id: The prompt's UUID.
        kept: Its way to the disk; None if another store keeps it.
        images: Its images.
        answer: Whether Claude answers the prompt; else it reads it with the next one that it answers.
    """

    text: str
    prompt_id: str = field(default_factory=lambda: str(uuid4()))
    kept: Kept | None = field(default=None, compare=False, repr=False)
    images: Images = ()
    answer: bool = True


Option = Literal["mode", "model", "effort"]
"""The permission mode, the model, or how hard the model thinks."""


@dataclass(frozen=True, slots=True)
class Control(Generic[T]):
    """One request.

    Attributes:
        subtype: The CLI's name for it.
        read: Reads the answer; may raise `CommandError` for a refusal.
        fields: The other fields of the request.
        seconds: Seconds to wait for the answer.
    """

    subtype: str
    read: Callable[[Line], T]
    fields: Line = field(default_factory=dict, hash=False)
    seconds: float = USUAL_SECONDS


def withdraw_prompt(prompt_id: str) -> Control[bool]:
    """Take a prompt out of the CLI's queue; the answer says whether it was still there."""
    fields = {"message_uuid": prompt_id}
    return Control("cancel_async_message", lambda answer: answer.get("cancelled") is True, fields)


@dataclass(frozen=True, slots=True)
class McpServer:
    """An MCP server; ``status`` is connected, pending, failed, needs-auth or disabled."""

    name: str
    status: str
    error: str = ""
    tools: int = 0
    scope: str = ""


@dataclass(frozen=True, slots=True)
class FilesToRewind:
    """The files that a rewind would change; ``refusal`` says why it cannot, or is empty."""

    files: tuple[str, ...] = ()
    insertions: int = 0
    deletions: int = 0
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Rewound:
    """A conversation that was taken back.

    Attributes:
        prompt: The text of the message before which the conversation now ends.
        refusal: Why nothing was taken back, for a person, or "".
        files_refusal: Why the files were not taken back with it, for a person, or "".
        files_left: The files that could not be changed back.
    """

    prompt: str = ""
    refusal: str = ""
    files_refusal: str = ""
    files_left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StatusSection:
    """A part of the CLI's status: a title, and rows of a label, which may be "", and a value."""

    title: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that differs from the committed one; ``lines`` are those of its unified diff."""

    path: str
    status: str = "modified"
    added: int = 0
    removed: int = 0
    lines: tuple[str, ...] = ()


_REFUSALS = {
    "commands_queued": "prompts are queued; ↑ withdraws them",
    "prompt_pending": "a question waits for an answer",
    "turn_running": "Claude is working; interrupt it first",
    "target_not_found": "Claude no longer has that prompt: it was summarized or rewound",
    "stale_target": "the conversation has newer messages that this screen does not know",
    "unseen_later_turn": "the conversation has newer messages that this screen does not know",
    "target_splits_tool_call": "Claude read it during a tool call, which cannot be split",
    "persist_failed": "the session's record cannot be written",
    "state_changed": "the conversation has just changed; try again",
}
"""The CLI's reasons for not rewinding, in words for a person."""


def _dollars(text: str) -> float | None:
    found = re.search(r"cost:\s+\$(\d[\d,]*\.?\d*)", text)
    return float(found[1].replace(",", "")) if found else None


def reconnect(server: str) -> Control[None]:
    """Reconnect an MCP server."""
    return Control("mcp_reconnect", _nothing, {"serverName": server}, SERVER_SECONDS)


def toggle(server: str, *, enabled: bool) -> Control[None]:
    """Turn an MCP server on or off."""
    return Control("mcp_toggle", _nothing, {"serverName": server, "enabled": enabled}, SERVER_SECONDS)


def stop_task(task_id: str) -> Control[None]:
    """Stop a background task."""
    return Control("stop_task", _nothing, {"task_id": task_id})


def set_thinking(*, on: bool) -> Control[None]:
    """Turn extended thinking off, or back to the session's first setting; adaptive models keep thinking."""
    return Control("set_max_thinking_tokens", _nothing, {"max_thinking_tokens": None if on else 0})


def add_directories(directories: Sequence[str]) -> Control[None]:
    """Let Claude work in more directories; each request replaces those of the last one."""
    settings = {"permissions": {"additionalDirectories": list(directories)}}
    return Control("apply_flag_settings", _nothing, {"settings": settings})


def rename(title: str) -> Control[None]:
    """Give the session a title."""
    return Control("rename_session", _nothing, {"title": title})


def files_to_rewind(prompt_id: str) -> Control[FilesToRewind]:
    """Ask which files would change if they were taken back to before a prompt."""
    return Control("rewind_files", _files, {"user_message_id": prompt_id, "dry_run": True})


def rewind_files(prompt_id: str) -> Control[FilesToRewind]:
    """Take the files back to before a prompt."""
    return Control("rewind_files", _files, {"user_message_id": prompt_id})


def rewind_conversation(prompt_id: str, newest: str = "") -> Control[Rewound]:
    """Take the conversation back to before a prompt.

    ``newest`` is the last message of a user that was seen: the CLI refuses to take back a prompt that is
    followed by others that the caller may not know of.
    """
    seen = {"last_seen_user_message_uuid": newest} if newest else {}
    return Control("rewind_conversation", _rewound, {"target_message_uuid": prompt_id, **seen})


class Asks(Protocol):
    """Asks the CLI something; raises `CommandError`, whose message is for a person."""

    def __call__(self, control: Control[T], /) -> Awaitable[T]:
        """Send the request, and return its answer."""


async def rewind(ask: Asks, prompt_id: str, newest: str, *, files: bool) -> Rewound:
    """Take the conversation back to before a prompt, then the files; raises `CommandError`."""
    done = await ask(rewind_conversation(prompt_id, newest))
    if done.refusal or not files:
        return done
    left = await take_files_back(ask, prompt_id)
    return replace(done, files_refusal=left.refusal, files_left=left.files)


async def take_files_back(ask: Asks, prompt_id: str) -> FilesToRewind:
    """Take the files back to before a prompt; return those that were not changed back, or why none was.

    The CLI reports success even if a directory or a link has taken the place of a file, or the file cannot
    be written.
    """
    try:
        done = await ask(rewind_files(prompt_id))
        return done if done.refusal else await ask(files_to_rewind(prompt_id))
    except CommandError as error:
        return FilesToRewind(refusal=str(error))


def set_effort(level: str) -> Control[None]:
    """Change how hard the model thinks, from the next request on."""
    return Control("apply_flag_settings", _nothing, {"settings": {"effortLevel": level}})


def _nothing(_answer: Line) -> None:
    return None


def _number(line: Line, name: str) -> int:
    return int(number(line, name) or 0)


def start_error(error: str) -> str:
    """Return a server's start error without the names of system calls."""
    if found := _SPAWN_ERROR.search(error):
        words = (found["words"] or "").strip() or "no such file or directory"
        return f"{found['path'] or found['program']}: {words}"
    return error


def listed_servers(answer: Line, name: str = "mcpServers") -> tuple[McpServer, ...]:
    """Read the MCP servers that the CLI lists in an answer or message under a name."""
    return tuple(
        McpServer(
            text(entry, "name"),
            text(entry, "status"),
            start_error(text(entry, "error")),
            len(objects(entry, "tools")),
            text(entry, "scope"),
        )
        for entry in objects(answer, name)
    )


def _status(answer: Line) -> tuple[StatusSection, ...]:
    return tuple(
        StatusSection(
            text(section, "title"),
            tuple((text(row, "label"), str(row.get("value") or "")) for row in objects(section, "rows")),
        )
        for section in objects(answer, "sections")
    )


def _diff(answer: Line) -> tuple[ChangedFile, ...]:
    diff = fields(answer, "diff")
    lines = {text(one, "path"): tuple(_hunk_lines(one)) for one in objects(diff, "hunks")}
    return tuple(
        ChangedFile(
            path := text(entry, "path"),
            "binary" if entry.get("isBinary") else text(entry, "status") or "modified",
            _number(entry, "added"),
            _number(entry, "removed"),
            lines.get(path, ()),
        )
        for entry in objects(diff, "perFileStats")
    )


def _hunk_lines(file: Line) -> Iterator[str]:
    for hunk in objects(file, "hunks"):
        old, new = (
            f"{_number(hunk, f'{side}Start')},{_number(hunk, f'{side}Lines')}" for side in ("old", "new")
        )
        yield f"@@ -{old} +{new} @@"
        lines = hunk.get("lines")
        yield from (str(line) for line in (lines if isinstance(lines, list) else ()))


def _files(answer: Line) -> FilesToRewind:
    files = answer.get("filesChanged")
    refusal = "" if answer.get("canRewind") else text(answer, "error") or "the CLI refused"
    return FilesToRewind(
        tuple(map(str, files)) if isinstance(files, list) else (),
        _number(answer, "insertions"),
        _number(answer, "deletions"),
        refusal,
    )


def _rewound(answer: Line) -> Rewound:
    if not answer.get("rewound"):
        reason = _REFUSALS.get(text(answer, "reason"))
        return Rewound(refusal=reason or text(answer, "error") or "the CLI refused")
    return Rewound(text(answer, "prefillText"))


SESSION_COST = Control("get_session_cost", lambda answer: text(answer, "text"))
"""Asks for the session's cost, in the CLI's own words."""
COST_SO_FAR = Control("get_session_cost", lambda answer: _dollars(text(answer, "text")))
"""Asks how many US dollars the session cost so far; None if the CLI does not say it in known words."""
SERVERS = Control("mcp_status", listed_servers)
"""Asks for the MCP servers and their status."""
BACKGROUND_TASKS = Control("background_tasks", _nothing)
"""Sends the commands and subagents that Claude waits for to the background; the turn continues."""
SESSION_STATUS = Control("get_status", _status)
"""Asks for version, account, model, servers and settings, as Claude Code's own screen words them."""
WORKSPACE_DIFF = Control("get_workspace_diff", _diff)
"""Asks for the uncommitted changes in the session's repository."""
APPLIED_EFFORT = Control("get_settings", lambda answer: text(fields(answer, "applied"), "effort"))
"""Asks how hard the model thinks; the answer is "" if the CLI does not say."""


# -- lists ---------------------------------------------------------------------------------------------------


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
    return objects(answer, name)[:2_000]


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
