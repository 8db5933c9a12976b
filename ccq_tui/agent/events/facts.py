"""What is known of a session, told when it is another than before."""

from __future__ import annotations

from dataclasses import dataclass

from ccq_tui.agent.events.words import SessionState


@dataclass(frozen=True, slots=True)
class Connected:
    """The CLI is there and takes prompts."""

    session_id: str
    model: str
    mode: str
    cwd: str
    cli_version: str = ""
    output_style: str = ""


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command for the prompt; names have no slash, ``arguments`` hints at what follows it."""

    name: str
    description: str = ""
    arguments: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandsListed:
    """The commands that the CLI knows, its own, those of skills and those of MCP servers."""

    commands: tuple[SlashCommand, ...]


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model that can be chosen.

    Attributes:
        value: What it is chosen by.
        name: What it is called.
        description: What it is good for.
        resolved: The model's full name, or "".
        efforts: The levels of thinking that it has.
        auto_mode: Whether a classifier can decide on its tool calls.
    """

    value: str
    name: str
    description: str = ""
    resolved: str = ""
    efforts: tuple[str, ...] = ()
    auto_mode: bool = False


@dataclass(frozen=True, slots=True)
class ModelsListed:
    """The models that the CLI offers."""

    models: tuple[ModelChoice, ...]


@dataclass(frozen=True, slots=True)
class StateChanged:
    """The session began to do something else."""

    state: SessionState


@dataclass(frozen=True, slots=True)
class ModeChanged:
    """The permission mode is another one now."""

    mode: str


@dataclass(frozen=True, slots=True)
class ModelChanged:
    """The model is another one now."""

    model: str


@dataclass(frozen=True, slots=True)
class EffortChanged:
    """The model thinks as hard as ``level`` says from now on."""

    level: str


@dataclass(frozen=True, slots=True)
class TitleChanged:
    """A person gave the session a title."""

    title: str


@dataclass(frozen=True, slots=True)
class ContextUsage:
    """How full the model's context is; ``percentage`` is 0..100."""

    percentage: float
    tokens: int
    limit: int
