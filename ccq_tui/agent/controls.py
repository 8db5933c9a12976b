"""What the CLI can be asked beside the conversation, and what it answers, as data.

A `Control` names a request of the CLI's control protocol and reads the answer, which is of any shape.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")

USUAL_SECONDS = 15.0
SERVER_SECONDS = 45.0
"""An MCP server may take long to start; the CLI itself gives up after 30 s."""


class CommandError(Exception):
    """The CLI refused an instruction; the message is for a person."""


@dataclass(frozen=True, slots=True)
class Control(Generic[T]):
    """One request.

    Attributes:
        subtype: The CLI's name for it.
        read: Reads the answer; may raise `CommandError` for one that says no.
        fields: What goes with it.
        seconds: How long the answer may take.
    """

    subtype: str
    read: Callable[[Mapping[str, Any]], T]
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)
    seconds: float = USUAL_SECONDS


def withdraw_prompt(prompt_id: str) -> Control[bool]:
    """Take a prompt out of the CLI's queue; the answer says whether it was still there."""
    fields = {"message_uuid": prompt_id}
    return Control("cancel_async_message", lambda answer: answer.get("cancelled") is True, fields)


@dataclass(frozen=True, slots=True)
class ContextPart:
    """A category of what is in the context; ``kind`` is used, deferred, buffer or free."""

    name: str
    tokens: int
    kind: str


@dataclass(frozen=True, slots=True)
class ContextDetails:
    """What fills the context."""

    parts: tuple[ContextPart, ...]
    tokens: int
    limit: int
    model: str = ""


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
    """What of the files a rewind would change; ``refusal`` says why it cannot, or is empty."""

    files: tuple[str, ...] = ()
    insertions: int = 0
    deletions: int = 0
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Rewound:
    """A conversation that was taken back.

    Attributes:
        prompt: The text of the message that it ends before now.
        refusal: Why nothing was taken back, for a person, or "".
        files_refusal: Why the files were not taken back with it, for a person, or "".
        files_left: The files that could not be changed back.
    """

    prompt: str = ""
    refusal: str = ""
    files_refusal: str = ""
    files_left: tuple[str, ...] = ()


_REFUSALS = {
    "commands_queued": "prompts wait to be read; ↑ takes them back",
    "prompt_pending": "a question waits for an answer",
    "turn_running": "Claude is at work; Esc interrupts it",
    "target_not_found": "Claude no longer has that prompt: it was summarized or taken back",
    "stale_target": "something was said since that this screen does not know of",
    "unseen_later_turn": "something was said since that this screen does not know of",
    "target_splits_tool_call": "it was read in the middle of a tool call, which cannot be cut in two",
    "persist_failed": "the session's record cannot be written",
    "state_changed": "something else was said meanwhile; try again",
}
"""What the CLI's reasons for not rewinding mean to a person."""


def context_details() -> Control[ContextDetails]:
    """Ask what fills the context."""
    return Control("get_context_usage", _context)


def session_cost() -> Control[str]:
    """Ask what the session cost, in the CLI's own words."""
    return Control("get_session_cost", lambda answer: str(answer.get("text") or ""))


def servers() -> Control[tuple[McpServer, ...]]:
    """Ask which MCP servers there are, and how they do."""
    return Control("mcp_status", _servers)


def reconnect(server: str) -> Control[None]:
    """Connect an MCP server anew."""
    return Control("mcp_reconnect", _nothing, {"serverName": server}, SERVER_SECONDS)


def toggle(server: str, *, enabled: bool) -> Control[None]:
    """Turn an MCP server on or off."""
    return Control("mcp_toggle", _nothing, {"serverName": server, "enabled": enabled}, SERVER_SECONDS)


