"""Claude Code flags that ccq-tui passes on unchanged: allowed values, and how each reaches the CLI.

`docs/configuration.md` describes each field. A project's file can set none of them.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from ccq_tui.config import values
from ccq_tui.config.paths import expanded

Switch = Annotated[bool, BeforeValidator(values.read_switch)]
Names = Annotated[tuple[str, ...], BeforeValidator(values.split_names)]
SettingSource = Literal["user", "project", "local"]

SWITCHES = (
    "bare",
    "disable_slash_commands",
    "exclude_dynamic_system_prompt_sections",
    "restricted",
    "safe_mode",
    "allow_dangerously_skip_permissions",
)
"""Flags without a value."""


def _agents(value: str) -> str:
    """Refuse a broken agent; the CLI would skip it."""
    for name, agent in values.read_json(value).items():
        for part in ("description", "prompt"):
            if not isinstance(agent, Mapping) or not isinstance(agent.get(part), str):
                problem = f"the agent {name!r} needs a {part}, a text in quotes"
                raise ValueError(problem)  # noqa: TRY004 (pydantic wants ValueError)
    return value


def _plugin(value: Path) -> Path:
    """Refuse a missing plugin; the CLI only says that it was not loaded, and not on this screen."""
    place = expanded(value)
    if not (place.is_dir() or (place.is_file() and place.suffix == ".zip")):
        raise ValueError(f"must be a directory or a .zip file that exists, not {str(value)!r}")
    return place.absolute()


def _address(value: str) -> str:
    if not re.match(r"https?://\S", value):
        raise ValueError(f"must be an address that begins with https://, not {value!r}")
    return value


def _window(value: str) -> str:
    """Refuse any other value: the CLI would not start, and nobody would see its message."""
    if value == "auto":
        return value
    found = re.fullmatch(r"(\d{1,9})(k?)", value.strip(), re.ASCII | re.IGNORECASE)
    tokens = int(found[1]) * (1_000 if found[2] or int(found[1]) < 1_000 else 1) if found else 0
    if tokens < 100_000:
        raise ValueError(f'must be "auto" or at least 100k tokens, such as "500k", not {value!r}')
    return value.strip()


def _new_file(value: Path) -> Path:
    place = expanded(value).absolute()
    if not place.parent.is_dir() or place.is_dir():
        raise ValueError(f"must be a file in a directory that exists, not {str(value)!r}")
    return place


# Checked here: the CLI ignores settings that it cannot read, and does not say that a server did not start.
Json = Annotated[str, AfterValidator(values.checked_json)]
Plugin = Annotated[Path, AfterValidator(_plugin)]
Address = Annotated[str, AfterValidator(_address)]


class ClaudeFlags(BaseModel):
    """Options of a Claude process beyond those that ccq-tui defines itself."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    agent: str | None = Field(default=None, min_length=1)
    """The agent that leads the session. Unset: the one in Claude Code's own settings."""

    agents: Annotated[Json, AfterValidator(_agents)] | None = None
    """More agents: a JSON file, or JSON itself, such as {"reviewer": {"description": …, "prompt": …}}."""

    system_prompt: str | None = Field(default=None, min_length=1)
    """The system prompt, in place of Claude Code's."""

    system_prompt_snapshot: Literal["on", "off"] | None = None
    """Whether a conversation keeps the system prompt of its first request."""

    exclude_dynamic_system_prompt_sections: Switch = False
    """Whether machine-specific parts move from the system prompt to the first prompt."""

    fallback_model: str | None = Field(default=None, min_length=1)
    """Models for when the first is overloaded or missing, separated by commas."""

    tools: Annotated[tuple[str, ...], BeforeValidator(values.split_tools)] | None = None
    """The built-in tools that the agent has: names, or an empty list for none. Unset: the default ones."""

    strict_mcp_config: Switch = False
    """Whether only the MCP servers of mcp_config are used."""

    plugin_dirs: Annotated[tuple[Plugin, ...], BeforeValidator(values.split_paths)] = ()
    """Plugins for this session: directories or .zip files."""

    plugin_urls: Annotated[tuple[Address, ...], BeforeValidator(values.one_or_many)] = ()
    """Plugins for this session: addresses of .zip files."""

    setting_sources: Annotated[tuple[SettingSource, ...], BeforeValidator(values.split_names)] | None = None
    """Claude Code settings files to load: user, project, local. Unset: all."""

    betas: Names = ()
    """Beta headers for API requests; they need an API key."""

    autocompact: Annotated[str, AfterValidator(_window)] | None = None
    """Context window that triggers compaction: "auto", or at least "100k" tokens."""

    disable_slash_commands: Switch = False
    """Whether to turn off skills and Claude Code's commands."""

    bare: Switch = False
    """Whether hooks, plugins, memory and CLAUDE.md are left out; needs an API key."""

    safe_mode: Switch = False
    """Whether all customizations are left out, to find a broken one."""

    restricted: Switch = False
    """Whether tools that run code, and settings files, are left out."""

    allow_dangerously_skip_permissions: Switch = False
    """Whether Shift+Tab also offers the mode that bypasses all permission checks."""

    debug: str | None = None
    """Categories of Claude Code's debug log, such as "hooks,mcp"; "" for all. Unset: no log."""

    debug_file: Annotated[Path, AfterValidator(_new_file)] | None = None
    """The file of that log."""

    verbose: Switch = False
    """Whether the transcript begins with everything unfolded."""

    def arguments(self) -> dict[str, str | None]:
        """Return the flags for which the SDK has no option, as ``extra_args``; None means no value."""
        given: dict[str, str | None] = {_flag(name): None for name in SWITCHES if getattr(self, name)}
        # Flags with a value, in the words of the CLI.
        for name in ("agent", "agents", "autocompact", "debug_file", "system_prompt_snapshot"):
            if (value := getattr(self, name)) is not None:
                given[_flag(name)] = str(value)
        if self.debug is not None:
            # As one word: the CLI may misread a separate word after a flag with an optional value.
            given[f"debug={self.debug}" if self.debug else "debug"] = None
        # The SDK takes each flag once.
        return given | {f"plugin-url={url}": None for url in self.plugin_urls}

    def lasting(self) -> dict[str, Any]:
        """Return the fields for a later start of the session, for JSON, without possible secrets."""
        # A later start of the session does not take them over: they are for one run, or a risk.
        left_out = {"debug", "debug_file", "verbose", "allow_dangerously_skip_permissions", "plugin_urls"}
        if self.agents is not None and "mcpServers" in str(values.read_json(self.agents)):
            left_out.add("agents")  # servers may have keys in their environment
        return self.model_dump(mode="json", exclude=left_out, exclude_defaults=True)


def _flag(name: str) -> str:
    return name.replace("_", "-")
