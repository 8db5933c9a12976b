"""The program's own commands, and what a prompt says of them."""

from __future__ import annotations

from dataclasses import dataclass

from ccq_tui.agent.events import SlashCommand

OWN_COMMANDS: tuple[SlashCommand, ...] = (
    SlashCommand("model", "Choose the model", "[name]"),
    SlashCommand("mode", "Choose the permission mode", "[name]"),
    SlashCommand("effort", "Choose how hard the model thinks", "[level]"),
    SlashCommand("context", "Show what fills the context"),
    SlashCommand("cost", "Show cost, tokens and time of this session"),
    SlashCommand("theme", "Choose the colours", "[name]"),
    SlashCommand("export", "Write the transcript to a file", "[md|json|path]"),
    SlashCommand("rename", "Give this session a title", "TITLE"),
    SlashCommand("resume", "Go on with an earlier session", "[id]"),
    SlashCommand("new", "Open another session beside this one"),
    SlashCommand("sessions", "Go to another session of this terminal"),
    SlashCommand("overview", "Show all sessions by what they need"),
    SlashCommand("park", "End the process while questions wait; answering goes on"),
    SlashCommand("close", "End this session and take it away"),
    SlashCommand("mcp", "See MCP servers, reconnect them, turn them on and off"),
    SlashCommand("tasks", "See background tasks, and stop them"),
    SlashCommand("rewind", "Take files and conversation back to an earlier prompt"),
    SlashCommand("help", "Show all keys"),
)
"""Commands that the program does itself; each shadows the CLI's of the same name."""

_NAMES = frozenset(command.name for command in OWN_COMMANDS)


@dataclass(frozen=True, slots=True)
class Called:
    """A command of the program's own, as a prompt calls it."""

    name: str
    argument: str = ""


def called(text: str) -> Called | None:
    """Read a prompt.

    Args:
        text: What was sent from the prompt.

    Returns:
        The command, or None for what is for the agent: every other text, a text of several lines, and a path
        such as ``/model/x``.
    """
    stripped = text.strip()
    if not stripped.startswith("/") or "\n" in stripped:
        return None
    name, _, argument = stripped[1:].partition(" ")
    return Called(name, argument.strip()) if name in _NAMES else None