def stop_task(task_id: str) -> Control[None]:
    """Stop a background task."""
    return Control("stop_task", _nothing, {"task_id": task_id})


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

    Args:
        prompt_id: The prompt.
        newest: The last message of a user that was seen, by its UUID. The CLI refuses to take back any
            prompt behind which there are others that the caller may not know of.
    """
    seen = {"last_seen_user_message_uuid": newest} if newest else {}
    return Control("rewind_conversation", _rewound, {"target_message_uuid": prompt_id, **seen})


class Asks(Protocol):
    """Asks the CLI something; raises `CommandError`, whose message is for a person."""

    def __call__(self, control: Control[T], /) -> Awaitable[T]:
        """Ask it."""


async def rewind(ask: Asks, prompt_id: str, newest: str, *, files: bool) -> Rewound:
    """Take the conversation back to before a prompt, and the files once that is done.

    Args:
        ask: Asks the CLI.
        prompt_id: The prompt.
        newest: As for `rewind_conversation`.
        files: Whether to take back files, too.

    Returns:
        What was taken back, and why something was not.

    Raises:
        CommandError: Nothing is known to have been taken back.
    """
    done = await ask(rewind_conversation(prompt_id, newest))
    if done.refusal or not files:
        return done
    left = await take_files_back(ask, prompt_id)
    return replace(done, files_refusal=left.refusal, files_left=left.files)


async def take_files_back(ask: Asks, prompt_id: str) -> FilesToRewind:
    """Take the files back to before a prompt, and look which of them did not follow.

    The CLI says that it is done also where a directory or a link is in the place of a file, or the file
    cannot be written.

    Args:
        ask: Asks the CLI.
        prompt_id: The prompt.

    Returns:
        The files that are still to be changed, and why none was.
    """
    try:
        done = await ask(rewind_files(prompt_id))
        return done if done.refusal else await ask(files_to_rewind(prompt_id))
    except CommandError as error:
        return FilesToRewind(refusal=str(error))


def set_effort(level: str) -> Control[None]:
    """Change how hard the model thinks, from the next request on."""
    return Control("apply_flag_settings", _nothing, {"settings": {"effortLevel": level}})


def applied_effort() -> Control[str]:
    """Ask how hard the model thinks; the answer is "" where it does not say."""
    return Control("get_settings", _effort)


def _nothing(_answer: Mapping[str, Any]) -> None:
    return None


def _entries(answer: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    listed = answer.get(name)
    return [entry for entry in (listed if isinstance(listed, list) else ()) if isinstance(entry, Mapping)]


def _number(value: object) -> int:
    return int(value) if isinstance(value, int | float) else 0


def _context(answer: Mapping[str, Any]) -> ContextDetails:
    parts = tuple(
        ContextPart(
            str(entry.get("name") or ""), _number(entry.get("tokens")), str(entry.get("kind") or "used")
        )
        for entry in _entries(answer, "categories")
    )
    return ContextDetails(
        parts,
        _number(answer.get("totalTokens")),
        _number(answer.get("maxTokens")),
        str(answer.get("model") or ""),
    )


def _servers(answer: Mapping[str, Any]) -> tuple[McpServer, ...]:
    return tuple(
        McpServer(
            str(entry.get("name") or ""),
            str(entry.get("status") or ""),
            str(entry.get("error") or ""),
            len(_entries(entry, "tools")),
            str(entry.get("scope") or ""),
        )
        for entry in _entries(answer, "mcpServers")
    )


def _files(answer: Mapping[str, Any]) -> FilesToRewind:
    files = answer.get("filesChanged")
    refusal = "" if answer.get("canRewind") else str(answer.get("error") or "the CLI refused")
    return FilesToRewind(
        tuple(str(path) for path in files) if isinstance(files, list) else (),
        _number(answer.get("insertions")),
        _number(answer.get("deletions")),
        refusal,
    )


def _effort(answer: Mapping[str, Any]) -> str:
    applied = answer.get("applied")
    return str(applied.get("effort") or "") if isinstance(applied, Mapping) else ""


def _rewound(answer: Mapping[str, Any]) -> Rewound:
    if not answer.get("rewound"):
        reason = _REFUSALS.get(str(answer.get("reason")), "")
        return Rewound(refusal=reason or str(answer.get("error") or "the CLI refused"))
    return Rewound(str(answer.get("prefillText") or ""))
